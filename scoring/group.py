"""One group of an evaluation: pair, count, measure."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scoring.matching import segments
from scoring.matching.counts import TermCounts, count
from scoring.measures import cnxe, twv
from scoring.measures import det as curve
from scoring.measures.ranking import average_precision
from scoring.options import OperatingPoint, ScoreKind, ScoringOptions
from scoring.selection import inside_excerpts, judged_number, selected
from scoring.slicing import Slice
from std.errors import StdError
from std.matching.alignment import Alignment, align
from std.matching.occurrences import Occurrences
from std.nist.ecf import speech_s
from std.nist.rttm import Turns
from std.values import Bools, Detections, Excerpt, Float64s, Int32s, Lexemes, Term, TermList, freeze

NAN = float("nan")
POOLED = (Term("Pooled", ""),)


@dataclass(frozen=True, slots=True, eq=False)
class EvaluationInput:
    """The input of every group; ``hits.term`` and ``occurrences.term`` are rows of ``terms``."""

    lexemes: Lexemes
    terms: TermList
    hits: Detections
    occurrences: Occurrences  # of the terms among the lexemes
    score_range: tuple[float, float] | None
    turns: Turns | None
    options: ScoringOptions
    point: OperatingPoint
    scores: ScoreKind
    default_score: float | None = None  # of trials without a hit; None: the lowest score


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """The evaluation of some terms in some speech.

    Means are taken over units: a unit is a term, or all terms together in pooled scoring.
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
    occurrences: Occurrences  # of the chosen terms; segment-based: with the segment's times
    alignment: Alignment
    counts: TermCounts  # (U,)
    det: curve.DET
    p_miss: Float64s  # (U,) at the system's decisions; NaN where undefined
    p_fa: Float64s  # (U,)
    twv: Float64s  # (U,)
    best: curve.Optimum  # (U,) each unit at its own best threshold
    cnxe: cnxe.Cnxe
    unlisted_llr: float  # of trials without a hit, for Cnxe; NaN if there is no score at all
    measures: Mapping[str, float]  # NaN where undefined

    def __post_init__(self) -> None:
        freeze(self)


def measure(part: Slice, evaluated: EvaluationInput, unlisted_llr: float | None = None) -> Group:
    """Evaluate a slice.

    Args:
        part: the terms and the speech of the group.
        evaluated: hits, references and options.
        unlisted_llr: score of trials without a hit in the whole; None if this is the whole.

    Raises:
        StdError: segment-based scoring without speech turns.
    """
    options, point = evaluated.options, evaluated.point
    pairs = _pair(part, evaluated)
    hits, alignment = pairs.hits, pairs.alignment
    units, chosen, hit_unit, occurrence_unit = _units(part, evaluated, pairs)
    counts = count(len(units), hit_unit, hits.yes, occurrence_unit, alignment)
    occurs = chosen & (counts.targets > 0)
    counted = chosen if options.all_terms else occurs

    p_miss = twv.p_miss(counts.miss, counts.targets)
    p_fa = np.where(chosen, twv.p_fa(counts.fa, counts.targets, pairs.trials), NAN)
    paired = alignment.occurrence_of >= 0
    ranked = (hit_unit, hits.score, paired, counts.targets)
    det = curve.sweep(*ranked, pairs.trials, point.beta, counted=counted)
    best = curve.optimum(*ranked, pairs.trials, point.beta, det.threshold, counted=counted)
    entropy, unlisted_llr = _cross_entropy(
        part, evaluated, pairs, int(counts.targets[occurs].sum()), unlisted_llr
    )
    return Group(
        name=part.name,
        speech_s=speech_s(part.excerpts),
        trials=pairs.trials,
        trials_by_file=pairs.trials_by_file,
        point=point,
        units=units,
        chosen=chosen,
        counted=counted,
        hits=hits,
        occurrences=pairs.occurrences,
        alignment=alignment,
        counts=counts,
        det=det,
        p_miss=p_miss,
        p_fa=p_fa,
        twv=twv.twv_of_terms(p_miss, p_fa, point.beta),
        best=best,
        cnxe=entropy,
        unlisted_llr=unlisted_llr,
        measures={
            **_twv_measures(p_miss[occurs], p_fa[counted], det, best, occurs, counted, point.beta),
            "STWV": 1 - twv.mean(counts.omitted[occurs] / counts.targets[occurs]),
            "P_miss": twv.mean(p_miss[occurs]),
            "P_fa": twv.mean(p_fa[counted]),
            "MAP": twv.mean(average_precision(*ranked)[occurs]),
            **_cnxe_measures(entropy),
            "decision_threshold": decision_threshold(hits),
        },
    )


def _units(
    part: Slice, evaluated: EvaluationInput, pairs: "_Pairs"
) -> tuple[tuple[Term, ...], Bools, Int32s, Int32s]:
    """The units that means are taken over, the chosen ones, and those of hits and occurrences."""
    hit_unit, occurrence_unit = pairs.hits.term, pairs.occurrences.term
    if not evaluated.options.pooled:
        return evaluated.terms.terms, part.terms, hit_unit, occurrence_unit
    chosen = np.ones(1, np.bool_)
    return POOLED, chosen, np.zeros_like(hit_unit), np.zeros_like(occurrence_unit)


def _cnxe_measures(entropy: cnxe.Cnxe) -> dict[str, float]:
    return {
        "Cnxe": entropy.actual,
        "Cnxe_min": entropy.minimum,
        "Cnxe_isotonic": entropy.isotonic,
        "calibration_loss": entropy.calibration_loss,
    }


def _twv_measures(
    p_miss: Float64s,
    p_fa: Float64s,
    det: curve.DET,
    best: curve.Optimum,
    occurs: Bools,
    counted: Bools,
    beta: float,
) -> dict[str, float]:
    """Actual, maximum and optimum TWV.

    Args:
        p_miss: the P_miss of the units that occur, at the system's decisions.
        p_fa: the P_fa of the units that count.
        best: (U,) each unit at its own best threshold.
        occurs, counted: (U,) units with references; units that count.
        beta: weight of P_fa.
    """
    maximum = curve.maximum(det)
    defined = bool(occurs.any())
    return {
        "ATWV": twv.twv(twv.mean(p_miss), twv.mean(p_fa), beta),
        "MTWV": maximum.twv if defined else NAN,
        "MTWV_threshold": maximum.threshold,
        "MTWV_P_miss": maximum.p_miss if defined else NAN,
        "MTWV_P_fa": maximum.p_fa if defined else NAN,
        "OTWV": twv.twv(twv.mean(best.p_miss[occurs]), twv.mean(best.p_fa[counted]), beta),
    }


def _cross_entropy(
    part: Slice,
    evaluated: EvaluationInput,
    pairs: "_Pairs",
    targets: int,
    unlisted_llr: float | None,
) -> tuple[cnxe.Cnxe, float]:
    """Cnxe of a slice, and the log-likelihood ratio of trials without a hit (NaN without scores).

    Args:
        targets: occurrences of the terms that occur.
        unlisted_llr: see `measure`.
    """
    options, point, hits = evaluated.options, evaluated.point, pairs.hits
    queries = part.terms & (np.bincount(pairs.occurrences.term, minlength=len(part.terms)) > 0)
    if options.all_terms or options.pooled:
        queries = part.terms
    p_tar = cnxe.effective_prior(point.prior, point.value, point.cost)
    is_query = queries[hits.term]
    llr = cnxe.finite(_llr(judged_number(hits)[is_query], evaluated, p_tar))
    if unlisted_llr is None and evaluated.default_score is not None:
        default = _llr(np.array([evaluated.default_score]), evaluated, p_tar)
        unlisted_llr = float(cnxe.finite(np.append(llr, default))[-1])
    elif unlisted_llr is None and len(llr):
        unlisted_llr = float(llr.min())
    entropy = cnxe.cross_entropy(
        llr,
        (pairs.alignment.occurrence_of >= 0)[is_query],
        targets,
        int(queries.sum()) * pairs.exact_trials,
        p_tar,
        lowest=unlisted_llr,
    )
    return entropy, NAN if unlisted_llr is None else unlisted_llr


def _llr(scores: Float64s, evaluated: EvaluationInput, p_tar: float) -> Float64s:
    """Log-likelihood ratios of the system's numbers."""
    is_probability = evaluated.scores == "probability"
    return cnxe.from_probabilities(scores, p_tar) if is_probability else scores


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """The paired hits and occurrences inside a slice."""

    hits: Detections
    occurrences: Occurrences
    alignment: Alignment
    trials: int
    trials_by_file: Mapping[str, float]

    @property
    def exact_trials(self) -> float:
        """The number of trials before rounding."""
        return sum(self.trials_by_file.values())


def _pair(part: Slice, evaluated: EvaluationInput) -> _Pairs:
    """Pair the hits and occurrences inside the slice, by time or by segment."""
    options = evaluated.options
    inside, references_inside = inside_excerpts(
        part.excerpts, evaluated.hits, evaluated.occurrences, options
    )
    hits = selected(evaluated.hits, inside & part.terms[evaluated.hits.term])
    occurrences = selected(
        evaluated.occurrences, references_inside & part.terms[evaluated.occurrences.term]
    )
    if options.segments:
        if evaluated.turns is None or not len(evaluated.turns.start_s):
            raise StdError("segment-based scoring expected speech turns of the reference, got none")
        cut = segments.segment(part.excerpts, evaluated.turns, evaluated.lexemes)
        by_segment = segments.pair(hits, occurrences, cut)
        return _Pairs(
            hits=selected(hits, by_segment.hits),
            occurrences=by_segment.targets,
            alignment=by_segment.alignment,
            trials=len(cut),
            trials_by_file=segments.by_file(cut),
        )
    by_file: defaultdict[str, list[Excerpt]] = defaultdict(list)
    for excerpt in part.excerpts:
        by_file[excerpt.recording.file].append(excerpt)
    seconds = {file: speech_s(excerpts) for file, excerpts in by_file.items()}
    return _Pairs(
        hits=hits,
        occurrences=occurrences,
        alignment=align(
            hits, occurrences, tolerance_s=options.tolerance_s, score_range=evaluated.score_range
        ),
        trials=twv.number_of_trials(sum(seconds.values()), options.trials_per_second),
        trials_by_file={
            file: file_s * options.trials_per_second for file, file_s in seconds.items()
        },
    )


def decision_threshold(hits: Detections) -> float:
    """Half way between the lowest YES and the highest NO; NaN if a NO is higher than a YES.

    If all decisions are YES, the lowest score; if all are NO, the highest.
    """
    yes, no = hits.score[hits.yes], hits.score[~hits.yes]
    lowest, highest = float(yes.min(initial=np.inf)), float(no.max(initial=-np.inf))
    if not len(yes) or not len(no):
        return lowest if len(yes) else highest if len(no) else NAN
    return lowest / 2 + highest / 2 if highest <= lowest else NAN  # the sum may be too large
