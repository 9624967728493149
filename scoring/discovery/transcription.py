"""From a fragment to the phones (or words) it is made of: three published rules.

A fragment's edges usually cut a phone. The ZeroSpeech task description: "that phoneme is included
in the transcription if it corresponds to more than 30 ms or more than 50 % of its duration". The
2017 toolkit, the 2015 toolkit and this sentence differ at the ties; each rule is one function.

    meeting          rows that share time with a fragment
    inclusive        zrc2017: >= 30 ms after rounding to ms, or >= 50 % of short phones
    two_sided        zrc2015: > 30 ms, or > 50 % of phone or fragment; one contiguous stretch only
    literal          definition: > 30 ms or > 50 % of the phone, in exact ticks of 0.1 ms
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from scoring.discovery.corpus import Discovery, Track, order_keys
from std.values import Bools, Float64s, Integers, freeze

TICKS_PER_S = 10_000  # 0.1 ms: finer than any published alignment
EDGE_S = 0.03
EDGE_TICKS = 300
LONG_PHONE_S = 0.0595  # what rounds to 60 ms or more


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """What each fragment transcribes to: rows ``lo:hi`` of a track; empty where lo == hi.

    ``located`` is False where the rule finds no place at all in the annotation.
    """

    lo: Integers  # (f,)
    hi: Integers  # (f,)
    located: Bools  # (f,)

    def __post_init__(self) -> None:
        freeze(self)

    def where(self, keep: Bools) -> "Runs":
        """The runs of only these fragments; shape of ``keep``: (f,)."""
        return Runs(self.lo[keep], self.hi[keep], self.located[keep])


def ticks(seconds: Float64s) -> Integers:
    """Seconds to the nearest 0.1 ms, so that ties of decimals are ties."""
    return np.rint(seconds * TICKS_PER_S).astype(np.int64)


def meeting(track: Track, fragments: Discovery) -> tuple[Integers, Integers]:
    """Rows lo:hi of a track that share time with each fragment (onset < end, offset > start)."""
    onset, offset, start, end = order_keys(
        (track.file, track.onset_s),
        (track.file, track.offset_s),
        (fragments.file, fragments.onset_s),
        (fragments.file, fragments.offset_s),
    )
    lo = np.searchsorted(offset, start, side="right")
    hi = np.searchsorted(onset, end, side="left")
    return lo, np.maximum(lo, hi)


def inclusive(track: Track, fragments: Discovery) -> Runs:
    """The 2017 rule: the first and the last phone stay if enough of them is in the fragment.

    A phone of at least 60 ms (its duration rounded to 3 decimals) needs an overlap that rounds to
    at least 30 ms: 29.5 ms pass. A shorter one needs half of its duration, unrounded floats. Both
    ends of the fragment count for the overlap, and a single phone is tested once. ``located`` is
    False where nothing stays: such a fragment is discarded.

    Source: behaviour of zerospeech-tde 2.0.3.
    """
    lo, hi = _trim(track, fragments, *meeting(track, fragments), _half_or_30_ms)
    return Runs(lo, hi, hi > lo)


def _half_or_30_ms(onset: Float64s, offset: Float64s, start: Float64s, end: Float64s) -> Bools:
    """Whether phones [onset, offset] stay in fragments [start, end]; all in seconds, shape (n,).

    The overlap is rounded as numpy does (to the nearest even count of ms); the duration as Python
    does, correctly, so that a duration rounds to 60 ms or more iff it exceeds the decimal 0.0595:
    the double nearest to that lies below it, hence ``>``.
    """
    duration = offset - onset
    overlap = np.minimum(end, offset) - np.maximum(start, onset)
    return np.where(
        duration > LONG_PHONE_S, np.round(overlap, 3) >= EDGE_S, overlap / duration >= 0.5
    )


def two_sided(track: Track, fragments: Discovery) -> Runs:
    """The 2015 rule: labels that `overlap_2015` the fragment, in one contiguous stretch only.

    That stretch is the last one that overlaps the fragment or starts before it. ``located`` is
    False where the chosen stretch shares no time with the fragment: there the toolkit drops the
    fragment silently (phones) or crashes (words).

    Source: behaviour of tde 0.2.1.
    """
    lo, hi = meeting(track, fragments)
    chosen, first, last = _stretch_2015(track, fragments, lo, hi)
    lo, hi = np.maximum(lo, first), np.minimum(hi, last)
    hi = np.maximum(lo, hi)
    located = chosen & (hi > lo)
    lo, hi = np.where(located, lo, 0), np.where(located, hi, 0)
    lo, hi = _trim(track, fragments, lo, hi, overlap_2015)
    return Runs(lo, hi, located)


def _stretch_2015(
    track: Track, fragments: Discovery, lo: Integers, hi: Integers
) -> tuple[Bools, Integers, Integers]:
    """The rows of the stretch that each fragment is looked up in, and whether there is one."""
    begins = stretch_begins_2015(track)
    bounds = np.append(begins, len(track))
    if not len(track):
        nothing = np.zeros(len(fragments), np.int64)
        return nothing.astype(np.bool_), nothing, nothing
    which = np.searchsorted(begins, np.maximum(hi - 1, 0), side="right") - 1
    onset = track.onset_s[begins[which]]
    offset = track.offset_s[bounds[which + 1] - 1]
    reaches_back = onset < fragments.onset_s
    which = which - ~(
        reaches_back | overlap_2015(onset, offset, fragments.onset_s, fragments.offset_s)
    )
    valid = (which >= 0) & (hi > lo)
    which = np.maximum(which, 0)
    return valid, begins[which], bounds[which + 1]


def stretch_begins_2015(track: Track) -> Integers:
    """First rows of the contiguous stretches: next onset within 1e-8 + 1e-5 * onset of the offset.

    Source: behaviour of tde 0.2.1 (6 ms of tolerance at 600 s).
    """
    if not len(track):
        return np.empty(0, np.int64)
    gap = np.abs(track.offset_s[:-1] - track.onset_s[1:])
    breaks = (track.file[1:] != track.file[:-1]) | (gap > 1e-8 + 1e-5 * np.abs(track.onset_s[1:]))
    return np.append(0, np.flatnonzero(breaks) + 1)


def overlap_2015(onset: Float64s, offset: Float64s, start: Float64s, end: Float64s) -> Bools:
    """Whether two spans overlap in the sense of tde 0.2.1; seconds, shape (n,), floats as written.

    They share more than 30 ms, or more than half of either; less than 1e-8 s is nothing.

    Args:
        onset, offset: (n,) first spans.
        start, end: (n,) second spans.
    """
    overlap = np.minimum(end, offset) - np.maximum(start, onset)
    enough = (
        (overlap > EDGE_S) | (overlap > 0.5 * (end - start)) | (overlap > 0.5 * (offset - onset))
    )
    return (overlap >= 1e-8) & enough


def literal(track: Track, fragments: Discovery) -> Runs:
    """The task description: an edge phone stays with more than 30 ms, or more than half of it.

    Exact: in integer ticks of 0.1 ms, so exactly 30 ms or exactly half is not more. ``located`` is
    always True: a fragment that transcribes to nothing stays a (wrong) fragment.

    Source: ZeroSpeech task description, "Notations".
    """
    lo, hi = _trim(track, fragments, *meeting(track, fragments), _more_than_half_or_30_ms)
    return Runs(lo, hi, np.ones(len(lo), np.bool_))


def _more_than_half_or_30_ms(
    onset: Float64s, offset: Float64s, start: Float64s, end: Float64s
) -> Bools:
    """Whether phones [onset, offset] stay in fragments [start, end]; in seconds, shape (n,)."""
    overlap = np.minimum(ticks(end), ticks(offset)) - np.maximum(ticks(start), ticks(onset))
    return (overlap > EDGE_TICKS) | (2 * overlap > ticks(offset) - ticks(onset))


def _trim(
    track: Track,
    fragments: Discovery,
    lo: Integers,
    hi: Integers,
    keeps: Callable[[Float64s, Float64s, Float64s, Float64s], Bools],
) -> tuple[Integers, Integers]:
    """Drop the first and the last row of each run where ``keeps`` says no; the rest are whole."""
    for first in (True, False):
        nonempty = np.flatnonzero(hi > lo)
        row = lo[nonempty] if first else hi[nonempty] - 1
        stays = keeps(
            track.onset_s[row],
            track.offset_s[row],
            fragments.onset_s[nonempty],
            fragments.offset_s[nonempty],
        )
        if first:
            lo[nonempty] += ~stays
        else:
            hi[nonempty] -= ~stays
    return lo, hi
