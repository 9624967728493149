"""Who spoke when, by a diarisation beside the words: turns of speakers -> names of utterances.

    turns_of     the turns of a file (RTTM), by recording
    spoken_by    utterances -> the same, named by the turns in which their words are

A word is said by whom its middle is in the turn of; of turns that overlap, by whoever began first.
Words between two turns go with those before them in the utterance, else with those after. An
utterance in which speakers change is divided there; one outside of all turns keeps its speaker.
"""

from collections.abc import Mapping
from dataclasses import replace
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from indexer.networks.slot_times import Int64s
from indexer.networks.utterances import Utterances
from std.nist.rttm import Turns
from std.values import Recording

NOBODY = -1


class RecordingTurns(NamedTuple):
    """Who speaks in a recording, from each of some times on."""

    from_ms: Int64s  # (k,) ascending
    speaker: Int64s  # (k,) row among the names; -1: nobody
    names: tuple[str, ...]


def turns_of(turns: Turns) -> dict[Recording, RecordingTurns]:
    """Turns as who speaks from when on, by recording; of overlapping turns the first counts."""
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
    begins, of_utterance, names = [], [], []
    middles_ms = utterances.slot_spans_ms.astype(np.int64).sum(axis=1) // 2
    for row, recording in enumerate(utterances.recordings):
        first, end = int(utterances.bounds[row]), int(utterances.bounds[row + 1])
        known, own = turns.get(recording), utterances.speakers[row]
        who = _speakers(middles_ms[first:end], known) if known else np.zeros(0, np.int64)
        changes = np.flatnonzero(np.diff(who)) + 1
        for at in [0, *changes.tolist()]:
            begins.append(first + at)
            of_utterance.append(row)
            is_named = known is not None and len(who) > 0 and who[at] != NOBODY
            names.append(known.names[who[at]] if known and is_named else own)
    rows = np.array(of_utterance, np.int64)
    is_first = np.diff(rows, prepend=-1) > 0
    part = np.arange(len(rows)) - np.flatnonzero(is_first)[rows]
    spans_ms = utterances.spans_ms[rows]
    slot_spans_ms = utterances.slot_spans_ms
    for piece in np.flatnonzero(~is_first).tolist():
        spans_ms[piece, 0] = slot_spans_ms[begins[piece], 0]
        spans_ms[piece - 1, 1] = max(slot_spans_ms[begins[piece] - 1, 1], spans_ms[piece - 1, 0])
    old = utterances
    return replace(
        utterances,
        recordings=[old.recordings[row] for row in of_utterance],
        names=[
            old.names[row] + (f"-part{n + 1}" if n else "")
            for row, n in zip(of_utterance, part.tolist(), strict=True)
        ],
        languages=[old.languages[row] for row in of_utterance],
        speakers=names,
        spans_ms=spans_ms,
        times_estimated=old.times_estimated[rows],
        bounds=np.array([*begins, old.bounds[-1]], np.int64),
    )


def _speakers(middles_ms: Int64s, turns: RecordingTurns) -> Int64s:
    """(n,) who speaks in each slot of an utterance; -1 if nobody does in any."""
    at = np.searchsorted(turns.from_ms, middles_ms, side="right") - 1
    who = np.where(at >= 0, turns.speaker[at], NOBODY)
    named = np.flatnonzero(who != NOBODY)
    if not len(named):
        return who
    before = np.searchsorted(named, np.arange(len(who)), side="right") - 1
    nearest: Int64s = who[named[np.maximum(before, 0)]]
    return nearest
