"""Marks through the API: kept over a restart, taken back, and none lost that was acknowledged."""

import errno
import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.marks import MarkedHit, MarkFile, change_id, version_of
from service.problems import ProblemError
from std.appended import AppendedFile
from std.errors import InputError
from std.marks import Mark, read_marks
from std.text import Normalisation
from std.values import Recording

HIT = {"term": "hahnenfedern", "recording": "KERSTIN_00", "start": 10.448, "end": 11.388}
WHERE = Recording("KERSTIN_00", 1)


def marks_in(path):
    return MarkFile(path, Normalisation().phrase)


def hit(term, start_s, end_s):
    return MarkedHit(term, WHERE, round(1000 * start_s), round(1000 * end_s))


def test_a_mark_is_kept_over_a_restart_and_shown(serve, changed, tmp_path):
    path = tmp_path / "marks.jsonl"
    with serve(changed(feedback=path)) as client:
        kept = client("/api/feedback", method="POST", body=HIT | {"right": True})
        assert kept.status == 200
        assert kept.json["marked"] == {"right": 1, "wrong": 0}
        wrong = HIT | {"start": 1.0, "end": 2.0, "right": False}
        assert client("/api/feedback", method="POST", body=wrong).json["marked"] == {
            "right": 1, "wrong": 1,
        }  # fmt: skip
    assert [mark.right for mark in read_marks(path)] == [True, False]
    with serve(changed(feedback=path)) as client:
        answer = client("/api/search", term="hahnenfedern").json
        assert answer["hits"][0]["right"] is True
        assert answer["marked"] == {"right": 1, "wrong": 1}
        back = client("/api/feedback", method="DELETE", body=HIT)
        assert back.json["right"] is None
        assert client("/api/search", term="hahnenfedern").json["hits"][0]["right"] is None
        assert len(client("/api/feedback").json) == 1
    assert [mark.right for mark in read_marks(path)] == [False]


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"recording": "../../etc/passwd"}, 404),
        ({"term": ""}, 422),
        ({"term": "x" * 201}, 422),
        ({"start": 3.0, "end": 2.0}, 400),
        ({"start": "soon"}, 422),
        ({"start": True}, 422),
        ({"right": "yes and no"}, 422),
        ({"right": "yes"}, 422),
        ({"right": 1}, 422),
        ({"more": 1}, 422),
    ],
)
def test_what_is_no_mark_is_refused(client, change, status):
    before = client("/api/feedback").json
    answer = client("/api/feedback", method="POST", body=HIT | {"right": True} | change)
    assert answer.status == status
    assert client("/api/feedback").json == before


def test_an_unfinished_line_is_cut_off(tmp_path):
    path = tmp_path / "marks.jsonl"
    first = marks_in(path)
    first.put(hit("burg", 1, 2), True)
    first.close()
    with path.open("ab") as stream:
        stream.write(b'{"term": "bur')
    second = marks_in(path)
    second.put(hit("tal", 1, 2), False)
    second.close()
    assert [(mark.term, mark.right) for mark in read_marks(path)] == [
        ("burg", True),
        ("tal", False),
    ]


def test_two_services_do_not_write_to_one_file(tmp_path):
    path = tmp_path / "marks.jsonl"
    first = marks_in(path)
    with pytest.raises(InputError, match="another std-serve or std-search writes to"):
        marks_in(path)
    first.close()
    marks_in(path).close()


def test_a_full_disk_spoils_nothing():
    """/dev/full refuses every write; it cannot be locked or cut, so the parts are tried alone."""
    full = AppendedFile.__new__(AppendedFile)
    full.path, full._handle = "marks", os.open("/dev/full", os.O_WRONLY)
    with pytest.raises((InputError, OSError)):
        full.append(b"{}\n")
    full.close()


def test_a_mark_that_was_acknowledged_survives_kill_9(german_index, tmp_path):
    path = tmp_path / "marks.jsonl"
    command = [sys.executable, "-m", "service.cli", "--store", german_index]
    service = subprocess.Popen(
        [*command, "--port", "0", "--feedback", str(path), "--quiet"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        url = service.stdout.readline().strip()
        acknowledged = []
        for number in range(30):
            body = HIT | {"start": float(number), "end": number + 1.0, "right": number % 2 == 0}
            request = urllib.request.Request(
                f"{url}api/feedback",
                json.dumps(body).encode(),
                {"Content-Type": "application/json"},
            )
            with urllib.request.urlopen(request, timeout=60) as answer:
                acknowledged.append(json.load(answer)["start"])
    finally:
        service.send_signal(signal.SIGKILL)
        service.wait(60)
        service.stdout.close()
    assert [mark.start_s for mark in read_marks(path)] == acknowledged
    assert len(acknowledged) == 30


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 2), st.sampled_from([1, 0, None])))
)
def test_marks_of_terms_are_those_of_looking_through_all(puts):
    marks = marks_in(None)
    for term, start_s, right in puts:
        marks.put(hit(term, start_s, start_s + 1), right)
    for terms in (["a"], ["c", "a"], ["nothing"], []):
        expected = [mark for term in terms for mark in marks.all() if mark.term == term]
        assert sorted(marks.of_terms(terms)) == sorted(expected)
    for mark in marks.all():
        assert marks.get(MarkedHit(*mark.hit)) == mark.right


ACTIONS = st.tuples(
    st.sampled_from(["ann", "ben", ""]),
    st.sampled_from(["burg", "Burg", "tal"]),
    st.sampled_from([1.0, 1.2, 5.0]),
    st.sampled_from([True, False, None, "undo", "undo mine"]),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(ACTIONS, max_size=25), st.booleans())
def test_changes_are_taken_back_in_their_order(actions, reopens):
    """Against a stack for each hit: changes are pushed, and taken back from its top only."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "marks.jsonl"
        marks, stacks, lines = marks_in(path), {}, 0
        for author, term, start_s, wish in actions:
            stack = stacks.setdefault((term.lower(), start_s < 3), [(None, "nobody")])
            if wish == "undo":
                newest = next((c for c in marks.history() if marks.counts(c)), None)
                if newest is None:
                    with pytest.raises(ProblemError, match="no change"):
                        marks.undo("x", author)
                    continue
                marks.undo(change_id(newest.mark), author)
                stacks[newest.mark.term.lower(), newest.mark.start_s < 3].pop()
            elif wish == "undo mine" and author:
                mine = [c for c in marks.history() if marks.counts(c) and c.mark.author == author]
                if not mine:
                    continue
                marks.undo("", author)
                stacks[mine[0].mark.term.lower(), mine[0].mark.start_s < 3].pop()
            elif not isinstance(wish, str):
                marks.put(hit(term, start_s, start_s + 1), wish, author)
                stack.append((wish, author))
            else:
                continue
            lines += 1
            if reopens:
                marks.close()
                marks = marks_in(path)
            now = {key: stack[-1][0] for key, stack in stacks.items()}
            for (word, is_early), right in now.items():
                assert marks.get(hit(word, 1.0 if is_early else 5.0, 2.2 if is_early else 6.0)) is (
                    right
                )
            assert len(marks.history()) == lines
            assert len(marks.all()) == sum(right is not None for right in now.values())
        marks.close()
        assert len(read_marks(path)) == len(marks.all())


def test_the_history_says_who_and_when(serve, changed, tmp_path):
    table = tmp_path / "users.csv"
    table.write_text(
        f"name,role,token\nann,mark,{'a' * 16}\nben,mark,{'b' * 16}\ncy,read,{'c' * 16}\n"
    )
    ann, ben, cy = ({"Authorization": f"Bearer {letter * 16}"} for letter in "abc")
    where = {"term": "Hahnenfedern", "recording": "KERSTIN_00", "start": 11.0, "end": 12.0}
    with serve(changed(feedback=tmp_path / "marks.jsonl", users=table)) as client:
        client("/api/feedback", method="POST", body=HIT | {"right": True}, headers=ann)
        client("/api/feedback", method="POST", body=HIT | {"right": False}, headers=ben)
        client("/api/feedback", method="POST",
               body=HIT | {"term": "die", "right": True}, headers=ann)  # fmt: skip
    with serve(changed(feedback=tmp_path / "marks.jsonl", users=table)) as client:  # days later
        found = client("/api/feedback/history", headers=cy, **where).json
        assert [(c["author"], c["right"], c["before"], c["counts"]) for c in found["changes"]] == [
            ("ben", False, True, True), ("ann", True, None, False),
        ]  # fmt: skip
        newest, first = found["changes"]
        assert newest["time"] > first["time"]
        paged = client("/api/feedback/history", headers=cy, limit=2).json
        assert (paged["total"], len(paged["changes"]), paged["next_cursor"]) == (3, 2, "2")
        rest = client("/api/feedback/history", headers=cy, limit=2, cursor="2").json
        assert [c["id"] for c in rest["changes"]] == [first["id"]]
        late = client("/api/feedback/undo", method="POST", change=first["id"], headers=ann)
        assert (late.status, "since" in late.json["detail"]) == (412, True)
        assert client("/api/feedback/undo", method="POST", headers=cy).status == 403
        mine = client("/api/feedback/undo", method="POST", headers=ann).json
        assert (mine["term"], mine["right"]) == ("die", None)
        back = client("/api/feedback/undo", method="POST", change=newest["id"], headers=ann)
        assert (back.json["right"], back.json["author"]) == (True, "ann")
        again = client("/api/feedback/undo", method="POST", change=newest["id"], headers=ann)
        assert again.status == 412
        (top, *_) = client("/api/feedback/history", headers=cy, **where).json["changes"]
        assert (top["undoes"], top["counts"]) == (newest["time"], False)
        assert client("/api/feedback/undo", method="POST", headers=ann).json["right"] is None
        assert client("/api/feedback/undo", method="POST", headers=ann).status == 404


def test_without_users_a_change_is_named(client):
    assert client("/api/feedback/undo", method="POST").status == 400
    assert client("/api/feedback/undo", method="POST", change="nothing").status == 404
    assert client("/api/feedback/history", recording="nothing").status == 404


@pytest.mark.parametrize(
    ("term", "start_s", "end_s", "right"),
    [
        ("Schlösser", 10.0, 11.0, True),  # another spelling
        ('"schlösser"', 10.0, 11.0, True),
        ("schlösser", 10.2, 11.3, True),  # another indexing
        ("schlösser", 11.0, 12.0, None),  # the next word
        ("schloss", 10.0, 11.0, None),
    ],
)
def test_a_mark_is_found_by_its_meaning(term, start_s, end_s, right):
    marks = marks_in(None)
    marks.put(hit("schlösser", 10.0, 11.0), True)
    assert marks.get(hit(term, start_s, end_s)) is right


def test_of_two_marks_the_one_with_more_of_the_hit_counts():
    marks = marks_in(None)
    marks.put(hit("die", 1.0, 1.5), True)
    marks.put(hit("die", 1.5, 2.0), False)
    assert marks.get(hit("die", 1.4, 2.0)) is False
    assert marks.get(hit("die", 1.0, 1.6)) is True


def test_a_moved_hit_is_unmarked_in_the_file_too(tmp_path):
    marks = marks_in(tmp_path / "marks.jsonl")
    marks.put(hit("burg", 1.0, 2.0), True)
    marks.put(hit("Burg", 1.1, 2.1), None)
    assert marks.all() == []
    marks.put(hit("burg", 1.0, 2.0), True)
    marks.put(hit("Burg", 1.1, 2.1), False)
    marks.close()
    (kept,) = read_marks(tmp_path / "marks.jsonl")
    assert (kept.term, kept.start_s, kept.right) == ("Burg", 1.1, False)


def test_a_stale_tab_changes_no_mark(client):
    place = HIT | {"start": 70.0, "end": 71.0}
    first = client("/api/feedback", method="POST", body=place | {"right": True})
    assert first.headers["etag"] == f'"{first.json["version"]}"'
    seen = {"If-Match": first.headers["etag"]}
    second = client("/api/feedback", method="POST", body=place | {"right": False}, headers=seen)
    assert second.status == 200
    stale = client("/api/feedback", method="DELETE", body=place, headers=seen)
    assert stale.status == 412
    assert stale.json["right"] is False
    assert stale.json["version"] == second.json["version"]
    assert "marked wrong meanwhile" in stale.json["detail"]
    now = {"If-Match": second.headers["etag"]}
    assert client("/api/feedback", method="DELETE", body=place, headers=now).status == 200
    unseen = client(
        "/api/feedback", method="POST", body=place | {"right": True}, headers={"If-Match": '"0"'}
    )
    assert unseen.status == 200
    client("/api/feedback", method="DELETE", body=place)


def test_versions_differ_with_who_and_what():
    one = Mark("burg", WHERE, 1.0, 2.0, True, "2026-11-22T09:30:00Z")
    others = [one._replace(right=False), one._replace(author="ada"), one._replace(start_s=1.5)]
    assert len({*map(version_of, [one, *others])}) == 4
    assert version_of(None) == version_of(one._replace(right=None)) == "0"


def test_a_full_disk_is_told_as_such(serve, changed, tmp_path, monkeypatch):
    def full(handle, content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "marks.jsonl"
    with serve(changed(feedback=path)) as client:
        monkeypatch.setattr("std.appended.os.write", full)
        answer = client("/api/feedback", method="POST", body=HIT | {"right": True})
        monkeypatch.undo()
        assert answer.status == 507
        assert "No space left on device" in answer.json["detail"]
        assert client("/api/feedback").json == []
        assert client("/api/feedback", method="POST", body=HIT | {"right": True}).status == 200
    assert [mark.right for mark in read_marks(path)] == [True]


def test_marks_name_who_made_them(serve, changed, tmp_path):
    path = tmp_path / "marks.jsonl"
    with serve(changed(feedback=path, user_header="X-Forwarded-User")) as client:
        who = {"X-Forwarded-User": "ada@example.org"}
        kept = client("/api/feedback", method="POST", body=HIT | {"right": True}, headers=who)
        assert kept.json["author"] == "ada@example.org"
        hit = client("/api/search", term="hahnenfedern").json["hits"][0]
        assert (hit["right"], hit["marked_by"]) == (True, "ada@example.org")
    assert [mark.author for mark in read_marks(path)] == ["ada@example.org"]
    with serve(changed(feedback=path)) as client:  # without the option, nobody names himself
        kept = client("/api/feedback", method="POST", body=HIT | {"right": False}, headers=who)
        assert kept.json["author"] == ""


PLACE = {"recording": "KERSTIN_00", "start": 10.448, "end": 11.388}


def test_notes_are_kept_beside_marks_of_the_same_time(serve, changed, tmp_path):
    path = tmp_path / "marks.jsonl"
    with serve(changed(feedback=path, user_header="X-User")) as client:
        client("/api/feedback", method="POST", body=HIT | {"right": True})
        ada = {"X-User": "ada", "If-Match": '"0"'}
        first = client(
            "/api/feedback", method="POST", body=PLACE | {"note": " who is\nthis? "}, headers=ada
        )
        assert (first.status, first.json["note"], first.json["author"]) == (
            200, "who is\nthis?", "ada",
        )  # fmt: skip
        other = PLACE | {"start": 10.5, "note": "another, inside"}
        assert client("/api/feedback", method="POST", body=other).status == 200
        stale = client("/api/feedback", method="POST", body=PLACE | {"note": "mine"}, headers=ada)
        assert (stale.status, stale.json["note"]) == (412, "who is\nthis?")
        assert "ada wrote here meanwhile" in stale.json["detail"]
        seen = {"X-User": "bob", "If-Match": first.headers["etag"]}
        second = client(
            "/api/feedback", method="POST", body=PLACE | {"note": "Maria"}, headers=seen
        )
        assert second.status == 200
    with serve(changed(feedback=path, user_header="X-User")) as client:
        notes = client("/api/feedback", kind="note", recording="KERSTIN_00").json
        assert sorted((one["note"], one["author"]) for one in notes) == [
            ("Maria", "bob"), ("another, inside", ""),
        ]  # fmt: skip
        assert [one["note"] for one in client("/api/feedback", text="maria").json] == ["Maria"]
        assert [one["term"] for one in client("/api/feedback", kind="mark").json] == [HIT["term"]]
        csv = client("/api/export", format="csv", term="hahnenfedern").body.decode()
        assert "Maria; another, inside" in csv
        page = client("/recordings", text="MARIA").body.decode()
        assert "1 recording with" in page
        assert "/recordings/KERSTIN_00?at=10.448" in page
        assert "another" not in page
        assert "1 recording" in client("/recordings", noted=1).body.decode()
        assert "Maria" in client("/recordings/KERSTIN_00", words=1).body.decode()
        back = client("/api/feedback/undo", method="POST", body={}, change=second.json["change"])
        assert back.json["note"] == "who is\nthis?"
        assert client("/api/feedback", method="DELETE", body=PLACE).json["note"] == ""
        undone = client("/api/feedback/history", recording="KERSTIN_00").json["changes"]
        assert [(one["note"], one["note_before"]) for one in undone[:3]] == [
            ("", "who is\nthis?"), ("who is\nthis?", "Maria"), ("Maria", "who is\nthis?"),
        ]  # fmt: skip
        assert client("/api/search", term="hahnenfedern").json["marked"]["right"] == 1
    assert [mark.term for mark in read_marks(path)] == [HIT["term"]]


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"note": " "}, 422), ({"note": ""}, 422), ({"note": "x" * 2001}, 422),
        ({"note": 1}, 422), ({"right": True}, 422), ({"term": "burg"}, 422),
        ({"start": 12.0}, 400), ({"recording": "x"}, 404),
    ],
)  # fmt: skip
def test_what_is_no_note_is_refused(client, change, status):
    before = client("/api/feedback").json
    answer = client("/api/feedback", method="POST", body=PLACE | {"note": "x"} | change)
    assert answer.status == status
    assert client("/api/feedback").json == before


def test_notes_beside_a_time_are_not_in_it(tmp_path):
    marks = marks_in(tmp_path / "marks.jsonl")
    for start_s, end_s in ((0, 1), (1, 2), (1.5, 1.5), (2, 2), (2, 3), (0, 3)):
        marks.put(hit("", start_s, end_s), None, note=f"{start_s} {end_s}")
    inside = [mark.note for mark in marks.notes(WHERE, 1000, 2000)]
    marks.close()
    assert inside == ["0 3", "1 2", "1.5 1.5", "2 2"]
