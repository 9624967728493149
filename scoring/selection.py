"""Hits and occurrences inside the excerpts, and selections of their rows."""

import numpy as np
import numpy.typing as npt

from scoring.options import ScoringOptions
from std.ecf_filter import inside_one
from std.matching.occurrences import Occurrences
from std.values import Bools, Detections, Excerpt, Float64s

Rows = Bools | npt.NDArray[np.intp]  # which, as truth values or as indices


def inside_excerpts(
    excerpts: tuple[Excerpt, ...],
    hits: Detections,
    occurrences: Occurrences,
    options: ScoringOptions,
) -> tuple[Bools, Bools]:
    """Which hits and which occurrences lie inside one excerpt.

    Args:
        excerpts: the speech that is scored.
        hits: a hit must lie inside as a whole, or with its middle in segment-based scoring.
        occurrences: an occurrence must lie inside with its first word.
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


def select_hits(hits: Detections, rows: Rows) -> Detections:
    """The hits at these rows; the same object if that is all of them."""
    if rows.dtype == np.bool_ and rows.all():
        return hits
    return Detections(
        terms=hits.terms,
        recordings=hits.recordings,
        term=hits.term[rows],
        recording=hits.recording[rows],
        start_s=hits.start_s[rows],
        duration_s=hits.duration_s[rows],
        score=hits.score[rows],
        yes=hits.yes[rows],
        probability=None if hits.probability is None else hits.probability[rows],
    )


def judged_number(hits: Detections) -> Float64s:
    """(n,) what Cnxe and calibration judge: the probability where it is known, else the score."""
    return hits.score if hits.probability is None else hits.probability


def select_occurrences(occurrences: Occurrences, rows: Rows) -> Occurrences:
    """The occurrences at these rows; the same object if that is all of them."""
    if rows.dtype == np.bool_ and rows.all():
        return occurrences
    return Occurrences(
        recordings=occurrences.recordings,
        term=occurrences.term[rows],
        recording=occurrences.recording[rows],
        start_s=occurrences.start_s[rows],
        end_s=occurrences.end_s[rows],
        first_end_s=occurrences.first_end_s[rows],
        first_word=occurrences.first_word[rows],
        last_word=occurrences.last_word[rows],
    )
