"""From evidence to probability: logistic regression over what was measured at a place.

Two models, because two questions are asked:

    unknown   the index does not know some word of the term: only its sound can be found.
              Evidence: how well the phones fit, what stands there, how far ahead of its rivals
              the place is.
    known     the index knows all words: their posteriors are the evidence, and places where only
              the sound fits compete with them.

Coefficients are for the features as they are (not standardised), so a model can be read. They
come from `std-tune`; `UNTUNED` serves while there is no model.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from searcher.phonetic.alignment import Hits
from std.values import Bools, Float64s

MAX_OVERHANG = 4  # phones of a cut word beyond which it does not matter how many
SELF_SCORE = 3.2  # nats that a phone scores when it is recognised as itself, on average
TYPICAL_PHONE_MS = 75.0
LOGIT_FLOOR = 1e-3


@dataclass(frozen=True, slots=True)
class Weights:
    """A logistic model: log odds = intercept + sum of coefficient * feature."""

    intercept: float
    coefficients: Mapping[str, float]

    def probability(self, features: Mapping[str, Float64s], n: int) -> Float64s:
        """(n,) probabilities. Features the model does not name weigh nothing."""
        log_odds = np.full(n, self.intercept)
        for name, coefficient in self.coefficients.items():
            log_odds += coefficient * features[name]
        chance: Float64s = 1 / (1 + np.exp(-np.clip(log_odds, -30, 30)))
        return chance


def heard_features(phones: int, perfect: float, hits: Hits) -> dict[str, Float64s]:
    """What the sound says for and against each place; hits best first.

    ``phones`` is the length of the query, ``perfect`` its score if recognised phone for phone.

    score, relative   log ratio; its share of a perfect match, and that squared
    perfect, length   log ratio of a perfect match; log of the number of phones
    cut_before, ..    phones of the first word before the hit, of the last after it (and if any)
    path, weakest     log posteriors of the words on the path: summed, least
    words             number of words on the path
    standing          phones of the likeliest words that stand there, times what they would score
    sure, longest     their posterior; phones of the longest of them that the hit cuts
    slow, odd_length  log of the duration over the typical one, and its size
    ahead, rank       score minus the best rival's; log of the rank
    same              share of the phones that are the query's own
    """
    from searcher.phonetic import alignment_kernels as at

    n, m = len(hits.start_ms), hits.measures.astype(np.float64)
    score, q = m[:, at.SCORE], max(1, phones)
    slow = np.log(np.maximum(hits.end_ms - hits.start_ms, 1) / (q * TYPICAL_PHONE_MS))
    relative = score / max(perfect, 1e-9)
    return {
        "score": score,
        "relative": relative,
        "relative_squared": relative**2,
        "perfect": np.full(n, perfect),
        "length": np.full(n, np.log(q)),
        "cut_before": np.minimum(m[:, at.BEFORE], MAX_OVERHANG),
        "cuts_before": (m[:, at.BEFORE] > 0).astype(float),
        "cut_after": np.minimum(m[:, at.AFTER], MAX_OVERHANG),
        "cuts_after": (m[:, at.AFTER] > 0).astype(float),
        "path": m[:, at.PATH],
        "weakest": m[:, at.WEAKEST],
        "words": m[:, at.ARCS],
        "standing": score - SELF_SCORE * m[:, at.STANDING],
        "sure": m[:, at.SURE],
        "longest": m[:, at.LONGEST],
        "slow": slow,
        "odd_length": np.abs(slow),
        "ahead": score - _best_other(score),
        "rank": np.log1p(np.arange(n)),
        "same": m[:, at.SAME],
    }


def with_written(
    posterior: Float64s, score: Float64s, heard: Mapping[str, Float64s]
) -> dict[str, Float64s]:
    """The evidence for a term with unknown words: its sound, and what was written in its place.

    Args:
        posterior: (n,) of the likeliest split or similar word at the place times its
            similarity; 0 where there is none.
        score: (n,) log ratio of the sound; below 0 where it was not heard.
        heard: `heard_features` of each place, 0 where it was not heard.
    """
    written = posterior > 0
    return {
        **heard,
        "written": written.astype(float),
        "written_logit": written * _logit(posterior),
        "unheard": (score < 0).astype(float),
    }


def known_features(
    posterior: Float64s, score: Float64s, heard: Mapping[str, Float64s], words: int
) -> dict[str, Float64s]:
    """What speaks for each place of a term whose words the index knows.

    Args:
        posterior: (n,) of the words at the place; 0 where only the sound fits.
        score: (n,) log ratio of the sound; below 0 where none was found.
        heard: `heard_features` of the sound at each place, 0 where none was found.
        words: number of words of the term.
    """
    written = posterior > 0
    expected = posterior.sum()
    order = np.lexsort((-score, -posterior))
    rank = np.empty(len(order))
    rank[order] = np.arange(len(order))
    only_heard = (~written).astype(float)
    sound = (
        *("score", "relative", "cut_before", "cut_after", "path", "standing", "sure", "longest"),
        *("odd_length", "same", "relative_squared", "perfect"),
    )
    return {
        "written": written.astype(float),
        "logit": written * _logit(posterior),
        "both": (written & (score > 0)).astype(float),
        "other_mass": np.log1p(np.maximum(0, expected - posterior)),
        "written_elsewhere": only_heard * np.log1p(expected),
        "rank": np.log1p(rank),
        "words": np.full(len(posterior), float(words)),
        "ahead": only_heard * (score - _best_other(score)),
        "beaten": only_heard * (score < score.max(initial=-np.inf)),
        **{name: only_heard * heard[name] for name in sound},
    }


def feature_names(*, known: bool) -> frozenset[str]:
    """The features that a model for known or for unknown terms may weigh."""
    from searcher.phonetic.alignment_kernels import N_MEASURES

    none = np.empty(0)
    rows = np.empty(0, np.int64)
    blank = np.empty((0, 0), np.int16)
    hits = Hits(
        rows, rows, rows, rows, np.empty((0, N_MEASURES), np.float32),
        np.empty((0, 0), np.int32), blank, blank, rows, rows,
    )  # fmt: skip
    heard = heard_features(1, 1.0, hits)
    made = known_features(none, none, heard, 1) if known else with_written(none, none, heard)
    return frozenset(made)


def _logit(posterior: Float64s) -> Float64s:
    odds: Float64s = np.log(posterior + LOGIT_FLOOR) - np.log(1 - posterior + LOGIT_FLOOR)
    return odds


def _best_other(score: Float64s) -> Float64s:
    """(n,) the best score of the others, at least 0."""
    if len(score) < 2:
        return np.zeros(len(score))
    first, second = np.sort(score)[::-1][:2]
    best: Float64s = np.where(score == first, second, first)
    return np.maximum(best, 0.0)


def fit(features: Mapping[str, Float64s], right: Bools, *, ridge: float = 0.3) -> Weights:
    """Learn weights from places that are right or wrong, by penalised maximum likelihood.

    Args:
        features: name -> (n,).
        right: (n,) whether the term was said there.
        ridge: inverse strength of the penalty on standardised coefficients (scikit-learn's C).

    Raises:
        ValueError: the places are all right or all wrong.
    """
    from sklearn.linear_model import LogisticRegression

    if right.all() or not right.any():
        raise ValueError(f"{np.count_nonzero(right)} of {len(right)} places are right")
    names = sorted(features)
    table = np.stack([features[name] for name in names], axis=1)
    mean, spread = table.mean(axis=0), table.std(axis=0)
    spread[spread == 0] = 1.0
    model = LogisticRegression(C=ridge, max_iter=3000).fit((table - mean) / spread, right)
    slopes = model.coef_[0] / spread
    return Weights(
        float(model.intercept_[0] - slopes @ mean),
        dict(zip(names, slopes.tolist(), strict=True)),
    )


UNTUNED = Weights(  # fitted on data/german (see docs/benchmarks.md), without any confusions counted
    -3.448,
    MappingProxyType(
        {
            "score": 0.125,
            "relative": 2.049,
            "length": -0.17,
            "cut_before": -0.31,
            "cut_after": -0.165,
            "path": -0.185,
            "standing": 0.061,
            "longest": -0.098,
            "ahead": 0.335,
        }
    ),
)
