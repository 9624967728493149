"""Segment-based scoring: the trials are stretches of speech and of silence, not seconds.

Each excerpt is cut at the speech turns that lie wholly inside it. Turns that overlap are one
segment of speech, turns that only touch are two; the rest is silence. A word belongs to
the segment that holds it whole and that a turn of its own speaker is part of (`_rows_within`). A
term is a target in a segment if the first and the last word of one of its occurrences belong
there; occurrences that no single segment holds do not count and are reported.

The system's answer for a segment is its best hit whose middle lies there, even if its end does
not. A middle on the border of two segments lies in both: the hit answers the first, and finds a
target in either (`pair`).

Times are compared on the grid of 0.1 ms that NIST's files are written in.

Source: F4DE 3.5.0 (its behaviour); OpenKWS 2013 evaluation plan.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from std.matching.alignment import Alignment
from std.matching.occurrences import Occurrences
from std.nist.ecf import TOLERANCE_S, round_to_100us
from std.nist.rttm import Turns
from std.values import (
    Bools,
    Detections,
    Excerpt,
    Float64s,
    Int32s,
    Int64s,
    Lexemes,
    Recording,
    freeze,
    ranges,
)


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """Segments of all excerpts, in the order of the excerpts and of time."""

    excerpts: tuple[Excerpt, ...]
    bounds: Int64s  # (excerpts + 1,) segments of each excerpt
    start_s: Float64s  # (n,)
    end_s: Float64s  # (n,)
    speech: Bools  # (n,)
    of_word: Int64s  # (words of the transcript,) segment that a word belongs to, -1 for none

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.start_s)


@dataclass(frozen=True, slots=True, eq=False)
class SegmentPairs:
    """One answer and one target per term and segment, and their pairs."""

    hits: Int64s  # rows of the hit list: answers; twice if it finds the targets of two segments
    targets: Occurrences  # of each term in each segment; their times are the segment's
    alignment: Alignment  # between the two


class _Turn(NamedTuple):
    start_s: float
    end_s: float
    speaker: str


class _SpeakerWords(NamedTuple):
    """One speaker's words in one recording, by start."""

    row: Int64s  # of the transcript
    start_s: Float64s
    end_s: Float64s


def segment(excerpts: Sequence[Excerpt], turns: Turns, lexemes: Lexemes) -> Segments:
    """Cut excerpts into speech and silence, and find the words of each segment.

    Args:
        excerpts: in the order of the ECF; where they overlap, a word belongs to the last.
        turns: in the order of the transcript, which decides between turns that begin together.
    """
    spoken = _turns_by_recording(turns)
    words = _words_by_speaker(lexemes)
    spans: list[tuple[float, float, bool]] = []
    bounds = [0]
    of_word = np.full(len(lexemes.words), -1, np.int64)
    for excerpt in excerpts:
        start_s, end_s = round(excerpt.start_s, 4), excerpt.end_s
        reached = start_s
        for turn in spoken.get(excerpt.recording, ()):
            if turn.start_s < start_s or turn.end_s > end_s:
                continue
            if turn.start_s > reached:
                spans.append((reached, turn.start_s, False))
                reached = turn.start_s
            if turn.start_s == reached:
                spans.append((turn.start_s, turn.end_s, True))
            elif turn.end_s > reached:
                spans[-1] = (spans[-1][0], turn.end_s, True)
            reached = spans[-1][1]
            mine = words.get((excerpt.recording, turn.speaker))
            if mine is not None:
                of_word[_rows_within(mine, *spans[-1][:2])] = len(spans) - 1
        if reached < end_s:
            spans.append((reached, end_s, False))
        bounds.append(len(spans))
    return Segments(
        tuple(excerpts),
        np.array(bounds),
        np.array([span[0] for span in spans], float),
        np.array([span[1] for span in spans], float),
        np.array([span[2] for span in spans], np.bool_),
        of_word,
    )


def by_file(segments: Segments) -> dict[str, float]:
    """Number of segments in each audio file."""
    counts: defaultdict[str, float] = defaultdict(float)
    for excerpt, size in zip(segments.excerpts, np.diff(segments.bounds).tolist(), strict=True):
        counts[excerpt.recording.file] += size
    return dict(counts)


def _turns_by_recording(turns: Turns) -> dict[Recording, list[_Turn]]:
    """The turns of each recording by start."""
    start_s = round_to_100us(turns.start_s)
    end_s = round_to_100us(turns.start_s + turns.duration_s)
    order = np.lexsort((start_s, turns.recording))  # keeps file order where they begin together
    spoken: defaultdict[Recording, list[_Turn]] = defaultdict(list)
    for row in order.tolist():
        spoken[turns.recordings[turns.recording[row]]].append(
            _Turn(float(start_s[row]), float(end_s[row]), turns.speakers[turns.speaker[row]])
        )
    return spoken


def _words_by_speaker(lexemes: Lexemes) -> dict[tuple[Recording, str], _SpeakerWords]:
    start_s = round_to_100us(lexemes.start_s)
    end_s = round_to_100us(lexemes.start_s + lexemes.duration_s)
    order = np.lexsort((start_s, lexemes.speaker, lexemes.recording))
    recording, speaker = lexemes.recording[order], lexemes.speaker[order]
    begins = np.flatnonzero(
        (np.diff(recording, prepend=-1) != 0) | (np.diff(speaker, prepend=-1) != 0)
    )
    return {
        (lexemes.recordings[recording[begin]], lexemes.speakers[speaker[begin]]): _SpeakerWords(
            order[begin:end], start_s[order[begin:end]], end_s[order[begin:end]]
        )
        for begin, end in zip(begins.tolist(), [*begins[1:].tolist(), len(order)], strict=False)
    }


def _rows_within(words: _SpeakerWords, start_s: float, end_s: float) -> Int64s:
    """The words that lie wholly in a segment after a turn of their speaker was added to it.

    So a word that reaches beyond its speaker's turn into a turn that begins later belongs to
    neither, unless a later turn of its own speaker joins the segment too.
    """
    low = np.searchsorted(words.start_s, start_s)
    high = np.searchsorted(words.start_s, end_s, side="right")
    return words.row[low:high][words.end_s[low:high] <= end_s]


def pair(hits: Detections, occurrences: Occurrences, segments: Segments) -> SegmentPairs:
    """Reduce hits and occurrences to one per term and segment, and pair them.

    A hit whose middle is on a border answers for the first segment there. It finds a target in each
    segment that it touches, unless the segment has a better hit of its own. A hit that finds no
    target only because of a better hit is left out.

    Args:
        hits: inside the excerpts with their middle.
        occurrences: the occurrences of the transcript that the segments were made with.
    """
    n = len(segments)
    targets = _targets(occurrences, segments)
    target_trial = targets.term.astype(np.int64) * n + segments.of_word[targets.first_word]
    middle_s = hits.start_s + hits.duration_s / 2
    hit, place = _holding(hits.recordings, hits.recording, middle_s, segments)
    own = np.diff(hit, prepend=-1) != 0  # the first segment that holds the hit's middle
    trial = hits.term[hit].astype(np.int64) * n + place

    # The best hit for each trial of its own, the first of equals; its borders come along.
    mine = np.flatnonzero(own)
    mine = mine[np.lexsort((hit[mine], -hits.score[hit[mine]], trial[mine]))]
    best = np.zeros(len(hits), np.bool_)
    best[hit[mine[np.diff(trial[mine], prepend=-1) != 0]]] = True
    kept = best[hit]
    hit, own, trial = hit[kept], own[kept], trial[kept]

    at = np.searchsorted(target_trial, trial)
    meets = at < len(target_trial)
    meets[meets] = target_trial[at[meets]] == trial[meets]
    met = np.flatnonzero(meets)
    met = met[np.lexsort((hit[met], -hits.score[hit[met]], ~own[met], at[met]))]
    met = met[np.diff(at[met], prepend=-1) != 0]
    best[hit[meets]] = False
    spare = np.flatnonzero(best)
    hit_of = np.full(len(targets), -1, np.int32)
    hit_of[at[met]] = np.arange(len(met))
    occurrence_of = np.concatenate([at[met], np.full(len(spare), -1)]).astype(np.int32)
    return SegmentPairs(
        np.concatenate([hit[met], spare]), targets, Alignment(hit_of, occurrence_of)
    )


def _targets(occurrences: Occurrences, segments: Segments) -> Occurrences:
    """The first occurrence of each term in each segment, with the segment's times."""
    place = segments.of_word[occurrences.first_word]
    held = np.flatnonzero((place >= 0) & (place == segments.of_word[occurrences.last_word]))
    trial = occurrences.term[held].astype(np.int64) * len(segments) + place[held]
    rows = held[np.unique(trial, return_index=True)[1]]
    return Occurrences(
        occurrences.recordings,
        occurrences.term[rows],
        occurrences.recording[rows],
        segments.start_s[place[rows]],
        segments.end_s[place[rows]],
        segments.end_s[place[rows]],
        occurrences.first_word[rows],
        occurrences.last_word[rows],
    )


def _holding(
    recordings: Sequence[Recording], recording: Int32s, middle_s: Float64s, segments: Segments
) -> tuple[Int64s, Int64s]:
    """All pairs of a hit and a segment that its middle lies in, by hit and then by segment."""
    by_place = np.lexsort((middle_s, recording))
    bounds = np.searchsorted(recording[by_place], np.arange(len(recordings) + 1))
    rows_of = {where: by_place[bounds[i] : bounds[i + 1]] for i, where in enumerate(recordings)}
    hits, places = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for i, excerpt in enumerate(segments.excerpts):
        first, beyond = segments.bounds[i : i + 2].tolist()
        rows = rows_of.get(excerpt.recording)
        if rows is None or first == beyond:
            continue
        low = np.searchsorted(middle_s[rows], excerpt.start_s)
        high = np.searchsorted(middle_s[rows], excerpt.end_s + TOLERANCE_S, side="right")
        rows = rows[low:high]
        start_s, end_s = segments.start_s[first:beyond], segments.end_s[first:beyond]
        inside_s = np.clip(middle_s[rows], start_s[0], end_s[-1])
        which, place = ranges(
            np.searchsorted(end_s, inside_s), np.searchsorted(start_s, inside_s, side="right")
        )
        hits.append(rows[which])
        places.append(first + place)
    hit, place = np.concatenate(hits), np.concatenate(places)
    order = np.lexsort((place, hit))
    return hit[order], place[order]
