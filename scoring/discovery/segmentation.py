"""Segmentation: boundaries, tokens and types of fragments against the words of the gold lexicon.

    boundary  P = |B_disc n B_gold| / |B_disc|               R = ... / |B_gold|
    token     P = |F_disc n F_goldLex| / |F_disc|            R = ... / |F_goldLex|
    type      P = |types(F_disc) n types(F_goldLex)| / |types(F_disc)|
              R = ... / |types(F_goldLex)|

The rules for boundaries allow 30 ms at different steps. The task description does so when it takes
the index of the nearest phone boundary (`indexed_edges`), the 2017 toolkit in the transcription of
fragments (`snapped_edges`), and the 2015 toolkit when it compares times (`close_edges`).
"""

from collections.abc import Sequence

import numpy as np

from scoring.discovery.corpus import Discovery, Times, Track, order_keys
from scoring.discovery.pairs import MAX_LENGTH, MIN_LENGTH
from scoring.discovery.partners import expand
from scoring.discovery.scores import Rates, ratio
from scoring.discovery.transcription import EDGE_S, EDGE_TICKS, Runs, meeting, ticks, two_sided
from std.values import Bools, Float64s, Integers


def edges(file: Integers, onset: Times, offset: Times) -> tuple[Integers, Times]:
    """The distinct (file, time) of onsets and offsets together, sorted.

    Args:
        file: (n,) index into Corpus.files.
        onset, offset: (n,) ticks or seconds.
    """
    files, times = np.append(file, file), np.append(onset, offset)
    key = order_keys((files, times))[0]
    _, first = np.unique(key, return_index=True)
    return files[first], times[first]


def snapped_edges(phones: Track, words: Track, discovery: Discovery, runs: Runs) -> Rates:
    """Boundary of zrc2017: edges of the transcription against word edges, equal as floats.

    A fragment's onset (that of its first phone) must be a word's onset, its offset a word's
    offset; a time that is both counts once. ``B_gold`` is every word onset or offset of a file.

    Args:
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


def close_edges(words: Track, discovery: Discovery) -> Rates:
    """Boundary of zrc2015: raw edges with a word edge nearer than 30 ms, and the reverse.

    Points are distinct times whatever their direction; the comparison is strict, in floats.

    Source: behaviour of tde 0.2.1.
    """
    gold = edges(words.file, words.onset_s, words.offset_s)
    discovered = edges(discovery.file, discovery.onset_s, discovery.offset_s)
    precise, recalled = _has_close(*discovered, *gold), _has_close(*gold, *discovered)
    return Rates(ratio(int(precise.sum()), len(precise)), ratio(int(recalled.sum()), len(recalled)))


def _has_close(file: Integers, time_s: Times, other_file: Integers, other_time_s: Times) -> Bools:
    """Which points have another one of their file nearer than 30 ms; inputs sorted."""
    nearest, distance = _nearest(file, time_s, other_file, other_time_s)
    return (nearest >= 0) & (distance < EDGE_S)


def _nearest(
    file: Integers, time: Times, other_file: Integers, other_time: Times
) -> tuple[Integers, Float64s]:
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


def indexed_edges(phones: Track, words: Track, discovery: Discovery) -> Rates:
    """Boundary of the definition: sets of indices of the nearest phone boundary within 30 ms.

    Open choices: a boundary without a phone boundary nearer than 30 ms (exclusive, exact) is wrong,
    and each distinct one counts. (The task description gives all of them the index -1; as an
    element of a set it would count once for all.) Word boundaries become indices in the same way.

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
    file: Integers, onset_s: Float64s, offset_s: Float64s, table_file: Integers, table_time: Times
) -> tuple[Integers, int]:
    """Distinct phone boundaries near the edges, and how many distinct edges have none."""
    edge_file, edge_time = edges(file, ticks(onset_s), ticks(offset_s))
    nearest, distance = _nearest(edge_file, edge_time, table_file, table_time)
    placed = (nearest >= 0) & (distance < EDGE_TICKS)
    return np.unique(nearest[placed]), int((~placed).sum())


WORD_EDGE_S = 0.03


def as_fragments(track: Track) -> Discovery:
    """The rows of a track as fragments, to be transcribed; each is a separate class."""
    rows = np.arange(len(track), dtype=np.int32)
    return Discovery(track.file, track.onset_s, track.offset_s, rows, rows, len(track))


def by_symbols(
    phones: Track, words: Track, discovery: Discovery, types: Sequence[str]
) -> tuple[Rates, Rates]:
    """Token and type of zrc2017.

    A fragment is compared with the word it covers most (share of the word's duration, the first one
    on ties). It is a hit iff its symbols are exactly those of all the phones that share time with
    that word. Each word is hit once. Found types are the transcriptions of hits; seen types those
    of all fragments, of any length; gold types are *orthographic* words.

    Args:
        phones, words: the gold annotation.
        discovery: (f,) fragments.
        types: (f,) transcription of each fragment, one character per phone.

    Source: behaviour of zerospeech-tde 2.0.3.
    """
    best = _most_covered(words, discovery)
    word_lo, word_hi = meeting(phones, as_fragments(words))
    text = phones.text()
    hit = [
        word >= 0 and text[word_lo[word] : word_hi[word]] == transcription
        for word, transcription in zip(best.tolist(), types, strict=True)
    ]
    tokens = len(np.unique(best[np.array(hit, dtype=np.bool_)]))
    hit_types = len({transcription for transcription, good in zip(types, hit, strict=True) if good})
    return (
        Rates(ratio(tokens, len(discovery)), ratio(tokens, len(words))),
        Rates(ratio(hit_types, len(set(types))), ratio(hit_types, len(np.unique(words.label)))),
    )


def _most_covered(words: Track, discovery: Discovery) -> Integers:
    """The word of which each fragment covers the largest share; -1 where it meets none."""
    lo, hi = meeting(words, discovery)
    best = np.full(len(discovery), -1)
    for fragment, word in expand(np.arange(len(discovery)), lo, hi):
        overlap = np.minimum(discovery.offset_s[fragment], words.offset_s[word]) - np.maximum(
            discovery.onset_s[fragment], words.onset_s[word]
        )
        share = overlap / (words.offset_s[word] - words.onset_s[word])
        order = np.lexsort((word, -share, fragment))
        fragments, first = np.unique(fragment[order], return_index=True)
        best[fragments] = word[order][first]
    return best


def within_30_ms(words: Track, discovery: Discovery) -> tuple[Rates, Rates, int]:
    """Token and type of zrc2015, and how many fragments the toolkit would crash on.

    A hit overlaps exactly one word (`overlap_2015`) and both edges lie within 30 ms (inclusive).
    Hits are not deduplicated, so recall can exceed 1. Seen types are the distinct sequences of
    words that fragments overlap. A fragment that meets no word, for which the toolkit raises
    ValueError, is a miss, and the empty sequence is a seen type.

    Source: behaviour of tde 0.2.1.
    """
    runs = two_sided(words, discovery)
    single = np.flatnonzero(runs.hi - runs.lo == 1)
    word = runs.lo[single]
    near = (np.abs(words.onset_s[word] - discovery.onset_s[single]) <= WORD_EDGE_S) & (
        np.abs(words.offset_s[word] - discovery.offset_s[single]) <= WORD_EDGE_S
    )
    hits = int(near.sum())
    seen = {
        words.label[lo:hi].tobytes()
        for lo, hi in zip(runs.lo.tolist(), runs.hi.tolist(), strict=True)
    }
    hit_types = len(np.unique(words.label[word[near]]))
    lexicon = len(np.unique(words.label))
    return (
        Rates(ratio(hits, len(discovery)), ratio(hits, len(words))),
        Rates(ratio(hit_types, len(seen)), ratio(hit_types, lexicon)),
        int((~runs.located).sum()),
    )


def literal_sets(
    runs: Runs, word_runs: Runs, types: Sequence[str], word_types: Sequence[str]
) -> tuple[Rates, Rates]:
    """Token and type of the definition: plain intersections of sets.

    Open choices: fragments and words are the same token iff they transcribe to the same phones at
    the same place; types are phone sequences on both sides, of three to twenty phones on both
    sides ("we restrict both sets to words between three and twenty segments long"). A fragment
    without phones is one wrong token and no type.

    Args:
        runs, word_runs: distinct discovered fragments, and words, as rows of the same track.

    Source: ZeroSpeech task description, "Clustering scores", "Segmentation scores".
    """
    gold = _places(word_runs)
    discovered = _places(runs)
    empty = int((runs.hi == runs.lo).sum())
    empty_words = int((word_runs.hi == word_runs.lo).sum())
    tokens = len(discovered & gold)
    seen, lexicon = (
        {one for one in transcriptions if MIN_LENGTH <= len(one) <= MAX_LENGTH}
        for transcriptions in (types, word_types)
    )
    common = len(seen & lexicon)
    return (
        Rates(ratio(tokens, len(discovered) + empty), ratio(tokens, len(gold) + empty_words)),
        Rates(ratio(common, len(seen)), ratio(common, len(lexicon))),
    )


def _places(runs: Runs) -> set[tuple[int, int]]:
    """The distinct non-empty runs."""
    return {(lo, hi) for lo, hi in zip(runs.lo.tolist(), runs.hi.tolist(), strict=True) if hi > lo}
