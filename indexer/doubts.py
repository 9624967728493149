"""Suspicious properties of a file that could be read. They give warnings and change nothing.

    doubts_of    utterances of a file, in its order -> suspicious properties, counted

People say between 20 and 400 words a minute: other rates mean that times are in another unit. In
the speech of one speaker time does not go back to the beginning, unless parts with clocks of their
own stand one after the other; where most utterances begin there, they are of several recordings.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from indexer.formats.shared.units import plausible
from indexer.networks.restarts import BACK_S
from indexer.networks.slot_times import Int64s
from indexer.networks.utterances import Utterances
from std.repairs import CLOCK_GOES_BACK, IMPLAUSIBLE_RATE, SEVERAL_RECORDINGS, Repair

LEAST_LETTERS = 200  # of a recording whose rate of speech tells anything
BACK_MS = round(1000 * BACK_S)
NEAR_ZERO_MS = 1000
LEAST_UTTERANCES = 5  # of a recording that may be several
MOST = 0.5  # of them start near 0


def doubts_of(utterances: Utterances, n_tiers: int = 1) -> Mapping[str, Repair]:
    """Say what is odd, by kind: how often.

    Args:
        utterances: of one file, in its order.
        n_tiers: of annotations, one after the other: the file tells the same time so often.
    """
    found: dict[str, Repair] = {}
    if not len(utterances):
        return found
    recordings = _numbered(utterances.recordings)
    if n := _implausible(utterances, recordings):
        found[IMPLAUSIBLE_RATE] = Repair(n, 0)
    starts_ms = utterances.spans_ms[:, 0]
    per_recording = np.bincount(recordings)
    near_zero = np.bincount(recordings, starts_ms < NEAR_ZERO_MS)
    several = (per_recording >= LEAST_UTTERANCES) & (near_zero > MOST * per_recording)
    if several.any():
        found[SEVERAL_RECORDINGS] = Repair(int(several.sum()), 0)
    elif n_tiers <= 1 and (n := _restarts(utterances, starts_ms)):
        found[CLOCK_GOES_BACK] = Repair(n, 0)
    return found


def _numbered(keys: Sequence[object]) -> Int64s:
    """(u,) a number for each different key."""
    if len(set(map(id, keys))) == 1:  # as mostly, and fast
        return np.zeros(len(keys), np.int64)
    ids: dict[object, int] = {}
    return np.array([ids.setdefault(key, len(ids)) for key in keys], np.int64)


def _implausible(utterances: Utterances, recordings: Int64s) -> int:
    """Recordings in which people speak as fast, or as slowly, as nobody does."""
    utterance_of = np.repeat(np.arange(len(utterances)), np.diff(utterances.bounds))
    slot_of = np.repeat(np.arange(len(utterances.epsilons)), np.diff(utterances.offsets))
    recording_of = recordings[utterance_of[slot_of]]
    lengths = np.array([*map(len, utterances.vocabulary), 0])[utterances.words]
    letters = np.bincount(recording_of, utterances.posteriors * lengths)
    spans_s = np.diff(utterances.word_spans_ms)[:, 0] / 1000
    spoken_s = np.bincount(recording_of, utterances.posteriors * spans_s)
    return sum(
        count >= LEAST_LETTERS and not plausible(count, length_s)
        for count, length_s in zip(letters.tolist(), spoken_s.tolist(), strict=True)
    )


def _restarts(utterances: Utterances, starts_ms: Int64s) -> int:
    """How often time goes back to the beginning within the speech of one speaker."""
    latest = np.maximum.accumulate(starts_ms)
    if not ((starts_ms < BACK_MS) & (starts_ms < latest - BACK_MS)).any():
        return 0  # as nearly always
    speakers = _numbered(list(zip(utterances.recordings, utterances.speakers, strict=True)))
    order = np.argsort(speakers, kind="stable")
    starts, own = starts_ms[order], speakers[order]
    back = (starts[1:] < BACK_MS) & (starts[1:] < starts[:-1] - BACK_MS) & (own[1:] == own[:-1])
    return int(back.sum())
