"""Search terms in the phones heard in a language's recordings.

heard_search     a request and its phonetic search -> HeardSearch; None without phones heard
of_term          places found otherwise -> the fit there, and further places
heard_as_candidates  these places as candidates
"""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from searcher.heard.archive import HeardArchive, HeardTerm, heard_archive
from searcher.heard.places import HeardPlaces, PlacesToFit
from searcher.index.searched_speech import inside_ecf
from searcher.phonetic.candidates import PhoneticResult, PreparedLanguage
from searcher.phonetic.hits import Inside
from searcher.results.candidates import Candidates
from searcher.results.slots_there import NO_SLOT, slots_between
from searcher.terms.request import Request, Variant
from std.phonetics.phones import Pronunciation
from std.store.columns import Int64s
from std.values import Bools, Float64s


class HeardSearch(NamedTuple):
    """The archives of the terms, and the searched speech."""

    archive: HeardArchive
    phonetic: PhoneticResult  # its terms, and the searched part of its archive
    is_inside: Inside  # which places are inside the searched speech

    def of_term(self, term: int, spans: PlacesToFit) -> HeardTerm | None:
        """A term in the phones heard; None if it is not searched this way.

        Args:
            term: its row.
            spans: places found otherwise."""
        ways = self.phonetic.ways[term]
        if isinstance(ways, Mapping):  # a spoken query, which may have any of them
            return None
        found = self.archive.find(ways, spans)
        if found is None:
            return None
        places = found.places
        inside = np.flatnonzero(self.is_inside(places.recording, places.start_ms, places.end_ms))
        return found._replace(places=places.rows(inside), log_e_value=found.log_e_value[inside])


def heard_search(
    request: Request, language: PreparedLanguage, phonetic: PhoneticResult | None
) -> HeardSearch | None:
    """The phones heard in the recordings of phonetic search.

    Args:
        request: the terms.
        language: the segments; the configuration may switch this search off.
        phonetic: the phonetic search, if there was one.
    """
    if phonetic is None or language.config.phonetic_search.phones == "words":
        return None
    archive = heard_archive(phonetic.indexes)
    if archive is None:
        return None
    inside = partial(inside_ecf, recordings=language.table.recordings, excerpts=request.excerpts)

    def is_inside(recording: Int64s, start_ms: Int64s, end_ms: Int64s) -> Bools:
        here = inside(recording, start_ms, end_ms)
        if request.spoken_by is None:
            return here
        first, last = slots_between(recording, start_ms, end_ms, language.table)
        fits = request.spoken_by.fits_in(language.table, recording, first, last)
        return here & fits & (first >= 0)

    return HeardSearch(archive, phonetic, is_inside)


def heard_as_candidates(
    term: int,
    phones: Pronunciation,
    places: HeardPlaces,
    probability: Float64s,
    table: list[Variant],
) -> Candidates:
    """Candidates of places that were only heard, without slots of words.

    Args:
        term: row of the term.
        phones: the phones of the term.
        places: the places of the term.
        probability: (n,) of each.
        table: variants; those of the places are appended.
    """
    first = len(table)
    how = f"{' '.join(phones)} heard in the sound"
    table += [
        Variant((), min(1.0, float(np.exp(score / len(phones)))), "heard", how)
        for score in places.score.tolist()
    ]
    numbers = np.arange(first, len(table))
    return Candidates(
        term=np.full(len(numbers), term),
        variant=numbers,
        recording=places.recording,
        start_ms=places.start_ms,
        end_ms=places.end_ms,
        probability=probability,
        family=numbers,
        first_slot=np.full(len(numbers), NO_SLOT),
        last_slot=np.full(len(numbers), NO_SLOT),
    )
