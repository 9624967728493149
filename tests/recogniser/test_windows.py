"""Windows cover a recording, and are cut where nobody speaks."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recogniser.protocol import FRAME, SAMPLES_PER_S
from recogniser.windows import cut

RATE = SAMPLES_PER_S


def audio(*parts):
    """Noise of 0.5 where somebody speaks, faint noise elsewhere: (seconds, speech) each."""
    random = np.random.default_rng(1)
    return np.concatenate(
        [random.normal(0, 0.5 if speech else 0.001, int(s * RATE)) for s, speech in parts]
    ).astype(np.float32)


def loud(samples):
    """A detector that knows: loud frames are speech."""
    frames = samples.reshape(-1, FRAME)
    return (np.abs(frames).mean(axis=1) > 0.05).astype(np.float32)


def windows(samples, longest_s=28.0, block=5000):
    blocks = (samples[i : i + block] for i in range(0, len(samples), block))
    return list(cut(blocks, loud, longest_s))


def spans(found):
    return [(window.start_ms, window.end_ms) for window in found]


def test_a_window_ends_in_the_longest_pause():
    samples = audio(
        (21, True), (0.3, False), (2, True), (1.0, False), (2, True), (0.4, False), (9, True)
    )
    (first, second) = windows(samples)
    assert first.end_ms == pytest.approx(23_800, abs=40)
    assert second.start_ms == first.end_ms
    assert second.end_ms == round(1000 * len(samples) / RATE)
    assert np.array_equal(np.concatenate([first.samples, second.samples]), samples)


def test_where_nobody_pauses_both_windows_have_a_second_around_the_cut():
    samples = audio((60, True))
    found = windows(samples)
    for one, following in pairwise(found):
        assert one.end_ms == following.start_ms
        assert following.audio_start_ms == following.start_ms - 512
        assert one.audio_start_ms + 1000 * len(one.samples) / RATE == one.end_ms + 512
    assert max(len(one.samples) for one in found) <= 28 * RATE


def test_long_silence_is_a_window_of_its_own_and_short_silence_is_not():
    samples = audio((8, True), (9, False), (8, True), (25, False), (5, True))
    found = windows(samples)
    assert [window.silent for window in found] == [False, True, False]
    assert found[0].end_ms == pytest.approx(25_500, abs=60)
    assert found[1].end_ms == pytest.approx(49_500, abs=60)


def test_a_recording_without_a_sample_has_no_window():
    assert windows(np.zeros(0, np.float32)) == []


def test_less_than_a_frame_is_a_window():
    (only,) = windows(audio((0.01, True)))
    assert spans([only]) == [(0, 10)]
    assert len(only.samples) == 160


@given(
    st.lists(st.tuples(st.floats(0.2, 40), st.booleans()), min_size=1, max_size=6),
    st.integers(300, 200_000),
)
def test_windows_cover_everything_whatever_the_blocks(parts, block):
    samples = audio(*parts)
    found = windows(samples, block=block)
    assert spans(found) == spans(windows(samples, block=len(samples)))
    assert found[0].start_ms == 0
    assert found[-1].end_ms == round(1000 * len(samples) / RATE)
    assert all(a.end_ms == b.start_ms for a, b in pairwise(found))
    assert all(0 < len(window.samples) <= 28 * RATE for window in found)
    for window in found:
        begin = window.audio_start_ms * RATE // 1000
        assert np.array_equal(samples[begin : begin + len(window.samples)], window.samples)
