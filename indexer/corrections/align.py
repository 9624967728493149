"""What a person says was said, and where -> corrections with times.

    said_instead  words for others that are written
    said_at       words at a time: which words of the one-best they replace
    said_in_all   the words of a whole recording: where they differ from the one-best

At a time, words are compared by their phones: what the recogniser wrote sounds like what was said.
New words share the time of those that they replace by their letters.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate, chain, pairwise

from rapidfuzz.distance import Levenshtein

from indexer.corrections.slots import SpokenWord
from std.corrections import CorrectedWord, Correction
from std.store.columns import MAX_WORD_MS, Int64s

Pronounce = Callable[[Sequence[str]], Sequence[Sequence[str]]]
NEAR_MS = 1000  # of a time: a word that is farther away is another one
MORE_WORDS = 4  # that the recogniser may have written for one
LETTER_MS = 70  # where words are added and nothing says how long they lasted
AFTER_MS = 1000  # behind the last slot, what may be corrected there


def said_at(
    spoken: Sequence[SpokenWord],
    middles: Int64s,
    said: Sequence[str],
    span_ms: tuple[int, int | None],
    sounds: Pronounce = list,
) -> Correction:
    """The correction that puts words in place of those that sound most like them.

    Args:
        spoken: the one-best of a recording.
        middles: (n,) of its slots in ms.
        said: the words that were said.
        sounds: the phones of each of some words; by default, their letters.
        span_ms: a time, or from when to when: then all words whose middles are in it are replaced.
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
    written: Sequence[str],
    said: Sequence[str],
    start_ms: int,
) -> Correction | None:
    """The correction that puts words in place of others that the recogniser wrote.

    Args:
        spoken: the one-best of a recording.
        middles: (n,) of its slots in ms.
        written: the words that are replaced.
        said: the words that were said.
        start_ms: about when; of several places the nearest counts.

    Returns:
        None where these words are not written near.
    """
    words, n = [one.word for one in spoken], len(written)
    places = [i for i in range(len(words) - n + 1) if n and words[i : i + n] == [*written]]
    near = min(places, key=lambda i: abs(spoken[i].start_ms - start_ms), default=None)
    if near is None or abs(spoken[near].start_ms - start_ms) > NEAR_MS:
        return None
    return _replacing(spoken, middles, near, near + n, said)


def said_in_all(
    spoken: Sequence[SpokenWord], middles: Int64s, said: Sequence[str], part: slice = slice(None)
) -> tuple[list[Correction], float]:
    """The corrections that make the one-best what was said.

    Args:
        spoken: the one-best of a recording.
        middles: (n,) of its slots in ms.
        said: the words that were said.
        part: the part of the one-best, where they were said.

    Returns:
        the corrections, in the order of their times; and the share of words that are the same.
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


def _middle(one: SpokenWord) -> int:
    return (one.start_ms + one.end_ms) // 2


def _away(one: SpokenWord, time_ms: int) -> int:
    """How far a time is from a word."""
    return max(0, one.start_ms - time_ms, time_ms - one.end_ms)


def _place(spoken: Sequence[SpokenWord], time_ms: int) -> int:
    """Before which word a time is."""
    return sum(_middle(one) < time_ms for one in spoken)


def _replacing(
    spoken: Sequence[SpokenWord], middles: Int64s, i: int, j: int, said: Sequence[str]
) -> Correction:
    """The correction that puts words in place of some of the one-best, or between two of them.

    The stretch reaches from slot to slot, so that slots of silence in it go, too. Slots at one time
    cannot be told apart: they are replaced together, the words among them by themselves.
    """
    n = len(middles)
    low = spoken[i].slot if i < j else (spoken[i - 1].slot + 1 if i else 0)
    high = spoken[j - 1].slot + 1 if i < j else (spoken[i].slot if i < len(spoken) else n)
    while 0 < low < n and middles[low - 1] == middles[low] and low < high:
        low -= 1
    while 0 < high < n and middles[high] == middles[high - 1] and low < high:
        high += 1
    while i and spoken[i - 1].slot >= low:
        i, said = i - 1, [spoken[i - 1].word, *said]
    while j < len(spoken) and spoken[j].slot < high:
        j, said = j + 1, [*said, spoken[j].word]
    last_ms = max(int(middles[-1]) if n else 0, spoken[-1].end_ms if spoken else 0)
    start_ms = int(middles[low - 1]) + 1 if low else 0
    end_ms = int(middles[high]) if high < n else last_ms + AFTER_MS + len(said)
    if end_ms - start_ms < len(said):  # no room between two words
        if i:
            return _replacing(spoken, middles, i - 1, j, [spoken[i - 1].word, *said])
        return _replacing(spoken, middles, i, j + 1, [*said, spoken[j].word])
    if i < j:
        from_ms, to_ms = spoken[i].start_ms, spoken[j - 1].end_ms
    else:
        from_ms = spoken[i - 1].end_ms if i else start_ms
        room_ms = LETTER_MS * sum(map(len, said))
        to_ms = spoken[i].start_ms if i < len(spoken) else from_ms + room_ms
        to_ms = min(to_ms, from_ms + room_ms) if i else to_ms
    return Correction(1, start_ms, end_ms, _shared(said, from_ms, max(to_ms, from_ms + len(said))))


def _shared(said: Sequence[str], from_ms: int, to_ms: int) -> tuple[CorrectedWord, ...]:
    """Words that share a time by their letters."""
    letters = [*accumulate(map(len, said), initial=0)]
    times = [from_ms + (to_ms - from_ms) * n // max(1, letters[-1]) for n in letters]
    return tuple(
        CorrectedWord(word, start_ms, min(end_ms, start_ms + MAX_WORD_MS))
        for word, (start_ms, end_ms) in zip(said, pairwise(times), strict=True)
    )
