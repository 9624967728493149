"""Expectations against enumeration of every outcome, and laws of the calibration plot."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scoring.measures.calibration import expectations, expected_twv, found_twv, reliability, wilson

BETA, TRIALS = 2.5, 1e9  # so many trials that trials - N is trials

probability = st.floats(0, 1, allow_subnormal=False)
HITS = st.lists(st.tuples(st.integers(0, 2), probability, st.booleans()), min_size=1, max_size=7)


def columns(hits):
    term, score, yes = zip(*hits, strict=True)
    return np.array(term, np.int32), np.array(score), np.array(yes, bool)


def enumerated_twv(term, score, yes, trials, beta):
    """The slow twin: every outcome of every hit, weighted by its probability."""
    value = occurring = 0.0
    for outcome in itertools.product([False, True], repeat=len(term)):
        correct = np.array(outcome)
        weight = np.prod(np.where(correct, score, 1 - score))
        for one in set(term.tolist()):
            mine = term == one
            n = (mine & correct).sum()
            if n:
                wrong = (mine & yes & ~correct).sum()
                value += weight * ((mine & yes & correct).sum() / n - beta * wrong / trials)
                occurring += weight
    return value / occurring if occurring else float("nan")


@given(HITS)
def test_expected_twv_is_the_mean_over_all_outcomes(hits):
    term, score, yes = columns(hits)
    assume(score.max() > 1e-9)  # else hardly any term occurs: a ratio of roundings
    expected = enumerated_twv(term, score, yes, TRIALS, BETA * TRIALS)
    got = expected_twv(term, score, yes, TRIALS, BETA * TRIALS)
    assert got == pytest.approx(expected, abs=1e-6, rel=1e-6)


@given(HITS)
def test_certain_scores_foretell_exactly(hits):
    term, score, yes = columns(hits)
    correct = score > 0.5
    expected = found_twv(term, correct, yes, 1000, BETA)
    got = expected_twv(term, correct.astype(float), yes, 1000, BETA)
    assert got == pytest.approx(expected, nan_ok=True, abs=1e-9)


@given(HITS.filter(lambda hits: max(p for _, p, _ in hits) > 0.01))
def test_accepting_everything_misses_nothing(hits):
    term, score, _ = columns(hits)
    everything = np.ones(len(term), bool)
    assert expected_twv(term, score, everything, TRIALS, 1e-9) == pytest.approx(1, abs=1e-6)


def test_quadrature_holds_for_frequent_terms():
    score = np.random.default_rng(7).random(1000)
    everything, term = np.ones(1000, bool), np.zeros(1000, np.int32)
    assert expected_twv(term, score, everything, TRIALS, 1e-9) == pytest.approx(1, abs=1e-9)


def test_calibrated_outcomes_agree_with_expectations():
    draw = np.random.default_rng(11)
    term = draw.integers(0, 4000, 20_000).astype(np.int32)
    score = draw.beta(0.4, 0.6, 20_000)
    correct, yes = draw.random(20_000) < score, score > 0.3
    for row in expectations(term, score, correct, yes, 50_000, 999.9):
        assert row.observed == pytest.approx(row.expected, rel=0.03)
    assert reliability(score, correct).error < 0.02


def test_without_hits_nothing_is_expected():
    none = np.zeros(0)
    rows = expectations(none.astype(np.int32), none, none.astype(bool), none.astype(bool), 10, 1)
    assert [row[1:] for row in rows[:3]] == [(0, 0)] * 3
    assert np.isnan(rows[3][1:]).all()
    assert np.isnan(reliability(none, none.astype(bool)).error)


@pytest.mark.parametrize("score", [[1.2], [-0.1], [float("nan")], [0.5, 0.5]])
def test_other_scores_are_refused(score):
    yes = np.array([True])
    with pytest.raises(ValueError, match=r"outside|scores"):
        reliability(np.array(score), yes)


@given(st.lists(st.tuples(probability, st.booleans()), max_size=40), st.integers(1, 12))
def test_bins_hold_every_hit(hits, bins):
    score = np.array([one for one, _ in hits])
    correct = np.array([one for _, one in hits], bool)
    plot = reliability(score, correct, bins=bins)
    filled = plot.hits > 0
    assert plot.hits.sum() == len(hits)
    assert (plot.hits * np.nan_to_num(plot.expected)).sum() == pytest.approx(score.sum())
    assert (plot.hits * np.nan_to_num(plot.observed)).sum() == pytest.approx(correct.sum())
    assert (plot.low[filled] <= plot.observed[filled] + 1e-12).all()
    assert (plot.high[filled] >= plot.observed[filled] - 1e-12).all()
    assert (plot.expected[filled] >= plot.edges[:-1][filled] - 1e-9).all()
    assert (plot.expected[filled] <= plot.edges[1:][filled] + 1e-9).all()


# Newcombe, Statistics in Medicine 17, 1998, table I, method 3: Wilson's interval.
@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_interval(successes, trials, low, high):
    got = wilson(np.array([float(successes)]), np.array([trials]))
    assert np.concatenate(got) == pytest.approx([low, high], abs=5e-5)
