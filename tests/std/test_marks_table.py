"""Marks that a person wrote beside hits in a spreadsheet."""

import io
import re

import pytest

from std.errors import InputError
from std.marks import read_marks
from std.values import Recording

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
