"""Lexical search of one segment: look up, join, ECF filter, deduplicate.

All of a recording lies in one segment, so a segment is searched without the others: in this
process, in a worker process or on another machine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from searcher.candidates import Candidates, concatenate
from searcher.lexical.deduplicate import deduplicate
from searcher.lexical.join import SkipCost, join, single_word, skip_costs
from searcher.lexical.wildcards import Union, spell_out, union
from searcher.variant import Variant
from std.config import Config
from std.ecf_filter import inside_one
from std.execution.workers import Executor
from std.languages.folding import explained
from std.store import Segment
from std.store.columns import Int64s, Postings, UInt64s
from std.text import bare
from std.values import Bools, Excerpt, Float64s, Recording

TYPED = 0.999  # times the posterior of a word that people type otherwise: of equals it is second


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What is looked up in every segment."""

    variants: tuple[Variant, ...]
    term_of_variant: Int64s  # (variants,) ascending
    config: Config
    excerpts: Sequence[Excerpt] | None
    # What a word stands for: one with *, or one that the index spells in several ways.
    stands_for: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    typed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # those that people type so
    first_variant: int = 0  # of a piece: its place in the whole plan

    def pieces(self, segments: Sequence[Segment], workers: Executor) -> "list[Plan]":
        """Parts that no term straddles, so that few segments keep many workers busy."""
        n_terms = int(self.term_of_variant.max(initial=-1)) + 1
        n = max(1, min(n_terms, -(-workers.workers // max(1, len(segments)))))
        if n == 1:
            return [self]
        bounds = np.searchsorted(self.term_of_variant, np.arange(n + 1) * n_terms // n).tolist()
        return [
            replace(
                self,
                variants=self.variants[first:last],
                term_of_variant=self.term_of_variant[first:last],
                first_variant=first,
            )
            for first, last in pairwise(bounds)
        ]


class SegmentResult(NamedTuple):
    """The candidates of a plan in one segment."""

    in_vocabulary: set[str]  # the words looked up that it has, and the wildcards that fit one
    candidates: Candidates  # deduplicated; numbers are the piece's and the segment's own
    wildcard_variants: tuple[Variant, ...]  # numbered behind the plan's variants
    outside: int  # candidates left out because they lie outside the ECF


def search_segment(task: tuple[Plan, Segment]) -> SegmentResult:
    """Look up a plan's variants in one segment, here or in a worker.

    Args:
        task: the plan, and the segment to search.
    """
    plan, segment = task
    words = {word for variant in plan.variants for word in variant.words}
    postings = segment.postings(
        {stands for word in words for stands in plan.stands_for.get(word, (word,))}
    )
    in_vocabulary, unions = set(postings), {}
    for pattern in words & plan.stands_for.keys():
        words_here = [word for word in plan.stands_for[pattern] if word in postings]
        if words_here:
            typed = plan.typed.get(pattern, ())
            unions[pattern] = union(
                {
                    word: _second(postings[word])
                    if word in typed and bare(word) != bare(pattern)
                    else postings[word]
                    for word in words_here
                }
            )
            in_vocabulary.add(pattern)
    candidates, wildcard_variants = look_up(plan, postings, unions, segment)
    inside = inside_ecf(
        candidates.recording,
        candidates.start_ms,
        candidates.end_ms,
        recordings=[indexed.recording for indexed in segment.recordings],
        excerpts=plan.excerpts,
    )
    kept = deduplicate(candidates.rows(inside))
    kept = kept.rows(kept.score >= plan.config.search.min_score)
    outside = int(len(inside) - np.count_nonzero(inside))
    return SegmentResult(in_vocabulary, kept, wildcard_variants, outside)


def look_up(
    plan: Plan, postings: Mapping[str, Postings], unions: Mapping[str, Union], segment: Segment
) -> tuple[Candidates, tuple[Variant, ...]]:
    """All candidates of all variants in one segment, before deduplication.

    Args:
        plan: what is looked up.
        postings: of the words of the plan.
        unions: of the wildcards of the plan.
        segment: to fetch the slots that phrases skip.

    Returns:
        candidates, and a variant for each sequence of words found for wildcards, numbered
        behind the plan's.
    """
    joined = {**postings, **{pattern: words.postings for pattern, words in unions.items()}}
    present = [
        (i, [joined[word] for word in variant.words])
        for i, variant in enumerate(plan.variants)
        if variant.words and all(word in joined for word in variant.words)
    ]
    config = plan.config
    skip_cost = _skip_cost([words for _, words in present if len(words) > 1], segment, config)
    parts: list[Candidates] = []
    wildcard_variants: list[Variant] = []
    for i, words in present:
        spans = single_word(words[0]) if len(words) == 1 else join(words, skip_cost, config.search)
        variant, n = plan.variants[i], len(spans.recording)
        number = np.full(n, i)
        if n and not unions.keys().isdisjoint(variant.words):
            sequences, which = spell_out(variant.words, spans.slots, unions)
            number = len(plan.variants) + len(wildcard_variants) + which
            wildcard_variants += [_wildcard_variant(variant, sequence) for sequence in sequences]
        parts.append(
            Candidates(
                term=np.full(n, plan.term_of_variant[i]),
                variant=number,
                recording=spans.recording,
                start_ms=spans.start_ms,
                end_ms=spans.end_ms,
                score=spans.posterior * variant.similarity,
                family=np.full(n, i),
                first_slot=spans.slots[:, 0],
                last_slot=spans.slots[:, -1],
            )
        )
    return concatenate(parts), tuple(wildcard_variants)


def _second(postings: Postings) -> Postings:
    """Postings of a word that is typed as another one is written, which comes first."""
    return postings._replace(posterior=postings.posterior * np.float32(TYPED))


def _wildcard_variant(variant: Variant, words: tuple[str, ...]) -> Variant:
    """A variant with wildcards, with the words that stand for them."""
    pairs = zip(variant.words, words, strict=True)
    how = ", ".join(explained(asked, word) for asked, word in pairs if bare(asked) != bare(word))
    return replace(variant, words=words, how=how)


def _skip_cost(phrases: Sequence[Sequence[Postings]], segment: Segment, config: Config) -> SkipCost:
    """What skipping slots costs, fetched once for all phrases that skip some."""

    def gaps() -> tuple[Int64s, Int64s]:
        """First and last slot of each gap: a join that only records them."""
        first, last = [np.empty(0, np.int64)], [np.empty(0, np.int64)]

        def record(
            gap_start: UInt64s, gap_end: UInt64s, left_slot: Int64s, right_slot: Int64s
        ) -> Float64s:
            skips = (gap_start <= gap_end) & (left_slot + 1 < right_slot)
            first.append(left_slot[skips])
            last.append(right_slot[skips])
            return np.zeros(len(gap_start))

        for words in phrases:
            join(words, record, config.search)
        return np.concatenate(first), np.concatenate(last)

    return skip_costs(segment.slots_between(gaps), config.search.epsilon_floor)


def inside_ecf(
    recording: Int64s,
    start_ms: Int64s,
    end_ms: Int64s,
    *,
    recordings: Sequence[Recording],
    excerpts: Sequence[Excerpt] | None,
) -> Bools:
    """The ECF filter: (n,) which spans lie inside the speech that is searched.

    Args:
        recording: (n,) index into ``recordings``.
        start_ms: (n,)
        end_ms: (n,)
        recordings: the table that spans point into.
        excerpts: of the ECF; None = everything is searched.
    """
    if excerpts is None:
        return np.ones(len(recording), dtype=bool)
    return inside_one(excerpts, recordings, recording, start_ms / 1000, end_ms / 1000)
