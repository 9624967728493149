"""The waveform of a recording: the largest amplitude of each stretch of a fixed length.

Computed once and kept in a folder (beside the index, if that is a folder), under a name that
changes with the audio file.
"""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from service.audio.decode import samples
from service.recordings import RecordingEntry
from std.errors import StdError
from std.outputs import make_folder, open_output
from std.store.columns import UInt8s

PER_SECOND = 20
MOST = 72_000  # of a recording: an hour; longer stretches of longer recordings
PEAKS_RATE_HZ = 8000
VERSION = 1


@dataclass(frozen=True, eq=False)
class Peaks:
    """A waveform."""

    duration_s: float
    peaks: UInt8s  # (n,) 255 is the largest amplitude there is


def peaks_of(entry: RecordingEntry, folder: Path | None, check: Callable[[], None]) -> Peaks:
    """The waveform of a recording, from its folder or from its audio.

    Args:
        entry: with audio.
        folder: where waveforms are kept; None = nowhere.
        check: may raise to stop.
    """
    assert entry.audio is not None
    kept = (
        folder / "peaks" / f"{name_of(entry.audio, entry.recording.channel)}.npy"
        if folder
        else None
    )
    if kept and kept.is_symlink():  # into what somebody else chose
        kept = None
    if kept:
        with suppress(OSError, ValueError):
            stored = np.load(kept, allow_pickle=False)
            return Peaks(float(stored[:8].view("<f8")[0]), stored[8:])
    peaks = compute(entry.audio, entry.recording.channel, check)
    if kept:
        with suppress(StdError, OSError):  # a folder that cannot be written: computed again
            make_folder(kept.parent)
            with open_output(kept) as stream:
                duration = np.array([peaks.duration_s], "<f8").view(np.uint8)
                np.save(stream, np.concatenate([duration, peaks.peaks]))
    return peaks


def name_of(path: Path, channel: int) -> str:
    """A name for what is computed from a file as it is now."""
    status = path.stat()
    state = f"{VERSION} {channel} {status.st_size} {status.st_mtime_ns} {path.absolute()}"
    return hashlib.sha256(state.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def compute(path: Path, channel: int, check: Callable[[], None]) -> Peaks:
    """The waveform of an audio file."""
    size, rest, parts, total = PEAKS_RATE_HZ // PER_SECOND, np.empty(0, np.float32), [], 0
    for block in samples(path, PEAKS_RATE_HZ, channel=channel, check=check):
        total += len(block)
        joined = np.concatenate([rest, block])
        whole = len(joined) // size * size
        parts.append(np.abs(joined[:whole]).reshape(-1, size).max(axis=1, initial=0.0))
        rest = joined[whole:]
    if len(rest):
        parts.append(np.abs(rest).max(keepdims=True))
    peaks = np.concatenate([np.empty(0, np.float32), *parts])
    if (times := -(-len(peaks) // MOST)) > 1:
        peaks = np.pad(peaks, (0, -len(peaks) % times)).reshape(-1, times).max(axis=1)
    return Peaks(total / PEAKS_RATE_HZ, np.clip(np.rint(255 * peaks), 0, 255).astype(np.uint8))
