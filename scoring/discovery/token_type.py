"""Token and type precision and recall: fragments against the words of the gold lexicon.

token   P = |F_disc n F_goldLex| / |F_disc|                R = ... / |F_goldLex|
type    P = |types(F_disc) n types(F_goldLex)| / |types(F_disc)|    R = ... / |types(F_goldLex)|
"""

from collections.abc import Sequence

import numpy as np

from scoring.discovery.corpus import Discovery, Ints, Track
from scoring.discovery.pairs import MAX_LENGTH, MIN_LENGTH
from scoring.discovery.partners import expand
from scoring.discovery.scores import Rates, ratio
from scoring.discovery.transcription import Runs, meeting, two_sided

WORD_EDGE_S = 0.03


def as_fragments(track: Track) -> Discovery:
    """The rows of a track as fragments, to be transcribed; each is a separate class."""
    rows = np.arange(len(track), dtype=np.int32)
    return Discovery(track.file, track.onset_s, track.offset_s, rows, rows, len(track))


def by_symbols(
    phones: Track,
    words: Track,
    discovery: Discovery,
    types: Sequence[str],
) -> tuple[Rates, Rates]:
    """Token and type of zrc2017.

    A fragment is compared with the word it covers most (share of the word's duration, the first
    one on ties); it is a hit iff its symbols are exactly those of all the phones that share time
    with that word. Each word is hit once. Found types are the transcriptions of hits; seen types
    those of all fragments, of any length; gold types are *orthographic* words.

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


def _most_covered(words: Track, discovery: Discovery) -> Ints:
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
        types, word_types: their transcriptions.

    Source: ZeroSpeech task description, "Clustering scores", "Segmentation scores".
    """
    gold = _places(word_runs)
    discovered = _places(runs)
    empty = int((runs.hi == runs.lo).sum())
    empty_words = int((word_runs.hi == word_runs.lo).sum())
    tokens = len(discovered & gold)
    seen = {
        transcription for transcription in types if MIN_LENGTH <= len(transcription) <= MAX_LENGTH
    }
    lexicon = {
        transcription
        for transcription in word_types
        if MIN_LENGTH <= len(transcription) <= MAX_LENGTH
    }
    common = len(seen & lexicon)
    return (
        Rates(ratio(tokens, len(discovered) + empty), ratio(tokens, len(gold) + empty_words)),
        Rates(ratio(common, len(seen)), ratio(common, len(lexicon))),
    )


def _places(runs: Runs) -> set[tuple[int, int]]:
    """The distinct non-empty runs."""
    return {(lo, hi) for lo, hi in zip(runs.lo.tolist(), runs.hi.tolist(), strict=True) if hi > lo}
