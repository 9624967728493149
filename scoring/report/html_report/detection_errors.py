"""Misses and false alarms of a system's own decisions, each with its probable cause.

Misses are sorted by their cost in TWV, false alarms by their score.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from scoring.group import Group
from scoring.report.html_report.views import View, cost_of_a_false_alarm, cost_of_a_miss, rounded
from std.values import Float64s, Indices, Int32s, Lexemes, Recording, Term


class DetectionErrors(NamedTuple):
    """The first rows as JSON columns, and the number of all rows."""

    columns: dict[str, list[Any]]
    total: int


def misses(view: View, limit: int) -> DetectionErrors:
    """Occurrences that the system did not accept."""
    group, terms = view.group, view.evaluation.terms.terms
    hits, occurrences = group.hits, group.occurrences
    accepted = np.zeros(len(occurrences), np.bool_)
    paired = group.alignment.hit_of >= 0
    accepted[paired] = hits.yes[group.alignment.hit_of[paired]]
    rows = np.flatnonzero(~accepted & group.counted[view.occurrence_unit])
    total = len(rows)
    cost = cost_of_a_miss(group)[view.occurrence_unit]
    rows = rows[np.argsort(-cost[rows], kind="stable")][:limit]
    nearby = _Nearby(hits.recordings, hits.term, hits.recording, hits.start_s, _hit_end_s(group))
    heard, score, why = group.alignment.hit_of[rows].tolist(), [], []
    for row, hit in zip(rows.tolist(), heard, strict=True):
        if hit >= 0:
            score.append(float(hits.score[hit]))
            why.append("detected, but decided NO")
            continue
        score.append(float("nan"))
        near, apart_s = nearby.to(
            int(occurrences.term[row]),
            occurrences.recordings[occurrences.recording[row]],
            float(occurrences.start_s[row]),
            float(occurrences.end_s[row]),
        )
        why.append(_why_missed(group, near, apart_s))
    return DetectionErrors(
        {
            **_places(terms, occurrences.recordings, occurrences.term, occurrences.recording, rows),
            "start": rounded(occurrences.start_s[rows], 9),
            "end": rounded(occurrences.end_s[rows], 9),
            "score": rounded(score),
            **_probabilities(group, heard),
            "loss": rounded(cost[rows]),
            "why": why,
        },
        total,
    )


def false_alarms(view: View, limit: int) -> DetectionErrors:
    """Hits that the system accepted but no occurrence is paired with."""
    group, terms = view.group, view.evaluation.terms.terms
    hits, occurrences = group.hits, group.occurrences
    unpaired = group.alignment.occurrence_of < 0
    rows = np.flatnonzero(unpaired & hits.yes & group.counted[view.hit_unit])
    total = len(rows)
    rows = rows[np.argsort(-hits.score[rows], kind="stable")][:limit]
    end_s = _hit_end_s(group)
    nearby = _Nearby(
        *(occurrences.recordings, occurrences.term, occurrences.recording),
        *(occurrences.start_s, occurrences.end_s),
    )
    options = view.evaluation.options
    tolerance_s = -1.0 if options.segments else options.tolerance_s  # segments pair without one
    why, words = [], _Words(view.evaluation.lexemes)
    for row in rows.tolist():
        near, apart_s = nearby.to(
            int(hits.term[row]),
            hits.recordings[hits.recording[row]],
            *((float(hits.start_s[row]) + float(end_s[row])) / 2,) * 2,
        )
        longer = words.with_term(
            terms[int(hits.term[row])].text,
            hits.recordings[hits.recording[row]],
            float(hits.start_s[row]),
            float(end_s[row]),
        )
        reason = _why_wrong(group, near, apart_s, tolerance_s)
        why.append(f"{reason}; inside “{longer}”" if longer else reason)
    return DetectionErrors(
        {
            **_places(terms, hits.recordings, hits.term, hits.recording, rows),
            "start": rounded(hits.start_s[rows], 9),
            "end": rounded(end_s[rows], 9),
            "score": rounded(hits.score[rows]),
            **_probabilities(group, rows.tolist()),
            "loss": rounded(cost_of_a_false_alarm(group)[view.hit_unit[rows]]),
            "why": why,
        },
        total,
    )


def _probabilities(group: Group, hits: Sequence[int]) -> dict[str, list[Any]]:
    """The column of probabilities, if the hits have any apart from their scores; -1 is no hit."""
    column = group.hits.probability
    if column is None:
        return {}
    return {"probability": rounded([column[hit] if hit >= 0 else float("nan") for hit in hits])}


def _why_missed(group: Group, near: int, apart_s: float) -> str:
    if near < 0:
        return "no detection in this recording"
    hits = group.hits
    start_s, end_s = float(hits.start_s[near]), float(hits.start_s[near] + hits.duration_s[near])
    taken = group.alignment.occurrence_of[near] >= 0
    where = f"{start_s:.2f} to {end_s:.2f} s, score {hits.score[near]:.4g}"
    other = ", which is paired with another occurrence" if taken else ""
    return f"nearest detection {apart_s:.2f} s away: {where}{other}"


def _why_wrong(group: Group, near: int, apart_s: float, tolerance_s: float) -> str:
    if near < 0:
        return "no occurrence in this recording"
    occurrences = group.occurrences
    span = f"{occurrences.start_s[near]:.2f} to {occurrences.end_s[near]:.2f} s"
    if apart_s <= tolerance_s:
        return f"a second detection of the occurrence at {span}, already paired"
    return f"nearest occurrence {apart_s:.2f} s away: {span}"


def _hit_end_s(group: Group) -> Float64s:
    return np.asarray(group.hits.start_s + group.hits.duration_s)


def _places(
    terms: tuple[Term, ...],
    recordings: tuple[Recording, ...],
    term: Int32s,
    recording: Int32s,
    rows: Indices,
) -> dict[str, list[Any]]:
    recording_rows = [recordings[index] for index in recording[rows].tolist()]
    return {
        "text": [terms[index].text for index in term[rows].tolist()],
        "file": [row.file for row in recording_rows],
        "channel": [row.channel for row in recording_rows],
    }


class _Words:
    """The words of the reference, to find one that a term is inside."""

    def __init__(self, lexemes: Lexemes | None) -> None:
        self._of_recording: dict[Recording, list[tuple[float, float, str]]] = {}
        if lexemes is None:
            return
        end_s = (lexemes.start_s + lexemes.duration_s).tolist()
        columns = lexemes.recording.tolist(), lexemes.start_s.tolist(), end_s, lexemes.words
        for number, *word in zip(*columns, strict=True):
            self._of_recording.setdefault(lexemes.recordings[number], []).append(tuple(word))

    def with_term(self, term: str, recording: Recording, start_s: float, end_s: float) -> str:
        """The longer word with the term inside it that is said in a span; empty without one."""
        letters = "".join(term.casefold().split())
        for first_s, last_s, word in self._of_recording.get(recording, ()):
            if first_s < end_s and start_s < last_s:
                spelt = word.casefold()
                if letters in spelt and letters != spelt:
                    return word
        return ""


class _Nearby:
    """Spans by term and recording, to find the one nearest to another span."""

    def __init__(
        self,
        recordings: tuple[Recording, ...],
        term: Int32s,
        recording: Int32s,
        start_s: Float64s,
        end_s: Float64s,
    ) -> None:
        self._number = {name: i for i, name in enumerate(recordings)}
        key = term.astype(np.int64) * max(len(recordings), 1) + recording
        self._order = np.argsort(key, kind="stable")
        self._key = key[self._order]
        self._start_s, self._end_s = start_s, end_s

    def to(
        self, term: int, recording: Recording, start_s: float, end_s: float
    ) -> tuple[int, float]:
        """The nearest span of a term in a recording.

        Returns:
            Row of the nearest span, -1 if there is none, and the gap between the two in seconds.
        """
        number = self._number.get(recording)
        if number is None:
            return -1, float("nan")
        key = term * len(self._number) + number
        low, high = np.searchsorted(self._key, [key, key + 1])
        rows = self._order[low:high]
        if not len(rows):
            return -1, float("nan")
        gap_s = np.maximum(self._start_s[rows] - end_s, start_s - self._end_s[rows])
        nearest = int(np.argmin(gap_s))  # the deepest overlap where several overlap
        return int(rows[nearest]), max(float(gap_s[nearest]), 0.0)
