"""Student's t distribution for whole degrees of freedom.

Source: Abramowitz and Stegun, Handbook of Mathematical Functions (1964), equations 26.7.3, 26.7.4.
"""

from functools import cache

import numpy as np

from std.values import Float64s

GRID = 1000  # places between two that a quantile is between
ROUNDS = 5  # of narrowing by the grid, to the precision of a double


def two_sided(t: Float64s, freedom: int) -> Float64s:
    """Probability of a value at least as far from 0.

    Args:
        t: any shape; NaN stays NaN.
        freedom: degrees of freedom, at least 1.

    >>> float(two_sided(np.array(1.0), 1).round(12))
    0.5
    """
    angle = np.arctan(np.abs(t) / np.sqrt(freedom))
    square = np.cos(angle) ** 2
    odd = freedom % 2
    term = np.sin(angle) * (np.cos(angle) if odd else 1.0)
    within = np.zeros_like(angle)
    for k in range(freedom // 2):
        within = within + term
        term = term * square * (2 * k + 1 + odd) / (2 * k + 2 + odd)
    if odd:
        within = 2 / np.pi * (angle + within)
    outside: Float64s = np.clip(1 - within, 0, 1)
    return outside


@cache
def quantile(confidence: float, freedom: int) -> float:
    """How far from 0 a value is with this probability at most.

    >>> round(quantile(0.95, 4), 4)
    2.7764
    """
    low, high = 0.0, np.pi / 2  # of arctan(t)
    for _ in range(ROUNDS):
        angle = np.linspace(low, high, GRID + 1)
        beyond = two_sided(np.tan(angle[1:-1]), freedom) > 1 - confidence
        at = int(beyond.sum())  # it falls with the angle
        low, high = float(angle[at]), float(angle[at + 1])
    return float(np.tan((low + high) / 2))
