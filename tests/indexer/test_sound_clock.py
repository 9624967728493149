"""Words and sound of a recording with different clocks are told."""

import json

import numpy as np
import pytest

from indexer import index_files, verify_index
from indexer.sound_clock import offset_s
from std.sound import files
from std.sound.value import FRAME_MS, Encoder, Sound
from std.values import Recording

LENGTH_S = 60
RNG = np.random.default_rng(7)
BORDERS_S = np.cumsum(np.column_stack([RNG.uniform(0.1, 0.6, 60), RNG.uniform(0.3, 1.5, 60)]))
WORDS_S = [
    (float(begin), float(end))
    for begin, end in zip(BORDERS_S[::2], BORDERS_S[1::2], strict=True)
    if end < LENGTH_S - 6
]


def said(words_s, by_s=0.0):
    """(n,) frames in which somebody speaks."""
    frames = np.zeros(LENGTH_S * 1000 // FRAME_MS, bool)
    for begin, end in words_s:
        frames[int((begin + by_s) * 50) : int((end + by_s) * 50)] = True
    return frames


@pytest.mark.parametrize("by_s", [0.4, -0.2, 2.0, 0.0])
def test_the_offset_of_words_is_found(by_s):
    words_s = [word for word in WORDS_S if word[0] > 1]
    found = offset_s(~said(words_s), ~said(words_s, by_s))
    assert found == pytest.approx(by_s, abs=0.021)


def test_what_tells_no_offset_gives_none():
    silence = ~said(WORDS_S)
    assert offset_s(silence, np.ones_like(silence)) == 0
    assert offset_s(np.zeros_like(silence), silence) == 0
    assert offset_s(silence[:100], np.roll(silence, 20)[:100]) == 0  # too short
    assert offset_s(silence, RNG.random(len(silence)) < 0.5) == 0  # unrelated


@pytest.fixture
def networks(tmp_path):
    """Words of a at their times, of b half a second late."""
    noise = RNG.integers(0, 256, 32).astype(np.uint8)
    stored = RNG.integers(0, 256, (LENGTH_S * 1000 // FRAME_MS, 32)).astype(np.uint8)
    stored[~said(WORDS_S)] = noise
    for name, by_s in (("a", 0.0), ("b", 0.5)):
        sound = Sound(Recording(name, 1), Encoder("whisper", "aa"), stored)
        (tmp_path / files.sound_name(sound.recording)).write_bytes(
            files.header(sound) + stored.tobytes()
        )
        slots = [
            {"s": begin, "e": end, "eps": 0.1, "w": [["hello", 0.9, begin, end]]}
            for begin, end in ((begin + by_s, end + by_s) for begin, end in WORDS_S)
        ]
        line = {"utt": name, "file": name, "channel": 1, "start": 0.0, "end": float(LENGTH_S),
                "language": "en", "slots": slots}  # fmt: skip
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(line) + "\n")
    return tmp_path


def test_indexing_and_verifying_tell_of_clocks_that_differ(networks):
    store = networks / "index"
    inputs = sorted(networks.glob("*.jsonl"))
    report = index_files(inputs, store)
    (check,) = verify_index(store)
    for warnings in (report.warnings, check.warnings):
        (line,) = [line for line in warnings if "sound" in line]
        assert line.startswith("b: its words stand about 0.5 s behind its sound")
    assert not index_files([inputs[0]], store).warnings
