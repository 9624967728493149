"""A layer learned from words of doubtful times hears the phones of other recordings."""

import numpy as np
import pytest

from indexer.phone_layer.layer import (
    FrameReader,
    PhoneLayer,
    blocks,
    by_folds,
    fits_of,
    layer_of,
    log_softmax,
)
from indexer.phone_layer.learning import (
    JUDGED_MS,
    TrainingRecording,
    folds_of,
    learn,
    targets,
)
from indexer.phone_layer.sources import PronouncedWords
from std.sound.columns import Encoder

ENCODER = Encoder("whisper", "ab")
PHONES = ("a", "b", "c", "d", "e")
MEANS = np.random.default_rng(7).standard_normal((len(PHONES) + 1, 12)) * 2 + 5


def recording(seed, *, words=60, shift_ms=0, said=None):
    """Words of two to four phones of two to six frames each, whose times are up to 40 ms off."""
    rng = np.random.default_rng(seed)
    classes, begins, ends, phones, lengths = [0] * 5, [], [], [], []
    for _ in range(words):
        mine = rng.integers(0, len(PHONES), rng.integers(2, 5))
        begins.append(len(classes) * 20 + int(rng.integers(-40, 41)))
        for phone in mine.tolist():
            classes += [phone + 1] * int(rng.integers(2, 7))
        ends.append(len(classes) * 20 + int(rng.integers(-40, 41)))
        classes += [0] * int(rng.integers(0, 4))
        phones += (mine if said is None else rng.integers(0, len(PHONES), len(mine))).tolist()
        lengths.append(len(mine))
    frames = (MEANS[classes] + rng.standard_normal((len(classes), 12))).astype(np.float32)
    spoken = PronouncedWords(
        np.array(begins) + shift_ms,
        np.array(ends) + shift_ms,
        np.cumsum([0, *lengths]),
        np.array(phones, np.uint8),
        np.ones(words, bool),
    )
    return frames, spoken, np.array(classes)


def reader(frames):
    return FrameReader(len(frames), lambda first, end: frames[first:end])


def training(recordings):
    folds = folds_of([len(frames) for frames, *_ in recordings], 20)
    return [
        TrainingRecording(
            reader(frames),
            targets(words, len(frames), 0, 20),
            targets(words, len(frames), 0, 20, JUDGED_MS),
            fold,
        )
        for (frames, words, _), fold in zip(recordings, folds, strict=True)
    ]


@pytest.mark.parametrize("n", [1, 5])
def test_phones_are_heard_that_no_layer_was_told(n):
    learned = learn(training([recording(i, words=300 // n) for i in range(n)]), PHONES, ENCODER)
    frames, _, classes = recording(99)
    heard = learned.whole.log_posteriors(reader(frames)).argmax(axis=1)
    assert (heard == classes).mean() > 0.95
    assert learned.right > 0.9
    assert learned.whole.phones == PHONES


def test_words_that_were_not_said_teach_nothing():
    learned = learn(training([recording(i, said="others") for i in range(5)]), PHONES, ENCODER)
    assert learned.right < 0.5


def test_no_layer_saw_the_fold_that_it_judges():
    """Another fold's words change a layer, those of its own fold do not."""
    recordings = [recording(i) for i in range(4)]
    before = learn(training(recordings), PHONES, ENCODER)
    recordings[3] = recording(3, said="others")
    after = learn(training(recordings), PHONES, ENCODER)
    changed = [
        np.abs(one.weights - other.weights).max() > 1e-3
        for one, other in zip(before.layers, after.layers, strict=True)
    ]
    assert changed[:3] == [True, True, True]
    # A layer without recording 3 learns from it only through how others were aligned: not at all.
    frames, *_ = recording(50)
    one, other = (learned.layers[3].log_posteriors(reader(frames)) for learned in (before, after))
    assert (one.argmax(axis=1) == other.argmax(axis=1)).mean() > 0.9


def test_classes_are_judged_as_by_their_normal_densities():
    """Against the densities themselves, with the covariance written out."""
    rng = np.random.default_rng(1)
    classes = np.repeat(np.arange(3), (50, 30, 20))
    inputs = (rng.standard_normal((3, 4))[classes] * 3 + rng.standard_normal((100, 4))).astype("f4")
    weights, bias = layer_of(*sums_of(inputs.astype(float), np.eye(3)[classes]))
    means = np.stack([inputs[classes == k].mean(axis=0) for k in range(3)])
    within = sum(
        np.cov(inputs[classes == k].T, bias=True) * (classes == k).mean() for k in range(3)
    )
    within += 0.05 * np.diag(inputs.var(axis=0))
    inverse, log_share = np.linalg.inv(within), np.log(np.array([51, 31, 21]) / 103)
    densities = [
        [-0.5 * (x - m) @ inverse @ (x - m) + s for m, s in zip(means, log_share, strict=True)]
        for x in inputs.astype(float)
    ]
    np.testing.assert_allclose(
        log_softmax((inputs @ weights + bias).astype("f4")),
        log_softmax(np.array(densities)),
        atol=1e-3,
    )


def sums_of(inputs, shares):
    """Counts, sums and products of inputs that are divided between classes."""
    return shares.sum(axis=0), shares.T @ inputs, (inputs * shares.sum(axis=1)[:, None]).T @ inputs


def test_a_frame_that_is_half_of_two_classes_is_as_two_frames_at_half_their_weight():
    rng = np.random.default_rng(2)
    inputs, shares = rng.standard_normal((40, 3)), rng.dirichlet([0.2] * 4, 40)
    rows, classes = np.divmod(np.arange(160), 4)
    twice = np.where(np.arange(4) == classes[:, None], shares[rows], 0.0)
    for one, other in zip(
        layer_of(*sums_of(inputs, shares)), layer_of(*sums_of(inputs[rows], twice)), strict=True
    ):
        np.testing.assert_allclose(one, other, atol=1e-9)


def test_a_phone_that_nobody_says_is_never_likeliest():
    inputs = np.random.default_rng(0).standard_normal((60, 3)).astype("f4")
    inputs[:30] += 4
    weights, bias = layer_of(*sums_of(inputs, np.eye(3)[np.repeat([0, 1], 30)]))
    assert (inputs @ weights + bias).argmax(axis=1).max() < 2


def test_folds_deal_blocks_of_half_a_minute():
    short, long = folds_of([9, 1500 * 9], 20)
    assert set(short.tolist()) == {0}
    assert long[::1500].tolist() == [1, 2, 3, 4, 5, 6, 7, 0, 1]


def test_each_frame_is_heard_by_the_layer_of_its_fold(monkeypatch):
    monkeypatch.setattr("indexer.phone_layer.layer.BLOCK", 6)
    rng = np.random.default_rng(4)
    layers = [
        PhoneLayer(ENCODER, ("a",), *(rng.standard_normal(n).astype("f4") for n in ((6, 2), 2, 2)))
        for _ in range(3)
    ]
    frames, folds = rng.standard_normal((20, 2)).astype("f4"), rng.integers(0, 3, 20)
    said = by_folds(layers, folds, reader(frames))
    for row, fold in enumerate(folds.tolist()):
        np.testing.assert_allclose(
            said[row], layers[fold].log_posteriors(reader(frames))[row], atol=1e-5
        )


def test_frames_are_seen_between_their_neighbours():
    ((where, inputs),) = blocks(reader(np.array([[1], [2], [3]], np.float32)))
    assert where == slice(0, 3)
    assert inputs.tolist() == [[1, 1, 2], [1, 2, 3], [2, 3, 3]]
    assert not [*blocks(reader(np.empty((0, 1), np.float32)))]


def test_blocks_of_a_long_recording_are_those_of_one(monkeypatch):
    frames = np.arange(20, dtype=np.float32)[:, None]
    ((_, whole),) = blocks(reader(frames))
    monkeypatch.setattr("indexer.phone_layer.layer.BLOCK", 6)
    places, parts = zip(*blocks(reader(frames)), strict=True)
    assert [len(one) for one in parts] == [6, 6, 6, 2]
    assert places[-1] == slice(18, 20)
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_a_layer_says_probabilities():
    rng = np.random.default_rng(5)
    weights, bias = rng.standard_normal((6, 3)).astype("f4"), np.zeros(3, "f4")
    layer = PhoneLayer(ENCODER, ("a", "b"), weights, bias, np.full(3, 1 / 3, "f4"))
    said = layer.log_posteriors(reader(rng.standard_normal((8, 2)).astype("f4")))
    np.testing.assert_allclose(np.exp(said).sum(axis=1), 1, atol=1e-6)


def test_what_is_frequent_fits_no_better():
    posteriors = np.log(np.array([[0.8, 0.2]], np.float32))
    fits = fits_of(posteriors, np.array([0.8, 0.2], np.float32))
    np.testing.assert_allclose(fits, [[0, -np.log(2)]], atol=1e-6)  # half of log 4 is left
    assert fits_of(np.array([[0, -99]], np.float32), np.array([0.5, 0.5], "f4")).min() == -10


def test_no_frames_at_all_make_all_classes_equally_likely():
    """As where all words of an archive lie in one fold."""
    weights, bias = layer_of(np.zeros(3), np.zeros((3, 5)), np.zeros((5, 5)))
    assert (weights == 0).all()
    assert np.ptp(bias) == 0
