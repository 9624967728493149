"""Boundary precision and recall: how many word boundaries the fragments' edges find.

    precision = |B_disc n B_gold| / |B_disc|        recall = |B_disc n B_gold| / |B_gold|

The rules differ in where they allow 30 ms: the task description when it takes the index of the
nearest phone boundary, the 2017 toolkit in the transcription of fragments, the 2015 toolkit when it
compares times.
"""

import numpy as np
import numpy.typing as npt

from scoring.discovery.corpus import Discovery, Ints, Times, Track, order_keys
from scoring.discovery.scores import Rates, ratio
from scoring.discovery.transcription import EDGE_S, EDGE_TICKS, Runs, ticks
from std.values import Bools, Float64s


def edges(file: Ints, onset: Times, offset: Times) -> tuple[Ints, Times]:
    """The distinct (file, time) of onsets and offsets together, sorted.

    Args:
        file: (n,) index into Corpus.files.
        onset, offset: (n,) ticks or seconds.
    """
    files, times = np.append(file, file), np.append(onset, offset)
    key = order_keys((files, times))[0]
    _, first = np.unique(key, return_index=True)
    return files[first], times[first]


def snapped(phones: Track, words: Track, discovery: Discovery, runs: Runs) -> Rates:
    """Boundary of zrc2017: edges of the transcription against word edges, equal as floats.

    A fragment's onset (that of its first phone) must be a word's onset, its offset a word's
    offset; a time that is both counts once. ``B_gold`` is every word onset or offset of a file.

    Args:
        phones, words: the gold annotation.
        discovery: (f,) fragments.
        runs: (f,) phone rows of each fragment; none is empty.

    Source: behaviour of zerospeech-tde 2.0.3.
    """
    _, gold_time = edges(words.file, words.onset_s, words.offset_s)
    on, off, word_on, word_off = order_keys(
        (discovery.file, phones.onset_s[runs.lo]),
        (discovery.file, phones.offset_s[runs.hi - 1]),
        (words.file, words.onset_s),
        (words.file, words.offset_s),
    )
    hits = np.union1d(np.intersect1d(on, word_on), np.intersect1d(off, word_off))
    return Rates(ratio(len(hits), len(np.union1d(on, off))), ratio(len(hits), len(gold_time)))


def close(words: Track, discovery: Discovery) -> Rates:
    """Boundary of zrc2015: raw edges with a word edge nearer than 30 ms, and the reverse.

    Points are distinct times whatever their direction; the comparison is strict, in floats.

    Source: behaviour of tde 0.2.1.
    """
    gold = edges(words.file, words.onset_s, words.offset_s)
    discovered = edges(discovery.file, discovery.onset_s, discovery.offset_s)
    precise, recalled = _has_close(*discovered, *gold), _has_close(*gold, *discovered)
    return Rates(ratio(int(precise.sum()), len(precise)), ratio(int(recalled.sum()), len(recalled)))


def _has_close(file: Ints, time_s: Times, other_file: Ints, other_time_s: Times) -> Bools:
    """Which points have another one of their file nearer than 30 ms; inputs sorted."""
    nearest, distance = _nearest(file, time_s, other_file, other_time_s)
    return (nearest >= 0) & (distance < EDGE_S)


def _nearest(
    file: Ints,
    time: Times,
    other_file: Ints,
    other_time: Times,
) -> tuple[Ints, npt.NDArray[np.float64]]:
    """Index of the nearest other point in the same file (the earlier on ties, -1 without one)."""
    best = np.full(len(file), -1)
    distance = np.full(len(file), np.inf)
    if not len(other_file):
        return best, distance
    key, other_key = order_keys((file, time), (other_file, other_time))
    right = np.searchsorted(other_key, key)
    for at in (right - 1, right):
        candidate = np.clip(at, 0, len(other_file) - 1)
        gap = np.abs(np.subtract(time, other_time[candidate])).astype(np.float64)
        nearer = (other_file[candidate] == file) & (gap < distance)
        best[nearer], distance[nearer] = candidate[nearer], gap[nearer]
    return best, distance


def indexed(phones: Track, words: Track, discovery: Discovery) -> Rates:
    """Boundary of the definition: sets of indices of the nearest phone boundary within 30 ms.

    Open choices: a boundary without a phone boundary nearer than 30 ms (exclusive, exact) is wrong,
    and each distinct one counts. (The task description gives all of them the index -1; as an
    element of a set it would count once for all.) Word boundaries become indices in the same way.

    Args:
        phones, words: the gold tiers.
        discovery: the fragments that are scored.

    Source: ZeroSpeech task description, ``B_disc`` and ``B_gold``.
    """
    table = edges(phones.file, ticks(phones.onset_s), ticks(phones.offset_s))
    discovered, unplaced_discovered = _indices(
        discovery.file, discovery.onset_s, discovery.offset_s, *table
    )
    gold, unplaced_gold = _indices(words.file, words.onset_s, words.offset_s, *table)
    hits = len(np.intersect1d(discovered, gold))
    return Rates(
        ratio(hits, len(discovered) + unplaced_discovered), ratio(hits, len(gold) + unplaced_gold)
    )


def _indices(
    file: Ints,
    onset_s: Float64s,
    offset_s: Float64s,
    table_file: Ints,
    table_time: Times,
) -> tuple[Ints, int]:
    """Distinct phone boundaries near the edges, and how many distinct edges have none."""
    edge_file, edge_time = edges(file, ticks(onset_s), ticks(offset_s))
    nearest, distance = _nearest(edge_file, edge_time, table_file, table_time)
    placed = (nearest >= 0) & (distance < EDGE_TICKS)
    return np.unique(nearest[placed]), int((~placed).sum())
