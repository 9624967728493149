"""Choose the hotwords that resemble the hypotheses of a window.

    resembling    words that resemble some of the window's, the nearest first

A prompt has room for some thirty words, and words in it that were not said cause errors.
"""

from collections.abc import Iterable, Sequence

from rapidfuzz import fuzz, process

MOST_WORDS = 30
LEAST_SIMILARITY = 60.0  # per cent of the letters
MOST_JOINED = 3  # words that one may have been taken for


def resembling(words: Sequence[str], hypotheses: Iterable[Sequence[str]]) -> list[str]:
    """Choose words for a prompt.

    Args:
        words: known beforehand.
        hypotheses: the words of each hypothesis of a window.
    """
    spans = {
        "".join(hypothesis[i : i + n]).casefold()
        for hypothesis in hypotheses
        for n in range(1, MOST_JOINED + 1)
        for i in range(len(hypothesis) - n + 1)
    }
    if not spans or not words:
        return []
    folded = [word.casefold().replace(" ", "") for word in words]
    likeness = process.cdist(folded, sorted(spans), scorer=fuzz.ratio).max(axis=1)
    order = sorted(range(len(words)), key=lambda i: (-likeness[i], words[i]))
    return [words[i] for i in order if likeness[i] >= LEAST_SIMILARITY][:MOST_WORDS]
