"""Notes to times of recordings, kept beside the marks."""

import pytest

from std.marks import read_marks
from tests.service.test_marks import HIT, WHERE, hit, marks_in

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
        ({"note": "a\0b"}, 422), ({"note": "\u202e"}, 422),
        ({"note": 1}, 422), ({"right": True}, 422), ({"term": "burg"}, 422),
        ({"start": 12.0}, 400), ({"recording": "x"}, 404),
    ],
)  # fmt: skip
def test_what_is_no_note_is_refused(client, change, status):
    before = client("/api/feedback").json
    answer = client("/api/feedback", method="POST", body=PLACE | {"note": "x"} | change)
    assert answer.status == status
    assert "pattern" not in answer.json["detail"]
    assert client("/api/feedback").json == before


def test_notes_beside_a_time_are_not_in_it(tmp_path):
    marks = marks_in(tmp_path / "marks.jsonl")
    for start_s, end_s in ((0, 1), (1, 2), (1.5, 1.5), (2, 2), (2, 3), (0, 3)):
        marks.put(hit("", start_s, end_s), None, note=f"{start_s} {end_s}")
    inside = [mark.note for mark in marks.notes(WHERE, 1000, 2000)]
    marks.close()
    assert inside == ["0 3", "1 2", "1.5 1.5", "2 2"]
