"""The expected gain against the distribution of the count itself, one candidate after the other."""

from importlib import import_module

import numpy as np
import pytest

from searcher.decisions.exact import exact

TRIALS, BETA = 360_000.0, 999.9


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
            patch.setattr(import_module("searcher.decisions.exact"), "CELLS", cells)
            assert (exact(term, p, 7, TRIALS, **options) == found).all()


def test_the_bits_of_a_term_are_its_own(monkeypatch):
    """Long lists are computed in pieces, and in parts that are decided on as one."""
    monkeypatch.setattr(import_module("searcher.decisions.exact"), "ROWS_AT_ONCE", 100)
    rng = np.random.default_rng(11)
    sizes = rng.choice([1, 3, 40, 99, 100, 101, 350], 60)
    term, p = np.repeat(np.arange(60), sizes), rng.beta(0.3, 2, sizes.sum())
    options = {"beta": BETA, "missing": 0.03, "occurs": True}
    found = exact(term, p, 60, TRIALS, **options)
    for one in range(60):
        mine = p[term == one]
        alone = exact(np.zeros(len(mine), np.int64), mine, 1, TRIALS, **options)
        assert alone.tolist() == found[term == one].tolist()
