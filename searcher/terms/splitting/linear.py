"""Algorithm II of the thesis: compare a segment with every word whose length permits a match.

Words lie in buckets by length (thesis 4.4.2), so a segment of m letters with limit k reads the
buckets m - k to m + k. Slow, and the reference for the other two indexes.
"""

from dataclasses import dataclass

import numpy as np

from searcher.terms.splitting.alphabet import Alphabet, FlatWords, lay_out, select
from searcher.terms.splitting.matches import (
    MAX_EDITS,
    MAX_LETTERS,
    Matches,
    MatchLimits,
    check_length,
    sort,
)
from searcher.terms.vocabulary import Int64s, Vocabulary


@dataclass(frozen=True, slots=True, eq=False)
class LinearIndex:
    """The words of a vocabulary ordered by length."""

    alphabet: Alphabet
    words: FlatWords  # ascending by length; those too long to match anything are left out
    bucket: Int64s  # (longest + 2,) words of k letters are rows bucket[k]:bucket[k + 1]

    def matches(self, word: str, limits: MatchLimits) -> Matches:
        """Find all matches of a word, see `searcher.terms.splitting.matches`."""
        check_length(word)
        from searcher.terms.splitting.kernels import linear_matches

        return sort(
            linear_matches(
                self.alphabet.encode(word),
                limits.table(len(word)),
                len(self.alphabet),
                *self.words,
                self.bucket,
            )
        )


def build(vocabulary: Vocabulary) -> LinearIndex:
    """Order a vocabulary by length.

    Raises:
        ValueError: the vocabulary is empty.
    """
    alphabet, letters, offsets = lay_out(vocabulary.words)
    lengths = np.diff(offsets)
    order = np.argsort(lengths, kind="stable")
    order = order[lengths[order] <= MAX_LETTERS + MAX_EDITS]
    sizes = np.bincount(lengths[order], minlength=2)
    bucket = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return LinearIndex(alphabet, select(letters, offsets, order.astype(np.int32)), bucket)
