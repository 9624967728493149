"""One group of one system as plain columns, for measures under many sets of weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scoring.group import Group
from scoring.matching.counts import Counts
from scoring.measures import cnxe
from scoring.measures.ranking import run_ends
from scoring.options import ScoreKind, ScoringOptions
from scoring.selection import judged_number
from std.errors import StdError
from std.values import Bools, Float64s, Int32s, Recording, freeze


class Surprise(NamedTuple):
    """Bits at the truth of each trial, for a cross entropy."""

    hit: Float64s  # (n,)
    missing_target: float  # of a target without a hit
    missing_other: float


class SampleHits(NamedTuple):
    """Hits in any order."""

    term: Int32s  # (n,)
    file: Int32s  # (n,)
    score: Float64s  # (n,)
    paired: Bools  # (n,) with an occurrence
    yes: Bools  # (n,)

    def at(self, rows: Counts) -> "SampleHits":
        """Some rows."""
        return SampleHits._make(column[rows] for column in self)


class SampleTargets(NamedTuple):
    """Occurrences of the terms, in any order."""

    term: Int32s  # (m,)
    file: Int32s  # (m,)
    paired: Bools  # (m,) with a hit

    def at(self, rows: Counts) -> "SampleTargets":
        """Some rows."""
        return SampleTargets._make(column[rows] for column in self)


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Hits and occurrences, both sorted by term; hits by descending score, too."""

    files: tuple[str, ...]
    trials: Float64s  # (F,) per term, before rounding
    rounding: float  # what their sum is multiplied by where it is rounded: not in Cnxe
    beta: float
    p_tar: float
    counted: Bools  # (T,) terms that occur
    hits: SampleHits
    targets: SampleTargets
    surprise: Surprise | None  # None: Cnxe is undefined
    recalibrated: Surprise | None  # the same under the best affine recalibration
    by_score: Counts  # (k,) rows by descending score, of terms that count
    score_ends: Counts  # (s,) places in by_score where a run of equal scores ends
    run_end: Counts  # (n,) row where each hit's run of equal scores ends
    ends: Counts  # (e,) rows where a run of one term's equal scores ends
    may_accept_none: Bools  # (T,) some other term has a higher score than all of its own

    def __post_init__(self) -> None:
        freeze(self)


def sample(group: Group, options: ScoringOptions, scores: ScoreKind) -> Sample:
    """Prepare a group.

    Args:
        scores: whether Cnxe judges probabilities or log likelihood ratios.

    Raises:
        StdError: scoring that does not take means over the terms that occur.
    """
    if options.pooled or options.all_terms:
        raise StdError("expected means over terms with references, got --pooled or --all-terms")
    hits, occurrences, point = group.hits, group.occurrences, group.point
    files = tuple(sorted(group.trials_by_file))
    trials = np.array([group.trials_by_file[file] for file in files], float)
    p_tar = cnxe.effective_prior(point.prior, point.value, point.cost)
    llr = judged_number(hits)
    if scores == "probability":
        llr = cnxe.from_probabilities(llr, p_tar)
    return prepare(
        files,
        trials,
        SampleHits(
            hits.term,
            _files_of(hits.recordings, files)[hits.recording],
            hits.score,
            group.alignment.occurrence_of >= 0,
            hits.yes,
        ),
        SampleTargets(
            occurrences.term,
            _files_of(occurrences.recordings, files)[occurrences.recording],
            group.alignment.hit_of >= 0,
        ),
        rounding=group.trials / trials.sum() if trials.any() else 1.0,
        beta=point.beta,
        p_tar=p_tar,
        counted=group.counted,
        llr=llr,
        entropy=group.cnxe,
        unlisted_llr=group.unlisted_llr,
    )


def prepare(
    files: tuple[str, ...],
    trials: Float64s,
    hits: SampleHits,
    targets: SampleTargets,
    *,
    rounding: float = 1.0,
    beta: float,
    p_tar: float,
    counted: Bools,
    llr: Float64s,
    entropy: cnxe.Cnxe,
    unlisted_llr: float,
) -> Sample:
    """Sort hits and occurrences.

    Args:
        files: names of the audio files.
        trials: (F,) per term.
        hits, targets: in any order; ``hits.file`` and ``targets.file`` index ``files``.
        rounding: factor of the sum of the trials.
        counted: (T,) terms that occur.
        llr: (n,) log-likelihood ratio of each hit.
        entropy: the entropy of all trials of the terms that occur.
        unlisted_llr: the log-likelihood ratio of the trials without a hit; NaN if there is no score
            at all.
    """
    order = np.lexsort((-hits.score, hits.term))
    hits, llr, targets = (
        hits.at(order),
        llr[order],
        targets.at(np.argsort(targets.term, kind="stable")),
    )
    by_score = np.flatnonzero(counted[hits.term])
    by_score = by_score[np.argsort(-hits.score[by_score], kind="stable")]
    ends = run_ends(hits.score, hits.term)
    top = np.full(len(counted), -np.inf)
    np.maximum.at(top, hits.term, hits.score)
    count = counted[hits.term]
    surprises = _surprises(llr, hits.paired, count, p_tar, entropy, unlisted_llr)
    return Sample(
        files=files,
        trials=trials,
        rounding=rounding,
        beta=beta,
        p_tar=p_tar,
        counted=counted,
        hits=hits,
        targets=targets,
        surprise=surprises[0],
        recalibrated=surprises[1],
        by_score=by_score,
        score_ends=np.flatnonzero(run_ends(hits.score[by_score])),
        run_end=np.flatnonzero(ends)[np.cumsum(ends) - ends],
        ends=np.flatnonzero(ends),
        may_accept_none=top < (hits.score[by_score[0]] if len(by_score) else np.inf),
    )


def _surprises(
    llr: Float64s,
    paired: Bools,
    count: Bools,
    p_tar: float,
    entropy: cnxe.Cnxe,
    unlisted_llr: float,
) -> tuple[Surprise | None, Surprise | None]:
    """Of the scores as they are, and of ``gamma * score + delta``.

    Args:
        llr, paired: (n,) of each hit.
        count: (n,) hits of terms that count.
        p_tar, entropy, unlisted_llr: see `prepare`.
    """
    if np.isnan([entropy.actual, unlisted_llr]).any():
        return None, None
    finite = np.zeros(len(llr))  # stays 0 for hits that do not count
    if count.any():
        finite[count] = cnxe.finite(llr[count])

    def surprise(gamma: float, delta: float) -> Surprise:
        log_odds = (
            gamma * np.append(finite, [unlisted_llr, unlisted_llr]) + delta + cnxe.logit(p_tar)
        )
        bits = cnxe.surprise_bits(log_odds, np.append(paired, [True, False]))
        return Surprise(bits[:-2], float(bits[-2]), float(bits[-1]))

    best = (entropy.gamma, entropy.delta)
    return surprise(1.0, 0.0), surprise(*best) if np.isfinite(best).all() else None


def _files_of(recordings: Sequence[Recording], files: Sequence[str]) -> Int32s:
    """(R,) index of each recording's file; recordings outside the excerpts have no hits."""
    place = {file: i for i, file in enumerate(files)}
    return np.array([place.get(recording.file, -1) for recording in recordings], np.int32)
