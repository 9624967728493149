"""Evaluation of one hit list: find references, pair hits, count, measure.

    words, terms --occurrences.find--> Occurrences --inside excerpts--> references
    hit list -------------------------------------- --inside excerpts--> hits
    references, hits --align, or segments.pair--> Alignment --counts.count--> TermCounts
    TermCounts --twv--> at the system's decisions
    hits, Alignment --det, precision, cnxe--> at every threshold, and without any

`evaluate` returns one `Evaluation` with a `Group` for the whole and for every slice that was asked
for (`scoring.group` measures it); `scoring.report` only renders.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from scoring import slicing
from scoring.group import EvaluationInput, Group, measure
from scoring.matching.characters import split_lexemes, split_terms
from scoring.matching.counts import Counts
from scoring.measures import twv
from scoring.options import Number, OperatingPoint, ScoreKind, ScoringOptions
from scoring.selection import chosen_number, inside_excerpts, selected
from std.display.rows import Framed
from std.errors import NONE, InputError, Unquoted
from std.matching.occurrences import Occurrences, find
from std.nist.ecf import speech_s
from std.nist.rttm import Turns
from std.numbers import counted
from std.values import ECF, Bools, Detections, Int32s, Lexemes, STDList, TermList

SHOWN = ("ATWV", "MTWV")  # measures of a representation


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation(Framed):
    """All measures, and the parts left out; `groups[0]` is the whole."""

    system_id: str
    language: str
    options: ScoringOptions
    scores: ScoreKind  # kind of the numbers that Cnxe judges
    default_score: float | None  # of a place without a hit; None: the lowest score
    terms: TermList
    groups: tuple[Group, ...]
    ignored: Mapping[str, int]
    hits_outside: Detections
    occurrences_outside: Occurrences
    terms_not_listed: Mapping[str, int] = field(default_factory=dict)  # of the hit list: their hits
    lexemes: Lexemes | None = None  # the words of the reference

    def __repr__(self) -> str:
        """The system, and its main measures."""
        measures = ", ".join(
            f"{name} {self.groups[0].measures[name]:.4f}"
            for name in SHOWN
            if name in self.groups[0].measures
        )
        terms = counted(len(self.terms.terms), "term")
        return f"<Evaluation of {self.system_id}: {terms}, {measures}>"

    def frame_rows(self) -> list[dict[str, Any]]:
        """A row for each group: counts and measures; NaN where one is undefined."""
        return [
            {"group": group.name, "terms": int(group.chosen.sum())}
            | group.counts.totals(group.counted)._asdict()
            | dict(group.measures)
            for group in self.groups
        ]

    @property
    def numbers(self) -> dict[str, Number]:
        """The number of a hit that was used for thresholds, and that for calibration and Cnxe."""
        has_probability = self.groups[0].hits.probability is not None
        return {
            "thresholds": self.options.number or "score",
            "calibration": "probability" if has_probability else "score",
        }


def evaluate(
    ecf: ECF,
    lexemes: Lexemes,
    terms: TermList,
    hits: STDList,
    options: ScoringOptions | None = None,
    *,
    turns: Turns | None = None,
    hits_path: str = "<hits>",
    reference_path: str = "<reference>",
    terms_path: str = "",
) -> Evaluation:
    """Score a hit list against a reference transcript.

    Args:
        options, turns: how to score; the speech turns, for segment-based scoring.

    Raises:
        InputError: no term or no recording in common, or no term occurs.
        StdError: options that do not fit the input.
    """
    options = options or ScoringOptions()
    ecf = _chosen_speech(ecf, options)
    lexemes, terms = _as_characters(lexemes, terms, options)
    chosen, default_score = chosen_number(hits, options.number)
    detections, terms_not_listed = _listed(chosen, terms, (hits_path, terms_path))
    _same_recordings(ecf, {hits_path: detections, reference_path: lexemes})
    occurrences = find(terms, lexemes, max_gap_s=options.max_gap_s)
    hits_inside, references_inside = inside_excerpts(ecf.excerpts, detections, occurrences, options)
    scope = _scope(ecf, terms, hits, occurrences.term[references_inside], options)
    _require_targets(scope, reference_path)
    evaluated = EvaluationInput(
        lexemes=lexemes,
        terms=terms,
        hits=detections,
        occurrences=occurrences,
        score_range=None if options.number == "probability" else hits.score_range,
        turns=turns,
        options=options,
        point=options.point or _empirical_point(scope, options),
        scores=_kind_of_scores(detections, default_score, options.scores, hits_path),
        default_score=default_score,
    )
    return Evaluation(
        system_id=hits.system_id,
        language=hits.language or terms.language,
        options=options,
        scores=evaluated.scores,
        default_score=default_score,
        terms=terms,
        groups=(groups := _groups(scope, evaluated)),
        ignored=_outside(hits_inside, references_inside, terms_not_listed)
        | _uncounted(options, groups[0], scope, detections.term[hits_inside]),
        hits_outside=selected(detections, ~hits_inside),
        occurrences_outside=selected(occurrences, ~references_inside),
        terms_not_listed=terms_not_listed,
        lexemes=lexemes,
    )


def _chosen_speech(ecf: ECF, options: ScoringOptions) -> ECF:
    if not options.recordings:
        return ecf
    excerpts = slicing.in_recordings(ecf.excerpts, options.recordings, "--recordings")
    return replace(ecf, excerpts=excerpts)


def _as_characters(
    lexemes: Lexemes, terms: TermList, options: ScoringOptions
) -> tuple[Lexemes, TermList]:
    """Transcript and terms split into characters, if the options say so."""
    if not options.characters:
        return lexemes, terms
    keep_ascii, delete_hyphens = options.keep_ascii, options.delete_hyphens
    return (
        split_lexemes(lexemes, keep_ascii=keep_ascii, delete_hyphens=delete_hyphens),
        split_terms(terms, keep_ascii=keep_ascii, delete_hyphens=delete_hyphens),
    )


def _scope(
    ecf: ECF, terms: TermList, hits: STDList, target_term: Int32s, options: ScoringOptions
) -> slicing.Scope:
    """The speech and terms that are scored.

    Args:
        target_term: (m,) term of each reference occurrence inside the excerpts.
    """
    search_of = dict(zip(hits.detections.terms, hits.searches, strict=True))
    searches = [search_of.get(term.term_id) for term in terms.terms]
    chosen = np.ones(len(terms.terms), np.bool_)
    if options.searched_terms_only:
        chosen = np.array([search is not None for search in searches], np.bool_)
    targets = np.bincount(target_term, minlength=len(terms.terms))
    language = ecf.language or terms.language
    return slicing.Scope(ecf.excerpts, terms, chosen, searches, targets, language)


def _empirical_point(scope: slicing.Scope, options: ScoringOptions) -> OperatingPoint:
    """The operating point of SWS 2012: costs of 1 and the prior of the reference."""
    trials = speech_s(scope.excerpts) * options.trials_per_second
    prior = twv.empirical_prior(int(scope.targets[scope.chosen].sum()), trials)
    return OperatingPoint(1.0, 1.0, prior)


def _groups(scope: slicing.Scope, evaluated: EvaluationInput) -> tuple[Group, ...]:
    """The whole, then every slice that was asked for."""
    whole = measure(slicing.Slice("all", scope.excerpts, scope.chosen), evaluated)
    unlisted_llr = None if np.isnan(whole.unlisted_llr) else whole.unlisted_llr
    return whole, *(
        measure(part, evaluated, unlisted_llr)
        for specification in evaluated.options.group_by
        for part in slicing.slices(specification, scope)
    )


def _require_targets(scope: slicing.Scope, reference_path: str) -> None:
    if not scope.targets[scope.chosen].any():
        raise InputError(
            reference_path, 0, "an occurrence of a term inside the ECF's excerpts", NONE
        )


def _outside(
    hits_inside: Bools, references_inside: Bools, terms_not_listed: Mapping[str, int]
) -> dict[str, int]:
    """Hits and occurrences outside the excerpts, and hits of terms outside the list."""
    return {
        "hits_outside_ecf": int((~hits_inside).sum()),
        "references_outside_ecf": int((~references_inside).sum()),
        "hits_of_terms_not_in_the_term_list": sum(terms_not_listed.values()),
    }


def _uncounted(
    options: ScoringOptions, whole: Group, scope: slicing.Scope, hit_term: Int32s
) -> dict[str, int]:
    """Hits and occurrences inside the excerpts that the measures do not use.

    Args:
        hit_term: (n,) term of each hit inside the excerpts.
    """
    hit_term = hit_term[scope.chosen[hit_term]]
    return {
        **_without_trial(options, whole, scope.targets, hit_term),
        "references_of_unsearched_terms": int(scope.targets[~scope.chosen].sum()),
    }


def _without_trial(
    options: ScoringOptions, whole: Group, targets: Counts, hit_term: Int32s
) -> dict[str, int]:
    """Hits and occurrences of scored terms that belong to no trial."""
    if options.segments:
        return {
            "hits_not_best_in_their_segment": len(hit_term) - _distinct(whole.hits),
            "references_not_counted_by_segment": int(targets.sum() - len(whole.occurrences)),
        }
    if options.all_terms or options.pooled:
        return {}
    return {"hits_of_terms_without_references": int((targets[hit_term] == 0).sum())}


def _distinct(hits: Detections) -> int:
    """The number of distinct hits; a hit on the border of two segments may be listed for both."""
    columns = (hits.term, hits.recording, hits.start_s, hits.duration_s, hits.score)
    return len(np.unique(np.column_stack(columns), axis=0))


def _kind_of_scores(
    hits: Detections, default: float | None, declared: ScoreKind | None, path: str
) -> ScoreKind:
    """The kind of numbers for Cnxe: as declared, or probabilities if all are from 0 to 1."""
    if hits.probability is not None:
        return "probability"
    scores = hits.score if default is None else np.append(hits.score, default)
    likely = not len(scores) or bool(scores.min() >= 0 and scores.max() <= 1)
    if declared == "probability" and not likely:
        raise InputError(
            path, 0, "scores from 0 to 1", Unquoted(f"{scores.min():g} to {scores.max():g}")
        )
    return declared or ("probability" if likely else "llr")


def _listed(
    hits: Detections, terms: TermList, paths: tuple[str, str]
) -> tuple[Detections, dict[str, int]]:
    """The hits of the terms of the list, with rows of the list; and the number of other hits.

    Raises:
        InputError: none of the terms is in the list, so the files do not belong together.
    """
    index = {term.term_id: i for i, term in enumerate(terms.terms)}
    table = np.array([index.get(term_id, -1) for term_id in hits.terms], np.int32)
    if len(table) and (table < 0).all():
        hits_path, terms_path = paths
        raise InputError(
            hits_path, 0, f"terms of the term list {terms_path}".rstrip(), hits.terms[0]
        )
    number = np.bincount(hits.term, minlength=len(table)).tolist()
    others = {name: n for name, n, at in zip(hits.terms, number, table, strict=True) if at < 0}
    if others:
        hits = selected(hits, table[hits.term] >= 0)
    listed = tuple(term.term_id for term in terms.terms)
    return replace(hits, terms=listed, term=table[hits.term]), others


def _same_recordings(ecf: ECF, files: Mapping[str, Detections | Lexemes]) -> None:
    """Refuse a file without a recording of the ECF, because the two do not belong together."""
    ecf_recordings = {excerpt.recording for excerpt in ecf.excerpts}
    for path, rows in files.items():
        if len(rows.recording) and not ecf_recordings & set(rows.recordings):
            first = rows.recordings[int(rows.recording[0])]
            what = "hits" if isinstance(rows, Detections) else "words"
            expected = f"{what} in recordings of the ECF"
            raise InputError(path, 0, expected, f"{first.file} channel {first.channel}")
