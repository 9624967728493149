"""Columns as documents and back, without a server."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from std.errors import StoreError
from std.store.couchdb.codec import BUCKET, SLOTS, decode_document, encode_document
from std.store.couchdb.layout import (
    Layout,
    document_names,
    recorded_layout,
    segment_documents,
    segment_of,
    slot_name,
)
from std.store.resident import ResidentSegment

SMALL = Layout(bucket_postings=3, part_rows=4, part_words=5, slot_rows=3)


def test_documents_are_named_after_their_segment(speech):
    columns = speech(1)
    id_ = columns.digest()[:32]
    words = ResidentSegment(id_, columns).words()
    layout = SMALL.for_segment(columns)
    made = [one["_id"] for one in segment_documents(id_, columns, words, layout)]
    counts = np.diff(columns.posting_offsets)
    assert len(made) == len(set(made))
    assert set(made) == document_names(id_, words, counts, layout)
    assert {segment_of(name) for name in made} == {id_}
    assert {name.split("|")[1] for name in made} == {"v", "b", "w", "s"}


@given(st.lists(st.integers(0, 6), max_size=40), st.sets(st.integers(0, 7)))
def test_slots_are_found_by_recording(rows, asked):
    """Every slot of the recordings asked for is in one of the parts that are fetched."""
    rows = sorted(rows)
    starts = tuple((row << 32) + i for i, row in enumerate(rows))[::3]
    parts = replace(SMALL, slot_starts=starts).slot_parts(asked)
    needed = {i // 3 for i, row in enumerate(rows) if row in asked}
    assert needed <= set(parts) <= set(range(len(starts)))
    assert len(parts) <= len(needed) + 2 * len(asked)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 9)), max_size=9))
def test_slots_are_found_by_row(spans):
    first = np.array([begin for begin, _ in spans], np.int64)
    last = np.array([begin + length for begin, length in spans], np.int64)
    needed = {
        row // 3 for begin, end in zip(first, last, strict=True) for row in range(begin, end + 1)
    }
    assert SMALL.slot_parts_between(first, last) == sorted(needed)


def test_layouts_of_before_had_slots_in_long_parts(speech):
    """Their documents have other names: nobody takes one for the other."""
    recorded = {k: v for k, v in SMALL.recorded().items() if k != "slot_rows"}
    before = recorded_layout(recorded, "here")
    assert before.slot_rows == before.part_rows == 4
    assert slot_name("x", 2, before) == "x|s|2"
    assert slot_name("x", 2, SMALL) == "x|s|3.2"
    assert recorded_layout(SMALL.recorded(), "here") == SMALL


@pytest.mark.parametrize("name", ["letter", "_design/x", "0" * 32, "0" * 31 + "|v|0"])
def test_names_of_others(name):
    assert segment_of(name) is None


@given(st.lists(st.integers(0, 2**64 - 1), max_size=9), st.data())
def test_packing_is_undone(keys, draw):
    n = len(keys)
    columns = {
        "key": np.array(sorted(keys), np.uint64),
        "epsilon": np.array(
            draw.draw(st.lists(st.floats(0, 1, width=32), min_size=n, max_size=n)), np.float32
        ),
        "word": np.array(
            draw.draw(st.lists(st.integers(-1, 2**31 - 1), min_size=n, max_size=n)), np.int32
        ),
    }
    got = decode_document(
        json.loads(json.dumps(encode_document("x", SLOTS, columns))), SLOTS, "here"
    )
    for name, column in columns.items():
        np.testing.assert_array_equal(got[name], column, strict=True)


def _packed() -> dict:
    n = np.arange(40)
    columns = {name: n.astype(dtype) for name, dtype in BUCKET.items()}
    return encode_document("x", BUCKET, columns)


@given(st.integers(0), st.integers(1, 127))
def test_flipped_bits_in_a_document_are_seen(where, bits):
    """Wherever they are: the columns come out as they went in, or not at all."""
    text = bytearray(json.dumps(_packed()).encode())
    text[where % len(text)] ^= bits
    try:
        damaged = json.loads(text)
    except ValueError:
        return  # a server does not give this to anybody
    try:
        got = decode_document(damaged, BUCKET, "here") if isinstance(damaged, dict) else None
    except StoreError:
        return
    assert got is None or all((column == np.arange(40)).all() for column in got.values())


@pytest.mark.parametrize(
    "change",
    [
        {"rows": None},
        {"rows": {"key": -1}},
        {"rows": dict.fromkeys(BUCKET, 10**15)},
        {"deflated": "AAAA"},
        {"deflated": 7},
        {"sha256": "0" * 64},
        {"_id": "y"},
    ],
    ids=str,
)
def test_damaged_documents(change):
    with pytest.raises(StoreError, match="expected columns, got"):
        decode_document(_packed() | change, BUCKET, "here")


@pytest.mark.parametrize(
    "recorded",
    [
        {},
        SMALL.recorded() | {"part_rows": 0},
        SMALL.recorded() | {"slot_rows": 0},
        SMALL.recorded() | {"slot_rows": "4096"},
        SMALL.recorded() | {"slot_starts": [-1]},
        SMALL.recorded() | {"extra": {"x": ["|O", [3]]}},
    ],
)
def test_damaged_layouts(recorded):
    with pytest.raises(StoreError, match="expected the layout of a segment"):
        recorded_layout(recorded, "here")
