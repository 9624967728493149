"""The sound of a recording: on its clock, and with the same bytes however it was made."""

import gzip
import re
import wave

import numpy as np
import pytest

from recogniser import folder, keep_frames, recognise_files
from recogniser.options import RecognitionOptions
from recogniser.processes import OutputSettings, record_sound
from recogniser.protocol import FRAME, Recognition
from recogniser.recording import StoppedError, Task, recognise
from recogniser.sound import HamaSound, Scale, SoundWriter, excerpts_of, sound_file
from std.errors import InputError
from std.nist import ecf
from std.sound.columns import frames
from std.sound.files import read_sound
from std.values import Recording
from tests.recogniser.conftest import write_speech

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
    monkeypatch.setattr("recogniser.sound.scale_of", lambda encoder: scale)
    return lambda encoder=None, kept="signs": SoundWriter(encoder or Ear(), kept)


@pytest.fixture
def speech(tmp_path):
    """31 s of noise with pauses on a rising voltage, two channels, as a WAV file."""
    return write_speech(tmp_path / "speech.wav", lambda one: np.linspace(0, 1, len(one)))


def task(path, output, **more):
    output.mkdir(exist_ok=True)
    return Task(path, "speech", output, **more)


def contents(path):
    return {one.name: one.read_bytes() for one in path.iterdir()}


@pytest.mark.parametrize("channels", ["mix", "split"])
def test_stopped_after_any_window_it_gives_the_same_bytes(speech, tmp_path, writer, channels):
    whole = task(speech, tmp_path / "whole", channels=channels)
    report = record_sound(whole, writer())
    assert report.seconds == pytest.approx(30.8 * (2 if channels == "split" else 1), abs=0.01)
    assert not report.has_words
    assert len(contents(whole.output)) == (2 if channels == "split" else 1)
    again = task(speech, tmp_path / "again", channels=channels)
    runs, last = 0, 2 if channels == "split" else 1
    while not sound_file(again.output, Recording("speech", last)).exists():
        runs += 1
        stops = iter([False])
        try:
            record_sound(again, writer(), stop=lambda left=stops: next(left, True))
        except StoppedError:
            continue
        assert runs < 20
    assert runs > 1
    assert contents(again.output) == contents(whole.output)


def test_torn_at_any_byte_it_gives_the_same_bytes(speech, tmp_path, writer):
    whole = task(speech, tmp_path / "whole")
    record_sound(whole, writer())
    wanted = contents(whole.output)["speech.sound"]
    torn = task(speech, tmp_path / "torn")
    for size in range(0, len(wanted), 3_001):
        (torn.output / "speech.sound.part").write_bytes(wanted[:size])
        sound_file(torn.output, Recording("speech", 1)).unlink(missing_ok=True)
        record_sound(torn, writer())
        assert contents(torn.output) == {"speech.sound": wanted}


@pytest.mark.parametrize("channels", ["mix", "split"])
def test_beside_the_words_it_has_the_same_bytes_and_is_encoded_once(
    speech, tmp_path, writer, channels
):
    alone, both = (task(speech, tmp_path / name, channels=channels) for name in ("a", "b"))
    recogniser = Hearing()
    record_sound(alone, writer())
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
    record_sound(one, writer())
    assert folder.finished(one.output, "speech").stat().st_mtime_ns == words
    assert len(read_sound(one.output / "speech.sound")) == 1540
    record_sound(one, again := writer())  # all is there
    assert again.encoder.encoded == 0


def test_frames_keep_the_recordings_clock(speech, tmp_path, writer):
    """The second channel's voltage tells the time, also across windows that begin anywhere."""
    one = task(speech, tmp_path / "one", channels="split")
    record_sound(one, writer(kept="exact"))
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
    assert record_sound(one, writer()).seconds == 0
    assert len(read_sound(one.output / "speech.sound")) == 0


def test_a_file_begun_with_another_encoder_is_refused(speech, tmp_path, writer):
    one = task(speech, tmp_path / "one")
    with pytest.raises(StoppedError):
        record_sound(one, writer(), stop=lambda: True)
    other = Ear()
    other.model_hash = "11"
    with pytest.raises(InputError, match="hash"):
        record_sound(one, writer(other))


def test_an_ecf_has_recordings_by_their_names(speech, tmp_path, writer):
    one = Task(speech, "a*[1]", tmp_path / "one", channels="split")
    one.output.mkdir()
    record_sound(one, writer())
    found = excerpts_of(one.output, "a*[1]")["a*[1]"]
    assert [excerpt.recording.channel for excerpt in found] == [2, 1]
    assert {excerpt.duration_s for excerpt in found} == {30.8}


@pytest.mark.parametrize("missing", [1, 2])
def test_a_recording_that_was_interrupted_is_in_the_ecf_once(
    speech, tmp_path, writer, monkeypatch, missing
):
    one = task(speech, tmp_path / "one", channels="split")
    record_sound(one, writer())
    sound_file(one.output, Recording("speech", missing)).unlink()

    def run(tasks, *_):
        yield OutputSettings({})
        yield from (record_sound(task, writer()) for task in tasks)

    monkeypatch.setattr("recogniser.api.run", run)
    options = RecognitionOptions(words=False, sound="signs", channels="split")
    report = recognise_files(speech, one.output, options)
    assert [len(some) for some in (report.recordings, report.already)] == [1, 0]
    with report.ecf.open("rb") as stream:
        assert [one.recording.channel for one in ecf.parse(stream).excerpts] == [1, 2]


RANDOM = np.random.default_rng(5)
MATRIX = RANDOM.normal(3, 2, (101, 5)).astype(np.float32)


def kaldi(frames):
    return "[\n" + "\n".join(" ".join(f"{x:.9g}" for x in row) for row in frames) + " ]\n"


def given(folder, **settings):
    return keep_frames(
        folder, folder.parent / "out", **{"encoder": "e", "frame_shift_s": 0.02} | settings
    )


def test_given_frames_are_the_same_from_any_file(tmp_path):
    stored = {}
    for kind in ("npz", "npy", "ark", "ark.gz"):
        folder = tmp_path / kind / "in"
        folder.mkdir(parents=True)
        if kind == "npz":
            np.savez(folder / "a.npz", frames=MATRIX, other=np.zeros(3))
        elif kind == "npy":
            np.save(folder / "a.npy", MATRIX)
        else:
            content = f"a {kaldi(MATRIX)}".encode()
            packed = gzip.compress(content) if kind == "ark.gz" else content
            (folder / f"a.{kind}").write_bytes(packed)
        report = given(folder)
        assert [(one.file, one.seconds) for one in report.recordings] == [("a", 2.02)]
        stored[kind] = (folder.parent / "out" / "a.sound").read_bytes()
        assert given(folder).already  # and the same bytes
    assert len(set(stored.values())) == 1


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"a \0BFM \4\1\0\0\0\4\1\0\0\0", "a binary archive (copy-feats ark:IN ark,t:OUT"),
        (b"OggS\0\2\0\0", "audio"),
        (b"\x7fELF\2\1\1\0\0", "other data"),
    ],
)
def test_what_is_no_text_is_named(tmp_path, content, found):
    path = tmp_path / "in" / "frames.ark"
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(InputError, match=re.escape(f"an archive of Kaldi as text, got {found}")):
        given(path.parent)


def test_given_frames_are_on_a_scale_that_later_ones_share(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    np.savez(folder / "several.npz", a=MATRIX, b=MATRIX[:50] + 1)
    given(folder, kept="exact")
    a, b = (frames(read_sound(tmp_path / "out" / f"{name}.sound")) for name in "ab")
    both = np.concatenate([a, b])
    np.testing.assert_allclose(both.mean(axis=0), 0, atol=1e-3)
    np.testing.assert_allclose(both.std(axis=0), 1, atol=1e-3)
    np.save(folder / "c.npy", MATRIX * 100)
    given(folder, kept="exact")
    c = frames(read_sound(tmp_path / "out" / "c.sound"))
    assert c.std() > 50
    np.testing.assert_allclose(a, frames(read_sound(tmp_path / "out" / "a.sound")))


@pytest.mark.parametrize("shift_s", [0.005, 0.008, 0.01, 0.0125, 0.02, 0.03, 0.04])
@pytest.mark.parametrize("n", [118, 120])
def test_given_frames_are_taken_to_20_ms(tmp_path, shift_s, n):
    folder = tmp_path / "in"
    folder.mkdir()
    np.save(folder / "a.npy", np.stack([np.arange(n), np.ones(n)], axis=1).astype(np.float32))
    given(folder, frame_shift_s=shift_s, kept="exact")
    sound = read_sound(tmp_path / "out" / "a.sound")
    begin_s = [row * shift_s for row in range(n)]
    expected = []
    for row in range(len(sound)):  # frames that begin in it; none: the last one that began before
        inside = [i for i in range(n) if row * 0.02 - 1e-9 <= begin_s[i] < (row + 1) * 0.02 - 1e-9]
        before = max(i for i in range(n) if begin_s[i] <= row * 0.02 + 1e-9)
        expected.append(np.mean(inside or [before]))
    assert len(sound) == int(np.ceil(n * shift_s / 0.02 - 1e-9))
    scaled = (np.array(expected) - np.mean(expected)) / np.std(expected)
    np.testing.assert_allclose(frames(sound)[:, 0], scaled, atol=2e-3)


def test_given_probabilities_become_logarithms(tmp_path):
    likely = RANDOM.dirichlet(np.ones(4), 80)
    found = {}
    for kind, matrix in (("p", likely), ("log", np.log(likely)), ("numbers", np.log(likely) + 1)):
        folder = tmp_path / kind / "in"
        folder.mkdir(parents=True)
        np.save(folder / "a.npy", matrix)
        given(folder, kept="exact")
        found[kind] = frames(read_sound(folder.parent / "out" / "a.sound"))
    np.testing.assert_allclose(found["p"], found["log"], atol=2e-3)
    np.testing.assert_allclose(found["p"], found["numbers"], atol=2e-3)  # on the scale


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.txt", b"a [\n 1 2\n 3 ]\n", "a.txt:3: expected 2 numbers, got '1'"),
        ("a.txt", b"a [\n 1 x ]\n", "a.txt:2: expected numbers, got '1 x ]'"),
        ("a.txt", b"a [\n 1 2\n", "expected ] behind the last row of a, got the end of the file"),
        ("a.txt", b"a [\n 1 nan ]\n", "a.txt:1: expected finite numbers of a"),
        ("a.txt", b"a \0BFM \4", "copy-feats"),
        ("a.txt", b"1 2 3\n", "expected NAME [, as archives of Kaldi begin"),
        ("a.txt", b".. [\n 1 2 ]\n", "expected the name of a recording, got '..'"),
        ("a.txt", b"a [\n 1 2 ]\na [\n 1 2 ]\n", "expected recordings of different names"),
        ("a.txt", b"a [\n 1 2 ]\nb [\n 1 2 3 ]\n", "expected 2 numbers a frame"),
        ("a.txt", b"a [ ]\n", "expected frames, got none"),
        ("a.npz", b"PK\3\4 no more", "expected frames: .npz"),
        ("a.npy", b"\x93NUMPY\1\0", "expected frames: .npz"),
    ],
)
def test_what_are_no_frames_is_named(tmp_path, name, content, told):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / name).write_bytes(content)
    with pytest.raises(InputError, match=re.escape(told)):
        given(tmp_path / "in")
    assert not [*tmp_path.glob("out/*.sound")]


def test_given_objects_are_not_unpickled(tmp_path):
    (tmp_path / "in").mkdir()
    np.savez(tmp_path / "in" / "a.npz", a=np.array([[{}, {}]], object))
    with pytest.raises(InputError, match="allow_pickle"):
        given(tmp_path / "in")


def test_another_encoder_in_the_same_folder_is_refused(tmp_path):
    (tmp_path / "in").mkdir()
    np.save(tmp_path / "in" / "a.npy", MATRIX)
    given(tmp_path / "in")
    with pytest.raises(InputError, match=r"expected frame_shift_s = 0\.02"):
        given(tmp_path / "in", frame_shift_s=0.01)
    with pytest.raises(InputError, match=r'expected encoder = \{"name": "e"'):
        given(tmp_path / "in", encoder="f")
    with pytest.raises(ValueError, match="expected a name"):
        given(tmp_path / "in", encoder=" ")


@pytest.fixture(scope="module")
def hama():
    engine = pytest.importorskip("hama._engine", reason="needs the extra 'hama'")
    if not engine.available():
        pytest.skip("hama has no engine for this system")
    return HamaSound()


@pytest.mark.parametrize("samples", [1, 320, 321])
def test_hama_gives_log_probabilities_of_phones_for_each_20_ms(hama, samples):
    heard = hama.encode(np.sin(np.arange(samples, dtype=np.float32) / 9))
    assert heard.shape == (-(-samples // SAMPLES), 191)
    np.testing.assert_allclose(np.exp(heard).sum(axis=1), 1, atol=1e-3)


def test_hama_hears_the_same_whatever_it_heard_before(hama):
    tone = np.sin(np.arange(1600, dtype=np.float32) / 9)
    first = hama.encode(tone)
    hama.encode(tone[::-1])
    np.testing.assert_array_equal(hama.encode(tone), first)
    assert len(hama.model_hash) == 64


def test_a_file_that_ends_too_early_is_told(speech, tmp_path, writer, as_flac):
    path = as_flac(speech)
    for channels in ("mix", "split"):
        report = record_sound(task(path, tmp_path / channels, channels=channels), writer())
        assert report.warning == ""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    report = record_sound(task(path, tmp_path / "half"), writer())
    assert "less sound than the file states: is it complete?" in report.warning
