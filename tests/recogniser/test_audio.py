"""Audio files of any kind are streams of samples; what is not audio is named."""

import wave
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recogniser.api import audio_files, common_root
from recogniser.audio import channels, cut, decode, estimated_s
from recogniser.protocol import FRAME, SAMPLES_PER_S
from std.audio.samples import Damage
from std.audio.samples import samples as clip_of
from std.errors import InputError

pytest.importorskip("av", reason="needs the extra 'whisper' or 'pocketsphinx' (PyAV)")

FRAMES_OF_MP2 = 1152


def write_wav(path, samples, rate=8000):
    with wave.open(str(path), "wb") as sink:
        sink.setnchannels(samples.shape[1])
        sink.setsampwidth(2)
        sink.setframerate(rate)
        sink.writeframes((samples * 32_767).astype("<i2").tobytes())


@pytest.fixture
def stereo(tmp_path):
    """Two seconds at 8 kHz: a tone on the left, silence on the right."""
    tone = 0.5 * np.sin(2 * np.pi * 440 * np.arange(16_000) / 8000)
    path = tmp_path / "call.wav"
    write_wav(path, np.stack([tone, np.zeros_like(tone)], axis=1))
    return path


def test_samples_are_16_khz_and_one_channel(stereo):
    assert channels(stereo) == 2
    assert estimated_s(stereo) == pytest.approx(2.0)
    left, right, both = (np.concatenate(list(decode(stereo, channel))) for channel in (1, 2, None))
    assert len(left) == len(right) == len(both) == pytest.approx(32_000, abs=40)
    assert np.abs(left).max() == pytest.approx(0.5, abs=0.03)
    assert not right.any()
    assert np.abs(both).max() == pytest.approx(0.25, abs=0.12)


def test_a_damaged_file_is_read_past_the_damage(tmp_path):
    av = pytest.importorskip("av")
    path = tmp_path / "speech.mp3"
    with av.open(str(path), "w") as sink:
        stream = sink.add_stream("mp3", rate=16_000, layout="mono")
        random = np.random.default_rng(0)
        for _ in range(40):
            samples = (random.normal(0, 3000, (1, 1152))).astype(np.int16)
            frame = av.AudioFrame.from_ndarray(samples, format="s16p", layout="mono")
            frame.sample_rate = 16_000
            sink.mux(stream.encode(frame))
        sink.mux(stream.encode(None))
    whole = sum(map(len, decode(path)))
    content = bytearray(path.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 400] = b"\xff" * 400
    path.write_bytes(content)
    damage = Damage()
    read = sum(map(len, decode(path, damage=damage)))
    assert whole * 0.8 < read <= whole


@pytest.mark.parametrize("late_s", [0.0, 1.5])
def test_times_are_those_of_players(tmp_path, late_s):
    """Sound that begins after the picture, and an interruption of 4 s: both are silence."""
    path = write_film(tmp_path / "call.mkv", [(late_s, 3), (late_s + 7, 2)])
    found = np.concatenate(list(decode(path)))
    loud = np.abs(found[: len(found) // 160 * 160].reshape(-1, 160)).max(axis=1) > 0.1
    edges = np.flatnonzero(np.diff(np.concatenate([[0], loud.astype(int), [0]]))) / 100
    expected = [late_s, late_s + 3, late_s + 7, late_s + 9]
    assert edges == pytest.approx(expected, abs=0.02)
    for begin_s in (0.2, late_s + 2, late_s + 5, late_s + 7.5):
        clip = np.concatenate(list(clip_of(path, 16_000, from_s=begin_s, to_s=begin_s + 1)))
        first = round(16_000 * begin_s)
        assert np.abs(clip - found[first : first + 16_000]).max() < 0.1


def test_a_damaged_time_stamp_is_no_gap(tmp_path):
    path = write_film(tmp_path / "call.mkv", [(0, 1), (100_000, 1)])
    assert sum(map(len, decode(path))) == pytest.approx(32_000, abs=40)


def test_a_clip_of_a_broadcast_is_where_it_was_recognised(tmp_path):
    """The time stamps of a transport stream begin anywhere."""
    path = write_film(tmp_path / "radio.ts", [(1.4, 4)], "mp2")
    clip = np.concatenate(list(clip_of(path, 16_000, from_s=2, to_s=3)))
    whole = np.concatenate(list(decode(path)))
    assert len(clip) == 16_000
    assert np.abs(clip - whole[32_000:48_000]).max() < 0.1


def write_film(path, stretches, codec="pcm_s16le"):
    """A rising tone in each stretch, start and duration in seconds; with PCM, a picture at 0."""
    av = pytest.importorskip("av")
    with av.open(str(path), "w") as sink:
        sound = sink.add_stream(codec, rate=16_000, layout="mono")
        if codec == "pcm_s16le":
            picture = sink.add_stream("mpeg4", rate=5)
            picture.width = picture.height = 16
            for _ in range(2):
                still = av.VideoFrame.from_ndarray(np.zeros((16, 16, 3), np.uint8), "rgb24")
                sink.mux(picture.encode(still))
            sink.mux(picture.encode(None))
        for start_s, seconds in stretches:
            t = np.arange(16_000 * seconds) / 16_000
            samples = (12_000 * np.sin(2 * np.pi * (300 + 40 * t) * t)).astype(np.int16)
            for at in range(0, len(samples), FRAMES_OF_MP2):
                part = samples[None, at : at + FRAMES_OF_MP2]
                frame = av.AudioFrame.from_ndarray(part, "s16", "mono")
                frame.sample_rate, frame.pts = 16_000, round(16_000 * start_s) + at
                sink.mux(sound.encode(frame))
        sink.mux(sound.encode(None))
    return path


def test_a_film_without_sound_has_no_samples(tmp_path):
    av = pytest.importorskip("av")
    path = tmp_path / "film.mp4"
    with av.open(str(path), "w") as sink:
        stream = sink.add_stream("mpeg4", rate=5)
        stream.width = stream.height = 16
        for _ in range(5):
            frame = av.VideoFrame.from_ndarray(np.zeros((16, 16, 3), np.uint8), format="rgb24")
            sink.mux(stream.encode(frame))
        sink.mux(stream.encode(None))
    assert channels(path) == 0
    assert list(decode(path)) == []


@pytest.mark.parametrize("content", [b"", b"RIFF", b"no audio " * 99])
def test_what_is_no_audio_is_named(tmp_path, content):
    path = tmp_path / "x.wav"
    path.write_bytes(content)
    assert estimated_s(path) == 0
    with pytest.raises(InputError, match=r"x\.wav: expected audio, got"):
        list(decode(path))


def test_paths_of_audio_count_from_the_folder_that_has_all_of_it(tmp_path):
    for folder in ("2024", "2025/may"):
        (tmp_path / folder).mkdir(parents=True)
    one = tmp_path / "2025" / "may" / "a.ogg"
    one.touch()
    assert common_root([tmp_path / "2024", one]) == tmp_path
    assert common_root([one]) == one.parent
    assert common_root([tmp_path / "2024" / ".." / "2025"]) == tmp_path / "2025"


def test_recordings_are_named_by_their_files(tmp_path):
    for name in ("a/x.wav", "b/x.mp3", "b/.hidden.mp3", "b/notes.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    assert audio_files([tmp_path / "b"]) == {"x": tmp_path / "b" / "x.mp3"}
    assert audio_files([tmp_path / "b", tmp_path / "b" / "x.mp3"]) == {
        "x": tmp_path / "b" / "x.mp3"
    }
    with pytest.raises(InputError, match="recordings of different names, got 'x, as "):
        audio_files([tmp_path / "a", tmp_path / "b"])
    assert len(audio_files([tmp_path], name_by="path")) == 2
    with pytest.raises(InputError, match="nothing of that name"):
        audio_files([tmp_path / "c"])
    (tmp_path / "d").mkdir()
    with pytest.raises(InputError, match="a folder without any"):
        audio_files([tmp_path / "d"])


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
