"""Probabilities: lexical candidates and phonetic hits of all terms, calibrated on one scale.

calibrate               candidates with posteriors, hits with scores -> candidates with
                        probabilities, and each term's evidence that it occurs
    pair_with_hits      which of them are one event (`searcher.evidence.pairing`)
    with_heard          the phones heard there, and places of their own (`searcher.evidence.heard`)
    Weights.log_ratios  evidence -> log likelihood ratios (`searcher.calibration.weights`)
    rate_posterior      ratios of all places of a term -> probabilities, if the term occurs, and
    log_evidence        that it does (`searcher.calibration.occurrence_rate`)
    alike               the likeliest places compared in the sound, then probabilities once more
"""

from collections.abc import Collection, Iterator, Sequence
from math import exp
from typing import NamedTuple

import numpy as np

from searcher.calibration.model import HEARD_WEIGHTS, default_model
from searcher.calibration.occurrence_rate import log_evidence, rate_posterior
from searcher.calibration.occurring_terms import FOUND_NOWHERE, NOT_SEARCHED, TAKEN_TO_OCCUR
from searcher.calibration.weights import LogRatios, Weights
from searcher.evidence.features import STEEPNESS, iv_features
from searcher.evidence.heard import alike, with_heard
from searcher.evidence.pairing import pair_with_hits
from searcher.heard.search import HeardSearch, HeardSound, HeardTerm, heard_as_candidates
from searcher.phonetic.candidates import PhoneticResult, PreparedLanguage, hits_as_candidates
from searcher.phonetic.layout import PhoneticHits
from searcher.phonetic.path_words import explained, path_words, together
from searcher.results.candidates import Candidates, Spans, TermPlaces, concatenate, in_order
from searcher.terms.request import Request, Variant
from std.config import Config
from std.execution.stop import check_stop
from std.values import Bools, Float64s

MIN_PROBABILITY = 1e-3  # of a place that was found by phones
# Share of the places of known words at which no alternative has the word: of the words
# said once in two sets, .04 and .09 are nowhere in the networks.
UNWRITTEN = 0.06


class TermEvidence(NamedTuple):
    """All places of one term: its lexical candidates, then the hits without one, then the places
    where it was only heard."""

    lexical: Candidates
    hits: PhoneticHits | None  # without a lexical candidate
    ratios: LogRatios | None  # of each place; None: the recogniser's posteriors stay
    is_searched: bool  # by words that the index has, or by phones
    heard: HeardTerm | None = None  # in the last places, if there are phones heard

    @property
    def without_places(self) -> float:
        """The log evidence that it occurs, if it has no places."""
        if self.ratios is None:
            return TAKEN_TO_OCCUR
        return FOUND_NOWHERE if self.is_searched else NOT_SEARCHED


def calibrate(
    request: Request,
    language: PreparedLanguage,
    found: TermPlaces,
    phonetic: PhoneticResult | None,
    heard: HeardSearch | None = None,
) -> TermPlaces:
    """Give the candidates of each term calibrated probabilities.

    Args:
        language: where they were searched; its model, or the default one, weighs the evidence.

    Returns:
        the same with the places of phonetic search and those that were heard, all with
        probabilities on condition that their term occurs, and with each term's evidence that it
        does.
    """
    is_oov, unwritten = found.is_oov, found.unwritten(request.words, language.known_words)
    n_terms, is_spoken = len(request.words), request.is_spoken
    lexical = _that_count(found.candidates, is_oov & ~is_spoken, heard)
    bounds = np.searchsorted(lexical.term, np.arange(n_terms + 1)).tolist()
    is_calibrated = _is_calibrated(request, language.config, is_oov)
    is_expected = ~(is_oov | is_spoken)
    highest_posterior = _highest_posterior(request, phonetic)
    speech_s = language.speech_s(request.excerpts)
    evidence = []
    for i, words in enumerate(request.words):
        check_stop()
        of_term = _evidence(
            words,
            lexical.rows(slice(bounds[i], bounds[i + 1])),
            phonetic.of_term[i] if phonetic else None,
            phonetic,
            (language.model or default_model()).weights,
            highest_posterior,
            speech_s,
            found.variants if is_oov[i] else (),
            is_oov=bool(is_oov[i]),
            is_calibrated=bool(is_calibrated[i]),
            is_spoken=bool(is_spoken[i]),
        )
        if heard:
            others = found.attached.get(words[0], ()) if len(words) == 1 else ()
            of_term = _with_heard(i, words, of_term, heard, others, is_oov=bool(is_oov[i]))
        evidence.append(_unlikelier(of_term, int(unwritten[i]) * int(is_oov[i])))
    probabilities, of_terms = _probabilities(evidence, is_expected)
    if heard and heard.sound:
        evidence = _with_sound(evidence, probabilities, request.of_queries, heard.sound)
        probabilities, of_terms = _probabilities(evidence, is_expected)
    table = list(found.variants)
    parts: list[Candidates] = []
    for i, (of_term, probability) in enumerate(zip(evidence, probabilities, strict=True)):
        check_stop()
        parts += _as_candidates(i, of_term, probability, phonetic, table)
    candidates = in_order(concatenate(parts))
    return found._replace(candidates=candidates, variants=tuple(table), log_evidence=of_terms)


def _that_count(lexical: Candidates, is_oov: Bools, heard: HeardSearch | None) -> Candidates:
    """Candidates of words, without those of other spelling where only phones heard are searched.

    Without phones of words, nothing tells how well such words fit the term.
    """
    if not heard or not len(heard.only):
        return lexical
    is_searched = np.array([one is not None for one in heard.phonetic.of_term])
    is_left_out = (is_oov & is_searched)[lexical.term] & np.isin(lexical.recording, heard.only)
    return lexical.rows(np.flatnonzero(~is_left_out))


def _as_candidates(
    term: int,
    of_term: TermEvidence,
    probability: Float64s | None,
    phonetic: PhoneticResult | None,
    table: list[Variant],
) -> Iterator[Candidates]:
    """The places of a term, in the order of its evidence, without the least likely ones.

    Args:
        probability: (n,) of each; None: the recogniser's posteriors stay.
        table: variants; those of hits and of places that were heard are appended.
    """
    if probability is None:
        yield of_term.lexical
        return
    n, heard = len(of_term.lexical.term), of_term.heard
    end = len(probability) - (len(heard.score) if heard else 0)
    lexical, of_hits, of_heard = probability[:n], probability[n:end], probability[end:]
    yield of_term.lexical._replace(probability=lexical)
    if of_term.hits and phonetic:
        kept = np.flatnonzero(of_hits >= MIN_PROBABILITY)
        hits = of_term.hits.rows(kept)
        yield hits_as_candidates(term, hits, of_hits[kept], phonetic.indexes, table)
    if heard:
        kept = np.flatnonzero(of_heard >= MIN_PROBABILITY)
        yield heard_as_candidates(term, heard.rows(kept), of_heard[kept], table)


def _highest_posterior(request: Request, phonetic: PhoneticResult | None) -> float:
    """The posterior that counts as certain: 1 for terms that were found by words alone."""
    if phonetic and request.phonetic_words == "all":
        return phonetic.searched.archive.highest_posterior
    return 1.0


def _is_calibrated(request: Request, config: Config, is_oov: Bools) -> Bools:
    """(terms,) which terms get probabilities; the others keep the recogniser's posteriors."""
    words = config.calibration.words
    is_calibrated = is_oov if words == "unknown" else np.full_like(is_oov, words == "all")
    return (is_calibrated & ~request.has_wildcard) | request.of_queries


def _evidence(
    words: Sequence[str],
    lexical: Candidates,
    hits: PhoneticHits | None,
    phonetic: PhoneticResult | None,
    weights: Weights,
    highest_posterior: float,
    speech_s: float,
    variants: Sequence[Variant],
    *,
    is_oov: bool,
    is_calibrated: bool,
    is_spoken: bool,
) -> TermEvidence:
    """The log likelihood ratios of each place of a term."""
    letters = sum(map(len, words))
    if hits is None or phonetic is None:
        known = iv_features(lexical.probability, len(words), letters, highest_posterior, speech_s)
        ratios = weights.log_ratios(known) if is_calibrated else None
        return TermEvidence(lexical, None, ratios, is_searched=not (is_oov or is_spoken))
    paired = pair_with_hits(() if is_spoken else words, lexical, hits, phonetic.searched, variants)
    if is_spoken:
        of_places = paired.spoken_evidence()
    elif is_oov:
        of_places = paired.oov_evidence()
    else:
        of_places = paired.iv_evidence(len(words), letters, speech_s)
    ratios = weights.log_ratios(of_places)
    alone = hits.rows(paired.unpaired)
    return TermEvidence(lexical, alone, ratios, is_searched=True)


def _with_heard(
    term: int,
    words: Sequence[str],
    of_term: TermEvidence,
    heard: HeardSearch,
    others: Collection[str],
    *,
    is_oov: bool,
) -> TermEvidence:
    """The evidence for a term with the phones heard, if there are any.

    Args:
        others: words of the index that the term is attached to, see `TermPlaces.attached`.
    """
    if of_term.ratios is None or of_term.hits is None:
        return of_term
    found = heard.of_term(term, Spans.of(of_term.lexical, of_term.hits))
    if found is None:
        return of_term
    if others:
        found = not_at(others, found, len(of_term.ratios.chance), heard)
    log_slots = heard.archive.log_slots
    ratios, alone = with_heard(of_term.ratios, found, log_slots, HEARD_WEIGHTS, is_known=not is_oov)
    ratios = ratios.explained(_explained(words, of_term.hits, alone.spans, heard), STEEPNESS)
    return of_term._replace(ratios=ratios, heard=alone)


def not_at(others: Collection[str], found: HeardTerm, n: int, heard: HeardSearch) -> HeardTerm:
    """A term without the places after the first n at which some words are written."""
    written = heard.written_at(found.spans.rows(slice(n, None)))
    alone = n + np.flatnonzero([word not in others for word in written])
    return found.rows(np.append(np.arange(n), alone))


def _explained(
    words: Sequence[str], hits: PhoneticHits, alone: Spans, heard: HeardSearch
) -> Float64s:
    """(m,) how well written words explain the places that were only heard, see `explained`.

    Each has the word in its middle; these and the words of the term's hits are counted together.
    """
    searched, of_alone = heard.phonetic.searched, heard.written_at(alone)
    is_written = np.array([word is not None for word in of_alone], bool)
    paths = [*path_words(hits, searched.words), *((word,) for word in of_alone if word)]
    of_units = together(paths, searched.words, exp(searched.archive.log_slots))
    of_places = explained(words, paths, of_units)
    of_heard = np.zeros(len(of_alone))
    of_heard[is_written] = of_places[len(paths) - np.count_nonzero(is_written) :]
    return of_heard


def _with_sound(
    evidence: Sequence[TermEvidence],
    probabilities: Sequence[Float64s | None],
    of_queries: Bools,
    sound: HeardSound,
) -> list[TermEvidence]:
    """The evidence for terms, with how much their places sound alike.

    Args:
        of_queries: (terms,) which spoken queries may be; these are not compared.
    """
    return [
        of_term if of_query else _compared(of_term, probability, sound)
        for of_term, probability, of_query in zip(evidence, probabilities, of_queries, strict=True)
    ]


def _compared(
    of_term: TermEvidence, probability: Float64s | None, sound: HeardSound
) -> TermEvidence:
    """The evidence for a term, with what its places have in common in the sound."""
    if of_term.ratios is None or of_term.hits is None or probability is None:
        return of_term
    if of_term.heard is None:
        return of_term
    spans = Spans.of(of_term.lexical, of_term.hits, of_term.heard.spans)
    shift = alike(probability, spans, sound)
    return of_term._replace(ratios=of_term.ratios.shifted(shift))


def _unlikelier(of_term: TermEvidence, words: int) -> TermEvidence:
    """The evidence for a term with words that the recogniser knows and never wrote.

    Had the term been said at a place, one of its alternatives would most probably have it.
    """
    if of_term.ratios is None or not words:
        return of_term
    return of_term._replace(ratios=of_term.ratios.shifted(words * np.log(UNWRITTEN)))


def _probabilities(
    evidence: Sequence[TermEvidence], is_expected: Bools
) -> tuple[list[Float64s | None], Float64s]:
    """The probability of each place, from all places of its term; and each term's log evidence.

    Words that resemble a term occur in speech about its subject. If nobody speaks about the
    subject, its false alarms are chance only, so the evidence that a term occurs is against chance.
    """
    ratios = [of_term.ratios for of_term in evidence]
    some = [LogRatios(*[np.empty(0)] * 3), *(one for one in ratios if one is not None)]
    sizes = np.array(
        [0 if of_term is None else len(of_term.chance) for of_term in ratios], np.int64
    )
    of_place = np.repeat(np.arange(len(sizes)), sizes)
    all_false_alarms, chance, counted = map(np.concatenate, zip(*some, strict=True))
    places = of_place, len(sizes), counted, is_expected
    probability, of_places = rate_posterior(all_false_alarms, *places)
    if not np.array_equal(chance, all_false_alarms):  # words alone have no others
        of_places = log_evidence(chance, *places)
    without_places = np.array([of_term.without_places for of_term in evidence], np.float64)
    occurs = np.where(sizes > 0, of_places, without_places)
    parts = np.split(probability, np.cumsum(sizes)[:-1]) if len(sizes) else []
    probabilities = [
        None if of_term is None else part for of_term, part in zip(ratios, parts, strict=True)
    ]
    return probabilities, occurs
