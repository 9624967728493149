"""Verify that a segment is what was committed: its digest, and all that a reader relies on.

`Store.damage` first verifies the files or documents of its own kind of store. If they are intact,
it verifies the columns with `faults`.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from std.errors import StoreError
from std.store.columns import (
    KEY_SHIFT,
    MAX_TIME_MS,
    MAX_WORD_MS,
    SegmentColumns,
    first_slots,
    unpack_vocabulary,
)
from std.store.manifest import SegmentEntry
from std.store.protocol import Segment


def verified_columns(segment: Segment) -> SegmentColumns:
    """All columns of a segment, verified before they are rewritten with new checksums.

    A segment that is not committed yet has nothing to be verified with.

    Raises:
        StoreError: they are not what was committed.
    """
    columns = segment.columns()
    if segment.id is None:
        return columns
    place = f"segment {segment.id}"
    fault = next(_inconsistencies(place, columns), None)
    if fault is None and columns.digest()[: len(segment.id)] != segment.id:
        fault = f"{place}: expected the speech that was committed, got another digest"
    if fault is not None:
        raise StoreError(f"{fault} (std-store verify INDEX names all damage)")
    return columns


def faults(entry: SegmentEntry, columns: SegmentColumns) -> Iterator[str]:
    """What is wrong with the columns of a segment, one line each; nothing if it is valid."""
    place = f"segment {entry.id}"
    sizes = {
        "postings": (entry.postings, len(columns.posting_start_ms)),
        "slots": (entry.slots, len(columns.slot_key)),
        "words": (entry.words, len(columns.posting_offsets) - 1),
    }
    for what, (expected, got) in sizes.items():
        if expected != got:
            yield f"{place}: expected {expected} {what}, got {got}"
    try:
        words = unpack_vocabulary(columns.vocabulary, place)
    except StoreError as error:
        yield str(error)
        words = []
    if len(words) != len(columns.posting_offsets) - 1:
        yield f"{place}: expected {len(columns.posting_offsets) - 1} words, got {len(words)}"
    if any(a >= b for a, b in pairwise(words)):
        yield f"{place}: expected words in ascending order"
    yield from _inconsistencies(place, columns)
    if columns.digest()[:32] != entry.id:
        yield f"{place}: expected the speech that was committed, got another digest"


def _inconsistencies(place: str, columns: SegmentColumns) -> Iterator[str]:
    """Keys that do not ascend, and rows that do not exist."""
    slot, word = columns.posting_slot, columns.slot_word
    if len(slot) and not 0 <= int(slot.min()) <= int(slot.max()) < len(columns.slot_key):
        yield f"{place}: a posting names a slot that does not exist"
    else:
        key = columns.posting_keys(slice(None))
        falls = np.flatnonzero(key[1:] < key[:-1]) + 1
        if not np.isin(falls, columns.posting_offsets[1:-1]).all():
            yield f"{place}: expected the postings of each word in order of time"
    if int(columns.posting_start_ms.max(initial=0)) > MAX_TIME_MS - MAX_WORD_MS:
        yield f"{place}: a posting ends after 2**32 ms"
    posterior = columns.posting_posterior
    if len(posterior) and not 0 <= float(posterior.min()) <= float(posterior.max()) <= 1:
        yield f"{place}: a posterior is not between 0 and 1"
    if (columns.slot_key[1:] < columns.slot_key[:-1]).any():
        yield f"{place}: expected slots in order of time"
    if len(columns.slot_key) and int(columns.slot_key.max() >> KEY_SHIFT) >= len(
        columns.recordings
    ):
        yield f"{place}: a slot names a recording that does not exist"
    elif (first_slots(columns.slot_key, len(columns.recordings)) != columns.slot_offsets).any():
        yield f"{place}: expected the slots of each recording together"
    if (
        len(word)
        and not -1 <= int(word.min()) <= int(word.max()) < len(columns.posting_offsets) - 1
    ):
        yield f"{place}: a slot names a word that does not exist"
