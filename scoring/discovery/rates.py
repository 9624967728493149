"""Precision, recall and their harmonic mean, with NaN where a measure is undefined."""

import math
from typing import NamedTuple


class Rates(NamedTuple):
    """A precision and a recall; NaN where there is nothing to divide by."""

    precision: float
    recall: float

    @property
    def fscore(self) -> float:
        """2 P R / (P + R); 0 when both are 0 (v2 divides by zero), NaN when one is undefined.

        >>> Rates(0.5, 1.0).fscore, Rates(0.0, 0.0).fscore
        (0.6666666666666666, 0.0)
        """
        if self.precision + self.recall == 0:
            return 0.0
        return 2 * self.precision * self.recall / (self.precision + self.recall)


def ratio(part: float, whole: float) -> float:
    """``part / whole``, NaN when the whole is empty."""
    return part / whole if whole else math.nan
