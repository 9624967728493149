"""Tables for a person, on wide and narrow terminals."""

import io
import sys
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from std.display.rows import (
    GAP,
    HtmlColumn,
    HtmlTable,
    PrintedColumn,
    folded,
    laid_out,
    templates,
    width_of,
)
from std.terminal import bold, coloured, has_colours, is_terminal

ROWS = [
    ("hahnenfedern", "KERSTIN_00", "0:10.4", "sieben schwarze hahn federn gesteckt"),
    ("haus", "KERSTIN_11", "0:32.1", ""),
]


def shown(width, rows=ROWS, context=9):
    columns = [
        PrintedColumn("term"),
        PrintedColumn("file", is_whole=True),
        PrintedColumn("time", is_right=True, is_whole=True),
        PrintedColumn("context", least=context),
    ]
    return [*laid_out(columns, rows, width)]


def test_a_wide_terminal_gets_a_row_a_line():
    assert shown(80) == [
        "term          file          time  context",
        "hahnenfedern  KERSTIN_00  0:10.4  sieben schwarze hahn federn gesteckt",
        "haus          KERSTIN_11  0:32.1",
    ]


def test_a_telephone_gets_a_cell_a_line():
    assert shown(39) == [
        "term     hahnenfedern",
        "file     KERSTIN_00",
        "time     0:10.4",
        "context  sieben schwarze hahn federn",
        "         gesteckt",
        "",
        "term     haus",
        "file     KERSTIN_11",
        "time     0:32.1",
    ]


@pytest.mark.parametrize(("width", "first"), [(40, "term"), (39, "term     hahnenfedern")])
def test_the_border_is_where_a_wrapped_column_would_have_less_than_nine_letters(width, first):
    # 9 letters of the term, 10 of the file, 6 of the time, 9 of the context, 3 gaps of 2
    assert shown(width)[0].startswith(first)
    assert (shown(width)[0].split()[1:] == ["file", "time", "context"]) == (width == 40)


def test_no_rows_are_a_header_on_any_terminal():
    assert shown(10, rows=[])


def test_a_column_of_texts_keeps_letters_to_read():
    assert shown(52)[0].split() == ["term", "file", "time", "context"]
    assert shown(52, context=24)[0] == "term     hahnenfedern"
    assert shown(80, context=24) == shown(80)


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("text", "width"), [
    ("burg", 4), ("Größe", 5), ("Gro\u0308ße", 5), ("東京", 4), ("한글", 4),
    ("\u1112\u1161\u11ab", 2),
    ("नमस्ते", 4), ("\x1b[1mburg\x1b[0m", 4),
])  # fmt: skip
def test_the_width_of_a_text(text, width):
    """Widths as wcwidth.wcswidth gives them."""
    assert width_of(text) == width


WORDS = st.text(st.sampled_from("ab東ö \u0308"), max_size=60)


@given(text=WORDS, width=st.integers(2, 12))
def test_a_fold_loses_no_letter_and_fits(text, width):
    lines = folded(text, width)
    assert max(map(width_of, lines)) <= width
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_bold_words_fold_as_others_do(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    lines = folded(f"ein {bold('hahn federnschmuck')} da", 8)
    assert lines == [
        "ein \x1b[1mhahn\x1b[0m", "\x1b[1mfedernsc\x1b[0m", "\x1b[1mhmuck\x1b[0m da",
    ]  # fmt: skip


@given(
    rows=st.lists(st.tuples(WORDS, WORDS, WORDS), max_size=3),
    width=st.integers(30, 90),
    whole=st.booleans(),
)
def test_a_table_fits_if_its_least_widths_do(rows, width, whole):
    columns = [
        PrintedColumn("a", is_whole=whole),
        PrintedColumn("bb", is_right=True),
        PrintedColumn("c", least=5),
    ]
    longest = [max((width_of(row[n]) for row in rows), default=0) for n in range(3)]
    least = [max(longest[0], 1) if whole else min(9, longest[0]), min(9, longest[1]), 5]
    lines = [*laid_out(columns, rows, width)]
    if sum(least) + 2 * GAP <= width:
        assert max(map(width_of, lines)) <= width
        assert lines[0].split() == ["a", "bb", "c"]


@pytest.mark.parametrize("environment", [
    dict(zip(("NO_COLOR", "FORCE_COLOR", "TERM"), values, strict=True))
    for values in product((None, "", "1"), (None, "", "1"), (None, "dumb", "xterm"))
], ids=str)  # fmt: skip
@pytest.mark.parametrize("stream", [Terminal(), io.StringIO()], ids=["terminal", "file"])
def test_the_rule(environment, stream, monkeypatch):
    for name, value in environment.items():
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)
    expected = stream.isatty() and environment["TERM"] != "dumb"
    if environment["FORCE_COLOR"] == "1":
        expected = True
    if environment["NO_COLOR"] == "1":
        expected = False
    assert has_colours(stream) == expected
    assert ("\x1b[" in coloured("text", "red", stream)) == expected


@pytest.mark.skipif(sys.version_info < (3, 14), reason="Python tells of a stream since 3.14")
@pytest.mark.parametrize("name", ["NO_COLOR", "FORCE_COLOR"])
def test_python_has_the_same_rule(name, monkeypatch):
    import _colorize

    for each in ("NO_COLOR", "FORCE_COLOR", "PYTHON_COLORS"):
        monkeypatch.delenv(each, raising=False)
    monkeypatch.setenv(name, "1")
    with open("/dev/null") as stream:  # noqa: PTH123
        assert _colorize.can_colorize(file=stream) == has_colours(stream)


def test_a_closed_stream_is_no_terminal():
    stream = io.StringIO()
    stream.close()
    assert not is_terminal(stream)
    assert not is_terminal(None)
    assert coloured("", "red", Terminal()) == ""
    assert coloured("x", None, Terminal()) == "x"


def written(one):
    page = templates("std.display").from_string(
        '{% from "table.html" import table %}{{ table(one) }}'
    )
    return page.render(one=one)


def test_a_table_escapes_its_texts_and_keeps_markup():
    columns = [
        HtmlColumn("<name>"),
        HtmlColumn("why", is_text=True),
        HtmlColumn(Markup("P<sub>fa</sub>")),
    ]
    page = written(HtmlTable('"x" & <y>', columns, [["<script>", "a > b", 7]], "compact"))
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "<sub>fa</sub>" in page
    assert 'aria-label="&#34;x&#34; &amp; &lt;y&gt;"' in page
    assert '<table class="compact">' in page
    assert '<td class="text" dir="auto">a &gt; b</td><td>7</td>' in page


def test_rows_may_be_made_as_they_are_written_and_the_last_be_a_sum():
    page = written(HtmlTable("t", [HtmlColumn("n")], ([n] for n in range(3)), has_total=True))
    assert page.count("<tr>") == 3
    assert page.count('<tr class="total">') == 1
