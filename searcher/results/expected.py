"""The expected numbers of right hits and of missed occurrences, from probabilities."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from std.display.numbers import about, counted
from std.values import Bools, Float64s

FROM = 0.5  # probability from which a hit is more likely right than wrong
# Missed occurrences per expected occurrence. Measured on the sets of docs/scoring.md: 0 to .06,
# and .2 for a transcript without alternatives and for poor recognition.
MISSED = 0.03


def missed_share(probability: Float64s, kept: Bools, n_terms: int, speech_s: float) -> float | None:
    """The probability that a term is said in a place without a hit: expected missed per trial.

    Args:
        probability: (n,) of each candidate.
        kept: (n,) which of them are hits.
        n_terms: number of terms.
        speech_s: trials of each.

    Returns:
        None if every trial has a hit, or nothing is expected.

    >>> missed_share(np.array([1.0, 0.5, 0.5]), np.array([True, True, False]), 2, 300.0)
    0.0009364548494983279
    """
    trials = n_terms * speech_s - float(np.count_nonzero(kept))
    missed = MISSED * float(probability.sum()) + float(probability[~kept].sum())
    return missed / trials if 0 < missed < trials else None


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected number of right hits: the sum of their probabilities.

    The sums are right if the probabilities are calibrated (``[calibration] words``); they do not
    include occurrences without a hit.

    >>> print(Expected.of([0.9, 0.7, 0.2, 0.1]))
    2 hits from probability 0.5 up, about 2 are right; about 0.3 more below
    """

    from_probability: float  # the border between the two sums
    hits: int  # from the border up
    right: float  # of these
    right_below: float  # of the hits below the border

    @classmethod
    def of(
        cls, probabilities: Sequence[float] | Float64s, from_probability: float = FROM
    ) -> "Expected":
        """The expectation for hits with these probabilities.

        Args:
            probabilities: the probabilities of each hit, 0 to 1.
            from_probability: the border; a hit on it counts as above.
        """
        every = np.asarray(probabilities, dtype=np.float64)
        is_above = every >= from_probability
        right, below = float(every[is_above].sum()), float(every[~is_above].sum())
        return cls(from_probability, int(np.count_nonzero(is_above)), right, below)

    def document(self) -> dict[str, float]:
        """As `std-search --json` writes it."""
        return {
            "from": self.from_probability,
            "hits": self.hits,
            "right": self.right,
            "right_below": self.right_below,
        }

    def __str__(self) -> str:
        start = f"from probability {self.from_probability:g} up"
        below = about(self.right_below)
        if not self.hits:
            return f"no hits {start}; {below} {_verb(below)} right below"
        right = about(self.right)
        more = f"; {below} more below" if self.right_below else ""
        return f"{counted(self.hits, 'hit')} {start}, {right} {_verb(right)} right{more}"


def _verb(count: str) -> str:
    return "is" if count == "about 1" else "are"
