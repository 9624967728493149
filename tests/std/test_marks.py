"""Marks of people: read back as written, the last one counts, nothing else is taken for one."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from std.errors import InputError
from std.marks import Mark, dump, latest, parse, read_marks
from std.values import Recording

TIME = "2026-11-22T09:30:00Z"
LINE = {
    "term": "burg", "recording": "a", "channel": 1, "start": 1.5, "end": 2.0, "right": True,
    "time": TIME,
}  # fmt: skip

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
marks = st.builds(
    Mark,
    text,
    st.builds(Recording, text, st.integers(0, 9999)),
    st.integers(0, 10**6).map(lambda ms: ms / 1000),
    st.integers(10**6, 10**8).map(lambda ms: ms / 1000),
    st.sampled_from([True, False, None]),
    st.just(TIME),
)


@given(st.lists(marks, max_size=8))
def test_marks_come_back_as_written(written):
    stream = io.BytesIO(b"".join(map(dump, written)))
    assert list(parse(stream, "marks.jsonl")) == written


def test_the_last_mark_about_a_hit_counts(tmp_path):
    path = tmp_path / "marks.jsonl"
    lines = [
        LINE, LINE | {"term": "tal"}, LINE | {"right": False}, LINE | {"start": 7, "end": 8},
        LINE | {"term": "tal", "right": None},
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + "\n" + '{"term": "bu')
    assert [(mark.term, mark.start_s, mark.right) for mark in read_marks(path)] == [
        ("burg", 1.5, False),
        ("burg", 7.0, True),
    ]
    assert latest([]) == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("{", "a JSON object"),
        ("[]", "a JSON object"),
        (json.dumps(LINE | {"right": 1}), "true, false or null at right"),
        (json.dumps(LINE | {"term": None}), "text at term"),
        (json.dumps(LINE | {"end": 1.0}), "a time not before the start at end"),
        (json.dumps(LINE | {"start": -1}), "a number from 0"),
        (json.dumps(LINE | {"time": "yesterday"}), "a time as 2026-11-22T09:30:00Z at time"),
        (json.dumps(LINE | {"channel": 1.5}), "a whole number"),
        ('{"term": "a", "term": "b"}', "a JSON object"),
    ],
)
def test_a_line_that_is_no_mark(line, expected, tmp_path):
    path = tmp_path / "marks.jsonl"
    path.write_text(json.dumps(LINE) + "\n" + line + "\n")
    with pytest.raises(InputError, match=f"marks.jsonl:2: expected {expected}"):
        read_marks(path)
