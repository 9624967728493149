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
    """Each term at its own best threshold."""

    threshold: Float64s  # (T,) NaN for terms that do not count
    twv: Float64s  # (T,)


def optimum(
    term: Int32s,
    score: Float64s,
    paired: Bools,
    targets: Counts,
    trials: float,
    beta: float,
    thresholds: Float64s,
) -> Optimum:
    """The best TWV of each term that occurs, over the thresholds of the whole curve.

    Args:
        thresholds: ascending, as in `DET.threshold`; a term may also choose one above its own
            highest score, if another term has it: then it accepts nothing and is worth 0.
    """
    occurs = targets > 0
    best_threshold, best = np.full(len(targets), np.nan), np.full(len(targets), np.nan)
    if not len(thresholds):
        best[occurs] = 0.0
        return Optimum(best_threshold, best)
    chosen = occurs[term]
    term, score, paired = term[chosen], score[chosen], paired[chosen]
    order = np.lexsort((-score, term))
    term, score, paired = term[order], score[order], paired[order]
    steps = _steps(term, paired, targets, trials)
    value = steps.hits_after - beta * steps.fa_after
    end_of_run = np.diff(score, append=np.nan) != 0
    end_of_run |= np.diff(term, append=-1) != 0
    term, score, value = term[end_of_run], score[end_of_run], value[end_of_run]

    top = np.full(len(targets), -np.inf)
    np.maximum.at(top, term, score)
    above = np.searchsorted(thresholds, top, side="right")
    silent = occurs & (above < len(thresholds))
    best[silent] = 0.0
    best_threshold[silent] = thresholds[above[silent]]
    # Ascending by value, then by descending threshold: the last one written is the best.
    order = np.lexsort((-score, value, term))
    term, score, value = term[order], score[order], value[order]
    final = np.diff(term, append=-1) != 0
    term, score, value = term[final], score[final], value[final]
    better = ~(value < best[term])  # NaN: the term had no way to be silent
    best[term[better]], best_threshold[term[better]] = value[better], score[better]
    return Optimum(best_threshold, best)


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
