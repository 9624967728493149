"""The occurrences of the terms of a list in a reference transcript.

The words of one speaker in one recording form a chain in time. A term occurs where its words
follow each other in a chain with at most `max_gap_s` between them; every start counts, so
occurrences may overlap. Each distinct word of the transcript is normalised once, and all terms
look their first word up in one index.

Rules as in NIST's scorer F4DE 3.5.0 (its behaviour, see docs/nist-differences.md), with one
repair: a transcript that is not sorted by time gives the same occurrences as a sorted one.
"""

from dataclasses import dataclass

import numpy as np

from std.nist.ecf import round_to_100us
from std.values import Bools, Float64s, Int32s, Lexemes, Recording, TermList, freeze

NO_FIRST_WORD = {"frag", "fp"}  # fragments and filled pauses do not begin a term


@dataclass(frozen=True, slots=True, eq=False)
class Occurrences:
    """Reference occurrences of terms, as columns; ordered by term, recording, speaker and time."""

    recordings: tuple[Recording, ...]
    term: Int32s  # (n,) index into the term list
    recording: Int32s  # (n,) index into recordings
    start_s: Float64s  # (n,)
    end_s: Float64s  # (n,) end of the last word, rounded to 0.1 ms
    first_end_s: Float64s  # (n,) end of the first word, which must be inside an excerpt
    first_word: Int32s  # (n,) row of the first word in the transcript
    last_word: Int32s  # (n,) of the last word

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.term)


def find(terms: TermList, lexemes: Lexemes, *, max_gap_s: float = 0.5) -> Occurrences:
    """Find every occurrence of every term.

    Args:
        terms: the list also says whether case counts.
        lexemes: the reference words, in any order.
        max_gap_s: longest silence between two words of a term; the gap is rounded to 0.1 ms, and
            overlapping words are always near enough.
    """
    ends_s = round_to_100us(lexemes.start_s + lexemes.duration_s)
    chain = np.lexsort((lexemes.start_s, lexemes.speaker, lexemes.recording)).astype(np.int32)
    start_s, end_s = lexemes.start_s[chain], ends_s[chain]
    recording, speaker = lexemes.recording[chain], lexemes.speaker[chain]
    linked = np.zeros(len(chain), np.bool_)  # the next word of the chain continues this one
    linked[:-1] = (
        (recording[1:] == recording[:-1])
        & (speaker[1:] == speaker[:-1])
        & (round_to_100us(start_s[1:] - end_s[:-1]) <= max_gap_s)
    )
    n = len(chain)
    may_begin = np.fromiter(
        (subtype not in NO_FIRST_WORD for subtype in lexemes.subtypes), np.bool_, n
    )[chain]
    words = _ChainWords(lexemes, chain, case_sensitive=terms.compare_normalize == "")

    found_term: list[Int32s] = []
    found_first: list[Int32s] = []
    found_last: list[Int32s] = []
    for index, term in enumerate(terms.terms):
        first, *rest = term.text.split()
        at = words.beginning_with(first)
        at = at[may_begin[at]]
        last = at
        for word in rest:
            follows = linked[last]
            at, last = at[follows], last[follows] + 1
            same = words.is_word(last, word)
            at, last = at[same], last[same]
        found_term.append(np.full(len(at), index, np.int32))
        found_first.append(at)
        found_last.append(last)
    none = np.zeros(0, np.int32)
    first_word = np.concatenate([none, *found_first])
    last_word = np.concatenate([none, *found_last])
    return Occurrences(
        lexemes.recordings,
        np.concatenate([none, *found_term]),
        recording[first_word],
        start_s[first_word],
        end_s[last_word],
        end_s[first_word],
        chain[first_word],
        chain[last_word],
    )


class _ChainWords:
    """The chained words under the two normalisations that the matching uses.

    The first word of a term is compared in lower case (or as written), later words always
    without regard to case; the two differ for ``ß`` and for the dotted capital ``İ``.
    """

    def __init__(self, lexemes: Lexemes, chain: Int32s, *, case_sensitive: bool) -> None:
        self._first_key = str if case_sensitive else lower
        distinct: dict[str, int] = {}
        for word in lexemes.words:
            distinct.setdefault(word, len(distinct))
        spelling = np.fromiter(map(distinct.__getitem__, lexemes.words), np.int32, len(chain))
        self._first_keys: dict[str, int] = {}
        self._folds: dict[str, int] = {}
        first_of = [
            self._first_keys.setdefault(self._first_key(word), len(self._first_keys))
            for word in distinct
        ]
        fold_of = [self._folds.setdefault(word.casefold(), len(self._folds)) for word in distinct]
        self._fold = np.array(fold_of, np.int32)[spelling][chain]
        first = np.array(first_of, np.int32)[spelling][chain]
        self._order = np.argsort(first, kind="stable").astype(np.int32)
        self._bounds = np.searchsorted(first[self._order], np.arange(len(self._first_keys) + 1))

    def beginning_with(self, word: str) -> Int32s:
        """Positions in the chain, ascending, that hold a term's first word."""
        key = self._first_keys.get(self._first_key(word))
        if key is None:
            return self._order[:0]
        return self._order[self._bounds[key] : self._bounds[key + 1]]

    def is_word(self, positions: Int32s, word: str) -> Bools:
        """The positions that hold a later word of a term."""
        same: Bools = self._fold[positions] == self._folds.get(word.casefold(), -1)
        return same


def lower(text: str) -> str:
    """Lower case letter by letter: a sigma at the end of a word is no exception.

    >>> lower("ΣΊΣΥΦΟΣ"), "ΣΊΣΥΦΟΣ".lower()
    ('σίσυφοσ', 'σίσυφος')
    """
    return text.lower() if text.isascii() else "".join(map(str.lower, text))
