"""Times for hypotheses without times, from a hypothesis of the same window that has times.

    timed_by    each word gets the time of the letters that it is aligned with

Texts are aligned letter by letter (fewest edits), because hypotheses differ in where words begin:
"whitmore" takes the time of "with more". Letters of a word share its time equally.
"""

from collections.abc import Sequence

import numpy as np
from rapidfuzz.distance import Levenshtein

from std.n_best import TimedWord
from std.values import Float64s

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
