"""Which places are one event: found by words and by phones or examples, or of what a query may be.

pair_with_hits   candidates and hits of a term -> both as one table of evidence
mixed            candidates of what a spoken query may be -> those of the query
with_examples    candidates of terms, and what their examples say -> those by both
    candidates_of    the candidates of some terms, which their examples are compared with

A spoken query is one of its alternatives, each of them a written term, or another word that sounds
alike. So the probability of a place is a sum over these: the probability that the query is this one
and that this one was said there:

    p(place) = sum of w_a o_a p_a(place) / sum of w_a o_a

w_a is the probability that the query is a (`searcher.terms.variants.as_terms`), o_a that a occurs.
Places of several alternatives exclude each other. If an alternative is frequent, places of its
words do not make it more probable that the query is this alternative.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import exp
from typing import TYPE_CHECKING

import numpy as np

from searcher.calibration.occurring_terms import (
    NOT_SEARCHED,
    SAID,
    occurs_by_itself,
    said_again_evidence,
    term_occurrence,
)
from searcher.calibration.weights import BothWeights, by_both
from searcher.evidence.features import Paired, hit_features, no_hit
from searcher.lexical.deduplicate import (
    SAME_EVENT_MS,
    best_first,
    is_same_event,
    overlap,
    overlap_groups,
)
from searcher.phonetic.archive import SearchedArchive
from searcher.phonetic.layout import SAME_PLACE_MS, SCORE, PhoneticHits
from searcher.phonetic.path_words import explained, path_words, together
from searcher.results.candidates import NO_SLOT, Candidates, TermPlaces, concatenate, in_order
from searcher.results.hits import BY_SOUND, BY_WORDS, Finding, FusedVariant
from searcher.results.search_result import TermCandidates
from searcher.terms.request import Request, Variant
from std.errors import quoted
from std.numbers import counted
from std.store.columns import Int64s
from std.values import Float64s, Recording, SearchMode, Term, ranges

if TYPE_CHECKING:  # it loads kernels that other searches do not need
    from searcher.examples.find import PlacesByExamples

NO_HIT_SCORE = -5.0  # below that of any hit
LEAST = 1e-3  # probability of a place of a spoken query
MOST_SAID = 1 - 1e-9  # probability that a query is said
PRIOR_LOG_ODDS = float(np.log(SAID / (1 - SAID)))


def pair_with_hits(
    words: Sequence[str],
    lexical: Candidates,
    hits: PhoneticHits,
    searched: SearchedArchive,
    variants: Sequence[Variant] = (),
) -> Paired:
    """Pair each lexical candidate of a term with the best hit near it that no other has.

    Hits outside the searched speech are evidence for candidates and other hits; they are not
    places.

    Args:
        words: the words of the term as it is spelt; none if it was spoken.
        hits: the hits of the term, best first.
        variants: the variants that candidates point into; none if all are the term's own words.
    """
    archive = searched.archive
    of_hits = path_words(hits, searched.words)
    features = hit_features(words, hits, of_hits, searched)
    candidate, hit = near_pairs(lexical, hits)
    partner = np.full(len(lexical.term), -1)
    is_free = np.ones(len(hits.recording), dtype=bool)
    for i, j in zip(candidate.tolist(), hit.tolist(), strict=True):
        if partner[i] < 0 and is_free[j]:
            partner[i], is_free[j] = j, False
    is_near = np.zeros(len(hits.recording), dtype=bool)
    is_near[hit] = True
    unpaired = np.flatnonzero(~is_near & hits.is_inside)
    rows = np.concatenate([partner, unpaired])
    is_heard = rows >= 0
    columns = {}
    for name, column in features.items():
        columns[name] = np.full(len(rows), no_hit(name, archive))
        columns[name][is_heard] = column[rows[is_heard]]
    by_words = [variants[i].words if variants else () for i in lexical.variant.tolist()]
    paths = [of_hits[row] if row >= 0 else by_words[i] for i, row in enumerate(rows.tolist())]
    score = np.full(len(rows), NO_HIT_SCORE)
    score[is_heard] = hits.measures[rows[is_heard], SCORE]
    return Paired(
        np.concatenate([lexical.probability, np.zeros(len(unpaired))]),
        score,
        columns,
        explained(words, paths, together(paths, searched.words, exp(archive.log_slots))),
        unpaired,
        archive.highest_posterior,
        searched.log_chances,
    )


def near_pairs(lexical: Candidates, hits: PhoneticHits) -> tuple[Int64s, Int64s]:
    """(pairs,) rows of candidates and of hits that overlap with their middles near each other.

    Args:
        hits: among them any of the same recording.

    Returns:
        pairs, ordered by candidate, then by hit.
    """
    of_recording = np.argsort(hits.recording, kind="stable")
    recordings = hits.recording[of_recording]
    first = np.searchsorted(recordings, lexical.recording, side="left")
    last = np.searchsorted(recordings, lexical.recording, side="right")
    candidate, place = ranges(first, last)
    hit = of_recording[place]  # of one recording ascending: the sort is stable
    start, end = lexical.start_ms[candidate], lexical.end_ms[candidate]
    hit_start, hit_end = hits.start_ms[hit], hits.end_ms[hit]
    is_near = np.abs(hit_start + hit_end - start - end) < 2 * SAME_PLACE_MS
    is_near &= overlap(hit_start, hit_end, start, end)
    return candidate[is_near], hit[is_near]


def mixed(request: Request, found: TermPlaces) -> TermPlaces:
    """The candidates of spoken queries, from those of their alternatives.

    Args:
        found: the places of all of them, calibrated.

    Returns:
        the same of written terms and spoken queries.
    """
    candidates, log_evidence = found.candidates, found.log_evidence
    written = len(request.written) - len(request.alternatives)
    row_of = {words: written + i for i, words in enumerate(request.alternatives)}
    bounds = np.searchsorted(candidates.term, np.arange(len(request.words) + 1)).tolist()
    is_searched = ~np.isnan(log_evidence)
    occurs = np.where(is_searched, occurs_by_itself(log_evidence), 0.0)
    table, parts = list(found.variants), [candidates.rows(slice(0, bounds[written]))]
    evidence = [*log_evidence[:written].tolist()]
    for number, alternatives in enumerate(request.spoken):
        itself = len(request.written) + number
        weights = {row_of[words]: weight for words, weight in alternatives}
        shares = {row: weight * float(occurs[row]) for row, weight in weights.items()}
        if is_searched[itself]:
            shares[itself] = 1 - sum(weights.values())  # said, whether it is found or not
        said = sum(shares.values())
        if not said:
            searched = is_searched[[itself, *weights]].any()
            evidence.append(-np.inf if searched else NOT_SEARCHED)
            continue
        probable = min(said, MOST_SAID)
        evidence.append(float(np.log(probable / (1 - probable))) - PRIOR_LOG_ODDS)
        of_parts = {row: candidates.rows(slice(bounds[row], bounds[row + 1])) for row in shares}
        of_query = _one_of_each_place(of_parts, {row: one / said for row, one in shares.items()})
        parts.append(_with_weights(of_query, weights, written + number, table))
    return found._replace(
        candidates=concatenate(parts),
        variants=tuple(table),
        log_evidence=np.array(evidence),
        is_oov=(found.is_oov & ~request.of_queries)[: len(evidence)],
    )


def _one_of_each_place(
    of_parts: Mapping[int, Candidates], shares: Mapping[int, float]
) -> Candidates:
    """The likeliest candidate of each place, with the probability of all that stand there."""
    parts = [
        one._replace(probability=shares[row] * one.probability) for row, one in of_parts.items()
    ]
    every = concatenate(parts)
    own, every = every.term, every._replace(term=np.zeros(len(every.term), np.int64))
    order = np.lexsort((every.start_ms, every.recording))
    own, every = own[order], every.rows(order)
    if not len(own):
        return every
    best = np.lexsort((every.start_ms, -every.probability))
    owner = best_first(every, overlap_groups(every), best, is_same_event)
    # An alternative counts once at a place: with its best candidate.
    first = np.unique(np.stack([owner[best], own[best]]), axis=1, return_index=True)[1]
    some = best[first]
    total = np.bincount(owner[some], every.probability[some], minlength=len(own))
    kept = np.flatnonzero((owner == np.arange(len(own))) & (total >= LEAST))
    return every._replace(probability=np.minimum(total, 1.0), term=own).rows(kept)


def _with_weights(
    places: Candidates, weights: Mapping[int, float], term: int, table: list[Variant]
) -> Candidates:
    """Places of a query: variants of alternatives say what the query may be, and how probably.

    Args:
        places: with the rows of the alternatives as terms.
        weights: the probability of each.
        term: the row of the query.
        table: variants; those of the query are appended.
    """
    number = places.variant.copy()
    pairs = np.unique(np.stack([places.term, places.variant]), axis=1).T.tolist()
    for row, variant in pairs:
        one = table[variant]
        if row in weights and one.method == "exact":
            weighed = Variant(one.words, weights[row], "spoken", " ".join(one.words))
            number[(places.term == row) & (places.variant == variant)] = len(table)
            table.append(weighed)
    return in_order(
        places._replace(term=np.full(len(places.term), term), variant=number, family=number)
    )


def candidates_of(terms: Sequence[Term], words: TermCandidates) -> list[Candidates]:
    """The candidates that words have of some of their terms.

    Raises:
        ValueError: a term has no words.
    """
    row_of = {one.term_id: row for row, one in enumerate(words.terms)}
    if other := next((one.term_id for one in terms if one.term_id not in row_of), None):
        known = counted(len(row_of), "term")
        raise ValueError(f"expected the id of one of {known} with words, got {quoted(other)}")
    bounds = np.searchsorted(words.candidates.term, np.arange(len(row_of) + 1)).tolist()
    rows = [row_of[one.term_id] for one in terms]
    return [words.candidates.rows(slice(bounds[row], bounds[row + 1])) for row in rows]


def with_examples(
    words: TermCandidates,
    by_examples: "Sequence[PlacesByExamples]",
    weights: BothWeights,
    mode: SearchMode,
) -> TermCandidates:
    """The candidates of terms by words and by examples, each place once.

    Args:
        words: what was found by words, under each name; terms without examples keep it.
        by_examples: what the examples of some of the terms say.
    """
    own = candidates_of([one.term for one in by_examples], words)
    row_of = {one.term_id: row for row, one in enumerate(words.terms)}
    rows = np.array([row_of[one.term.term_id] for one in by_examples], np.int64)
    places, sound = [], []
    for row, of_words, one in zip(rows.tolist(), own, by_examples, strict=True):
        both = each_place_once(of_words, one, words.recordings)
        places.append(both[0]._replace(term=np.full(len(both[1]), row)))
        sound.append(both[1])
    pairs = zip(places, sound, strict=True)
    fused = [by_both(one.probability, of_it, weights) for one, of_it in pairs]
    evidence = np.array([said_again_evidence(one) for one in fused])
    judged = evidence, np.ones(len(fused), np.bool_)
    by_itself, occurs = words.occurs.copy(), words.occurs.copy()
    by_itself[rows], occurs[rows] = (term_occurrence(*judged, one) for one in ("adhoc", mode))
    every, p = concatenate(places), np.concatenate(fused)
    says = every.probability, np.concatenate(sound), occurs[every.term]
    how = {row: one.variant.how for row, one in zip(rows.tolist(), by_examples, strict=True)}
    variants = tuple(_fused_variants(words.variants, every, *says, how, weights))
    number = len(words.variants) + np.arange(len(variants))
    is_other = ~np.isin(words.candidates.term, rows)
    every = every._replace(probability=p, variant=number, family=number)
    every = concatenate([words.candidates.rows(is_other), every])
    reported = np.concatenate([words.probability[is_other], p * says[2]])
    order = np.lexsort((every.start_ms, every.recording, every.term))
    return replace(
        words, candidates=every.rows(order), probability=reported[order], occurs=by_itself,
        variants=(*words.variants, *variants),
    )  # fmt: skip


def each_place_once(
    own: Candidates, by_examples: "PlacesByExamples", recordings: Sequence[Recording]
) -> tuple[Candidates, Float64s]:
    """The places of a term by words, then those by sound alone; and (n,) what sound says of each.

    The probability of each is that by words. A place by sound counts with the nearest one by words.
    The examples are left out.
    """
    is_example = np.zeros(len(own.term), np.bool_)
    for recording, begin_ms, end_ms in by_examples.own:
        shared = np.minimum(own.end_ms, end_ms) - np.maximum(own.start_ms, begin_ms)
        here = own.recording == recordings.index(recording)
        is_example |= here & (shared >= (own.end_ms - own.start_ms) / 3)
    own, sound = own.rows(~is_example), by_examples.beside[~is_example]
    alone = []
    for row, (number, start_ms, end_ms) in enumerate(zip(*by_examples.places, strict=True)):
        here = np.flatnonzero(own.recording == number)
        twice = np.abs(own.start_ms[here] + own.end_ms[here] - start_ms - end_ms)
        if twice.min(initial=2 * SAME_EVENT_MS) < 2 * SAME_EVENT_MS:
            nearest = here[np.argmin(twice)]
            sound[nearest] = np.fmax(sound[nearest], by_examples.probability[row])
        else:
            alone.append(row)
    none = np.zeros(len(alone), np.int64)
    spans = by_examples.places.rows(np.array(alone, np.int64))
    by_sound = Candidates(
        none, none - 1, *spans, none.astype(float), none, none + NO_SLOT, none + NO_SLOT
    )
    return concatenate([own, by_sound]), np.append(sound, by_examples.probability[alone])


def _fused_variants(
    variants: Sequence[Variant],
    places: Candidates,
    words: Float64s,
    sound: Float64s,
    occurs: Float64s,
    how: Mapping[int, str],
    weights: BothWeights,
) -> Iterator[FusedVariant]:
    """What was found at each place.

    Args:
        places: their variants are rows of ``variants``, -1 without words.
        words, sound, occurs: (n,) the probability by each, and that the term occurs.
        how: of each term, what its examples are.
    """
    share = weights.words / (weights.words + weights.sound)
    columns = places.term, places.variant, words * occurs, sound * occurs
    for term, variant, p, of_sound in zip(*(one.tolist() for one in columns), strict=True):
        own = variants[variant] if variant >= 0 else Variant((), method="")
        searched = " ".join(own.words)
        by_words = Finding(BY_WORDS, share, p, searched, own.method, own.how)
        by_sound = Finding(BY_SOUND, 1 - share, of_sound, "", "example", how[term])
        said = f"found by words as {searched!r} ({own.method}, {p:.3f})"
        said = f"{said if own.method else 'not found by words'}, {how[term]} ({of_sound:.3f})"
        if np.isnan(of_sound):
            by_words = replace(by_words, weight=1.0)
            by_sound = Finding(BY_SOUND, 0.0, 0.0, "", "", "")
            said = f"found by words as {searched!r}, no sound there"
        found_by = (by_words, by_sound) if p >= by_sound.probability else (by_sound, by_words)
        method = own.method or "example"
        yield FusedVariant(own.words, own.similarity, method, said, found_by=found_by)
