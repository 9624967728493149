"""The search pipeline: terms and a prepared index in, decided detections out.

search               the two below in a row
    find_candidates      terms         -> candidates with probabilities
        expand_wildcards     words with *, in all the index (`searcher.lexical.wildcards`)
        search_language      each language by itself (`searcher.language_search`):
            find_by_words        variants, look-up in every segment, join, ECF filter
            find_by_phones       phones, seeds, alignment
            calibrate            probabilities
        combine_languages    candidates of all languages
        deduplicate          one per term and span (`searcher.lexical.deduplicate`)
    decide               probabilities -> scores on one scale, YES from 0.5 on
                         (`searcher.decisions`)
        reported             copies of a recording get its candidates (`searcher.copied_hits`)
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from searcher.candidates import Candidates, Rows, concatenate, in_order
from searcher.copied_hits import reported, searched_copies
from searcher.copies import NO_COPIES, Copies
from searcher.decisions import THRESHOLD, rule_for
from searcher.decisions.miller import expected_occurrences
from searcher.expected import Expected
from searcher.language_search import LanguageResult, search_language
from searcher.lexical.deduplicate import deduplicate
from searcher.lexical.wildcards import Expansion, expand, is_wildcard
from searcher.prepared import PreparedIndex
from searcher.recording_table import recording_table
from searcher.request import Request, SpokenWords
from searcher.term_language import log_odds as term_log_odds
from searcher.variant import Variant
from std.config import Config
from std.execution.workers import IN_PROCESS, Executor
from std.spoken_queries import SpokenQuery
from std.store import Segment, vocabulary_counts
from std.store.columns import Int64s
from std.values import Bools, Detections, Excerpt, Float64s, Recording, Term

LITERAL_METHODS = ("exact", "wildcard")  # look up a term as it is spelt


@dataclass(frozen=True, eq=False)
class TermCandidates:
    """The candidates of all terms; until `decide` their scores are probabilities on condition that
    the term occurs.
    """

    terms: tuple[Term, ...]
    words: tuple[tuple[str, ...], ...]  # of each term, normalised
    oov_words: tuple[tuple[str, ...], ...]  # those of them that the index does not have
    wildcards: Mapping[str, Expansion]  # those of them with *, and what the index has for each
    variants: tuple[Variant, ...]  # what candidates point into
    recordings: tuple[Recording, ...]  # what candidates point into, ascending
    candidates: Candidates  # merged; ordered by term, recording and time
    occurs: Float64s  # (terms,) the probability that each term occurs at all
    is_calibrated: bool  # all of them
    outside_ecf: int  # candidates left out as outside the ECF; one that copies share counts once
    without_phones: tuple[str, ...]  # languages of segments left out of phonetic search
    without_model: tuple[str, ...]  # pronouncers of segments that the model is not about
    segments: tuple[Segment, ...]  # what was searched
    copies: Copies  # of its recordings; candidates are of originals until `decide`
    excerpts: Sequence[Excerpt] | None  # that were searched; None = everything
    seconds: float

    @property
    def searched_copies(self) -> int:
        """How many of the searched recordings hold the same speech as others that are."""
        return searched_copies(self.copies, self.excerpts)

    def under_each_name(self) -> "TermCandidates":
        """The same with the candidates of copies, too."""
        row, recording = self.reported()
        candidates = self.candidates.rows(row)._replace(recording=recording)
        return replace(self, candidates=candidates, copies=NO_COPIES)

    def reported(self) -> tuple[Rows, Int64s]:
        """Under which recordings the candidates are reported: see `searcher.copied_hits`."""
        table = recording_table(self.segments)
        row_of = table.row_of
        if self.copies and self.recordings is not table.recordings:
            row_of = {recording: row for row, recording in enumerate(self.recordings)}
        return reported(self.candidates, self.recordings, row_of, self.copies, self.excerpts)


@dataclass(frozen=True, eq=False)
class SearchResult(TermCandidates):
    """Detections, with the evidence for each: candidates whose scores were decided on."""

    probability: Float64s  # (n,) of each candidate, before the decision rule rescaled it
    n_true: Float64s  # (terms,) expected occurrences

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The language of each of the recordings; empty where the index does not know it."""
        table = recording_table(self.segments)
        if self.recordings is table.recordings:
            return table.languages
        return tuple(table.languages[table.row_of[recording]] for recording in self.recordings)

    @cached_property
    def yes(self) -> Bools:
        """(n,) the decisions."""
        decided: Bools = self.candidates.score >= THRESHOLD
        return decided

    def rows(self, which: Rows) -> "SearchResult":
        """The same search with some of its detections, in the order of ``which``."""
        some = self.candidates.rows(which)
        return replace(self, candidates=some, probability=self.probability[which])

    @property
    def expected(self) -> Expected:
        """How many of the hits are right, by their probabilities."""
        return Expected.of(self.probability)

    def detections(self) -> Detections:
        """The hit list's columns."""
        candidates = self.candidates
        return Detections(
            tuple(term.term_id for term in self.terms),
            self.recordings,
            candidates.term.astype(np.int32),
            candidates.recording.astype(np.int32),
            candidates.start_ms / 1000,
            (candidates.end_ms - candidates.start_ms) / 1000,
            candidates.score,
            self.yes,
            self.probability,
        )


def search(
    terms: Sequence[Term],
    index: PreparedIndex,
    *,
    speech_s: float,
    excerpts: Sequence[Excerpt] | None = None,
    workers: Executor = IN_PROCESS,
    single_terms: bool = False,
    spoken: Sequence[SpokenQuery] = (),
) -> SearchResult:
    """Search every term in every segment and decide.

    Args:
        speech_s: see `decide`.
        terms, index, excerpts, workers, single_terms, spoken: see `find_candidates`.
    """
    found = find_candidates(
        terms, index, excerpts=excerpts, workers=workers, single_terms=single_terms, spoken=spoken
    )
    config = for_single_terms(index.config) if single_terms else index.config
    return decide(found, config, speech_s)


def find_candidates(
    terms: Sequence[Term],
    index: PreparedIndex,
    *,
    excerpts: Sequence[Excerpt] | None = None,
    workers: Executor = IN_PROCESS,
    single_terms: bool = False,
    spoken: Sequence[SpokenQuery] = (),
) -> TermCandidates:
    """Find the candidates of every term in every segment, with their probabilities if it occurs.

    Args:
        terms: what to search for; their words are normalised as the index's are.
        index: where (`searcher.prepared`).
        excerpts: candidates outside them are left out and counted; None = everything counts.
        workers: who searches the segments.
        single_terms: whether a person asks for the terms, one by one: a * in a term stands for any
            letters of a word, otherwise for itself; without a model in-vocabulary terms are
            looked up by their words only, which takes milliseconds; and how many of the terms
            occur says nothing of one of them.
        spoken: queries that were spoken; they are further terms.
    """
    begin, config = time.perf_counter(), index.config
    terms = (*terms, *(query.term for query in spoken))
    words = tuple(config.text.phrase(term.text) for term in terms)
    expansions = expand_wildcards(words, index) if single_terms else {}
    phonetic_words = config.phonetic_search.words
    if single_terms and phonetic_words == "all" and not index.has_model:
        phonetic_words = "unknown"
    alternatives = tuple(
        tuple(SpokenWords(config.text.phrase(one.words), one.weight) for one in query.alternatives)
        for query in spoken
    )
    searched = None if excerpts is None else index.copies.searched(excerpts)
    request = Request(
        words, expansions, phonetic_words, searched, alternatives, workers, single_terms
    )
    parts = [search_language(request, language) for language in index.languages]
    candidates, variants, occurs = combine_languages(parts, words, index)
    if any(part.is_phonetic for part in parts):
        candidates = deduplicate(candidates)
    found_words = set().union(*(part.found_words for part in parts))
    return TermCandidates(
        terms=terms,
        words=words,
        oov_words=tuple(tuple(w for w in term if w not in found_words) for term in words),
        wildcards={pattern: one.within(found_words) for pattern, one in expansions.items()},
        variants=variants,
        recordings=index.table.recordings,
        candidates=candidates,
        occurs=occurs,
        is_calibrated=config.calibration.words == "all",
        outside_ecf=sum(part.outside_ecf for part in parts),
        without_phones=tuple(language for part in parts for language in part.without_phones),
        without_model=tuple(part.without_model for part in parts if part.without_model),
        segments=index.segments,
        copies=index.copies,
        excerpts=excerpts,
        seconds=time.perf_counter() - begin,
    )


def for_single_terms(config: Config) -> Config:
    """How decisions are made on terms that a person asks for, one by one: they may not occur."""
    return replace(config, decision=replace(config.decision, terms="any"))


def decide(found: TermCandidates, config: Config, speech_s: float) -> SearchResult:
    """Decide on candidates: rescale their probabilities, leave out the least probable.

    Copies have the decisions of their originals.

    Args:
        found: candidates of all terms.
        config: which decision rule, and from which probability on.
        speech_s: seconds of searched speech, copies left out = number of trials.
    """
    begin = time.perf_counter()
    candidates, n_terms = found.candidates, len(found.terms)
    if_occurring = candidates.score
    probability = if_occurring * found.occurs[candidates.term]
    rule = rule_for(config.decision, calibrated=found.is_calibrated)
    judged = if_occurring if config.decision.terms == "occurring" else probability
    score = rule(candidates.term, judged, n_terms, speech_s, config.decision)
    row, recording = found.reported()
    candidates = candidates._replace(score=score).rows(row)._replace(recording=recording)
    probability = probability[row]
    kept = probability >= config.search.min_score
    decided = {
        "candidates": candidates.rows(kept),
        "probability": probability[kept],
        "n_true": expected_occurrences(
            candidates.term, probability, n_terms, config.decision.n_true_scale
        ),
        "seconds": found.seconds + time.perf_counter() - begin,
    }
    return SearchResult(**vars(found) | decided)


def combine_languages(
    parts: Sequence[LanguageResult], words: Sequence[tuple[str, ...]], index: PreparedIndex
) -> tuple[Candidates, tuple[Variant, ...], Float64s]:
    """Candidates of all languages.

    Args:
        parts: of each language.
        words: of each term; its spelling makes some languages less likely than others.
        index: the languages.

    Returns:
        candidates; the variants they point into; (terms,) the probability that each term occurs.
    """
    occurs = np.max([np.zeros(len(words)), *(part.occurs for part in parts)], axis=0)
    if len(parts) == 1:
        return parts[0].candidates, parts[0].variants, occurs
    log_odds = term_log_odds(words, [language.trigrams for language in index.languages])
    first, combined = 0, []
    for part, odds in zip(parts, log_odds.T, strict=True):
        candidates = part.candidates
        here = np.divide(part.occurs, occurs, out=np.zeros_like(occurs), where=occurs > 0)
        is_literal = np.array([one.method in LITERAL_METHODS for one in part.variants], dtype=bool)
        shift = np.where(is_literal[candidates.variant], 0.0, odds[candidates.term])
        score = candidates.score * here[candidates.term]
        shifted = score / (score + (1 - score) * np.exp(-shift))
        combined.append(
            candidates._replace(
                score=np.where(shift < 0, shifted, score),
                variant=candidates.variant + first,
                family=candidates.family + first,
            )
        )
        first += len(part.variants)
    variants = tuple(variant for part in parts for variant in part.variants)
    return in_order(concatenate(combined)), variants, occurs


def expand_wildcards(
    terms: Sequence[tuple[str, ...]], index: PreparedIndex
) -> dict[str, Expansion]:
    """What the wildcards among the terms' words stand for."""
    patterns = sorted({word for words in terms for word in words if is_wildcard(word)})
    if not patterns:
        return {}
    counts = vocabulary_counts(index.segments)
    return expand(patterns, counts, index.config.search.wildcard_words)
