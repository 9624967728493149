"""The scale on which an interval of one system reaches as far to both sides.

A measure near what it can be at best, or at worst, varies less there than away from it; an interval
about the measure itself would leave out the truth on that side more often than on the other.

    odds    of a share, between 0 and 1: P_miss, P_fa, STWV, MAP (false alarms come in clusters)
    root    of what is lost, 1 minus a value: misses and false alarms are counts

Sources: Bartlett, Biometrics 3 (1947), on the root; Agresti, Categorical Data Analysis (2013),
3.1.6, on the odds.
"""

from typing import Literal

import numpy as np

Scale = Literal["odds", "root"]
LONGEST = 700.0  # logarithm of a ratio that floating point has


def ends(value: float, width: float, scale: Scale | None) -> tuple[float, float]:
    """Where an interval ends.

    Args:
        value: of the measure.
        width: to each side of the measure itself.
        scale: None is the measure's own, as it is where a scale has no place for the value.

    >>> [round(end, 3) for end in ends(0.1, 0.1, "odds")]
    [0.035, 0.252]
    >>> [round(end, 3) for end in ends(0.9, 0.1, "root")]
    [0.775, 0.975]
    """
    if scale == "odds" and 0 < value < 1:
        ratio = float(np.exp(min(width / (value * (1 - value)), LONGEST)))
        return value / (value + (1 - value) * ratio), value / (value + (1 - value) / ratio)
    if scale == "root" and value < 1:
        root = float(np.sqrt(1 - value))
        less = max(root - width / (2 * root), 0.0)
        return 1 - (root + width / (2 * root)) ** 2, 1 - less**2
    return value - width, value + width
