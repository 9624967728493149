"""The words around a hit, against the obvious way to find them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from searcher.output.context import WORDS_AROUND, _around, _joined
from std.store.columns import Slots
from std.store.speakers import UNKNOWN_SPEAKERS

WORDS = np.array(["a", "b", "c", "d"], dtype=np.object_)
SILENT_OR_NOT = st.tuples(st.lists(st.integers(-1, 3), max_size=60), st.integers(0, 300))
PLACES = st.tuples(SILENT_OR_NOT, st.lists(st.integers(-1, 3), max_size=5), SILENT_OR_NOT)


@given(st.lists(PLACES, max_size=4), st.integers(0, 9), st.booleans())
def test_the_words_around_are_those_of_all_slots(places, other_recordings, unspaced):
    def said(ids):
        return [WORDS[i] for i in ids if i >= 0]

    slots, bounds, expected = [0] * other_recordings, [], []
    for (words_before, silent_before), own, (words_after, silent_after) in places:
        before = [*words_before, *[-1] * silent_before]
        after = [*[-1] * silent_after, *words_after]
        lengths = [len(slots), len(before), len(own), len(after)]
        bounds.append(np.cumsum(lengths))
        parts = said(before)[-WORDS_AROUND:], said(own), said(after)[:WORDS_AROUND]
        expected.append(tuple(map(" ".join, parts)))
        slots += [*before, *own, *after]
    slots += [0] * other_recordings
    columns = np.array(bounds, np.int64).reshape(-1, 4).T
    word = np.array(slots, np.int32)
    runs = _around(word, WORDS, *columns, unspaced=unspaced)
    all_slots = Slots(np.arange(len(word), dtype=np.uint64), np.zeros(len(word), np.float32), word)
    found = _joined(runs, all_slots, WORDS, UNKNOWN_SPEAKERS, unspaced=unspaced)
    assert [*zip(*found, strict=True)] == expected
