"""Roles: what each may and may not, by a token or a proxy's name; the log of changes."""

import json
import re
from types import SimpleNamespace

import pytest

from service.users import ROLES, User, Users, needed_role, read_users
from std.errors import InputError

TOKENS = {role: f"token-of-{role}-0123456789" for role in ROLES}
MARK = {"term": "und", "recording": "KERSTIN_00", "start": 1.0, "end": 1.2}
REQUESTS = [  # method, path, body, the role that is needed
    ("GET", "/api/search?term=und", None, "read"),
    ("POST", "/api/searches", {"terms": ["und"]}, "read"),
    ("POST", "/api/feedback", MARK | {"right": True}, "mark"),
    ("DELETE", "/api/feedback", MARK, "mark"),
    ("POST", "/api/feedback/undo?change=none", None, "mark"),
    ("POST", "/api/alerts", {"term": "und"}, "mark"),
    ("DELETE", "/api/alerts?term=und", None, "mark"),
    ("POST", "/api/recordings/KERSTIN_00/corrections", {"from": 1, "to": 2, "words": "a"}, "edit"),
    ("DELETE", "/api/recordings/KERSTIN_00/corrections?at=1", None, "edit"),
    ("POST", "/api/corrections", {"before": "a", "after": "b", "places": [{}]}, "edit"),
    ("POST", "/api/uploads?name=a.vtt", {}, "edit"),
    ("PATCH", "/api/uploads/a", {"metadata": {"title": "b"}}, "edit"),
    ("DELETE", "/api/uploads/a", None, "edit"),
    ("POST", "/api/uploads/a/restore", {}, "edit"),
    ("GET", "/api/audit", None, "admin"),
]


def test_every_operation_that_changes_something_is_listed(client):
    """So that a new one gets a role that somebody has thought about."""
    listed = {(method, re.sub(r"\?.*", "", path)) for method, path, _, _ in REQUESTS}
    document = client("/api/openapi.json").json
    for path, methods in document["paths"].items():
        shape = re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path))
        for method in {*map(str.upper, methods)} - {"GET"}:
            found = [one for how, one in listed if how == method and shape.fullmatch(one)]
            assert found or path == "/api/counts", (method, path)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("users") / "users.csv"
    rows = [f"{role}er,{role},{token}" for role, token in TOKENS.items()]
    path.write_text("\n".join(["name,role,token", *rows, "*,mark,"]))
    return path


@pytest.fixture(scope="module")
def audit(table):
    return table.parent / "audit.jsonl"


@pytest.fixture(scope="module")
def guarded(serve, german_settings, table, audit):
    from dataclasses import replace

    with serve(replace(german_settings, users=table, audit=audit)) as one:
        yield one


def ask(client, role, method, path, body):
    headers = {"Authorization": f"Bearer {TOKENS[role]}"} if role else {}
    return client(path, method=method, body=body, headers=headers)


@pytest.mark.parametrize(("method", "path", "body", "needed"), REQUESTS)
def test_a_role_may_what_it_and_lower_ones_may(guarded, method, path, body, needed):
    assert ask(guarded, None, method, path, body).status == 401
    for role in ROLES:
        answer = ask(guarded, role, method, path, body)
        is_refused = answer.status == 403 and "this needs the role" in answer.json["detail"]
        assert is_refused == (ROLES.index(role) < ROLES.index(needed)), (role, answer.body)
        assert answer.status != 401


def test_marks_have_their_author_and_the_log_has_all(guarded, audit):
    body = MARK | {"right": True}
    assert ask(guarded, "mark", "POST", "/api/feedback", body).json["author"] == "marker"
    assert ask(guarded, "read", "POST", "/api/feedback", body).status == 403
    newest, before, *_ = ask(guarded, "admin", "GET", "/api/audit?limit=2", None).json
    assert (newest["user"], newest["role"], newest["status"]) == ("reader", "read", 403)
    assert (before["user"], before["path"], before["status"]) == ("marker", "/api/feedback", 200)
    assert json.loads(before["body"]) == body
    lines = [json.loads(line) for line in audit.read_text().splitlines()]
    assert lines[-1] == newest
    assert not any(token in audit.read_text() for token in TOKENS.values())
    assert not [line for line in lines if line["method"] == "GET"]


@pytest.mark.parametrize(
    ("told", "made"), [("nothing is changed", 0), ("status 200, but not logged: No space", 1)]
)
def test_a_full_disk_is_told_before_the_answer_begins(guarded, audit, monkeypatch, told, made):
    """A change is not made if the log has no room; one that was not logged is told."""

    def full(*_):
        raise InputError(audit, 0, "a file that takes all of the output", "No space left")

    log = guarded.service.audit_log
    if made:
        monkeypatch.setattr(log, "_file", SimpleNamespace(path=audit, append=full))
    else:
        monkeypatch.setattr(log, "ROOM_BYTES", 1 << 62)
    marks, lines = ask(guarded, "mark", "GET", "/api/feedback", None).json, audit.read_text()
    mark = MARK | {"right": False, "start": 76.0, "end": 77.0}
    answer = ask(guarded, "mark", "POST", "/api/feedback", mark)
    assert (answer.status, told in answer.json["detail"]) == (507, True)
    assert audit.read_text() == lines
    assert len(ask(guarded, "mark", "GET", "/api/feedback", None).json) == len(marks) + made


def test_who_asks_and_the_ticket_of_a_player(guarded):
    me = ask(guarded, "mark", "GET", "/api/me", None).json
    assert me == {"name": "marker", "role": "mark", "may": ["read", "mark"]}
    ticket = ask(guarded, "read", "GET", "/api/tickets/KERSTIN_00", None).json["ticket"]
    assert guarded("/api/audio/KERSTIN_00", ticket=ticket).status == 200
    assert guarded("/api/audio/KERSTIN_01", ticket=ticket).status == 401
    assert guarded("/recordings").status == 200  # an empty page, which asks for the token


def test_a_proxy_names_users(serve, changed, tmp_path):
    users = tmp_path / "users.csv"
    users.write_text("name,role\nann,edit\n*,mark\n")
    with serve(changed(users=users, user_header="X-Forwarded-User")) as client:

        def may(name):
            headers = {"X-Forwarded-User": name} if name else {}
            return client("/api/me", headers=headers).json["role"]

        assert (may("ann"), may("bob"), may("")) == ("edit", "mark", "mark")
        page = client("/recordings/KERSTIN_00", headers={"X-Forwarded-User": "bob"}).body
        assert b'data-may="read mark"' in page
    assert Users({"ann": User("ann", "edit")}).named("bob").role == "read"
    assert Users().named("bob").role == "admin"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name\nann\n", "a column role"),
        ("name,role\nann,boss\n", ":2: expected a role: read, mark, edit, admin"),
        ("name,role\nann,read\nann,mark\n", ":3: expected a name of its own"),
        ("name,role,token\nann,read,short\n", ":2: expected a token of its own of at least 16"),
        (
            "name,role,token\na,read,0123456789abcdef\nb,read,0123456789abcdef\n",
            ":3: expected a tok",
        ),
        ("name,role\n", "at least one user"),
    ],
)
def test_what_is_no_table_of_users_is_named(tmp_path, text, message):
    path = tmp_path / "users.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(message)) as error:
        read_users(path)
    assert "0123456789abcdef" not in str(error.value)


def test_unknown_operations_need_the_role_edit():
    assert needed_role("PUT", "/api/new") == "edit"
    assert needed_role("POST", "/api/searches/../uploads") == "edit"
