"""Which language a term looks like: letters in threes, as the vocabularies of an index have them.

In an index of several languages an unknown German word sounds like something in the English
recordings, too. What a language's vocabulary makes of a term's spelling says how likely it is to
be said there: the logarithm of its trigrams' probability, against that of the language that likes
it best. Names are liked by all of them and keep their scores.
"""

from collections.abc import Sequence

import numpy as np

from std.store.columns import Int64s
from std.values import Float64s

START, END = "\x02\x02", "\x03"  # of a word
BITS = 21  # of a code point
SMOOTHING = 0.5  # added to each count
ALPHABET = 64  # letters and marks that a trigram tells apart at any place, about
PER_NAT = 0.5  # log odds for a nat: trigrams overlap, so they say everything more than once
MOST = 4.0  # log odds that spelling takes at most


def log_odds(terms: Sequence[Sequence[str]], vocabularies: Sequence[Sequence[str]]) -> Float64s:
    """(terms, vocabularies) what to add to the log odds of a term in each language: 0 or less.

    Args:
        terms: the words of each.
        vocabularies: the different words of each language.
    """
    of_term = [_trigrams(words) for words in terms]
    asked, row = np.unique(_concatenated(of_term), return_inverse=True)
    term = np.repeat(np.arange(len(terms)), [len(one) for one in of_term])
    logs = np.zeros((len(terms), len(vocabularies)))
    for column, vocabulary in enumerate(vocabularies):
        trigrams = _trigrams(vocabulary)
        three, two = _count(asked, trigrams), _count(asked >> BITS, trigrams >> BITS)
        nats = np.log((three + SMOOTHING) / (two + SMOOTHING * ALPHABET))
        logs[:, column] = np.bincount(term, nats[row], minlength=len(terms))
    behind = logs.max(axis=1, keepdims=True) - logs
    odds: Float64s = -np.minimum(PER_NAT * behind, MOST)
    return odds


def _trigrams(words: Sequence[str]) -> Int64s:
    """The trigrams of words, their ends included, as numbers."""
    if not words:
        return np.empty(0, np.int64)
    text = START + (END + START).join(words) + END
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.int64)
    trigrams: Int64s = (codes[:-2] << 2 * BITS) | (codes[1:-1] << BITS) | codes[2:]
    over = (codes[:-2] == ord(END)) | (codes[1:-1] == ord(END)) | (codes[2:] == ord(START[0]))
    kept: Int64s = trigrams[~over]
    return kept


def _count(asked: Int64s, there: Int64s) -> Int64s:
    """(n,) how often each of some numbers is there."""
    there = np.sort(there)
    count: Int64s = np.searchsorted(there, asked, "right") - np.searchsorted(there, asked, "left")
    return count


def _concatenated(parts: Sequence[Int64s]) -> Int64s:
    return np.concatenate([np.empty(0, np.int64), *parts])
