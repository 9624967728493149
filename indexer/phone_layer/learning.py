"""Learn a phone layer from recordings with words.

folds_of  the fold of each frame of several recordings
learn     rounds of layers and alignments -> Learned
targets   words -> Targets: the states that each frame may have
aligned   how well each frame fits each phone, Targets -> the phone of each frame (Viterbi)

No layer is applied to a frame that it was learned from. Recordings are dealt to four folds in the
order of their names; if they are fewer than four, blocks of 30 s are dealt instead. At first the
phones of a word share its time evenly. In each round a layer learned from three folds is applied to
the fourth, and the words of the fourth are aligned with its output; the next round learns from
that.

A recording is a row of states: silence, the phones of the first word, silence, and so on. Each
state holds one frame or more between its bounds, silence may be left out. Words may begin and end
`SLACK_MS` earlier or later than the recogniser says. What a layer gets right is measured where they
move by `JUDGED_MS` at most: words that nobody said fit somewhere, too, if they may move far. A word
that is not used to learn (no phones, more phones than frames, estimated times) is one state with
exactly its frames.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from indexer.phone_layer.layer import (
    ClassSums,
    FrameReader,
    PhoneLayer,
    blocks,
    class_sums,
    fits_of,
    layer_of,
    log_softmax,
    no_sums,
    shrunk,
)
from indexer.phone_layer.sources import PronouncedWords
from std.execution.compiled import compiled
from std.sound.columns import Encoder
from std.store.columns import Int64s
from std.values import Float32s, freeze

NEVER = -1e30  # nats; below any alignment

SLACK_MS = 300
JUDGED_MS = 60
SILENCE, ANYTHING = 0, -1  # phones are 1, 2, ...


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """States of a recording in order; the evenly spread frames are one way through them."""

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
        n_frames: how many frames it has.
        start_ms: when the first one begins.
        frame_ms: how long each is.
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
    return Targets(np.array(states), np.array(first), np.array(end), spread)


def aligned(fits: Float32s, targets: Targets) -> Int64s:
    """(n,) the phone, SILENCE or ANYTHING that each frame is.

    Args:
        fits: (n, k) nats, how well each frame fits silence and each phone; at most 0.
        targets: the targets of the frames.
    """
    if not len(fits):
        return np.empty(0, np.int64)
    states = targets.states
    return states[_path(fits, states, targets.first, targets.end)]


@compiled
def _path(fits: Float32s, states: Int64s, first: Int64s, end: Int64s) -> Int64s:
    """(n,) the state of each frame on the best path; a step skips at most one silence."""
    n, s = len(fits), len(states)
    low, high = np.full(n, s), np.full(n, -1)  # the states that each frame may be in
    for state in range(s):
        for frame in range(first[state], end[state]):
            low[frame] = min(low[frame], state)
            high[frame] = state
    begins = np.zeros(n + 1, np.int64)  # of each frame's steps
    for frame in range(n):
        begins[frame + 1] = begins[frame] + high[frame] - low[frame] + 1
    steps = np.zeros(begins[n], np.int8)
    before, now = np.full(s, NEVER), np.full(s, NEVER)
    for frame in range(n):
        for state in range(low[frame], high[frame] + 1):
            now[state] = NEVER
            if frame < first[state] or frame >= end[state]:
                continue
            step, best = 0, before[state]
            if frame == 0:
                step, best = (
                    state,
                    (0.0 if state == 0 or (state == 1 and states[0] == SILENCE) else NEVER),
                )
            else:
                if state >= 1 and before[state - 1] > best:
                    step, best = 1, before[state - 1]
                if state >= 2 and states[state - 1] == SILENCE and before[state - 2] > best:
                    step, best = 2, before[state - 2]
            fit = 0.0 if states[state] == ANYTHING else fits[frame, states[state]]
            now[state] = best + fit
            steps[begins[frame] + state - low[frame]] = step
        if frame > 0:
            before[low[frame - 1] : high[frame - 1] + 1] = NEVER
        before, now = now, before
    state = s - 1
    if s > 1 and states[s - 1] == SILENCE and before[s - 2] > before[s - 1]:
        state = s - 2
    path = np.empty(n, np.int64)
    for frame in range(n - 1, -1, -1):
        path[frame] = state
        if frame:
            state -= steps[begins[frame] + state - low[frame]]
    return path


FOLDS = 4
BLOCK_MS = 30_000
ALIGNMENT_ROUNDS = 6
POSTERIOR_SCALE = 0.5  # of a layer: frames in a row are alike, so its posteriors are too extreme


def folds_of(lengths: Sequence[int], frame_ms: int) -> list[Int64s]:
    """For each recording the fold of each frame, from 0 to 3.

    Args:
        lengths: numbers of frames of the recordings, in the order of their names.
        frame_ms: the length of a frame in ms.
    """
    if len(lengths) >= FOLDS:
        return [np.full(length, row % FOLDS) for row, length in enumerate(lengths)]
    block = max(BLOCK_MS // frame_ms, 1)
    return [(np.arange(length) // block + row) % FOLDS for row, length in enumerate(lengths)]


class TrainingRecording(NamedTuple):
    """A recording with words to learn from."""

    reader: FrameReader
    targets: Targets
    judged: Targets  # the same with words that move by `JUDGED_MS` at most
    folds: Int64s  # (n,)


class Classifier(NamedTuple):
    """A layer while it is learned: for frames in context, less their origin."""

    weights: Float32s  # (3 d, k)
    bias: Float32s  # (k,)
    shares: Float32s  # (k,) of the frames it was learned from


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
    classes = [recording.targets.spread for recording in training]
    before = [np.full_like(one, ANYTHING) for one in classes]
    of_folds = [no_sums(len(phones) + 1, len(origin)) for _ in range(FOLDS)]
    for _ in range(ALIGNMENT_ROUNDS):
        of_folds = _moved(of_folds, training, before, classes, origin)
        classifiers = [_classifier(of_folds, fold) for fold in range(FOLDS)]
        heard = [_heard(recording, classifiers, origin) for recording in training]
        shares = np.stack([one.shares for one in classifiers])
        fits = [
            fits_of(log_softmax(scores), shares[recording.folds])
            for recording, scores in zip(training, heard, strict=True)
        ]
        before = classes
        classes = [
            aligned(one, recording.targets) for one, recording in zip(fits, training, strict=True)
        ]
        if all(map(np.array_equal, before, classes)):  # further rounds would change nothing
            break
    judged = [aligned(one, recording.judged) for one, recording in zip(fits, training, strict=True)]
    *layers, whole = (
        _layer(one, origin, phones, encoder)
        for one in (*classifiers, _classifier(of_folds, without=None))
    )
    frames = int(sum(one.counts.sum() for one in of_folds))
    return Learned(tuple(layers), whole, _right(heard, judged), frames)


def _moved(
    of_folds: Sequence[ClassSums],
    training: Sequence[TrainingRecording],
    before: Sequence[Int64s],
    now: Sequence[Int64s],
    origin: Float32s,
) -> list[ClassSums]:
    """The sums over each fold when frames have other classes than before.

    After the first rounds few have; most of the time would go into products of inputs.
    """
    sums = list(of_folds)
    for recording, old, new in zip(training, before, now, strict=True):
        changed = old != new
        for here, inputs in blocks(recording.reader):
            for fold in np.unique(recording.folds[here][changed[here]]).tolist():
                mine = changed[here] & (recording.folds[here] == fold)
                moved, n_classes = inputs[mine] - origin, len(sums[fold].counts)
                sums[fold] += class_sums(moved, new[here][mine], n_classes)
                sums[fold] -= class_sums(moved, old[here][mine], n_classes)
    return sums


def _classifier(of_folds: Sequence[ClassSums], without: int | None) -> Classifier:
    """The layer of all folds but one; None: of all."""
    sums = sum(
        (one for fold, one in enumerate(of_folds) if fold != without),
        no_sums(*of_folds[0].sums.shape),
    )
    weights, bias = layer_of(sums)
    shares = (sums.counts + 1) / (sums.counts + 1).sum()
    return Classifier(
        weights.astype(np.float32), bias.astype(np.float32), shares.astype(np.float32)
    )


def _heard(
    recording: TrainingRecording, classifiers: Sequence[Classifier], origin: Float32s
) -> Float32s:
    """(n, k) scores of the classes of each frame, by the classifier that did not see it."""
    scores = np.empty((recording.reader.n_frames, len(classifiers[0].bias)), np.float32)
    for here, inputs in blocks(recording.reader):
        for fold in np.unique(recording.folds[here]).tolist():
            mine = recording.folds[here] == fold
            weights, bias, _ = classifiers[fold]
            scores[here][mine] = (inputs[mine] - origin) @ weights + bias
    return scores


def _right(heard: Sequence[Float32s], classes: Sequence[Int64s]) -> float:
    """The share of words' frames whose likeliest class is the aligned one."""
    right = frames = 0
    for scores, of_frames in zip(heard, classes, strict=True):
        of_words = of_frames > SILENCE
        right += int((scores.argmax(axis=1) == of_frames)[of_words].sum())
        frames += int(of_words.sum())
    return right / max(frames, 1)


def _layer(
    classifier: Classifier,
    origin: Float32s,
    phones: Sequence[str],
    encoder: Encoder,
) -> PhoneLayer:
    """A classifier as a layer for frames with their origin, with its scores scaled."""
    weights = POSTERIOR_SCALE * classifier.weights.astype(np.float64)
    bias = POSTERIOR_SCALE * classifier.bias - origin.astype(np.float64) @ weights
    return PhoneLayer(
        encoder,
        tuple(phones),
        weights.astype(np.float32),
        bias.astype(np.float32),
        classifier.shares,
    )
