"""Repeated phone n-grams of a corpus, found level by level instead of by comparing pairs.

An n-gram can only repeat where its first n-1 phones repeat, so each level renames the pairs
(name of the first n-1 phones, next phone) of the occurrences that are still repeated. The cost is
the number of repeated occurrences, not of pairs.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from scoring.discovery.corpus import Ints, Track
from std.values import Bools

MIN_LENGTH, MAX_LENGTH = 3, 20  # phones; F_all of the task description


class Level(NamedTuple):
    """The repeated n-grams of one length."""

    length: int
    position: Ints  # (k,) row of the first phone of each occurrence, ascending
    name: Ints  # (k,) equal for equal n-grams; every name comes at least twice


def stretch_ends(track: Track, begins: Ints) -> Ints:
    """The row after the last one of each row's stretch, from the stretches' first rows."""
    bounds = np.append(begins, len(track))
    return np.repeat(bounds[1:], np.diff(bounds))


def repeated(label: Ints, ends: Ints) -> Iterator[Level]:
    """Yield the n-grams that occur at least twice inside stretches, shortest first.

    They have `MIN_LENGTH` to `MAX_LENGTH` phones.

    Args:
        label: (N,) phone of each row.
        ends: (N,) row after the last one of its stretch; no n-gram reaches over it.
    """
    position = np.arange(len(label), dtype=np.int64)
    name = label.astype(np.int64)
    symbols = int(name.max(initial=0)) + 1
    for length in range(1, MAX_LENGTH + 1):
        if length > 1:
            fits = position + length <= ends[position]
            position, name = position[fits], name[fits]
            name = name * symbols + label[position + length - 1]
        _, name, counts = np.unique(name, return_inverse=True, return_counts=True)
        twice = counts[name] > 1
        position, name = position[twice], name[twice]
        if not len(position):
            return
        if length >= MIN_LENGTH:
            yield Level(length, position, name)


def exact_stretch_begins(onset: Ints, offset: Ints, file: Ints, inside: Bools) -> Ints:
    """First rows of the stretches without a gap in time, all inside or all outside a fold.

    Args:
        onset, offset: (N,) times of each row, in ticks.
        file: (N,) index of its file.
        inside: (N,) whether it belongs to the fold.
    """
    if not len(file):
        return np.empty(0, np.int64)
    breaks = (file[1:] != file[:-1]) | (onset[1:] != offset[:-1]) | (inside[1:] != inside[:-1])
    return np.append(0, np.flatnonzero(breaks) + 1)
