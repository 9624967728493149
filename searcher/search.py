"""The search pipeline: terms and segments in, decided detections out.

search               the two below in a row
    find_candidates      terms         -> candidates with probabilities
        expand_wildcards     words with *, in all the index (`searcher.lexical.wildcards`)
        by_language          segments in groups (`searcher.languages`)
        search_language      each group by itself (`searcher.language_search`):
            lexical              variants, look-up in every segment, join, ECF filter
            phonetic             phones, seeds, alignment, calibration
        combine_languages    candidates of all groups
        deduplicate          one per term and span (`searcher.lexical.deduplicate`)
    decide               probabilities -> scores on one scale, YES from 0.5 on
                         (`searcher.decisions`)
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from searcher.calibration.model import Model
from searcher.candidates import Candidates, Rows, concatenate, in_order
from searcher.decisions import THRESHOLD, rule_for
from searcher.decisions.miller import expected_occurrences
from searcher.expected import Expected
from searcher.language_search import LanguageResult, Request, search_language
from searcher.languages import by_language, language_log_odds
from searcher.lexical.deduplicate import deduplicate
from searcher.lexical.wildcards import Expansion, expand, is_wildcard
from searcher.recording_table import recording_table
from searcher.variant import Variant
from std.config import Config
from std.execution.workers import IN_PROCESS, Executor
from std.spoken_queries import SpokenQuery
from std.store import Segment, vocabulary_counts
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
    outside_ecf: int  # candidates left out because they lie outside the ECF
    without_phones: tuple[str, ...]  # languages of segments left out of phonetic search
    without_model: tuple[str, ...]  # pronouncers of segments that the model is not about
    segments: tuple[Segment, ...]  # what was searched
    seconds: float


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
    segments: Sequence[Segment],
    config: Config,
    *,
    speech_s: float,
    excerpts: Sequence[Excerpt] | None = None,
    workers: Executor = IN_PROCESS,
    model: Model | None = None,
    index_folder: Path | None = None,
    wildcards: bool = False,
    spoken: Sequence[SpokenQuery] = (),
) -> SearchResult:
    """Search every term in every segment and decide.

    Args:
        speech_s: seconds of searched speech = number of trials, for the decisions.
        terms, segments, config, excerpts, workers, model, index_folder, wildcards, spoken: see
            `find_candidates`.
    """
    found = find_candidates(
        terms,
        segments,
        config,
        excerpts=excerpts,
        workers=workers,
        model=model,
        index_folder=index_folder,
        wildcards=wildcards,
        spoken=spoken,
    )
    return decide(found, config, speech_s)


def find_candidates(
    terms: Sequence[Term],
    segments: Sequence[Segment],
    config: Config,
    *,
    excerpts: Sequence[Excerpt] | None = None,
    workers: Executor = IN_PROCESS,
    model: Model | None = None,
    index_folder: Path | None = None,
    wildcards: bool = False,
    spoken: Sequence[SpokenQuery] = (),
) -> TermCandidates:
    """Find the candidates of every term in every segment, with their probabilities if it occurs.

    The segments may come from several stores and be looked up anywhere: the same speech gives the
    same candidates, however it is cut into segments, shards and stores.

    Args:
        terms: what to search for; their words are normalised by ``config.text``.
        segments: a snapshot of a store.
        config: how to search.
        excerpts: candidates outside them are left out and counted; None = everything counts.
        workers: who searches the segments.
        model: what `std-tune` learned; None = the shipped weights. One of another language gives
            its weights, not its phone confusions.
        index_folder: where the index lies, if in a folder: what is built from it is kept there.
        wildcards: a * in a term stands for any letters of a word; otherwise for itself.
        spoken: queries that were spoken; they are further terms.
    """
    begin = time.perf_counter()
    terms = (*terms, *(query.term for query in spoken))
    words = tuple(config.text.phrase(term.text) for term in terms)
    expansions = expand_wildcards(words, segments, config) if wildcards else {}
    table = recording_table(segments)
    groups = by_language(segments, named=_needs_language(config))
    request = Request(
        *(words, expansions, config, excerpts, model, table, workers, index_folder),
        spoken=tuple(spoken),
    )
    parts = [search_language(request, group) for group in groups]
    candidates, variants = combine_languages(parts, language_log_odds(words, groups))
    if any(part.is_phonetic for part in parts):
        candidates = deduplicate(candidates)
    found_words = set().union(*(part.found_words for part in parts))
    return TermCandidates(
        terms=terms,
        words=words,
        oov_words=tuple(tuple(w for w in term if w not in found_words) for term in words),
        wildcards={pattern: one.within(found_words) for pattern, one in expansions.items()},
        variants=variants,
        recordings=table.recordings,
        candidates=candidates,
        occurs=np.max([np.zeros(len(words)), *(part.occurs for part in parts)], axis=0),
        is_calibrated=config.calibration.words == "all",
        outside_ecf=sum(part.outside_ecf for part in parts),
        without_phones=tuple(language for part in parts for language in part.without_phones),
        without_model=tuple(part.without_model for part in parts if part.without_model),
        segments=tuple(segments),
        seconds=time.perf_counter() - begin,
    )


def _needs_language(config: Config) -> bool:
    """Whether a search depends on the language of its recordings, even if all have the same."""
    return config.expansion.words != "none" or config.search.spelling != "exact"


def decide(found: TermCandidates, config: Config, speech_s: float) -> SearchResult:
    """Decide on candidates: rescale their probabilities, leave out the least probable.

    Args:
        found: candidates of all terms.
        config: which decision rule, and from which probability on.
        speech_s: seconds of searched speech = number of trials.
    """
    begin = time.perf_counter()
    candidates, n_terms = found.candidates, len(found.terms)
    if_occurring = candidates.score
    probability = if_occurring * found.occurs[candidates.term]
    rule = rule_for(config.decision, calibrated=found.is_calibrated)
    judged = if_occurring if config.decision.terms == "occurring" else probability
    score = rule(candidates.term, judged, n_terms, speech_s, config.decision)
    kept = probability >= config.search.min_score
    decided = {
        "candidates": candidates._replace(score=score).rows(kept),
        "probability": probability[kept],
        "n_true": expected_occurrences(
            candidates.term, probability, n_terms, config.decision.n_true_scale
        ),
        "seconds": found.seconds + time.perf_counter() - begin,
    }
    return SearchResult(**vars(found) | decided)


def combine_languages(
    parts: Sequence[LanguageResult], log_odds: Float64s
) -> tuple[Candidates, tuple[Variant, ...]]:
    """The candidates of all languages, and the variants they point into.

    Args:
        parts: of each language.
        log_odds: (terms, languages) added to those of candidates that are not spelt as the term.
    """
    if len(parts) == 1:
        return parts[0].candidates, parts[0].variants
    first, combined = 0, []
    for part, odds in zip(parts, log_odds.T, strict=True):
        candidates = part.candidates
        is_literal = np.array([one.method in LITERAL_METHODS for one in part.variants], dtype=bool)
        shift = np.where(is_literal[candidates.variant], 0.0, odds[candidates.term])
        score = candidates.score
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
    return in_order(concatenate(combined)), variants


def expand_wildcards(
    terms: Sequence[tuple[str, ...]], segments: Sequence[Segment], config: Config
) -> dict[str, Expansion]:
    """What the wildcards among the terms' words stand for."""
    patterns = sorted({word for words in terms for word in words if is_wildcard(word)})
    if not patterns:
        return {}
    return expand(patterns, vocabulary_counts(segments), config.search.wildcard_words)
