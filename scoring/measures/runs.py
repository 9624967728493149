"""Runs of equal values in sorted columns."""

import numpy as np
import numpy.typing as npt

from std.values import Bools


def run_ends(*columns: npt.NDArray[np.number]) -> Bools:
    """(n,) which rows end a run of rows that are equal in every column.

    Compared, not subtracted: infinite scores are equal to each other.

    >>> run_ends(np.array([7, 7, 7, 9]), np.array([np.inf, 1, 1, 1])).tolist()
    [True, False, True, True]
    """
    ends = np.ones(len(columns[0]), np.bool_)
    ends[:-1] = False
    for column in columns:
        ends[:-1] |= column[1:] != column[:-1]
    return ends
