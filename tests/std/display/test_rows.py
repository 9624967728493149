"""Rows in every form, each read back by an independent reader."""

import csv
import io
import json
from argparse import ArgumentParser
from html.parser import HTMLParser

import pytest

from std.display.rows import DRAWN, FORMATS, Rows, form_of, print_rows
from std.options import add_row_options

ROWS = Rows(
    header=("name", "value", "note"),
    cells=[("a|b", 1.5, "x\ty"), ("=1+1", None, "<b>&"), ("007", 3, "line\nbreak")],
    documents=[{"name": "a|b", "value": 1.5}, {"name": "=1+1", "value": None}, {"n": "\x1b"}],
)
SHOWN = [["a|b", "1.5", "x\\ty"], ["=1+1", "", "<b>&"], ["007", "3", "line\\nbreak"]]


def printed(form, capsys, rows=ROWS, **more):
    print_rows(rows, form, **more)
    return capsys.readouterr().out


def test_lines(capsys):
    lines = [line.split("\t") for line in printed("lines", capsys).splitlines()]
    assert lines == [["name", "value", "note"], *SHOWN]
    lines = [line.split("\t") for line in printed("lines", capsys, header=False).splitlines()]
    assert lines == SHOWN


def test_csv(capsys):
    read = list(csv.reader(io.StringIO(printed("csv", capsys), newline="")))
    assert read[0] == ["name", "value", "note"]
    assert read[1:] == [["a|b", "1.5", "x\ty"], ["'=1+1", "", "<b>&"], ["007", "3", "line\nbreak"]]


def test_json_lines(capsys):
    out = printed("nl", capsys)
    assert [json.loads(line) for line in out.splitlines()] == ROWS.documents
    assert "\x1b" not in out


def test_a_table_without_rows_has_its_columns_in_latex(capsys):
    rows = Rows(("a", "b"), [], [])
    assert printed("latex", capsys, rows).startswith("\\begin{tabular}{ll}\n")


def test_markdown(capsys):
    from markdown_it import MarkdownIt

    out = printed("github", capsys)
    assert out == printed("markdown", capsys)
    html = MarkdownIt("commonmark").enable("table").render(out)
    table = Table()
    table.feed(html)
    assert table.rows[0] == ["name", "value", "note"]
    assert table.rows[1:] == SHOWN
    hostile = ["*x* _y_ a_b", "[x](javascript:1)", "`x` \\| <img src=x>", "&amp; _a", "__init__"]
    table = Table()
    rows = Rows(("a",), [(text,) for text in hostile], [])
    source = printed("github", capsys, rows)
    table.feed(MarkdownIt("commonmark").enable("table").render(source))
    assert [row[0] for row in table.rows[1:]] == hostile
    assert "a_b" in source


class Table(HTMLParser):
    def __init__(self):
        super().__init__()
        self.rows, self.inside = [], False

    def handle_starttag(self, tag, attributes):
        assert tag in ("table", "thead", "tbody", "tr", "th", "td"), tag
        if tag == "tr":
            self.rows.append([])
        self.inside = tag in ("th", "td")
        if self.inside:
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.rows[-1][-1] += data.strip()


def test_html(capsys):
    table = Table()
    table.feed(printed("html", capsys))
    assert table.rows == [["name", "value", "note"], *SHOWN]


@pytest.mark.parametrize("form", sorted(DRAWN))
def test_numbers_and_zeros_stay_as_they_are(form, capsys):
    out = printed(form, capsys)
    assert "007" in out
    assert "1.5" in out
    assert "\x1b" not in out


def test_brief_rows_are_for_people(capsys):
    rows = Rows(("a", "b"), [(1, 2)], [], brief_header=("a",), brief=[(1,)])
    assert printed("lines", capsys, rows) == "a\n1\n"
    assert printed("csv", capsys, rows) == "a,b\n1,2\n"


def parsed(*arguments):
    parser = ArgumentParser()
    add_row_options(parser, "rows")
    return parser.parse_args(arguments)


@pytest.mark.parametrize("form", ["json", "nl", "csv"])
def test_the_form_that_is_asked_for(form):
    assert form_of(parsed(f"--{form}"), "lines") == form


def test_the_form_without_an_option(monkeypatch):
    assert form_of(parsed(), "lines") == "lines"
    assert [form_of(parsed("--fmt", one), "lines") for one in FORMATS] == [*FORMATS]
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert form_of(parsed(), "lines") == "table"


def test_one_form_only(capsys):
    with pytest.raises(SystemExit):
        parsed("--csv", "--json")
    assert "not allowed with argument" in capsys.readouterr().err
