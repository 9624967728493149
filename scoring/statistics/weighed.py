"""The measures of a `Sample` for many sets of weights of its terms and files.

Means over terms are weighted by the weights of the terms; within a term, hits and occurrences have
the weights of their files. The weight of a trial in Cnxe is the lower of the weights of its term
and its file, because a hit that is left out with its file must not be left out again with its term.

With all weights 1 they are the measures of the `Group` itself; a test compares the two.
"""

from typing import NamedTuple

import numpy as np

from scoring.matching.counts import Counts
from scoring.measures import WEIGHED, cnxe
from scoring.measures.det import TIE
from scoring.statistics.sample import Sample, Surprise
from std.values import Float64s


class UnitWeights(NamedTuple):
    """The weights of terms and files in each of B sets of weights, from 0 to 1."""

    term: Float64s  # (B, T)
    file: Float64s  # (B, F)


def weighed(sample: Sample, weights: UnitWeights) -> Float64s:
    """(B, measures) in the order of `WEIGHED`; NaN where undefined."""
    hits, targets, n = sample.hits, sample.targets, len(sample.counted)
    hit_ends = np.searchsorted(hits.term, np.arange(n + 1))
    target_ends = np.searchsorted(targets.term, np.arange(n + 1))
    hit, said = weights.file[:, hits.file], weights.file[:, targets.file]
    due = _sums(said, target_ends)
    trials = (weights.file @ sample.trials)[:, None] * sample.rounding
    occurs = sample.counted & (due > 0)
    with_room = occurs & (due < trials)  # other terms have no P_fa
    share, fa_share = _shares(weights.term * occurs), _shares(weights.term * with_room)
    per_target = np.divide(1.0, due, out=np.zeros(share.shape), where=occurs)
    per_other = np.divide(1.0, trials - due, out=np.zeros(share.shape), where=with_room)

    # What accepting each hit does to the hit rate and to P_fa: of its term, then in the means.
    gain = np.where(hits.paired, per_target[:, hits.term], 0.0) * hit
    loss = np.where(hits.paired, 0.0, per_other[:, hits.term]) * hit
    right, wrong = gain * share[:, hits.term], loss * fa_share[:, hits.term]
    hit_rate, p_fa = right @ hits.yes, wrong @ hits.yes
    value = right - sample.beta * wrong
    found = _sums(np.where(targets.paired, said, 0.0), target_ends)
    values = {
        "P_miss": 1 - hit_rate,
        "P_fa": p_fa,
        "ATWV": hit_rate - sample.beta * p_fa,
        "MTWV": _best(sample, value),
        "OTWV": _best_of_terms(sample, value, gain - sample.beta * loss, hit_ends),
        "STWV": (share * per_target * found).sum(axis=1),
        "MAP": _mean_precision(sample, hit, right, hit_ends),
        "Cnxe": _cross_entropy(sample, sample.surprise, weights),
        "Cnxe_min": _cross_entropy(sample, sample.recalibrated, weights),
    }
    result = np.stack([values[name] for name in WEIGHED], axis=1)
    result[fa_share.sum(axis=1) == 0] = np.nan
    return result


def alarm_rates(sample: Sample, file: Float64s) -> tuple[Float64s, Float64s]:
    """P_fa of each term, and each term's share in the mean with equal weights.

    Args:
        file: (B, F) the weights of files.

    Returns:
        (B, T), (B, T); 0 for terms that have no P_fa.
    """
    hits, targets, terms = sample.hits, sample.targets, np.arange(len(sample.counted) + 1)
    wrong = np.where(hits.yes & ~hits.paired, file[:, hits.file], 0.0)
    alarms = _sums(wrong, np.searchsorted(hits.term, terms))
    due = _sums(file[:, targets.file], np.searchsorted(targets.term, terms))
    others = (file @ sample.trials)[:, None] * sample.rounding - due
    with_room = sample.counted & (due > 0) & (others > 0)
    rates = np.divide(alarms, others, out=np.zeros(alarms.shape), where=with_room)
    return rates, _shares(with_room.astype(np.float64))


def _sums(values: Float64s, ends: Counts) -> Float64s:
    """(B, T) sums of the columns that are each term's; ``ends`` (T + 1,) are where they begin."""
    running = _running(values)
    sums: Float64s = running[:, ends[1:]] - running[:, ends[:-1]]
    return sums


def _running(values: Float64s) -> Float64s:
    """Cumulative sums of rows; the first is 0."""
    sums = np.cumsum(values, axis=1, dtype=np.float64)
    running: Float64s = np.concatenate([np.zeros((len(values), 1)), sums], axis=1)
    return running


def _shares(weights: Float64s) -> Float64s:
    """Rows that sum up to 1, or to 0."""
    total = weights.sum(axis=1, keepdims=True)
    shares: Float64s = np.divide(weights, total, out=np.zeros(weights.shape), where=total > 0)
    return shares


def _best(sample: Sample, value: Float64s) -> Float64s:
    """(B,) the best value of one threshold for all terms."""
    if not len(sample.score_ends):
        return np.zeros(len(value))
    curve = np.cumsum(value[:, sample.by_score], axis=1)[:, sample.score_ends]
    best: Float64s = curve.max(axis=1)
    return best


def _best_of_terms(sample: Sample, value: Float64s, own: Float64s, hit_ends: Counts) -> Float64s:
    """(B,) the value with each term at its own best threshold.

    Args:
        value: (B, n) the change of the value of all terms if each hit is accepted.
        own: (B, n) the change of the value of its own term.
        hit_ends: (T + 1,) where the hits of each term begin.
    """
    has_hits = np.flatnonzero(np.diff(hit_ends))
    if not len(has_hits):
        return np.zeros(len(value))
    begin, rows = hit_ends[has_hits], sample.ends + 1
    first = np.searchsorted(sample.ends, begin)
    running = _running(own)
    at = running[:, rows]
    best = np.maximum.reduceat(at, first, axis=1)
    is_best = at >= np.repeat(best, np.diff(np.append(first, len(rows))), axis=1) - TIE
    row = rows[np.maximum.reduceat(np.where(is_best, np.arange(len(rows)), -1), first, axis=1)]
    nothing = sample.may_accept_none[has_hits] & (best - running[:, begin] < -TIE)
    row = np.where(nothing, begin, row)
    running = _running(value)
    total: Float64s = (np.take_along_axis(running, row, axis=1) - running[:, begin]).sum(axis=1)
    return total


def _mean_precision(sample: Sample, hit: Float64s, right: Float64s, hit_ends: Counts) -> Float64s:
    """(B,) mean average precision."""
    begin, end = hit_ends[sample.hits.term], sample.run_end + 1
    listed, correct = _running(hit), _running(np.where(sample.hits.paired, hit, 0.0))
    rank = listed[:, end] - listed[:, begin]
    found = correct[:, end] - correct[:, begin]
    precision = np.divide(found, rank, out=np.zeros(rank.shape), where=rank > 0)
    mean: Float64s = (precision * right).sum(axis=1)
    return mean


def _cross_entropy(sample: Sample, surprise: Surprise | None, weights: UnitWeights) -> Float64s:
    """(B,) cross entropy of all trials of the terms that occur."""
    if surprise is None:
        return np.full(len(weights.file), np.nan)
    term = weights.term * sample.counted
    hits = np.minimum(term[:, sample.hits.term], weights.file[:, sample.hits.file])
    said = np.minimum(term[:, sample.targets.term], weights.file[:, sample.targets.file])
    targets = said.sum(axis=1)
    # Either only terms or one file weighs less: the lower of two sums is the sum of the lower.
    trials = np.minimum(term * sample.trials.sum(), (weights.file @ sample.trials)[:, None])
    others = trials.sum(axis=1) - targets
    total = np.zeros(len(targets))
    for rows, whole, missing_bits, prior in (
        (sample.hits.paired, targets, surprise.missing_target, sample.p_tar),
        (~sample.hits.paired, others, surprise.missing_other, 1 - sample.p_tar),
    ):
        missing = whole - hits[:, rows].sum(axis=1)
        bits = hits[:, rows] @ surprise.hit[rows] + missing * missing_bits
        total += np.divide(prior * bits, whole, out=np.full(len(bits), np.nan), where=whole > 0)
    entropy: Float64s = total / cnxe.entropy_bits(sample.p_tar)
    return entropy
