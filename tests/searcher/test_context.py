"""The words around a hit, against the obvious way to find them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from searcher.output.context import WORDS_AROUND, _around

WORDS = ["a", "b", "c", "d"]
SILENT_OR_NOT = st.tuples(st.lists(st.integers(-1, 3), max_size=60), st.integers(0, 300))


@given(SILENT_OR_NOT, st.lists(st.integers(-1, 3), max_size=5), SILENT_OR_NOT, st.integers(0, 9))
def test_the_words_around_are_those_of_all_slots(before, own, after, other_recordings):
    before = [*before[0], *[-1] * before[1]]
    after = [*[-1] * after[1], *after[0]]
    others = [0] * other_recordings
    word = np.array([*others, *before, *own, *after, *others], np.int32)
    begin, first = len(others), len(others) + len(before)
    end, stop = first + len(own), first + len(own) + len(after)

    def said(ids):
        return [WORDS[i] for i in ids if i >= 0]

    expected = said(before)[-WORDS_AROUND:], said(own), said(after)[:WORDS_AROUND]
    found = _around(word, WORDS, begin, first, end, stop)
    assert found == tuple(map(" ".join, expected))
