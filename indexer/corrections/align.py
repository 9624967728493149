"""Words that a person gives, and their places -> corrections with times.

    said_instead      words that replace given words
    said_at           words at a time: finds the words of the one-best that they replace
    said_in_all       all words of a recording: finds where they differ from the one-best

At a time, words are compared by their phones, because the recogniser's words sound like the spoken
ones. New words share the time of the replaced ones by letters.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np
from rapidfuzz.distance import Levenshtein

from indexer.corrections.slots import SpokenWord
from indexer.segments.separate import shares_of
from std.corrections import CorrectedWord, Correction
from std.store.columns import MAX_WORD_MS
from std.values import Int64s

Pronounce = Callable[[Sequence[str]], Sequence[Sequence[str]]]
NEAR_MS = 1000  # of a time: words farther away are not replaced
MORE_WORDS = 4  # that the recogniser may have written for one word
LETTER_MS = 70  # of an added word without a known duration
AFTER_MS = 1000  # after the last slot, for corrections at the end


def said_at(
    spoken: Sequence[SpokenWord],
    middles: Int64s,
    said: Sequence[str],
    span_ms: tuple[int, int | None],
    sounds: Pronounce = list,
) -> Correction:
    """The correction that replaces the words with the most similar phones.

    Args:
        spoken: the one-best of a recording.
        middles: (n,) of its slots in ms.
        said: the words that were said.
        sounds: the phones of each of some words; by default, their letters.
        span_ms: a time; or start and end, which replace all words with their middles in between.
    """
    start_ms, end_ms = span_ms
    if end_ms is not None:
        inside = [i for i, one in enumerate(spoken) if start_ms <= _middle(one) < end_ms]
        i, j = (inside[0], inside[-1] + 1) if inside else (_place(spoken, start_ms),) * 2
        return _replacing(spoken, middles, i, j, said)
    here = min(range(len(spoken)), key=lambda i: _away(spoken[i], start_ms), default=None)
    if here is None or _away(spoken[here], start_ms) > NEAR_MS:
        place = _place(spoken, start_ms)
        return _replacing(spoken, middles, place, place, said)
    most = len(said) + MORE_WORDS
    first = max(0, here - most + 1)
    heard = [*chain.from_iterable(sounds(said))]
    written = sounds([one.word for one in spoken[first : here + most]])
    windows = [
        (i, j)
        for i in range(first, here + 1)
        for j in range(here + 1, min(len(spoken), i + most) + 1)
    ]

    def unlike(window: tuple[int, int]) -> tuple[int, int, int]:
        there = [*chain.from_iterable(written[window[0] - first : window[1] - first])]
        away = Levenshtein.distance(there, heard)
        return away, abs(len(there) - len(heard)), window[1] - window[0]

    i, j = min(windows, key=unlike)
    return _replacing(spoken, middles, i, j, said)


def said_instead(
    spoken: Sequence[SpokenWord],
    middles: Int64s,
    starts_ms: Int64s,
    written: Sequence[str],
    said: Sequence[str],
    start_ms: int,
) -> Correction | None:
    """The correction that replaces given words.

    Args:
        spoken: the one-best of a recording.
        middles: (n,) of its slots in ms.
        starts_ms: (w,) the starts of its words.
        written: the words that are replaced.
        said: the words that were said.
        start_ms: the approximate time; of several places the nearest counts.

    Returns:
        None if these words are not near.
    """
    n, away_ms = len(written), np.abs(starts_ms - start_ms)
    near = [
        i
        for i in np.flatnonzero(away_ms <= NEAR_MS).tolist()
        if n and [one.word for one in spoken[i : i + n]] == [*written]
    ]
    if not near:
        return None
    i = min(near, key=lambda i: int(away_ms[i]))
    return _replacing(spoken, middles, i, i + n, said)


def said_in_all(
    spoken: Sequence[SpokenWord], middles: Int64s, said: Sequence[str], part: slice = slice(None)
) -> tuple[list[Correction], float]:
    """The corrections that make the one-best equal to the spoken words.

    Args:
        spoken: the one-best of a recording.
        middles: (n,) of its slots in ms.
        said: the words that were said.
        part: the part of the one-best, where they were said.

    Returns:
        the corrections in chronological order, and the share of equal words.
    """
    first, end, _ = part.indices(len(spoken))
    opcodes = Levenshtein.opcodes([one.word for one in spoken[first:end]], list(said))
    same = sum(one.src_end - one.src_start for one in opcodes if one.tag == "equal")
    blocks: list[list[int]] = []
    for one in opcodes:
        if one.tag == "equal":
            continue
        if blocks and blocks[-1][1] == one.src_start and blocks[-1][3] == one.dest_start:
            blocks[-1][1], blocks[-1][3] = one.src_end, one.dest_end
        else:
            blocks.append([one.src_start, one.src_end, one.dest_start, one.dest_end])
    found = [_replacing(spoken, middles, first + i, first + j, said[a:b]) for i, j, a, b in blocks]
    return found, same / max(1, end - first, len(said))


def _middle(one: SpokenWord | CorrectedWord) -> int:
    return (one.start_ms + one.end_ms) // 2


def _away(one: SpokenWord, time_ms: int) -> int:
    """The distance of a time from a word."""
    return max(0, one.start_ms - time_ms, time_ms - one.end_ms)


def _place(spoken: Sequence[SpokenWord], time_ms: int) -> int:
    """The word that follows a time."""
    return sum(_middle(one) < time_ms for one in spoken)


def _replacing(
    spoken: Sequence[SpokenWord], middles: Int64s, i: int, j: int, said: Sequence[str]
) -> Correction:
    """The correction that replaces words of the one-best, or inserts words between two.

    The stretch includes the slots of silence in it. It ends halfway to the slots beside it, so that
    these stay when another recogniser, whose times differ, writes the recording again.
    """
    low, high = _slots(spoken, middles, i, j)
    first = bisect_left(spoken, low, hi=i, key=lambda one: one.slot)
    end = bisect_left(spoken, high, lo=j, key=lambda one: one.slot)
    said = [*(one.word for one in spoken[first:i]), *said, *(one.word for one in spoken[j:end])]
    last_ms = max([*middles[-1:].tolist(), *(one.end_ms for one in spoken[-1:])], default=0)
    start_ms = int(middles[low - 1]) + 1 if low else 0
    end_ms = int(middles[high]) if high < len(middles) else last_ms + AFTER_MS + len(said)
    if end_ms - start_ms < len(said):  # no time between two words: one of them is written again
        if first:
            return _replacing(spoken, middles, first - 1, end, [spoken[first - 1].word, *said])
        return _replacing(spoken, middles, first, end + 1, [*said, spoken[end].word])
    words = _shared(said, *_times(spoken, first, end, said, start_ms))
    inside = [*middles[low:high].tolist(), *map(_middle, words)]
    later_ms, earlier_ms = start_ms, end_ms
    if inside and low:
        later_ms = max(start_ms, (start_ms + min(inside) + 1) // 2)
    if inside and high < len(middles):
        earlier_ms = min(end_ms, (max(inside) + end_ms + 1) // 2)
    if earlier_ms - later_ms >= len(said):
        start_ms, end_ms = later_ms, earlier_ms
    return Correction(1, start_ms, end_ms, words)


def _slots(spoken: Sequence[SpokenWord], middles: Int64s, i: int, j: int) -> tuple[int, int]:
    """The slots of some words, or those between two words, as first and end.

    Slots with equal times cannot be distinguished, so they are replaced together.
    """
    n = len(middles)
    if i < j:
        low, high = spoken[i].slot, spoken[j - 1].slot + 1
    else:
        low = spoken[i - 1].slot + 1 if i else 0
        high = spoken[i].slot if i < len(spoken) else n
    while 0 < low < min(n, high) and middles[low - 1] == middles[low]:
        low -= 1
    while max(0, low) < high < n and middles[high] == middles[high - 1]:
        high += 1
    return low, high


def _times(
    spoken: Sequence[SpokenWord], i: int, j: int, said: Sequence[str], start_ms: int
) -> tuple[int, int]:
    """When some words were said in place of others, or between two.

    Args:
        spoken: the one-best.
        i, j: the replaced words; equal: the words are said before the word ``i``.
        said: the words.
        start_ms: the earliest time.
    """
    if i < j:
        from_ms, to_ms = spoken[i].start_ms, spoken[j - 1].end_ms
    else:
        from_ms = spoken[i - 1].end_ms if i else start_ms
        to_ms = from_ms + LETTER_MS * sum(map(len, said))
        if i < len(spoken):
            to_ms = min(to_ms, spoken[i].start_ms) if i else spoken[i].start_ms
    return from_ms, max(to_ms, from_ms + len(said))


def _shared(said: Sequence[str], from_ms: int, to_ms: int) -> tuple[CorrectedWord, ...]:
    """Words that share a time in proportion to their letters."""
    return tuple(
        CorrectedWord(word, start_ms, min(end_ms, start_ms + MAX_WORD_MS))
        for word, (start_ms, end_ms) in zip(said, shares_of(said, from_ms, to_ms), strict=True)
    )
