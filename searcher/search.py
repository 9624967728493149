"""The search pipeline: terms and a prepared index in, decided detections out.

search
    find_terms           the candidates of each language          (`searcher.found_terms`)
    judge                all parts of a list -> candidates with probabilities
        term_occurrence      which terms occur at all (`searcher.calibration.occurring_terms`)
        combine_languages    candidates of all languages
        deduplicate          one per term and span (`searcher.lexical.deduplicate`)
    decide               probabilities -> scores on one scale, YES from 0.5 on
                         (`searcher.decisions`)
        reported             copies of a recording get its candidates
                             (`searcher.results.search_result`)

The probability that a term occurs depends on its own places and, with ``[calibration] list =
"whole"``, on the share of the list's terms that occur. The latter is used for the probabilities of
hits and for decisions about terms that may not occur; scores of an evaluation depend on no other
term.
"""

import time
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import accumulate, pairwise

import numpy as np

from searcher.calibration.occurring_terms import term_occurrence
from searcher.decisions import expected_occurrences, rule_for, score_without_hit
from searcher.found_terms import PreparedIndex, find_terms
from searcher.index.searched_speech import SearchedSpeech
from searcher.lexical.deduplicate import deduplicate
from searcher.results.candidates import Candidates, FoundTerms, TermPlaces, concatenate, in_order
from searcher.results.search_result import SearchResult, TermCandidates, missed_share
from searcher.terms.language_words import log_odds as term_log_odds
from searcher.terms.request import Variant
from std.config import Config
from std.execution.workers import IN_PROCESS, Executor
from std.spoken_queries import SpokenQuery
from std.values import Bools, Excerpt, Float64s, Int64s, SearchMode, Term

LITERAL_METHODS = ("exact", "wildcard")  # look up a term as it is spelt


def search(
    terms: Sequence[Term],
    index: PreparedIndex,
    speech: SearchedSpeech,
    *,
    mode: SearchMode = "list",
    spoken: Sequence[SpokenQuery] = (),
    workers: Executor = IN_PROCESS,
    advance: Callable[[float], None] = lambda share: None,
) -> SearchResult:
    """Search every term in every segment and decide.

    Args:
        terms, index, speech, mode, spoken, workers, advance:
            see `searcher.found_terms.find_terms`.
    """
    found = find_terms(
        terms, index, speech, mode=mode, spoken=spoken, workers=workers, advance=advance
    )
    (judged,) = judge([found], index, mode)
    return decide(judged, index.config, mode)


def judge(
    parts: Sequence[FoundTerms], index: PreparedIndex, mode: SearchMode = "list"
) -> list[TermCandidates]:
    """The candidates of each part of a list, with the probability that their terms occur.

    Args:
        parts: the parts of one list.
        mode: the terms of an ``adhoc`` search are judged independently.
    """
    if not parts:
        return []
    bounds = [*pairwise(accumulate((len(part.terms) for part in parts), initial=0))]
    words = [words for part in parts for words in part.words]
    is_list = index.config.calibration.list == "whole" and mode == "list"
    by_itself, as_list = [], []  # of each language (terms,)
    for i in range(len(index.languages)):
        of_parts = [part.of_language[i] for part in parts]
        log_evidence = np.concatenate([one.log_evidence for one in of_parts])
        is_oov = np.concatenate([one.is_oov for one in of_parts])
        by_itself.append(term_occurrence(log_evidence, is_oov, "adhoc"))
        as_list.append(by_itself[i])
        if is_list:
            first, row = _distinct(words, log_evidence)
            as_list[i] = term_occurrence(log_evidence[first], is_oov[first], "list")[row]
    return [
        _candidates(part, [of[a:b] for of in by_itself], [of[a:b] for of in as_list], index)
        for part, (a, b) in zip(parts, bounds, strict=True)
    ]


def _distinct(words: Sequence[tuple[str, ...]], log_evidence: Float64s) -> tuple[Int64s, Int64s]:
    """A term that a list has twice counts once in the estimate of its share of terms that occur.

    Args:
        words: the words of each term. Spoken queries of the same words are different ones.
        log_evidence: (terms,) evidence that each occurs, which equal terms share.

    Returns:
        (distinct,) the first of equal terms; (terms,) the row of each among these.
    """
    number: dict[tuple[tuple[str, ...], float], int] = {}
    row = [
        number.setdefault(key, len(number))
        for key in zip(words, log_evidence.tolist(), strict=True)
    ]
    first = np.unique(np.array(row, np.int64), return_index=True)[1]
    return first, np.array(row, np.int64)


def _candidates(
    found: FoundTerms,
    occurs_in: Sequence[Float64s],
    occurs_as_list: Sequence[Float64s],
    index: PreparedIndex,
) -> TermCandidates:
    """The candidates of all languages together.

    Args:
        occurs_in: see `combine_languages`.
        occurs_as_list: the same by ``[calibration] list``.
    """
    begin, parts = time.perf_counter(), found.of_language
    excerpts = found.speech.excerpts
    candidates, variants, occurs = combine_languages(parts, occurs_in, found.words, index, excerpts)
    certain = is_certain(candidates, variants, index)
    candidates = _as_certain(candidates, certain)  # nothing beside them is likelier
    occurs[candidates.term[certain]] = 1.0
    if any(part.is_phonetic for part in parts):
        candidates = deduplicate(candidates)
        certain = is_certain(candidates, variants, index)
        candidates = _as_certain(candidates, certain)
    reported = _reported(candidates, parts, occurs_in, occurs_as_list)
    found_words = set().union(*(part.found_words for part in parts))
    written = set().union(*(part.written_words for part in parts))
    return TermCandidates(
        terms=found.terms,
        words=found.words,
        oov_words=tuple(tuple(w for w in term if w not in written) for term in found.words),
        wildcards={pattern: one.within(found_words) for pattern, one in found.wildcards.items()},
        variants=variants,
        recordings=index.table.recordings,
        candidates=candidates,
        occurs=occurs,
        probability=np.where(certain, 1.0, reported) if certain.any() else reported,
        is_calibrated=index.config.calibration.words == "all",
        outside_ecf=sum(part.outside_ecf for part in parts),
        without_phones=tuple(language for part in parts for language in part.left_out.languages),
        without_model=tuple(filter(None, (part.left_out.pronouncer for part in parts))),
        segments=index.segments,
        copies=index.copies,
        speech=found.speech,
        cut=frozenset().union(*(part.cut for part in parts)),
        seconds=found.seconds + time.perf_counter() - begin,
    )


def is_certain(candidates: Candidates, variants: Sequence[Variant], index: PreparedIndex) -> Bools:
    """(n,) whether the candidate is a term as spelt, at a place where a person corrected the words.

    Args:
        index: the index, with the corrected words.
    """
    found = np.zeros(len(candidates.term), np.bool_)
    if not index.certain:
        return found
    words_of = {
        index.table.row_of[one]: words
        for one, words in index.certain.items()
        if one in index.table.row_of
    }
    for row in np.flatnonzero(np.isin(candidates.recording, [*words_of])).tolist():
        words, variant = words_of[int(candidates.recording[row])], variants[candidates.variant[row]]
        start_ms, n = int(candidates.start_ms[row]), len(variant.words)
        if variant.method in LITERAL_METHODS:
            found[row] = any(
                word.start_ms == start_ms
                and tuple(one.word for one in words[at : at + n]) == variant.words
                for at, word in enumerate(words)
            )
    return found


def _as_certain(candidates: Candidates, certain: Bools) -> Candidates:
    if not certain.any():
        return candidates
    return candidates._replace(probability=np.where(certain, 1.0, candidates.probability))


def _reported(
    candidates: Candidates,
    parts: Sequence[TermPlaces],
    occurs_in: Sequence[Float64s],
    occurs_as_list: Sequence[Float64s],
) -> Float64s:
    """(n,) the probability of each candidate, if its term is judged as a part of the list.

    Args:
        candidates: the candidates of all languages, with probabilities on condition that the term
            occurs.
    """
    if not parts:
        return candidates.probability
    by_itself, as_list = np.array(occurs_in), np.array(occurs_as_list)
    share = np.divide(as_list, by_itself, out=np.zeros_like(as_list), where=by_itself > 0)
    of_terms = by_itself.max(axis=0) * share  # (languages, terms)
    of_language: Int64s | int = 0
    if len(parts) > 1:
        ends = np.cumsum([len(part.variants) for part in parts])
        of_language = np.searchsorted(ends, candidates.variant, side="right")
    occurs = of_terms[of_language, candidates.term]
    reported: Float64s = np.minimum(candidates.probability * occurs, 1.0)
    return reported


def combine_languages(
    parts: Sequence[TermPlaces],
    occurs_in: Sequence[Float64s],
    words: Sequence[tuple[str, ...]],
    index: PreparedIndex,
    excerpts: Sequence[Excerpt] | None,
) -> tuple[Candidates, tuple[Variant, ...], Float64s]:
    """Candidates of all languages.

    Args:
        occurs_in: for each language (terms,) the probability that each term occurs there, judged
            without the other terms.
        words: the words of each term; their spelling makes some languages less likely than others.
        excerpts: of the ECF; None = everything is searched.

    Returns:
        candidates; the variants they point into; (terms,) the probability that each term occurs.
    """
    occurs = reduce(np.maximum, occurs_in, np.zeros(len(words)))
    if len(parts) == 1:
        return parts[0].candidates, parts[0].variants, occurs
    within = None if excerpts is None else index.copies.searched(excerpts)
    searched = [at for at, one in enumerate(index.languages) if one.speech_s(within) > 0]
    log_odds = np.zeros((len(words), len(parts)))
    if len(searched) > 1:
        trigrams = [index.languages[at].trigrams for at in searched]
        log_odds[:, searched] = term_log_odds(words, trigrams)
    first, combined = 0, []
    for part, occurs_here, odds in zip(parts, occurs_in, log_odds.T, strict=True):
        candidates = part.candidates
        here = np.divide(occurs_here, occurs, out=np.zeros_like(occurs), where=occurs > 0)
        is_literal = np.array([one.method in LITERAL_METHODS for one in part.variants], dtype=bool)
        shift = np.where(is_literal[candidates.variant], 0.0, odds[candidates.term])
        probability = candidates.probability * here[candidates.term]
        shifted = probability / (probability + (1 - probability) * np.exp(-shift))
        combined.append(
            candidates._replace(
                probability=np.where(shift < 0, shifted, probability),
                variant=candidates.variant + first,
                family=candidates.family + first,
            )
        )
        first += len(part.variants)
    variants = tuple(variant for part in parts for variant in part.variants)
    return in_order(concatenate(combined)), variants, occurs


def decide(found: TermCandidates, config: Config, mode: SearchMode = "list") -> SearchResult:
    """Decide on candidates: rescale their probabilities, leave out the least probable.

    Copies have the decisions of their originals.

    Args:
        mode: ``adhoc`` or ``list``; terms of ``adhoc`` searches may not occur.
    """
    begin = time.perf_counter()
    candidates, n_terms, speech_s = found.candidates, len(found.terms), found.speech.seconds
    probability, if_occurring = found.probability, candidates.probability
    judged, of_any = if_occurring, if_occurring * found.occurs[candidates.term]
    if mode == "adhoc" or config.decision.terms == "any":
        judged = of_any = probability
    rule = rule_for(config.decision, calibrated=found.is_calibrated)
    score = rule(candidates.term, judged, n_terms, speech_s, config.decision)
    listed = probability >= config.search.min_probability
    missed = missed_share(probability, listed, n_terms, speech_s)
    missed_of_any = missed
    if of_any is not probability:
        missed_of_any = missed_share(of_any, listed, n_terms, speech_s)
    default_score = None
    if missed_of_any is not None:
        default_score = score_without_hit(
            missed_of_any, float(of_any.sum()) / n_terms, speech_s, config.decision
        )
    unlisted = {"missed_share": missed, "default_score": default_score}
    row, recording = found.reported()
    candidates = candidates.rows(row)._replace(recording=recording)
    probability = probability[row]
    kept = probability >= config.search.min_probability
    decided = unlisted | {
        "candidates": candidates.rows(kept),
        "probability": probability[kept],
        "decision_score": score[row][kept],
        "n_true": expected_occurrences(
            candidates.term, probability, n_terms, config.decision.n_true_scale
        ),
        "seconds": found.seconds + time.perf_counter() - begin,
    }
    return SearchResult(**vars(found) | decided)
