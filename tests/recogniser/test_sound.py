"""The sound of a recording: on its clock, and with the same bytes however it was made."""

import wave

import numpy as np
import pytest

from recogniser import folder
from recogniser.protocol import FRAME, Recognition
from recogniser.recording import StoppedError, Task, recognise
from recogniser.sound.encoder import Scale
from recogniser.sound.sink import SoundWriter, excerpts_of, sound_file
from recogniser.sound_recording import record
from std.errors import InputError
from std.sound.files import read_sound
from std.sound.value import frames
from std.values import Recording

pytest.importorskip("av", reason="needs the extra 'whisper' or 'pocketsphinx' (PyAV)")

SAMPLES = 320  # of a frame


class Ear:
    """An encoder whose frames are the mean and the deviation of their samples."""

    name, model_hash, longest_window_s = "ear", "00", 6.0

    def __init__(self):
        self.encoded = 0

    def speech_probabilities(self, samples):
        return (np.abs(samples.reshape(-1, FRAME)).mean(axis=1) > 0.05).astype(np.float32)

    def encode(self, samples):
        self.encoded += 1
        filled = np.pad(samples, (0, -len(samples) % SAMPLES)).reshape(-1, SAMPLES)
        return np.stack([filled.mean(axis=1), filled.std(axis=1)], axis=1)


class Hearing(Ear):
    """A recogniser with the same encoder; it writes no word."""

    windows_at_once = 2
    identity = {"model": "ear"}  # noqa: RUF012  # a value of the test

    def __init__(self, gives_frames=True):
        super().__init__()
        self.gives_frames = gives_frames

    def language_of(self, windows):
        return "de"

    def recognise(self, block, windows, language):
        return [
            Recognition((), {}, frames=self.encode(one.samples) if self.gives_frames else None)
            for one in windows
        ]


@pytest.fixture
def writer(monkeypatch):
    """Makes files of frames; the scale is not measured."""
    scale = Scale(np.zeros(2, np.float32), np.ones(2, np.float32))
    monkeypatch.setattr("recogniser.sound.sink.scale_of", lambda encoder: scale)
    return lambda encoder=None, kept="signs": SoundWriter(encoder or Ear(), kept)


@pytest.fixture
def speech(tmp_path):
    """31 s of noise with pauses on a rising voltage, two channels, as a WAV file."""
    random = np.random.default_rng(2)
    parts = [random.normal(0, 0.3 * (i % 2 == 0), int(16_000 * s)) for i, s in
             enumerate([4, 0.4] * 7)]  # fmt: skip
    one = np.concatenate(parts)
    samples = np.stack([one, np.linspace(0, 1, len(one))], axis=1)
    path = tmp_path / "speech.wav"
    with wave.open(str(path), "wb") as sink:
        sink.setnchannels(2)
        sink.setsampwidth(2)
        sink.setframerate(16_000)
        sink.writeframes((samples * 20_000).clip(-32_768, 32_767).astype("<i2").tobytes())
    return path


def task(path, output, **more):
    output.mkdir(exist_ok=True)
    return Task(path, "speech", output, **more)


def contents(path):
    return {one.name: one.read_bytes() for one in path.iterdir()}


@pytest.mark.parametrize("channels", ["mix", "split"])
def test_stopped_after_any_window_it_gives_the_same_bytes(speech, tmp_path, writer, channels):
    whole = task(speech, tmp_path / "whole", channels=channels)
    report = record(whole, writer())
    assert report.seconds == pytest.approx(30.8 * (2 if channels == "split" else 1), abs=0.01)
    assert not report.has_words
    assert len(contents(whole.output)) == (2 if channels == "split" else 1)
    again = task(speech, tmp_path / "again", channels=channels)
    runs = 0
    while not sound_file(again.output, Recording("speech", 1)).exists():
        runs += 1
        stops = iter([False])
        try:
            record(again, writer(), stop=lambda left=stops: next(left, True))
        except StoppedError:
            continue
        assert runs < 20
    assert runs > 1
    assert contents(again.output) == contents(whole.output)


def test_torn_at_any_byte_it_gives_the_same_bytes(speech, tmp_path, writer):
    whole = task(speech, tmp_path / "whole")
    record(whole, writer())
    wanted = contents(whole.output)["speech.sound"]
    torn = task(speech, tmp_path / "torn")
    for size in range(0, len(wanted), 3_001):
        (torn.output / "speech.sound.part").write_bytes(wanted[:size])
        sound_file(torn.output, Recording("speech", 1)).unlink(missing_ok=True)
        record(torn, writer())
        assert contents(torn.output) == {"speech.sound": wanted}


@pytest.mark.parametrize("channels", ["mix", "split"])
def test_beside_the_words_it_has_the_same_bytes_and_is_encoded_once(
    speech, tmp_path, writer, channels
):
    alone, both = (task(speech, tmp_path / name, channels=channels) for name in ("a", "b"))
    recogniser = Hearing()
    record(alone, writer())
    report = recognise(both, recogniser, writer=writer(recogniser))
    assert recogniser.encoded == report.windows
    found = contents(both.output)
    del found["speech.jsonl"]
    assert found == contents(alone.output)


@pytest.mark.parametrize("lost", [False, True])
def test_stopped_beside_the_words_it_gives_the_same_bytes(speech, tmp_path, writer, lost):
    whole, again = (task(speech, tmp_path / name) for name in ("whole", "again"))
    recognise(whole, Hearing(), writer=writer(Hearing()))
    for _ in range(3):
        recogniser = Hearing()
        with pytest.raises(StoppedError):
            recognise(again, recogniser, stop=lambda: True, writer=writer(recogniser))
        if lost:  # by a power cut
            part = again.output / "speech.sound.part"
            part.write_bytes(part.read_bytes()[:-5_000])
    recognise(again, Hearing(), writer=writer(Hearing()))
    assert contents(again.output) == contents(whole.output)


def test_words_that_are_there_are_left_alone(speech, tmp_path, writer):
    one = task(speech, tmp_path / "one")
    recognise(one, Hearing())
    words = folder.finished(one.output, "speech").stat().st_mtime_ns
    record(one, writer())
    assert folder.finished(one.output, "speech").stat().st_mtime_ns == words
    assert len(read_sound(one.output / "speech.sound")) == 1540
    record(one, again := writer())  # all is there
    assert again.encoder.encoded == 0


def test_frames_keep_the_recordings_clock(speech, tmp_path, writer):
    """The second channel's voltage tells the time, also across windows that begin anywhere."""
    one = task(speech, tmp_path / "one", channels="split")
    record(one, writer(kept="exact"))
    found = frames(read_sound(one.output / "speech.ch2.sound"))[:, 0]
    seconds = found / (20_000 / 32_768) * 30.8
    off_ms = 1000 * seconds - 20 * (np.arange(len(seconds)) + 0.5)
    assert np.abs(off_ms[:-1]).max() < 10 + 16  # half a frame, and float16


def test_a_recording_without_audio_has_no_frames(tmp_path, writer):
    path = tmp_path / "empty.wav"
    with wave.open(str(path), "wb") as sink:
        sink.setnchannels(1)
        sink.setsampwidth(2)
        sink.setframerate(16_000)
    one = task(path, tmp_path / "out")
    assert record(one, writer()).seconds == 0
    assert len(read_sound(one.output / "speech.sound")) == 0


def test_a_file_begun_with_another_encoder_is_refused(speech, tmp_path, writer):
    one = task(speech, tmp_path / "one")
    with pytest.raises(StoppedError):
        record(one, writer(), stop=lambda: True)
    other = Ear()
    other.model_hash = "11"
    with pytest.raises(InputError, match="hash"):
        record(one, writer(other))


def test_an_ecf_has_recordings_by_their_names(speech, tmp_path, writer):
    one = Task(speech, "a*[1]", tmp_path / "one", channels="split")
    one.output.mkdir()
    record(one, writer())
    found = excerpts_of(one.output, "a*[1]")["a*[1]"]
    assert [excerpt.recording.channel for excerpt in found] == [2, 1]
    assert {excerpt.duration_s for excerpt in found} == {30.8}
