import math

import numpy as np
import pytest

from searcher.calibration.resembling_words import GROWTH, SLOPE, against_all, share_of_words

PLACES = np.linspace(-12, 12, 49)
SLOTS = np.full(49, math.log(10_000))


@pytest.mark.parametrize("enlarged", [0.0, math.log(41)])
@pytest.mark.parametrize("against_chance", [-9.0, -1.0, 0.0, 2.5, 11.0])
def test_odds_are_those_of_both_kinds_of_accidents(against_chance, enlarged):
    """A false alarm by chance is exp(-u) as likely as the evidence of the term, a word exp(-v)."""
    slots = 5000 * math.exp(enlarged)
    score = against_chance + math.log(slots)
    by_chance = slots * math.exp(-score)
    by_words = 5000**GROWTH * math.exp(-SLOPE * score)
    places, log_slots = np.array([against_chance]), np.array([math.log(slots)])
    odds = math.exp(against_all(places, log_slots, enlarged)[0])
    assert odds == pytest.approx(1 / (by_chance + by_words))
    share = share_of_words(places, log_slots, enlarged)[0]
    assert share == pytest.approx(by_words / (by_chance + by_words))


def test_weak_evidence_counts_in_full_and_strong_evidence_by_the_slope():
    ratio = against_all(PLACES, SLOTS)
    growth = np.diff(ratio) / np.diff(PLACES)
    assert (np.diff(growth) < 0).all()
    assert growth[0] == pytest.approx(1, abs=0.02)
    assert growth[-1] == pytest.approx(SLOPE, abs=0.02)
    assert (ratio < PLACES).all()


def test_decoys_enlarge_chance_only():
    """The same place in a larger archive loses less than chance alone takes from it."""
    more = math.log(41)
    lost = against_all(PLACES, SLOTS) - against_all(PLACES - more, SLOTS + more, more)
    assert ((lost > 0) & (lost < more)).all()
    assert lost[-1] < 0.1 * more


def test_in_more_speech_such_words_become_more_but_more_slowly():
    """Of strong evidence a larger archive takes its growth to the power, of weak all of it."""
    more = math.log(41)
    lost = against_all(PLACES, SLOTS) - against_all(PLACES - more, SLOTS + more)
    assert lost[0] == pytest.approx(more, rel=0.01)
    assert lost[-1] == pytest.approx(GROWTH * more, rel=0.1)


def test_extremes_are_finite():
    far, slots = np.array([-1e12, 1e12]), np.array([5.0, 30.0])
    assert np.isfinite(against_all(far, slots)).all()
    assert share_of_words(far, slots).tolist() == [0.0, 1.0]
