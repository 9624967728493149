"""Search the segments of one language; a word that they lack is OOV there.

search_language      candidates of every term, with probabilities if it occurs
    as_terms             weights of what spoken queries may be (`searcher.terms.variants`)
    find_by_words        look-up, compound splitting, expansion (`searcher.lexical.candidates`)
    find_by_phones       phonetic search (`searcher.phonetic.candidates`)
    heard_search         the phones heard in the sound (`searcher.heard.search`)
    calibrate            probabilities of all (`searcher.evidence.calibrate`)
"""

from typing import NamedTuple

from searcher.evidence.calibrate import calibrate
from searcher.heard.search import heard_search
from searcher.lexical.candidates import find_by_words
from searcher.phonetic.candidates import PreparedLanguage, find_by_phones
from searcher.results.candidates import Candidates
from searcher.terms.request import Request, Variant
from searcher.terms.variants import as_terms
from std.values import Bools, Float64s


class LanguageResult(NamedTuple):
    """The candidates of every term in the segments of one language."""

    candidates: Candidates  # with probabilities, if the term occurs
    log_evidence: Float64s  # (terms,) that it does (`searcher.calibration.occurring_terms`)
    is_oov: Bools  # (terms,) these segments lack a word of it
    variants: tuple[Variant, ...]  # that they point into
    found_words: set[str]  # words of the variants and wildcards that these segments have
    corrected: frozenset[str]  # words that only people put there
    outside_ecf: int  # candidates left out
    is_phonetic: bool  # whether there are phonetic hits, which may overlap other candidates
    without_phones: tuple[str, ...]  # languages of segments left out of phonetic search
    without_model: str  # pronouncer of these segments, if the model is of another
    cut: frozenset[int]  # terms searched only in their likeliest places


def search_language(request: Request, language: PreparedLanguage) -> LanguageResult:
    """Search every term in the segments of one language."""
    if request.spoken:
        request = request._replace(spoken=as_terms(request.spoken, language.counts))
    lexical = find_by_words(request, language)
    # The words of a spoken query are a guess, so it is a separate kind of term.
    is_oov = lexical.is_oov(request.words) & ~request.is_spoken
    places = lexical.places_of_parts(len(is_oov)) * is_oov
    phonetic = find_by_phones(request, language, is_oov, places)
    heard = heard_search(request, language, phonetic.found)
    candidates, variants, log_evidence = calibrate(
        request, language, is_oov, lexical, phonetic.found, heard
    )
    return LanguageResult(
        candidates,
        log_evidence,
        is_oov,
        variants,
        lexical.found_words,
        lexical.corrected,
        lexical.outside_ecf,
        phonetic.found is not None,
        phonetic.without_phones,
        phonetic.without_model,
        lexical.cut,
    )
