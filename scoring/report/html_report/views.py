"""The numbers that the HTML report shows of each system, small enough to embed.

A view is one system under one group of terms or speech. With several systems each has one view,
all of its terms; a single system has a view for each of its groups.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.evaluate import Evaluation
from scoring.group import Group
from scoring.matching.counts import Counts
from scoring.measures import calibration, det
from scoring.measures.calibration import Expectation, Reliability
from scoring.measures.twv import twv_of_terms
from scoring.report.det_axes import thin
from scoring.report.intervals import group_reliability
from scoring.selection import judged_number
from std.values import Float64s, Int32s, freeze

MAX_VIEWS = 14  # that colours and dashes can distinguish
MAX_SHOWN_POINTS = 1000  # of a curve: a slider and a drawing can show no more


@dataclass(frozen=True, slots=True, eq=False)
class ThinnedCurve:
    """Thinned points by ascending threshold; both ends and the maximum are always kept."""

    threshold: Float64s  # (n,)
    p_miss: Float64s  # (n,)
    p_fa: Float64s  # (n,)
    twv: Float64s  # (n,)
    correct: Counts  # (n,) accepted hits that are paired
    false_alarms: Counts  # (n,) accepted hits that are not
    best: int  # index of the highest TWV; -1 without points
    points: int  # of the whole curve

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.threshold)


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """One system under one group, and values derived from it."""

    label: str
    evaluation: Evaluation
    group: Group
    hit_unit: Int32s  # (hits,) index into the group's units: terms, or the pool
    occurrence_unit: Int32s  # (occurrences,) index into the group's units
    curve: ThinnedCurve
    reliability: Reliability | None  # None: there are no probabilities, or no hits
    expectations: list[Expectation]
    expected_targets: Float64s | None  # (U,) sum of the probabilities of each unit's hits


def views(evaluations: Sequence[Evaluation], names: Sequence[str]) -> list[View]:
    """One view per system, or per group of a single system; at most `MAX_VIEWS`."""
    if len(evaluations) > 1:
        chosen = [
            (n, evaluation, evaluation.groups[0])
            for n, evaluation in zip(names, evaluations, strict=True)
        ]
    else:
        (evaluation,) = evaluations
        chosen = [
            (names[0] if i == 0 else g.name, evaluation, g) for i, g in enumerate(evaluation.groups)
        ]
    return [_view(*triple) for triple in chosen[:MAX_VIEWS]]


def _view(label: str, evaluation: Evaluation, group: Group) -> View:
    hits, beta = group.hits, group.point.beta
    unit, occurrence_unit = hits.term, group.occurrences.term
    if evaluation.options.pooled:
        unit, occurrence_unit = np.zeros_like(unit), np.zeros_like(occurrence_unit)
    correct = group.alignment.occurrence_of >= 0
    plot, expected, by_unit = group_reliability(evaluation, group), [], None
    if plot is not None:
        probability = judged_number(hits)
        expected = calibration.expectations(
            unit, probability, correct, hits.yes, group.trials, beta
        )
        by_unit = np.bincount(unit, probability, len(group.units)).astype(np.float64)
    curve = _curve(group, unit)
    return View(label, evaluation, group, unit, occurrence_unit, curve, plot, expected, by_unit)


def _curve(group: Group, unit: Int32s) -> ThinnedCurve:
    whole, score = group.det, group.hits.score
    kept = thin(whole, MAX_SHOWN_POINTS)
    threshold = whole.threshold[kept]
    counted = group.counted[unit]
    paired = group.alignment.occurrence_of >= 0
    best = int(np.searchsorted(threshold, det.maximum(whole).threshold)) if len(kept) else -1
    return ThinnedCurve(
        threshold,
        whole.p_miss[kept],
        whole.p_fa[kept],
        whole.twv[kept],
        _accepted(score[counted & paired], threshold),
        _accepted(score[counted & ~paired], threshold),
        best,
        len(whole),
    )


def _accepted(score: Float64s, threshold: Float64s) -> Counts:
    """How many scores are at least each threshold."""
    return (len(score) - np.searchsorted(np.sort(score), threshold)).astype(np.int64)


def cost_of_a_miss(group: Group) -> Float64s:
    """(U,) the loss of ATWV by one miss; NaN for units that do not occur."""
    targets = group.counts.targets
    occurs = group.counted & (targets > 0)
    cost = np.full(len(targets), np.nan)
    cost[occurs] = 1 / (targets[occurs] * occurs.sum())
    return cost


def cost_of_a_false_alarm(group: Group) -> Float64s:
    """(U,) the loss of ATWV by one false alarm; NaN for units that do not count.

    Nothing in units where every trial is a target: they have no P_fa.
    """
    room = group.trials - group.counts.targets
    with_room = group.counted & (room > 0)
    cost = np.where(group.counted, 0.0, np.nan)
    cost[with_room] = group.point.beta / room[with_room] / with_room.sum()
    return cost


def loss_by_unit(group: Group) -> Float64s:
    """(U,) the loss of ATWV by each unit; the losses sum to 1 - ATWV."""
    misses = np.nan_to_num(cost_of_a_miss(group)) * group.counts.miss
    loss: Float64s = misses + cost_of_a_false_alarm(group) * group.counts.fa
    return loss


def term_columns(view: View, limit: int) -> dict[str, list[Any]]:
    """The table of the `limit` terms with the largest losses, as JSON columns, largest first."""
    group = view.group
    loss, best = loss_by_unit(group), group.best
    rows = np.flatnonzero(group.chosen)
    rows = rows[np.argsort(-np.nan_to_num(loss[rows], nan=-np.inf), kind="stable")][:limit]
    counts, terms = group.counts, [group.units[i] for i in rows]
    columns: dict[str, list[Any]] = {
        "text": [term.text for term in terms],
        "id": [term.term_id for term in terms],
        "targets": counts.targets[rows].tolist(),
        "correct": counts.corr[rows].tolist(),
        "missed": counts.miss[rows].tolist(),
        "alarms": counts.fa[rows].tolist(),
        "twv": rounded(group.twv[rows]),
        "best": rounded(twv_of_terms(best.p_miss, best.p_fa, group.point.beta)[rows]),
        "threshold": rounded(best.threshold[rows]),
        "loss": rounded(loss[rows]),
    }
    if view.expected_targets is not None:
        columns["expected"] = rounded(view.expected_targets[rows], 4)
    return columns


def rounded(values: Float64s | Sequence[float], digits: int = 6) -> list[float | int | None]:
    """Numbers for JSON, in few characters; null where undefined or infinite.

    >>> rounded([2.0, 1 / 3, float("nan")])
    [2, 0.333333, None]
    """
    return [_short(float(f"{value:.{digits}g}")) for value in map(float, values)]


def _short(value: float) -> float | int | None:
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 1e15 else value
