from types import SimpleNamespace

import numpy as np
import pytest
import scipy.optimize

from searcher.calibration.occurrence_rate import DETECTED, GRID, rate_posterior
from searcher.calibration.occurring_terms import SAID
from searcher.calibration.resembling_words import against_all
from searcher.calibration.weights import (
    BothWeights,
    Evidence,
    Examples,
    Weights,
    by_both,
    examples_of,
    fit,
    refit,
    together,
)

WEIGHTS = Weights(-2.0, {"x": 1.5})


def drawn(n_terms, places, seed, intercept=-2.0, slope=1.5):
    """Terms with rates of the prior's middle; places are right with odds rate * exp(log ratio)."""
    rng = np.random.default_rng(seed)
    middle = float(GRID.rate[np.argmin(np.abs(GRID.log_rate))])
    x = rng.normal(0, 1, n_terms * places)
    noise = rng.normal(0, 1, n_terms * places)
    odds = middle * np.exp(intercept + slope * x)
    right = rng.random(len(x)) < odds / (1 + odds)
    term = np.repeat(np.arange(n_terms), places)
    known = np.ones(len(x), bool)
    zeros = np.zeros(len(x))
    return Examples({"x": x, "noise": noise}, zeros, term, n_terms, right, known, zeros)


def test_log_ratios_by_hand():
    evidence = Evidence({"x": np.array([1.0, 2.0]), "y": np.array([5.0, 5.0])}, np.array([-1.0, 0]))
    weights = Weights(0.5, {"x": 2.0, "gone": 9.0})
    assert weights.log_ratios(evidence).all_false_alarms.tolist() == [1.5, 4.5]


def test_places_that_words_explain_count_less_and_others_never_more_than_one():
    explained = np.array([np.log(4), 0.0, -2.0])
    evidence = Evidence({}, -8 - 2 * explained, explained, by_phones=np.ones(3, bool))
    ratios = Weights(5.0, {}).log_ratios(evidence)
    assert ratios.counted.tolist() == pytest.approx([0.25, 1, 1])
    assert (np.diff(ratios.all_false_alarms) > 0).all()
    assert ratios.chance.tolist() == pytest.approx([-3 - 2 * np.log(4), -3, 1])


def test_log_ratios_of_places_whose_features_weigh_less():
    features, weighed = {"x": np.array([1.0, 2.0])}, np.array([1.0, 0.25])
    evidence = Evidence(features, np.array([-1.0, 3.0]), weighed=weighed)
    assert Weights(0.5, {"x": 2.0}).log_ratios(evidence).all_false_alarms.tolist() == [1.5, 4.125]


def test_features_that_weigh_less_are_learned_as_they_weigh():
    half = drawn(3000, 10, seed=5)._replace(weighed=0.5)
    found, whole = fit(half, ["x"], ridge=0.01), fit(drawn(3000, 10, seed=5), ["x"], ridge=0.01)
    assert found.coefficients["x"] == pytest.approx(2 * whole.coefficients["x"], rel=0.01)
    assert found.intercept == pytest.approx(2 * whole.intercept, rel=0.01)


def test_fitting_finds_the_weights_that_made_the_labels():
    found = fit(drawn(3000, 10, seed=5), ["x", "noise"], ridge=0.01)
    assert found.coefficients["x"] == pytest.approx(1.5, abs=0.15)
    assert found.coefficients["noise"] == pytest.approx(0, abs=0.1)


def test_little_data_stays_near_the_prior_and_much_does_not():
    prior = Weights(-2.0, {"x": 0.2})
    little, much = (
        fit(drawn(n, 10, seed=6), ["x"], prior, ridge=5.0).coefficients["x"] for n in (2, 3000)
    )
    assert abs(little - 0.2) < 0.7
    assert much == pytest.approx(1.5, abs=0.2)


def test_fitted_probabilities_add_up():
    """The derivative after the intercept is zero: probabilities sum to the number of right ones.

    Each is multiplied by the probability that its term can be found.
    """
    examples = drawn(400, 12, seed=7)
    found = fit(examples, ["x"])
    evidence = Evidence(examples.features, examples.offset)
    ratio, every = found.log_ratios(evidence).all_false_alarms, np.ones(examples.n_terms, bool)
    posterior = rate_posterior(ratio, examples.term, examples.n_terms, None, every)
    said = SAID / (SAID + (1 - SAID) * np.exp(-posterior.log_evidence))
    p = posterior.probability * said[examples.term]
    assert p.sum() == pytest.approx(examples.is_right.sum(), rel=2e-3)


def test_examples_side_by_side():
    one = Evidence({"x": np.array([1.0])}, np.array([0.5]))
    two = Evidence({"x": np.array([2.0, 3.0])}, np.array([0.0, 0.0]), is_expected=False)
    first = examples_of([one, two], [np.array([True]), np.array([False, True])])
    assert first.term.tolist() == [0, 1, 1]
    both = together([first, first])
    assert both.term.tolist() == [0, 1, 1, 2, 3, 3]
    assert both.n_terms == 4
    assert both.features["x"].tolist() == [1, 2, 3, 1, 2, 3]
    assert both.is_expected.tolist() == [True, False, True, False]
    assert examples_of([], []).n_terms == 0


def test_nothing_to_learn_from():
    wrong, known = np.zeros(3, bool), np.ones(3, bool)
    examples = Examples(
        {"x": np.arange(3.0)}, np.zeros(3), np.zeros(3, int), 1, wrong, known, np.zeros(3)
    )
    with pytest.raises(ValueError, match="0 of 3 candidates are right"):
        fit(examples, ["x"])


def drawn_from_the_model(n_terms, places, seed, weights=WEIGHTS, times_larger=1, by_phones=False):
    """Labels as the model draws them: a rate of each term by its evidence, then each place.

    Drawn again is what has no true place at all, neither among the candidates nor elsewhere. Every
    other term has so many times as much chance.
    """
    rng = np.random.default_rng(seed)
    examples = drawn(n_terms, places, seed)
    is_expected = np.full(n_terms, not by_phones)
    more = np.where(examples.term % 2, np.log(times_larger), 0.0)
    against_chance = weights.against_chance(Evidence(examples.features, -more))
    log_ratio = against_all(against_chance, more, more) if by_phones else against_chance
    found = rate_posterior(log_ratio, examples.term, n_terms, None, is_expected)
    odds_of = np.split(np.exp(log_ratio), np.searchsorted(examples.term, np.arange(1, n_terms)))
    is_said = rng.random(n_terms) < SAID / (SAID + (1 - SAID) * np.exp(-found.log_evidence))
    is_right = []
    for odds, said in zip(odds_of, is_said, strict=True):
        log_weight = GRID.log_weight[int(not by_phones)] + np.log1p(GRID.rate[:, None] * odds).sum(
            axis=1
        )
        weight = np.exp(log_weight - log_weight.max())
        labels = np.zeros(len(odds), bool)
        missed = not said
        while not (labels.any() or missed):
            rate = rng.choice(GRID.rate, p=weight / weight.sum())
            labels = rng.random(len(odds)) < rate * odds / (1 + rate * odds)
            missed = rng.random() > np.exp(-(1 - DETECTED) * rate)
        is_right.append(labels)
    return examples._replace(
        is_right=np.concatenate(is_right),
        offset=-more,
        enlarged=more,
        by_phones=by_phones,
        of_expected=not by_phones,
    )


def test_choosing_by_the_evidence_what_to_label_does_not_bend_the_weights():
    """People mark what looks probable; if they do not peek at the truth, no harm is done."""
    examples = drawn_from_the_model(6000, 10, seed=8)
    chosen = examples.features["x"] > 0.3
    by_evidence = examples._replace(is_right=examples.is_right & chosen, is_known=chosen)
    found = fit(by_evidence, ["x", "noise"], ridge=0.01)
    assert found.intercept == pytest.approx(-2.0, abs=0.15)
    assert found.coefficients["x"] == pytest.approx(1.5, abs=0.15)
    by_truth = examples._replace(is_known=examples.is_right)
    assert fit(by_truth, ["x"], Weights(-2.0, {"x": 1.5}), ridge=0.01).intercept > -1


def test_what_is_not_known_is_not_taken_for_wrong():
    examples = drawn_from_the_model(300, 10, seed=9)
    few = np.arange(len(examples.term)) % 10 < 2
    prior = Weights(-2.0, {"x": 1.5, "noise": 0.0})
    some = fit(examples._replace(is_right=examples.is_right & few, is_known=few), ["x"], prior)
    assert some.intercept == pytest.approx(-2.0, abs=0.3)
    nothing = np.zeros(len(few), bool)
    same = fit(examples._replace(is_right=nothing, is_known=nothing), ["x"], prior)
    assert (same.intercept, same.coefficients["x"]) == pytest.approx((-2.0, 1.5), abs=1e-6)


def test_weights_are_learned_where_words_resemble_the_terms():
    weights = Weights(0.0, {"x": 3.0})
    examples = drawn_from_the_model(8000, 10, 10, weights, times_larger=41, by_phones=True)
    found = fit(examples, ["x"], ridge=0.01)
    assert found.intercept == pytest.approx(0, abs=0.2)
    assert found.coefficients["x"] == pytest.approx(3, abs=0.2)


def test_std_tune_leaves_weights_of_other_features_as_they_are():
    prior = Weights(0.0, {"x": 3.0, "other": 1.0})
    examples = drawn_from_the_model(3000, 10, 11, Weights(0.0, {"x": 2.0}))
    found = refit(examples, prior, ridge=0.01)
    assert found.coefficients["x"] == pytest.approx(2.0, abs=0.2)
    assert found.coefficients["other"] == 1.0


def test_weights_beside_others_that_stay():
    """What two features are worth, of which one is known: the other one is found."""
    both = Weights(-2.0, {"x": 1.5, "noise": 0.7})
    examples = drawn_from_the_model(3000, 10, 13, both)
    found = fit(examples, ["noise"], ridge=0.01, beside=Weights(-1.5, {"x": 1.5}))
    assert found.coefficients == {"noise": pytest.approx(0.7, abs=0.1)}
    assert found.intercept == pytest.approx(-0.5, abs=0.15)


def test_the_search_for_weights_may_begin_elsewhere(monkeypatch):
    """It begins at these weights, as the features' means and deviations have them."""
    examples, begin, starts = drawn(400, 10, seed=5), Weights(-2.0, {"x": 1.5}), []

    def minimize(loss, start, **options):
        starts.append(start)
        return scipy.optimize.minimize(loss, start, **options)

    fake = SimpleNamespace(minimize=minimize)
    monkeypatch.setattr("searcher.calibration.weights.required", lambda name, extra: fake)
    found, same = fit(examples, ["x", "noise"]), fit(examples, ["x", "noise"], begin=begin)
    x = examples.features["x"]
    assert starts[0].tolist() == [0, 0, 0]
    assert starts[1].tolist() == pytest.approx([-2 + 1.5 * x.mean(), 1.5 * x.std(), 0])
    assert same.coefficients == pytest.approx(found.coefficients, abs=1e-3)


def test_the_gradient_is_that_of_the_loss(monkeypatch):
    """By finite differences, with words that resemble a term, and larger archives."""
    examples = drawn_from_the_model(40, 8, seed=12, times_larger=41, by_phones=True)
    taken = []

    def minimize(loss, start, **options):
        taken.append((loss, start))
        return scipy.optimize.minimize(loss, start, **options)

    fake = SimpleNamespace(minimize=minimize)
    monkeypatch.setattr("searcher.calibration.weights.required", lambda name, extra: fake)
    fit(examples, ["x", "noise"])
    ((loss, start),) = taken
    at = start + np.array([-1.0, 0.7, 0.1])
    gradient = loss(at)[1]
    for i, step in enumerate(np.eye(3) * 1e-5):
        assert gradient[i] == pytest.approx((loss(at + step)[0] - loss(at - step)[0]) / 2e-5, 1e-4)


def test_words_and_sound_by_hand():
    """Both at .5: the intercept. Unfound words are .0001; without sound, words count alone."""
    words, sound = np.array([0.5, 0.0, 0.9, 1.0, 0.8]), np.array([0.5, 0.9, np.nan, 0.2, 0.3])
    weights = BothWeights(-1.0, 0.6, 0.5)
    unfound = -1 - 0.6 * np.log(9999) + 0.5 * np.log(9)
    both = -1 + 0.6 * np.log(4) - 0.5 * np.log(7 / 3)
    expected = [1 / (1 + np.exp(-one)) for one in (-1.0, unfound, both)]
    found = by_both(words, sound, weights)
    assert found.tolist() == pytest.approx([*expected[:2], 0.9, 1.0, expected[2]])
