"""Folds: no frame is judged by a layer that it taught.

folds_of    the fold of each frame of several recordings

Recordings are dealt to four folds in the order of their names. Fewer than four are cut into blocks
of 30 s, which are dealt instead.
"""

from collections.abc import Sequence

import numpy as np

from std.store.columns import Int64s

FOLDS = 4
BLOCK_MS = 30_000


def folds_of(lengths: Sequence[int], frame_ms: int) -> list[Int64s]:
    """For each recording the fold of each frame, from 0 to 3.

    Args:
        lengths: numbers of frames of the recordings, in the order of their names.
        frame_ms: of a frame.
    """
    if len(lengths) >= FOLDS:
        return [np.full(length, row % FOLDS) for row, length in enumerate(lengths)]
    block = max(BLOCK_MS // frame_ms, 1)
    return [(np.arange(length) // block + row) % FOLDS for row, length in enumerate(lengths)]
