"""The search pipeline on one screen: terms and segments in, decided detections out.

Term        --variants-->   word sequences to look up
all words   --postings-->   one batched look-up per segment
Variant     --join-->       candidates, in every segment
candidates  --fence-->      those inside the speech that is searched (ECF)
            --merge-->      one per term and place
            --decide-->     YES or NO, by the scores of all segments together
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from searcher.candidates import Candidates, concatenate
from searcher.decide import expected_occurrences, thresholds
from searcher.join import SkipCost, join, single, skip_costs
from searcher.merge import merge
from searcher.variant import Variant
from std.config import Config
from std.excerpts import inside_one
from std.store import Segment
from std.store.columns import Int64s, Postings
from std.values import Bools, Detections, Excerpt, Float64s, Recording, Term


@dataclass(frozen=True, eq=False)
class Found:
    """Everything a search says: detections, and why each is there and decided so."""

    terms: tuple[Term, ...]
    words: tuple[tuple[str, ...], ...]  # of each term, normalised
    oov_words: tuple[tuple[str, ...], ...]  # those of them that the index does not know
    variants: tuple[Variant, ...]  # what candidates point into
    recordings: tuple[Recording, ...]  # what candidates point into
    candidates: Candidates  # merged; ordered by term, recording and time
    n_true: Float64s  # (terms,) expected occurrences
    threshold: Float64s  # (terms,)
    outside: int  # candidates left out because they lie outside the ECF
    seconds: float

    @cached_property
    def yes(self) -> Bools:
        """(n,) the decisions."""
        decided: Bools = self.candidates.score >= self.threshold[self.candidates.term]
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
) -> Found:
    """Search every term in every segment.

    Args:
        terms: what to search for; their words are normalised by ``config.text``.
        segments: a snapshot of a store.
        speech_s: seconds of searched speech = number of trials, for the decisions.
        excerpts: candidates outside them are left out and counted; None = everything counts.
    """
    begin = time.perf_counter()
    words = tuple(config.text.phrase(term.text) for term in terms)
    variants = tuple(Variant(one) for one in words)
    term_of_variant = np.arange(len(terms))
    known: set[str] = set()
    recordings: list[Recording] = []
    parts = []
    for segment in segments:
        postings = segment.postings({word for one in variants for word in one.words})
        known.update(postings)
        part = look_up(variants, term_of_variant, postings, segment, config)
        parts.append(part._replace(recording=part.recording + len(recordings)))
        recordings += [one.recording for one in segment.recordings]
    candidates = concatenate(parts)
    inside = fence(candidates, recordings, excerpts)
    candidates = merge(candidates.rows(inside))
    candidates = candidates.rows(candidates.score >= config.search.min_score)
    n_true = expected_occurrences(
        candidates.term, candidates.score, len(terms), config.decision.n_true_scale
    )
    return Found(
        terms=tuple(terms),
        words=words,
        oov_words=tuple(tuple(w for w in one if w not in known) for one in words),
        variants=variants,
        recordings=tuple(recordings),
        candidates=candidates,
        n_true=n_true,
        threshold=thresholds(n_true, speech_s, config.decision),
        outside=int(len(inside) - np.count_nonzero(inside)),
        seconds=time.perf_counter() - begin,
    )


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
        if len(words) == 1:
            place = single(words[0])
        else:
            place = join(words, skip_cost, config.search)
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
    """What skipping slots costs, fetched once for all recordings where a phrase can be."""
    rarest = [min(words, key=lambda one: len(one.key)) for words in phrases]
    recordings = {i for one in rarest for i in np.unique(one.recording).tolist()}
    return skip_costs(segment.slots(recordings), config.search.epsilon_floor)


def fence(
    candidates: Candidates,
    recordings: Sequence[Recording],
    excerpts: Sequence[Excerpt] | None,
) -> Bools:
    """(n,) which candidates lie inside the speech that is searched."""
    if excerpts is None:
        return np.ones(len(candidates.term), dtype=bool)
    return inside_one(
        excerpts,
        recordings,
        candidates.recording,
        candidates.start_ms / 1000,
        candidates.end_ms / 1000,
    )
