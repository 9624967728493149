"""One group of an evaluation: pair, count, measure."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.matching import segments
from scoring.matching.counts import TermCounts, count
from scoring.measures import cnxe, twv
from scoring.measures import det as curve
from scoring.measures.precision import average_precision
from scoring.measures.twv import OperatingPoint
from scoring.options import Options, ScoreKind
from scoring.slicing import Slice
from std.ecf_filter import inside_one, speech_s
from std.errors import StdError
from std.matching.alignment import Alignment, align
from std.matching.occurrences import Occurrences
from std.nist.rttm import Turns
from std.values import (
    Bools,
    Detections,
    Excerpt,
    Float64s,
    Lexemes,
    Term,
    TermList,
    freeze,
)

NAN = float("nan")
Rows = Bools | npt.NDArray[np.intp]  # which, as truth values or as indices
POOLED = (Term("Pooled", ""),)


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """What every group draws from; ``hits.term`` and ``occurrences.term`` index ``terms``."""

    lexemes: Lexemes
    terms: TermList
    hits: Detections
    occurrences: Occurrences  # of the terms among the lexemes
    score_range: tuple[float, float] | None
    turns: Turns | None
    options: Options
    point: OperatingPoint
    scores: ScoreKind


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """The evaluation of some terms in some speech.

    A unit is what means are taken over: a term, or everything together in pooled scoring.
    """

    name: str
    speech_s: float
    trials: int  # per unit
    trials_by_file: Mapping[str, float]  # before rounding, whose sum is then rounded
    point: OperatingPoint
    units: tuple[Term, ...]
    chosen: Bools  # (U,) units that belong to this group
    counted: Bools  # (U,) of those, the units that count
    hits: Detections  # of the chosen terms, inside the excerpts, one answer per trial
    occurrences: Occurrences  # likewise; in segment-based scoring with the times of the segment
    alignment: Alignment
    counts: TermCounts  # (U,)
    det: curve.DET
    p_miss: Float64s  # (U,) at the system's decisions; NaN where undefined
    p_fa: Float64s  # (U,)
    twv: Float64s  # (U,)
    best: curve.Optimum  # (U,) each unit at its own best threshold
    cnxe: cnxe.Cnxe
    lowest_llr: float  # of the hits that count, for Cnxe; NaN without any
    measures: Mapping[str, float]  # NaN where undefined

    def __post_init__(self) -> None:
        freeze(self)


def measure(one: Slice, corpus: Corpus, lowest_llr: float | None = None) -> Group:
    """Evaluate a slice.

    Args:
        lowest_llr: of the whole system, if this is a part: the score of trials without a hit.

    Raises:
        StdError: segment-based scoring without speech turns.
    """
    options, point = corpus.options, corpus.point
    pairs = _pair(one, corpus)
    hits, occurrences, alignment = pairs.hits, pairs.occurrences, pairs.alignment
    trials = pairs.trials
    units, chosen = corpus.terms.terms, one.terms
    hit_unit, occurrence_unit = hits.term, occurrences.term
    if options.pooled:
        units, chosen = POOLED, np.ones(1, np.bool_)
        hit_unit, occurrence_unit = np.zeros_like(hit_unit), np.zeros_like(occurrence_unit)
    counts = count(len(units), hit_unit, hits.yes, occurrence_unit, alignment)
    occurs = chosen & (counts.targets > 0)
    counted = chosen if options.all_terms else occurs
    paired = alignment.occurrence_of >= 0

    p_miss = twv.p_miss(counts.miss, counts.targets)
    p_fa = np.where(chosen, twv.p_fa(counts.fa, counts.targets, trials), NAN)
    sweep = (hit_unit, hits.score, paired, counts.targets, trials, point.beta)
    det = curve.sweep(*sweep, counted=counted)
    best = curve.optimum(*sweep, det.threshold, counted=counted)
    highest = curve.maximum(det)
    precision = average_precision(hit_unit, hits.score, paired, counts.targets)
    queries = one.terms & (np.bincount(occurrences.term, minlength=len(one.terms)) > 0)
    if options.all_terms or options.pooled:
        queries = one.terms
    p_tar = cnxe.effective_prior(point.prior, point.value, point.cost)
    asked = queries[hits.term]
    llr = hits.score[asked]
    if corpus.scores == "probability":
        llr = cnxe.from_probabilities(llr, p_tar)
    llr = cnxe.finite(llr)
    entropy = cnxe.cross_entropy(
        llr,
        paired[asked],
        int(counts.targets[occurs].sum()),
        int(queries.sum()) * pairs.exact_trials,
        p_tar,
        lowest=lowest_llr,
    )
    mean_p_miss, mean_p_fa = twv.mean(p_miss[occurs]), twv.mean(p_fa[counted])
    return Group(
        one.name,
        speech_s(one.excerpts),
        pairs.trials,
        pairs.trials_by_file,
        point,
        units,
        chosen,
        counted,
        hits,
        occurrences,
        alignment,
        counts,
        det,
        p_miss,
        p_fa,
        twv.twv_of_terms(p_miss, p_fa, point.beta),
        best,
        entropy,
        float(llr.min()) if len(llr) else NAN,
        {
            "ATWV": twv.twv(mean_p_miss, mean_p_fa, point.beta),
            "MTWV": highest.twv if occurs.any() else NAN,
            "MTWV_threshold": highest.threshold,
            "MTWV_P_miss": highest.p_miss if occurs.any() else NAN,
            "MTWV_P_fa": highest.p_fa if occurs.any() else NAN,
            "OTWV": twv.twv(
                twv.mean(best.p_miss[occurs]), twv.mean(best.p_fa[counted]), point.beta
            ),
            "STWV": 1 - twv.mean(counts.omitted[occurs] / counts.targets[occurs]),
            "P_miss": mean_p_miss,
            "P_fa": mean_p_fa,
            "MAP": twv.mean(precision[occurs]),
            "Cnxe": entropy.actual,
            "Cnxe_min": entropy.minimum,
            "Cnxe_isotonic": entropy.isotonic,
            "calibration_loss": entropy.calibration_loss,
            "decision_threshold": decision_threshold(hits),
        },
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    hits: Detections
    occurrences: Occurrences
    alignment: Alignment
    trials: int
    trials_by_file: Mapping[str, float]

    @property
    def exact_trials(self) -> float:
        """Before rounding."""
        return sum(self.trials_by_file.values())


def _pair(one: Slice, corpus: Corpus) -> _Pairs:
    """Pair what lies inside the slice, by time or by segment."""
    options = corpus.options
    inside, references_inside = inside_excerpts(
        one.excerpts, corpus.hits, corpus.occurrences, options
    )
    hits = select_hits(corpus.hits, inside & one.terms[corpus.hits.term])
    occurrences = select_occurrences(
        corpus.occurrences, references_inside & one.terms[corpus.occurrences.term]
    )
    if options.segments:
        if corpus.turns is None:
            raise StdError("segment-based scoring expected speech turns of the reference, got none")
        cut = segments.segment(one.excerpts, corpus.turns, corpus.lexemes)
        by_segment = segments.pair(hits, occurrences, cut)
        return _Pairs(
            select_hits(hits, by_segment.hits),
            by_segment.targets,
            by_segment.alignment,
            len(cut),
            segments.by_file(cut),
        )
    by_file: defaultdict[str, list[Excerpt]] = defaultdict(list)
    for excerpt in one.excerpts:
        by_file[excerpt.recording.file].append(excerpt)
    seconds = {file: speech_s(those) for file, those in by_file.items()}
    return _Pairs(
        hits,
        occurrences,
        align(hits, occurrences, tolerance_s=options.tolerance_s, score_range=corpus.score_range),
        twv.number_of_trials(sum(seconds.values()), options.trials_per_second),
        {file: one_s * options.trials_per_second for file, one_s in seconds.items()},
    )


def decision_threshold(hits: Detections) -> float:
    """Half way between the lowest YES and the highest NO; NaN if a NO stands above a YES.

    Where there is only one kind of decision, its edge.
    """
    yes, no = hits.score[hits.yes], hits.score[~hits.yes]
    lowest, highest = yes.min(initial=np.inf), no.max(initial=-np.inf)
    if not len(yes) or not len(no):
        return float(lowest if len(yes) else highest if len(no) else NAN)
    return float((lowest + highest) / 2) if highest <= lowest else NAN


def inside_excerpts(
    excerpts: tuple[Excerpt, ...], hits: Detections, occurrences: Occurrences, options: Options
) -> tuple[Bools, Bools]:
    """Which hits and which occurrences lie inside one excerpt.

    A hit must lie there wholly, or with its middle in segment-based scoring; an occurrence with
    its first word.
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
    """Some of the hits; all of them are the same ones, not copies."""
    if rows.dtype == np.bool_ and rows.all():
        return hits
    return Detections(
        hits.terms,
        hits.recordings,
        hits.term[rows],
        hits.recording[rows],
        hits.start_s[rows],
        hits.duration_s[rows],
        hits.score[rows],
        hits.yes[rows],
    )


def select_occurrences(occurrences: Occurrences, rows: Rows) -> Occurrences:
    """Some of the occurrences; all of them are the same ones, not copies."""
    if rows.dtype == np.bool_ and rows.all():
        return occurrences
    return Occurrences(
        occurrences.recordings,
        occurrences.term[rows],
        occurrences.recording[rows],
        occurrences.start_s[rows],
        occurrences.end_s[rows],
        occurrences.first_end_s[rows],
        occurrences.first_word[rows],
        occurrences.last_word[rows],
    )
