"""What tuning is expected to bring, on labels that are drawn from known weights."""

import numpy as np
import pytest

from searcher.calibration.weights import Examples, Weights
from searcher.tuning.gain import LOST, PULLS, HeldOut, Transcribed, expected_gain, halves
from searcher.tuning.labels import make_transcript
from std.config import Config
from std.values import Excerpt, Lexemes, Recording

TRUE = Weights(-2.0, {"x": 1.5})
OFF = Weights(-2.0, {"x": 0.2})


def drawn(n_terms, seed):
    """Terms with ten places each, right with odds that the true weights say."""
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 1, 10 * n_terms)
    odds = np.exp(TRUE.intercept + 1.5 * x)
    right = rng.random(len(x)) < odds / (1 + odds)
    zeros = np.zeros(len(x))
    term = np.repeat(np.arange(n_terms), 10)
    return Examples({"x": x}, zeros, term, n_terms, right, np.ones(len(x), bool), zeros)


def lesson(seed, taught):
    examples = drawn(400, seed)
    return HeldOut(examples, examples, taught)


def test_better_weights_gain_and_worse_ones_lose():
    better = expected_gain([lesson(1, lambda pull: TRUE), lesson(2, lambda pull: TRUE)], OFF)
    assert 0 < better.low < better.nats < better.high
    worse = expected_gain([lesson(1, lambda pull: OFF), lesson(2, lambda pull: OFF)], TRUE)
    assert worse.low < worse.nats < worse.high < 0
    assert worse.nats == pytest.approx(-better.nats)


def test_the_pull_is_that_of_the_largest_gain():
    def taught(pull):
        return TRUE if pull == PULLS[1] else OFF

    assert expected_gain([lesson(3, taught)], OFF).pull == PULLS[1]


def test_the_interval_has_the_gain_of_other_speech():
    """Nine times in ten; of forty draws thirty-one at least (binomial, one in a hundred fewer)."""
    whole = expected_gain([HeldOut(drawn(20_000, 9), drawn(20_000, 9), lambda pull: TRUE)], OFF)
    found = [expected_gain([lesson(seed, lambda pull: TRUE)], OFF) for seed in range(20, 60)]
    assert sum(one.low < whole.nats < one.high for one in found) >= 31


def test_right_places_that_confusions_lose_count():
    before = drawn(400, 4)
    right = np.flatnonzero(before.is_right)
    kept = np.delete(np.arange(len(before.term)), right[:10])
    after = before._replace(
        features={"x": before.features["x"][kept]},
        **{
            name: getattr(before, name)[kept]
            for name in ("offset", "term", "is_right", "is_known", "enlarged")
        },
    )
    without = after.errors(TRUE).sum() - before.errors(TRUE).sum()
    found = expected_gain([HeldOut(before, after, lambda pull: TRUE)], TRUE)
    assert found.nats * len(right) == pytest.approx(-(without + 10 * LOST))


def transcribed(*files):
    recordings = tuple(Recording(file, 1) for file in files)
    start_s = np.tile([1.0, 9.0], len(files))
    row = np.repeat(np.arange(len(files)), 2)
    words = tuple(f"{word}{i}" for i in range(len(files)) for word in ("erst", "zuletzt"))
    n = len(words)
    lexemes = Lexemes(
        recordings, ("",), row.astype(np.int32), np.zeros(n, np.int32), start_s, np.full(n, 0.5),
        words, ("lex",) * n,
    )  # fmt: skip
    transcript = make_transcript(lexemes, recordings, Config().text)
    return Transcribed(transcript, [], [Excerpt(one, 0.0, 10.0) for one in recordings])


def test_halves_are_every_second_recording():
    first, second = halves(transcribed("a", "b", "c"))
    assert first.transcript.words == ("erst0", "zuletzt0", "erst2", "zuletzt2")
    assert second.transcript.words == ("erst1", "zuletzt1")
    assert [one.recording.file for one in second.excerpts] == ["b"]


def test_halves_of_one_recording_are_its_beginning_and_its_end():
    first, second = halves(transcribed("a"))
    assert (first.transcript.words, second.transcript.words) == (("erst0",), ("zuletzt0",))
    assert [(one.start_s, one.duration_s) for one in second.excerpts] == [(5.0, 5.0)]
