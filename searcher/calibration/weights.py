"""Weights of evidence: learned from candidates that are right or wrong, near weights known before.

    Weights.log_ratios       features -> log likelihood ratios of each candidate against chance, and
                             against all false alarms, words that resemble the term among them
    fit, refit               labelled candidates -> weights, all of them or some
    negative_log_likelihood  what they minimise
    by_both                  probabilities by words and by examples of a term -> those by both

The labels of a term's candidates depend on each other, because it is unknown how often the term is
said. So the likelihood is that of `searcher.calibration.occurrence_rate`, for all candidates of a
term together; for candidates without a label, it sums over both labels. If a term has no right
candidate, the recogniser may have missed it everywhere (`FOUND`), so its candidates count less than
those of a term that was found. The penalty pulls each weight towards its earlier value, in
proportion to the variance of its feature: few examples change little.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from searcher.calibration import resembling_words
from searcher.calibration.occurrence_rate import labelled_posterior, rate_posterior
from searcher.calibration.occurring_terms import SAID
from std.imports import required
from std.store.columns import Int64s
from std.values import Bools, Float64s

# Penalty on a change of a log ratio by one, where the feature varies by its deviation.
WEIGHT_RIDGE = 10.0
CONSTANT = 1e-9  # deviation of a feature, against its mean, that is rounding only
MAX_ITERATIONS = 300
FOUND = SAID  # share of said terms of which a place can be found

UNFOUND = 1e-4  # probability by words of a place where they were not found
LEAST_BY_ONE = 1e-6  # and 1 minus the highest: what words or examples may say alone

Features = Mapping[str, Float64s]


class Evidence(NamedTuple):
    """Features of some candidates of one term."""

    features: Features  # each (n,)
    offset: Float64s  # (n,) added to the weighted features: what does not depend on weights
    explained: Float64s | None = None  # (n,) see `path_words.explained`; None: 0
    weighed: Float64s | float = 1.0  # (n,) share that the weighted features have
    by_phones: Bools | bool = False  # (n,) whether words that resemble the term fit there, too
    is_expected: bool = True  # whether posteriors of its words expect the term (`rate_posterior`)


@dataclass(frozen=True, slots=True)
class Weights:
    """Log likelihood ratio against chance = offset + weighed * (intercept + sum of coefficient *
    feature); see `Evidence`."""

    intercept: float
    coefficients: Mapping[str, float]

    def log_ratios(self, evidence: Evidence) -> "LogRatios":
        """The log likelihood ratios of each place."""
        chance = ratio = self.against_chance(evidence)
        if np.any(evidence.by_phones):
            against_all = resembling_words.against_all(chance, -evidence.offset)
            ratio = np.where(evidence.by_phones, against_all, chance)
        explained = evidence.explained
        return LogRatios(
            ratio, chance, np.ones(len(chance)) if explained is None else np.exp(-explained.clip(0))
        )

    def against_chance(self, evidence: Evidence) -> Float64s:
        """(n,) of each candidate. Features without a coefficient weigh nothing."""
        total = self.weighted(evidence.features, len(evidence.offset))
        return evidence.weighed * total + evidence.offset

    def weighted(self, features: Features, n: int) -> Float64s:
        """(n,) the features of n candidates, weighed and added up with the intercept."""
        total = np.full(n, self.intercept)
        for name, column in features.items():
            if coefficient := self.coefficients.get(name):
                total = total + coefficient * column
        return total


NO_WEIGHTS = Weights(0.0, {})


class LogRatios(NamedTuple):
    """Log likelihood ratios of the places of a term."""

    all_false_alarms: Float64s  # (n,) against chance and words that resemble the term
    chance: Float64s  # (n,) against chance alone
    counted: Float64s  # (n,) how many places each counts as (`rate_posterior`)

    def shifted(self, by: Float64s | float) -> "LogRatios":
        """The same with further evidence: (n,) log likelihood ratios, or one for all places."""
        return LogRatios(self.all_false_alarms + by, self.chance + by, self.counted)

    def explained(self, nats: Float64s, steepness: float) -> "LogRatios":
        """The same with (m,) nats by which words explain the last places, at least 0."""
        of_all = np.append(np.zeros(len(self.counted) - len(nats)), nats)
        return self.shifted(-steepness * of_all)._replace(counted=self.counted * np.exp(-of_all))


class Examples(NamedTuple):
    """All candidates of some terms, with their labels."""

    features: Features  # each (n,)
    offset: Float64s  # (n,)
    term: Int64s  # (n,) ascending
    n_terms: int
    is_right: Bools  # (n,) False where nothing is known
    is_known: Bools  # (n,) to be right or wrong
    enlarged: Float64s  # (n,) log of how many times as many chances the offset has as the speech
    weighed: Float64s | float = 1.0  # (n,) see `Evidence`
    by_phones: Bools | bool = False  # (n,) see there
    of_expected: Bools | bool = True  # (n,) whether its term is expected, see there

    @property
    def is_expected(self) -> Bools:
        """(terms,) whether posteriors of its words expect a term (`rate_posterior`)."""
        of_expected = np.broadcast_to(self.of_expected, self.offset.shape)
        return np.bincount(self.term, of_expected, self.n_terms) > 0

    def errors(self, weights: Weights) -> Float64s:
        """(terms,) minus the log likelihood of each term's labels under weights, nats."""
        evidence = Evidence(self.features, self.offset, weighed=self.weighed)
        chance = weights.against_chance(evidence)
        against_all = resembling_words.against_all(chance, -self.offset, self.enlarged)
        return negative_log_likelihood(np.where(self.by_phones, against_all, chance), self)[0]


def examples_of(evidence: Sequence[Evidence], is_right: Sequence[Bools]) -> Examples:
    """The candidates of some terms, one term after the other, all with labels.

    Args:
        evidence: the evidence of each term's candidates; features that a term lacks are 0.
    """
    return Examples(
        _side_by_side([(candidates.features, len(candidates.offset)) for candidates in evidence]),
        np.concatenate([np.empty(0), *(candidates.offset for candidates in evidence)]),
        np.repeat(np.arange(len(evidence)), [len(labels) for labels in is_right]),
        len(evidence),
        np.concatenate([np.empty(0, bool), *is_right]),
        np.ones(sum(map(len, is_right)), dtype=bool),
        np.zeros(sum(map(len, is_right))),
        _of_each([(one.weighed, one.offset) for one in evidence]),
        _of_each([(one.by_phones, one.offset) for one in evidence]).astype(bool),
        _of_each([(one.is_expected, one.offset) for one in evidence]).astype(bool),
    )


def _of_each(parts: Sequence[tuple[Float64s | Bools | float, Float64s]]) -> Float64s:
    """A value for each of several parts' candidates, whose offsets say how many these are."""
    return np.concatenate([np.empty(0), *(np.broadcast_to(one, at.shape) for one, at in parts)])


def _side_by_side(parts: Sequence[tuple[Features, int]]) -> Features:
    """Features of several parts, each with its number of candidates; 0 where a part has none."""
    names = sorted({name for features, _ in parts for name in features})
    return {
        name: np.concatenate([features.get(name, np.zeros(n)) for features, n in parts])
        for name in names
    }


def together(sets: Sequence[Examples]) -> Examples:
    """The examples of several sets."""
    first = np.cumsum([0, *(examples.n_terms for examples in sets)])
    return Examples(
        _side_by_side([(examples.features, len(examples.offset)) for examples in sets]),
        np.concatenate([examples.offset for examples in sets]),
        np.concatenate(
            [examples.term + n for examples, n in zip(sets, first.tolist(), strict=False)]
        ),
        int(first[-1]),
        np.concatenate([examples.is_right for examples in sets]),
        np.concatenate([examples.is_known for examples in sets]),
        np.concatenate([examples.enlarged for examples in sets]),
        _of_each([(examples.weighed, examples.offset) for examples in sets]),
        _of_each([(examples.by_phones, examples.offset) for examples in sets]).astype(bool),
        _of_each([(examples.of_expected, examples.offset) for examples in sets]).astype(bool),
    )


def fit(
    examples: Examples,
    names: Sequence[str],
    prior: Weights | None = None,
    ridge: float = WEIGHT_RIDGE,
    beside: Weights | None = None,
    begin: Weights | None = None,
) -> Weights:
    """Learn weights by penalised maximum likelihood.

    Args:
        prior: weights that the penalty pulls to; None = to 0, and the intercept is free.
        ridge: strength of the penalty.
        beside: weights of other features, which are not changed; the learned weights are added to
            them.
        begin: where the search for weights begins; None: at the prior.

    Raises:
        ValueError: there is no prior, and the candidates are all right or all wrong.
        ConfigError: scipy is not installed.
    """
    minimize = required("scipy.optimize", "tune").minimize
    right, known, weighed = examples.is_right, examples.is_known, examples.weighed
    by_phones = examples.by_phones
    if prior is None and (right[known].all() or not right.any()):
        raise ValueError(f"{np.count_nonzero(right)} of {len(right)} candidates are right")
    table, mean, deviation = _standardised(examples.features, names)

    def of_table(weights: Weights) -> Float64s:
        slopes = np.array([weights.coefficients.get(name, 0.0) for name in names])
        return np.concatenate([[weights.intercept + slopes @ mean], slopes * deviation])

    pulled_to = of_table(prior or NO_WEIGHTS)
    is_pulled = np.full(len(pulled_to), ridge)
    is_pulled[0] = ridge if prior else 0.0
    others = (beside or NO_WEIGHTS).weighted(examples.features, len(right))

    def loss(values: Float64s) -> tuple[float, Float64s]:
        chance = weighed * (others + values[0] + table @ values[1:]) + examples.offset
        at = chance, -examples.offset, examples.enlarged
        ratio = np.where(by_phones, resembling_words.against_all(*at), chance)
        errors, of_ratio = negative_log_likelihood(ratio, examples)
        of_words = np.where(by_phones, resembling_words.share_of_words(*at), 0.0)
        of_weights = weighed * of_ratio * (1 - of_words + resembling_words.SLOPE * of_words)
        gradient = np.concatenate([[of_weights.sum()], table.T @ of_weights])
        moved = values - pulled_to
        return float(errors.sum() + is_pulled @ moved**2 / 2), gradient + is_pulled * moved

    start = of_table(begin) if begin else pulled_to
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": MAX_ITERATIONS})
    slopes = found.x[1:] / deviation
    return Weights(
        float(found.x[0] - slopes @ mean), dict(zip(names, slopes.tolist(), strict=True))
    )


def _standardised(features: Features, names: Sequence[str]) -> tuple[Float64s, Float64s, Float64s]:
    """(n, names) of mean 0 and deviation 1; (names,) the means, and the deviations."""
    table = np.stack([features[name] for name in names], axis=1)
    mean, deviation = table.mean(axis=0), table.std(axis=0)
    deviation[deviation <= CONSTANT * (1 + np.abs(mean))] = 1.0
    return (table - mean) / deviation, mean, deviation


def negative_log_likelihood(log_ratio: Float64s, examples: Examples) -> tuple[Float64s, Float64s]:
    """(terms,) of the labels of each term, nats; and (n,) its derivative by each log ratio.

    Args:
        log_ratio: (n,) of each candidate.
        examples: n candidates; what is not known of them is summed over.
    """
    term, n_terms, is_expected = examples.term, examples.n_terms, examples.is_expected
    posterior = rate_posterior(log_ratio, term, n_terms, is_expected=is_expected)
    labelled = labelled_posterior(
        log_ratio, term, n_terms, examples.is_right, examples.is_known, is_expected
    )
    with_right = np.bincount(term, examples.is_right, n_terms) > 0
    evidence, found = _if_found_or_not(posterior.log_evidence, np.ones(n_terms, dtype=bool))
    of_labels, found_with_labels = _if_found_or_not(labelled.log_evidence, ~with_right)
    gradient = posterior.probability * found[term] - labelled.probability * found_with_labels[term]
    return evidence - of_labels, gradient


def _if_found_or_not(log_evidence: Float64s, may_be_missed: Bools) -> tuple[Float64s, Float64s]:
    """(terms,) log evidence of terms that may be missed everywhere, and the probability that a
    place of each is found.

    Args:
        log_evidence: (terms,) if a place is found, against all places being false alarms.
        may_be_missed: (terms,) whether all places may be.
    """
    log_found = np.log(FOUND) + log_evidence
    log_missed = np.where(may_be_missed, np.log(1 - FOUND), -np.inf)
    total = np.logaddexp(log_found, log_missed)
    return total, np.exp(log_found - total)


def refit(examples: Examples, prior: Weights, ridge: float = WEIGHT_RIDGE) -> Weights:
    """The prior, with the weights of these examples' features learned again.

    Args:
        examples: candidates of terms; if nothing is known of them, the prior stays.
    """
    if not examples.is_known.any():
        return prior
    learned = fit(examples, sorted(examples.features), prior, ridge)
    return replace(learned, coefficients={**prior.coefficients, **learned.coefficients})


class BothWeights(NamedTuple):
    """Of the log odds by words and by examples; ``benchmarks.query_by_example`` learns them."""

    intercept: float
    words: float
    sound: float


SPOKEN = BothWeights(1.10, 0.58, 0.60)  # the words were recognised in a spoken query
WRITTEN = BothWeights(1.38, 0.81, 0.33)


def by_both(words: Float64s, sound: Float64s, weights: BothWeights) -> Float64s:
    """(n,) the probability that a term is said in places, if it is said again.

    A recogniser and an encoder make different mistakes, so their log odds are added, though with
    weights below 1, because both have heard the same audio.

    Args:
        words: (n,) by words; 0 where they were not found, 1 where a person wrote them.
        sound: (n,) by examples; nan where there is no sound, so that words alone count.
    """
    by_words = np.clip(words, UNFOUND, 1 - LEAST_BY_ONE)
    by_sound = np.clip(sound, LEAST_BY_ONE, 1 - LEAST_BY_ONE)
    log_odds = weights.intercept + weights.words * np.log(by_words / (1 - by_words))
    log_odds += weights.sound * np.log(by_sound / (1 - by_sound))
    both: Float64s = np.where(np.isnan(sound) | (words == 1), words, 1 / (1 + np.exp(-log_odds)))
    return both
