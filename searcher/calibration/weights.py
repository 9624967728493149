"""Weights of evidence: learned from candidates that are right or wrong, near weights known before.

    Weights.log_ratio   features -> log likelihood ratio of each candidate
    fit, refit          labelled candidates -> weights, all of them or some

The labels of a term's candidates are not independent of each other: how often the term is said is
unknown. So the likelihood is that of `searcher.calibration.occurrence_rate`, all candidates of a
term together; of those about which nothing is known, all possible labels are summed over. The
penalty pulls weights to those known before, each by how much its feature varies: where there is
little to learn from, little changes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from searcher.calibration.features import Evidence, Features
from searcher.calibration.occurrence_rate import labelled_posterior, rate_posterior
from std.extras import required
from std.store.columns import Int64s
from std.values import Bools, Float64s

RIDGE = 10.0  # penalty on a change of a log ratio by one, where the feature varies by its deviation
CONSTANT = 1e-9  # deviation of a feature, against its mean, that is rounding only
MAX_ITERATIONS = 300


@dataclass(frozen=True, slots=True)
class Weights:
    """Log likelihood ratio = intercept + sum of coefficient * feature + offset."""

    intercept: float
    coefficients: Mapping[str, float]

    def log_ratio(self, evidence: Evidence) -> Float64s:
        """(n,) of each candidate. Features without a coefficient weigh nothing."""
        total = evidence.offset + self.intercept
        for name, column in evidence.features.items():
            if coefficient := self.coefficients.get(name):
                total = total + coefficient * column
        return total


class Examples(NamedTuple):
    """All candidates of some terms, and what is known of them."""

    features: Features  # each (n,)
    offset: Float64s  # (n,)
    term: Int64s  # (n,) ascending
    n_terms: int
    is_right: Bools  # (n,) False where nothing is known
    is_known: Bools  # (n,) to be right or wrong


def examples_of(evidence: Sequence[Evidence], is_right: Sequence[Bools]) -> Examples:
    """The candidates of some terms, one term after the other, all of them known.

    Args:
        evidence: of each term's candidates.
        is_right: of each term's candidates.
    """
    names = evidence[0].features if evidence else {}
    return Examples(
        {
            name: np.concatenate([candidates.features[name] for candidates in evidence])
            for name in names
        },
        np.concatenate([np.empty(0), *(candidates.offset for candidates in evidence)]),
        np.repeat(np.arange(len(evidence)), [len(labels) for labels in is_right]),
        len(evidence),
        np.concatenate([np.empty(0, bool), *is_right]),
        np.ones(sum(map(len, is_right)), dtype=bool),
    )


def together(sets: Sequence[Examples]) -> Examples:
    """The examples of several sets."""
    with_terms = [examples for examples in sets if examples.n_terms]
    sets = with_terms or sets[:1]  # a set without terms has no features
    first = np.cumsum([0, *(examples.n_terms for examples in sets)])
    return Examples(
        {
            name: np.concatenate([examples.features[name] for examples in sets])
            for name in sets[0].features
        },
        np.concatenate([examples.offset for examples in sets]),
        np.concatenate(
            [examples.term + n for examples, n in zip(sets, first.tolist(), strict=False)]
        ),
        int(first[-1]),
        np.concatenate([examples.is_right for examples in sets]),
        np.concatenate([examples.is_known for examples in sets]),
    )


def fit(
    examples: Examples, names: Sequence[str], prior: Weights | None = None, ridge: float = RIDGE
) -> Weights:
    """Learn weights by penalised maximum likelihood.

    Args:
        examples: candidates of terms.
        names: features to weigh.
        prior: weights that the penalty pulls to; None = to 0, and the intercept is free.
        ridge: strength of the penalty.

    Raises:
        ValueError: there is no prior, and the candidates are all right or all wrong.
        ConfigError: scipy is not installed.
    """
    minimize = required("scipy.optimize", "tune").minimize
    right, known = examples.is_right, examples.is_known
    if prior is None and (right[known].all() or not right.any()):
        raise ValueError(f"{np.count_nonzero(right)} of {len(right)} candidates are right")
    table = np.stack([examples.features[name] for name in names], axis=1)
    deviation = table.std(axis=0)
    mean = table.mean(axis=0)
    deviation[deviation <= CONSTANT * (1 + np.abs(mean))] = 1.0
    table = (table - mean) / deviation
    begin = np.zeros(len(names) + 1)
    if prior:
        slopes = np.array([prior.coefficients.get(name, 0.0) for name in names])
        begin = np.concatenate([[prior.intercept + slopes @ mean], slopes * deviation])
    is_pulled = np.full(len(begin), ridge)
    is_pulled[0] = ridge if prior else 0.0

    def loss(values: Float64s) -> tuple[float, Float64s]:
        log_ratio = values[0] + table @ values[1:] + examples.offset
        posterior = rate_posterior(log_ratio, examples.term, examples.n_terms)
        labelled = labelled_posterior(log_ratio, examples.term, examples.n_terms, right, known)
        error = posterior.probability - labelled.probability
        pull = is_pulled * (values - begin)
        gradient = np.concatenate([[error.sum()], table.T @ error]) + pull
        loss = (posterior.log_evidence - labelled.log_evidence).sum() + pull @ (values - begin) / 2
        return float(loss), gradient

    found = minimize(loss, begin, jac=True, method="L-BFGS-B", options={"maxiter": MAX_ITERATIONS})
    slopes = found.x[1:] / deviation
    return Weights(
        float(found.x[0] - slopes @ mean), dict(zip(names, slopes.tolist(), strict=True))
    )


def refit(examples: Examples, prior: Weights, ridge: float = RIDGE) -> Weights:
    """The prior with the weights of these examples' features learned anew, as far as it can be.

    Args:
        examples: candidates of terms; if nothing is known of them, the prior stays.
        prior: whose other weights stay.
        ridge: strength of the penalty.
    """
    if not examples.is_known.any():
        return prior
    learned = fit(examples, sorted(examples.features), prior, ridge)
    return Weights(learned.intercept, {**prior.coefficients, **learned.coefficients})
