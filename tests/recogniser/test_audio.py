"""Audio files of any kind are streams of samples; what is not audio is named."""

import wave

import numpy as np
import pytest

from recogniser.api import audio_files, common_root
from recogniser.audio import channels, decode, estimated_s
from std.audio.samples import Damage
from std.errors import InputError

pytest.importorskip("av", reason="needs the extra 'whisper' or 'pocketsphinx' (PyAV)")


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
