"""Detection error trade-off: P_miss, P_fa and TWV at every threshold, in one sweep.

Hits are taken in descending order of score. Each one changes one term's P_miss or P_fa by a known
step, so means and squares over terms are cumulative sums: n log n for the sort, whatever the
number of terms. Thresholds are the distinct scores of the terms that count; a hit is accepted if
its score is at least the threshold. There is no point that accepts nothing, as in NIST's scorer:
the maximum TWV can be negative.

Source: F4DE 3.5.0 (its behaviour).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scoring.matching.counts import Counts
from scoring.measures.ranking import run_ends
from std.values import Bools, Float64s, Int32s, freeze

TIE = 1e-12  # two TWVs this close are equal: cumulative sums carry the error of their additions


@dataclass(frozen=True, slots=True, eq=False)
class DET:
    """Points by ascending threshold."""

    threshold: Float64s  # (n,) distinct scores
    p_miss: Float64s  # (n,) means over terms
    p_fa: Float64s  # (n,)
    twv: Float64s  # (n,)
    sd_p_miss: Float64s  # (n,) sample standard deviations over terms
    sd_p_fa: Float64s  # (n,)
    sd_twv: Float64s  # (n,)
    terms: int  # how many terms count

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.threshold)


class Point(NamedTuple):
    """One point of a curve."""

    threshold: float
    p_miss: float
    p_fa: float
    twv: float


class _Accepted(NamedTuple):
    """For each hit, the number of its term's hits accepted at its score, itself included."""

    right: Int32s  # (n,)
    wrong: Int32s  # (n,)


def sweep(
    term: Int32s,
    score: Float64s,
    paired: Bools,
    targets: Counts,
    trials: float,
    beta: float,
    *,
    counted: Bools | None = None,
) -> DET:
    """Points of the curve.

    Args:
        term: (n,) index of each hit's term.
        score: (n,) higher is more likely.
        paired: (n,) the hit is paired with a reference occurrence.
        targets: (T,) reference occurrences.
        trials: per term.
        beta: weight of P_fa in the TWV.
        counted: (T,) terms that count; by default those that occur.

    Counted terms without occurrences count for P_fa, not for P_miss; terms that occur in every
    trial count for P_miss, not for P_fa.
    """
    if counted is None:
        counted = targets > 0
    chosen = counted[term]
    term, score, paired = term[chosen], score[chosen], paired[chosen]
    order = np.argsort(-score, kind="stable")
    term, score, paired = term[order], score[order], paired[order]
    last = np.flatnonzero(run_ends(score))[::-1]  # of runs of equal scores
    occur, n = int((counted & (targets > 0)).sum()), int(counted.sum())

    # A rate that grows from r - d to r adds d to the sum and d (2 r - d) to the sum of squares.
    per_target, per_other = _scales(targets, trials)
    no_room = np.isnan(per_other)
    with_room = int((counted & ~no_room).sum())
    per_other = np.where(no_room, 0.0, per_other)
    accepted = _accepted(term, paired)
    hit_rate, gain = accepted.right * per_target[term], np.where(paired, per_target[term], 0.0)
    hits, hit_squares = _running(gain)[last], _running(gain * (2 * hit_rate - gain))[last]
    fa_rate, loss = accepted.wrong * per_other[term], np.where(paired, 0.0, per_other[term])
    fas, fa_squares = _running(loss)[last], _running(loss * (2 * fa_rate - loss))[last]
    value, change = hit_rate - beta * fa_rate, gain - beta * loss
    value_squares = _running(change * (2 * value - change))[last]

    mean_hits, mean_fa = _divide(hits, occur), _divide(fas, with_room)
    mean_value = mean_hits - beta * mean_fa
    # A term without P_fa has no value of its own: how values spread is then unknown.
    sd_twv = _deviation(value_squares, mean_value, n if with_room == n else 0)
    return DET(
        threshold=score[last],
        p_miss=1 - mean_hits,
        p_fa=mean_fa,
        twv=mean_value,
        sd_p_miss=_deviation(hit_squares, mean_hits, occur),
        sd_p_fa=_deviation(fa_squares, mean_fa, with_room),
        sd_twv=sd_twv,
        terms=n,
    )


def maximum(det: DET) -> Point:
    """The point of highest TWV, at the lowest of equally good thresholds.

    Args:
        det: a curve; without points everything is missed: TWV 0, no threshold (NaN). All is NaN if
            the TWV is undefined.
    """
    if not len(det):
        return Point(float("nan"), 1.0, 0.0, 0.0)
    if np.isnan(det.twv).all():
        return Point(*[float("nan")] * 4)
    best = int(np.argmax(det.twv >= np.nanmax(det.twv) - TIE))
    return Point(
        *(float(column[best]) for column in (det.threshold, det.p_miss, det.p_fa, det.twv))
    )


class Optimum(NamedTuple):
    """Each term at its own best threshold; NaN for terms that do not count."""

    threshold: Float64s  # (T,)
    p_miss: Float64s  # (T,) NaN also for counted terms that do not occur
    p_fa: Float64s  # (T,) NaN also for counted terms without a trial that is not a target


def optimum(
    term: Int32s,
    score: Float64s,
    paired: Bools,
    targets: Counts,
    trials: float,
    beta: float,
    thresholds: Float64s,
    *,
    counted: Bools | None = None,
) -> Optimum:
    """The best threshold of each term, over the thresholds of the whole curve.

    Args:
        term, score, paired, targets, trials, beta, counted: see `sweep`.
        thresholds: ascending, as in `DET.threshold`; a term may also choose one above its own
            highest score, if another term has it: then it accepts nothing and is worth 0.
    """
    if counted is None:
        counted = targets > 0
    best = Optimum(*(np.full(len(targets), np.nan) for _ in range(3)))
    chosen = counted[term]
    term, score, paired = term[chosen], score[chosen], paired[chosen]
    order = np.lexsort((-score, term))
    term, score, paired = term[order], score[order], paired[order]
    per_target, per_other = _scales(targets, trials)
    no_room = np.isnan(per_other)
    per_other = np.where(no_room, 0.0, per_other)
    accepted = _accepted(term, paired)
    last = run_ends(score, term)

    top = np.full(len(targets), -np.inf)
    np.maximum.at(top, term, score)
    above = np.searchsorted(thresholds, top, side="right")
    without_hits = counted & (above < len(thresholds)) if len(thresholds) else counted
    best.p_miss[without_hits], best.p_fa[without_hits] = 1.0, 0.0
    if len(thresholds):
        best.threshold[without_hits] = thresholds[above[without_hits]]
    # The best row of each term: highest value, then lowest threshold.
    rows = np.flatnonzero(last)
    term, score = term[rows], score[rows]
    hit_rate = accepted.right[rows] * per_target[term]
    fa_rate = accepted.wrong[rows] * per_other[term]
    value = hit_rate - beta * fa_rate
    value = np.round(value / TIE) * TIE
    rows = np.lexsort((-score, value, term))
    rows = rows[run_ends(term[rows])]
    rows = rows[~without_hits[term[rows]] | (value[rows] >= 0)]
    best.threshold[term[rows]] = score[rows]
    best.p_miss[term[rows]] = 1 - hit_rate[rows]
    best.p_fa[term[rows]] = fa_rate[rows]
    best.p_miss[targets == 0] = np.nan
    best.p_fa[no_room] = np.nan
    return best


def _accepted(term: Int32s, paired: Bools) -> _Accepted:
    """Count within each term; hits of a term in descending order of score."""
    n = len(term)
    order = np.argsort(term, kind="stable")
    by_term, is_hit = term[order], paired[order]
    begins = np.searchsorted(by_term, by_term)  # first row of each hit's term
    so_far = np.zeros(n + 1, np.int32)
    np.cumsum(is_hit, out=so_far[1:])
    right, wrong = np.empty(n, np.int32), np.empty(n, np.int32)
    in_order = so_far[1:] - so_far[begins]
    right[order] = in_order
    wrong[order] = np.arange(1, n + 1) - begins - in_order
    return _Accepted(right, wrong)


def _scales(targets: Counts, trials: float) -> tuple[Float64s, Float64s]:
    """(T,) the contribution of one hit to its term's hit rate, and to its P_fa; NaN: undefined."""
    per_target = np.divide(1.0, targets, out=np.zeros(len(targets)), where=targets > 0)
    room = trials - targets
    return per_target, np.divide(1.0, room, out=np.full(len(targets), np.nan), where=room > 0)


def _running(steps: Float64s) -> Float64s:
    """Cumulative sum, in extended precision where the machine has it."""
    return np.cumsum(steps, dtype=np.longdouble).astype(np.float64)


def _divide(total: Float64s, n: int) -> Float64s:
    return total / n if n else np.full(len(total), np.nan)


def _deviation(squares: Float64s, mean: Float64s, n: int) -> Float64s:
    """Sample standard deviation over n terms from the sum of squares and the mean."""
    if n < 2:
        return np.full(len(squares), np.nan)
    spread = squares - n * mean**2
    spread[np.abs(spread) < 1e-13 * np.abs(squares)] = 0.0  # what rounding leaves of nothing
    deviation: Float64s = np.sqrt(np.maximum(spread, 0) / (n - 1))
    return deviation


def articulated(det: DET) -> DET:
    """The corners of a curve: without the points inside runs of hits of one kind.

    Along such a run the curve is a straight line parallel to an axis.
    """
    n = len(det)
    if n < 3:
        return det
    inner = np.zeros(n, np.bool_)
    for column in (det.p_miss, det.p_fa):
        level = np.abs(np.diff(column)) < TIE
        inner[1:-1] |= level[:-1] & level[1:]
    keep = ~inner
    return DET(
        det.threshold[keep],
        det.p_miss[keep],
        det.p_fa[keep],
        det.twv[keep],
        det.sd_p_miss[keep],
        det.sd_p_fa[keep],
        det.sd_twv[keep],
        det.terms,
    )


ISO_RATIOS = (
    *(1.0, 10.0, 40.0, 100.0, 200.0, 500.0, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4),
    *(1e5, 2e5, 4e5, 6e5, 8e5, 9e5, 9.5e5, 9.8e5),
)


class IsoRatioPoint(NamedTuple):
    """Where a curve meets the line ``P_miss = ratio * P_fa``."""

    ratio: float
    p_fa: float
    p_miss: float
    threshold: float  # of the point with the larger P_fa


def iso_ratio_points(det: DET, ratios: tuple[float, ...]) -> list[IsoRatioPoint]:
    """Interpolate the curve linearly where it meets each line; lines it never meets are left out.

    Source: F4DE 3.5.0 (its behaviour).
    """
    points = []
    for ratio in ratios:
        side = det.p_miss - ratio * det.p_fa  # ascends with the threshold
        right = int(np.searchsorted(side, 0.0, side="right")) - 1
        if right < 0 or (right + 1 == len(side) and side[right] != 0):
            continue
        left = min(right + 1, len(side) - 1)
        part = -side[right] / (side[left] - side[right]) if left > right else 0.0
        p_fa = det.p_fa[right] + part * (det.p_fa[left] - det.p_fa[right])
        p_miss = det.p_miss[right] + part * (det.p_miss[left] - det.p_miss[right])
        points.append(IsoRatioPoint(ratio, float(p_fa), float(p_miss), float(det.threshold[right])))
    return points
