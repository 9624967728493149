"""Which lexical candidate and which phonetic hit of a term are one event.

pair_with_hits   candidates and hits of a term -> both as one table of evidence
"""

from typing import NamedTuple

import numpy as np

from searcher.calibration.archive import Archive
from searcher.calibration.features import (
    Evidence,
    Features,
    hit_features,
    iv_features_with_hits,
    no_hit,
    oov_features,
)
from searcher.candidates import Candidates
from searcher.lexical.deduplicate import overlap
from searcher.phonetic.layout import SAME_PLACE_MS, SCORE
from searcher.phonetic_candidates import PhoneticHits
from std.store.columns import Int64s
from std.values import Float64s

NO_HIT_SCORE = -5.0  # below that of any hit


class Paired(NamedTuple):
    """Lexical candidates, each with its hit if there is one; then the hits without a candidate."""

    posterior: Float64s  # (n,) of the candidate; 0 where there is none
    score: Float64s  # (n,) of the hit, nats; `NO_HIT_SCORE` where there is none
    features: Features  # each (n,), of the hit
    unpaired: Int64s  # rows of the hits without a candidate
    log_searched: float  # log of the number of slots in the searched speech

    def oov_evidence(self) -> Evidence:
        """For a term with a word that the index lacks."""
        return oov_features(self.posterior, self.features, self.log_searched)

    def iv_evidence(self, words: int, letters: int) -> Evidence:
        """For a term whose words the index has."""
        return iv_features_with_hits(
            self.posterior, self.features, words, letters, self.log_searched
        )


class SearchedArchive(NamedTuple):
    """An archive, and how much of it a search is about."""

    archive: Archive
    quality: Float64s  # (R,) speech quality of each recording of the search's table
    share: float  # of the archive's speech that lies in the searched excerpts

    @property
    def log_searched(self) -> float:
        """Log of the number of slots in the searched speech, at least one."""
        return max(self.archive.log_slots + float(np.log(max(self.share, 1e-12))), 0.0)


def pair_with_hits(
    lexical: Candidates, term_hits: PhoneticHits, searched: SearchedArchive
) -> Paired:
    """Pair each lexical candidate of a term with the best hit near it that no other has.

    Args:
        lexical: of the term.
        term_hits: of the term, best first.
        searched: where both were found.
    """
    hits, archive = term_hits.hits, searched.archive
    quality = searched.quality[hits.recording]
    features = hit_features(term_hits.pronunciations, term_hits.found_by, hits, quality, archive)
    twice_middle = hits.start_ms + hits.end_ms
    partner = np.full(len(lexical.term), -1)
    near_any = np.zeros(len(twice_middle), dtype=bool)
    is_free = np.ones(len(twice_middle), dtype=bool)
    for i in range(len(lexical.term)):
        start, end = lexical.start_ms[i], lexical.end_ms[i]
        near = (
            (hits.recording == lexical.recording[i])
            & (np.abs(twice_middle - start - end) < 2 * SAME_PLACE_MS)
            & overlap(hits.start_ms, hits.end_ms, start, end)
        )  # fmt: skip
        near_any |= near
        if (near & is_free).any():
            partner[i] = np.flatnonzero(near & is_free)[0]
            is_free[partner[i]] = False
    unpaired = np.flatnonzero(~near_any)
    rows = np.concatenate([partner, unpaired])
    is_heard = rows >= 0
    columns = {}
    for name, column in features.items():
        columns[name] = np.full(len(rows), no_hit(name, archive))
        columns[name][is_heard] = column[rows[is_heard]]
    score = np.full(len(rows), NO_HIT_SCORE)
    score[is_heard] = hits.measures[rows[is_heard], SCORE]
    return Paired(
        np.concatenate([lexical.score, np.zeros(len(unpaired))]),
        score,
        columns,
        unpaired,
        searched.log_searched,
    )
