"""Which language a term is of: letter trigrams against the vocabularies of an index.

In an index of several languages an OOV German word has phonetic hits in English recordings, too.
The log probability of the term's letter trigrams in each language's vocabulary, minus that in the
likeliest language, is added to the log odds of such candidates. Names are about as likely in every
language and keep their scores.
"""

from collections.abc import Sequence

import numpy as np

from std.store.columns import Int64s
from std.values import Float64s

START, END = "\x02\x02", "\x03"  # of a word
BITS = 21  # of a code point
SMOOTHING = 0.5  # added to each count
ALPHABET = 64  # about how many letters and marks a trigram may have at each position
PER_NAT = 0.5  # log odds for a nat: trigrams overlap, so evidence counts more than once
MAX_LOG_ODDS = 4.0  # that spelling takes at most


def log_odds(terms: Sequence[Sequence[str]], languages: Sequence[Int64s]) -> Float64s:
    """(terms, languages) what to add to the log odds of a term in each language: 0 or less.

    Args:
        terms: the words of each.
        languages: the trigrams of each one's vocabulary, ascending (`vocabulary_trigrams`).
    """
    of_term = [_trigrams(words) for words in terms]
    distinct, row = np.unique(_concatenated(of_term), return_inverse=True)
    term = np.repeat(np.arange(len(terms)), [len(one) for one in of_term])
    logs = np.zeros((len(terms), len(languages)))
    for column, trigrams in enumerate(languages):
        three, two = _count(distinct, trigrams), _count(distinct >> BITS, trigrams >> BITS)
        nats = np.log((three + SMOOTHING) / (two + SMOOTHING * ALPHABET))
        logs[:, column] = np.bincount(term, nats[row], minlength=len(terms))
    behind = logs.max(axis=1, keepdims=True) - logs
    odds: Float64s = -np.minimum(PER_NAT * behind, MAX_LOG_ODDS)
    return odds


def vocabulary_trigrams(words: Sequence[str]) -> Int64s:
    """The trigrams of the different words of a language, ascending."""
    return np.sort(_trigrams(words))


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


def _count(numbers: Int64s, among: Int64s) -> Int64s:
    """(n,) how often each of some numbers is among others, which ascend."""
    first = np.searchsorted(among, numbers, "left")
    count: Int64s = np.searchsorted(among, numbers, "right") - first
    return count


def _concatenated(parts: Sequence[Int64s]) -> Int64s:
    return np.concatenate([np.empty(0, np.int64), *parts])
