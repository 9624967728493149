"""Evidence of the phones heard: for places where a term was found, and places of their own.

with_heard         log ratios of a term's places, the term in the phones heard -> log ratios with
                   both, of these places and of those that were only heard
    heard_evidence     its features
    said_somehow       a bound: a term may be said differently from its guessed pronunciation
alike              log ratios of places that sound like another place of their term, in its frames
    nearness_of, log_ratio_of   their nearness, and its log ratio

A place found by words or by guessed phones keeps its log ratio, and the evidence of the phones
heard there is added. A place that was only heard has its E-value per slot. The weights of both are
learned together (`benchmarks.heard_evidence`). For learning, a part of the terms loses all its
places, as if the recogniser did not know the words.
"""

import numpy as np

from searcher.calibration.weights import Evidence, LogRatios, Weights
from searcher.heard.places import MOST
from searcher.heard.search import LEARNED_SLOTS, HeardSound, HeardTerm
from searcher.lexical.deduplicate import overlap
from searcher.phonetic.layout import SAME_PLACE_MS
from searcher.results.candidates import Spans
from std.store.columns import Int64s
from std.values import Bools, Float64s

# Beyond these a log E-value says no more; in an archive of `LEARNED_SLOTS`, in which decoys have
# `MOST` places.
LEAST_LOG_E, MOST_LOG_E = -14.0, float(np.log(MOST))
LOG_LEARNED = float(np.log(LEARNED_SLOTS))
CURVED = 2.0  # log E-value from which on evidence grows less than its log
MOST_BY_CHANCE = float(np.log(10.0))  # log E-value up to which a place that was only heard counts
MOST_ALONE = 40  # places of a term that were only heard
LEAST_FIT = -6.0  # nats a phone
SAID_OTHERWISE = 0.03  # share of true places that are said otherwise than the term's phones
KNOWN_SHARE = 0.5  # weight of the phones heard of a term whose words the recogniser knows
LEAST_COMPARED, MOST_COMPARED = 0.005, 14  # probability and number of places that are compared
LEAST_COMPARED_MS = 100
OF_NEARNESS, EVEN, MOST_ALIKE = 22.5, 0.08, 3.0  # see `log_ratio_of`; the last in nats


def with_heard(
    ratios: LogRatios, heard: HeardTerm, log_slots: float, weights: Weights, *, is_known: bool
) -> tuple[LogRatios, HeardTerm]:
    """Log ratios of a term's places, with the evidence of the phones heard.

    Args:
        ratios: (n,) of the places that were found otherwise.
        heard: the term in these places, then in the best ones of the phones heard.
        log_slots: log of the number of slots heard.
        is_known: whether the index has all words of the term.

    Returns:
        log ratios of the places that were found otherwise, then of those that were only heard; the
        term in the latter.
    """
    n = len(ratios.all_false_alarms)
    heard = heard.rows(np.append(np.arange(n), places_alone(heard, n)))
    evidence = heard_evidence(ratios.all_false_alarms, heard, log_slots, is_known=is_known)
    shift = weights.against_chance(evidence._replace(offset=np.zeros(len(evidence.offset))))
    shift[:n] = said_somehow(shift[:n])
    shift = np.where(np.isneginf(heard.score), 0.0, shift)
    none = np.full(len(heard.score) - n, -log_slots)
    of_all = LogRatios(
        np.append(ratios.all_false_alarms, none),
        np.append(ratios.chance, none),
        np.append(ratios.counted, np.ones(len(none))),
    )
    return of_all.shifted(shift), heard.rows(np.arange(n, len(heard.score)))


def said_somehow(shift: Float64s) -> Float64s:
    """Bounded log ratios of the phones heard at places that words or guessed phones found.

    If a term is said differently from its pronunciation ("etc", a name, an abbreviation), the
    phones heard are no evidence. So they lower a log ratio by at most the log of the share of such
    places.

    >>> said_somehow(np.array([-20.0, 5.0])).round(2).tolist()
    [-3.51, 4.97]
    """
    shown: Float64s = np.logaddexp(np.log(SAID_OTHERWISE), np.log1p(-SAID_OTHERWISE) + shift)
    return shown


def places_alone(heard: HeardTerm, n: int) -> Int64s:
    """Rows of a term's likeliest places that do not overlap with the first n, found otherwise."""
    some = n + np.flatnonzero(heard.log_e_value[n:] < MOST_BY_CHANCE)
    return some[~_are_known(heard.spans.rows(some), heard.spans.rows(slice(n)))][:MOST_ALONE]


def _are_known(places: Spans, spans: Spans) -> Bools:
    """(n,) which places overlap with a span, with their middles near each other."""
    start, end = places.start_ms[:, None], places.end_ms[:, None]
    is_near = np.abs(start + end - spans.start_ms - spans.end_ms) < 2 * SAME_PLACE_MS
    is_near &= places.recording[:, None] == spans.recording
    is_near &= overlap(start, end, spans.start_ms, spans.end_ms)
    known: Bools = is_near.any(axis=1)
    return known


def heard_evidence(
    log_ratio: Float64s, heard: HeardTerm, log_slots: float, *, is_known: bool
) -> Evidence:
    """The evidence of the phones heard, for n places found otherwise and m that were only heard.

    Args:
        log_ratio: (n,) of the evidence for the former.
        heard: (n + m,) the term in the former, then in the latter.
        log_slots: log of the number of slots heard.
        is_known: whether the index has all words of the term. Then the recogniser has judged the
            same sounds, so the phones heard count less (`KNOWN_SHARE`).

    Returns:
        log_e_rate       log of the false alarms expected to fit as well, per slot
        log_e_curve      square of its distance below `CURVED`, in `LEARNED_SLOTS`: E-values are
                         extrapolated beyond the scores that are possible
        fit              score a phone
        alone            1 of a place that was only heard
        alone_fit        score a phone there
        alone_phones     log of the term's phones there
    """
    n, m = len(log_ratio), len(heard.score) - len(log_ratio)
    is_alone = np.repeat([0.0, 1.0], [n, m])
    log_e = np.clip(heard.log_e_value - log_slots + LOG_LEARNED, LEAST_LOG_E, MOST_LOG_E)
    fit = np.clip(heard.score / len(heard.phones), LEAST_FIT, 0.0)
    columns = {
        "log_e_rate": log_e - LOG_LEARNED,
        "log_e_curve": np.minimum(log_e - CURVED, 0.0) ** 2,
        "fit": fit,
        "alone": is_alone,
        "alone_fit": is_alone * fit,
        "alone_phones": is_alone * np.log(len(heard.phones)),
    }
    weighed = np.full(n + m, KNOWN_SHARE if is_known else 1.0)
    offset = np.append(log_ratio, np.full(m, -log_slots))
    return Evidence(columns, offset, weighed=weighed, is_expected=is_known)


def alike(probability: Float64s, spans: Spans, sound: HeardSound) -> Float64s:
    """(n,) log ratios by which places are likelier that sound like another one of their term.

    Where a term is said twice, both places have the same sounds, whatever phones were heard. So
    the likeliest places are compared with each other. Places without frames, and all but the
    likeliest of those that overlap, are not.

    Args:
        probability: (n,) of the places of a term.
        spans: (n,) these places.
        sound: the frames of the recordings.
    """
    shift = np.zeros(len(probability))
    rows = np.flatnonzero(probability >= LEAST_COMPARED)
    rows = rows[np.argsort(-probability[rows], kind="stable")][:MOST_COMPARED]
    places = sound.cut(spans.rows(rows))
    apart = _apart(places)
    if len(apart) < 2:
        return shift
    rows, places = rows[apart], places.rows(apart)
    nearness = nearness_of(places, probability[rows], sound)
    shift[rows] = log_ratio_of(nearness, probability[rows], OF_NEARNESS, EVEN)
    return shift


def nearness_of(places: Spans, probability: Float64s, sound: HeardSound) -> Float64s:
    """(n,) by how much less the frames of places differ from those of the first than by chance.

    Args:
        places: (n,) places with frames.
        probability: (n,) of each, falling.
    """
    from searcher.examples.places import costs_between, usual_at

    usual = usual_at(sound.archive, places, sound.sample)
    nearness: Float64s = (usual + usual[0]) / 2 - costs_between(sound.archive, places)
    return nearness


def log_ratio_of(
    nearness: Float64s, probability: Float64s, of_nearness: float, even: float
) -> Float64s:
    """(n,) log ratios of places that were compared with the first, and of the first.

    If the other place is wrong, it is no evidence; p is its probability:

        ratio = p exp(of_nearness (nearness - even)) + 1 - p

    The first is compared with the second.

    Args:
        nearness: (n,) see `nearness_of`; that of the first does not matter.
        probability: (n,) of each, falling.
        of_nearness, even: the weight of nearness, and where it tells nothing.

    >>> log_ratio_of(np.array([0.0, 0.1]), np.array([0.9, 0.5]), 20.0, 0.0).round(2).tolist()
    [1.43, 1.91]
    """
    log_ratio = np.clip(of_nearness * (nearness - even), -MOST_ALIKE, MOST_ALIKE)
    others = np.append(probability[1], np.full(len(probability) - 1, probability[0]))
    ratio = others * np.exp(np.append(log_ratio[1], log_ratio[1:])) + 1 - others
    return np.asarray(np.log(ratio), np.float64)


def _apart(places: Spans) -> Int64s:
    """Rows of the places that are long enough and overlap with none before them."""
    kept: list[int] = []
    for row in np.flatnonzero(places.end_ms - places.start_ms >= LEAST_COMPARED_MS).tolist():
        others = places.rows(np.array(kept, np.int64))
        is_over = others.recording == places.recording[row]
        is_over &= others.start_ms < places.end_ms[row]
        is_over &= others.end_ms > places.start_ms[row]
        if not is_over.any():
            kept.append(row)
    return np.array(kept, np.int64)
