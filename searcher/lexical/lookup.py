"""What one segment says to a search: look up, join, fence, merge. Needs no other segment, because
all of a recording lies in one: it runs here, in a worker process or on another machine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from searcher.candidates import Candidates, concatenate
from searcher.lexical.deduplicate import merge
from searcher.lexical.join import SkipCost, join, single, skip_costs
from searcher.lexical.wildcards import Union, is_wildcard, spelt, union
from searcher.variant import Variant
from std.config import Config
from std.ecf_filter import inside_one
from std.execution.workers import Executor
from std.store import Segment
from std.store.columns import Int64s, Postings, UInt64s
from std.values import Bools, Excerpt, Float64s, Recording


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What is looked up in every segment."""

    variants: tuple[Variant, ...]
    term_of_variant: Int64s  # (variants,) ascending
    config: Config
    excerpts: Sequence[Excerpt] | None
    wildcards: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # what each stands for
    first_variant: int = 0  # of a piece: its place in the whole plan

    def pieces(self, segments: Sequence[Segment], workers: Executor) -> "list[Plan]":
        """Parts that no term straddles, so that few segments keep many workers busy."""
        n_terms = int(self.term_of_variant.max(initial=-1)) + 1
        n = max(1, min(n_terms, -(-workers.workers // max(1, len(segments)))))
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


class InSegment(NamedTuple):
    """What one segment says to a plan."""

    known: set[str]  # the words looked up that it has, and the wildcards that fit one
    candidates: Candidates  # merged; numbers are the piece's and the segment's own
    spelt: tuple[Variant, ...]  # of wildcards: further variants, numbered behind the plan's
    outside: int  # candidates left out because they lie outside the ECF


def in_segment(task: tuple[Plan, Segment]) -> InSegment:
    """Look up a plan's variants in one segment, here or in a worker.

    Merging needs no other segment: all of a recording lies in one.
    """
    plan, segment = task
    words = {word for one in plan.variants for word in one.words}
    postings = segment.postings(
        {stands for word in words for stands in plan.wildcards.get(word, (word,))}
    )
    known, unions = set(postings), {}
    for pattern in words & plan.wildcards.keys():
        if here := {word: postings[word] for word in plan.wildcards[pattern] if word in postings}:
            unions[pattern] = union(here)
            known.add(pattern)
    candidates, spelt_out = look_up(plan, postings, unions, segment)
    inside = fence(
        candidates.recording,
        candidates.start_ms,
        candidates.end_ms,
        recordings=[one.recording for one in segment.recordings],
        excerpts=plan.excerpts,
    )
    merged = merge(candidates.rows(inside))
    merged = merged.rows(merged.score >= plan.config.search.min_score)
    outside = int(len(inside) - np.count_nonzero(inside))
    return InSegment(known, merged, spelt_out, outside)


def look_up(
    plan: Plan, postings: Mapping[str, Postings], unions: Mapping[str, Union], segment: Segment
) -> tuple[Candidates, tuple[Variant, ...]]:
    """All candidates of all variants in one segment, as their postings say, unmerged.

    Returns:
        candidates, and the variants that wildcards became here, numbered behind the plan's.
    """
    joined = {**postings, **{pattern: one.postings for pattern, one in unions.items()}}
    present = [
        (i, [joined[word] for word in one.words])
        for i, one in enumerate(plan.variants)
        if all(word in joined for word in one.words)
    ]
    config = plan.config
    skip_cost = _skip_cost([words for _, words in present if len(words) > 1], segment, config)
    parts: list[Candidates] = []
    spelt_out: list[Variant] = []
    for i, words in present:
        place = single(words[0]) if len(words) == 1 else join(words, skip_cost, config.search)
        variant, n = plan.variants[i], len(place.recording)
        number = np.full(n, i)
        if n and not unions.keys().isdisjoint(variant.words):
            sequences, which = spelt(variant.words, place.slots, unions)
            number = len(plan.variants) + len(spelt_out) + which
            spelt_out += [_spelt_out(variant, one) for one in sequences]
        parts.append(
            Candidates(
                term=np.full(n, plan.term_of_variant[i]),
                variant=number,
                recording=place.recording,
                start_ms=place.start_ms,
                end_ms=place.end_ms,
                score=place.posterior * variant.similarity,
                family=np.full(n, i),
                first_slot=place.slots[:, 0],
                last_slot=place.slots[:, -1],
            )
        )
    return concatenate(parts), tuple(spelt_out)


def _spelt_out(variant: Variant, words: tuple[str, ...]) -> Variant:
    """A variant with wildcards, with the words that stand for them."""
    pairs = zip(variant.words, words, strict=True)
    how = ", ".join(f"{asked} as {word}" for asked, word in pairs if is_wildcard(asked))
    return replace(variant, words=words, how=how)


def _skip_cost(phrases: Sequence[Sequence[Postings]], segment: Segment, config: Config) -> SkipCost:
    """What skipping slots costs, fetched once for all places where a phrase skips some."""

    def gaps() -> tuple[Int64s, Int64s]:
        """First and last slot of each gap, by a join that only takes note of them."""
        first, last = [np.empty(0, np.int64)], [np.empty(0, np.int64)]

        def note(
            gap_start: UInt64s, gap_end: UInt64s, left_slot: Int64s, right_slot: Int64s
        ) -> Float64s:
            skips = (gap_start <= gap_end) & (left_slot + 1 < right_slot)
            first.append(left_slot[skips])
            last.append(right_slot[skips])
            return np.zeros(len(gap_start))

        for words in phrases:
            join(words, note, config.search)
        return np.concatenate(first), np.concatenate(last)

    return skip_costs(segment.slots_between(gaps), config.search.epsilon_floor)


def fence(
    recording: Int64s,
    start_ms: Int64s,
    end_ms: Int64s,
    *,
    recordings: Sequence[Recording],
    excerpts: Sequence[Excerpt] | None,
) -> Bools:
    """(n,) which places lie inside the speech that is searched."""
    if excerpts is None:
        return np.ones(len(recording), dtype=bool)
    return inside_one(excerpts, recordings, recording, start_ms / 1000, end_ms / 1000)
