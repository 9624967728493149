"""Cnxe of a list that was cut says where it was cut; a warning says so."""

import numpy as np
import pytest

from scoring.measures.cnxe import cross_entropy


def test_the_part_of_trials_without_a_hit():
    """Two hits, of which one is right, and 98 trials at the lowest score, one a target."""
    found = cross_entropy(np.array([3.0, 1.0]), np.array([True, False]), 2, 100.0, 0.5)
    missed, rejected = np.log2(1 + np.exp(-1)), np.log2(1 + np.exp(1))
    assert found.unlisted == pytest.approx(0.5 * missed / 2 + 0.5 * rejected * 97 / 98)
    listed = 0.5 * np.log2(1 + np.exp(-3)) / 2 + 0.5 * rejected / 98
    assert found.actual == pytest.approx(found.unlisted + listed)
