"""The whole evaluation on one screen: references found, hits paired, counted, measured.

    words, terms --occurrences.find--> Occurrences --inside excerpts--> references
    hit list -------------------------------------- --inside excerpts--> hits
    references, hits --align, or segments.pair--> Alignment --counts.count--> TermCounts
    TermCounts --twv--> at the system's decisions
    hits, Alignment --det, precision, cnxe--> at every threshold, and without any

`evaluate` returns one `Evaluation` with a `Group` for the whole and for every slice that was asked
for (`scoring.group` measures it); `scoring.report` only renders.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring import slicing
from scoring.group import (
    Corpus,
    Group,
    inside_excerpts,
    measure,
    select_hits,
    select_occurrences,
)
from scoring.matching.characters import split_lexemes, split_terms
from scoring.matching.counts import Counts
from scoring.measures import twv
from scoring.measures.twv import OperatingPoint
from scoring.options import Options, ScoreKind
from std.ecf_filter import speech_s
from std.errors import InputError
from std.matching.occurrences import Occurrences, find
from std.nist.rttm import Turns
from std.values import (
    ECF,
    Detections,
    Float64s,
    Int32s,
    Lexemes,
    Recording,
    STDList,
    TermList,
)


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Everything that was measured, and what was left out; `groups[0]` is the whole."""

    system_id: str
    language: str
    options: Options
    scores: ScoreKind  # what the scores were taken for
    terms: TermList
    groups: tuple[Group, ...]
    ignored: Mapping[str, int]
    hits_outside: Detections
    occurrences_outside: Occurrences


def evaluate(
    ecf: ECF,
    lexemes: Lexemes,
    terms: TermList,
    hits: STDList,
    options: Options | None = None,
    *,
    turns: Turns | None = None,
    hits_path: str = "<hits>",
    reference_path: str = "<reference>",
) -> Evaluation:
    """Score a hit list against a reference transcript.

    Args:
        options: by default those of NIST's scorer.
        turns: speech turns of the reference, for segment-based scoring.
        hits_path, reference_path: names in messages.

    Raises:
        InputError: hits of a term that the list does not have, hits or reference only in
            recordings that the ECF does not have, or no term occurs anywhere in the transcript.
        StdError: options that do not fit the input.
    """
    options = options or Options()
    excerpts = ecf.excerpts
    if options.recordings:
        excerpts = slicing.in_recordings(excerpts, options.recordings, "--recordings")
    if options.characters:
        lexemes = split_lexemes(
            lexemes, keep_ascii=options.keep_ascii, delete_hyphens=options.delete_hyphens
        )
        terms = split_terms(
            terms, keep_ascii=options.keep_ascii, delete_hyphens=options.delete_hyphens
        )
    found = _of_terms(hits.detections, terms, hits_path)
    _same_recordings(ecf, "hits", found.recordings, found.recording, hits_path)
    _same_recordings(ecf, "words", lexemes.recordings, lexemes.recording, reference_path)
    occurrences = find(terms, lexemes, max_gap_s=options.max_gap_s)
    hits_inside, references_inside = inside_excerpts(excerpts, found, occurrences, options)

    by_term = dict(zip(hits.detections.terms, hits.searches, strict=True))
    searches = [by_term.get(term.term_id) for term in terms.terms]
    chosen = np.ones(len(terms.terms), np.bool_)
    if options.searched_terms_only:
        chosen = np.array([one is not None for one in searches], np.bool_)
    targets = np.bincount(occurrences.term[references_inside], minlength=len(terms.terms))
    if not targets[chosen].any():
        raise InputError(
            reference_path, 0, "an occurrence of a term inside the ECF's excerpts", "none"
        )
    whole = slicing.Whole(excerpts, terms, chosen, searches, targets)
    point = options.point or OperatingPoint(
        1.0,
        1.0,
        twv.empirical_prior(
            int(targets[chosen].sum()), speech_s(excerpts) * options.trials_per_second
        ),
    )
    scores = _kind_of_scores(found.score, options.scores, hits_path)
    corpus = Corpus(
        lexemes, terms, found, occurrences, hits.score_range, turns, options, point, scores
    )
    results = [measure(slicing.Slice("all", excerpts, chosen), corpus)]
    lowest_llr = results[0].lowest_llr
    for specification in options.group_by:
        results.extend(
            measure(part, corpus, None if np.isnan(lowest_llr) else lowest_llr)
            for part in slicing.slices(specification, whole)
        )
    mine = chosen[found.term]
    return Evaluation(
        hits.system_id,
        hits.language or terms.language,
        options,
        scores,
        terms,
        tuple(results),
        {
            "hits_outside_ecf": int((~hits_inside).sum()),
            "references_outside_ecf": int((~references_inside).sum()),
            **_uncounted(options, results[0], targets, found.term[hits_inside & mine]),
            "references_of_unsearched_terms": int(targets[~chosen].sum()),
        },
        select_hits(found, ~hits_inside),
        select_occurrences(occurrences, ~references_inside),
    )


def _uncounted(options: Options, whole: Group, targets: Counts, hit_term: Int32s) -> dict[str, int]:
    """Hits and occurrences inside the excerpts that take no part in the measures."""
    if options.segments:
        return {
            "hits_not_best_in_their_segment": len(hit_term) - _distinct(whole.hits),
            "references_not_counted_by_segment": int(targets.sum() - len(whole.occurrences)),
        }
    if options.all_terms or options.pooled:
        return {}
    return {"hits_of_terms_without_references": int((targets[hit_term] == 0).sum())}


def _distinct(hits: Detections) -> int:
    """How many hits there are, if one on the border of two segments may be listed for both."""
    columns = (hits.term, hits.recording, hits.start_s, hits.duration_s, hits.score)
    return len(np.unique(np.column_stack(columns), axis=0))


def _kind_of_scores(scores: Float64s, declared: ScoreKind | None, path: str) -> ScoreKind:
    """What scores are: as declared, or probabilities if all of them could be."""
    likely = not len(scores) or bool(scores.min() >= 0 and scores.max() <= 1)
    if declared == "probability" and not likely:
        raise InputError(path, 0, "scores from 0 to 1", f"{scores.min():g} to {scores.max():g}")
    return declared or ("probability" if likely else "llr")


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


def _same_recordings(
    ecf: ECF, what: str, recordings: Sequence[Recording], recording: Int32s, path: str
) -> None:
    """Refuse a file that shares no recording with the ECF: they do not belong together."""
    known = {one.recording for one in ecf.excerpts}
    if len(recording) and not known & set(recordings):
        first = recordings[int(recording[0])]
        raise InputError(
            path, 0, f"{what} in recordings of the ECF", f"{first.file} channel {first.channel}"
        )
