from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import logistic, norm, poisson

from searcher.calibration import occurrence_rate
from searcher.calibration.occurrence_rate import (
    DETECTED,
    DEVIATION,
    GRID,
    LOG_RATES,
    MANY_PLACES,
    labelled_posterior,
    rate_posterior,
)

RATES = GRID.rate
RATIOS = st.lists(st.floats(-12, 12), min_size=1, max_size=7)


def prior_of(log_rate, is_expected):
    """The density of the log rate: Zipf's law, or log-normal around one."""
    return norm.pdf(log_rate, 0, DEVIATION) if is_expected else logistic.pdf(log_rate)


def found_in(log_ratio, counted=None, is_expected=False):
    """The posterior of one term."""
    log_ratio = np.array(log_ratio, float)
    term = np.zeros(len(log_ratio), int)
    return rate_posterior(log_ratio, term, 1, counted, np.array([is_expected]))


def weight_of(chosen, log_ratios, is_expected):
    """How probable it is that just these places are true, and others missed or none at all.

    The number of true places is Poisson, but not 0; `DETECTED` of them are among the candidates.
    """
    prior = prior_of(LOG_RATES, is_expected)
    prior /= prior.sum() * poisson.sf(0, RATES)
    detected, missed = DETECTED * RATES, (1 - DETECTED) * RATES
    likelihood = np.exp(-detected) * RATES ** chosen.sum() * np.exp(log_ratios[chosen].sum())
    some_missed = 1.0 if chosen.any() else poisson.sf(0, missed)
    return float((prior * likelihood * some_missed).sum())


def by_enumeration(log_ratios, is_expected, agree=lambda chosen: True):
    """The probability of each place: every subset of places may be the true ones."""
    total, right = 0.0, np.zeros(len(log_ratios))
    for subset in product((0, 1), repeat=len(log_ratios)):
        chosen = np.array(subset, bool)
        if agree(chosen):
            weight = weight_of(chosen, np.array(log_ratios), is_expected)
            total += weight
            right += weight * chosen
    return right / total, np.log(total)


@given(RATIOS, st.booleans())
def test_probabilities_are_those_of_all_subsets(log_ratios, is_expected):
    found = found_in(log_ratios, is_expected=is_expected)
    probability, evidence = by_enumeration(log_ratios, is_expected)
    assert found.probability == pytest.approx(probability, rel=1e-9, abs=1e-12)
    assert found.log_evidence[0] == pytest.approx(evidence, rel=1e-9, abs=1e-9)


@given(RATIOS, st.booleans(), st.data())
def test_labels_of_some_places_leave_the_subsets_that_agree(log_ratios, is_expected, data):
    n, ratios = len(log_ratios), np.array(log_ratios)
    label = np.array(data.draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=n, max_size=n)))
    term = np.zeros(n, int)
    labels = label == 1, label >= 0, np.array([is_expected])
    found = labelled_posterior(ratios, term, 1, *labels)
    probability, evidence = by_enumeration(
        ratios, is_expected, lambda chosen: (chosen == label)[label >= 0].all()
    )
    assert found.log_evidence[0] == pytest.approx(evidence, rel=1e-9, abs=1e-9)
    assert found.probability == pytest.approx(probability, rel=1e-9, abs=1e-12)

    def log_likelihood(values):
        labelled = labelled_posterior(values, term, 1, *labels)
        return (labelled.log_evidence - found_in(values, None, is_expected).log_evidence)[0]

    step = np.zeros(n)
    step[0] = 1e-5
    slope = (log_likelihood(ratios + step) - log_likelihood(ratios - step)) / 2e-5
    before = found_in(ratios, None, is_expected).probability[0]
    assert slope == pytest.approx(found.probability[0] - before, abs=1e-4)


def test_many_good_places_vouch_for_each_other_and_one_good_place_outdoes_a_poor_one():
    def probabilities(*ratios):
        return found_in(ratios, is_expected=True).probability

    alone = probabilities(1.0)[0]
    assert probabilities(*[1.0] * 20)[0] > alone  # a name that is said often
    assert probabilities(1.0, 12.0)[0] > 0.1
    assert (probabilities(*[-4.0] * 60) < 0.05).all()  # false alarms do not
    assert probabilities(-4.0, 12.0)[0] < 0.05  # the good place is enough for the term to be said
    missed = poisson.sf(0, 1 - DETECTED)  # at a rate of one: what a single poor place competes with
    assert probabilities(-4.0)[0] == pytest.approx(np.exp(-4) / (np.exp(-4) + missed), rel=0.02)


def with_one_table(log_ratio, term, n_terms):
    """The probabilities, and the evidence, from one table of all places and rates."""
    odds = np.exp(log_ratio)[:, None] * RATES
    bounds = np.searchsorted(term, np.arange(n_terms + 1))
    some = np.flatnonzero(np.diff(bounds))
    sums = np.zeros((n_terms, len(RATES)))
    sums[some] = np.add.reduceat(np.log1p(odds), bounds[some], axis=0)
    log_weight = GRID.log_weight[0] + sums
    highest = log_weight.max(axis=1, keepdims=True)
    weight = np.exp(log_weight - highest)
    total = weight.sum(axis=1, keepdims=True) - np.exp(GRID.log_unsaid[0] - highest).sum(
        axis=1, keepdims=True
    )
    probability = (odds / (odds + 1) * (weight / total)[term]).sum(axis=1)
    return probability, (highest + np.log(total))[:, 0]


@pytest.mark.parametrize("cells", [28, 1000, 32_768])
@pytest.mark.parametrize("sizes", [[0, 3, 300, 0, 1, 150], [2000], [1] * 90, [129, 7]])
def test_blocks_give_what_one_table_gives(monkeypatch, sizes, cells):
    monkeypatch.setattr(occurrence_rate, "CELLS", cells)
    monkeypatch.setattr(occurrence_rate, "MANY_PLACES", np.inf)
    rng = np.random.default_rng(len(sizes))
    ratios, term = rng.normal(-3, 4, sum(sizes)), np.repeat(np.arange(len(sizes)), sizes)
    found = rate_posterior(ratios, term, len(sizes))
    probability, log_evidence = with_one_table(ratios, term, len(sizes))
    assert found.probability == pytest.approx(probability, rel=1e-9, abs=1e-12)
    assert found.log_evidence == pytest.approx(log_evidence, rel=1e-9, abs=1e-9)


def test_terms_and_blocks_do_not_change_each_other(monkeypatch):
    rng = np.random.default_rng(3)
    sizes = rng.integers(0, 30, 40)
    ratios = rng.normal(0, 4, sizes.sum())
    term = np.repeat(np.arange(40), sizes)
    whole = rate_posterior(ratios, term, 40)
    ends = np.cumsum(sizes)
    for i, (end, size) in enumerate(zip(ends, sizes, strict=True)):
        alone = rate_posterior(ratios[end - size : end], np.zeros(size, int), 1)
        assert (alone.probability == whole.probability[end - size : end]).all()
        assert alone.log_evidence[0] == whole.log_evidence[i]
    monkeypatch.setattr(occurrence_rate, "CELLS", 25 * len(RATES))
    assert (rate_posterior(ratios, term, 40).probability == whole.probability).all()


def test_nothing_to_judge():
    found = rate_posterior(np.empty(0), np.empty(0, int), 3)
    assert found.probability.shape == (0,)
    assert np.isfinite(found.log_evidence).all()
    assert rate_posterior(np.empty(0), np.empty(0, int), 0).log_evidence.shape == (0,)


def test_extreme_ratios_stay_probabilities():
    found = rate_posterior(np.array([1e6, -1e6, 0.0]), np.zeros(3, int), 1).probability
    assert ((found >= 0) & (found <= 1)).all()
    assert found[0] > 1 - 1e-6


def test_right_places_that_looked_like_accidents_have_a_log_evidence():
    """Weights that are being learned may say so of all places of a frequent word."""
    n = 100
    labelled = labelled_posterior(
        np.full(n, -30.0), np.zeros(n, int), 1, np.ones(n, dtype=bool), np.ones(n, dtype=bool)
    )
    assert labelled.log_evidence[0] == pytest.approx(-30 * n + np.log(prior_moment(n)), rel=1e-6)


def prior_moment(n):
    """The mean of rate^n exp(-d rate), of terms that are said."""
    log_rate = np.linspace(LOG_RATES[0], LOG_RATES[-1], 10_001)
    prior, rate = prior_of(log_rate, False), np.exp(log_rate)
    prior /= prior.sum() * poisson.sf(0, rate)
    return (prior * np.exp(-DETECTED * rate) * rate**n).sum()


def on_a_dense_grid(log_ratio, counted, is_expected):
    """The probabilities of one term's places, from the equations, and rates without end."""
    log_rate = np.linspace(np.log(3e-3), np.log(1e7), 40_001)
    rate, total, right = np.exp(log_rate), 0.0, np.zeros(len(log_ratio))
    logs = []
    for r in rate:
        each = np.log1p(r * np.exp(log_ratio))
        said = -DETECTED * r + counted @ each
        logs.append((said, -DETECTED * r + each.sum()))
    said, in_full = np.array(logs).T
    prior = np.log(prior_of(log_rate, is_expected)) - np.log(-np.expm1(-rate))
    log_weight = prior + said + np.log1p(-np.exp(-rate - said))
    weight = np.exp(log_weight - log_weight.max())
    for r, of_rate, full in zip(rate, weight, in_full, strict=True):
        if of_rate > 1e-12:
            odds = r * np.exp(log_ratio)
            right += of_rate * odds / (1 + odds) / -np.expm1(-r - full)
            total += of_rate
    return right / total


@pytest.mark.parametrize("is_expected", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_many_places_have_what_a_dense_grid_gives(seed, is_expected):
    rng = np.random.default_rng(seed)
    n = MANY_PLACES + 20 * seed
    log_ratio = rng.normal([-6, -3, 0, 3][seed], 3, n)
    counted = (
        np.where(rng.random(n) < 0.5, 1.0, rng.uniform(0.01, 1, n)) if seed % 2 else np.ones(n)
    )
    found = found_in(log_ratio, counted, is_expected).probability
    assert found == pytest.approx(on_a_dense_grid(log_ratio, counted, is_expected), abs=2e-3)


@pytest.mark.parametrize("spread", [0.0, 1e-9, 2.0, 9.0])
@pytest.mark.parametrize("is_counted_in_full", [True, False])
def test_nodes_give_what_all_places_give(monkeypatch, spread, is_counted_in_full):
    rng = np.random.default_rng(int(spread))
    n = 4_000
    log_ratio = rng.normal(-4, spread, n)
    counted = np.ones(n) if is_counted_in_full else rng.uniform(0.01, 1, n)
    term = np.zeros(n, int)
    found = rate_posterior(log_ratio, term, 1, counted)
    assert len(occurrence_rate._places(log_ratio, counted, np.array([0, n])).odds) < n
    monkeypatch.setattr(occurrence_rate, "NODE_STEP", 1e-15)  # more nodes than places
    exact = rate_posterior(log_ratio, term, 1, counted)
    assert found.probability == pytest.approx(exact.probability, abs=2e-6)
    assert found.log_evidence == pytest.approx(exact.log_evidence, abs=1e-3)


@pytest.mark.parametrize("times", [3, 100, 3_000, 100_000])
def test_a_word_with_posteriors_of_its_own_gets_them_however_often_it_is_said(times):
    rng = np.random.default_rng(times)
    posterior = rng.beta(9, 1, int(times / 0.9))
    log_ratio = np.log(posterior / (1 - posterior)) - np.log(posterior.sum())
    found = found_in(log_ratio, is_expected=True).probability
    assert found.sum() == pytest.approx(posterior.sum(), rel=0.15)


def test_places_with_one_explanation_never_make_a_place_likelier():
    """More speech with siblings of a term, whose one word stands at all of them."""
    old = np.array([-1.0, 0.0, 1.0])
    before = rate_posterior(old, np.zeros(3, int), 1).probability
    for siblings in (5, 50, 500, 5_000, 50_000):
        places = np.concatenate([old, np.full(siblings, -1.0 - np.log(siblings / 5))])
        counted = np.concatenate([np.ones(3), np.full(siblings, 5 / siblings)])
        term = np.zeros(len(places), int)
        found = rate_posterior(places, term, 1, counted).probability
        if siblings == 5:
            most = found
        assert (found[:3] <= most[:3] + 1e-3).all()
        assert found[3:].sum() <= 1.2 * most[3:].sum()  # as 1 / (1 + x) is below 1 - x / 2
    assert (before < 1).all()


def test_an_unknown_term_is_said_many_times_sooner_than_more_often_than_it_is_expected():
    """Fifteen middling places: a word said fifteen times, or one whose posteriors say once."""
    middling = [-2.0] * 15
    unknown, expected = found_in(middling), found_in(middling, is_expected=True)
    assert unknown.probability.sum() > 2 * expected.probability.sum()


def test_terms_of_both_kinds_do_not_change_each_other():
    rng = np.random.default_rng(5)
    ratios, term = rng.normal(-1, 3, 60), np.repeat(np.arange(6), 10)
    is_expected = np.array([True, False, False, True, True, False])
    whole = rate_posterior(ratios, term, 6, None, is_expected)
    for i, one in enumerate(is_expected.tolist()):
        alone = found_in(ratios[term == i], None, one)
        assert (alone.probability == whole.probability[term == i]).all()
        assert alone.log_evidence[0] == whole.log_evidence[i]
