"""A recogniser's text -> the words that were spoken, and when.

spoken_words         words without punctuation, hyphens apart, remarks such as ``[Music]`` left out;
                     text without spaces by its characters (`std.characters`)
compression_ratio    of a text: loops compress well
without_loops        the same words more than three times in a row, once
too_fast             more words than anybody says in the time
timed_by             each word gets the time of the letters that it is aligned with

The limit of compression is that of openai-whisper; the limit of speed is a rate that nobody
reaches.

Texts are aligned letter by letter (fewest edits), because hypotheses differ in where words begin:
"whitmore" takes the time of "with more". Letters of a word share its time equally.
"""

import re
import unicodedata
import zlib
from collections.abc import Iterator, Sequence

import numpy as np
from rapidfuzz.distance import Levenshtein

from std.characters import characters
from std.networks import TimedWord
from std.values import Float64s

MAX_COMPRESSION = 2.4
MIN_LOG_PROB = -1.0
SILENCE_PROB = 0.6
MAX_WORDS_PER_S = 10.0
LONGEST_PHRASE = 8  # words that may be repeated
MAX_REPEATS = 3
_REMARK = re.compile(r"\[[^\[\]]{1,100}\]|\([^()]{1,100}\)|\*[^*]{1,60}\*|[♩-♯🎵🎶]+")
_APART = re.compile(r"[\s\u2010-\u2015\u2212/\u2026]+|(?<=[^\W\d_])-+|-+(?=[^\W\d_])|--+|\.\.\.+")


def spoken_words(text: str) -> list[str]:
    """The words of a text without the punctuation around them, in their own case.

    >>> spoken_words("[Music] Well-known, they say: 'tis 3.5 — no!")
    ['Well', 'known', 'they', 'say', 'tis', '3.5', 'no']
    >>> spoken_words("天气，很好。")
    ['天', '气', '很', '好']
    """
    return [word for _, _, word in word_spans(text)]


def word_spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield each word with its position in the text: first and last + 1 letter."""
    clean = _REMARK.sub(lambda match: " " * len(match[0]), text)
    at = 0
    for separator in [*_APART.finditer(clean), None]:
        end = separator.start() if separator else len(clean)
        first, last = at, end
        while first < last and not _belongs(clean[first]):
            first += 1
        while last > first and not _belongs(clean[last - 1]):
            last -= 1
        for word in characters(clean[first:last]) if first < last else ():
            first = clean.index(word, first)
            yield first, first + len(word), word
            first += len(word)
        if separator:
            at = separator.end()


def _belongs(letter: str) -> bool:
    """Whether a letter at the edge of a word belongs to it: letters, digits, %, $."""
    return unicodedata.category(letter)[0] in "LNM" or letter in "%$€£°"


def compression_ratio(text: str) -> float:
    """The size of a text divided by the size of its compressed form."""
    content = text.encode()
    return len(content) / len(zlib.compress(content)) if content else 0.0


def without_loops(words: Sequence[str]) -> list[int]:
    """Positions of the words that stay when a phrase repeated more than three times counts once.

    >>> without_loops("a b a b a b a b c c c".split())
    [0, 1, 8, 9, 10]
    """
    kept: list[int] = []
    at = 0
    folded = [word.casefold() for word in words]
    while at < len(words):
        length = next((n for n in range(1, LONGEST_PHRASE + 1) if _repeats(folded, at, n)), 0)
        if not length:
            kept.append(at)
            at += 1
            continue
        kept.extend(range(at, at + length))
        phrase = folded[at : at + length]
        while folded[at : at + length] == phrase:
            at += length
    return kept


def _repeats(words: Sequence[str], at: int, length: int) -> bool:
    """Whether the phrase that begins here is repeated more than three times in a row."""
    end = at + length * (MAX_REPEATS + 1)
    if end > len(words):
        return False
    phrase = words[at : at + length]
    return all(words[i : i + length] == phrase for i in range(at, end, length))


def too_fast(words: int, seconds: float) -> bool:
    """Whether these are more words than can be said in so many seconds."""
    return words > MAX_WORDS_PER_S * max(seconds, 0.5)


LETTER_S = 0.05  # of a letter that is aligned with nothing


def timed_by(words: Sequence[str], timed: Sequence[TimedWord]) -> list[TimedWord]:
    """Give words the times of another hypothesis.

    Args:
        words: without times.
        timed: words of the same stretch of audio.

    Returns:
        The words in order, with starts that ascend.
    """
    if not timed:
        return [TimedWord(word, 0.0, 0.0) for word in words]
    theirs = " ".join(word.token for word in timed).casefold()
    ours = " ".join(words).casefold()
    edges = _letter_edges(timed)
    starts, ends = np.full(len(ours), np.nan), np.full(len(ours), np.nan)
    for tag, i, j, first, last in Levenshtein.opcodes(theirs, ours):
        if tag in ("equal", "replace"):
            starts[first:last], ends[first:last] = edges[i:j, 0], edges[i:j, 1]
    result: list[TimedWord] = []
    at, latest = 0, timed[0].start_s
    for word in words:
        end = at + len(word.casefold())
        known = np.flatnonzero(~np.isnan(starts[at:end]))
        if len(known):
            start_s, end_s = float(starts[at + known[0]]), float(ends[at + known[-1]])
        else:
            start_s = end_s = latest
            end_s += LETTER_S * len(word)
        start_s = max(start_s, result[-1].start_s if result else start_s)
        result.append(TimedWord(word, start_s, max(start_s, end_s)))
        at, latest = end + 1, max(start_s, end_s)
    return result


def _letter_edges(timed: Sequence[TimedWord]) -> Float64s:
    """(n, 2) start and end of each letter of the words joined by blanks."""
    edges = []
    for number, word in enumerate(timed):
        folded = word.token.casefold()
        grid = np.linspace(word.start_s, word.end_s, len(folded) + 1)
        edges.append(np.column_stack([grid[:-1], grid[1:]]))
        following = timed[number + 1].start_s if number + 1 < len(timed) else word.end_s
        edges.append(np.array([[word.end_s, following]]))
    return np.concatenate(edges[:-1])
