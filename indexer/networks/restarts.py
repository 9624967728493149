"""Where a clock goes back: parts of a recording that count from 0 again, one after the other.

parts_of    starts in a file's order -> the number of the part of each
goes_back   whether what follows is of another part
"""

from collections.abc import Sequence

import numpy as np

from indexer.networks.slot_times import Int64s
from std.values import Float64s

BACK_S = 10.0  # that a clock goes back at least; what several people say is hardly so far apart


def parts_of(starts_s: Sequence[float] | Float64s) -> Int64s:
    """Number the part of each of (n,) starts, from 0.

    >>> parts_of([0.0, 30.0, 60.0, 1.0, 30.0, 25.0]).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    starts = np.asarray(starts_s, np.float64)
    back = starts[1:] < starts[:-1] - BACK_S
    return np.concatenate([np.zeros(min(1, len(starts)), np.int64), np.cumsum(back)])


def goes_back(before_s: float, start_s: float) -> bool:
    """Tell whether a start is of another part than the one before it.

    >>> goes_back(60.0, 55.0), goes_back(60.0, 1.0)
    (False, True)
    """
    return start_s < before_s - BACK_S
