"""The candidates of several searches of the same terms -> one list.

fuse              the candidates of several searches -> one list
    same_places       finds the candidates that are one event
    pool              their probabilities -> one              (`searcher.fusion.pooling`)

Candidates of one term and recording are one event if their middles are less than half a second
apart, NIST's matching tolerance. A place has at most one candidate of each recogniser, because each
search has removed its duplicates. The most probable candidate is first paired with its nearest
partner of each other recogniser.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from searcher.fusion.pooling import SURENESS, pool, weights
from searcher.index.copies import NO_COPIES, Copies
from searcher.lexical.deduplicate import SAME_EVENT_MS
from searcher.results.candidates import Candidates, concatenate, in_order
from searcher.results.hits import Finding, FusedVariant
from searcher.results.search_result import TermCandidates
from searcher.terms.request import Variant
from searcher.terms.wildcards import Expansion
from std.execution.stop import check_stop
from std.values import Bools, Float64s, Int64s, Recording


def same_places(candidates: Candidates, recogniser: Int64s) -> Int64s:
    """(n,) the place of each candidate: equal numbers are one event.

    Places are numbered by term, recording and start of their most probable candidate.

    Args:
        candidates: (n,) of all recognisers, in any order; with probabilities.
        recogniser: (n,) that found each.
    """
    term, recording = candidates.term, candidates.recording
    twice_middle = candidates.start_ms + candidates.end_ms
    by_rank = np.lexsort(
        (recogniser, candidates.end_ms, candidates.start_ms, -candidates.probability)
    )
    rank = np.empty(len(term), np.int64)  # 0: the most probable
    rank[by_rank] = np.arange(len(term))
    left = np.lexsort((rank, twice_middle, recording, term))
    group = _groups(term[left], recording[left], twice_middle[left])
    best_of_place = np.empty(len(term), np.int64)
    while len(left):
        order = np.lexsort((rank[left], group))
        left, group = left[order], group[order]
        is_best = np.ones(len(left), bool)
        is_best[1:] = group[1:] != group[:-1]
        best = left[is_best][np.cumsum(is_best) - 1]
        distance = np.abs(twice_middle[left] - twice_middle[best])
        is_near = (distance < 2 * SAME_EVENT_MS) & (recogniser[left] != recogniser[best])
        near = np.flatnonzero(is_near)
        near = near[
            np.lexsort((rank[left[near]], distance[near], recogniser[left[near]], group[near]))
        ]
        key = np.stack([group[near], recogniser[left[near]]])
        is_nearest = np.ones(len(near), bool)
        is_nearest[1:] = (key[:, 1:] != key[:, :-1]).any(axis=0)
        taken = is_best.copy()
        taken[near[is_nearest]] = True
        best_of_place[left[taken]] = best[taken]
        left, group = left[~taken], group[~taken]
    firsts = np.unique(best_of_place)
    firsts = firsts[
        np.lexsort((rank[firsts], candidates.start_ms[firsts], recording[firsts], term[firsts]))
    ]
    number = np.empty(len(term), np.int64)
    number[firsts] = np.arange(len(firsts))
    places: Int64s = number[best_of_place]
    return places


def _groups(term: Int64s, recording: Int64s, twice_middle: Int64s) -> Int64s:
    """(n,) number of the run without a gap that no place reaches over.

    Args:
        term, recording, twice_middle: (n,) ordered by all three.
    """
    is_first = np.ones(len(term), bool)
    is_first[1:] = (
        (term[1:] != term[:-1])
        | (recording[1:] != recording[:-1])
        | (np.diff(twice_middle) >= 2 * SAME_EVENT_MS)
    )
    return np.cumsum(is_first) - 1


class FusedRecogniser(NamedTuple):
    """The candidates and the doubts of one recogniser."""

    store: str  # its URL
    found: TermCandidates
    doubt: Mapping[Recording, float]  # of each recording that its index has


def fuse(
    recognisers: Sequence[FusedRecogniser], copies: Copies = NO_COPIES, sureness: float = SURENESS
) -> TermCandidates:
    """One list of candidates, with one probability for each place.

    The pooled probability of a recogniser includes its own probability that the term occurs. The
    fused probability that the term occurs is the highest of all recognisers.

    Args:
        recognisers: the candidates of each for the same terms, in an order that does not depend on
            the user's, because of equal candidates the first is shown.
        sureness: the power of doubts in weights (`searcher.fusion.pooling`).
    """
    recognisers = [one._replace(found=one.found.under_each_name()) for one in recognisers]
    every = [recogniser.found for recogniser in recognisers]
    recordings = tuple(sorted({one for found in every for one in found.recordings}))
    parts = _with_doubts(every, recordings)
    occurs = np.max([found.occurs for found in every], axis=0)
    joined = concatenate(parts)
    sizes = [len(part.term) for part in parts]
    rows = place_table(joined, np.repeat(np.arange(len(parts)), sizes), len(parts))
    probability = np.where(rows >= 0, np.append(joined.probability, 0.0)[rows], 0.0)
    of_each = np.concatenate([*(found.probability for found in every), [0.0]])
    shown = np.where(rows >= 0, of_each[rows], 0.0)
    doubts = _doubts(recognisers, recordings)[joined.recording[rows.max(axis=1)]]
    weight = weights(doubts, sureness)
    best = np.where(rows >= 0, probability, -1.0).argmax(axis=1)
    chosen = rows[np.arange(len(rows)), best]
    numbers = np.arange(len(rows))
    if_occurring = np.minimum(pool(probability, weight) / occurs[joined.term[chosen]], 1.0)
    candidates = joined.rows(chosen)._replace(
        probability=if_occurring, variant=numbers, family=numbers
    )
    candidates = in_order(_of_originals(candidates, recordings, copies))
    firsts = np.cumsum([0, *sizes])[:-1]
    return replace(
        every[0],
        oov_words=_missing_in_all([found.oov_words for found in every]),
        wildcards=_combined([found.wildcards for found in every]),
        variants=_variants(recognisers, rows - firsts, best, rows >= 0, shown, weight),
        recordings=recordings,
        candidates=candidates,
        occurs=occurs,
        probability=pool(shown, weight)[candidates.variant],
        is_calibrated=all(found.is_calibrated for found in every),
        outside_ecf=sum(found.outside_ecf for found in every),
        without_phones=tuple(language for found in every for language in found.without_phones),
        without_model=tuple(dict.fromkeys(one for found in every for one in found.without_model)),
        segments=tuple(segment for found in every for segment in found.segments),
        copies=copies,
        cut=frozenset().union(*(found.cut for found in every)),
        seconds=sum(found.seconds for found in every),
    )


def _with_doubts(
    every: Sequence[TermCandidates], recordings: Sequence[Recording]
) -> list[Candidates]:
    """Each recogniser's candidates with its doubt whether their term occurs; in one table."""
    row_of = {recording: row for row, recording in enumerate(recordings)}
    return [
        found.candidates._replace(
            recording=np.array([row_of[one] for one in found.recordings], np.int64)[
                found.candidates.recording
            ],
            probability=found.candidates.probability * found.occurs[found.candidates.term],
        )
        for found in every
    ]


def _of_originals(
    candidates: Candidates, recordings: Sequence[Recording], copies: Copies
) -> Candidates:
    """The candidates without those of copies."""
    if not copies:
        return candidates
    is_original = np.array([recording not in copies for recording in recordings], bool)
    return candidates.rows(is_original[candidates.recording])


def place_table(candidates: Candidates, recogniser: Int64s, n: int) -> Int64s:
    """(places, n) the row of each recogniser's candidate; -1 without one.

    Args:
        candidates: (m,) of all recognisers.
        recogniser: (m,) that found each.
    """
    place = same_places(candidates, recogniser)
    rows = np.full((int(place.max(initial=-1)) + 1, n), -1)
    rows[place, recogniser] = np.arange(len(place))
    return rows


def _doubts(recognisers: Sequence[FusedRecogniser], recordings: Sequence[Recording]) -> Float64s:
    """(recordings, recognisers) the doubt of each; infinity where an index lacks it."""
    return np.array(
        [[one.doubt.get(recording, np.inf) for one in recognisers] for recording in recordings]
    ).reshape(len(recordings), len(recognisers))


def _variants(
    recognisers: Sequence[FusedRecogniser],
    rows: Int64s,
    best: Int64s,
    is_found: Bools,
    probability: Float64s,
    weight: Float64s,
) -> tuple[FusedVariant, ...]:
    """The findings of all recognisers at each place, as its variant.

    Args:
        recognisers: n recognisers.
        rows: (places, n) the row of each recogniser's candidate, if it has one.
        best: (places,) the recogniser whose candidate has the times and slots of the place.
        is_found: (places, n) whether each recogniser has a candidate.
        probability: (places, n) the probability of each.
        weight: (places, n) the weight of each.
    """
    none = Variant((), method="")
    names = short_names([one.store for one in recognisers])
    numbers = [one.found.candidates.variant for one in recognisers]
    variants = []
    table = (rows, best, is_found, probability, weight)
    for place, surest, found, probabilities, shares in zip(
        *(column.tolist() for column in table), strict=True
    ):
        check_stop()
        own = [
            recognisers[k].found.variants[int(numbers[k][row])] if found[k] else none
            for k, row in enumerate(place)
        ]
        findings = [
            Finding(one.store, share, p, " ".join(variant.words), variant.method, variant.how)
            for one, share, p, variant in zip(recognisers, shares, probabilities, own, strict=True)
        ]
        order = np.lexsort((-np.array(probabilities), ~np.array(found))).tolist()
        found_by = tuple(findings[k] for k in order)
        variants.append(
            FusedVariant(
                own[surest].words,
                own[surest].similarity,
                own[surest].method,
                described(found_by, names),
                surest,
                found_by,
            )
        )
    return tuple(variants)


def described(found_by: Sequence[Finding], names: Mapping[str, str]) -> str:
    """A description of the findings of each recogniser at a place.

    Args:
        found_by: the most probable first.

    >>> described([Finding("out/A", 0.7, 0.93, "land kreis", "split", ""),
    ...            Finding("out/B", 0.3, 0.0, "", "", "")], {"out/A": "A", "out/B": "B"})
    "found by A as 'land kreis' (split, 0.930), not by B"
    """
    by = [
        f"by {names[one.store]} as {one.searched!r} ({one.method}, {one.probability:.3f})"
        for one in found_by
        if one.method
    ]
    not_by = [f"not by {names[one.store]}" for one in found_by if not one.method and one.weight]
    return "found " + ", ".join(by + not_by)


def short_names(stores: Sequence[str]) -> dict[str, str]:
    """The last part of each URL; the whole URLs, if the last parts are not distinct.

    >>> short_names(["index/whisper", "index/sphinx/"])
    {'index/whisper': 'whisper', 'index/sphinx/': 'sphinx'}
    """
    last = [store.rstrip("/").rpartition("/")[2] for store in stores]
    names = last if len(set(last)) == len(stores) else stores
    return dict(zip(stores, names, strict=True))


def _missing_in_all(oov_words: Sequence[Sequence[tuple[str, ...]]]) -> tuple[tuple[str, ...], ...]:
    """The words of each term that no recogniser knows."""
    return tuple(
        tuple(word for word in of_term[0] if all(word in other for other in of_term[1:]))
        for of_term in zip(*oov_words, strict=True)
    )


def _combined(expansions: Sequence[Mapping[str, Expansion]]) -> dict[str, Expansion]:
    """The words that each wildcard stands for in any of the indexes."""
    combined: dict[str, Expansion] = {}
    for of_index in expansions:
        for pattern, expansion in of_index.items():
            known = combined.get(pattern, Expansion((), 0))
            words = tuple(dict.fromkeys((*known.words, *expansion.words)))
            limited = known.limited or expansion.limited
            fitting = max(known.fitting, expansion.fitting, len(words))
            combined[pattern] = Expansion(words, fitting, limited)
    return combined
