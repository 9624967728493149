import math

import numpy as np
import pytest

from searcher.calibration.resembling_words import NONE, ResemblingWords

WORDS = ResemblingWords(-0.5, 0.6)
PLACES = np.linspace(-12, 12, 49)


@pytest.mark.parametrize("enlarged", [0.0, math.log(41)])
@pytest.mark.parametrize("against_chance", [-9.0, -1.0, 0.0, 2.5, 11.0])
def test_odds_are_those_of_both_kinds_of_accidents(against_chance, enlarged):
    """An accident by chance is exp(-u) as likely as the evidence of the term, a word exp(-v)."""
    by_chance = math.exp(-against_chance)
    by_words = math.exp(-(-0.5 + 0.6 * (against_chance + enlarged)))
    places = np.array([against_chance])
    odds = math.exp(WORDS.log_ratio(places, enlarged)[0])
    assert odds == pytest.approx(1 / (by_chance + by_words))
    assert WORDS.share(places, enlarged)[0] == pytest.approx(by_words / (by_chance + by_words))


def test_weak_evidence_counts_in_full_and_strong_evidence_by_the_slope():
    ratio = WORDS.log_ratio(PLACES)
    growth = np.diff(ratio) / np.diff(PLACES)
    assert (np.diff(growth) < 0).all()
    assert growth[0] == pytest.approx(1, abs=0.02)
    assert growth[-1] == pytest.approx(0.6, abs=0.02)
    assert (ratio < PLACES).all()


def test_decoys_enlarge_chance_only():
    """The same place in a larger archive loses less than chance alone takes from it."""
    more = math.log(41)
    lost = WORDS.log_ratio(PLACES) - WORDS.log_ratio(PLACES - more, more)
    assert ((lost > 0) & (lost < more)).all()
    assert lost[-1] < 0.1 * more


def test_chance_alone():
    assert NONE.log_ratio(PLACES).tolist() == PLACES.tolist()
    assert not NONE.share(PLACES).any()


def test_extremes_are_finite():
    far = np.array([-1e12, 1e12])
    assert np.isfinite(WORDS.log_ratio(far)).all()
    assert WORDS.share(far).tolist() == [0.0, 1.0]
