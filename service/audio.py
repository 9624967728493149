"""The sound of recordings, through PyAV: samples, clips, waveforms, spectra, playable copies.

    decoded            samples of a file (`std.audio.samples`); failures are HTTP problems
    stretch            the samples between two times of a recording
    clip               a stretch as a separate file: Ogg Opus, or WAV
    peaks_of           the waveform: the largest amplitude of each stretch of a fixed length
    playable           Ogg Opus, made once from any format that PyAV reads
    spectrogram_png    the spectrum of a stretch over time, as a grey picture: a short-time Fourier
                       transform with a Hann window of 25 ms every 5 ms, frequencies up to 8 kHz on
                       the mel scale (O'Shaughnessy 1987: 2595 log10(1 + f / 700)), 60 dB as grey

Waveforms and copies are computed once and kept in a folder (beside the index, if the index is a
folder). Their names change with the audio file.
"""

import hashlib
import re
import struct
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from service.problems import ProblemError
from service.recordings import RecordingEntry
from std.audio.samples import RATES, Format, OpusWriter, samples, sound_file
from std.errors import InputError, StdError
from std.outputs import make_folder, open_output
from std.values import Float32s, UInt8s

MEDIA_TYPES = {"ogg": "audio/ogg", "wav": "audio/wav"}
PER_SECOND = 100
SHOWN_PER_SECOND, MOST_SHOWN = 20, 72_000  # of a whole recording, unless a count is asked for
PEAKS_RATE_HZ = 8000
VERSION = 2
NAME = re.compile("[0-9a-f]{32}")  # that `name_of` gives
KEPT_BYTES = 4_000_000_000  # of converted recordings, and of waveforms; older ones are removed
SPECTROGRAM_RATE_HZ = 16_000
WINDOW = 400  # samples of a spectrum: 25 ms
STEP = 80  # samples from one spectrum to the next: 5 ms
BANDS = 96  # of frequencies
RANGE_DB = 60.0
MOST_COLUMNS = 1600


def decoded(path: Path, blocks: Iterator[Float32s]) -> Iterator[Float32s]:
    """The blocks that `std.audio.samples.samples` reads from a file.

    Raises:
        ProblemError: the file cannot be decoded or no longer exists.
    """
    if not path.is_file():
        raise ProblemError(404, "the audio of this recording is gone")
    try:
        yield from blocks
    except InputError as error:
        raise ProblemError(
            404, f"the audio of this recording cannot be read: {error.got}"
        ) from error


def stretch(
    entry: RecordingEntry, rate_hz: int, from_s: float, to_s: float, check: Callable[[], None]
) -> Float32s:
    """(n,) the samples between two times of a recording that has audio.

    Raises:
        ProblemError: the audio cannot be decoded or no longer exists.
    """
    path, channel = entry.audio, entry.recording.channel
    assert path is not None
    blocks = samples(path, rate_hz, channel=channel, from_s=from_s, to_s=to_s, check=check)
    return np.concatenate([np.zeros(0, np.float32), *decoded(path, blocks)])


def clip(
    entry: RecordingEntry, from_s: float, to_s: float, kind: Format, check: Callable[[], None]
) -> bytes:
    """The bytes of a clip.

    Args:
        check: called between blocks; it may raise to stop.

    Raises:
        ProblemError: the stretch has no sound.
    """
    sound = stretch(entry, RATES[kind], from_s, to_s, check)
    if not len(sound):
        raise ProblemError(404, f"the audio of {entry.title} has no sound from {from_s:g} s on")
    return sound_file(sound, kind)


@dataclass(frozen=True, eq=False)
class Peaks:
    """A waveform."""

    duration_s: float
    peaks: UInt8s  # (n,) of each hundredth of a second; 255 is the largest possible amplitude

    def of(self, from_s: float, to_s: float, count: int) -> UInt8s:
        """(count,) the largest amplitude in each of as many equal parts of a stretch; 0 = none."""
        edges = np.linspace(from_s, to_s, count + 1) * PER_SECOND
        most = len(self.peaks)
        first = np.minimum(np.floor(edges[:-1] + 1e-6), most).astype(np.int64)
        last = np.maximum(np.minimum(np.ceil(edges[1:] - 1e-6), most), first + 1).astype(np.int64)
        padded = np.append(self.peaks[first[0] : last[-1]], np.zeros(2, np.uint8))
        largest: UInt8s = np.maximum.reduceat(padded, np.stack([first, last], 1).ravel() - first[0])
        return largest[::2]


UNTOLD: Callable[[float], None] = lambda seconds: None  # noqa: E731  # a name for "nobody asks"


def peaks_of(
    entry: RecordingEntry,
    folder: Path | None,
    check: Callable[[], None],
    tell: Callable[[float], None] = UNTOLD,
) -> Peaks:
    """The waveform of a recording, from its folder or from its audio.

    Args:
        folder: the folder of stored waveforms; None = do not store them.
        check: may raise to stop.
        tell: is called with the seconds that are done.
    """
    assert entry.audio is not None
    kept = (
        folder / "peaks" / f"{name_of(entry.audio, entry.recording.channel)}-{PER_SECOND}.npy"
        if folder
        else None
    )
    if kept and kept.is_symlink():  # a link, perhaps made by somebody else
        kept = None
    if kept:
        with suppress(OSError, ValueError):
            stored = np.load(kept, mmap_mode="r", allow_pickle=False)
            return Peaks(float(stored[:8].view("<f8")[0]), stored[8:])
    peaks = compute(entry.audio, entry.recording.channel, check, tell)
    if kept:
        with suppress(StdError, OSError):  # not stored: the next request computes it again
            make_folder(kept.parent)
            with open_output(kept) as stream:
                duration = np.array([peaks.duration_s], "<f8").view(np.uint8)
                np.save(stream, np.concatenate([duration, peaks.peaks]))
            remove_outdated(kept.parent)
    return peaks


def name_of(path: Path, channel: int) -> str:
    """A name for values computed from the current content of a file.

    Raises:
        ProblemError: the file no longer exists.
    """
    try:
        status = path.stat()
    except OSError as error:
        raise ProblemError(404, "the audio of this recording is gone") from error
    state = f"{VERSION} {channel} {status.st_size} {status.st_mtime_ns} {path.absolute()}"
    return hashlib.sha256(state.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def compute(
    path: Path, channel: int, check: Callable[[], None], tell: Callable[[float], None] = UNTOLD
) -> Peaks:
    """The waveform of an audio file."""
    size, rest, parts, total = PEAKS_RATE_HZ // PER_SECOND, np.empty(0, np.float32), [], 0
    blocks = samples(path, PEAKS_RATE_HZ, channel=channel, check=check)
    for block in decoded(path, blocks):
        total += len(block)
        tell(total / PEAKS_RATE_HZ)
        joined = np.concatenate([rest, block])
        whole = len(joined) // size * size
        parts.append(np.abs(joined[:whole]).reshape(-1, size).max(axis=1, initial=0.0))
        rest = joined[whole:]
    if len(rest):
        parts.append(np.abs(rest).max(keepdims=True))
    peaks = np.concatenate([np.empty(0, np.float32), *parts])
    return Peaks(total / PEAKS_RATE_HZ, np.clip(np.rint(255 * peaks), 0, 255).astype(np.uint8))


def playable(path: Path, folder: Path, check: Callable[[], None]) -> Path:
    """A file that browsers can play, with the sound of an audio file."""
    place = folder / "playable"
    try:
        place.mkdir(parents=True, exist_ok=True)
        target = place / f"{name_of(path, 0)}.ogg"
        if target.exists() and not target.is_symlink():
            target.touch()
            return target
        with tempfile.NamedTemporaryFile(dir=place, suffix=".part", delete=False) as part:
            temporary = Path(part.name)
        try:
            with OpusWriter(temporary) as opus:
                for block in decoded(path, samples(path, RATES["ogg"], check=check)):
                    opus.write(np.rint(np.clip(block, -1, 1) * 32767).astype("<i2"))
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        remove_oldest(place, "*.ogg", KEPT_BYTES)
        return target
    except OSError as error:
        raise ProblemError(503, f"converted audio cannot be kept: {error.strerror}") from error


def remove_outdated(folder: Path) -> None:
    """Remove waveforms that other versions made, and the oldest ones beyond a limit."""
    ours = f"*-{PER_SECOND}.npy"
    current = {path.name for path in folder.glob(ours)}
    for path in folder.glob("*.npy"):
        if path.name not in current and NAME.match(path.name):
            with suppress(OSError):
                path.unlink()
    remove_oldest(folder, ours, KEPT_BYTES)


def remove_oldest(folder: Path, pattern: str, limit_bytes: int) -> None:
    """Remove the least recently used of the files that the service made, beyond a limit."""
    ours = [path for path in folder.glob(pattern) if NAME.match(path.stem)]
    files = sorted(ours, key=lambda path: -path.stat().st_mtime)
    total = 0
    for path in files:
        total += path.stat().st_size
        if total > limit_bytes:
            with suppress(OSError):
                path.unlink()


def spectrogram_png(
    entry: RecordingEntry, from_s: float, to_s: float, check: Callable[[], None]
) -> bytes:
    """The picture of a stretch; silence is white."""
    sound = stretch(entry, SPECTROGRAM_RATE_HZ, from_s, to_s, check)
    wanted = round((to_s - from_s) * SPECTROGRAM_RATE_HZ)
    return png(grey(levels_db(np.pad(sound, (0, max(0, wanted - len(sound))))[:wanted])))


def levels_db(sound: Float32s) -> np.ndarray:
    """(BANDS, n) level of each mel band over time."""
    padded = np.pad(sound, (WINDOW // 2, WINDOW))
    count = max(1, len(sound) // STEP)
    step = STEP * -(-count // MOST_COLUMNS)
    starts = np.arange(0, max(1, len(sound)), step)[:, None]
    frames = padded[np.minimum(starts + np.arange(WINDOW), len(padded) - 1)]
    power = np.abs(np.fft.rfft(frames * np.hanning(WINDOW), axis=1)) ** 2
    levels: np.ndarray = 10 * np.log10(power @ mel_bands().T + 1e-10).T
    return levels


def mel_bands() -> np.ndarray:
    """(BANDS, WINDOW // 2 + 1) triangular filters."""
    frequency = np.fft.rfftfreq(WINDOW, 1 / SPECTROGRAM_RATE_HZ)
    mel = np.linspace(0, 2595 * np.log10(1 + SPECTROGRAM_RATE_HZ / 2 / 700), BANDS + 2)
    centre = 700 * (10 ** (mel / 2595) - 1)
    width = np.maximum(
        np.diff(centre), SPECTROGRAM_RATE_HZ / WINDOW
    )  # no band is narrower than a bin
    rising = (frequency - centre[1:-1, None]) / width[:-1, None] + 1
    falling = (centre[1:-1, None] - frequency) / width[1:, None] + 1
    return np.clip(np.minimum(rising, falling), 0, None)


def grey(levels: np.ndarray) -> UInt8s:
    """(rows, columns) pixels, the highest band first: 255 for silence, 0 for the loudest."""
    loudest = max(float(levels.max(initial=-50.0)), -50.0)
    share = np.clip((levels - loudest) / RANGE_DB + 1, 0, 1)
    pixels: UInt8s = np.rint(255 * (1 - share)).astype(np.uint8)[::-1]
    return pixels


def png(pixels: UInt8s) -> bytes:
    """An 8-bit grey picture (PNG, ISO/IEC 15948)."""
    height, width = pixels.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels], axis=1)  # filter: none
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
    )
