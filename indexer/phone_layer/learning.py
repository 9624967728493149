"""Learn a phone layer from recordings with words.

folds_of     the fold of each frame of several recordings
learn        rounds of layers and alignments -> Learned
targets      words -> Targets: the states that each frame may have
occupancies  the fit of each frame to each phone, Targets -> the probability of each phone

No layer is applied to a frame that it was learned from. Blocks of 30 s are dealt to eight folds, so
that each layer is learned from every speaker. At first the phones of a word share its time evenly.
In each round the layers learned without a fold are applied to it, and its frames are divided
between the phones of its words as they fit; the next round learns from that.

A recording is a sequence of states: silence, the phones of the first word, silence, and so on. Each
state has one frame or more between its bounds; silence may be left out. Every path through the
states is weighted by the fit of its frames (the forward-backward algorithm: Baum et al., "A
maximization technique occurring in the statistical analysis of probabilistic functions of Markov
chains", 1970). Words may begin and end `SLACK_MS` earlier or later than the recogniser says. The
share of frames that a layer gets right is measured with words that move by `JUDGED_MS` at most,
because words that were not said also fit somewhere if they may move far. A word that is not used to
learn (no phones, more phones than frames, estimated times) is one state with exactly its frames.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from indexer.phone_layer.layer import (
    FrameReader,
    PhoneLayer,
    blocks,
    by_folds,
    fits_of,
    layer_of,
    shrunk,
)
from indexer.phone_layer.sources import PronouncedWords
from std.execution.compiled import compiled, compiled_within
from std.sound.columns import Encoder
from std.values import Float32s, Float64s, Int64s, freeze

NEVER = -1e30  # nats; below any way

SLACK_MS = 300
JUDGED_MS = 60
SILENCE, ANYTHING = 0, -1  # phones are 1, 2, ...


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """States of a recording in order; the evenly spread frames are one path through them."""

    states: Int64s  # (s,) SILENCE, ANYTHING, or a phone's row of the inventory, from 1
    first: Int64s  # (s,) the first frame that a state may hold
    end: Int64s  # (s,) one past the last
    spread: Int64s  # (n,) the state of each frame, if phones share a word's time evenly

    def __post_init__(self) -> None:
        freeze(self)


def targets(
    words: PronouncedWords, n_frames: int, start_ms: int, frame_ms: int, slack_ms: int = SLACK_MS
) -> Targets:
    """The states of a recording's frames.

    Args:
        words: the words of the recording.
        n_frames: the number of its frames.
        start_ms: the start of the first frame.
        frame_ms: the length of a frame.
        slack_ms: how much earlier or later a word may begin and end.
    """
    slack = round(slack_ms / frame_ms)
    begins, ends = (
        np.clip(np.rint((times_ms - start_ms) / frame_ms).astype(np.int64), 0, n_frames)
        for times_ms in (words.begin_ms, words.end_ms)
    )
    states, first, end = [SILENCE], [0], [n_frames]
    spread = np.full(n_frames, SILENCE)
    free = 0  # the first frame after the words so far
    for word in np.argsort(begins, kind="stable").tolist():
        begin, last = max(int(begins[word]), free), int(ends[word])
        if last <= begin:
            continue
        phones = words.phones[words.offsets[word] : words.offsets[word + 1]].astype(np.int64) + 1
        is_used = words.timed[word] and 0 < len(phones) <= last - begin
        room = slack if is_used else 0
        if not is_used:
            phones = np.array([ANYTHING])
        end[-1] = min(begin + room, n_frames)
        bounds = begin + np.arange(len(phones) + 1) * (last - begin) // len(phones)
        spread[begin:last] = np.repeat(phones, np.diff(bounds))
        states += [*phones.tolist(), SILENCE]
        first += [max(begin - room, 0)] * len(phones) + [max(last - room, 0)]
        end += [min(last + room, n_frames)] * len(phones) + [n_frames]
        free = last
    return _apart(Targets(np.array(states), np.array(first), np.array(end), spread))


def _apart(one: Targets) -> Targets:
    """Targets in which no other state may have a frame of a word that is not used."""
    unused = one.states == ANYTHING
    before = np.maximum.accumulate(np.where(unused, one.end, 0))
    behind = np.minimum.accumulate(np.where(unused, one.first, len(one.spread))[::-1])[::-1]
    first, end = one.first.copy(), one.end.copy()
    first[1:] = np.maximum(first[1:], before[:-1])
    end[:-1] = np.minimum(end[:-1], behind[1:])
    return Targets(one.states, first, end, one.spread)


def occupancies(fits: Float32s, targets: Targets) -> Float32s:
    """(n, k) probabilities of silence and each phone; all 0 in words that are not used.

    Args:
        fits: (n, k) nats, the fit of each frame to silence and each phone; at most 0.
        targets: the targets of the frames.
    """
    if not len(fits):
        return np.empty(fits.shape, np.float32)
    return _occupancies(fits, targets.states, targets.first, targets.end)


@compiled_within
def _log_sum(one: float, other: float, third: float) -> float:
    """The log of the sum of three exponentials."""
    most = max(one, other, third)
    total = np.exp(one - most) + np.exp(other - most) + np.exp(third - most)
    return float(most + np.log(total))


@compiled
def _occupancies(fits: Float32s, states: Int64s, first: Int64s, end: Int64s) -> Float32s:
    """Sums over all paths; a step skips at most one silence."""
    n, s = len(fits), len(states)
    low, high = np.full(n, s), np.full(n, -1)  # the states that each frame may be in
    for state in range(s):
        for frame in range(first[state], end[state]):
            low[frame] = min(low[frame], state)
            high[frame] = state
    begins = np.zeros(n + 1, np.int64)  # of each frame's states
    for frame in range(n):
        begins[frame + 1] = begins[frame] + high[frame] - low[frame] + 1
    ways = np.full(begins[n], NEVER)  # to each state, then through it: log of their sum
    before, now = np.full(s + 2, NEVER), np.full(s + 2, NEVER)
    before[0] = 0.0  # as if silence, which may be left out, were before the first frame
    for frame in range(n):
        for state in range(low[frame], high[frame] + 1):
            now[state] = NEVER
            if first[state] <= frame < end[state]:
                skipped = state >= 2 and states[state - 1] == SILENCE
                total = _log_sum(
                    before[state],
                    before[state - 1] if state >= 1 else NEVER,
                    before[state - 2] if skipped else NEVER,
                )
                fit = 0.0 if states[state] == ANYTHING else fits[frame, states[state]]
                now[state] = total + fit
            ways[begins[frame] + state - low[frame]] = now[state]
        before[low[frame - 1] if frame else 0 : high[frame - 1] + 1 if frame else 1] = NEVER
        before, now = now, before
    before[:] = NEVER
    now[:] = NEVER
    before[s - 1] = 0.0  # now from behind, with silence after the last frame
    found = np.zeros(fits.shape, np.float32)
    for frame in range(n - 1, -1, -1):
        here = ways[begins[frame] : begins[frame + 1]]
        for state in range(low[frame], high[frame] + 1):
            now[state] = NEVER
            if first[state] <= frame < end[state]:
                skipped = state + 2 < s and states[state + 1] == SILENCE
                total = _log_sum(
                    before[state], before[state + 1], before[state + 2] if skipped else NEVER
                )
                fit = 0.0 if states[state] == ANYTHING else fits[frame, states[state]]
                now[state] = total + fit
                here[state - low[frame]] += total
        here -= here.max()
        total = np.exp(here).sum()
        for state in range(low[frame], high[frame] + 1):
            if states[state] != ANYTHING:
                found[frame, states[state]] += np.exp(here[state - low[frame]]) / total
        if frame < n - 1:
            before[low[frame + 1] : high[frame + 1] + 1] = NEVER
        else:
            before[s - 1] = NEVER
        before, now = now, before
    return found


FOLDS = 8
BLOCK_MS = 30_000
ROUNDS = 6
POSTERIOR_SCALE = 0.5  # of a layer: frames in a row are alike, so its posteriors are too extreme


def folds_of(lengths: Sequence[int], frame_ms: int) -> list[Int64s]:
    """For each recording the fold of each frame, from 0 to 7.

    Args:
        lengths: numbers of frames of the recordings, in the order of their names.
        frame_ms: the length of a frame in ms.
    """
    block = max(BLOCK_MS // frame_ms, 1)
    return [(np.arange(length) // block + row) % FOLDS for row, length in enumerate(lengths)]


class TrainingRecording(NamedTuple):
    """A recording with words to learn from."""

    reader: FrameReader
    targets: Targets
    judged: Targets  # the same with words that move by `JUDGED_MS` at most
    folds: Int64s  # (n,)


class FoldSums(NamedTuple):
    """Sums over the frames of each fold."""

    counts: Float64s  # (f, k) of each class
    sums: Float64s  # (f, k, d) of their inputs
    products: Float64s  # (f, d, d) of inputs with each other, over all classes


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """The layers learned from an archive."""

    layers: tuple[PhoneLayer, ...]  # layer f did not see the frames of fold f
    whole: PhoneLayer  # saw all frames
    right: float  # share of the held-out frames of words that a layer gets right
    frames: int  # of words and pauses learned from

    def shrunk(self, earlier: PhoneLayer, weight: float) -> "Learned":
        """The same, with each layer shrunk towards an earlier one; see `layer.shrunk`."""
        layers = tuple(shrunk(layer, earlier, weight) for layer in self.layers)
        return replace(self, layers=layers, whole=shrunk(self.whole, earlier, weight))


def learn(
    training: Sequence[TrainingRecording], phones: Sequence[str], encoder: Encoder
) -> Learned:
    """Learn a layer without each fold, and one of all frames.

    Args:
        training: each with frames.
        phones: the classes of the targets are their rows.
        encoder: the encoder of the frames.
    """
    _, inputs = next(blocks(training[0].reader))
    origin = inputs.mean(axis=0)  # near 0 products are exact
    classes = np.eye(len(phones) + 1, dtype=np.float32)
    products = _products(training, origin)

    def layers_of(occupied: Callable[[TrainingRecording], Float32s]) -> list[PhoneLayer]:
        sums = FoldSums(*_class_sums(training, occupied, origin, len(classes)), products)
        folds = (*range(FOLDS), None)
        return [_layer(sums, fold, origin, phones, encoder) for fold in folds]

    def evenly(recording: TrainingRecording) -> Float32s:
        spread = recording.targets.spread
        return classes[np.maximum(spread, SILENCE)] * (spread >= SILENCE)[:, None]

    layers = layers_of(evenly)
    for _ in range(ROUNDS - 1):
        layers = layers_of(partial(_occupied, layers))
    *of_folds, whole = layers
    used = sum(int((one.targets.spread >= SILENCE).sum()) for one in training)
    return Learned(tuple(of_folds), whole, _right(training, of_folds), used)


def _products(training: Sequence[TrainingRecording], origin: Float32s) -> Float64s:
    """(f, d, d) of each fold, over its frames of silence and of words that are used.

    These are the same in all rounds, and most of the time goes into them.
    """
    products = np.zeros((FOLDS, len(origin), len(origin)))
    for recording in training:
        used = recording.targets.spread >= SILENCE
        for here, inputs in blocks(recording.reader):
            for fold in np.unique(recording.folds[here]).tolist():
                mine = inputs[used[here] & (recording.folds[here] == fold)] - origin
                products[fold] += mine.T @ mine
    return products


def _class_sums(
    training: Sequence[TrainingRecording],
    occupied: Callable[[TrainingRecording], Float32s],
    origin: Float32s,
    n_classes: int,
) -> tuple[Float64s, Float64s]:
    """(f, k) frames of each class of each fold, and (f, k, d) the sums of their inputs."""
    counts, sums = np.zeros((FOLDS, n_classes)), np.zeros((FOLDS, n_classes, len(origin)))
    for recording in training:
        shares = occupied(recording)
        for here, inputs in blocks(recording.reader):
            for fold in np.unique(recording.folds[here]).tolist():
                mine = recording.folds[here] == fold
                counts[fold] += shares[here][mine].sum(axis=0, dtype=np.float64)
                sums[fold] += shares[here][mine].T @ (inputs[mine] - origin)
    return counts, sums


def _layer(
    sums: FoldSums, without: int | None, origin: Float32s, phones: Sequence[str], encoder: Encoder
) -> PhoneLayer:
    """The layer of all folds but one, or of all: for frames with their origin, scores scaled."""
    there = [fold for fold in range(FOLDS) if fold != without]
    counts, *others = (sum((part[fold] for fold in there), np.zeros_like(part[0])) for part in sums)
    weights, bias = layer_of(counts, *others)
    weights, bias = POSTERIOR_SCALE * weights, POSTERIOR_SCALE * bias
    return PhoneLayer(
        encoder,
        tuple(phones),
        weights.astype(np.float32),
        (bias - origin.astype(np.float64) @ weights).astype(np.float32),
        ((counts + 1) / (counts + 1).sum()).astype(np.float32),
    )


def _occupied(layers: Sequence[PhoneLayer], recording: TrainingRecording) -> Float32s:
    """(n, k) probabilities that each frame is silence or each phone."""
    said = by_folds(layers, recording.folds, recording.reader)
    return occupancies(_fits(layers, recording.folds, said), recording.targets)


def _fits(layers: Sequence[PhoneLayer], folds: Int64s, log_posteriors: Float32s) -> Float32s:
    """(n, k) the fit of each frame to each phone, by the layer of its fold."""
    shares = np.stack([layer.shares for layer in layers])[folds]
    return POSTERIOR_SCALE * fits_of(log_posteriors / POSTERIOR_SCALE, shares)


def _right(training: Sequence[TrainingRecording], layers: Sequence[PhoneLayer]) -> float:
    """The share of words' frames whose likeliest class is the one they are aligned with."""
    right = frames = 0.0
    for recording in training:
        said = by_folds(layers, recording.folds, recording.reader)
        of_words = occupancies(_fits(layers, recording.folds, said), recording.judged)
        of_words[:, SILENCE] = 0
        right += float(np.take_along_axis(of_words, said.argmax(axis=1)[:, None], axis=1).sum())
        frames += float(of_words.sum())
    return right / max(frames, 1.0)
