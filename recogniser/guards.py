"""What is thrown away of a recogniser's text before it is believed.

    compression_ratio    of a text: loops compress well
    without_loops        the same words more than three times in a row, once
    too_fast             more words than anybody says in the time

Limits are those of openai-whisper's transcription, and a speaking rate that nobody reaches.
"""

import zlib
from collections.abc import Sequence

MAX_COMPRESSION = 2.4
MIN_LOG_PROB = -1.0
SILENCE_PROB = 0.6
MAX_WORDS_PER_S = 10.0
LONGEST_PHRASE = 8  # words that may be repeated
MAX_REPEATS = 3


def compression_ratio(text: str) -> float:
    """Bytes of a text over those of its compressed form."""
    content = text.encode()
    return len(content) / len(zlib.compress(content)) if content else 0.0


def without_loops(words: Sequence[str]) -> list[int]:
    """Positions of the words that stay if phrases said more than three times in a row count once.

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
    """Tell whether the phrase that begins here stands there more than three times in a row."""
    end = at + length * (MAX_REPEATS + 1)
    if end > len(words):
        return False
    phrase = words[at : at + length]
    return all(words[i : i + length] == phrase for i in range(at, end, length))


def too_fast(words: int, seconds: float) -> bool:
    """Tell whether so many words cannot have been said in so many seconds."""
    return words > MAX_WORDS_PER_S * max(seconds, 0.5)
