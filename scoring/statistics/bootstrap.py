"""Confidence intervals of the measures: resampling terms, or recordings, with replacement.

Resampling terms estimates the spread over other term lists, resampling recordings the spread over
other speech. Audio files are drawn as a whole, with all their channels, hits, references and
trials, so dependence within a file is kept.

`weighed` computes the measures with a weight for every term and file. With all weights 1
it gives the measures of the `Group` itself; a test compares the two.

Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), percentile intervals.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from scoring.group import Group
from scoring.matching.counts import Counts
from scoring.measures import cnxe
from scoring.measures.runs import run_ends
from scoring.options import ScoreKind, ScoringOptions
from scoring.selection import judged_number
from std.errors import StdError
from std.values import Bools, Float64s, Int32s, Recording, freeze

Unit = Literal["terms", "recordings"]
UNITS: tuple[Unit, ...] = ("terms", "recordings")
MEASURES = ("ATWV", "MTWV", "OTWV", "STWV", "P_miss", "P_fa", "MAP", "Cnxe")


class Interval(NamedTuple):
    """A percentile interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One group of one system as plain columns; hits sorted by term and descending score."""

    files: tuple[str, ...]
    trials_by_file: Float64s  # (F,) trials per term, not rounded
    trials: int  # of all files, rounded
    beta: float
    p_tar: float
    occurs: Bools  # (T,) terms that occur: those that count
    term: Int32s  # (n,) of each hit
    file: Int32s  # (n,)
    paired: Bools  # (n,)
    yes: Bools  # (n,)
    bits: Float64s  # (n,) surprise at the truth of each hit, for Cnxe
    missing_bits: tuple[float, float]  # of a missing target, of a missing non-target
    by_score: Counts  # (k,) rows by descending score, of terms that count
    score_ends: Counts  # places in by_score where a run of equal scores ends
    term_begins: Counts  # (n,) first row of each hit's term
    term_ends: Counts  # rows where a run of one term's equal scores ends
    run_end: Counts  # (n,) row where each hit's run of equal scores ends
    may_accept_none: Bools  # (T,) some other term has a higher score than all of its own
    target_term: Int32s  # (m,) of each occurrence
    target_file: Int32s  # (m,)
    target_paired: Bools  # (m,) paired with a hit

    def __post_init__(self) -> None:
        freeze(self)


def sample(group: Group, options: ScoringOptions, scores: ScoreKind) -> Sample:
    """Prepare a group.

    Args:
        group: counts of its terms.
        options: of the scoring; cost and prior.
        scores: whether Cnxe judges probabilities or log likelihood ratios.

    Raises:
        StdError: scoring that does not take means over the terms that occur.
    """
    if options.pooled or options.all_terms:
        raise StdError("expected means over terms with references, got --pooled or --all-terms")
    hits, occurrences = group.hits, group.occurrences
    files = tuple(sorted(group.trials_by_file))
    order = np.lexsort((-hits.score, hits.term))
    term, score = hits.term[order], hits.score[order]
    paired = (group.alignment.occurrence_of >= 0)[order]
    counts = group.counted[term]
    by_score = np.flatnonzero(counts)
    by_score = by_score[np.argsort(-score[by_score], kind="stable")]
    ends = run_ends(score, term)
    top = np.full(len(group.units), -np.inf)
    np.maximum.at(top, term, score)

    p_tar = cnxe.effective_prior(group.point.prior, group.point.value, group.point.cost)
    llr = judged_number(hits)[order]
    if scores == "probability":
        llr = cnxe.from_probabilities(llr, p_tar)
    log_odds = np.zeros(len(llr))  # stays 0 for hits that do not count
    log_odds[counts] = cnxe.finite(llr[counts]) + cnxe.logit(p_tar)
    unlisted_llr = 0.0 if np.isnan(group.unlisted_llr) else group.unlisted_llr
    lowest = unlisted_llr + cnxe.logit(p_tar)
    return Sample(
        files,
        np.array([group.trials_by_file[file] for file in files], float),
        group.trials,
        group.point.beta,
        p_tar,
        group.counted,
        term,
        _files_of(hits.recordings, files)[hits.recording[order]],
        paired,
        hits.yes[order],
        cnxe.surprise_bits(log_odds, paired),
        (
            float(cnxe.surprise_bits(np.array([lowest]), np.array([True]))[0]),
            float(cnxe.surprise_bits(np.array([lowest]), np.array([False]))[0]),
        ),
        by_score,
        np.flatnonzero(run_ends(score[by_score])),
        np.searchsorted(term, term),
        np.flatnonzero(ends),
        np.flatnonzero(ends)[np.cumsum(ends) - ends],
        top < (score[by_score[0]] if len(by_score) else np.inf),
        occurrences.term,
        _files_of(occurrences.recordings, files)[occurrences.recording],
        group.alignment.hit_of >= 0,
    )


def _files_of(recordings: Sequence[Recording], files: Sequence[str]) -> Int32s:
    """(R,) index of each recording's file; recordings outside the excerpts have no hits."""
    place = {file: i for i, file in enumerate(files)}
    return np.array([place.get(recording.file, -1) for recording in recordings], np.int32)


def weighed(sample: Sample, term_weight: Float64s, file_weight: Float64s) -> Float64s:
    """The measures, in the order of `MEASURES`.

    Args:
        term_weight: (T,) how often each term counts.
        file_weight: (F,) how often each audio file counts.
    """
    n = len(sample.occurs)
    hit_weight, target_weight = file_weight[sample.file], file_weight[sample.target_file]
    exact_trials = float(file_weight @ sample.trials_by_file)
    trials = sample.trials if (file_weight == 1).all() else round(exact_trials)
    targets = _sum_by(sample.target_term, target_weight, n)
    paired_targets = _sum_by(
        sample.target_term[sample.target_paired], target_weight[sample.target_paired], n
    )
    occurs = sample.occurs & (targets > 0)
    with_room = occurs & (targets < trials)  # other terms have no P_fa
    share = np.where(occurs, term_weight, 0.0)
    fa_share = np.where(with_room, term_weight, 0.0)
    if not fa_share.sum():
        return np.full(len(MEASURES), np.nan)
    share /= share.sum()
    fa_share /= fa_share.sum()
    per_target = np.divide(1.0, targets, out=np.zeros(n), where=occurs)
    per_other = np.divide(1.0, trials - targets, out=np.zeros(n), where=with_room)

    # What accepting each hit does to the hit rate, or to P_fa, of its term.
    gain = np.where(sample.paired, per_target[sample.term], 0.0) * hit_weight
    loss = np.where(sample.paired, 0.0, per_other[sample.term]) * hit_weight
    right, wrong = gain * share[sample.term], loss * fa_share[sample.term]
    hit_rate, p_fa = right @ sample.yes, wrong @ sample.yes
    curve = np.cumsum((right - sample.beta * wrong)[sample.by_score])[sample.score_ends]
    best_hit_rate, best_p_fa = _best_by_term(sample, gain, loss)
    return np.array(
        [
            hit_rate - sample.beta * p_fa,
            curve.max() if len(curve) else 0.0,
            share @ best_hit_rate - sample.beta * (fa_share @ best_p_fa),
            share @ (paired_targets * per_target),
            1 - hit_rate,
            p_fa,
            share @ (_precision_by_term(sample, hit_weight, n) * per_target),
            _cross_entropy(sample, hit_weight, targets, exact_trials, term_weight * sample.occurs),
        ]
    )


def _best_by_term(sample: Sample, gain: Float64s, loss: Float64s) -> tuple[Float64s, Float64s]:
    """(T,) the hit rate and P_fa of each term at its own best threshold."""
    term = sample.term[sample.term_ends]
    hit_rate = _running_by_term(sample, gain)[sample.term_ends]
    p_fa = _running_by_term(sample, loss)[sample.term_ends]
    value = hit_rate - sample.beta * p_fa
    best = np.where(sample.may_accept_none, 0.0, -np.inf)
    np.maximum.at(best, term, value)
    rows = np.flatnonzero(value == best[term])  # the last of a term has its lowest threshold
    best_hit_rate, best_p_fa = np.zeros(len(best)), np.zeros(len(best))
    best_hit_rate[term[rows]], best_p_fa[term[rows]] = hit_rate[rows], p_fa[rows]
    return best_hit_rate, best_p_fa


def _precision_by_term(sample: Sample, hit_weight: Float64s, n: int) -> Float64s:
    """(T,) sum over each term's right hits of the precision at their score."""
    right = np.where(sample.paired, hit_weight, 0.0)
    rank, hits = _running_by_term(sample, hit_weight), _running_by_term(sample, right)
    rank, hits = rank[sample.run_end], hits[sample.run_end]
    precision = np.divide(hits, rank, out=np.zeros(len(right)), where=rank > 0)
    return _sum_by(sample.term, precision * right, n)


def _sum_by(index: Int32s, weights: Float64s, n: int) -> Float64s:
    return np.bincount(index, weights, n).astype(np.float64)


def _running_by_term(sample: Sample, steps: Float64s) -> Float64s:
    """Cumulative sums that begin anew with each term."""
    total = np.cumsum(steps)
    before = np.concatenate([[0.0], total])
    running: Float64s = total - before[sample.term_begins]
    return running


def _cross_entropy(
    sample: Sample,
    hit_weight: Float64s,
    targets: Float64s,
    trials: float,
    term_weight: Float64s,
) -> float:
    """Cnxe; missing trials have the score that they have in the group."""
    if not len(sample.by_score):
        return 1.0
    weight = hit_weight * term_weight[sample.term]
    all_targets, all_others = term_weight @ targets, term_weight @ (trials - targets)
    total = 0.0
    for rows, whole, bits, prior in (
        (sample.paired, all_targets, sample.missing_bits[0], sample.p_tar),
        (~sample.paired, all_others, sample.missing_bits[1], 1 - sample.p_tar),
    ):
        missing = whole - weight[rows].sum()
        if missing < 0 or not whole:
            return float("nan")
        total += float(prior * (weight[rows] @ sample.bits[rows] + missing * bits) / whole)
    return float(total / cnxe.entropy_bits(sample.p_tar))


def draws(
    samples: Sequence[Sample],
    unit: Unit,
    replicates: int,
    seed: int,
) -> Iterator[list[Float64s]]:
    """Measures of each system in each replicate; all systems share the draws.

    Args:
        samples: one per system, of the same terms and files.
        unit: what is resampled.
        replicates: how often.
        seed: of the random numbers.

    Yields:
        For each system its measures, in the order of `MEASURES`.

    Raises:
        StdError: the systems were not scored on the same terms and files.
    """
    first = samples[0]
    for sample in samples[1:]:
        if sample.files != first.files or not np.array_equal(sample.occurs, first.occurs):
            raise StdError("expected systems scored on the same terms and recordings")
    random = np.random.default_rng(seed)
    terms, files = np.flatnonzero(first.occurs), len(first.files)
    for _ in range(replicates):
        term_weight, file_weight = np.ones(len(first.occurs)), np.ones(files)
        if unit == "terms":
            term_weight = np.zeros(len(first.occurs))
            term_weight[terms] = np.bincount(
                random.integers(len(terms), size=len(terms)), minlength=len(terms)
            )
        else:
            chosen = random.integers(files, size=files)
            file_weight = np.bincount(chosen, minlength=files).astype(np.float64)
        yield [weighed(sample, term_weight, file_weight) for sample in samples]


def intervals(values: Float64s, confidence: float) -> dict[str, Interval]:
    """Percentile intervals of replicates (B, measures); undefined replicates are left out."""
    tail = 100 * (1 - confidence) / 2
    result = {}
    for name, column in zip(MEASURES, values.T, strict=True):
        defined = column[np.isfinite(column)]
        if len(defined):
            low, high = np.percentile(defined, [tail, 100 - tail])
            result[name] = Interval(float(low), float(high))
    return result
