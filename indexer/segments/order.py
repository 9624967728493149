"""The order of postings: by word, by time within a word."""

import numpy as np

from std.store.columns import Int64s, UInt64s
from std.values import Int32s


def posting_order(word: Int64s, key: UInt64s, slot: Int64s | Int32s) -> Int64s:
    """The order by word, key and slot.

    Postings mostly come in the order of time, from a network or from segments whose recordings
    follow each other. Then it is enough to sort by word, which is several times as fast.

    Args:
        word: (n,) word id of each posting.
        key: (n,) recording and time of its slot.
        slot: (n,) row of its slot.
    """
    narrow = word.astype(np.uint16) if word.max(initial=0) < 2**16 else word
    order = np.argsort(narrow, kind="stable")  # of 16 bits: a radix sort
    w, k, s = word[order], key[order], slot[order]
    in_time = (k[1:] > k[:-1]) | ((k[1:] == k[:-1]) & (s[1:] >= s[:-1]))
    if (in_time | (w[1:] != w[:-1])).all():
        return order
    return np.lexsort((slot, key, word))
