"""How little sure a recogniser was of each recording: what its word is worth against another's.

The doubt of a recording is one minus the posterior of the one-best words, on average. It needs no
transcript, and it is about a recording alone: how an index is cut does not change it. But it is
what a recogniser says of itself, and one that writes 1 for every word says that it is sure. Where
`std-tune` had a transcript of every recogniser, doubts are measured: those of a recogniser become
so much larger as the words that were spoken have less posterior than its one-best words.

    doubt         of each recording, as its recogniser says
    measured      the same, by transcripts
"""

import math
from collections.abc import Mapping, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from std.store import Segment
from std.store.columns import KEY_SHIFT
from std.values import Recording

TYPICAL_DOUBT = 0.1
TYPICAL_WORDS = 20  # as many words of typical doubt are added: short recordings say little
MIN_DOUBT = 0.05  # a recogniser without posteriors is not infallible

_known: WeakKeyDictionary[Segment, Mapping[Recording, float]] = WeakKeyDictionary()


def doubt(segments: Sequence[Segment]) -> dict[Recording, float]:
    """The doubt of each live recording, at least `MIN_DOUBT`.

    Args:
        segments: of one recogniser's index.
    """
    of_all: dict[Recording, float] = {}
    for segment in segments:
        if segment not in _known:
            _known[segment] = _doubt(segment)
        of_all |= _known[segment]
    return of_all


def measured(said: Mapping[Recording, float], spoken: float) -> dict[Recording, float]:
    """The doubt of each recording, on average that of a transcript; at most 1.

    Args:
        said: see `doubt`; of all recordings of an index.
        spoken: one minus the mean posterior of the words that were spoken in some speech of this
            recogniser (`Model.spoken_doubt`).
    """
    total = math.fsum(said.values())  # in any order: it is that of the segments
    ratio = max(spoken, MIN_DOUBT) * len(said) / max(total, MIN_DOUBT)
    return {recording: min(ratio * one, 1.0) for recording, one in said.items()}


def _doubt(segment: Segment) -> Mapping[Recording, float]:
    """The doubt of each live recording of a segment."""
    columns = segment.columns()
    best = np.zeros(len(columns.slot_key))
    np.maximum.at(best, columns.posting_slot, columns.posting_posterior)
    has_word = columns.slot_word >= 0
    recording = (columns.slot_key >> KEY_SHIFT).astype(np.int64)[has_word]
    n = len(columns.recordings)
    words = np.bincount(recording, minlength=n)
    units = np.rint((1 - best[has_word]) * 2**20).astype(np.int64)  # whole numbers add up exactly
    total = np.zeros(n, np.int64)
    np.add.at(total, recording, units)
    mean = (total / 2**20 + TYPICAL_WORDS * TYPICAL_DOUBT) / (words + TYPICAL_WORDS)
    return {
        one.recording: max(float(mean[row]), MIN_DOUBT)
        for row, one in enumerate(columns.recordings)
        if row not in segment.deleted
    }
