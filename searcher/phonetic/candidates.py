"""Phonetic search for terms: words in, hits out, in the segments of one language.

PreparedLanguage                     the segments of one language, with phones
find_by_phones
    pronounced, pronounced_queries   the phones of each term (`searcher.phonetic.ratios`)
    searched_archive                 statistics of false alarms (`searcher.phonetic.indexes`)
    phonetic_hits                    their hits (`searcher.phonetic.hits`)
hits_as_candidates                   hits as candidates, with the words at their places
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from operator import contains
from typing import NamedTuple

import numpy as np

from searcher.calibration.model import Model
from searcher.index.searched_speech import SpokenBy, inside_ecf
from searcher.index.stores import RecordingTable
from searcher.phonetic.archive import SearchedArchive
from searcher.phonetic.hits import phonetic_hits
from searcher.phonetic.indexes import (
    PhoneticIndexes,
    languages_within,
    open_phonetic_indexes,
    searched_archive,
)
from searcher.phonetic.layout import SCORE, PhoneticHits
from searcher.phonetic.path_words import path_words
from searcher.phonetic.ratios import Weighted, pronounced, pronounced_queries
from searcher.results.candidates import Candidates, LeftOut, TermPlaces
from searcher.terms.language_words import LanguageWords
from searcher.terms.request import Request, Variant
from std.errors import ConfigError
from std.execution.stop import check_stop
from std.phonetics.phones import Pronunciation
from std.store import Segment
from std.values import Float64s, Int64s


@dataclass(frozen=True, eq=False)
class PreparedLanguage(LanguageWords):
    """The segments of one language with their phones, searched as a separate index."""

    model: Model | None  # the model of `std-tune`

    @cached_property
    def phonetic(self) -> tuple[PhoneticIndexes | None, tuple[Segment, ...]]:
        """See `searcher.phonetic.indexes.open_phonetic_indexes`."""
        return open_phonetic_indexes(self.segments, self.table.row_of, self.config, self.model)


class PhoneticResult(NamedTuple):
    """The result of a phonetic search."""

    of_term: Sequence[PhoneticHits | None]  # None: the term was not searched phonetically
    ways: Sequence[Sequence[Pronunciation] | Weighted]  # of each term; empty = it was not searched
    indexes: PhoneticIndexes
    searched: SearchedArchive

    def outside(self, recordings: Int64s) -> "PhoneticResult":
        """Without the hits in recordings, by their rows."""
        of_term = [
            hits and hits.rows(np.flatnonzero(~np.isin(hits.recording, recordings)))
            for hits in self.of_term
        ]
        return self._replace(of_term=of_term)


def find_by_phones(
    request: Request, language: PreparedLanguage, found: TermPlaces
) -> tuple[PhoneticResult | None, LeftOut]:
    """Search terms by their phones.

    Args:
        found: the places of their words, and which terms have a word that the segments lack.

    Returns:
        the result, None if there was no phonetic search; and the segments that were left out.
    """
    is_oov = found.is_oov
    is_searched = request.is_spoken  # the recogniser may have written other known words
    if request.phonetic_words != "none":
        is_searched |= (is_oov | (request.phonetic_words == "all")) & ~request.has_wildcard
    if not is_searched.any():
        return None, LeftOut()
    is_needed = bool(language.model or request.spoken or (is_oov & is_searched).any())
    try:
        phonetic, without_phones = language.phonetic
    except ConfigError:  # the pronouncer is not installed: known terms are found by words only
        if is_needed:
            raise
        return None, LeftOut()
    without = languages_within(without_phones, request.excerpts)
    phonetic = phonetic and phonetic.within(request.excerpts)
    if phonetic is None:
        return None, LeftOut(without if is_needed else ())
    terms = [words if is_searched[i] else () for i, words in enumerate(request.written)]
    pronunciations: list[Sequence[Pronunciation] | Weighted] = [
        *pronounced(terms, phonetic.lexicon),
        *pronounced_queries(request.spoken, phonetic.lexicon),
    ]
    inside = partial(inside_ecf, recordings=language.table.recordings, excerpts=request.excerpts)
    searched = searched_archive(phonetic, request.excerpts, language.folder, request.workers)
    null, parts = searched.archive.null, found.places_of_parts(len(is_oov)) * is_oov
    written = np.bincount(found.candidates.term, minlength=len(is_oov))
    written *= ~(is_oov | request.is_spoken)
    hits = phonetic_hits(
        pronunciations, parts, written, phonetic, null, inside, request.workers, request.advance
    )
    hits = [_said_by(of_term, request.spoken_by, language.table) for of_term in hits]
    if found.attached:
        with_attached = zip(hits, request.words, strict=True)
        hits = [_as_words(of_term, words, found, phonetic) for of_term, words in with_attached]
    other = phonetic.pronouncer if language.model and not phonetic.model else ""
    return PhoneticResult(hits, pronunciations, phonetic, searched), LeftOut(without, other)


def _said_by(
    hits: PhoneticHits | None, spoken_by: SpokenBy | None, table: RecordingTable
) -> PhoneticHits | None:
    """The hits of a term; hits of speakers that are not searched count as outside."""
    if hits is None or spoken_by is None:
        return hits
    fits = spoken_by.fits_in(table, hits.recording, hits.first_slot, hits.last_slot)
    return hits._replace(is_inside=hits.is_inside & fits)


def _as_words(
    hits: PhoneticHits | None, words: Sequence[str], found: TermPlaces, phonetic: PhoneticIndexes
) -> PhoneticHits | None:
    """The hits of a term without hits at words with an article or ending, such as l'homme."""
    if hits is None or found.attached.keys().isdisjoint(words):
        return hits
    others = [found.attached.get(word, ()) for word in words]
    paths = path_words(hits, phonetic.recognised_words)
    is_other = [len(path) == len(words) and any(map(contains, others, path)) for path in paths]
    return hits.rows(np.flatnonzero(~np.array(is_other, bool)))


def hits_as_candidates(
    term: int,
    hits: PhoneticHits,
    probability: Float64s,
    phonetic: PhoneticIndexes,
    table: list[Variant],
) -> Candidates:
    """Hits as candidates, each with a variant of the words at its place.

    Args:
        probability: (n,) the probability of each hit.
        phonetic: the indexes of the segments.
        table: the table of variants; those of the hits are appended.
    """
    check_stop()
    first = len(table)
    scores = hits.measures[:, SCORE].tolist()
    paths = path_words(hits, phonetic.recognised_words)
    for words, score, row in zip(paths, scores, hits.found_by.tolist(), strict=True):
        pronunciation = hits.pronunciations[row]
        phones = " ".join(pronunciation.phones)
        similarity = min(1.0, max(0.0, score / max(pronunciation.perfect, 1e-9)))
        table.append(
            Variant(words, similarity, "phonetic", f"{phones} heard in {' '.join(words)!r}")
        )
    numbers = np.arange(first, first + len(probability))
    return Candidates(
        term=np.full(len(probability), term),
        variant=numbers,
        recording=hits.recording,
        start_ms=hits.start_ms,
        end_ms=hits.end_ms,
        probability=probability,
        family=numbers,
        first_slot=hits.first_slot,
        last_slot=hits.last_slot,
    )
