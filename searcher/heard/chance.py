"""How many places of an archive fit as well by chance: E-values from decoys.

learn_chance    decoys searched -> Chance
Chance          scores of a query of so many phones -> log E-values

Within the range of the decoys' scores, an E-value is their count: scores saturate at 0, where a
short word fits everywhere. Beyond, the log of the count falls linearly with the score (Karlin and
Altschul 1990), as the decoys' best places tell. Scores are sums over phones: those of decoys that
are shorter or longer than the query are scaled to its length.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from std.phonetics.phones import Pronunciation
from std.store.columns import Int64s
from std.values import Float64s

NEIGHBOURS = 18  # decoys of about a query's length that it is compared with
COUNTED = 5  # places of all of them, from which on they are counted
FITTED = 60  # ranks of their places that the line is fitted to


class Chance(NamedTuple):
    """The scores of decoys in an archive."""

    phones: Int64s  # (d,) ascending
    scores: tuple[Float64s, ...]  # of each decoy's places, best first
    enlarged: float = 0.0  # log of how many times as large the archive is as what was searched

    def log_e_value(self, score: Float64s, phones: int) -> Float64s:
        """(n,) log of the number of false alarms expected to score at least so much."""
        nearest = np.argsort(np.abs(np.log(self.phones / phones)), kind="stable")[:NEIGHBOURS]
        scaled = [self.scores[i] * (phones / self.phones[i]) for i in nearest.tolist()]
        pooled = np.sort(np.concatenate(scaled))[::-1]
        if len(pooled) <= COUNTED:
            return np.zeros(len(score))
        ranks = np.arange(COUNTED, min(FITTED, len(pooled)))
        log_k = np.log((ranks + 1) / len(nearest))
        centred = pooled[ranks] - pooled[ranks].mean()
        slope = min(-0.3, float((centred @ log_k) / max(centred @ centred, 1e-9)))
        at, log_at = pooled[COUNTED], np.log((COUNTED + 1) / len(nearest))
        count = np.searchsorted(-pooled, -score, side="right")
        counted = np.log(np.maximum(count, 1) / len(nearest))
        return self.enlarged + np.where(score > at, log_at + slope * (score - at), counted)


def learn_chance(
    decoys: Sequence[Pronunciation],
    scores_of: Callable[[Pronunciation], Float64s],
    enlarged: float = 0.0,
) -> Chance:
    """Search decoys; see `Chance.enlarged`."""
    by_length = sorted(decoys, key=len)
    return Chance(
        np.array([len(decoy) for decoy in by_length]),
        tuple(scores_of(decoy) for decoy in by_length),
        enlarged,
    )
