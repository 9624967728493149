"""The null distribution: how many places of an archive would score as high by chance.

    learn_null_distribution   search decoys in the archive, fit the tail of what they hit
    NullDistribution          what is expected of a query of so many phones

A decoy's k-th best hit has the score from which k false alarms are expected. For local
alignments that score falls linearly with log k (Karlin and Altschul 1990, PNAS 87:2264; Altschul et
al. 1997 for alignments with gaps); where it begins and how fast it falls depends on the query's
length. For a query of L phones,

    score(k) = level - slope log k,   level = a + b log L + c log^2 L + d (perfect score / L)
                                      slope = e + f log L

and, solved for k, the number of places at least as good as a hit: its E-value. All of it is for the
archive that was searched, so an archive of any size or quality needs nothing else.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from searcher.phonetic.alignment import Hits
from searcher.phonetic.decoys import draw_decoys, phone_chain
from searcher.phonetic.index import PhoneticIndex
from searcher.phonetic.layout import SCORE
from searcher.phonetic.ratios import WeightedPronunciation
from std.phonetics.phones import Pronunciation
from std.values import Float64s

RANKS = (1, 2, 4, 8, 16, 32, 60)  # of a decoy's hits that the tail is fitted to
TYPICAL_RANKS = (6, 10, 16, 32, 60)  # of a term's hits that are compared with the decoys'
RARE_PLACES = 0.1  # false alarms; hits that are better are kept, however many there are
MIN_SLOPE = 0.5  # nats of score that divide the false alarms by e
MAX_TERM_SHIFT = 2.0
COEFFICIENTS = 6
SLOPE_RIDGE = 1e-3  # keeps the fit defined where an archive is very small

Search = Callable[[Sequence[Pronunciation]], Mapping[Pronunciation, Hits]]
PerfectScore = Callable[[Pronunciation], float]


@dataclass(frozen=True, slots=True, eq=False)
class NullDistribution:
    """The tail of scores of false alarms in one archive."""

    coefficients: Float64s  # (6,) a, b, c, d, e, f of the module's formula

    def level(self, phones: int, perfect: float) -> float:
        """Score from which one false alarm is expected, nats.

        Args:
            phones: length of the query.
            perfect: its score recognised phone for phone, nats.
        """
        terms = _level_terms(phones, perfect)
        return float(self.coefficients[:4] @ terms)

    def slope(self, phones: int) -> float:
        """Nats of score that divide the expected number by e."""
        return max(MIN_SLOPE, float(self.coefficients[4:] @ _slope_terms(phones)))

    def rare_score(self, phones: int, perfect: float) -> float:
        """Score from which `RARE_PLACES` false alarms are expected, nats; see `level`."""
        return self.level(phones, perfect) - self.slope(phones) * float(np.log(RARE_PLACES))

    def log_e_value(
        self, score: Float64s, pronunciations: Sequence[WeightedPronunciation]
    ) -> Float64s:
        """(n,) log of the number of false alarms expected to score at least so much.

        Those of all pronunciations are added up: the score of a hit has its pronunciation's log
        weight, so another pronunciation reaches it where it scores that much less its own.

        Args:
            score: (n,) of hits of a query.
            pronunciations: of the query.
        """
        values = [
            (self.level(len(phones), perfect) - (score - log_weight)) / self.slope(len(phones))
            for phones, perfect, log_weight in pronunciations
        ]
        value: Float64s = np.logaddexp.reduce(values, axis=0)
        return value

    def term_shift(self, score: Float64s, pronunciations: Sequence[WeightedPronunciation]) -> float:
        """How much more false alarms a term has than decoys of its length have, as a log.

        The median over some ranks of its own hits: a few true places do not move it.

        Args:
            score: (n,) of the term's hits, best first.
            pronunciations: of the term.
        """
        n = len(score)
        ranks = [k for k in TYPICAL_RANKS if k <= n] or [max(n, 1)]
        found = np.array([score[k - 1] if n else 0.0 for k in ranks])
        shift = float(np.median(self.log_e_value(found, pronunciations) - np.log(ranks)))
        most = MAX_TERM_SHIFT if n >= TYPICAL_RANKS[0] else 0.0  # a few hits may all be true
        return float(np.clip(-shift, -MAX_TERM_SHIFT, most))


def learn_null_distribution(
    indexes: Sequence[PhoneticIndex], search: Search, perfect_score: PerfectScore
) -> NullDistribution:
    """Search decoys and fit the tail of what they hit.

    Args:
        indexes: the archive.
        search: the best hits of each query in all of them, best first.
        perfect_score: score of a query that is recognised phone for phone.
    """
    decoys = draw_decoys(phone_chain(indexes))
    hits = search(decoys)
    rows, scores = [np.eye(COEFFICIENTS) * SLOPE_RIDGE], [np.zeros(COEFFICIENTS)]
    for decoy in decoys:
        found = hits[decoy].measures[:, SCORE].astype(np.float64)
        ranks = np.array([k for k in RANKS if k <= len(found)], np.int64)
        level = _level_terms(len(decoy), perfect_score(decoy))
        slope = -np.log(ranks)[:, None] * _slope_terms(len(decoy))
        rows.append(np.concatenate([np.tile(level, (len(ranks), 1)), slope], axis=1))
        scores.append(found[ranks - 1])
    solution = np.linalg.lstsq(np.concatenate(rows), np.concatenate(scores), rcond=None)[0]
    return NullDistribution(solution)


def _level_terms(phones: int, perfect: float) -> Float64s:
    length = max(phones, 1)
    return np.array([1.0, np.log(length), np.log(length) ** 2, perfect / length])


def _slope_terms(phones: int) -> Float64s:
    return np.array([1.0, np.log(max(phones, 1))])
