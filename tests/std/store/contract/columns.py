"""Segments to write, and what is read of them."""

import numpy as np

from std.store import Segment, Store
from std.store.columns import IndexedRecording, SegmentColumns, first_slots, pack_vocabulary
from std.store.resident import ResidentSegment
from std.text import Normalisation
from std.values import Recording

PLAIN = Normalisation()


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
