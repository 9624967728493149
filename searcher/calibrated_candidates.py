"""Probabilities: lexical candidates and phonetic hits of all terms, calibrated on one scale.

calibrate               candidates with posteriors, hits with scores -> candidates with
                        probabilities
    pair_with_hits      which of them are one event (`searcher.pairing`)
    Weights.log_ratio   evidence -> log likelihood ratio (`searcher.calibration.weights`)
    rate_posterior      ratios of all places of a term -> probabilities
                        (`searcher.calibration.occurrence_rate`)
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from searcher.calibration.features import iv_features
from searcher.calibration.model import Model
from searcher.calibration.occurrence_rate import rate_posterior
from searcher.candidates import Candidates, concatenate, in_order
from searcher.pairing import SearchedArchive, pair_with_hits
from searcher.phonetic_candidates import PhoneticHits, PhoneticIndexes, hits_as_candidates
from searcher.variant import Variant
from std.values import Bools, Float64s

MIN_PROBABILITY = 1e-3  # phonetic hits below are left out


class PhoneticResult(NamedTuple):
    """What phonetic search found."""

    of_term: Sequence[PhoneticHits | None]  # None: the term was not searched by its phones
    indexes: PhoneticIndexes
    searched: SearchedArchive


class TermEvidence(NamedTuple):
    """All places of one term: its lexical candidates, then the hits without one."""

    lexical: Candidates
    hits: PhoneticHits | None  # without a lexical candidate
    log_ratio: Float64s | None  # of each place; None: the recogniser's posteriors stay


def calibrate(
    terms: Sequence[Sequence[str]],
    is_calibrated: Bools,
    is_oov: Bools,
    lexical: Candidates,
    variants: Sequence[Variant],
    phonetic: PhoneticResult | None,
    model: Model,
) -> tuple[Candidates, tuple[Variant, ...]]:
    """Give the candidates of each term calibrated probabilities.

    Args:
        terms: the words of each.
        is_calibrated: (terms,) others keep the recogniser's posteriors, unless they have hits.
        is_oov: (terms,) whether the index lacks one of its words.
        lexical: merged candidates, ordered by term.
        variants: that they point into.
        phonetic: what phonetic search found, if it took part.
        model: how evidence is weighed.

    Returns:
        candidates ordered by term, recording and time, and the variants they point into.
    """
    bounds = np.searchsorted(lexical.term, np.arange(len(terms) + 1)).tolist()
    evidence = [
        _evidence(
            words,
            lexical.rows(slice(bounds[i], bounds[i + 1])),
            phonetic.of_term[i] if phonetic else None,
            phonetic,
            model,
            is_oov=bool(is_oov[i]),
            is_calibrated=bool(is_calibrated[i]),
        )
        for i, words in enumerate(terms)
    ]
    probabilities = _probabilities([of_term.log_ratio for of_term in evidence])
    table, parts = list(variants), []
    for i, (of_term, probability) in enumerate(zip(evidence, probabilities, strict=True)):
        if probability is None:
            parts.append(of_term.lexical)
            continue
        n = len(of_term.lexical.term)
        parts.append(of_term.lexical._replace(score=probability[:n]))
        if of_term.hits and phonetic:
            kept = np.flatnonzero(probability[n:] >= MIN_PROBABILITY)
            hits = of_term.hits.rows(kept)
            parts.append(
                hits_as_candidates(i, hits, probability[n:][kept], phonetic.indexes, table)
            )
    return in_order(concatenate(parts)), tuple(table)


def _evidence(
    words: Sequence[str],
    lexical: Candidates,
    hits: PhoneticHits | None,
    phonetic: PhoneticResult | None,
    model: Model,
    *,
    is_oov: bool,
    is_calibrated: bool,
) -> TermEvidence:
    """The log likelihood ratio of each place of a term."""
    letters = sum(map(len, words))
    if hits is None or phonetic is None:
        ratio = model.iv_weights.log_ratio(iv_features(lexical.score, len(words), letters))
        return TermEvidence(lexical, None, ratio if is_calibrated else None)
    paired = pair_with_hits(lexical, hits, phonetic.searched)
    if is_oov:
        ratio = model.oov_weights.log_ratio(paired.oov_evidence())
    else:
        ratio = model.iv_weights.log_ratio(paired.iv_evidence(len(words), letters))
    return TermEvidence(lexical, hits.rows(paired.unpaired), ratio)


def _probabilities(log_ratios: Sequence[Float64s | None]) -> list[Float64s | None]:
    """Of each place of each term, all places of a term together."""
    sizes = [0 if ratio is None else len(ratio) for ratio in log_ratios]
    joined = np.concatenate([np.empty(0), *(ratio for ratio in log_ratios if ratio is not None)])
    of_place = np.repeat(np.arange(len(sizes)), sizes)
    probability = rate_posterior(joined, of_place, len(sizes)).probability
    parts = np.split(probability, np.cumsum(sizes)[:-1]) if sizes else []
    return [None if ratio is None else part for ratio, part in zip(log_ratios, parts, strict=True)]
