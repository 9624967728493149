"""Utterances as the file has them: a reader fills these values, before they are normalised.

RawUtterances    columns of many utterances: seconds, tokens and posteriors
is_valid         whether a strict parser would accept every number unchanged
settled          the same utterances, all with ends and without overlaps

A transcript's line without an end, or with an end at or before its start, lasts until the next one,
but no longer than its letters take. A caption that stays on the screen beside the next one ends
when the next one begins, so that their words are not mixed. Captions that start together follow
each other. `settled` is for utterances of one speaker in one channel, none of whose words has a
time.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from indexer.networks.chunks import BACK_S
from indexer.networks.slot_times import Int64s, letters
from std.ranges import MAX_TIME_S, MAX_WORD_S, POSTERIOR_TOLERANCE, SUM_TOLERANCE
from std.values import Bools, Float64s, Recording

SECONDS_PER_LETTER = 0.07  # of speech, about 14 letters a second
SHORTEST_PER_LETTER = 0.02  # a cue is not cut shorter: nobody speaks faster


@dataclass(frozen=True, slots=True, eq=False)
class RawUtterances:
    """Utterances as written, in CSR layout: utterance -> slots -> words. NaN = not written.

    Slot i of all owns words ``offsets[i]:offsets[i + 1]``; utterance j owns slots
    ``bounds[j]:bounds[j + 1]``.
    """

    recordings: list[Recording]  # (u,)
    utterances: list[str]  # (u,)
    lines: Int64s  # (u,) 1-based, where each begins
    utterance_spans_s: Float64s  # (u, 2)
    bounds: Int64s  # (u + 1,)
    slot_spans_s: Float64s  # (n, 2)
    epsilons: Float64s  # (n,)
    offsets: Int64s  # (n + 1,)
    vocabulary: list[str]  # (v,) the tokens as written, each once
    tokens: Int64s  # (m,) index into vocabulary
    posteriors: Float64s  # (m,)
    spans_s: Float64s  # (m, 2)
    languages: Sequence[str] = ()  # (u,) as the file says them; empty if it says none
    speakers: Sequence[str] = ()  # (u,) as the file names them; empty if it names none
    slot_errors_s: Float64s | None = None  # (n,) largest error of a slot's times; None: unknown


def is_valid(columns: RawUtterances) -> bool:
    """Whether the strict parser would accept every number unchanged."""
    masses, slots = columns.posteriors, len(columns.epsilons)
    slot_of = np.repeat(np.arange(slots), np.diff(columns.offsets))
    sums = columns.epsilons + np.bincount(slot_of, masses, slots)
    low, high = -POSTERIOR_TOLERANCE, 1 + POSTERIOR_TOLERANCE
    starts = columns.slot_spans_s[:, 0]
    backwards = np.flatnonzero(starts[1:] < starts[:-1]) + 1
    first = np.zeros(slots + 1, dtype=bool)  # slots that may: the first of each utterance
    first[columns.bounds] = True
    return bool(
        ((masses >= low) & (masses <= high)).all()
        and ((columns.epsilons >= low) & (sums <= 1 + SUM_TOLERANCE)).all()
        and first[backwards].all()
        and _errors_are_valid(columns.slot_errors_s)
        and _spans_are_valid(columns.utterance_spans_s, MAX_TIME_S)
        and _spans_are_valid(columns.slot_spans_s, MAX_TIME_S)
        and _spans_are_valid(columns.spans_s, MAX_WORD_S)
    )


def _errors_are_valid(errors_s: Float64s | None) -> bool:
    return errors_s is None or bool(((errors_s >= 0) & (errors_s <= MAX_TIME_S)).all())


def _spans_are_valid(spans: Float64s, longest: float) -> bool:
    start, end = spans.T
    good = (start >= 0) & (end >= start) & (end <= MAX_TIME_S) & (end - start <= longest)
    return bool((good | (np.isnan(start) & np.isnan(end))).all())


def settled(columns: RawUtterances) -> RawUtterances:
    """Add missing ends of utterances, and remove overlaps of those without words' times.

    Args:
        columns: as written; an utterance has a start, or neither start nor end.
    """
    spans = columns.utterance_spans_s
    starts, ends = spans.T
    bare = _untimed(columns) & ~np.isnan(starts)
    group = _groups(columns)
    same = group[1:] == group[:-1]
    in_order = same & (starts[1:] > starts[:-1])
    if (in_order & (ends[:-1] <= starts[1:]) | ~same).all() and not (bare & ~(ends > starts)).any():
        return columns  # as nearly always
    length_s = _letters(columns)
    rows = np.lexsort((starts, group))  # stable: as written where they start together
    rows = rows[bare[rows]]
    spans = spans.copy()
    spans[rows] = _settled(spans[rows], group[rows], length_s[rows])
    return replace(columns, utterance_spans_s=spans)


def _settled(spans: Float64s, group: Int64s, n_letters: Float64s) -> Float64s:
    """Compute the spans of utterances without words' times, in order of groups and starts."""
    starts, ends = spans.T.copy()
    first = np.ones(len(spans), dtype=bool)  # of those that start together
    first[1:] = (group[1:] != group[:-1]) | (starts[1:] > starts[:-1])
    run = np.cumsum(first) - 1
    begins = np.flatnonzero(first)
    n_runs = len(begins)
    following = np.full(n_runs, np.inf)
    more = group[begins[1:]] == group[begins[:-1]]
    following[:-1][more] = starts[begins[1:]][more]
    in_run = np.bincount(run, n_letters, n_runs)

    unwritten = ~(ends > starts)
    ends[unwritten] = (starts + SECONDS_PER_LETTER * n_letters)[unwritten]
    ends[unwritten] = np.minimum(ends, following[run])[unwritten]
    room = following - starts[begins]
    cut = (ends > following[run]) & (room > SHORTEST_PER_LETTER * in_run)[run]
    ends[cut] = following[run][cut]

    several = (np.bincount(run, minlength=n_runs) > 1)[run]
    if several.any():
        last = np.full(n_runs, -np.inf)
        np.maximum.at(last, run, ends)
        reached = np.cumsum(n_letters)
        before = reached - n_letters
        offset = (reached - before[begins][run], before - before[begins][run])
        share = np.maximum(in_run, 1.0)[run]
        whole = (last - starts[begins])[run]
        begin = starts.copy()
        starts[several] = (begin + whole * offset[1] / share)[several]
        ends[several] = (begin + whole * offset[0] / share)[several]
    return np.stack([starts, ends], axis=1)


def _untimed(columns: RawUtterances) -> Bools:
    """(u,) whether neither a word nor a slot of an utterance has times."""
    utterances = np.arange(len(columns.utterances))
    utterance_of = np.repeat(utterances, np.diff(columns.bounds))
    slot_of = np.repeat(np.arange(len(columns.epsilons)), np.diff(columns.offsets))
    timed = np.zeros(len(utterances), dtype=bool)
    timed[utterance_of[~np.isnan(columns.slot_spans_s[:, 0])]] = True
    timed[utterance_of[slot_of[~np.isnan(columns.spans_s[:, 0])]]] = True
    return ~timed


def _letters(columns: RawUtterances) -> Float64s:
    """(u,) letters of each utterance's words."""
    n_utterances = len(columns.utterances)
    utterance_of = np.repeat(np.arange(n_utterances), np.diff(columns.bounds))
    word_letters = letters(columns.vocabulary)[columns.tokens]
    slot_of = np.repeat(np.arange(len(columns.epsilons)), np.diff(columns.offsets))
    return np.bincount(utterance_of[slot_of], word_letters, n_utterances).astype(np.float64)


def _groups(columns: RawUtterances) -> Int64s:
    """(u,) number of each utterance's recording, speaker, and part that counts from 0."""
    speakers = columns.speakers or [""] * len(columns.recordings)
    keys: Sequence[Hashable] = speakers
    if len(set(map(id, columns.recordings))) > 1:
        keys = list(zip(columns.recordings, speakers, strict=True))
    ids = dict(zip(dict.fromkeys(keys), count(), strict=False))
    group = np.zeros(len(keys), np.int64)
    if len(ids) > 1:
        group = np.fromiter(map(ids.__getitem__, keys), np.int64, len(keys))
    starts = columns.utterance_spans_s[:, 0]
    if not (np.diff(starts) < -BACK_S).any():
        return group
    order = np.argsort(group, kind="stable")
    back = (np.diff(starts[order]) < -BACK_S) & (np.diff(group[order]) == 0)
    parts = np.zeros(len(keys), np.int64)
    parts[order[1:]] = np.cumsum(back)
    return group + len(ids) * parts
