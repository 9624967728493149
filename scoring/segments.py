"""Segment-based scoring: the trials are stretches of speech and of silence, not seconds.

Within each excerpt the speech turns are merged where they overlap; they and the gaps between them
are the segments. A term is a target in a segment that wholly holds one of its occurrences; the
system's answer for a segment is its best hit whose middle lies there, even if its end does not.
Occurrences that no single speech segment holds do not count and are reported.

Source: F4DE 3.5.0 (its behaviour); OpenKWS 2013 evaluation plan.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.align import Alignment
from scoring.occurrences import Occurrences
from std.formats.rttm import Turns
from std.values import Bools, Detections, Excerpt, Float64s, Recording, freeze

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """Segments of all excerpts, ordered by recording and time."""

    recordings: tuple[Recording, ...]
    bounds: Ints  # (recordings + 1,) segments of each recording
    start_s: Float64s  # (n,)
    end_s: Float64s  # (n,)
    speech: Bools  # (n,)

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.start_s)


@dataclass(frozen=True, slots=True, eq=False)
class SegmentPairs:
    """One answer per term and segment, one target per term and segment, and who meets whom."""

    hits: Ints  # rows of the hit list: the best of each term in each segment
    occurrences: Ints  # rows of the occurrences: the first of each term in each segment
    alignment: Alignment  # between the two
    outside: Bools  # occurrences that no speech segment holds


def segment(excerpts: Sequence[Excerpt], turns: Turns) -> Segments:
    """Cut excerpts into speech and non-speech at the turns that lie wholly inside them."""
    spoken: defaultdict[Recording, list[tuple[float, float]]] = defaultdict(list)
    ends_s = np.round(turns.start_s + turns.duration_s, 4)
    for recording, start_s, end_s in zip(
        turns.recording.tolist(), turns.start_s.tolist(), ends_s.tolist(), strict=True
    ):
        spoken[turns.recordings[recording]].append((start_s, end_s))
    cut: defaultdict[Recording, list[tuple[float, float, bool]]] = defaultdict(list)
    for one in excerpts:
        inside = [
            turn
            for turn in sorted(spoken[one.recording])
            if turn[0] >= one.start_s and turn[1] <= one.end_s
        ]
        cut[one.recording].extend(_cut(one.start_s, one.end_s, inside))
    recordings = tuple(cut)
    rows = [row for where in recordings for row in sorted(cut[where])]
    sizes = [len(cut[where]) for where in recordings]
    return Segments(
        recordings,
        np.cumsum([0, *sizes]),
        np.array([row[0] for row in rows], float),
        np.array([row[1] for row in rows], float),
        np.array([row[2] for row in rows], np.bool_),
    )


def by_file(segments: Segments) -> dict[str, float]:
    """Number of segments in each audio file."""
    sizes = np.diff(segments.bounds).tolist()
    counts: defaultdict[str, float] = defaultdict(float)
    for where, size in zip(segments.recordings, sizes, strict=True):
        counts[where.file] += size
    return dict(counts)


def _cut(
    start_s: float, end_s: float, turns: Sequence[tuple[float, float]]
) -> list[tuple[float, float, bool]]:
    """Alternating segments of one excerpt; turns ascend by start."""
    merged: list[list[float]] = []
    for begin, end in turns:
        if merged and begin <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([begin, end])
    segments = []
    reached = start_s
    for begin, end in merged:
        if begin > reached:
            segments.append((reached, begin, False))
        segments.append((begin, end, True))
        reached = end
    if end_s > reached:
        segments.append((reached, end_s, False))
    return segments


def pair(hits: Detections, occurrences: Occurrences, segments: Segments) -> SegmentPairs:
    """Reduce hits and occurrences to one per term and segment, and pair them."""
    middle = hits.start_s + hits.duration_s / 2
    hit_segment = _containing(hits.recordings, hits.recording, middle, middle, segments)
    target_segment = _containing(
        occurrences.recordings,
        occurrences.recording,
        occurrences.start_s,
        np.maximum(occurrences.end_s, occurrences.first_end_s),
        segments,
    )
    held = target_segment >= 0
    held[held] = segments.speech[target_segment[held]]

    n = len(segments) + 1
    hit_trial = hits.term.astype(np.int64) * n + hit_segment
    order = np.lexsort((-hits.score, hit_trial))
    order = order[hit_segment[order] >= 0]
    best = order[np.diff(hit_trial[order], prepend=-1) != 0]
    target_trial = occurrences.term.astype(np.int64) * n + target_segment
    rows = np.flatnonzero(held)
    trials, first = np.unique(target_trial[rows], return_index=True)
    targets = rows[first]

    answered, answer, target = np.intersect1d(
        hit_trial[best], trials, assume_unique=True, return_indices=True
    )
    hit_of = np.full(len(targets), -1, np.int32)
    occurrence_of = np.full(len(best), -1, np.int32)
    hit_of[target] = answer
    occurrence_of[answer] = target
    del answered
    return SegmentPairs(best, targets, Alignment(hit_of, occurrence_of), ~held)


def _containing(
    recordings: Sequence[Recording],
    recording: npt.NDArray[np.int32],
    start_s: Float64s,
    end_s: Float64s,
    segments: Segments,
) -> Ints:
    """(n,) the first segment that holds each span, -1 if none does."""
    result = np.full(len(start_s), -1, np.int64)
    place = {where: i for i, where in enumerate(segments.recordings)}
    for index, where in enumerate(recordings):
        if where not in place:
            continue
        low, high = segments.bounds[place[where] : place[where] + 2].tolist()
        rows = np.flatnonzero(recording == index)
        # The first segment that ends late enough; neighbours share their edge.
        at = low + np.searchsorted(segments.end_s[low:high], end_s[rows])
        found = (at < high) & (segments.start_s[np.minimum(at, high - 1)] <= start_s[rows])
        result[rows[found]] = at[found]
    return result
