import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.measures import det, twv
from scoring.measures.ranking import average_precision
from scoring.options import OperatingPoint
from std.errors import StdError

TRIALS, BETA = 50, 3.0


def system(rows, terms=3):
    """Rows of term, score, paired; targets are the paired hits and one more for two terms."""
    term, score, paired = (np.array(c) for c in zip(*rows, strict=True))
    targets = np.bincount(term[paired.astype(bool)], minlength=terms) + np.array([1, 1, 0])
    return term.astype(np.int32), score.astype(float), paired.astype(bool), targets


def at_threshold(threshold, term, score, paired, targets, counted):
    """The slow way: count again at every threshold."""
    accepted = score >= threshold
    p_miss, p_fa, values = [], [], []
    for t in np.flatnonzero(counted):
        mine = accepted & (term == t)
        if targets[t]:
            p_miss.append(1 - (mine & paired).sum() / targets[t])
        p_fa.append((mine & ~paired).sum() / (TRIALS - targets[t]))
        values.append(1 - ((p_miss[-1] if targets[t] else 0.0) + BETA * p_fa[-1]))
    return np.array(p_miss), np.array(p_fa), np.array(values)


systems = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 5), st.booleans()), min_size=1, max_size=20
).map(system)


@given(systems)
def test_sweep_against_counting_again(hits):
    term, score, paired, targets = hits
    counted = targets > 0
    curve = det.sweep(term, score, paired, targets, TRIALS, BETA)
    assert curve.threshold.tolist() == sorted(set(score[counted[term]].tolist()))
    for i, threshold in enumerate(curve.threshold.tolist()):
        p_miss, p_fa, values = at_threshold(threshold, *hits, counted)
        point = (curve.p_miss[i], curve.p_fa[i], curve.twv[i])
        assert point == pytest.approx((p_miss.mean(), p_fa.mean(), values.mean()), abs=1e-12)
        deviations = (curve.sd_p_miss[i], curve.sd_p_fa[i], curve.sd_twv[i])
        expected = [column.std(ddof=1) for column in (p_miss, p_fa, values)]
        assert deviations == pytest.approx(expected, abs=1e-7)


@given(systems)
def test_terms_without_occurrences_add_false_alarms_when_counted(hits):
    term, score, paired, targets = hits
    every = np.ones(3, bool)
    curve = det.sweep(term, score, paired, targets, TRIALS, BETA, counted=every)
    for i, threshold in enumerate(curve.threshold.tolist()):
        p_miss, p_fa, _ = at_threshold(threshold, *hits, every)
        assert curve.p_miss[i] == pytest.approx(p_miss.mean(), abs=1e-12)
        assert curve.p_fa[i] == pytest.approx(p_fa.mean(), abs=1e-12)


@given(systems)
def test_a_term_that_is_a_target_in_every_trial_has_no_p_fa(hits):
    term, score, paired, targets = hits
    trials = int(targets[0])
    counted = (targets > 0) & (targets <= trials)
    room = np.flatnonzero(counted & (targets < trials))
    curve = det.sweep(term, score, paired, targets, trials, BETA, counted=counted)
    best = det.optimum(term, score, paired, targets, trials, BETA, curve.threshold, counted=counted)
    assert np.isnan(best.p_fa[0])
    for i, threshold in enumerate(curve.threshold.tolist()):
        accepted = score >= threshold
        hit_rate = np.bincount(term[accepted & paired], minlength=3) / np.maximum(targets, 1)
        wrong = np.bincount(term[accepted & ~paired], minlength=3)
        assert curve.p_miss[i] == pytest.approx(1 - hit_rate[counted].mean(), abs=1e-12)
        assert best.p_miss[0] <= 1 - hit_rate[0] + 1e-12
        p_fa = (wrong[room] / (trials - targets[room])).mean() if len(room) else np.nan
        assert curve.p_fa[i] == pytest.approx(p_fa, abs=1e-12, nan_ok=True)


@given(systems)
def test_optimum_against_trying_every_threshold(hits):
    term, score, paired, targets = hits
    curve = det.sweep(term, score, paired, targets, TRIALS, BETA)
    best = det.optimum(term, score, paired, targets, TRIALS, BETA, curve.threshold)
    for t in range(3):
        if not targets[t] or not len(curve):
            continue
        only = np.arange(3) == t
        values = [at_threshold(one, *hits, only)[2][0] for one in curve.threshold.tolist()]
        best_twv = 1 - (best.p_miss[t] + BETA * best.p_fa[t])
        assert best_twv == pytest.approx(max(values), abs=1e-12)
        # The reference program names a score of the term's own, or the first one above them.
        own = sorted(set(score[term == t].tolist()))
        above = [one for one in curve.threshold.tolist() if not own or one > own[-1]]
        named = [
            one
            for one in own + above[:1]
            if at_threshold(one, *hits, only)[2][0] >= max(values) - 1e-12
        ]
        assert best.threshold[t] == named[0]


def test_the_lowest_of_a_terms_equally_good_thresholds_is_its_optimum():
    # 3/5 - 3 * 2/45 = 4/5 - 3 * 5/45, but not in doubles.
    score = np.array([0.0] * 4 + [1.0] * 5)
    paired = np.array([0, 0, 0, 1, 0, 0, 1, 1, 1], bool)
    term, targets = np.zeros(9, np.int32), np.array([5])
    best = det.optimum(term, score, paired, targets, 50, 3.0, np.array([0.0, 1.0]))
    assert best.threshold.tolist() == [0.0]


@given(systems)
def test_the_optimum_is_at_least_the_maximum(hits):
    term, score, paired, targets = hits
    curve = det.sweep(term, score, paired, targets, TRIALS, BETA)
    best = det.optimum(term, score, paired, targets, TRIALS, BETA, curve.threshold)
    if len(curve):
        occurs = targets > 0
        optimum = twv.twv(best.p_miss[occurs].mean(), best.p_fa[occurs].mean(), BETA)
        assert optimum >= det.maximum(curve).twv - 1e-12


def test_the_lowest_of_equally_good_thresholds_is_the_maximum():
    # One target of two at .9; at .5 the other term's hit costs as much as it gains elsewhere.
    term, score = np.array([0, 1, 1], np.int32), np.array([0.9, 0.5, 0.5])
    paired, targets = np.array([True, True, False]), np.array([1, 1])
    curve = det.sweep(term, score, paired, targets, 2.0, 1.0)
    assert curve.twv.tolist() == [0.5, 0.5]
    assert det.maximum(curve).threshold == 0.5


def test_no_hits():
    none = np.zeros(0)
    curve = det.sweep(
        none.astype(np.int32), none, none.astype(bool), np.array([1, 2]), TRIALS, BETA
    )
    assert len(curve) == 0
    point = det.maximum(curve)
    assert (point.twv, point.p_miss, point.p_fa) == (0.0, 1.0, 0.0)
    assert np.isnan(point.threshold)


def test_a_term_that_leaves_no_room_for_false_alarms_is_undefined():
    curve = det.sweep(
        np.array([0], np.int32), np.array([0.5]), np.array([True]), np.array([9]), 9, BETA
    )
    assert np.isnan(curve.p_fa).all()
    assert np.isnan(det.maximum(curve)).all()


CLOSED_FORM = [
    # name, correct, spurious, targets, seconds, TWV
    ("perfect", [2, 1], [0, 0], [2, 1], 100, 1.0),
    ("silent", [0, 0], [0, 0], [2, 1], 100, 0.0),
    ("absent term", [1, 0], [0, 9], [1, 0], 100, 1.0),
    ("one false alarm per beta seconds", [1], [1], [1], 1000.9, 0.0),
    # The reference program's own self-test: P_miss .202, P_fa .0002 give .59802.
    ("self-test", [399], [20], [500], 100_500, 0.59802),
]


@pytest.mark.parametrize("case", CLOSED_FORM, ids=lambda case: case[0])
def test_twv_in_closed_form(case):
    _, correct, spurious, targets, seconds, expected = case
    targets = np.array(targets)
    p_miss = twv.p_miss(targets - np.array(correct), targets)
    p_fa = twv.p_fa(np.array(spurious), targets, seconds)
    occurs = targets > 0
    value = twv.twv(twv.mean(p_miss[occurs]), twv.mean(p_fa[occurs]), 999.9)
    assert value == pytest.approx(expected, abs=1e-9)


def test_trials_are_rounded_half_to_even():
    assert [twv.number_of_trials(s) for s in (0.5, 1.5, 2.4)] == [0, 2, 2]


@pytest.mark.parametrize("wrong", [{"cost": 0.0}, {"value": -1.0}, {"prior": 1.0}])
def test_impossible_operating_points_are_refused(wrong):
    with pytest.raises(StdError, match=r"(cost|value|prior): expected a number from"):
        OperatingPoint(**wrong)


@pytest.mark.parametrize("sign", [1, -1])
def test_infinite_scores_are_equal_to_each_other(sign):
    """As a number beyond all others would be; and nothing is subtracted from infinity."""
    term = np.array([0, 0, 0, 1, 1, 1], np.int32)
    paired = np.array([True, False, True, False, True, False])
    far = sign * np.inf
    score = np.array([far, far, 0.5, far, 0.25, far])
    targets = np.array([3, 2])
    curves = [
        det.sweep(term, one, paired, targets, 100, 9.9)
        for one in (score, np.where(np.isinf(score), sign * 9.0, score))
    ]
    assert len(curves[0].threshold) == 3
    for name in ("p_miss", "p_fa", "twv"):
        assert getattr(curves[0], name).tolist() == getattr(curves[1], name).tolist()
    found = [
        average_precision(term, one, paired, targets) for one in (score, np.clip(score, -9, 9))
    ]
    assert found[0].tolist() == found[1].tolist()
