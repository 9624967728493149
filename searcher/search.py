"""The search pipeline on one screen: terms and segments in, decided detections out.

    in the segments of each language (`searcher.languages`):
Term        --variants-->   word sequences to look up
    in every segment, by any worker (`searcher.lookup`):
all words   --postings-->   one batched look-up
Variant     --join-->       candidates
candidates  --fence-->      those inside the speech that is searched (ECF)
            --merge-->      one per term and place
    of all segments of a language together:
sounds      --hear-->       places where a term's phones fit (`searcher.hearing`), calibrated
    of all languages together:
candidates  --decide-->     scores on one scale, YES from 0.5 on (`searcher.decisions`)
"""

import time
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from searcher.candidates import Candidates, concatenate, in_order
from searcher.decisions import THRESHOLD, rule_for
from searcher.decisions.miller import expected_occurrences
from searcher.hearing import open_ears, with_sound
from searcher.languages import Group, by_language, require_one
from searcher.lookup import Plan, fence, in_segment
from searcher.model import Model
from searcher.term_language import log_odds
from searcher.variant import Variant
from std.cluster import IN_PROCESS, Executor
from std.config import Config
from std.languages import of_segment
from std.store import Segment, vocabulary_counts
from std.values import Bools, Detections, Excerpt, Float64s, Recording, Term
from std.vocabulary import of_counts


@dataclass(frozen=True, eq=False)
class Found:
    """Everything a search says: detections, and why each is there and decided so."""

    terms: tuple[Term, ...]
    words: tuple[tuple[str, ...], ...]  # of each term, normalised
    oov_words: tuple[tuple[str, ...], ...]  # those of them that the index does not know
    variants: tuple[Variant, ...]  # what candidates point into
    recordings: tuple[Recording, ...]  # what candidates point into, ascending
    candidates: Candidates  # merged; ordered by term, recording and time; scores comparable
    probability: Float64s  # (n,) of each candidate, before the decision rule rescaled it
    n_true: Float64s  # (terms,) expected occurrences
    outside: int  # candidates left out because they lie outside the ECF
    silent: tuple[str, ...]  # languages of segments without sounds that were to be searched so
    untuned: tuple[str, ...]  # pronouncers that the model is not about
    segments: tuple[Segment, ...]  # what was searched
    seconds: float

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The language of each of the recordings; empty where the index does not know it."""
        table = {
            one.recording: language
            for segment in self.segments
            for language in (of_segment(segment),)
            for row, one in enumerate(segment.recordings)
            if row not in segment.deleted
        }
        return tuple(table.get(one, "") for one in self.recordings)

    @cached_property
    def yes(self) -> Bools:
        """(n,) the decisions."""
        decided: Bools = self.candidates.score >= THRESHOLD
        return decided

    def detections(self) -> Detections:
        """The hit list's columns."""
        found = self.candidates
        return Detections(
            tuple(term.term_id for term in self.terms),
            self.recordings,
            found.term.astype(np.int32),
            found.recording.astype(np.int32),
            found.start_ms / 1000,
            (found.end_ms - found.start_ms) / 1000,
            found.score,
            self.yes,
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
) -> Found:
    """Search every term in every segment.

    The segments may come from several stores and be looked up anywhere: candidates are gathered
    from all of them before anything is decided, so however speech is cut into segments, shards
    and stores, the same speech gives the same detections.

    Args:
        terms: what to search for; their words are normalised by ``config.text``.
        segments: a snapshot of a store.
        speech_s: seconds of searched speech = number of trials, for the decisions.
        excerpts: candidates outside them are left out and counted; None = everything counts.
        workers: who looks up the segments.
        model: what `std-tune` learned; None = unknown words are heard by prior knowledge alone.
        index_folder: where the index lies, if in a folder: what is built from it is kept there.
    """
    begin = time.perf_counter()
    words = tuple(config.text.phrase(term.text) for term in terms)
    recordings = tuple(sorted({one.recording for s in segments for one in s.recordings}))
    groups = by_language(segments, named=config.expansion.words != "none")
    if model:
        require_one(model, groups)
    parts = [
        in_language(words, group, recordings, config, excerpts, workers, model, index_folder)
        for group in groups
    ]
    candidates, variants = united(parts, foreign(words, groups))
    known = set().union(*(part.known for part in parts))
    oov_words = tuple(tuple(w for w in one if w not in known) for one in words)
    probability = candidates.score
    rule = rule_for(config.decision, calibrated=model is not None)
    score = rule(candidates.term, probability, len(terms), speech_s, config.decision)
    kept = probability >= config.search.min_score
    return Found(
        terms=tuple(terms),
        words=words,
        oov_words=oov_words,
        variants=variants,
        recordings=recordings,
        candidates=candidates._replace(score=score).rows(kept),
        probability=probability[kept],
        n_true=expected_occurrences(
            candidates.term, probability, len(terms), config.decision.n_true_scale
        ),
        outside=sum(part.outside for part in parts),
        silent=tuple(one for part in parts for one in part.silent),
        untuned=tuple(part.untuned for part in parts if part.untuned),
        segments=tuple(segments),
        seconds=time.perf_counter() - begin,
    )


class InLanguage(NamedTuple):
    """What the segments of one language say to a search."""

    candidates: Candidates  # their scores are probabilities; recordings are the search's
    variants: tuple[Variant, ...]
    known: set[str]  # the variants' words that these segments have
    outside: int
    silent: tuple[str, ...]  # languages of its segments without sounds, if they were to be heard
    untuned: str  # who pronounced these segments, if the model is not about that


def in_language(
    words: Sequence[tuple[str, ...]],
    group: Group,
    recordings: Sequence[Recording],
    config: Config,
    excerpts: Sequence[Excerpt] | None,
    workers: Executor,
    model: Model | None,
    index_folder: Path | None,
) -> InLanguage:
    """Search the segments of one language: what they do not know is unknown there."""
    segments, config = group.segments, group.configured(config)
    place_of = {one: i for i, one in enumerate(recordings)}
    by_term = variants_in(words, segments, config, index_folder)
    variants = tuple(one for some in by_term for one in some)
    term_of_variant = np.repeat(np.arange(len(words)), [len(some) for some in by_term])
    plan = Plan(variants, term_of_variant, config, excerpts)
    known: set[str] = set()
    outside, parts = 0, []
    tasks = [(one, segment) for segment in segments for one in plan.pieces(segments, workers)]
    for (_, segment), part in zip(tasks, workers.map(in_segment, tasks), strict=True):
        known |= part.known
        outside += part.outside
        table = np.array([place_of[one.recording] for one in segment.recordings], dtype=np.int64)
        parts.append(part.candidates._replace(recording=table[part.candidates.recording]))
    candidates = parts[0] if len(parts) == 1 else in_order(concatenate(parts))
    unknown = np.array([any(w not in known for w in one) for one in words], dtype=bool)
    ears, untuned = None, ""
    silent: tuple[str, ...] = ()
    if heard_terms(unknown, config, model).any():
        ears, silent = open_ears(segments, place_of, config, model)
    if ears:
        untuned = "" if ears.model or not model else ears.indexes[0].maker
        wanted = heard_terms(unknown, config, ears.model)
        inside = partial(fence, recordings=recordings, excerpts=excerpts)
        candidates, variants = with_sound(
            words, unknown, wanted, candidates, variants, ears, inside, workers
        )
    return InLanguage(candidates, variants, known, outside, silent, untuned)


def foreign(words: Sequence[tuple[str, ...]], groups: Sequence[Group]) -> Float64s:
    """(terms, languages) what a term's spelling says against its being said in each language."""
    if len(groups) == 1:
        return np.zeros((len(words), 1))
    return log_odds(words, [list(vocabulary_counts(group.segments)) for group in groups])


def united(
    parts: Sequence[InLanguage], against: Float64s
) -> tuple[Candidates, tuple[Variant, ...]]:
    """The candidates of all languages, and the variants they point into.

    Args:
        against: (terms, languages) added to the log odds of what is not written as the term.
    """
    if len(parts) == 1:
        return parts[0].candidates, parts[0].variants
    first, candidates = 0, []
    for part, odds in zip(parts, against.T, strict=True):
        found = part.candidates
        exact = np.array([one.channel == "exact" for one in part.variants], dtype=bool)
        shift = np.where(exact[found.variant], 0.0, odds[found.term])
        chance = found.score / (found.score + (1 - found.score) * np.exp(-shift))
        score = np.where(shift < 0, chance, found.score)
        candidates.append(found._replace(score=score, variant=found.variant + first))
        first += len(part.variants)
    variants = tuple(one for part in parts for one in part.variants)
    return in_order(concatenate(candidates)), variants


def heard_terms(unknown: Bools, config: Config, model: Model | None) -> Bools:
    """(terms,) which are searched by sound."""
    if config.sound.words == "none":
        return np.zeros_like(unknown)
    everything = config.sound.words == "all" and model is not None and model.known is not None
    return np.ones_like(unknown) if everything else unknown


def variants_in(
    terms: Sequence[tuple[str, ...]],
    segments: Sequence[Segment],
    config: Config,
    index_folder: Path | None,
) -> list[list[Variant]]:
    """What each term is looked up as; the vocabulary is put together only if a term needs it."""
    wanted = {config.splitting.words, config.expansion.words}
    if wanted == {"none"} or ("all" not in wanted and not unknown_words(terms, segments)):
        return [[Variant(words)] for words in terms]
    from searcher.variants import variants

    return variants(terms, of_counts(vocabulary_counts(segments)), config, index_folder)


def unknown_words(terms: Sequence[tuple[str, ...]], segments: Sequence[Segment]) -> set[str]:
    """Words of the terms that no segment's vocabulary has."""
    unknown = {word for words in terms for word in words}
    for segment in segments:
        vocabulary = segment.words()
        for word in list(unknown):
            row = bisect_left(vocabulary, word)
            if row < len(vocabulary) and vocabulary[row] == word:
                unknown.remove(word)
    return unknown
