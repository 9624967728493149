"""Tables for a person, on wide and narrow terminals."""

import pytest
from rich.console import Console
from rich.table import Table

from std.display.tables import print_fitting

ROWS = [
    ("hahnenfedern", "KERSTIN_00", "0:10.4", "sieben schwarze [bold]hahn federn[/bold] gesteckt"),
    ("haus", "KERSTIN_11", "0:32.1", ""),
]


def shown(width, rows=ROWS, **least):
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("term", "file", "time", "context"):
        table.add_column(name, no_wrap=name in ("file", "time"), overflow="fold")
    for row in rows:
        table.add_row(*row)
    out = Console(width=width, color_system=None)
    with out.capture() as captured:
        print_fitting(out, table, least)
    return [line.rstrip() for line in captured.get().splitlines()]


def test_a_wide_terminal_gets_a_row_a_line():
    assert shown(80) == [
        "term          file        time    context",
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
