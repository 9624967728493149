"""Several hypotheses of one utterance, word by word side by side: n-best lists become slots.

Each hypothesis is aligned to the slots made of those before it by minimum cost, where words that
are the same cost nothing and words that share no time cost most; what fits no slot opens one.

Source: the alignment of ROVER, Fiscus, "A post-processing system to yield reduced word error
rates" (1997), with time overlap as in NIST's SCTK.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

GAP_COST = 0.6  # two gaps cost more than the worst substitution: words compete where they can
MOST_CELLS = 4_000_000  # words of one times words of the other: some ten seconds


class TimedWord(NamedTuple):
    """A word of a hypothesis; NaN = time unknown."""

    token: str
    start_s: float
    end_s: float


Place = tuple[int, int]  # hypothesis, position of the word in it


def aligned(hypotheses: Sequence[Sequence[TimedWord]]) -> list[list[Place]]:
    """Align hypotheses, the best first.

    Returns:
        Slots in order; each names at most one word of each hypothesis.

    Raises:
        ValueError: they are too long to be those of an utterance.
    """
    slots: list[list[Place]] = []
    for number, words in enumerate(hypotheses):
        slots = _with(slots, number, words, hypotheses)
    return slots


def _with(
    slots: list[list[Place]],
    number: int,
    words: Sequence[TimedWord],
    hypotheses: Sequence[Sequence[TimedWord]],
) -> list[list[Place]]:
    """Align one more hypothesis to the slots."""
    heads = [[hypotheses[h][w] for h, w in slot] for slot in slots]
    n, m = len(slots), len(words)
    same = 0  # from the beginning, then to the end: what costs nothing is in a best alignment
    while same < min(n, m) and _cost(heads[same], words[same]) == 0:
        same += 1
    while n > same < m and _cost(heads[n - 1], words[m - 1]) == 0:
        n, m = n - 1, m - 1
    inner = _aligned(heads[same:n], words[same:m])
    pairs: list[tuple[int | None, int | None]] = [(i, i) for i in range(same)]
    pairs += [(i if i is None else same + i, j if j is None else same + j) for i, j in inner]
    pairs += zip(range(n, len(slots)), range(m, len(words)), strict=True)
    return [
        [*([] if i is None else slots[i]), *([] if j is None else [(number, j)])] for i, j in pairs
    ]


def _aligned(
    heads: Sequence[Sequence[TimedWord]], words: Sequence[TimedWord]
) -> list[tuple[int | None, int | None]]:
    """Return which slot and which word stand side by side, in order; None = a gap."""
    n, m = len(heads), len(words)
    if n * m > MOST_CELLS:
        raise ValueError(f"hypotheses that differ in {n} and {m} words")
    costs = [[GAP_COST * (i + j) for j in range(m + 1)] for i in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            costs[i][j] = min(
                costs[i - 1][j - 1] + _cost(heads[i - 1], words[j - 1]),
                costs[i - 1][j] + GAP_COST,
                costs[i][j - 1] + GAP_COST,
            )
    pairs: list[tuple[int | None, int | None]] = []
    i, j = n, m
    while i or j:
        if i and j and costs[i][j] == costs[i - 1][j - 1] + _cost(heads[i - 1], words[j - 1]):
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif i and (j == 0 or costs[i][j] == costs[i - 1][j] + GAP_COST):
            i -= 1
            pairs.append((i, None))
        else:
            j -= 1
            pairs.append((None, j))
    return pairs[::-1]


def _cost(slot: Sequence[TimedWord], word: TimedWord) -> float:
    """Cost of a word in a slot: 0 the same at the same time .. 1 another at another time."""
    apart = 1 - _overlap(slot[0], word)
    return apart / 2 if any(one.token == word.token for one in slot) else (1 + apart) / 2


def _overlap(one: TimedWord, other: TimedWord) -> float:
    """Shared time as a part of the shorter word's; 1 where times are unknown."""
    shared = min(one.end_s, other.end_s) - max(one.start_s, other.start_s)
    shorter = min(one.end_s - one.start_s, other.end_s - other.start_s)
    if math.isnan(shared) or math.isnan(shorter):
        return 1.0
    return min(1.0, max(0.0, shared) / shorter) if shorter > 0 else float(shared >= 0)
