"""Which lexical candidate and which phonetic hit of a term are one event.

pair_with_hits   candidates and hits of a term -> both as one table of evidence
"""

from collections.abc import Sequence
from math import exp
from typing import NamedTuple

import numpy as np

from searcher.calibration.weights import Evidence, Features
from searcher.evidence.features import (
    hit_features,
    iv_features_with_hits,
    no_hit,
    oov_features,
    spoken_features,
)
from searcher.lexical.deduplicate import overlap
from searcher.phonetic.alignment import AlignedHits
from searcher.phonetic.archive import SearchedArchive
from searcher.phonetic.hits import PhoneticHits
from searcher.phonetic.layout import SAME_PLACE_MS, SCORE
from searcher.phonetic.path_words import explained, path_words, together
from searcher.results.candidates import Candidates
from searcher.terms.request import Variant
from std.store.columns import Int64s
from std.values import Float64s

NO_HIT_SCORE = -5.0  # below that of any hit


class Paired(NamedTuple):
    """Lexical candidates, each with its hit if there is one; then the hits without a candidate."""

    posterior: Float64s  # (n,) of the candidate; 0 where there is none
    score: Float64s  # (n,) of the hit, nats; `NO_HIT_SCORE` where there is none
    features: Features  # each (n,), of the hit
    explained: Float64s  # (n,) see `path_words.explained`
    unpaired: Int64s  # rows of the hits inside the searched speech without a candidate
    highest_posterior: float  # see `Archive`
    log_chances: float  # see `SearchedArchive`

    def oov_evidence(self) -> Evidence:
        """For a term with a word that the index lacks."""
        return oov_features(self.posterior, self.features, self.explained, self.log_chances)

    def iv_evidence(self, words: int, letters: int, speech_s: float) -> Evidence:
        """For a term whose words the index has; see `iv_features_with_hits`."""
        return iv_features_with_hits(
            self.posterior,
            self.features,
            self.explained,
            words,
            letters,
            self.highest_posterior,
            speech_s,
            self.log_chances,
        )

    def spoken_evidence(self) -> Evidence:
        """For a spoken query."""
        return spoken_features(self.posterior, self.features, self.explained, self.log_chances)


def pair_with_hits(
    words: Sequence[str],
    lexical: Candidates,
    term_hits: PhoneticHits,
    searched: SearchedArchive,
    variants: Sequence[Variant] = (),
) -> Paired:
    """Pair each lexical candidate of a term with the best hit near it that no other has.

    Hits outside the searched speech are evidence for candidates and other hits; they are not
    places.

    Args:
        words: the words of the term as it is spelt; none if it was spoken.
        lexical: the lexical hits of the term.
        term_hits: the hits of the term, best first.
        searched: where both were found.
        variants: the variants that candidates point into; none if all are the term's own words.
    """
    hits, archive = term_hits.hits, searched.archive
    of_hits = path_words(hits, searched.words)
    heard = term_hits.pronunciations, term_hits.found_by, hits, of_hits
    features = hit_features(words, *heard, searched)
    candidate, hit = near_pairs(lexical, hits)
    partner = np.full(len(lexical.term), -1)
    is_free = np.ones(len(hits.recording), dtype=bool)
    for i, j in zip(candidate.tolist(), hit.tolist(), strict=True):
        if partner[i] < 0 and is_free[j]:
            partner[i], is_free[j] = j, False
    is_near = np.zeros(len(hits.recording), dtype=bool)
    is_near[hit] = True
    unpaired = np.flatnonzero(~is_near & term_hits.is_inside)
    rows = np.concatenate([partner, unpaired])
    is_heard = rows >= 0
    columns = {}
    for name, column in features.items():
        columns[name] = np.full(len(rows), no_hit(name, archive))
        columns[name][is_heard] = column[rows[is_heard]]
    by_words = [variants[i].words if variants else () for i in lexical.variant.tolist()]
    paths = [of_hits[row] if row >= 0 else by_words[i] for i, row in enumerate(rows.tolist())]
    in_archive = searched.words, exp(archive.log_slots)
    score = np.full(len(rows), NO_HIT_SCORE)
    score[is_heard] = hits.measures[rows[is_heard], SCORE]
    return Paired(
        np.concatenate([lexical.probability, np.zeros(len(unpaired))]),
        score,
        columns,
        explained(words, paths, together(paths, *in_archive), *in_archive),
        unpaired,
        archive.highest_posterior,
        searched.log_chances,
    )


def near_pairs(lexical: Candidates, hits: AlignedHits) -> tuple[Int64s, Int64s]:
    """(pairs,) rows of candidates and of hits that overlap with their middles near each other.

    Args:
        lexical: candidates.
        hits: among them any of the same recording.

    Returns:
        pairs, ordered by candidate, then by hit.
    """
    of_recording = np.argsort(hits.recording, kind="stable")
    recordings = hits.recording[of_recording]
    first = np.searchsorted(recordings, lexical.recording, side="left")
    number = np.searchsorted(recordings, lexical.recording, side="right") - first
    candidate = np.repeat(np.arange(len(number)), number)
    within = np.arange(len(candidate)) - np.repeat(np.cumsum(number) - number, number)
    hit = of_recording[first[candidate] + within]  # of one recording ascending: the sort is stable
    start, end = lexical.start_ms[candidate], lexical.end_ms[candidate]
    hit_start, hit_end = hits.start_ms[hit], hits.end_ms[hit]
    is_near = np.abs(hit_start + hit_end - start - end) < 2 * SAME_PLACE_MS
    is_near &= overlap(hit_start, hit_end, start, end)
    return candidate[is_near], hit[is_near]
