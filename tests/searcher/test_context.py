"""The words around a hit, against the obvious way to find them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from searcher.output.context import WORDS_AROUND, _last


@given(st.lists(st.integers(-1, 3), max_size=400), st.integers(0, 300))
def test_the_last_words_are_those_of_all_slots(ids, silence):
    ids = np.array([*ids, *[-1] * silence], np.int32)
    assert _last(ids).tolist() == [word for word in ids.tolist() if word >= 0][-WORDS_AROUND:]
