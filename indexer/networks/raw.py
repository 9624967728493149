"""Utterances as the file has them: a reader fills these values, before they are normalised.

RawUtterances    columns of many utterances: seconds, tokens and posteriors
is_valid         whether a strict parser would accept every number unchanged
settled          the same utterances, all with ends and without overlaps
NetworkBuilder   builds them word by word; each check names its line

A transcript's line without an end, or with an end at or before its start, lasts until the next one,
but no longer than its letters take. A caption that stays on the screen beside the next one ends
when the next one begins, so that their words are not mixed. Captions that start together follow
each other. `settled` is for one speaker's utterances in one channel, without times of words.

The builder is for formats without a bulk parser, and names the line of an error that one found.
It repairs impossible values by the rules of `std.repairs`, or refuses them.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import numpy as np

from indexer.networks.chunks import BACK_S
from indexer.networks.slot_times import letters
from std.errors import InputError
from std.ranges import MAX_TIME_S, MAX_WORD_S, POSTERIOR_TOLERANCE, SUM_TOLERANCE
from std.repairs import (
    NO_CONFIDENCE,
    OUT_OF_ORDER,
    REFUSED,
    TOO_MUCH,
    UNKNOWN,
    RepairedSpan,
    Repairs,
    span_s,
)
from std.values import Bools, Float64s, Int64s, Recording

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


class NetworkBuilder:
    """Collects utterances: `utterance`, then its `slot`s, each with its `word`s."""

    def __init__(
        self, path: Path | str, characters: bool = False, repairs: Repairs = REFUSED
    ) -> None:
        self.path = path
        self._repairs = repairs
        self.characters = characters  # whether hypotheses are cut into characters
        self.language = self.speaker = ""  # of the utterances begun from now on, if the file says
        self._languages: list[str] = []
        self._speakers: list[str] = []
        self._recordings: list[Recording] = []
        self._utterances: list[str] = []
        self._lines: list[int] = []
        self._utterance_spans: list[tuple[float, float]] = []
        self._bounds: list[int] = []
        self._slot_spans: list[tuple[float, float]] = []
        self._slot_errors: list[float] = []
        self._epsilons: list[float] = []
        self._offsets: list[int] = []
        self._tokens: list[str] = []
        self._posteriors: list[float] = []
        self._spans: list[tuple[float, float]] = []
        self._mass = 0.0  # of the slot being written

    def utterance(
        self,
        line: int,
        recording: Recording,
        name: str,
        start_s: float = UNKNOWN,
        end_s: float = UNKNOWN,
    ) -> None:
        """Begin an utterance.

        Args:
            start_s, end_s: s; unknown unless the file says them.
        """
        span = self._span(line, start_s, end_s, MAX_TIME_S)
        self._recordings.append(recording)
        self._utterances.append(name)
        self._languages.append(self.language)
        self._speakers.append(self.speaker)
        self._lines.append(line)
        self._utterance_spans.append(span)
        self._bounds.append(len(self._epsilons))

    def slot(
        self,
        line: int,
        start_s: float = UNKNOWN,
        end_s: float = UNKNOWN,
        epsilon: float = 0.0,
        *,
        error_s: float = 0.0,
    ) -> None:
        """Begin a slot of the utterance begun last.

        Args:
            start_s, end_s: s; unknown unless the file says them.
            epsilon: probability that there is no word here.
            error_s: how far these times may be off; 0 unless the file says so.

        Raises:
            InputError: ``error_s`` is not a time.
        """
        if not 0 <= error_s <= MAX_TIME_S:
            expected = f"an error of times from 0 to {MAX_TIME_S} s"
            raise InputError(self.path, line, expected, f"{error_s:g}")
        span = self._whole_span(line, start_s, end_s, MAX_TIME_S)
        if len(self._epsilons) > self._bounds[-1] and span.start_s < self._slot_spans[-1][0]:
            before = self._slot_spans[-1][0]
            expected = f"slots in time order, from {before} s"
            self._repairs.note(
                OUT_OF_ORDER, InputError(self.path, line, expected, f"{span.start_s}")
            )
            span = RepairedSpan(before, max(before, span.end_s))
        self._mass = 0.0
        self._slot_spans.append(span)
        self._slot_errors.append(error_s)
        self._epsilons.append(self._added_mass(line, epsilon))
        self._offsets.append(len(self._tokens))

    def word(
        self,
        line: int,
        token: str,
        posterior: float,
        start_s: float = UNKNOWN,
        end_s: float = UNKNOWN,
        *,
        times_line: int = 0,
    ) -> None:
        """Add an alternative to the slot begun last; its times may be in another line.

        Args:
            start_s, end_s: s; unknown unless the file says them.
            times_line: line of the times, if it is another.
        """
        span = self._whole_span(times_line or line, start_s, end_s, MAX_WORD_S)
        self._posteriors.append(self._added_mass(line, posterior))
        self._tokens.append(token)
        self._spans.append(span)

    def columns(self) -> RawUtterances:
        ids = {token: i for i, token in enumerate(dict.fromkeys(self._tokens))}
        return RawUtterances(
            recordings=self._recordings,
            utterances=self._utterances,
            lines=np.array(self._lines, dtype=np.int64),
            utterance_spans_s=np.array(self._utterance_spans, dtype=np.float64).reshape(-1, 2),
            bounds=np.array([*self._bounds, len(self._epsilons)], dtype=np.int64),
            slot_spans_s=np.array(self._slot_spans, dtype=np.float64).reshape(-1, 2),
            epsilons=np.array(self._epsilons, dtype=np.float64),
            offsets=np.array([*self._offsets, len(self._tokens)], dtype=np.int64),
            vocabulary=list(ids),
            tokens=np.array([ids[token] for token in self._tokens], dtype=np.int64),
            posteriors=np.array(self._posteriors, dtype=np.float64),
            spans_s=np.array(self._spans, dtype=np.float64).reshape(-1, 2),
            languages=self._languages,
            speakers=self._speakers,
            slot_errors_s=np.array(self._slot_errors) if any(self._slot_errors) else None,
        )

    def _added_mass(self, line: int, posterior: float) -> float:
        if not -POSTERIOR_TOLERANCE <= posterior <= 1 + POSTERIOR_TOLERANCE:
            problem = InputError(self.path, line, "a posterior in [0, 1]", f"{posterior:g}")
            self._repairs.note(NO_CONFIDENCE, problem)
            posterior = max(0.0, 1.0 - self._mass)
        self._mass += posterior
        if self._mass > 1 + SUM_TOLERANCE:
            problem = InputError(self.path, line, "posteriors summing to 1", f"{self._mass:g}")
            self._repairs.note(TOO_MUCH, problem)
        return posterior

    def _span(self, line: int, start_s: float, end_s: float, longest_s: float) -> RepairedSpan:
        return span_s(start_s, end_s, longest_s, (self.path, line), self._repairs)

    def _whole_span(
        self, line: int, start_s: float, end_s: float, longest_s: float
    ) -> RepairedSpan:
        """Times of a slot or a word; one of unknown end has no length."""
        if 0 <= start_s <= end_s <= MAX_TIME_S and end_s - start_s <= longest_s:
            return RepairedSpan(start_s, end_s)  # as nearly always
        span = self._span(line, start_s, end_s, longest_s)
        return span if span.end_s == span.end_s else RepairedSpan(span.start_s, span.start_s)
