"""Marks of people: read back as written, the last one counts, nothing else is taken for one."""

import io
import json
import re

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

NOTE = {name: LINE[name] for name in ("recording", "channel", "start", "end", "time")} | {
    "note": "x"
}

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
places = (
    st.builds(Recording, text, st.integers(0, 9999)),
    st.integers(0, 10**6).map(lambda ms: ms / 1000),
    st.integers(10**6, 10**8).map(lambda ms: ms / 1000),
)
rights = st.sampled_from([True, False, None])
terms = text.filter(bool)
marks = st.builds(Mark, terms, *places, rights, st.just(TIME), text, text, st.just("")) | st.builds(
    Mark, st.just(""), *places, st.none(), st.just(TIME), text, text, text
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


def test_the_last_note_of_a_time_counts_and_none_is_a_judgement(tmp_path):
    path = tmp_path / "marks.jsonl"
    lines = [
        NOTE, NOTE | {"start": 1.6}, LINE, NOTE | {"note": "y\nz"},
        NOTE | {"start": 1.6, "note": ""},
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with path.open("rb") as stream:
        kept = latest(parse(stream, path))
    assert [(mark.term, mark.right, mark.note) for mark in kept] == [
        ("burg", True, ""),
        ("", None, "y\nz"),
    ]
    assert [mark.term for mark in read_marks(path)] == ["burg"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("{", "a JSON object"),
        ("[]", "a JSON object"),
        (json.dumps(LINE | {"right": 1}), "true, false or null at right"),
        (json.dumps(LINE | {"term": None}), "text at term"),
        (json.dumps(LINE | {"term": ""}), "a term at term"),
        (json.dumps(LINE | {"note": "x"}), "a term or a note, not both at note"),
        (json.dumps(NOTE | {"note": None}), "text at note"),
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


HITS = "termid,term,file,channel,language,start_s,end_s,probability,right\n"


@pytest.mark.parametrize(
    ("encoding", "delimiter"), [("utf-8", ","), ("utf-16", "\t"), ("cp1252", ";")]
)
def test_a_table_of_hits_with_a_column(tmp_path, encoding, delimiter):
    rows = (
        "1,Müller,news_01,1,de,1.000,1.500,0.93,yes\n"
        "1,Müller,news_02,2,de,7.200,7.700,0.81,Nein\n"
        "1,Müller,news_03,1,de,7.200,7.700,0.81,\n"
    )
    path = tmp_path / "marked.csv"
    path.write_bytes((HITS + rows).replace(",", delimiter).encode(encoding))
    assert [(mark.term, mark.recording, mark.start_s, mark.right) for mark in read_marks(path)] == [
        ("Müller", Recording("news_01", 1), 1.0, True),
        ("Müller", Recording("news_02", 2), 7.2, False),
    ]


def test_a_workbook(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["Term", "Recording", "Start", "End", "Richtig"])
    book.active.append(["burg", "a", 1.5, 2, "ja"])
    target = io.BytesIO()
    book.save(target)
    (tmp_path / "marked.xlsx").write_bytes(target.getvalue())
    (mark,) = read_marks(tmp_path / "marked.xlsx")
    assert mark.hit == ("burg", Recording("a", 1), 1500, 2000)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "term,file,start,end\na,b,1,2\n",
            "m.csv:1: expected a column right or mark or richtig, got",
        ),
        ("term,file,start,end,right\na,b,1,2,maybe\n", "m.csv:2: expected yes or no, got 'maybe'"),
        (
            "term,file,start,end,right\na,b,x,2,yes\n",
            "m.csv:2: expected a time in seconds, got 'x'",
        ),
        (
            "term,file,start,end,right\na,b,3,2,yes\n",
            "m.csv:2: expected an end not before the start",
        ),
        (
            "term,file,start,end,right\n,b,1,2,yes\n",
            "m.csv:2: expected a term and a recording, got",
        ),
        ("term,file,channel,start,end,right\na,b,x,1,2,yes\n", "m.csv:2: expected the number of a"),
    ],
)
def test_mistakes(tmp_path, text, message):
    (tmp_path / "m.csv").write_text(text)
    with pytest.raises(InputError, match=re.escape(message)):
        read_marks(tmp_path / "m.csv")
