"""One contract for every kind of store: what is written in one way is read in one way."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from std.errors import StoreError
from std.store import open_store, vocabulary_counts
from tests.std.store.contract.columns import PLAIN, assert_reads_as, commit, random_columns


def test_empty(opened):
    store = opened()
    assert store.segments() == ()
    assert store.normalisation() is None
    assert vocabulary_counts(store.segments()) == {}


def test_what_is_committed_is_read(opened):
    columns = random_columns(1)
    commit(opened(), columns)
    store = opened(create=False)
    assert store.normalisation() == PLAIN
    (segment,) = store.segments()
    assert_reads_as(segment, columns)
    assert segment.extra("phones") is None


@pytest.mark.parametrize(
    "shape",
    [
        {"files": 0},
        {"words": 1, "postings": 1, "slots": 1},
        {"postings": 0},
        {"words": 400, "postings": 9000, "slots": 3000},
    ],
    ids=["nothing", "one posting", "no postings", "frequent words"],
)
def test_sizes(opened, shape):
    columns = random_columns(5, **shape)
    commit(opened(), columns)
    (segment,) = opened().segments()
    assert_reads_as(segment, columns)


@settings(
    deadline=None,
    max_examples=8,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    seeds=st.lists(st.integers(0, 9), max_size=3, unique=True),
    words=st.integers(1, 40),
    postings=st.integers(0, 300),
    dead=st.sets(st.integers(0, 1)),
)
def test_any_segments(opened, seeds, words, postings, dead):
    parts = [random_columns(seed, words=words, postings=postings) for seed in seeds]
    store = opened()
    with store.writing():
        old = [one.id for one in store.segments()]
        store.commit(parts, normalisation=PLAIN, replace=old)
        gone = {f"{seed}-{i}" for seed in seeds[:1] for i in dead}
        store.commit(normalisation=PLAIN, delete_files=gone)
    deleted = [frozenset(dead) if i == 0 else frozenset() for i in range(len(parts))]
    expected = [(p, d) for p, d in zip(parts, deleted, strict=True) if len(d) < 2]
    segments = opened().segments()
    assert len(segments) == len(expected)
    for segment, (columns, dead_rows) in zip(segments, expected, strict=True):
        assert_reads_as(segment, columns, dead_rows)


def test_recordings_that_a_reader_leaves_out_are_read_as_deleted_ones(opened):
    columns = random_columns(3, files=3)
    commit(opened(), columns)
    commit(opened(), delete_files={"3-0"})
    (segment,) = opened().segments()
    left = segment.without([2])
    assert_reads_as(left, columns, frozenset({0, 2}))
    assert_reads_as(pickle.loads(pickle.dumps(left)), columns, frozenset({0, 2}))
    assert segment.deleted == {0}


def test_extra_columns(opened):
    extra = {
        "phones": np.arange(12, dtype="<i8").reshape(3, 4),
        "flags": np.array([True, False]),
        "none": np.empty((0, 3), "<f8"),
    }
    columns = replace(random_columns(2), extra=extra)
    commit(opened(), columns)
    (segment,) = opened().segments()
    for name, column in extra.items():
        got = segment.extra(name)
        assert got is not None
        np.testing.assert_array_equal(got, column, strict=True)
    assert segment.columns().digest() == columns.digest()


def test_some_rows_of_extra_columns(opened):
    extra = {
        "signs": np.arange(200_000, dtype="<u8"),  # several documents of a database
        "matrix": np.arange(300_000, dtype="<i4").reshape(-1, 3),
    }
    commit(opened(), replace(random_columns(2), extra=extra))
    (segment,) = opened().segments()
    rows = {
        "signs": np.array([199_999, 3, 65_536, 3, 65_535]),
        "matrix": np.array([99_999, 43_690]),
    }
    for _ in range(2):  # the second time from a cache, or from the whole column
        for name, column in extra.items():
            got = segment.extra_rows(name, rows[name])
            np.testing.assert_array_equal(got, column[rows[name]], strict=True)
            none = segment.extra_rows(name, np.empty(0, np.int64))
            np.testing.assert_array_equal(none, column[:0], strict=True)
            for outside in (len(column), -1):
                with pytest.raises(StoreError, match=f"{name} has no such rows"):
                    segment.extra_rows(name, np.array([0, outside]))
        segment.extra("signs")
    assert segment.extra_rows("others", rows["signs"]) is None


def test_the_counts_of_all_segments(opened):
    store = opened()
    commit(store, random_columns(1), random_columns(2))
    counts = vocabulary_counts(store.segments())
    assert list(counts) == sorted(counts)
    assert sum(counts.values()) == 400


def test_memory_without_a_name_is_new_each_time():
    commit(open_store("memory:"), random_columns(1))
    assert open_store("memory:").segments() == ()
