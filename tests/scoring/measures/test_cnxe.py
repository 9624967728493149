import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from scoring.measures import cnxe
from scoring.measures.cnxe import cross_entropy, effective_prior

CASES = sorted((Path(__file__).parents[2] / "data" / "cnxe").glob("*.json"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_worked_out_by_hand(path):
    case = json.loads(path.read_text())
    p_tar = effective_prior(case["p_target"], case.get("c_miss", 1), case.get("c_fa", 1))
    _, llr, paired = zip(*case["detections"], strict=True)
    found = cross_entropy(
        np.array(llr),
        np.array(paired),
        sum(case["n_act"].values()),
        len(case["n_act"]) * case["t_audio"],
        p_tar,
    )
    got = {"cnxe": found.actual, "cnxe_min": found.minimum}
    got |= {"gamma": found.gamma, "delta": found.delta}
    for name, expected in case["expect"].items():
        assert got[name] == pytest.approx(expected, abs=1e-9)


def test_the_examples_of_the_source():
    # MediaEval 2013 SWS performance measures, section 4.2.1: P_tar = 0.0148 at the operating
    # point of equation 21.
    assert effective_prior(0.00015, 100, 1) == pytest.approx(0.0147805094, abs=1e-10)
    # Two-level system, shifted by 5: by hand from equations 22 and 42.
    llr = np.log(4) * np.array([1, 1, 1, 1, -1]) + 5
    paired = np.array([True, True, True, False, False])
    assert cross_entropy(llr, paired, 4, 20, 0.2).actual == pytest.approx(4.0043921689, abs=1e-9)


systems = st.lists(
    st.tuples(st.integers(-8, 8).map(lambda n: n / 2), st.booleans()), min_size=1, max_size=12
)


def literal(llr, paired, targets, trials, p_tar, gamma=1.0, delta=0.0):
    """Equations 37-43, trial by trial."""
    missing_targets = targets - sum(paired)
    missing_others = trials - targets - (len(paired) - sum(paired))
    offset = np.log(p_tar / (1 - p_tar))
    lowest = min(llr)
    target_cost = other_cost = 0.0
    trials_of_hits = [(score, truth, 1) for score, truth in zip(llr, paired, strict=True)]
    missing = [(lowest, True, missing_targets), (lowest, False, missing_others)]
    for score, truth, n in trials_of_hits + missing:
        odds = gamma * score + delta + offset
        if truth:
            target_cost += n * np.logaddexp(0, -odds)
        else:
            other_cost += n * np.logaddexp(0, odds)
    bits = p_tar * target_cost / targets + (1 - p_tar) * other_cost / (trials - targets)
    prior = p_tar * np.log(p_tar) + (1 - p_tar) * np.log(1 - p_tar)
    return -bits / prior


@settings(max_examples=25)
@given(systems, st.integers(1, 3), st.sampled_from([0.5, 0.0147805094, 0.2]))
def test_against_the_equations_and_a_search(hits, more, p_tar):
    llr, paired = map(list, zip(*hits, strict=True))
    targets, trials = sum(paired) + more, 40.5
    found = cross_entropy(np.array(llr), np.array(paired), targets, trials, p_tar)
    assert found.actual == pytest.approx(literal(llr, paired, targets, trials, p_tar), abs=1e-10)
    assert found.isotonic <= min(found.actual, 1) + 1e-12
    assert found.minimum <= min(found.actual, 1) + 1e-12
    if found.gamma >= 0:
        assert found.isotonic <= found.minimum + 1e-12
    if np.isfinite(found.gamma):
        at = literal(llr, paired, targets, trials, p_tar, found.gamma, found.delta)
        assert at == pytest.approx(found.minimum, abs=1e-9)
    searched = minimize(
        lambda at: literal(llr, paired, targets, trials, p_tar, *at), [1.0, 0.0], method="BFGS"
    ).fun
    assert found.minimum <= searched + 1e-9


def test_corners():
    one = np.array([True])
    nothing = cross_entropy(np.array([]), np.array([], bool), 3, 100, 0.1)
    assert nothing[:5] == (1.0, 1.0, 0.0, 0.0, 1.0)
    constant = cross_entropy(np.array([2.0]), one, 3, 100, 0.1)
    assert (constant.minimum, constant.gamma) == (pytest.approx(1), 0)
    separable = cross_entropy(np.array([2.0, -2.0]), np.array([True, False]), 1, 100, 0.5)
    assert (separable.minimum, separable.gamma) == (0, np.inf)
    reversed_ = cross_entropy(np.array([2.0, -2.0]), np.array([False, True]), 1, 2, 0.5)
    assert (reversed_.minimum, reversed_.gamma) == (0, -np.inf)
    too_many = cross_entropy(np.array([1.0, 2.0]), np.array([False, False]), 1, 2, 0.5)
    assert np.isnan(too_many.actual)
    assert np.isnan(cross_entropy(np.array([1.0]), one, 0, 100, 0.5).minimum)
    with pytest.raises(ValueError, match="NaN"):
        cross_entropy(np.array([np.nan]), one, 1, 2, 0.5)
    with pytest.raises(ValueError, match="prior"):
        cross_entropy(np.array([1.0]), one, 1, 2, 1.0)


def test_infinite_scores_are_the_highest_finite_ones():
    llr, paired = np.array([np.inf, 2.0, -1.0, -np.inf]), np.array([True, True, False, False])
    finite = np.array([2.0, 2.0, -1.0, -1.0])
    assert cross_entropy(llr, paired, 3, 50, 0.2) == cross_entropy(finite, paired, 3, 50, 0.2)
    assert cnxe.finite(np.array([np.inf, -np.inf])).tolist() == [36.0, -36.0]


def test_a_probability_costs_its_own_logarithm():
    scores, paired = np.array([0.8, 0.3]), np.array([True, False])
    llr = cnxe.from_probabilities(scores, 0.1)
    bits = cnxe.surprise_bits(llr + cnxe.logit(0.1), paired)
    assert bits == pytest.approx([-np.log2(0.8), -np.log2(0.7)])


def hard_system(seed):
    """Few hits of wide spread among many trials without one, scored as a part of a system."""
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 40))
    llr = random.normal(0, random.choice([0.1, 1, 10, 50]), n)
    paired = random.random(n) < 1 / (1 + np.exp(-np.clip(llr + random.normal(0, 2), -50, 50)))
    targets = int(paired.sum() + random.choice([1, 5]))
    trials = float(n + targets + random.choice([1, 100, 1e5, 1e6]))
    lowest = float(llr.min() - random.choice([0, 1, 5, 30, 100]))
    p_tar = float(random.choice([0.001, 0.0147, 0.2]))
    return cnxe.cross_entropy(llr, paired, targets, trials, p_tar, lowest=lowest)


def test_no_recalibration_is_worse_than_none():
    for seed in range(400):
        found = hard_system(seed)
        assert found.calibration_loss >= 0, seed
        assert found.isotonic <= found.actual + 1e-12, seed
        if found.gamma >= 0:
            assert found.isotonic <= found.minimum + 1e-12, seed


def least_bits(trials):
    """The least cross entropy by bisection alone: of the slope, and of the offset for each."""

    def middle_where(rises, low, high):
        for _ in range(110):
            middle = (low + high) / 2
            if middle in (low, high):  # no number is between them
                break
            low, high = (low, middle) if rises(middle) else (middle, high)
        return (low + high) / 2

    x = (trials.llr - trials.llr.min()) / np.ptp(trials.llr)
    weight = trials.target + trials.other

    def excess(slope, offset):
        with np.errstate(over="ignore"):
            return weight / (1 + np.exp(-(slope * x + offset))) - trials.target

    def offset_of(slope):
        reach = 1e3 + abs(slope)
        return middle_where(lambda offset: excess(slope, offset).sum() > 0, -reach, reach)

    slope = middle_where(lambda slope: excess(slope, offset_of(slope)) @ x > 0, -1e4, 1e4)
    return cnxe._bits(trials, slope * x + offset_of(slope))


@pytest.mark.slow
def test_the_minimum_against_bisection(monkeypatch):
    solve, seen = cnxe._minimise, []

    def watched(trials, p_tar):
        result = solve(trials, p_tar)
        seen.append((trials, result))
        return result

    monkeypatch.setattr(cnxe, "_minimise", watched)
    for seed in range(40):
        hard_system(seed)
    compared = 0
    for trials, (bits, gamma, _) in seen:
        if np.isfinite(gamma) and len(trials.llr) > 1:
            assert bits == pytest.approx(least_bits(trials), rel=1e-7, abs=1e-12)
            compared += 1
    assert compared > 20


@pytest.mark.parametrize(
    ("paired", "targets", "trials", "why"),
    [
        ([], 0, 100, "no term occurs in the reference"),
        ([True, True], 1, 100, "2 hits are right, of 1 occurrences"),
        ([True], 50, 40, "50 occurrences in 40 trials leave none without one"),
        ([True, *[False] * 9], 2, 10, "9 hits are wrong, of 8 trials without an occurrence"),
    ],
)
def test_what_has_no_value_says_why(paired, targets, trials, why):
    found = cross_entropy(
        np.zeros(len(paired)), np.array(paired, bool), targets, trials, 0.1, lowest=-1.0
    )
    assert np.isnan(found.actual)
    assert found.undefined == why
