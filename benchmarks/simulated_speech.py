"""Simulated speech: a text that people wrote, as if it had been spoken and recognised.

    utterances    TEXT, a plain text with an utterance a line -> the words of each utterance
    simulated     the words -> networks and their transcript, as a simulated recogniser
                  (`benchmarks.simulated_recognisers`) has them; 65 ms a letter, with a deviation
                  of a fifth

False hits come from real sentences, with their inflections and compounds. Use it for what changes
with the size of an archive, not for accuracy.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from std.values import ConfusionNetwork, Recording

WORD = re.compile(r"[^\W\d_]+")
LONGEST = 25  # words of an utterance
MS_A_WORD, MS_A_LETTER, DEVIATION = 400, 65, 0.2
HOUR_MS = 3_600_000


class Said(NamedTuple):
    """A word of the haystack's transcript."""

    file: str
    start_ms: int
    end_ms: int
    word: str


class Slot(NamedTuple):
    """What a recogniser writes for a word."""

    alternatives: Mapping[str, float]  # and their posteriors
    epsilon: float  # posterior of no word


# The words of an utterance -> a slot for each.
Recognise = Callable[[Sequence[str], np.random.Generator], list[Slot]]


def utterances(text: Path, hours: float, absent: Collection[Sequence[str]] = ()) -> list[list[str]]:
    """The words of the text, so many hours of them, without the lines that say what is absent."""
    lines = text.read_text(encoding="utf-8").lower().splitlines()
    left, found = int(hours * HOUR_MS / MS_A_WORD), []
    unwanted = {tuple(phrase) for phrase in absent}
    lengths = sorted({len(phrase) for phrase in unwanted})
    for line in lines:
        said = WORD.findall(line)
        runs = (tuple(said[i : i + n]) for n in lengths for i in range(len(said) - n + 1))
        if not unwanted.isdisjoint(runs):
            continue
        words = iter(said)
        while left > 0 and (part := list(islice(words, min(LONGEST, left)))):
            found.append(part)
            left -= len(part)
    return found


def simulated(
    spoken: Sequence[Sequence[str]], recognise: Recognise
) -> tuple[list[ConfusionNetwork], list[Said]]:
    """Networks of the spoken words, and their transcript.

    Args:
        spoken: words of each utterance.
        recognise: what a recogniser makes of them.
    """
    rng = np.random.default_rng(1)
    networks, transcript = [], []
    hour, now_ms = 0, 0
    for number, words in enumerate(spoken):
        if now_ms > HOUR_MS:
            hour, now_ms = hour + 1, 0
        file, n = f"HAYSTACK_{hour:04d}", len(words)
        letters = np.array([max(2, len(word)) for word in words])
        ends = now_ms + np.cumsum(
            (MS_A_LETTER * letters * np.exp(DEVIATION * rng.standard_normal(n))).astype(int) + 20
        )
        begins = np.concatenate([[now_ms], ends[:-1]])
        slots = recognise(words, rng)
        sizes = [len(slot.alternatives) for slot in slots]
        spans = np.stack([begins, ends], axis=1).astype(np.int32)
        networks.append(
            ConfusionNetwork(
                Recording(file, 1), f"{file}-{number}", int(begins[0]), int(ends[-1]), spans,
                np.array([slot.epsilon for slot in slots], np.float32),
                np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
                tuple(word for slot in slots for word in slot.alternatives),
                np.array([p for slot in slots for p in slot.alternatives.values()], np.float32),
                np.repeat(spans, sizes, axis=0),
            )
        )  # fmt: skip
        transcript += map(Said, [file] * n, begins.tolist(), ends.tolist(), words)
        now_ms = int(ends[-1]) + 200
    return networks, transcript
