"""Marks through the API: kept over a restart, and none lost that was acknowledged."""

import errno
import json
import os
import signal
import subprocess
import sys
import urllib.request

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.marks import MarkedHit, MarkFile
from std.appended import AppendedFile
from std.errors import InputError
from std.marks import read_marks
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
        *(({"term": one}, 400) for one in (" ", '""', "...")),
        *(({"term": one}, 422) for one in ("a\0b", "\u202ea")),
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
