"""Selections of hits against their slow, obvious twin; terms that may be searched."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from searcher import open_index
from searcher.calibration.model import default_model
from service.recordings import recording_table
from service.searching import TermResult, Wish, is_known, select
from std.metadata.table import NO_METADATA
from std.recordings import IndexRecording
from std.values import Recording

FILES = ("a", "b", "c")
DATES = {"a": "2019", "b": "2019", "c": "2020"}
TABLE = recording_table(
    [
        IndexRecording(Recording(file, 1), 1000, 1, False, (), "", {"date": date})
        for file, date in DATES.items()
    ],
    {},
    NO_METADATA,
)
SNAPSHOT = SimpleNamespace(recordings=TABLE)

# recording (-1 = deleted), start in ms, probability in hundredths
rows = st.lists(st.tuples(st.integers(-1, 2), st.integers(0, 9), st.integers(0, 100)), max_size=12)


def result(term, hits):
    recording, start_ms, hundredths = np.array(hits, np.int64).reshape(-1, 3).T
    found = SimpleNamespace(
        probability=hundredths / 100, candidates=SimpleNamespace(start_ms=start_ms)
    )
    return TermResult(term, found, (), recording)


@given(
    st.lists(rows, min_size=1, max_size=3),
    st.integers(0, 100),
    st.sets(st.sampled_from(FILES)),
    st.sets(st.sampled_from(["2019", "2020", "1066"])),
    st.sampled_from(["probability", "recording", "time"]),
    st.integers(1, 9),
)
def test_a_selection_is_its_obvious_twin(terms, least, files, dates, sort, end):
    facets = {"recording": frozenset(files)} if files else {}
    facets |= {"date": frozenset(dates)} if dates else {}
    wish = Wish(least / 100, facets, sort)
    results = [result(str(i), hits) for i, hits in enumerate(terms)]
    selection, some = select(results, SNAPSHOT, wish), select(results, SNAPSHOT, wish, end)

    def date(recording):
        return DATES[FILES[recording]]

    every = [
        (i, row, *hit)
        for i, hits in enumerate(terms)
        for row, hit in enumerate(hits)
        if hit[0] >= 0
    ]
    of_file = [hit for hit in every if not files or FILES[hit[2]] in files]
    of_date = [hit for hit in every if not dates or date(hit[2]) in dates]
    both = [hit for hit in of_file if hit in of_date]
    keys = {
        "probability": lambda hit: (-hit[4], hit[2], hit[3]),
        "recording": lambda hit: (hit[2], hit[3]),
        "time": lambda hit: (hit[3], hit[2]),
    }
    expected = sorted((hit for hit in both if hit[4] >= least), key=keys[sort])
    found = list(zip(selection.term.tolist(), selection.row.tolist(), strict=True))
    assert found == [hit[:2] for hit in expected]
    assert [*zip(some.term.tolist(), some.row.tolist(), strict=True)] == found[:end]
    assert selection.total == some.total == len(expected)
    assert selection.right == some.right == pytest.approx(sum(hit[4] for hit in expected) / 100)
    for step in range(101):
        kept = [hit[4] for hit in both if hit[4] >= step]
        assert selection.counts[step] == len(kept)
        assert selection.expected_right[step] == pytest.approx(sum(kept) / 100)
    from_half = [hit[4] for hit in both if hit[4] >= 50]
    assert (selection.expected.from_probability, selection.expected.hits) == (0.5, len(from_half))
    assert selection.expected.right == pytest.approx(sum(from_half) / 100)
    below = sum(hit[4] for hit in both if hit[4] < 50) / 100
    assert selection.expected.right_below == pytest.approx(below)
    shown = {one.value: one.hits for one in selection.facets["recording"]}
    for number, file in enumerate(FILES):
        count = sum(hit[2] == number and hit[4] >= least for hit in of_date)
        assert shown.get(file, 0) == count
    for values in selection.facets.values():
        in_order = sorted(values, key=lambda one: (not one.selected, -one.hits, one.value))
        assert [*values] == in_order
    shown = {one.value: (one.hits, one.selected) for one in selection.facets["date"]}
    for value in ("2019", "2020"):
        count = sum(date(hit[2]) == value and hit[4] >= least for hit in of_file)
        assert shown.get(value, (0, False)) == (count, value in dates and value in shown)


def test_with_a_model_no_word_is_looked_up_only(german_index):
    for model in (None, default_model()):
        with open_index(german_index, model=model) as index:
            snapshot = SimpleNamespace(index=index, put_by_people=frozenset())
            assert is_known("und", snapshot) is (model is None)
            assert not is_known("hahnenfedern", snapshot)
