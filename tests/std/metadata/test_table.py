"""The table of metadata against dictionaries."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from std.errors import StoreError
from std.metadata.table import (
    NO_METADATA,
    column_of,
    fitting,
    from_json,
    of_rows,
    reconciled,
    to_json,
    updated,
)

NAMES = st.sampled_from(["date", "speaker", "title"])
VALUES = st.sampled_from(["", "Ada", "Bob", "2024", "ä\n"])
FILES = st.sampled_from(list("abcdef"))
ROWS = st.dictionaries(FILES, st.dictionaries(NAMES, VALUES))
CHANGES = st.lists(st.tuples(ROWS, st.sets(FILES)), max_size=4)


def plain(rows):
    """Rows without empty values and without empty rows."""
    kept = {file: {k: v for k, v in values.items() if v} for file, values in rows.items()}
    return {file: values for file, values in kept.items() if values}


def as_rows(table):
    return {file: table.values(file) for file in table.files}


def after(changes):
    """A table after changes, each followed by a removal of some files, and its obvious twin."""
    table, rows = NO_METADATA, {}
    for given_rows, gone in changes:
        table = updated(table, of_rows(given_rows))
        table = table.of([file for file in table.files if file not in gone])
        rows = {file: values for file, values in (rows | given_rows).items() if file not in gone}
        rows = plain(rows)
    return table, rows


@given(CHANGES)
def test_updates_are_those_of_a_dictionary(changes):
    table, rows = after(changes)
    assert as_rows(table) == rows
    assert list(table.files) == sorted(rows)
    used = {name for values in rows.values() for name in values}
    assert set(table.columns) == used
    assert list(table.columns) == sorted(used)
    for name, column in table.columns.items():
        assert list(column.values) == sorted({row[name] for row in rows.values() if name in row})


@given(CHANGES)
def test_json_is_read_back(changes):
    table, _ = after(changes)
    again = from_json(to_json(table), "here")
    assert again == table
    assert again.id == table.id
    assert (table.id == "") == (not table)


@given(CHANGES, ROWS)
def test_the_same_content_changes_nothing(changes, rows):
    table, _ = after(changes)
    once = updated(table, of_rows(rows))
    assert updated(once, of_rows(rows)) is once
    assert updated(table, NO_METADATA) is table


def test_each_change_counts():
    table = updated(NO_METADATA, of_rows({"a": {"x": "1"}, "b": {"x": "1"}}))
    table = updated(table, of_rows({"a": {"x": "2"}, "b": {"x": "1"}}))
    assert [table.changes(file) for file in "abc"] == [2, 1, 0]


@given(st.tuples(CHANGES, CHANGES, CHANGES))
def test_reconciling_does_not_depend_on_order(histories):
    a, b, c = (after(changes)[0] for changes in histories)
    assert reconciled(a, b) == reconciled(b, a)
    assert reconciled(a, a) == a
    assert reconciled(reconciled(a, b), c) == reconciled(a, reconciled(b, c))
    both = reconciled(a, b)
    for file in {*a.files, *b.files}:
        sides = [(side.changes(file), sorted(side.values(file).items())) for side in (a, b)]
        assert (both.changes(file), sorted(both.values(file).items())) == max(sides)


@given(CHANGES, st.lists(st.sampled_from(list("abcdefgh"))))
def test_aligned_columns_are_in_the_asked_order(changes, files):
    table, rows = after(changes)
    for name, column in table.aligned(files).items():
        got = [column.of(row) for row in range(len(files))]
        assert got == [rows.get(file, {}).get(name) for file in files]


@given(st.lists(st.none() | VALUES), st.data())
def test_fitting_asks_once_per_value(texts, data):
    column = column_of(texts)
    n = len(column.values) + 1
    fits = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    answer = dict(zip([*column.values, None], fits, strict=True))
    got = fitting(column, np.array(fits, bool)).tolist()
    assert got == [answer[text or None] for text in texts]


GOOD = '{"files":["a","b"],"number":[1,2],"columns":{"x":{"values":["1"],"code":[0,-1]}}}'


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('["a","b"]', '["b","a"]'),
        ('["a","b"]', '["a",2]'),
        ("[1,2]", "[1]"),
        ("[1,2]", "[0,2]"),
        ("[0,-1]", "[1,-1]"),
        ("[0,-1]", "[0,-2]"),
        ("[0,-1]", "[0,true]"),
        ('["1"]', '"1"]'),
        ('"files"', '"file"'),
    ],
)
def test_other_json_is_refused(old, new):
    assert from_json(GOOD, "here").values("a") == {"x": "1"}
    with pytest.raises(StoreError, match="here: expected metadata, got"):
        from_json(GOOD.replace(old, new), "here")
