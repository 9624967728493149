"""From evidence to probability: logistic regression over features of a candidate.

There are two models:

    OOV   the index lacks a word of the term. Evidence: how well the phones fit, the one-best words
          in the span, the margin over competing hits.
    IV    the index has all words of the term. Evidence: their posteriors; phonetic hits compete
          with the lexical candidates.

Coefficients are for the features as they are (not standardised), so a model can be read. They
come from `std-tune`; `DEFAULT_WEIGHTS` serve without a model. Names of features are keys of
``model.json``, which users keep: they do not change.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from searcher.phonetic import layout
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
        probability: Float64s = 1 / (1 + np.exp(-np.clip(log_odds, -30, 30)))
        return probability


def hit_features(phones: int, perfect: float, hits: Hits) -> dict[str, Float64s]:
    """Evidence of the phones for each hit.

    Args:
        phones: length of the query.
        perfect: score of the query recognised phone for phone, nats.
        hits: n of them, best first.

    Returns:
        name -> (n,):

    score, relative   log ratio; its share of a perfect match, and that squared
    perfect, length   log ratio of a perfect match; log of the number of phones
    cut_before, ..    phones of the first word before the hit, of the last after it (and if any)
    path, weakest     log posteriors of the words on the path: summed, least
    words             number of words on the path
    standing          score minus what the one-best words in the span would score
    sure, longest     their mean posterior; phones of the longest of them that the hit cuts
    slow, odd_length  log of the duration over the typical one, and its size
    ahead, rank       margin: score minus the best competing hit's; log of the rank
    same              share of the phones recognised as the query's own
    """
    n, m = len(hits.start_ms), hits.measures.astype(np.float64)
    score, q = m[:, layout.SCORE], max(1, phones)
    slow = np.log(np.maximum(hits.end_ms - hits.start_ms, 1) / (q * TYPICAL_PHONE_MS))
    relative = score / max(perfect, 1e-9)
    return {
        "score": score,
        "relative": relative,
        "relative_squared": relative**2,
        "perfect": np.full(n, perfect),
        "length": np.full(n, np.log(q)),
        "cut_before": np.minimum(m[:, layout.PHONES_BEFORE], MAX_OVERHANG),
        "cuts_before": (m[:, layout.PHONES_BEFORE] > 0).astype(float),
        "cut_after": np.minimum(m[:, layout.PHONES_AFTER], MAX_OVERHANG),
        "cuts_after": (m[:, layout.PHONES_AFTER] > 0).astype(float),
        "path": m[:, layout.PATH_LOG_POSTERIOR],
        "weakest": m[:, layout.MIN_LOG_POSTERIOR],
        "words": m[:, layout.PATH_LENGTH],
        "standing": score - SELF_SCORE * m[:, layout.ONE_BEST_PHONES],
        "sure": m[:, layout.ONE_BEST_POSTERIOR],
        "longest": m[:, layout.ONE_BEST_CUT_PHONES],
        "slow": slow,
        "odd_length": np.abs(slow),
        "ahead": score - _best_other(score),
        "rank": np.log1p(np.arange(n)),
        "same": m[:, layout.SAME_PHONES],
    }


def oov_features(
    posterior: Float64s, score: Float64s, of_hits: Mapping[str, Float64s]
) -> dict[str, Float64s]:
    """Evidence for candidates of an OOV term: phones, and splits or similar words.

    Args:
        posterior: (n,) of the likeliest split or similar word times its similarity; 0 where
            there is none.
        score: (n,) log ratio of the phones, nats; below 0 without a phonetic hit.
        of_hits: `hit_features` of the phonetic hits, 0 without one.
    """
    written = posterior > 0
    return {
        **of_hits,
        "written": written.astype(float),
        "written_logit": written * _logit(posterior),
        "unheard": (score < 0).astype(float),
    }


def iv_features(
    posterior: Float64s, score: Float64s, of_hits: Mapping[str, Float64s], words: int
) -> dict[str, Float64s]:
    """Evidence for candidates of an IV term: posteriors and, without one, phones.

    Args:
        posterior: (n,) of the words; 0 where only the phones fit.
        score: (n,) log ratio of the phones, nats; below 0 without a phonetic hit.
        of_hits: `hit_features` of the phonetic hits, 0 without one.
        words: number of words of the term.
    """
    written = posterior > 0
    expected = posterior.sum()
    order = np.lexsort((-score, -posterior))
    rank = np.empty(len(order))
    rank[order] = np.arange(len(order))
    is_phonetic = (~written).astype(float)
    phonetic = (
        *("score", "relative", "cut_before", "cut_after", "path", "standing", "sure", "longest"),
        *("odd_length", "same", "relative_squared", "perfect"),
    )
    return {
        "written": written.astype(float),
        "logit": written * _logit(posterior),
        "both": (written & (score > 0)).astype(float),
        "other_mass": np.log1p(np.maximum(0, expected - posterior)),
        "written_elsewhere": is_phonetic * np.log1p(expected),
        "rank": np.log1p(rank),
        "words": np.full(len(posterior), float(words)),
        "ahead": is_phonetic * (score - _best_other(score)),
        "beaten": is_phonetic * (score < score.max(initial=-np.inf)),
        **{name: is_phonetic * of_hits[name] for name in phonetic},
    }


def feature_names(*, in_vocabulary: bool) -> frozenset[str]:
    """The features that a model for IV or for OOV terms may weigh."""
    none = np.empty(0)
    rows = np.empty(0, np.int64)
    blank = np.empty((0, 0), np.int16)
    hits = Hits(
        rows, rows, rows, rows, np.empty((0, layout.N_MEASURES), np.float32),
        np.empty((0, 0), np.int32), blank, blank, rows, rows,
    )  # fmt: skip
    of_hits = hit_features(1, 1.0, hits)
    if in_vocabulary:
        return frozenset(iv_features(none, none, of_hits, 1))
    return frozenset(oov_features(none, none, of_hits))


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
    """Learn weights from candidates that are right or wrong, by penalised maximum likelihood.

    Args:
        features: name -> (n,).
        right: (n,) whether the term was said there.
        ridge: inverse strength of the penalty on standardised coefficients (scikit-learn's C).

    Raises:
        ValueError: the candidates are all right or all wrong.
    """
    from sklearn.linear_model import LogisticRegression

    if right.all() or not right.any():
        raise ValueError(f"{np.count_nonzero(right)} of {len(right)} candidates are right")
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


DEFAULT_WEIGHTS = (
    Weights(  # fitted on data/german (see docs/benchmarks.md), without any confusions counted
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
)
