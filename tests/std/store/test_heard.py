"""Columns of phones heard: read as they were written, and gathered from several segments."""

from dataclasses import replace

import numpy as np
import pytest

from std.store.heard import NOBODY, HeardBy, HeardSlots, gathered, quality

GERMAN = HeardBy({"right": 0.75, "pronouncer": "espeak-ng:de"}, b"weights")
OTHER = HeardBy({"right": 0.5}, b"")


def heard(*recordings, tokens=("_", "a", "b"), by=GERMAN):
    """Each recording: slots as (frames, empty, {token: cost}); None: nobody heard it."""
    slots = [slot for one in recordings for slot in one or ()]
    return HeardSlots(
        (by,),
        tokens,
        np.array([NOBODY if one is None else 0 for one in recordings], np.uint8),
        np.arange(len(recordings), dtype=np.int32) * 10,
        np.full(len(recordings), 20, np.uint16),
        np.cumsum([0, *(len(one or ()) for one in recordings)]),
        np.array([frames for frames, *_ in slots], np.uint8),
        np.array([empty for _, empty, _ in slots], np.uint8),
        np.array([len(held) for *_, held in slots], np.uint8),
        np.array([tokens.index(t) for *_, held in slots for t in held], np.uint8),
        np.array([cost for *_, held in slots for cost in held.values()], np.uint8),
    )


def spelt(found, row):
    """The slots of a recording, as they are given to `heard`."""
    if found.layer[row] == NOBODY:
        return None
    ends = np.concatenate([[0], np.cumsum(found.alternatives, dtype=int)])
    return [
        (
            int(found.frames[i]),
            int(found.empty[i]),
            {found.tokens[found.token[j]]: int(found.cost[j]) for j in range(ends[i], ends[i + 1])},
        )
        for i in range(found.offsets[row], found.offsets[row + 1])
    ]


FIRST = [(3, 90, {"a": 1, "_": 60}), (2, 255, {"b": 0})]
SECOND = [(1, 5, {"b": 10, "a": 20})]


def test_columns_are_read_as_they_were_written():
    written = heard(FIRST, None, SECOND)
    read = HeardSlots.read(written.columns())
    assert read.by == (GERMAN,)
    assert [spelt(read, row) for row in range(3)] == [FIRST, None, SECOND]
    assert read.is_heard.tolist() == [True, False, True]
    assert quality(written.columns()["heard_by"], read.layer) == [0.75, None, 0.75]


def test_a_segment_without_phones_heard_has_no_columns():
    assert HeardSlots.read({"vocabulary": np.empty(0, np.uint8)}) is None
    assert gathered([], [None, None]).columns() == {}


def test_recordings_of_several_segments_are_gathered():
    one = heard(FIRST, SECOND)
    french = [(4, 7, {"ʒ": 2, "b": 9})]
    other = heard(None, french, tokens=("_", "ʒ", "b"), by=OTHER)
    found = gathered([one, other], [(1, 1), None, (1, 0), (0, 1)])
    assert [spelt(found, row) for row in range(4)] == [french, None, None, SECOND]
    assert found.tokens == ("_", "a", "b", "ʒ")
    assert found.by == (OTHER, GERMAN)
    assert found.start_ms.tolist() == [10, 0, 0, 10]


def test_a_layer_that_heard_several_recordings_is_kept_once():
    assert gathered([heard(FIRST), heard(SECOND)], [(0, 0), (1, 0)]).by == (GERMAN,)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"frames": np.array([3, 0], np.uint8)}, "without frames"),
        ({"offsets": np.array([0, 1])}, "ascend"),
        ({"token": np.array([0, 1, 3], np.uint8)}, "none of 3"),
        ({"cost": np.array([0, 1], np.uint8)}, "3 alternatives"),
        ({"layer": np.array([1], np.uint8)}, "none of 1 layers"),
        ({"start_ms": np.array([], np.int32)}, "1 recordings"),
    ],
)
def test_columns_that_do_not_fit_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        replace(heard(FIRST), **change)


def test_a_missing_column_and_another_type_are_refused():
    columns = heard(FIRST).columns()
    with pytest.raises(ValueError, match="no column heard_cost"):
        HeardSlots.read({name: columns[name] for name in columns if name != "heard_cost"})
    with pytest.raises(ValueError, match="heard_token that is no row of u1"):
        HeardSlots.read({**columns, "heard_token": columns["heard_token"].astype(np.int32)})
