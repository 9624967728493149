"""Lexical search of one segment: look up, join, ECF filter, deduplicate.

search_segment   a plan and a segment -> candidates
    look_up          some terms at a time -> all their candidates
    settle           the candidates inside the ECF, without duplicates; the words of wildcards

A recording is completely in one segment, so segments are searched independently: in this process,
in a worker process or on another machine. Terms with many candidates are deduplicated one by one to
limit memory.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from searcher.index.searched_speech import SpokenBy, inside_ecf
from searcher.lexical.deduplicate import deduplicate
from searcher.lexical.join import SkipCost, join, single_word, skip_costs
from searcher.results.candidates import Candidates, TermPlaces, concatenate
from searcher.terms.request import Variant
from searcher.terms.wildcards import Union, is_wildcard, spell_out, spelt, union
from std.config import Config
from std.errors import StdError
from std.execution.stop import check_stop
from std.execution.workers import Executor
from std.languages.spelling import explained
from std.store import Segment
from std.store.columns import Postings
from std.text import bare
from std.values import Excerpt, Float64s, Int64s, UInt64s

SETTLED_AT_ONCE = 500_000  # candidates, or those of one term
TYPED = 0.999  # factor of the posterior of a word that is typed otherwise: it ranks second


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The look-ups in every segment."""

    variants: tuple[Variant, ...]
    term_of_variant: Int64s  # (variants,) ascending
    config: Config
    excerpts: Sequence[Excerpt] | None
    # The words that a word with *, or with several spellings in the index, stands for.
    stands_for: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    typed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # words that are typed so
    first_variant: int = 0  # of a piece: its position in the whole plan
    spoken_by: SpokenBy | None = None  # None = all speakers

    def pieces(self, segments: Sequence[Segment], workers: Executor) -> "list[Plan]":
        """Divide the plan between terms, so that few segments keep many workers busy."""
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


class SpeltOut(NamedTuple):
    """The words at the places of a variant with wildcards."""

    variant: Variant
    first: int  # number of its first sequence
    sequences: Int64s  # (k, wildcards) see `searcher.terms.wildcards.spell_out`


class LookedUp(NamedTuple):
    """All candidates of some terms in one segment, before deduplication."""

    candidates: Candidates  # variants after the plan's are sequences of wildcards' words
    spelt_out: tuple[SpeltOut, ...]
    cut: frozenset[int]  # terms of which only the likeliest places are here


def search_segment(task: tuple[Plan, Segment]) -> TermPlaces:
    """Look up a plan's variants in one segment, here or in a worker."""
    plan, segment = task
    words = {word for variant in plan.variants for word in variant.words}
    postings = segment.postings(
        {stands for word in words for stands in plan.stands_for.get(word, (word,))}
    )
    found_words, unions = set(postings), {}
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
            found_words.add(pattern)
    parts: list[Candidates] = []
    wildcard_variants: list[Variant] = []
    outside, cut, n = 0, frozenset[int](), 0
    for found in look_up(plan, postings, unions, segment):
        kept, variants, outside_here = settle(plan, found, unions, segment, len(wildcard_variants))
        parts.append(kept)
        wildcard_variants += variants
        outside += outside_here
        cut |= found.cut
        n += len(kept.term)
        require_few(n, plan.config)
    candidates = concatenate(parts)
    return TermPlaces(candidates, tuple(wildcard_variants), found_words, outside, cut)


def require_few(n_candidates: int, config: Config) -> None:
    """Refuse a search that needs too much memory.

    Raises:
        StdError: it has more candidates than ``config`` allows.
    """
    most = config.search.max_candidates
    if n_candidates > most:
        raise StdError(
            f"expected a search with at most {most:,} places of all its terms, got more: search "
            "fewer or rarer terms at once, or raise [search] max_candidates"
        )


def look_up(
    plan: Plan, postings: Mapping[str, Postings], unions: Mapping[str, Union], segment: Segment
) -> Iterator[LookedUp]:
    """All candidates of all variants in one segment, some terms at a time.

    Args:
        segment: to fetch the slots that phrases skip.
    """
    joined = {**postings, **{pattern: words.postings for pattern, words in unions.items()}}
    present = [
        (i, [joined[word] for word in variant.words])
        for i, variant in enumerate(plan.variants)
        if variant.words and all(word in joined for word in variant.words)
    ]
    config = plan.config.search
    skip_cost = _skip_cost([words for _, words in present if len(words) > 1], segment, plan.config)
    parts: list[Candidates] = []
    spelt_out: list[SpeltOut] = []
    cut: set[int] = set()
    total, sequences = 0, len(plan.variants)
    for k, (i, words) in enumerate(present):
        check_stop()
        variant, term = plan.variants[i], int(plan.term_of_variant[i])
        spans = single_word(words[0]) if len(words) == 1 else join(words, skip_cost, config)
        if any(map(is_wildcard, unions.keys() & set(variant.words))):
            spans = spans.likeliest(config.max_places)
        if spans.is_cut:
            cut.add(term)
        if n := len(spans.recording):
            number = np.full(n, i)
            if not unions.keys().isdisjoint(variant.words):
                chosen, which = spell_out(variant.words, spans.slots, unions)
                spelt_out.append(SpeltOut(variant, sequences, chosen))
                number = sequences + which
                sequences += len(chosen)
            parts.append(
                Candidates(
                    term=np.full(n, term),
                    variant=number,
                    recording=spans.recording,
                    start_ms=spans.start_ms,
                    end_ms=spans.end_ms,
                    probability=spans.posterior * variant.similarity,
                    family=np.full(n, i),
                    first_slot=spans.slots[:, 0],
                    last_slot=spans.slots[:, -1],
                )
            )
        total += n
        is_last = k + 1 == len(present) or int(plan.term_of_variant[present[k + 1][0]]) != term
        if is_last and total >= SETTLED_AT_ONCE:
            yield LookedUp(concatenate(parts), tuple(spelt_out), frozenset(cut))
            parts, spelt_out, cut, total = [], [], set(), 0
            sequences = len(plan.variants)
    yield LookedUp(concatenate(parts), tuple(spelt_out), frozenset(cut))


def settle(
    plan: Plan, found: LookedUp, unions: Mapping[str, Union], segment: Segment, n_wildcard: int
) -> tuple[Candidates, list[Variant], int]:
    """The remaining candidates of some terms: inside the ECF, one per event.

    Args:
        n_wildcard: number of earlier variants of wildcards; numbers continue after them.

    Returns:
        candidates; the variants of their wildcards; candidates outside the ECF.
    """
    candidates, n = found.candidates, len(plan.variants)
    inside = np.ones(len(candidates.term), bool)
    if plan.excerpts is not None:
        inside = inside_ecf(
            candidates.recording,
            candidates.start_ms,
            candidates.end_ms,
            recordings=[indexed.recording for indexed in segment.recordings],
            excerpts=plan.excerpts,
        )
    if plan.spoken_by:
        slots = candidates.first_slot, candidates.last_slot
        inside = inside & plan.spoken_by.fits(segment, candidates.recording, *slots)
    kept = deduplicate(candidates.rows(inside))
    kept = kept.rows(kept.probability >= plan.config.search.min_posterior)
    outside = int(len(inside) - np.count_nonzero(inside))
    if not found.spelt_out:
        return kept, [], outside
    used = np.unique(kept.variant[kept.variant >= n])
    variants: list[Variant] = []
    for variant, first, sequences in found.spelt_out:
        mine = used[(used >= first) & (used < first + len(sequences))] - first
        variants += [
            _wildcard_variant(variant, words)
            for words in spelt(variant.words, sequences[mine], unions)
        ]
    numbers = n + n_wildcard + np.searchsorted(used, kept.variant)
    return (
        kept._replace(variant=np.where(kept.variant < n, kept.variant, numbers)), variants, outside
    )  # fmt: skip


def _second(postings: Postings) -> Postings:
    """Postings of a word that is typed like another one, which ranks first."""
    return postings._replace(posterior=postings.posterior * np.float32(TYPED))


def _wildcard_variant(variant: Variant, words: tuple[str, ...]) -> Variant:
    """A variant with wildcards, with the words that stand for them."""
    told = map(_told, variant.words, words)
    return Variant(words, variant.similarity, variant.method, ", ".join(filter(None, told)))


@lru_cache(maxsize=1 << 14)
def _told(asked: str, word: str) -> str:
    """Describe the words that a word of a term stands for; empty if only itself."""
    return explained(asked, word) if bare(asked) != bare(word) else ""


def _skip_cost(phrases: Sequence[Sequence[Postings]], segment: Segment, config: Config) -> SkipCost:
    """The costs of skipped slots, fetched once for all phrases."""

    def gaps() -> tuple[Int64s, Int64s]:
        """Record the first and last slot of each gap."""
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
