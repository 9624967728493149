import numpy as np
import pytest

from searcher.calibration.features import Evidence
from searcher.calibration.occurrence_rate import RATES, rate_posterior
from searcher.calibration.weights import Examples, Weights, examples_of, fit, together


def drawn(n_terms, places, seed, intercept=-2.0, slope=1.5):
    """Terms with rates of the prior's middle; places are right with odds rate * exp(log ratio)."""
    rng = np.random.default_rng(seed)
    middle = float(RATES[np.argmin(np.abs(np.log(RATES)))])
    x = rng.normal(0, 1, n_terms * places)
    noise = rng.normal(0, 1, n_terms * places)
    odds = middle * np.exp(intercept + slope * x)
    right = rng.random(len(x)) < odds / (1 + odds)
    term = np.repeat(np.arange(n_terms), places)
    return Examples({"x": x, "noise": noise}, np.zeros(len(x)), term, n_terms, right)


def test_log_ratios_by_hand():
    evidence = Evidence({"x": np.array([1.0, 2.0]), "y": np.array([5.0, 5.0])}, np.array([-1.0, 0]))
    weights = Weights(0.5, {"x": 2.0, "gone": 9.0})
    assert weights.log_ratio(evidence).tolist() == [1.5, 4.5]


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
    """The derivative after the intercept is zero: probabilities sum to the number of right ones."""
    examples = drawn(400, 12, seed=7)
    found = fit(examples, ["x"])
    evidence = Evidence(examples.features, examples.offset)
    p = rate_posterior(found.log_ratio(evidence), examples.term, examples.n_terms).probability
    assert p.sum() == pytest.approx(examples.is_right.sum(), rel=2e-3)


def test_examples_side_by_side():
    one = Evidence({"x": np.array([1.0])}, np.array([0.5]))
    two = Evidence({"x": np.array([2.0, 3.0])}, np.array([0.0, 0.0]))
    first = examples_of([one, two], [np.array([True]), np.array([False, True])])
    assert first.term.tolist() == [0, 1, 1]
    both = together([first, first])
    assert both.term.tolist() == [0, 1, 1, 2, 3, 3]
    assert both.n_terms == 4
    assert both.features["x"].tolist() == [1, 2, 3, 1, 2, 3]
    assert examples_of([], []).n_terms == 0


def test_nothing_to_learn_from():
    with pytest.raises(ValueError, match="0 of 3 candidates are right"):
        fit(
            Examples({"x": np.arange(3.0)}, np.zeros(3), np.zeros(3, int), 1, np.zeros(3, bool)),
            ["x"],
        )
