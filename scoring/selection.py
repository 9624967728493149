"""Hits and occurrences that are judged: inside the excerpts, their probabilities, rows of them.

inside_excerpts       the hits and the occurrences inside the excerpts
selected              some rows of hits or occurrences
with_probabilities    a hit list and a second one -> hits with scores and probabilities
judged_number         the number for Cnxe and calibration: the probability if it is known

NIST's schemas allow one number per hit. So a system with two numbers writes two lists of the same
hits: one with scores, for the thresholds of a term-weighted evaluation, and one with probabilities.
"""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np

from scoring.options import Number, ScoringOptions
from std.errors import InputError, StdError, Unquoted
from std.matching.occurrences import Occurrences
from std.nist.ecf import inside_one
from std.values import Bools, Detections, Excerpt, Float64s, Indices, Recording, STDList

Rows = Bools | Indices  # which, as truth values or as indices
Places = TypeVar("Places", Detections, Occurrences)


def with_probabilities(hits: STDList, second: STDList, path: str) -> STDList:
    """A hit list with the scores of a second list as probabilities; also of places without a hit.

    Args:
        second: the same hits with the same decisions, in any order.

    Raises:
        InputError: one list has a hit that the other lacks, a decision differs, or a score is no
            probability.
    """
    default = second.default_score
    if default is not None and not 0 <= default <= 1:
        raise InputError(path, 0, "default_score as a probability", f"{default:g}")
    joined = _joined(hits.detections, second.detections, path)
    return replace(hits, detections=joined, default_probability=default)


def _joined(hits: Detections, second: Detections, path: str) -> Detections:
    """Hits with the scores of the second list as their probabilities; see `with_probabilities`."""
    outside = np.flatnonzero(~((second.score >= 0) & (second.score <= 1)))
    if len(outside):
        raise InputError(path, 0, "probabilities from 0 to 1", f"{second.score[outside[0]]:g}")
    terms = _table(hits.terms, second.terms)
    recordings = _table(hits.recordings, second.recordings)
    order, places = _ordered(hits, terms, recordings)
    second_order, second_places = _ordered(second, terms, recordings)
    shared = min(len(places), len(second_places))
    differs = (places[:shared] != second_places[:shared]).any(axis=1)
    if differs.any() or len(places) != len(second_places):
        row = int(np.argmax(differs)) if differs.any() else shared
        expected = f"the same hits as the hit list, {_described(hits, order, row)}"
        raise InputError(path, 0, expected, _described(second, second_order, row))
    decisions = hits.yes[order]
    if (differs := decisions != second.yes[second_order]).any():
        row = int(np.argmax(differs))
        expected, got = ("YES", "NO") if decisions[row] else ("NO", "YES")
        hit = _described(hits, order, row)
        raise InputError(path, 0, f"the same decisions as the hit list, {expected} of {hit}", got)
    probability = np.empty(len(hits))
    probability[order] = second.score[second_order]
    return replace(hits, probability=probability)


def chosen_number(hits: STDList, number: Number | None) -> tuple[Detections, float | None]:
    """The hits with the number for all measures, or with both numbers.

    Args:
        number: the number for all measures; None: the probability for Cnxe and calibration, if
            there is one, and the score for thresholds.

    Returns:
        the hits; the score of places without a hit for Cnxe, or None if it is not given.

    Raises:
        StdError: the hits have no probabilities.
    """
    found = hits.detections
    if number == "probability":
        if found.probability is None:
            raise StdError("--number probability: expected --probabilities FILE, got none")
        return replace(found, score=found.probability), hits.default_probability
    if number == "score":
        found = replace(found, probability=None)
    takes_score = found.probability is None
    return found, hits.default_score if takes_score else hits.default_probability


def _table(first: Sequence[object], second: Sequence[object]) -> dict[object, int]:
    """One index for the names of both lists."""
    return {name: i for i, name in enumerate(dict.fromkeys([*first, *second]))}


def _ordered(
    hits: Detections, terms: dict[object, int], recordings: dict[object, int]
) -> tuple[Indices, Float64s]:
    """(n,) rows by place, and (n, 4) the places in that order: term, recording, start, duration.

    Hits at one place are ordered by decision and score, so the order of the list does not matter.
    """
    term = np.array([terms[name] for name in hits.terms], np.float64)[hits.term]
    recording = np.array([recordings[name] for name in hits.recordings], np.float64)[hits.recording]
    places = np.column_stack([term, recording, hits.start_s, hits.duration_s])
    order = np.lexsort((hits.score, hits.yes, *places.T[::-1]))
    return order, places[order]


def _described(hits: Detections, order: Indices, row: int) -> Unquoted:
    if row >= len(order):
        return Unquoted("no more")
    at = int(order[row])
    where: Recording = hits.recordings[hits.recording[at]]
    place = f"{where.file}/{where.channel} at {hits.start_s[at]:g} s"
    return Unquoted(f"{hits.terms[hits.term[at]]} in {place}")


def inside_excerpts(
    excerpts: tuple[Excerpt, ...],
    hits: Detections,
    occurrences: Occurrences,
    options: ScoringOptions,
) -> tuple[Bools, Bools]:
    """Which hits and which occurrences lie inside one excerpt.

    Args:
        excerpts: the speech that is scored.
        hits: a hit must be completely inside, or in segment-based scoring its middle.
        occurrences: the first word of an occurrence must be inside.
        options: whether scoring is by segments.

    Returns:
        (hits,) and (occurrences,) truth values.
    """
    start_s, end_s = hits.start_s, hits.start_s + hits.duration_s
    if options.segments:
        start_s = end_s = hits.start_s + hits.duration_s / 2
    return (
        inside_one(excerpts, hits.recordings, hits.recording, start_s, end_s),
        inside_one(
            excerpts,
            occurrences.recordings,
            occurrences.recording,
            occurrences.start_s,
            occurrences.first_end_s,
        ),
    )


def selected(places: Places, rows: Rows) -> Places:
    """The hits or occurrences at these rows; the same object if that is all of them."""
    if rows.dtype == np.bool_ and rows.all():
        return places
    values = [(field.name, getattr(places, field.name)) for field in fields(places)]
    chosen: dict[str, Any] = {
        name: value[rows] for name, value in values if isinstance(value, np.ndarray)
    }
    return replace(places, **chosen)


def judged_number(hits: Detections) -> Float64s:
    """(n,) the number for Cnxe and calibration: the probability if it is known, else the score."""
    return hits.score if hits.probability is None else hits.probability
