"""One contract for every kind of store: what is written in one way is read in one way."""

import pickle
import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.segments.merge import merged
from std.errors import StoreBusyError, StoreError
from std.metadata.table import NO_METADATA, of_rows
from std.store import Segment, Store, open_store, vocabulary_counts
from std.store.columns import IndexedRecording, SegmentColumns, first_slots, pack_vocabulary
from std.store.resident import ResidentSegment
from std.text import Normalisation
from std.values import Recording

PLAIN = Normalisation()
KINDS = ["memory", "folder", pytest.param("couchdb", marks=pytest.mark.couchdb), "cluster"]

Open = Callable[..., Store]


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where no store is yet."""
    if request.param == "memory":
        return f"memory:{uuid.uuid4().hex}"
    if request.param == "folder":
        return str(tmp_path / "an index")
    if request.param == "couchdb":
        return str(request.getfixturevalue("couchdb_url"))
    cluster = request.getfixturevalue("couchdb_cluster")
    cluster.kill(2)  # the balancer asks the other two in turn
    return f"couchdb://127.0.0.1:{cluster.ports[3]}/index"


@pytest.fixture
def opened(url):
    """Open the store; all that were opened are closed after the test."""
    stores = []

    def open_one(*, create: bool = True) -> Store:
        stores.append(open_store(url, create=create))
        return stores[-1]

    yield open_one
    for one in stores:
        one.close()


def random_columns(
    seed: int, files: int = 2, words: int = 30, postings: int = 200, slots: int = 80
) -> SegmentColumns:
    """A segment without sense but of the right form; few words have most of the postings."""
    rng = np.random.default_rng(seed)
    if files * words * slots == 0:
        words = postings = slots = 0
    vocabulary = sorted({f"w{n}äß𝄞"[: rng.integers(2, 7)] for n in range(words)})
    word = np.sort(rng.zipf(1.5, postings) % max(1, len(vocabulary)))
    slot_key = rng.integers(0, max(1, files), slots).astype(np.uint64) << np.uint64(32)
    slot_key = np.sort(slot_key | rng.integers(0, 10**7, slots).astype(np.uint64))
    slot = rng.integers(0, max(1, slots), postings).astype(np.int32)
    start_ms = rng.integers(0, 10**7, postings).astype(np.uint32)
    order = np.lexsort((start_ms, slot_key[slot] >> np.uint64(32), word))
    recordings = tuple(
        IndexedRecording(
            Recording(f"{seed}-{i}", 1 + i % 2), 1000 + i, i, i % 2 == 1, (f"/in/ü {i}.mesh",) * i
        )
        for i in range(files)
    )
    return SegmentColumns(
        recordings,
        pack_vocabulary(vocabulary),
        np.searchsorted(word, np.arange(len(vocabulary) + 1)),
        start_ms[order],
        rng.integers(0, 2**16, postings).astype(np.uint16),
        rng.random(postings, dtype=np.float32),
        slot[order],
        first_slots(slot_key, files),
        slot_key,
        rng.random(slots, dtype=np.float32),
        rng.integers(-1, max(1, len(vocabulary)), slots).astype(np.int32),
    )


def commit(store: Store, *columns: SegmentColumns, **rest) -> None:
    with store.writing():
        store.commit(columns, normalisation=PLAIN, **rest)


def assert_reads_as(segment: Segment, columns: SegmentColumns, deleted=frozenset()) -> None:
    """A segment of any store reads as one whose columns are all at hand."""
    plain = ResidentSegment(columns.digest()[:32], columns, deleted)
    assert segment.id == plain.id
    assert segment.recordings == plain.recordings
    assert segment.deleted == deleted
    assert segment.words() == plain.words()
    np.testing.assert_array_equal(segment.counts(), plain.counts(), strict=True)
    asked = [*plain.words()[::2], "not there", ""]
    got, expected = segment.postings(asked), plain.postings(asked)
    assert got.keys() == expected.keys()
    for word, postings in expected.items():
        for one, other in zip(got[word], postings, strict=True):
            np.testing.assert_array_equal(one, other, strict=True)
    rows = range(len(plain.recordings))
    slots, expected_slots = segment.slots(rows), plain.slots(rows)
    for one, other in zip(slots[:3], expected_slots[:3], strict=True):
        np.testing.assert_array_equal(one, other, strict=True)
    every = np.arange(len(slots.key))
    np.testing.assert_array_equal(slots.positions(every), every)
    assert segment.columns().digest() == columns.digest()


def test_empty(opened):
    store = opened()
    assert store.segments() == ()
    assert store.normalisation() is None
    assert vocabulary_counts(store.segments()) == {}


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


def test_a_sound_index_has_no_damage(opened):
    store = opened()
    assert list(store.damage()) == []
    extra = {"phones": np.arange(5)}
    commit(store, random_columns(1), replace(random_columns(2, files=0), extra=extra))
    commit(store, delete_files={"1-0"})
    assert list(opened().damage()) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"posting_start_ms": "backwards"}, "the postings of each word in order of time"),
        ({"posting_start_ms": "latest"}, "a posting ends after 2**32 ms"),
        ({"slot_key": "backwards"}, "slots in order of time"),
        ({"slot_key": 9 << 32}, "names a recording that does not exist"),
        ({"posting_slot": 10**6}, "a posting names a slot that does not exist"),
        ({"slot_word": 10**6}, "a slot names a word that does not exist"),
    ],
    ids=str,
)
def test_columns_that_a_faulty_writer_committed(opened, change, message):
    """All checksums are right, yet no reader can rely on them."""
    columns = random_columns(1)
    ((name, value),) = change.items()
    column = getattr(columns, name)
    if value == "backwards":
        bad = column[::-1].copy()
    elif value == "latest":
        bad = np.full_like(column, np.iinfo(column.dtype).max)
    else:
        bad = column + column.dtype.type(value)
    store = opened()
    if name == "posting_slot" and store.url.startswith("couchdb"):
        with pytest.raises(IndexError):  # its documents hold keys, which these columns do not have
            commit(store, replace(columns, **{name: bad}))
        return
    commit(store, replace(columns, **{name: bad}))
    assert any(message in line for line in store.damage())


def test_slots_of_a_recording_that_begin_elsewhere(opened):
    columns = random_columns(1)
    moved = columns.slot_offsets.copy()
    moved[1] += 1
    store = opened()
    commit(store, replace(columns, slot_offsets=moved))
    computed = store.url.startswith("couchdb")  # not stored there
    message = "another digest" if computed else "slots of each recording together"
    assert any(message in line for line in store.damage())


def test_words_that_do_not_ascend(opened):
    columns = random_columns(1)
    words = ResidentSegment(None, columns).words()
    store = opened()
    commit(store, replace(columns, vocabulary=pack_vocabulary(words[::-1])))
    assert any("words in ascending order" in line for line in store.damage())


def test_the_counts_of_all_segments(opened):
    store = opened()
    commit(store, random_columns(1), random_columns(2))
    counts = vocabulary_counts(store.segments())
    assert list(counts) == sorted(counts)
    assert sum(counts.values()) == 400


@pytest.mark.parametrize(
    ("path", "got"),
    [
        ("nowhere", "nothing of that name"),
        ("empty", "an empty folder"),
        ("letters/0.txt", "a file"),
        ("letters", "a folder with 0.txt, 1.txt, 2.txt, ..."),
        ("data", "the folder of the index {}/data/index"),
        ("data/index/segments", "a part of the index {}/data/index"),
    ],
)
def test_no_index_there(tmp_path, path, got):
    (tmp_path / "empty").mkdir()
    (tmp_path / "letters").mkdir()
    for number in range(4):
        (tmp_path / "letters" / f"{number}.txt").write_text("Dear Sir")
    commit(open_store(str(tmp_path / "data" / "index"), create=True), random_columns(1))
    with pytest.raises(StoreError) as refused:
        open_store(str(tmp_path / path))
    expected = f"expected an index (made by std-index), got {got.format(tmp_path)}"
    assert str(refused.value) == f"{tmp_path / path}: {expected}"


def test_a_folder_with_something_else_is_refused(tmp_path):
    (tmp_path / "letter.txt").write_text("Dear Sir")
    with pytest.raises(StoreError, match=r"expected an empty folder or an index.*letter\.txt"):
        open_store(str(tmp_path), create=True)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_memory_without_a_name_is_new_each_time():
    commit(open_store("memory:"), random_columns(1))
    assert open_store("memory:").segments() == ()


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
