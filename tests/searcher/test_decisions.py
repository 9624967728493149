"""Decision rules against enumeration of all outcomes, and against worked examples."""

from importlib import import_module
from itertools import product
from math import exp, factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from searcher.decisions import (
    RULES,
    THRESHOLD,
    exact,
    expected_occurrences,
    rule_for,
    term_specific_threshold,
)
from std.config import DecisionConfig

BETA = 999.9
chances = st.lists(st.floats(0.001, 0.999), min_size=1, max_size=5)
T = 3600.0


def one_term(p, *, missing=0.0, occurs=False, speech_s=T):
    p = np.array(p)
    zeros = np.zeros(len(p), np.int64)
    return exact(zeros, p, 1, speech_s, beta=BETA, missing=missing, occurs=occurs)


def gain_by_enumeration(p, i, missing):
    """Expected 1/N of a hit: over which others are right, and how many were missed."""
    total = 0.0
    for outcome in product((0, 1), repeat=len(p)):
        if not outcome[i]:
            continue
        chance = np.prod([x if y else 1 - x for x, y in zip(p, outcome, strict=True)])
        for more in range(60):
            poisson = exp(-missing) * missing**more / factorial(more)
            total += chance * poisson / (sum(outcome) + more)
    return total


@given(chances, st.sampled_from([0.0, 0.1, 1.0]), st.booleans())
def test_exact_is_gain_against_cost_over_all_outcomes(p, missing, occurs):
    cost_of_one = BETA / (T - sum(p) - missing)
    happens = 1 - exp(-missing) * np.prod([1 - x for x in p]) if occurs else 1.0
    for i, score in enumerate(one_term(p, missing=missing, occurs=occurs).tolist()):
        gain = gain_by_enumeration(p, i, missing)
        cost = cost_of_one * max(0.0, happens - p[i])
        assert score == pytest.approx(gain / (gain + cost), rel=1e-6)


@pytest.mark.parametrize(
    ("p", "missing", "occurs", "yes"),
    [
        # worked with T = 3600, beta 999.9, from the formula of the module
        ([0.02], 0.0, False, [False]),  # a lone unlikely candidate of a term that may not occur
        ([0.02], 0.0, True, [True]),  # if the term occurs at all, it is this one
        ([0.02], 0.5, True, [False]),  # unless others may have been missed
        ([0.9, 0.3], 0.0, False, [True, False]),
        ([0.9, 0.3], 0.0, True, [True, False]),
        ([0.22], 0.0, False, [True]),  # theta for N = 1 is .217
        ([0.21], 0.0, False, [False]),
    ],
)
def test_exact_decisions(p, missing, occurs, yes):
    assert (one_term(p, missing=missing, occurs=occurs) >= THRESHOLD).tolist() == yes


@pytest.mark.parametrize("name", RULES)
def test_every_rule_rescales_and_keeps_the_order(name):
    term = np.array([0, 1, 0, 0, 2, 0])
    score = np.array([0.9, 0.4, 0.05, 0.3, 0.0, 1.0])
    config = DecisionConfig(rule=name, threshold=0.35)
    scaled = RULES[name](term, score, 3, T, config)
    assert ((scaled >= 0) & (scaled <= 1)).all()
    mine = term == 0
    assert (np.argsort(scaled[mine]) == np.argsort(score[mine])).all()
    assert RULES[name](term[:0], score[:0], 3, T, config).shape == (0,)


@given(chances)
def test_rescaling_moves_the_threshold_to_one_half(p):
    score = np.array(p)
    zeros = np.zeros(len(p), np.int64)
    n = score.sum()
    theta = BETA * n / (T + (BETA - 1) * n)
    clear = np.abs(score - theta) > 1e-9
    for name in ("term-specific", "kst"):
        scaled = RULES[name](zeros, score, 1, T, DecisionConfig(rule=name))
        assert ((scaled >= THRESHOLD) == (score >= theta))[clear].all()
    fixed = RULES["global"](zeros, score, 1, T, DecisionConfig(threshold=0.5))
    assert fixed == pytest.approx(score)
    share = RULES["sto"](zeros, score, 1, T, DecisionConfig())
    limit = BETA / (T + BETA - 1)
    away = np.abs(score / n - limit) > 1e-9
    assert ((share >= THRESHOLD) == (score / n >= limit))[away].all()


def test_auto_is_exact_for_calibrated_scores_only():
    assert rule_for(DecisionConfig(), calibrated=True) is RULES["exact"]
    assert rule_for(DecisionConfig(), calibrated=False) is RULES["term-specific"]
    assert rule_for(DecisionConfig(rule="kst"), calibrated=True) is RULES["kst"]


# Thresholds at beta 999.9 for T = 3600, 10800 and 36000 s, published to three digits in the
# derivation of the rule: N_true -> theta.
TABLE = [
    (3600, {0.5: 0.122, 1: 0.217, 2: 0.357, 5: 0.582, 20: 0.848, 100: 0.966}),
    (10800, {0.5: 0.044, 1: 0.085, 2: 0.156, 5: 0.317, 20: 0.650, 100: 0.903}),
    (36000, {0.5: 0.0137, 1: 0.0270, 2: 0.0526, 5: 0.122, 20: 0.357, 100: 0.736}),
]


@pytest.mark.parametrize(("speech_s", "table"), TABLE)
def test_term_specific_thresholds(speech_s, table):
    theta = term_specific_threshold(np.array(list(table)), speech_s, 999.9)
    assert theta.tolist() == pytest.approx(list(table.values()), abs=5e-4)


@given(st.floats(0.01, 50), st.floats(1000, 1e6), st.floats(1, 2000))
def test_at_the_threshold_accepting_neither_gains_nor_costs(n_true, speech_s, beta):
    """p/N - beta (1 - p) / (T - N) = 0 at p = theta: the rule's derivation."""
    p = term_specific_threshold(np.array([n_true]), speech_s, beta)[0]
    assert p / n_true - beta * (1 - p) / (speech_s - n_true) == pytest.approx(0, abs=1e-9)


def test_expected_occurrences_sum_merged_scores():
    n = expected_occurrences(np.array([0, 2, 2]), np.array([0.5, 0.25, 1.0]), 3, 2.0)
    assert n.tolist() == [1.0, 0.0, 2.5]


def test_where_nothing_was_said_nothing_is_decided():
    assert term_specific_threshold(np.array([0.0]), 0.0, 999.9).tolist() == [0.0]


TRIALS = 360_000.0


def counted(p, missing):
    """The slow twin: P(K = k) of the other candidates by convolution, then E[1 / (1 + K)]."""
    unseen = [np.exp(-missing)]
    for k in range(1, 30):
        unseen.append(unseen[-1] * missing / k)
    gains = []
    for i in range(len(p)):
        chance = np.array(unseen)
        for j, other in enumerate(p):
            if j != i:
                chance = np.convolve(chance, [1 - other, other])
        gains.append(p[i] * (chance / np.arange(1, len(chance) + 1)).sum())
    return np.array(gains)


def worth(p, gain, missing):
    none = np.prod(1 - p) * np.exp(-missing)
    cost = BETA / (TRIALS - p.sum() - missing) * np.maximum(1 - none - p, 0)
    return gain / (gain + cost)


@pytest.mark.parametrize("missing", [0.0, 0.7])
@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_equals_counting(n, missing):
    p = np.random.default_rng(n).random(n)
    found = exact(np.zeros(n, np.int64), p, 1, TRIALS, beta=BETA, missing=missing, occurs=True)
    np.testing.assert_allclose(found, worth(p, counted(p, missing), missing), rtol=1e-9)


@pytest.mark.parametrize("n", [100, 1000, 5000, 200_000])
def test_very_frequent_terms(n):
    """All probabilities equal: K + 1 is binomial, and E[1 / (1 + K)] = (1 - (1 - q)^n) / (n q)."""
    p = np.full(n, 0.9)
    gain = 0.9 * (1 - 0.1**n) / (n * 0.9)
    found = exact(np.zeros(n, np.int64), p, 1, 10 * TRIALS, beta=BETA, missing=0.0, occurs=False)
    cost = BETA / (10 * TRIALS - p.sum()) * 0.1
    np.testing.assert_allclose(found, gain / (gain + cost), rtol=1e-9)


def test_terms_in_any_order_and_none():
    rng = np.random.default_rng(5)
    term, p = rng.integers(0, 6, 300), rng.random(300)
    term[term == 4] = 3
    options = {"beta": BETA, "missing": 0.2, "occurs": True}
    found = exact(term, p, 6, TRIALS, **options)
    for one in range(6):
        mine = term == one
        alone = exact(np.zeros(mine.sum(), np.int64), p[mine], 1, TRIALS, **options)
        np.testing.assert_allclose(found[mine], alone, rtol=1e-12)


def test_a_term_by_itself_is_judged_as_in_a_list():
    rng = np.random.default_rng(5)
    sizes = np.array([0, 1, 30, 900, 700])  # so few and so many occurrences are expected
    probability = rng.uniform(0, 1, sizes.sum())
    term = np.repeat(np.arange(len(sizes)), sizes)
    options = {"beta": BETA, "missing": 0.03, "occurs": False}
    together = exact(term, probability, len(sizes), TRIALS, **options)
    for i in range(len(sizes)):
        own = probability[term == i]
        alone = exact(np.zeros(len(own), int), own, 1, TRIALS, **options)
        assert alone == pytest.approx(together[term == i], rel=1e-12)


@pytest.mark.parametrize("cells", [40, 1000])
def test_the_size_of_tables_does_not_show(monkeypatch, cells):
    rng = np.random.default_rng(6)
    p, options = rng.beta(0.2, 2, 900), {"beta": BETA, "missing": 0.03, "occurs": False}
    for term in (np.zeros(900, np.int64), rng.integers(0, 7, 900)):
        found = exact(term, p, 7, TRIALS, **options)
        with monkeypatch.context() as patch:
            patch.setattr(import_module("searcher.decisions"), "CELLS", cells)
            assert (exact(term, p, 7, TRIALS, **options) == found).all()


def test_the_bits_of_a_term_are_its_own(monkeypatch):
    """Long lists are computed in pieces, and in parts that are decided on as one."""
    monkeypatch.setattr(import_module("searcher.decisions"), "ROWS_AT_ONCE", 100)
    rng = np.random.default_rng(11)
    sizes = rng.choice([1, 3, 40, 99, 100, 101, 350], 60)
    term, p = np.repeat(np.arange(60), sizes), rng.beta(0.3, 2, sizes.sum())
    options = {"beta": BETA, "missing": 0.03, "occurs": True}
    found = exact(term, p, 60, TRIALS, **options)
    for one in range(60):
        mine = p[term == one]
        alone = exact(np.zeros(len(mine), np.int64), mine, 1, TRIALS, **options)
        assert alone.tolist() == found[term == one].tolist()
