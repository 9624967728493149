"""People's marks as labels of candidates (`std.marks`).

    Marks   --marked_places-->  places in the search's table
    places  --by_marks-->       labels of the candidates that lie there; of the others nothing

People mark what they are shown, above all probable places. That is no reason to correct anything
as long as they choose by what they see of the evidence: the weights maximise the likelihood of the
labels given the evidence, in which such a choice cancels out (missing at random: Rubin 1976). It
does not cancel out if people mark right places rather than wrong ones that look the same.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from searcher.phonetic.layout import SAME_PLACE_MS
from searcher.tuning.labels import Judge, Labels, Phrase, Places
from std.marks import Mark
from std.store.columns import Int64s
from std.text import Normalisation
from std.values import Recording


class MarkedPlace(NamedTuple):
    """A place that somebody heard."""

    phrase: Phrase
    recording: int  # row of the search's table
    start_ms: int
    end_ms: int
    is_right: bool


def marked_places(
    marks: Iterable[Mark], recordings: Sequence[Recording], normalisation: Normalisation
) -> list[MarkedPlace]:
    """The marks that count, in order; those of other recordings and of wildcards are left out.

    Args:
        marks: right or wrong, see `std.marks.latest`.
        recordings: the search's table.
        normalisation: the normalisation of the index.
    """
    row_of = {recording: row for row, recording in enumerate(recordings)}
    places = []
    for mark in marks:
        phrase = normalisation.phrase(mark.term)
        row = row_of.get(mark.recording)
        is_term = any(map(str.isalnum, "".join(phrase))) and "*" not in mark.term
        if row is None or mark.right is None or not is_term:
            continue
        start_ms, end_ms = round(1000 * mark.start_s), round(1000 * mark.end_s)
        places.append(MarkedPlace(phrase, row, start_ms, end_ms, mark.right))
    return places


def by_marks(marked: Sequence[MarkedPlace]) -> Judge:
    """Each mark is about the candidate that it overlaps most; the last one about it counts.

    An index made anew, or another model, may move a place a little: the middles of mark and
    candidate are less than `SAME_PLACE_MS` apart.
    """
    of_phrase: dict[Phrase, list[MarkedPlace]] = {}
    for place in marked:
        of_phrase.setdefault(place.phrase, []).append(place)

    def judge(phrases: Sequence[Phrase], places: Places) -> Labels:
        n = len(places.phrase)
        labels = Labels(np.zeros(n, dtype=bool), np.zeros(n, dtype=bool))
        bounds = np.searchsorted(places.phrase, np.arange(len(phrases) + 1))
        for i, phrase in enumerate(phrases):
            rows = slice(bounds[i], bounds[i + 1])
            for mark in of_phrase.get(phrase, ()):
                row = _nearest(mark, Places._make(column[rows] for column in places))
                if row is not None:
                    labels.is_right[bounds[i] + row] = mark.is_right
                    labels.is_known[bounds[i] + row] = True
        return labels

    return judge


def _nearest(mark: MarkedPlace, places: Places) -> int | None:
    """The row of the place that a mark overlaps most; None if it overlaps none."""
    start_ms, end_ms = places.start_ms, places.end_ms
    shared_ms: Int64s = np.minimum(end_ms, mark.end_ms) - np.maximum(start_ms, mark.start_ms)
    middles_apart_ms = np.abs(start_ms + end_ms - mark.start_ms - mark.end_ms) / 2
    is_near = (places.recording == mark.recording) & (middles_apart_ms < SAME_PLACE_MS)
    near = np.flatnonzero(is_near & (shared_ms > 0))
    if not len(near):
        return None
    whole_ms = np.maximum(end_ms, mark.end_ms) - np.minimum(start_ms, mark.start_ms)
    return int(near[np.argmax(shared_ms[near] / whole_ms[near])])
