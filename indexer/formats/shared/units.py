"""Which unit times are in that have none: seconds, milliseconds, ticks ..., by the rate of speech.

    unit_s      times and letters of a whole file -> seconds of their unit
    plausible, speech_is_plausible   whether anybody speaks at such a rate

Names of columns and keys say it mostly; this is for those that do not. People say between 20 and
400 words a minute, about 2 to 40 letters a second. Seconds are taken unless only another unit gives
such a rate, so that a file of a few words stays as it is.
"""

from collections.abc import Sequence

import numpy as np

from indexer.networks.utterances import Utterances
from std.values import Float64s

SLOWEST, FASTEST = 1.8, 40.0  # letters a second: 20 and 400 words a minute, of 5.5 and 6 letters
FEW_LETTERS = 20
UNITS_S = (1.0, 0.001, 0.01, 1e-7, 1e-6, 1e-9)  # the likelier ones first


def plausible(letters: float, length_s: float) -> bool:
    """Whether so many letters may be said in so many seconds."""
    return SLOWEST * length_s <= letters <= FASTEST * length_s


def speech_is_plausible(blocks: Sequence[Utterances]) -> bool:
    """Whether anybody speaks as fast, or as slowly, as a file's utterances say.

    What has fewer letters than a few words have may be said at any rate.
    """
    letters = sum(n_letters(block) for block in blocks)
    length_s = sum(float(np.diff(block.spans_ms).sum()) for block in blocks) / 1000
    return letters < FEW_LETTERS or plausible(letters, length_s)


def n_letters(block: Utterances) -> float:
    """Letters of the words of utterances."""
    return float(np.array([*map(len, block.vocabulary), 0])[block.words].sum())


def unit_s(starts: Float64s, ends: Float64s, letters: float) -> float:
    """Tell the unit of times.

    Args:
        starts, ends: (n,) of stretches of speech, in the unit that is sought.
        letters: the letters of all of them.

    Returns:
        seconds of the unit; 1 where no unit gives a rate at which people speak.

    >>> starts, ends = np.array([0.0, 2100.0]), np.array([2100.0, 4000.0])
    >>> unit_s(starts, ends, 31), unit_s(starts / 1000, ends / 1000, 31), unit_s(starts, ends, 0)
    (0.001, 1.0, 1.0)
    """
    known = np.isfinite(starts) & np.isfinite(ends)
    starts, ends = starts[known], ends[known]
    length = float(np.maximum(0.0, ends - starts).sum())
    whole = bool((starts == np.trunc(starts)).all() and (ends == np.trunc(ends)).all())
    units = UNITS_S if whole else (1.0, 0.001)
    return next((unit for unit in units if plausible(letters, length * unit)), 1.0)
