"""The search pipeline on one screen: terms and segments in, decided detections out.

Term        --wildcards-->  what each stands for in all the index (`searcher.lexical.wildcards`)
    in the segments of each language (`searcher.languages`):
            --variants-->   word sequences to look up
    in every segment, by any worker (`searcher.lexical.lookup`):
all words   --postings-->   one batched look-up
Variant     --join-->       candidates
candidates  --inside_ecf-->      those inside the speech that is searched (ECF)
            --deduplicate--> one per term and place
    of all segments of a language together:
sounds      --hear-->       places where a term's phones fit, calibrated
                                (`searcher.phonetic_candidates`)
    of all languages together:
candidates  --deduplicate--> one per term and place, whatever methods found it
            --decide-->     scores on one scale, YES from 0.5 on (`searcher.decisions`)
"""

import time
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from searcher.calibration.model import Model
from searcher.candidates import Candidates, concatenate, in_order
from searcher.decisions import THRESHOLD, rule_for
from searcher.decisions.miller import expected_occurrences
from searcher.languages import Group, by_language, require_one
from searcher.lexical.deduplicate import deduplicate
from searcher.lexical.lookup import Plan, SegmentResult, inside_ecf, search_segment
from searcher.lexical.wildcards import Expansion, expand, is_wildcard
from searcher.phonetic_candidates import open_ears, with_sound
from searcher.term_language import log_odds
from searcher.variant import Variant
from searcher.vocabulary import of_counts
from std.config import Config
from std.execution.workers import IN_PROCESS, Executor
from std.languages.detection import of_segment
from std.store import Segment, vocabulary_counts
from std.store.columns import Int64s
from std.values import Bools, Detections, Excerpt, Float64s, Recording, Term

AS_WRITTEN = ("exact", "wildcard")  # methods that look up a term as it is spelt


@dataclass(frozen=True, eq=False)
class Found:
    """Everything a search says: detections, and why each is there and decided so."""

    terms: tuple[Term, ...]
    words: tuple[tuple[str, ...], ...]  # of each term, normalised
    oov_words: tuple[tuple[str, ...], ...]  # those of them that the index does not know
    wildcards: Mapping[str, Expansion]  # those of them with *, and what the index has for each
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
    wildcards: bool = False,
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
        wildcards: a * in a term stands for any letters of a word; otherwise for itself.
    """
    begin = time.perf_counter()
    words = tuple(config.text.phrase(term.text) for term in terms)
    expansions = expanded(words, segments, config) if wildcards else {}
    recordings = tuple(sorted({one.recording for s in segments for one in s.recordings}))
    groups = by_language(segments, named=config.expansion.words != "none")
    if model:
        require_one(model, groups)
    asked = Asked(words, expansions, config, excerpts, model)
    parts = [in_language(asked, group, recordings, workers, index_folder) for group in groups]
    candidates, variants = united(parts, foreign(words, groups))
    if any(part.heard for part in parts):
        candidates = deduplicate(candidates)
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
        wildcards={pattern: one.within(known) for pattern, one in expansions.items()},
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


class Asked(NamedTuple):
    """What is searched for in each language."""

    words: tuple[tuple[str, ...], ...]  # of each term, normalised
    expansions: Mapping[str, Expansion]  # of the wildcards among them, in all the index
    config: Config
    excerpts: Sequence[Excerpt] | None
    model: Model | None

    @property
    def starred(self) -> Bools:
        """(terms,) which have a wildcard."""
        return np.array([not self.expansions.keys().isdisjoint(one) for one in self.words], bool)


class InLanguage(NamedTuple):
    """What the segments of one language say to a search."""

    candidates: Candidates  # their scores are probabilities; recordings are the search's
    variants: tuple[Variant, ...]
    known: set[str]  # the variants' words that these segments have, the wildcards that fit one
    outside: int
    heard: bool  # whether terms were searched by sound: their places are not merged with others
    silent: tuple[str, ...]  # languages of its segments without sounds, if they were to be heard
    untuned: str  # who pronounced these segments, if the model is not about that


def in_language(
    asked: Asked,
    group: Group,
    recordings: Sequence[Recording],
    workers: Executor,
    index_folder: Path | None,
) -> InLanguage:
    """Search the segments of one language: what they do not know is unknown there."""
    words, segments, config = asked.words, group.segments, group.configured(asked.config)
    place_of = {one: i for i, one in enumerate(recordings)}
    by_term = variants_in(words, segments, config, index_folder, asked.expansions)
    variants = tuple(one for some in by_term for one in some)
    term_of_variant = np.repeat(np.arange(len(words)), [len(some) for some in by_term])
    stands_for = {pattern: one.words for pattern, one in asked.expansions.items()}
    plan = Plan(variants, term_of_variant, config, asked.excerpts, stands_for)
    known: set[str] = set()
    outside, parts, table = 0, [], Variants(variants)
    tasks = [(one, segment) for segment in segments for one in plan.pieces(segments, workers)]
    for (piece, segment), part in zip(tasks, workers.map(search_segment, tasks), strict=True):
        known |= part.in_vocabulary
        outside += part.outside
        rows = np.array([place_of[one.recording] for one in segment.recordings], dtype=np.int64)
        parts.append(table.renumbered(part, piece, rows))
    variants = table.all()
    candidates = parts[0] if len(parts) == 1 else in_order(concatenate(parts))
    unknown = np.array([any(w not in known for w in one) for one in words], dtype=bool)
    ears, untuned = None, ""
    silent: tuple[str, ...] = ()
    if (heard_terms(unknown, config, asked.model) & ~asked.starred).any():
        ears, silent = open_ears(segments, place_of, config, asked.model)
    if ears:
        untuned = "" if ears.model or not asked.model else ears.indexes[0].maker
        wanted = heard_terms(unknown, config, ears.model) & ~asked.starred
        inside = partial(inside_ecf, recordings=recordings, excerpts=asked.excerpts)
        candidates, variants = with_sound(
            words, unknown, wanted, candidates, variants, ears, inside, workers
        )
    return InLanguage(candidates, variants, known, outside, ears is not None, silent, untuned)


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
        written = np.array([one.method in AS_WRITTEN for one in part.variants], dtype=bool)
        shift = np.where(written[found.variant], 0.0, odds[found.term])
        chance = found.score / (found.score + (1 - found.score) * np.exp(-shift))
        score = np.where(shift < 0, chance, found.score)
        candidates.append(
            found._replace(score=score, variant=found.variant + first, family=found.family + first)
        )
        first += len(part.variants)
    variants = tuple(one for part in parts for one in part.variants)
    return in_order(concatenate(candidates)), variants


def heard_terms(unknown: Bools, config: Config, model: Model | None) -> Bools:
    """(terms,) which are searched by sound."""
    if config.sound.words == "none":
        return np.zeros_like(unknown)
    everything = config.sound.words == "all" and model is not None and model.known is not None
    return np.ones_like(unknown) if everything else unknown


class Variants:
    """The variants of a search, and those that wildcards become in its segments."""

    def __init__(self, planned: Sequence[Variant]) -> None:
        self._planned = tuple(planned)
        self._spelt: dict[tuple[int, Variant], int] = {}  # by family, in the order they came

    def renumbered(self, part: SegmentResult, piece: Plan, recordings: Int64s) -> Candidates:
        """What a segment says to a piece of the plan, in the numbers of the whole search."""
        candidates, first = part.candidates, piece.first_variant
        table = np.arange(first, first + len(piece.variants) + len(part.wildcard_variants))
        at = candidates.variant - len(piece.variants)
        for i in np.unique(at[at >= 0]).tolist():
            family = first + int(candidates.family[np.argmax(at == i)])
            key = family, part.wildcard_variants[i]
            number = self._spelt.setdefault(key, len(self._planned) + len(self._spelt))
            table[len(piece.variants) + i] = number
        return candidates._replace(
            recording=recordings[candidates.recording],
            variant=table[candidates.variant],
            family=candidates.family + first,
        )

    def all(self) -> tuple[Variant, ...]:
        """Every variant that candidates may point to."""
        return (*self._planned, *(variant for _, variant in self._spelt))


def expanded(
    terms: Sequence[tuple[str, ...]], segments: Sequence[Segment], config: Config
) -> dict[str, Expansion]:
    """What the wildcards among the terms' words stand for."""
    patterns = sorted({word for words in terms for word in words if is_wildcard(word)})
    if not patterns:
        return {}
    return expand(patterns, vocabulary_counts(segments), config.search.wildcard_words)


def variants_in(
    terms: Sequence[tuple[str, ...]],
    segments: Sequence[Segment],
    config: Config,
    index_folder: Path | None,
    wildcards: Collection[str] = (),
) -> list[list[Variant]]:
    """What each term is looked up as; the vocabulary is put together only if a term needs it.

    A term with one of the wildcards is looked up as it is.
    """
    if any(word in wildcards for words in terms for word in words):
        others = [words for words in terms if not any(word in wildcards for word in words)]
        made = iter(variants_in(others, segments, config, index_folder))
        return [
            [Variant(words, method="wildcard")]
            if any(word in wildcards for word in words)
            else next(made)
            for words in terms
        ]
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
