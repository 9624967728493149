"""One contract for every kind of store: commits, writers, deletions, metadata."""

from dataclasses import replace

import pytest

from indexer.segments.merge import merged
from std.errors import StoreBusyError, StoreError
from std.metadata.table import NO_METADATA, of_rows
from std.store import Store
from std.text import Normalisation
from tests.std.store.contract.columns import PLAIN, assert_reads_as, commit, random_columns


def test_the_revision_changes_with_each_commit_and_by_nothing_else(opened):
    writer = opened()
    commit(writer, random_columns(1))
    reader = opened(create=False)
    first = reader.revision()
    reader.segments()
    assert reader.revision() == first
    before = reader.round_trips
    reader.revision()
    assert reader.round_trips <= before + 1
    commit(writer, random_columns(2))
    second = reader.revision()
    assert second != first
    assert opened(create=False).revision() == second


def test_cleaning_up_changes_nothing_that_is_read(opened):
    store = opened()
    assert store.clean_up() == 0
    first, second = random_columns(1), random_columns(2)
    commit(store, first)
    with store.writing():
        store.commit([second], normalisation=PLAIN, replace=[store.segments()[0].id])
        with pytest.raises(StoreBusyError):
            opened().clean_up()
    assert store.clean_up() in (0, 1)
    assert store.clean_up() == 0
    (segment,) = opened().segments()
    assert_reads_as(segment, second)
    assert list(store.damage()) == []


def test_a_snapshot_outlives_what_a_writer_does(opened):
    first, second = random_columns(1), random_columns(2)
    commit(opened(), first)
    (snapshot,) = opened().segments()
    store = opened()
    commit(store, second, replace=[snapshot.id])
    assert_reads_as(snapshot, first)
    assert [one.id for one in store.segments()] == [second.digest()[:32]]
    assert_reads_as(store.segments()[0], second)


def test_a_commit_is_seen_at_once_and_whole(opened):
    reader, writer = opened(), opened()
    with writer.writing():
        writer.commit([random_columns(1), random_columns(2)], normalisation=PLAIN)
        assert len(reader.segments()) == 2
        writer.commit([random_columns(3)], normalisation=PLAIN)
        assert len(reader.segments()) == 3


def test_the_same_speech_twice_is_the_same_index(opened):
    columns = random_columns(1)
    for _ in range(2):
        commit(opened(), columns, delete_files={"1-0", "1-1"})
    commit(opened(), columns, columns)
    (segment,) = opened().segments()
    assert_reads_as(segment, columns)


def test_deleting_files(opened):
    store = opened()
    commit(store, random_columns(1), random_columns(2))
    commit(store, delete_files={"1-0"})
    one, other = store.segments()
    assert (one.deleted, other.deleted) == ({0}, set())
    assert_reads_as(one, random_columns(1), frozenset({0}))
    commit(store, delete_files={"1-1"})
    (other,) = store.segments()
    assert_reads_as(other, random_columns(2))


def test_an_added_segment_is_not_touched_by_its_own_deletions(opened):
    store = opened()
    commit(store, random_columns(1))
    anew = random_columns(11)
    anew = replace(anew, recordings=random_columns(1).recordings)
    commit(store, anew, delete_files={"1-0", "1-1"})
    (segment,) = store.segments()
    assert_reads_as(segment, anew)


def test_another_normalisation_is_refused(opened):
    store = opened()
    commit(store, random_columns(1))
    with (
        pytest.raises(StoreError, match=r"expected text\.case = 'lower'.*got 'keep'"),
        store.writing(),
    ):
        store.commit([random_columns(2)], normalisation=Normalisation(case="keep"))
    assert len(store.segments()) == 1


def test_one_writer_at_a_time(opened):
    one, other = opened(), opened()
    with one.writing(), pytest.raises(StoreBusyError, match="writing"), other.writing():
        pytest.fail("two writers")
    with other.writing(), pytest.raises(StoreBusyError, match="writing"), other.writing():
        pytest.fail("the same writer twice")
    with one.writing():
        one.commit([random_columns(1)], normalisation=PLAIN)


def test_the_right_to_write_ends_with_an_error(opened):
    store = opened()
    with pytest.raises(ZeroDivisionError), store.writing():
        1 / 0  # noqa: B018
    commit(store, random_columns(1))
    assert len(store.segments()) == 1


def test_metadata_belong_to_recordings(opened):
    store = opened()
    assert store.metadata() == NO_METADATA
    first, second = random_columns(1), random_columns(2)
    rows = {"1-0": {"title": "ä", "date": "2024"}, "1-1": {"title": "b"}, "9-9": {"title": "no"}}
    commit(store, first, metadata=of_rows(rows))
    assert rows_of(opened(create=False)) == {file: rows[file] for file in ("1-0", "1-1")}
    commit(store, second, metadata=of_rows({"1-0": {"speaker": "c"}, "2-1": {"title": "d"}}))
    expected = {"1-0": {"speaker": "c"}, "1-1": {"title": "b"}, "2-1": {"title": "d"}}
    assert rows_of(opened(create=False)) == expected
    commit(store, first, delete_files=["1-0", "1-1"])  # indexed again
    assert rows_of(opened(create=False)) == expected
    commit(store, metadata=of_rows({"2-1": {}}), delete_files=["1-1"])
    assert rows_of(opened(create=False)) == {"1-0": {"speaker": "c"}}
    commit(store, delete_files=["1-0"])
    assert opened(create=False).metadata() == NO_METADATA
    assert list(store.damage()) == []


def test_metadata_survive_merging(opened):
    store = opened()
    rows = {f"{seed}-{i}": {"title": f"{seed} {i}"} for seed in (1, 2) for i in (0, 1)}
    commit(store, random_columns(1), random_columns(2), metadata=of_rows(rows))
    with store.writing():
        segments = store.segments()
        store.commit([merged(segments)], normalisation=PLAIN, replace=[one.id for one in segments])
    assert len(opened(create=False).segments()) == 1
    assert rows_of(opened(create=False)) == rows


def rows_of(store: Store) -> dict[str, dict[str, str]]:
    store.segments()
    metadata = store.metadata()
    return {file: metadata.values(file) for file in metadata.files}
