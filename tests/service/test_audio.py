"""Sound: samples, waveforms, pictures and clips of a tone whose truth is known."""

import io
import math
import shutil
import threading
import time
import wave
from itertools import pairwise

import av
import numpy as np
import pytest
from PIL import Image

from service.audio import (
    BANDS,
    PER_SECOND,
    clip,
    decoded,
    grey,
    mel_bands,
    name_of,
    peaks_of,
    playable,
    png,
    remove_oldest,
    spectrogram_png,
)
from service.problems import ProblemError
from service.recordings import RecordingEntry
from std.audio.samples import samples
from std.values import Recording

RATE = 16_000


def go_on():
    pass


def write_wave(path, sound, rate=RATE):
    with wave.open(str(path), "wb") as writer:
        writer.setnchannels(sound.shape[1] if sound.ndim == 2 else 1)
        writer.setsampwidth(2)
        writer.setframerate(rate)
        writer.writeframes(np.rint(sound * 32767).astype("<i2").tobytes())


def tone(hertz, seconds, level=0.5):
    return level * np.sin(2 * np.pi * hertz * np.arange(int(seconds * RATE)) / RATE)


@pytest.fixture
def beep(tmp_path):
    """Two seconds of silence, one of 1 kHz, two of silence; 3 kHz in channel 2."""
    silence = np.zeros(2 * RATE)
    left = np.concatenate([silence, tone(1000, 1), silence])
    right = np.concatenate([silence, tone(3000, 1, 0.25), silence])
    path = tmp_path / "beep.wav"
    write_wave(path, np.stack([left, right], axis=1))
    return path


def entry(path, channel=1):
    return RecordingEntry("beep", Recording("beep", channel), 5.0, path, {})


def test_samples_of_a_stretch(beep):
    whole = np.concatenate(list(samples(beep, RATE)))
    assert len(whole) == 5 * RATE
    part = np.concatenate(list(samples(beep, RATE, from_s=1.9, to_s=2.1)))
    assert np.array_equal(part, whole[int(1.9 * RATE) : int(2.1 * RATE)])
    right = np.concatenate(list(samples(beep, RATE, channel=2)))
    assert np.abs(right).max() == pytest.approx(0.25, abs=0.01)
    assert not list(samples(beep, RATE, from_s=9, to_s=10))


def test_what_is_no_audio(tmp_path):
    path = tmp_path / "no.wav"
    for content in (b"", b"not audio at all" * 100):
        path.write_bytes(content)
        with pytest.raises(ProblemError):
            list(decoded(path, samples(path, RATE)))
    gone = tmp_path / "gone.wav"
    with pytest.raises(ProblemError):
        list(decoded(gone, samples(gone, RATE)))


def test_the_waveform_shows_the_tone_and_is_kept(beep, tmp_path):
    kept = tmp_path / "kept"
    peaks = peaks_of(entry(beep), kept, go_on)
    assert peaks.duration_s == pytest.approx(5, abs=0.01)
    assert len(peaks.peaks) == pytest.approx(5 * PER_SECOND, abs=1)
    assert peaks.peaks[: 2 * PER_SECOND - 1].max() <= 2
    assert peaks.peaks[2 * PER_SECOND + 1 : 3 * PER_SECOND - 1].min().item() == pytest.approx(
        127, abs=4
    )

    def stop():
        raise AssertionError("computed again")

    for from_s, to_s, count in ((0.0, 5.0, 7), (1.9, 3.3, 40), (2.0, 2.01, 9), (4.5, 6.5, 20)):
        edges = PER_SECOND * np.linspace(from_s, to_s, count + 1)
        slow = [
            max([*peaks.peaks[math.floor(first + 1e-6) : math.ceil(last - 1e-6)].tolist(), 0])
            for first, last in pairwise(edges)
        ]
        assert peaks.of(from_s, to_s, count).tolist() == slow
    again = peaks_of(entry(beep), kept, stop)
    assert np.array_equal(again.peaks, peaks.peaks)
    assert again.duration_s == peaks.duration_s
    assert peaks_of(entry(beep, 2), kept, go_on).peaks.max().item() == pytest.approx(64, abs=3)
    (one, _) = sorted((kept / "peaks").iterdir())
    one.write_bytes(b"damaged")
    assert len(peaks_of(entry(beep), kept, go_on).peaks)


def test_the_spectrogram_has_the_tone_at_its_frequency(beep):
    picture = np.asarray(Image.open(io.BytesIO(spectrogram_png(entry(beep), 1.0, 4.0, go_on))))
    assert picture.shape[0] == BANDS
    columns = picture.shape[1]
    assert columns == pytest.approx(600, abs=2)  # 3 s, one every 5 ms
    silent, loud = picture[:, : columns // 4], picture[:, columns * 2 // 5 : columns * 3 // 5]
    assert silent.min() == 255
    row = BANDS - 1 - int(loud.astype(float).mean(axis=1).argmin())
    centre = 700 * (
        10 ** (np.linspace(0, 2595 * np.log10(1 + 8000 / 700), BANDS + 2)[1 + row] / 2595) - 1
    )
    assert centre == pytest.approx(1000, rel=0.05)


def test_bands_cover_all_frequencies_once():
    bands = mel_bands()
    assert bands.shape[0] == BANDS
    assert (bands.sum(axis=1) > 0).all()
    assert grey(np.zeros((3, 4))).tolist() == [[0] * 4] * 3


def test_a_picture_is_read_by_another_program():
    pixels = np.arange(12, dtype=np.uint8).reshape(3, 4)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(png(pixels)))), pixels)


@pytest.mark.parametrize("kind", ["wav", "ogg"])
def test_a_clip_holds_its_stretch(beep, kind):
    content = clip(entry(beep), 1.5, 3.5, kind, go_on)
    with av.open(io.BytesIO(content)) as container:
        assert container.streams.audio[0].codec.name == {"wav": "pcm_s16le", "ogg": "opus"}[kind]
    path = beep.with_name(f"clip.{kind}")
    path.write_bytes(content)
    sound = np.concatenate(list(samples(path, RATE)))
    assert len(sound) / RATE == pytest.approx(2.0, abs=0.05)
    loud = np.flatnonzero(np.abs(sound) > 0.2) / RATE
    assert (loud[0], loud[-1]) == pytest.approx((0.5, 1.5), abs=0.05)


def test_what_browsers_do_not_play_is_converted_once(beep, tmp_path):
    aiff = tmp_path / "beep.aiff"
    with av.open(str(beep)) as source, av.open(str(aiff), "w") as target:
        stream = target.add_stream("pcm_s16be", rate=RATE, layout="stereo")
        for frame in source.decode(audio=0):
            target.mux(stream.encode(frame))
        target.mux(stream.encode(None))
    assert entry(aiff).audio_type == ""
    converted = playable(aiff, tmp_path / "kept", go_on)
    sound = np.concatenate(list(samples(converted, RATE)))
    assert len(sound) / RATE == pytest.approx(5, abs=0.1)
    written = converted.stat().st_ino
    assert playable(aiff, tmp_path / "kept", go_on).stat().st_ino == written
    remove_oldest(converted.parent, "*.ogg", 1)
    assert not converted.exists()


def test_a_waveform_is_computed_whether_anybody_waits_or_not(serve, changed, monkeypatch):
    from service.api import audio as routes
    from service.settings import Limits

    go_on, begun, usual = threading.Event(), [], routes.peaks_of

    def slow_peaks(entry, folder, check, tell):
        begun.append(entry.id)
        tell(12.5)
        assert go_on.wait(300)
        if entry.id == "KERSTIN_01":
            raise ProblemError(404, "the audio of this recording is gone")
        return usual(entry, None, check, tell)

    monkeypatch.setattr(routes, "peaks_of", slow_peaks)
    with serve(changed(limits=Limits(waveform_wait_s=0.2))) as client:
        for name in ("KERSTIN_00", "KERSTIN_01", "KERSTIN_00"):
            answer = client(f"/api/recordings/{name}/peaks")
            while answer.json == {"done_s": 0.0}:  # it has not begun yet
                answer = client(f"/api/recordings/{name}/peaks")
            assert (answer.status, answer.json) == (202, {"done_s": 12.5})
            assert int(answer.headers["retry-after"]) > 0
        assert begun == ["KERSTIN_00", "KERSTIN_01"]
        sound = client("/api/clips/KERSTIN_02", **{"from": 1, "to": 2})  # both threads are busy
        assert sound.status == 200
        go_on.set()
        while client.service.recordings.running:
            time.sleep(0.01)
        assert client("/api/recordings/KERSTIN_00/peaks").json["duration_s"] > 60
        assert client("/api/recordings/KERSTIN_01/peaks").status == 404  # told, then tried again
        assert begun.count("KERSTIN_01") == 1
        while client("/api/recordings/KERSTIN_01/peaks").status == 202:
            time.sleep(0.01)
        assert begun == ["KERSTIN_00", "KERSTIN_01", "KERSTIN_01"]


def test_waveforms_of_other_versions_are_removed(beep, tmp_path):
    kept = tmp_path / "peaks"
    kept.mkdir()
    for name in (f"{'0' * 32}.npy", f"{'0' * 32}-20.npy", f"{'1' * 32}-{PER_SECOND}.npy", "a.npy"):
        (kept / name).write_bytes(b"")
    peaks_of(entry(beep), tmp_path, go_on)
    mine = f"{name_of(beep, 1)}-{PER_SECOND}.npy"
    assert {one.name for one in kept.iterdir()} == {mine, f"{'1' * 32}-{PER_SECOND}.npy", "a.npy"}


def test_what_is_no_audio_is_not_served(serve, german_settings, german, tmp_path):
    from dataclasses import replace

    audio = tmp_path / "audio"
    audio.mkdir()
    for name in ("KERSTIN_00", "KERSTIN_01", "KERSTIN_02"):
        shutil.copy(german / "audio" / f"{name}.ogg", audio)
    (audio / "KERSTIN_03.mp3").write_text("a secret")
    (tmp_path / "secret.ogg").write_bytes(b"OggS, a secret")
    (audio / "KERSTIN_04.ogg").symlink_to(tmp_path / "secret.ogg")
    with serve(replace(german_settings, audio=audio)) as client:
        heard = {
            one["id"] for one in client("/api/recordings").json["recordings"] if one["has_audio"]
        }
        assert heard == {"KERSTIN_00", "KERSTIN_01", "KERSTIN_02"}
        assert client("/api/audio/KERSTIN_00").status == 200
        before = client("/api/clips/KERSTIN_00", from_=1, to=2).body
        (audio / "KERSTIN_00.ogg").write_bytes((german / "audio/KERSTIN_05.ogg").read_bytes())
        assert (
            client("/api/clips/KERSTIN_00", from_=1, to=2).body != before
        )  # of the sound as it is
        (audio / "KERSTIN_01.ogg").write_text("a secret")
        (audio / "KERSTIN_02.ogg").unlink()
        (audio / "KERSTIN_02.ogg").symlink_to(tmp_path / "secret.ogg")
        for name in ("KERSTIN_01", "KERSTIN_02", "KERSTIN_03", "KERSTIN_04"):
            assert client(f"/api/audio/{name}").status == 404


def test_two_files_of_a_recording_keep_the_service_from_starting(german_settings, german, tmp_path):
    from dataclasses import replace

    from service.live_index import LiveIndex
    from std.errors import InputError

    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        shutil.copy(german / "audio" / "KERSTIN_00.ogg", tmp_path / folder)
    with pytest.raises(InputError, match=r"a/KERSTIN_00\.ogg and b/KERSTIN_00\.ogg"):
        LiveIndex(replace(german_settings, audio=tmp_path))


def test_the_folder_beside_an_index_is_no_link(german_settings, tmp_path, monkeypatch):
    from dataclasses import replace

    from service.state import Service

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    index = tmp_path / "index"
    shutil.copytree(german_settings.stores[0], index)
    service = Service(replace(german_settings, stores=(str(index),)))
    assert service.kept_folder == index / "service"
    (tmp_path / "music").mkdir()
    for name in ("service", "service/playable", "service/peaks"):
        shutil.rmtree(index / "service", ignore_errors=True)
        (index / name).parent.mkdir(exist_ok=True)
        (index / name).symlink_to(tmp_path / "music")
        assert service.kept_folder == tmp_path / "cache" / "std-serve"
        (index / name).unlink()


def test_only_converted_recordings_are_removed(tmp_path):
    for name in ("song", "0" * 32, "1" * 32):
        (tmp_path / f"{name}.ogg").write_bytes(b"1234")
    remove_oldest(tmp_path, "*.ogg", 0)
    assert [path.name for path in tmp_path.iterdir()] == ["song.ogg"]
