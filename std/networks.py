"""Confusion networks: slots from the hypotheses of an n-best list, and networks as lines of text.

    aligned         hypotheses -> the places of their words in slots
    network_line    network -> the object of its line
    dump            networks -> lines: one JSON object for each utterance, times in seconds

Each hypothesis is aligned with the slots of the earlier ones at minimum cost: equal words cost
nothing, and words without common time cost most. A word that fits no slot opens a new one.
`indexer.formats.readers.jsonl` reads the lines and describes the format; docs/formats.md is the
contract.

Source: the alignment of ROVER, Fiscus, "A post-processing system to yield reduced word error
rates" (1997), with time overlap as in NIST's SCTK.
"""

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from std.values import ConfusionNetwork

GAP_COST = 0.6  # two gaps cost more than the worst substitution, so that words compete if possible
MAX_CELLS = 10_000_000  # of all alignments: some ten seconds


class TimedWord(NamedTuple):
    """A word of a hypothesis; NaN = time unknown."""

    token: str
    start_s: float
    end_s: float


Place = tuple[int, int]  # hypothesis, position of the word in it


class _Slot:
    """Competing words; the first word determines the time."""

    __slots__ = ("first", "places", "tokens")

    def __init__(self, first: TimedWord, place: Place) -> None:
        self.first, self.places, self.tokens = first, [place], {first.token}

    def add(self, word: TimedWord, place: Place) -> None:
        self.places.append(place)
        self.tokens.add(word.token)


def aligned(hypotheses: Sequence[Sequence[TimedWord]]) -> list[list[Place]]:
    """Align hypotheses, the best first.

    Returns:
        Slots in order; each names at most one word of each hypothesis.

    Raises:
        ValueError: the hypotheses differ too much to belong to one utterance.
    """
    slots: list[_Slot] = []
    cells = 0
    for number, words in enumerate(hypotheses):
        same, n, m = _differing(slots, words)
        cells += (n - same) * (m - same)
        if cells > MAX_CELLS:
            raise ValueError(f"{len(hypotheses)} that differ in too many words")
        inner = _aligned(slots[same:n], words[same:m])
        pairs: list[tuple[int | None, int | None]] = [(i, i) for i in range(same)]
        pairs += [(i if i is None else same + i, j if j is None else same + j) for i, j in inner]
        pairs += zip(range(n, len(slots)), range(m, len(words)), strict=True)
        slots = [_merged(None if i is None else slots[i], number, j, words) for i, j in pairs]
    return [slot.places for slot in slots]


def _differing(slots: Sequence[_Slot], words: Sequence[TimedWord]) -> tuple[int, int, int]:
    """Return where slots and words begin and end to differ.

    Equal words at either end belong together in a best alignment.
    """
    same, n, m = 0, len(slots), len(words)
    while same < min(n, m) and _cost(slots[same], words[same]) == 0:
        same += 1
    while n > same < m and _cost(slots[n - 1], words[m - 1]) == 0:
        n, m = n - 1, m - 1
    return same, n, m


def _merged(slot: _Slot | None, number: int, at: int | None, words: Sequence[TimedWord]) -> _Slot:
    """Join a slot (or None) and a word (or None)."""
    if at is not None and slot is not None:
        slot.add(words[at], (number, at))
    if slot is None:
        assert at is not None  # nothing to align
        slot = _Slot(words[at], (number, at))
    return slot


def _aligned(
    slots: Sequence[_Slot], words: Sequence[TimedWord]
) -> list[tuple[int | None, int | None]]:
    """Return the aligned pairs of slot and word, in order; None = a gap."""
    n, m = len(slots), len(words)
    costs = [[GAP_COST * (i + j) for j in range(m + 1)] for i in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            costs[i][j] = min(
                costs[i - 1][j - 1] + _cost(slots[i - 1], words[j - 1]),
                costs[i - 1][j] + GAP_COST,
                costs[i][j - 1] + GAP_COST,
            )
    pairs: list[tuple[int | None, int | None]] = []
    i, j = n, m
    while i or j:
        if i and j and costs[i][j] == costs[i - 1][j - 1] + _cost(slots[i - 1], words[j - 1]):
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif i and (j == 0 or costs[i][j] == costs[i - 1][j] + GAP_COST):
            i -= 1
            pairs.append((i, None))
        else:
            j -= 1
            pairs.append((None, j))
    return pairs[::-1]


def _cost(slot: _Slot, word: TimedWord) -> float:
    """Cost of a word in a slot: 0 the same at the same time .. 1 another at another time."""
    apart = 1 - _overlap(slot.first, word)
    return apart / 2 if word.token in slot.tokens else (1 + apart) / 2


def _overlap(one: TimedWord, other: TimedWord) -> float:
    """Shared time as a part of the shorter word's; 1 where times are unknown."""
    shared = min(one.end_s, other.end_s) - max(one.start_s, other.start_s)
    shorter = min(one.end_s - one.start_s, other.end_s - other.start_s)
    if math.isnan(shared) or math.isnan(shorter):
        return 1.0
    return min(1.0, max(0.0, shared) / shorter) if shorter > 0 else float(shared >= 0)


def network_line(network: ConfusionNetwork) -> dict[str, Any]:
    """The object that a network's line holds."""
    known = network.slot_errors_ms
    errors = [0] * len(network) if known is None else known.tolist()
    return {
        "utt": network.utterance,
        "file": network.recording.file,
        "channel": network.recording.channel,
        "start": network.start_ms / 1000,
        "end": network.end_ms / 1000,
        **({"language": network.language} if network.language else {}),
        **({"speaker": network.speaker} if network.speaker else {}),
        "slots": [
            {
                "s": start / 1000,
                "e": end / 1000,
                "eps": _short(epsilon),
                **({"err": error / 1000} if error else {}),
                "w": [[w, _short(p), s / 1000, e / 1000] for w, p, s, e in words],
            }
            for (start, end, epsilon, words), error in zip(network, errors, strict=True)
        ],
    }


def dump(networks: Iterable[ConfusionNetwork], stream: BinaryIO) -> None:
    """Write networks, one per line."""
    for network in networks:
        stream.write(json.dumps(network_line(network), ensure_ascii=False).encode() + b"\n")


def _short(value: float) -> float:
    """Return the shortest decimal that is still the same float32."""
    return float(np.format_float_positional(np.float32(value), unique=True, trim="0"))
