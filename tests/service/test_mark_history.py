"""Changes of marks: undone in their order, told with who and when, refused to a stale tab."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.marks import change_id, version_of
from service.problems import ProblemError
from std.marks import Mark, read_marks
from tests.service.test_marks import HIT, WHERE, hit, marks_in

ACTIONS = st.tuples(
    st.sampled_from(["ann", "ben", ""]),
    st.sampled_from(["burg", "Burg", "tal"]),
    st.sampled_from([1.0, 1.2, 5.0]),
    st.sampled_from([True, False, None, "undo", "undo mine"]),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(ACTIONS, max_size=25), st.booleans())
def test_changes_are_taken_back_in_their_order(actions, reopens):
    """Against a stack for each hit: changes are pushed, and undone from its top only."""
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
    assert re.search(
        r"marked wrong meanwhile \(\d{4}-\d\d-\d\d \d\d:\d\d UTC\)", stale.json["detail"]
    )
    undone = client("/api/feedback/undo", method="POST", change=first.json["change"])
    assert undone.status == 412  # it names the hit, so that a page can show its present mark
    assert (undone.json["recording_id"], undone.json["start"]) == (place["recording"], 70.0)
    assert (undone.json["right"], undone.json["version"]) == (False, second.json["version"])
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


def test_marks_name_who_made_them(serve, changed, tmp_path):
    path = tmp_path / "marks.jsonl"
    with serve(changed(feedback=path, user_header="X-Forwarded-User")) as client:
        who = {"X-Forwarded-User": "ada@example.org"}
        kept = client("/api/feedback", method="POST", body=HIT | {"right": True}, headers=who)
        assert kept.json["author"] == "ada@example.org"
        hit = client("/api/search", term="hahnenfedern").json["hits"][0]
        assert (hit["right"], hit["marked_by"]) == (True, "ada@example.org")
        for encoding in ("utf-8", "latin-1"):  # of the proxy
            name = {"X-Forwarded-User": "Jürgen".encode(encoding).decode("latin-1")}
            assert client("/api/me", headers=name).json["name"] == "Jürgen"
    assert [mark.author for mark in read_marks(path)] == ["ada@example.org"]
    with serve(changed(feedback=path)) as client:  # without the option, nobody names himself
        kept = client("/api/feedback", method="POST", body=HIT | {"right": False}, headers=who)
        assert kept.json["author"] == ""
