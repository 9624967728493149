"""What a recogniser writes, as columns, and the index of it.

Slots     a slot for each word that is heard, with at most so many alternatives
indexed   Slots -> a segment with sounds, as `std-index` makes it
dumped    Slots -> JSON lines, which `std-index` reads
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.archives.mishearings import Heard
from benchmarks.archives.words import Ints
from indexer.networks.utterances import Utterances
from indexer.segments.invert import invert
from indexer.segments.phone_columns import PhoneColumnBuilder
from std.config import Config
from std.networks import dump
from std.store.resident import ResidentSegment
from std.values import Bools, Float32s, Float64s

AT_ONCE = 100_000  # words that are heard
NO_WORD = -1


class Slots(NamedTuple):
    """Alternatives of some words that are heard, in a table; likeliest first is not needed."""

    word: Ints  # (n, k) or NO_WORD
    posterior: Float64s  # (n, k)
    epsilon: Float64s  # (n,)


# Words that are heard -> a slot for each; one without alternatives is none.
Recognise = Callable[[Ints, Bools, np.random.Generator], Slots]


def recognised(
    heard: Heard, recognise: Recognise, seed: int, *, times_estimated: bool = False
) -> Utterances:
    """Everything that is heard.

    Args:
        recognise: what a recogniser makes of the words and of whether they were misheard.
        times_estimated: whether words have the times of their utterance only, as in captions.
    """
    rng = np.random.default_rng((seed, 5))
    words, posteriors, epsilons, sizes = [], [], [], []
    for begin in range(0, len(heard.word), AT_ONCE):
        rows = slice(begin, begin + AT_ONCE)
        made = _without_duplicates(recognise(heard.word[rows], heard.is_misheard[rows], rng))
        kept = made.word != NO_WORD
        words.append(made.word[kept])
        posteriors.append(made.posterior[kept].astype(np.float32))
        epsilons.append(made.epsilon.astype(np.float32))
        sizes.append(kept.sum(axis=1))
    size = np.concatenate(sizes)
    return _utterances(
        heard,
        size,
        np.concatenate(words),
        np.concatenate(posteriors),
        np.concatenate(epsilons),
        times_estimated=times_estimated,
    )


def _without_duplicates(slots: Slots) -> Slots:
    """A word that a slot has twice gets both posteriors."""
    order = np.argsort(slots.word, axis=1, kind="stable")
    word = np.take_along_axis(slots.word, order, axis=1)
    posterior = np.take_along_axis(slots.posterior, order, axis=1)
    for column in range(word.shape[1] - 1, 0, -1):
        same = word[:, column] == word[:, column - 1]
        posterior[same, column - 1] += posterior[same, column]
        word[same, column] = NO_WORD
    return Slots(word, posterior.clip(max=1), slots.epsilon)


def _utterances(
    heard: Heard,
    size: Ints,
    words: Ints,
    posteriors: Float32s,
    epsilons: Float32s,
    *,
    times_estimated: bool,
) -> Utterances:
    speech = heard.speech
    there = size > 0
    utterance = speech.utterance[heard.said[there]]
    number, bounds = np.unique(utterance, return_index=True)
    start_ms, end_ms = heard.start_ms[there], heard.end_ms[there]
    ends = np.concatenate([bounds[1:], [len(utterance)]])
    spans = np.stack([start_ms[bounds], end_ms[ends - 1]], axis=1)
    errors = np.zeros(len(utterance), np.int32)
    if times_estimated:
        letters = np.array([len(word) for word in speech.words.words])[heard.word[there]]
        start_ms, end_ms = _estimated(letters, bounds, ends, spans)
        begin, end = (np.repeat(side, ends - bounds) for side in spans.T)
        errors = np.maximum(end - start_ms, end_ms - begin).astype(np.int32)
    slot_spans = np.stack([start_ms, end_ms], axis=1).astype(np.int32)
    file = speech.recording_of[number].tolist()
    return Utterances(
        recordings=[speech.recordings[row] for row in file],
        names=[f"{row}-{one}" for row, one in zip(file, number.tolist(), strict=True)],
        languages=[""] * len(number),
        speakers=[""] * len(number),
        spans_ms=spans,
        times_estimated=np.full(len(number), times_estimated),
        bounds=np.concatenate([bounds, [len(utterance)]]).astype(np.int64),
        slot_spans_ms=slot_spans,
        slot_errors_ms=errors,
        epsilons=epsilons[there],
        offsets=np.concatenate([[0], np.cumsum(size[there])]).astype(np.int64),
        vocabulary=speech.words.words,
        words=words,
        posteriors=posteriors,
        word_spans_ms=np.repeat(slot_spans, size[there], axis=0),
    )


def _estimated(letters: Ints, bounds: Ints, ends: Ints, spans: Ints) -> tuple[Ints, Ints]:
    """(n,) start and (n,) end of words that share the time of their utterance by their letters."""
    after = np.cumsum(letters)
    before = after - letters
    first, last = before[bounds], after[ends - 1]
    rate = np.repeat((spans[:, 1] - spans[:, 0]) / (last - first), ends - bounds)
    begin = np.repeat(spans[:, 0], ends - bounds)
    first = np.repeat(first, ends - bounds)
    start_ms = (begin + (before - first) * rate).astype(np.int64)
    end_ms = (begin + (after - first) * rate).astype(np.int64)
    return start_ms, end_ms


def indexed(utterances: Utterances, config: Config) -> ResidentSegment:
    """The index of it."""
    columns = invert(utterances, config.text)
    return ResidentSegment("all", replace(columns, extra=PhoneColumnBuilder(config)(columns)))


def dumped(utterances: Utterances, path: Path) -> None:
    """Write JSON lines."""
    with path.open("wb") as sink:
        dump(utterances, sink)
