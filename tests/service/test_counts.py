"""Counts of a list of terms: the same hits as searches of it, by year and recording."""

import csv
import io
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest

from std.nist import term_file

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is missing: no workbook is read")

TERMS = ["spreewald", "und", "quetzalcoatl"]


def workbook():
    book, content = openpyxl.Workbook(), io.BytesIO()
    book.active.append(["Name", "Partei"])
    for term in TERMS:
        book.active.append([term, "x"])
    book.save(content)
    return content.getvalue()


@pytest.mark.parametrize(
    ("name", "body", "column"),
    [
        ("list", "\n".join(TERMS).encode(), ""),
        (
            "names.csv",
            b"Name;Partei\n" + b"".join(b"%s;x\n" % one.encode() for one in TERMS),
            "column Name",
        ),
        ("names.xlsx", workbook(), "column Name"),
    ],
    ids=["lines", "table", "workbook"],
)
def test_the_counts_are_those_of_the_hits(client, name, body, column):
    kind = {"Content-Type": "application/octet-stream"}
    found = client("/api/counts", method="POST", body=body, headers=kind, name=name).json
    assert column in found["column"]
    assert [one["term"] for one in found["terms"]] == TERMS
    searched = client(
        "/api/searches", method="POST", body={"terms": TERMS, "min_probability": 0.5}
    ).json
    for one in found["terms"]:
        hits = [hit for hit in searched["hits"] if hit["term"] == one["term"]]
        assert one["hits"] == len(hits) == sum(one["by_recording"].values())
        assert one["hits"] == sum(one["by_year"].values())
        assert one["recordings"] == len({hit["recording_id"] for hit in hits})
        assert one["expected_right"] == pytest.approx(sum(hit["probability"] for hit in hits))
        dated = [hit["metadata"].get("date", "")[:4] or "undated" for hit in hits]
        assert one["by_year"] == {year: dated.count(year) for year in sorted({*dated})}


def test_a_table_of_counts(client):
    headers = {"Content-Type": "text/plain", "Accept": "text/csv"}
    answer = client("/api/counts", method="POST", body=b"und\n=cmd\n", headers=headers)
    rows = list(csv.reader(io.StringIO(answer.body.decode())))
    assert rows[0] == ["term", "hits", "expected_right", "recordings", "2019", "undated"]
    assert rows[2][0] == "'=cmd"


@pytest.mark.parametrize("body", [b"", b"\x00\x01", b"a,b\n1,2\n3,4\n", b"...\n"])
def test_what_is_no_list_is_refused(client, body):
    answer = client("/api/counts", method="POST", body=body, headers={"Content-Type": "text/plain"})
    assert answer.status == 400
    assert answer.headers["content-type"] == "application/problem+json"


def test_hits_over_dates(client):
    found = client("/api/search", term="und").json
    assert [one["period"] for one in found["by_date"]] == ["2019-03", "2019-04"]
    dated = sum(one["count"] for one in found["facets"]["date"] if one["value"])
    assert sum(one["hits"] for one in found["by_date"]) == dated
    one = found["by_date"][1]
    part = client("/api/search", term="und", where=f"date:{one['period']}..{one['period']}").json
    assert part["total"] == one["hits"]


def test_a_workbook_that_grows_is_refused(client):
    content = io.BytesIO(workbook())
    with zipfile.ZipFile(content, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as parts:
        parts.writestr("xl/worksheets/sheet9.xml", b" " * 16_000_001)
    answer = client("/api/counts", method="POST", body=content.getvalue(), name="a.xlsx")
    assert len(content.getvalue()) < 200_000
    assert (answer.status, "at most 16000000 bytes" in answer.json["detail"]) == (413, True)
    answer = client("/api/counts", method="POST", body=b"a" * 201)
    assert (answer.status, "at most 200 letters, got 201" in answer.json["detail"]) == (400, True)


def test_others_are_answered_while_a_list_is_read(client, monkeypatch):
    is_answered, parse = threading.Event(), term_file.parse

    def slow(*given, **named):
        assert is_answered.wait(30)
        return parse(*given, **named)

    monkeypatch.setattr(term_file, "parse", slow)
    with ThreadPoolExecutor(1) as other:
        counted = other.submit(client, "/api/counts", method="POST", body=b"und\n")
        assert client("/api/recordings").status == 200
        is_answered.set()
        assert counted.result().json["terms"][0]["term"] == "und"
