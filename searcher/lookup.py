"""What one segment says to a search: look up, join, fence, merge. Needs no other segment, because
all of a recording lies in one: it runs here, in a worker process or on another machine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from searcher.candidates import Candidates, concatenate
from searcher.join import SkipCost, join, single, skip_costs
from searcher.merge import merge
from searcher.variant import Variant
from std.cluster import Executor
from std.config import Config
from std.excerpts import inside_one
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

    known: set[str]  # the variants' words that it has
    candidates: Candidates  # merged; recordings are rows of the segment's table
    outside: int  # candidates left out because they lie outside the ECF


def in_segment(task: tuple[Plan, Segment]) -> InSegment:
    """Look up a plan's variants in one segment, here or in a worker.

    Merging needs no other segment: all of a recording lies in one.
    """
    plan, segment = task
    postings = segment.postings({word for one in plan.variants for word in one.words})
    candidates = look_up(plan.variants, plan.term_of_variant, postings, segment, plan.config)
    candidates = candidates._replace(variant=candidates.variant + plan.first_variant)
    inside = fence(
        candidates.recording,
        candidates.start_ms,
        candidates.end_ms,
        recordings=[one.recording for one in segment.recordings],
        excerpts=plan.excerpts,
    )
    merged = merge(candidates.rows(inside))
    merged = merged.rows(merged.score >= plan.config.search.min_score)
    return InSegment(set(postings), merged, int(len(inside) - np.count_nonzero(inside)))


def look_up(
    variants: Sequence[Variant],
    term_of_variant: Int64s,
    postings: Mapping[str, Postings],
    segment: Segment,
    config: Config,
) -> Candidates:
    """All candidates of all variants in one segment, as their postings say, unmerged."""
    present = [
        (i, [postings[word] for word in one.words])
        for i, one in enumerate(variants)
        if all(word in postings for word in one.words)
    ]
    skip_cost = _skip_cost([words for _, words in present if len(words) > 1], segment, config)
    parts = []
    for i, words in present:
        place = single(words[0]) if len(words) == 1 else join(words, skip_cost, config.search)
        n = len(place.recording)
        parts.append(
            Candidates(
                np.full(n, term_of_variant[i]),
                np.full(n, i),
                place.recording,
                place.start_ms,
                place.end_ms,
                place.posterior * variants[i].similarity,
            )
        )
    return concatenate(parts)


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
