"""Utterances as the file has them: a reader fills these values, before they are normalised.

RawUtterances    columns of many utterances: seconds, tokens and posteriors
is_valid         whether a strict parser would accept every number unchanged
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from indexer.networks.slot_times import Int64s
from std.limits import MAX_TIME_S, MAX_WORD_S, POSTERIOR_TOLERANCE, SUM_TOLERANCE
from std.values import Float64s, Recording


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
    languages: Sequence[str] = ()  # (u,) as the file says them; none at all where it does not
    speakers: Sequence[str] = ()  # (u,) as the file names them; none at all where it does not
    slot_errors_s: Float64s | None = None  # (n,) largest error of a slot's times; None: unknown


def is_valid(columns: RawUtterances) -> bool:
    """Tell whether every number is one that the strict parser would accept unchanged."""
    masses, slots = columns.posteriors, len(columns.epsilons)
    slot_of = np.repeat(np.arange(slots), np.diff(columns.offsets))
    sums = columns.epsilons + np.bincount(slot_of, masses, slots)
    low, high = -POSTERIOR_TOLERANCE, 1 + POSTERIOR_TOLERANCE
    starts = columns.slot_spans_s[:, 0]
    backwards = np.flatnonzero(starts[1:] < starts[:-1]) + 1
    first = np.zeros(slots + 1, dtype=bool)  # slots that may: those that begin an utterance
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
