"""The whole evaluation on one screen: references found, hits paired, counted, measured.

    ECF, words, terms --occurrences.find--> Occurrences  --inside excerpts-->  references
    hit list ------------------------------------------- --inside excerpts-->  hits
    hits, references --align--> Alignment --counts.count--> TermCounts
    TermCounts --twv--> actual;   hits, Alignment --det.sweep--> every threshold

`evaluate` returns one `Evaluation`; `scoring.report` and `scoring.plot` only render it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from scoring import det as curve
from scoring import twv
from scoring.align import Alignment, align
from scoring.counts import TermCounts, count
from scoring.occurrences import Occurrences, find
from scoring.twv import OperatingPoint
from std.errors import InputError
from std.excerpts import inside_one, speech_s
from std.values import (
    ECF,
    Bools,
    Detections,
    Float64s,
    Lexemes,
    Recording,
    STDList,
    TermList,
    freeze,
)

NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Options:
    """How references are found, hits paired and trials counted."""

    point: OperatingPoint = field(default_factory=OperatingPoint)
    max_gap_s: float = 0.5  # between two words of a term
    tolerance_s: float = 0.5  # between a hit's middle and its occurrence
    trials_per_second: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """The evaluation of some terms in some speech."""

    name: str
    speech_s: float
    trials: int
    terms: TermList
    chosen: Bools  # (T,) terms of the list that belong to this group
    counted: Bools  # (T,) of those, the terms that the means are taken over
    hits: Detections  # inside the excerpts
    occurrences: Occurrences  # inside the excerpts
    alignment: Alignment
    counts: TermCounts
    det: curve.DET
    p_miss: Float64s  # (T,) at the system's decisions; NaN where undefined
    p_fa: Float64s  # (T,)
    twv: Float64s  # (T,)
    best: curve.Optimum  # (T,) each term at its own best threshold
    measures: Mapping[str, float]  # NaN where undefined

    def __post_init__(self) -> None:
        freeze(self)


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Everything that was measured, and what was left out."""

    system_id: str
    language: str
    options: Options
    groups: tuple[Group, ...]
    ignored: Mapping[str, int]
    hits_outside: Detections
    occurrences_outside: Occurrences


def evaluate(
    ecf: ECF,
    lexemes: Lexemes,
    terms: TermList,
    hits: STDList,
    options: Options = Options(),
    *,
    hits_path: str = "<hits>",
    reference_path: str = "<reference>",
) -> Evaluation:
    """Score a hit list against a reference transcript.

    Args:
        hits_path, reference_path: names in messages.

    Raises:
        InputError: hits of a term that the list does not have, hits only in recordings that the
            ECF does not have, or no term occurs anywhere in the transcript.
    """
    found = _of_terms(hits.detections, terms, hits_path)
    _same_recordings(ecf, found, hits_path)
    occurrences = find(terms, lexemes, max_gap_s=options.max_gap_s)
    references_inside = inside_one(
        ecf.excerpts,
        occurrences.recordings,
        occurrences.recording,
        occurrences.start_s,
        occurrences.first_end_s,
    )
    hits_inside = inside_one(
        ecf.excerpts,
        found.recordings,
        found.recording,
        found.start_s,
        found.start_s + found.duration_s,
    )
    whole = score_group(
        "all",
        speech_s(ecf.excerpts),
        terms,
        np.ones(len(terms.terms), np.bool_),
        select_hits(found, hits_inside),
        select_occurrences(occurrences, references_inside),
        options,
        hits.score_range,
    )
    if not whole.counted.any():
        raise InputError(
            reference_path, 0, "an occurrence of a term inside the ECF's excerpts", "none"
        )
    unscored = ~whole.counted[whole.hits.term]
    return Evaluation(
        hits.system_id,
        hits.language or terms.language,
        options,
        (whole,),
        {
            "hits_outside_ecf": int((~hits_inside).sum()),
            "references_outside_ecf": int((~references_inside).sum()),
            "hits_of_terms_without_references": int(unscored.sum()),
        },
        select_hits(found, ~hits_inside),
        select_occurrences(occurrences, ~references_inside),
    )


def score_group(
    name: str,
    seconds: float,
    terms: TermList,
    chosen: Bools,
    hits: Detections,
    occurrences: Occurrences,
    options: Options,
    score_range: tuple[float, float] | None,
) -> Group:
    """Pair, count and measure; hits and occurrences lie inside the excerpts of the group."""
    trials = twv.number_of_trials(seconds, options.trials_per_second)
    alignment = align(hits, occurrences, tolerance_s=options.tolerance_s, score_range=score_range)
    counts = count(len(terms.terms), hits, occurrences, alignment)
    counted = chosen & (counts.targets > 0)
    beta = options.point.beta
    p_miss = twv.p_miss(counts.miss, counts.targets)
    p_fa = twv.p_fa(counts.fa, counts.targets, trials)
    paired = alignment.occurrence_of >= 0
    det = curve.sweep(hits.term, hits.score, paired, counts.targets, trials, beta, counted=counted)
    best = curve.optimum(
        hits.term, hits.score, paired, counts.targets * counted, trials, beta, det.threshold
    )
    highest = curve.maximum(det)
    mean_p_miss, mean_p_fa = twv.mean(p_miss[counted]), twv.mean(p_fa[counted])
    return Group(
        name,
        seconds,
        trials,
        terms,
        chosen,
        counted,
        hits,
        occurrences,
        alignment,
        counts,
        det,
        p_miss,
        p_fa,
        np.where(counted, twv.twv_of_terms(p_miss, p_fa, beta), np.nan),
        best,
        {
            "ATWV": twv.twv(mean_p_miss, mean_p_fa, beta),
            "MTWV": highest.twv,
            "MTWV_threshold": highest.threshold,
            "MTWV_P_miss": highest.p_miss,
            "MTWV_P_fa": highest.p_fa,
            "OTWV": twv.mean(best.twv[counted]),
            "STWV": 1 - twv.mean(counts.omitted[counted] / counts.targets[counted]),
            "P_miss": mean_p_miss,
            "P_fa": mean_p_fa,
            "decision_threshold": decision_threshold(hits, chosen),
        },
    )


def decision_threshold(hits: Detections, chosen: Bools) -> float:
    """Half way between the lowest YES and the highest NO; NaN if a NO stands above a YES.

    Where there is only one kind of decision, its edge.
    """
    mine = chosen[hits.term]
    yes, no = hits.score[mine & hits.yes], hits.score[mine & ~hits.yes]
    lowest, highest = yes.min(initial=np.inf), no.max(initial=-np.inf)
    if not len(yes) or not len(no):
        return float(lowest if len(yes) else highest if len(no) else NAN)
    return float((lowest + highest) / 2) if highest <= lowest else NAN


def _of_terms(hits: Detections, terms: TermList, path: str) -> Detections:
    """The same hits, with terms as indices into the term list."""
    index = {term.term_id: i for i, term in enumerate(terms.terms)}
    for term_id in hits.terms:
        if term_id not in index:
            raise InputError(path, 0, "terms of the term list", term_id)
    table = np.array([index[term_id] for term_id in hits.terms], np.int32)
    return Detections(
        tuple(term.term_id for term in terms.terms),
        hits.recordings,
        table[hits.term],
        hits.recording,
        hits.start_s,
        hits.duration_s,
        hits.score,
        hits.yes,
    )


def _same_recordings(ecf: ECF, hits: Detections, path: str) -> None:
    """Refuse hits that share no recording with the ECF: these files do not belong together."""
    known: set[Recording] = {one.recording for one in ecf.excerpts}
    if len(hits) and not known & set(hits.recordings):
        first = hits.recordings[int(hits.recording[0])]
        raise InputError(
            path, 0, "hits in recordings of the ECF", f"{first.file} channel {first.channel}"
        )


def select_hits(hits: Detections, rows: Bools) -> Detections:
    """Some of the hits."""
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


def select_occurrences(occurrences: Occurrences, rows: Bools) -> Occurrences:
    """Some of the occurrences."""
    return Occurrences(
        occurrences.recordings,
        occurrences.term[rows],
        occurrences.recording[rows],
        occurrences.start_s[rows],
        occurrences.end_s[rows],
        occurrences.first_end_s[rows],
    )
