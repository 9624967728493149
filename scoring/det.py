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

from scoring.counts import Counts
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


@dataclass(frozen=True, slots=True, eq=False)
class _Steps:
    """What each hit, by descending score, does to its term; before and after it is accepted."""

    hits_before: Float64s  # (n,) hit rate of the term
    hits_after: Float64s
    fa_before: Float64s  # (n,) P_fa of the term
    fa_after: Float64s


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
        counted: (T,) terms that count; by default those that occur.

    Terms without occurrences that are counted all the same add to P_fa, not to P_miss.
    """
    if counted is None:
        counted = targets > 0
    chosen = counted[term]
    term, score, paired = term[chosen], score[chosen], paired[chosen]
    order = np.argsort(-score, kind="stable")
    term, score, paired = term[order], score[order], paired[order]
    steps = _steps(term, paired, targets, trials)
    last = np.flatnonzero(np.diff(score, append=np.nan) != 0)  # of each run of equal scores
    last = last[::-1]
    occur, n = int((counted & (targets > 0)).sum()), int(counted.sum())

    gain, loss = steps.hits_after - steps.hits_before, steps.fa_after - steps.fa_before
    value_before = steps.hits_before - beta * steps.fa_before
    value_after = steps.hits_after - beta * steps.fa_after
    hit_rate = _running(gain)[last]
    p_fa_sum = _running(loss)[last]
    mean_hits = _divide(hit_rate, occur)
    mean_fa = _divide(p_fa_sum, n)
    return DET(
        threshold=score[last],
        p_miss=1 - mean_hits,
        p_fa=mean_fa,
        twv=mean_hits - beta * mean_fa,
        sd_p_miss=_deviation(
            _running(steps.hits_after**2 - steps.hits_before**2)[last], mean_hits, occur
        ),
        sd_p_fa=_deviation(_running(steps.fa_after**2 - steps.fa_before**2)[last], mean_fa, n),
        sd_twv=_deviation(
            _running(value_after**2 - value_before**2)[last], mean_hits - beta * mean_fa, n
        ),
        terms=n,
    )


def maximum(det: DET) -> Point:
    """The point of highest TWV, at the lowest of equally good thresholds.

    Without any hit: everything missed, TWV 0, no threshold (NaN).
    """
    if not len(det):
        return Point(float("nan"), 1.0, 0.0, 0.0)
    best = int(np.argmax(det.twv >= np.nanmax(det.twv) - TIE))
    return Point(
        *(float(column[best]) for column in (det.threshold, det.p_miss, det.p_fa, det.twv))
    )


class Optimum(NamedTuple):
    """Each term at its own best threshold; NaN for terms that do not count."""

    threshold: Float64s  # (T,)
    p_miss: Float64s  # (T,) NaN also for counted terms that do not occur
    p_fa: Float64s  # (T,)


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
        thresholds: ascending, as in `DET.threshold`; a term may also choose one above its own
            highest score, if another term has it: then it accepts nothing and is worth 0.
        counted: (T,) terms that count; by default those that occur.
    """
    if counted is None:
        counted = targets > 0
    best = Optimum(*(np.full(len(targets), np.nan) for _ in range(3)))
    chosen = counted[term]
    term, score, paired = term[chosen], score[chosen], paired[chosen]
    order = np.lexsort((-score, term))
    term, score, paired = term[order], score[order], paired[order]
    steps = _steps(term, paired, targets, trials)
    last = (np.diff(score, append=np.nan) != 0) | (np.diff(term, append=-1) != 0)

    top = np.full(len(targets), -np.inf)
    np.maximum.at(top, term, score)
    above = np.searchsorted(thresholds, top, side="right")
    silent = counted & (above < len(thresholds)) if len(thresholds) else counted
    best.p_miss[silent], best.p_fa[silent] = 1.0, 0.0
    if len(thresholds):
        best.threshold[silent] = thresholds[above[silent]]
    # The best row of each term: highest value, then lowest threshold.
    value = steps.hits_after - beta * steps.fa_after
    rows = np.flatnonzero(last)
    rows = rows[np.lexsort((-score[rows], value[rows], term[rows]))]
    rows = rows[np.diff(term[rows], append=-1) != 0]
    rows = rows[~silent[term[rows]] | (value[rows] >= 0)]
    best.threshold[term[rows]] = score[rows]
    best.p_miss[term[rows]] = 1 - steps.hits_after[rows]
    best.p_fa[term[rows]] = steps.fa_after[rows]
    best.p_miss[targets == 0] = np.nan
    return best


def _steps(term: Int32s, paired: Bools, targets: Counts, trials: float) -> _Steps:
    """Hit rate and P_fa of each hit's term before and after it, hits by descending score."""
    n = len(term)
    order = np.argsort(term, kind="stable")
    by_term, is_hit = term[order], paired[order].astype(np.int64)
    first = np.searchsorted(by_term, by_term, side="left")
    hits = np.cumsum(is_hit)
    so_far = np.concatenate([[0], hits])
    hits_after = hits - so_far[first]
    fa_after = np.arange(1, n + 1) - first - hits_after
    whole = targets[by_term].astype(np.float64)
    room = trials - whole
    scale_hit = np.divide(1.0, whole, out=np.zeros(n), where=whole > 0)
    scale_fa = np.divide(1.0, room, out=np.full(n, np.nan), where=room > 0)
    columns = (
        (hits_after - is_hit) * scale_hit,
        hits_after * scale_hit,
        (fa_after - 1 + is_hit) * scale_fa,
        fa_after * scale_fa,
    )
    back = np.empty(n, np.intp)
    back[order] = np.arange(n)
    return _Steps(*(column[back] for column in columns))


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
    """Without the points inside runs of hits of one kind: the corners of the curve remain.

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


def iso_ratio_points(det: DET, ratios: tuple[float, ...] = ISO_RATIOS) -> list[IsoRatioPoint]:
    """Interpolate the curve linearly where it meets each line; lines it never meets are left out.

    Source: F4DE 3.5.0 (its behaviour).
    """
    found = []
    for ratio in ratios:
        side = det.p_miss - ratio * det.p_fa  # ascends with the threshold
        right = int(np.searchsorted(side, 0.0, side="right")) - 1
        if right < 0 or (right + 1 == len(side) and side[right] != 0):
            continue
        left = min(right + 1, len(side) - 1)
        part = -side[right] / (side[left] - side[right]) if left > right else 0.0
        p_fa = det.p_fa[right] + part * (det.p_fa[left] - det.p_fa[right])
        p_miss = det.p_miss[right] + part * (det.p_miss[left] - det.p_miss[right])
        found.append(IsoRatioPoint(ratio, float(p_fa), float(p_miss), float(det.threshold[right])))
    return found
