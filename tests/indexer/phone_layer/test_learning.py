"""A layer learned from words of doubtful times hears the phones of other recordings."""

from itertools import product

import numpy as np
import pytest

from indexer.phone_layer.layer import (
    FrameReader,
    PhoneLayer,
    blocks,
    class_sums,
    fits_of,
    layer_of,
    log_softmax,
    no_sums,
)
from indexer.phone_layer.learning import (
    ANYTHING,
    JUDGED_MS,
    SILENCE,
    SLACK_MS,
    TrainingRecording,
    aligned,
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
    weights, bias = layer_of(class_sums(inputs, classes, 3))
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


def test_sums_of_parts_are_those_of_the_whole():
    rng = np.random.default_rng(2)
    inputs, classes = rng.standard_normal((40, 3)).astype("f4"), rng.integers(0, 4, 40)
    parts = no_sums(5, 3) + class_sums(inputs[:9], classes[:9], 5)
    parts += class_sums(inputs[9:], classes[9:], 5)
    whole = class_sums(inputs, classes, 5)
    for name in ("counts", "sums", "products"):
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), atol=1e-4)


def test_sums_of_frames_that_move_are_those_of_their_new_classes():
    """Into other classes, out of all (-1), and back."""
    rng = np.random.default_rng(3)
    inputs = rng.standard_normal((60, 3)).astype("f4")
    begin, end = (rng.integers(-1, 4, 60) for _ in range(2))
    changed = begin != end
    moved = class_sums(inputs, begin, 4) + class_sums(inputs[changed], end[changed], 4)
    moved -= class_sums(inputs[changed], begin[changed], 4)
    slow = [inputs[end == one].sum(axis=0, dtype=float) for one in range(4)]
    np.testing.assert_array_equal(moved.counts, np.bincount(end[end >= 0], minlength=4))
    np.testing.assert_allclose(moved.sums, slow, atol=1e-4)
    told = inputs[end >= 0].astype(float)
    np.testing.assert_allclose(moved.products, told.T @ told, atol=1e-4)


def test_a_phone_that_nobody_says_is_never_likeliest():
    inputs = np.random.default_rng(0).standard_normal((60, 3)).astype("f4")
    inputs[:30] += 4
    weights, bias = layer_of(class_sums(inputs, np.repeat([0, 1], 30), 3))
    assert (inputs @ weights + bias).argmax(axis=1).max() < 2


def test_folds_deal_recordings_or_blocks():
    assert [set(fold.tolist()) for fold in folds_of([9] * 6, 20)] == [{0}, {1}, {2}, {3}, {0}, {1}]
    (one,) = folds_of([1500 * 5], 20)
    assert one[::1500].tolist() == [0, 1, 2, 3, 0]


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
    weights, bias = layer_of(no_sums(3, 5))
    assert (weights == 0).all()
    assert np.ptp(bias) == 0


def slowly_aligned(fits, targets):
    """Every way to give each frame a state."""
    n, s = len(fits), len(targets.states)
    best, best_path = -np.inf, None
    for path in product(range(s), repeat=n):
        visited = sorted(set(path))
        missed = set(range(s)) - set(visited)
        if list(path) != sorted(path) or any(targets.states[m] != SILENCE for m in missed):
            continue
        if any(not targets.first[p] <= i < targets.end[p] for i, p in enumerate(path)):
            continue
        score = sum(
            0.0 if targets.states[p] == ANYTHING else fits[i, targets.states[p]]
            for i, p in enumerate(path)
        )
        if score > best:
            best, best_path = score, targets.states[list(path)]
    return best, best_path


def spoken(*words, timed=None):
    """Words as (begin_ms, end_ms, rows of phones)."""
    offsets = np.cumsum([0, *(len(phones) for *_, phones in words)])
    return PronouncedWords(
        np.array([begin for begin, *_ in words], np.int64),
        np.array([end for _, end, _ in words], np.int64),
        offsets.astype(np.int64),
        np.array([p for *_, phones in words for p in phones], np.uint8),
        np.array(timed or [True] * len(words), bool),
    )


@pytest.mark.parametrize("seed", range(8))
def test_alignment_is_the_best_of_all_paths(seed):
    rng = np.random.default_rng(seed)
    words = spoken((20, 80, (0, 1)), (90, 120, (2,)), timed=[True, seed % 5 != 0])
    which = targets(words, 6, 0, 20)
    fits = -rng.exponential(2, (6, 4)).astype(np.float32)
    score, classes = slowly_aligned(fits, which)
    found = aligned(fits, which)
    np.testing.assert_array_equal(found, classes)
    assert np.isfinite(score)


def test_evenly_spread_frames_are_a_way_through_the_states():
    """So there always is one, whatever a recogniser writes."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        n = int(rng.integers(1, 40))
        begins = np.sort(rng.integers(-100, n * 20 + 100, int(rng.integers(0, 6))))
        words = spoken(
            *((b, b + int(rng.integers(0, 300)), rng.integers(0, 3, rng.integers(0, 5)))
              for b in begins.tolist())
        )  # fmt: skip
        which = targets(words, n, int(rng.integers(-50, 50)), 20)
        fits = np.full((n, 4), -9.0, np.float32)
        sure = np.flatnonzero(which.spread >= 0)
        fits[sure, which.spread[sure]] = 0
        np.testing.assert_array_equal(aligned(fits, which), which.spread)


@pytest.mark.parametrize(("slack_ms", "held"), [(JUDGED_MS, (12, 23)), (SLACK_MS, (0, 35))])
def test_words_move_as_far_as_they_may(slack_ms, held):
    which = targets(spoken((300, 400, (0,))), 40, 0, 20, slack_ms)
    fits = np.full((40, 2), -5.0, np.float32)
    fits[:, 1] = 0  # the phone everywhere
    assert np.flatnonzero(aligned(fits, which) == 1).tolist() == list(range(*held))


def test_what_teaches_nothing_keeps_its_frames():
    words = spoken(
        (40, 100, ()), (100, 140, (0, 0, 0)), (140, 200, (1,)), timed=[True, True, False]
    )
    which = targets(words, 12, 0, 20)
    assert which.states.tolist() == [
        SILENCE,
        ANYTHING,
        SILENCE,
        ANYTHING,
        SILENCE,
        ANYTHING,
        SILENCE,
    ]
    expected = [SILENCE] * 2 + [ANYTHING] * 8 + [SILENCE] * 2
    assert aligned(np.zeros((12, 3), np.float32), which).tolist() == expected


def test_no_frames_have_no_states():
    which = targets(spoken((0, 100, (0,))), 0, 0, 20)
    assert len(aligned(np.empty((0, 2), np.float32), which)) == 0


def test_a_clock_that_begins_later_moves_the_words():
    which = targets(spoken((1040, 1100, (0, 1))), 10, 1000, 20)
    assert which.spread.tolist() == [0, 0, 1, 2, 2, 0, 0, 0, 0, 0]
