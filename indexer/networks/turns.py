"""Speakers from a separate diarisation: turns of speakers -> names of utterances.

    turns_of     the turns of a file (RTTM), by recording
    spoken_by    utterances -> the same, with the speakers of their words' turns

A word belongs to the turn that contains its middle; if turns overlap, to the first of them.
Words between two turns get the speaker of those before them in the utterance, else of those after.
An utterance in which speakers change is divided there; one outside of all turns keeps its speaker.
"""

from collections.abc import Mapping
from dataclasses import replace
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from indexer.networks.utterances import Utterances
from std.nist.rttm import Turns
from std.values import Int64s, Recording

NOBODY = -1


class RecordingTurns(NamedTuple):
    """Who speaks in a recording from given times on."""

    from_ms: Int64s  # (k,) ascending
    speaker: Int64s  # (k,) row among the names; -1: nobody
    names: tuple[str, ...]


def turns_of(turns: Turns) -> dict[Recording, RecordingTurns]:
    """Turns as changes of speaker, by recording; of overlapping turns the first counts."""
    found = {}
    starts = np.rint(1000 * turns.start_s).astype(np.int64)
    ends = np.rint(1000 * (turns.start_s + turns.duration_s)).astype(np.int64)
    for number, recording in enumerate(turns.recordings):
        rows = np.flatnonzero(turns.recording == number)
        rows = rows[np.argsort(starts[rows], kind="stable")]
        edges = np.unique(np.concatenate([starts[rows], ends[rows]]))
        waiting, active, speaker = rows.tolist()[::-1], list[tuple[int, int]](), []
        for edge in edges.tolist():
            while waiting and starts[waiting[-1]] <= edge:
                row = waiting.pop()
                heappush(active, (int(starts[row]), row))
            while active and ends[active[0][1]] <= edge:
                heappop(active)
            speaker.append(int(turns.speaker[active[0][1]]) if active else NOBODY)
        found[recording] = RecordingTurns(edges, np.array(speaker, np.int64), turns.speakers)
    return found


def spoken_by(utterances: Utterances, turns: Mapping[Recording, RecordingTurns]) -> Utterances:
    """Name the speakers of utterances by turns, and divide utterances where speakers change.

    Args:
        utterances: with times of their slots.
        turns: by recording; recordings without any keep the speakers that they have.
    """
    if not any(recording in turns for recording in dict.fromkeys(utterances.recordings)):
        return utterances
    who, all_names = _speakers(utterances, turns)
    bounds = utterances.bounds
    is_first = np.zeros(len(who) + 1, np.bool_)
    is_first[bounds[:-1]] = True
    changes = np.flatnonzero(np.diff(who, prepend=NOBODY - 1) != 0)
    inside = changes[~is_first[changes]]  # where the speaker changes within an utterance
    begins = np.concatenate([bounds[:-1], inside])
    rows = np.concatenate(
        [np.arange(len(utterances)), np.searchsorted(bounds, inside, side="right") - 1]
    )
    order = np.lexsort((begins, rows))
    begins, rows = begins[order], rows[order]
    part = np.arange(len(rows)) - np.searchsorted(rows, rows)
    said_by = np.full(len(rows), NOBODY)
    has_slots = begins < bounds[rows + 1]
    said_by[has_slots] = who[begins[has_slots]]
    names = [
        all_names[speaker] if speaker != NOBODY else utterances.speakers[row]
        for row, speaker in zip(rows.tolist(), said_by.tolist(), strict=True)
    ]
    spans_ms = utterances.spans_ms[rows]
    slot_spans_ms = utterances.slot_spans_ms
    pieces = np.flatnonzero(part > 0)
    spans_ms[pieces, 0] = slot_spans_ms[begins[pieces], 0]
    ends_ms = slot_spans_ms[begins[pieces] - 1, 1]
    spans_ms[pieces - 1, 1] = np.maximum(ends_ms, spans_ms[pieces - 1, 0])
    old = utterances
    return replace(
        utterances,
        recordings=[old.recordings[row] for row in rows.tolist()],
        names=[
            old.names[row] + (f"-part{n + 1}" if n else "")
            for row, n in zip(rows.tolist(), part.tolist(), strict=True)
        ],
        languages=[old.languages[row] for row in rows.tolist()],
        speakers=names,
        spans_ms=spans_ms,
        times_estimated=old.times_estimated[rows],
        bounds=np.append(begins, bounds[-1]),
    )


def _speakers(
    utterances: Utterances, turns: Mapping[Recording, RecordingTurns]
) -> tuple[Int64s, list[str]]:
    """(n,) the speaker in each slot, a row of the names; -1 if its utterance has none."""
    bounds, n_slots = utterances.bounds, np.diff(utterances.bounds)
    number = {recording: i for i, recording in enumerate(dict.fromkeys(utterances.recordings))}
    numbers = [number[one] for one in utterances.recordings]
    recording = np.repeat(np.array(numbers, np.int64), n_slots)
    middles_ms = utterances.slot_spans_ms.astype(np.int64).sum(axis=1) // 2
    who, names = np.full(len(middles_ms), NOBODY), list[str]()
    for one, row in number.items():
        if known := turns.get(one):
            slots = np.flatnonzero(recording == row)
            at = np.searchsorted(known.from_ms, middles_ms[slots], side="right") - 1
            speaker = np.where(at >= 0, known.speaker[at], NOBODY)
            who[slots] = np.where(speaker != NOBODY, speaker + len(names), NOBODY)
            names += known.names
    slots = np.arange(len(who))
    named = who != NOBODY
    before = np.maximum.accumulate(np.where(named, slots, -1))
    after = np.minimum.accumulate(np.where(named, slots, len(who))[::-1])[::-1]
    first, end = np.repeat(bounds[:-1], n_slots), np.repeat(bounds[1:], n_slots)
    nearest = np.where(before >= first, before, np.where(after < end, after, -1))
    return np.where(nearest >= 0, who[nearest], NOBODY), names
