"""How many pairs as good as one come about by chance: those of speech against reversed speech.

ChancePairs    scores of pairs with reversed speech -> expected numbers, and shares, of chance pairs
"""

from typing import NamedTuple

import numpy as np

from std.store.columns import Int64s
from std.values import Float64s


class ChancePairs(NamedTuple):
    """The pairs of some work with its second block reversed."""

    scores: Int64s  # (c,) descending
    scale: float  # comparisons of all work, for each that was made to measure chance

    def expected(self, scores: Int64s) -> Float64s:
        """(n,) how many pairs of at least each score chance gives in the archive: E-values.

        Args:
            scores: (n,) of pairs.
        """
        return self.scale * np.searchsorted(-self.scores, -scores, side="right").astype(np.float64)

    def shares(self, scores: Int64s) -> Float64s:
        """(n,) the share of chance among the pairs that are as good as each, or better.

        Args:
            scores: (n,) of all pairs, descending.
        """
        rank = np.searchsorted(-scores, -scores, side="right")
        shares = np.minimum(1.0, self.expected(scores) / np.maximum(rank, 1))
        return np.minimum.accumulate(shares[::-1])[::-1]  # a better pair is no likelier by chance
