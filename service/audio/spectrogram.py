"""The spectrum of a stretch of a recording over time, as a grey PNG picture.

Short-time Fourier transform with a Hann window of 25 ms every 5 ms, frequencies up to 8 kHz on
the mel scale (O'Shaughnessy 1987: 2595 log10(1 + f / 700)), levels over 60 dB as grey.
"""

import struct
import zlib
from collections.abc import Callable

import numpy as np

from service.audio.sound import samples
from service.recordings import RecordingEntry
from std.store.columns import UInt8s
from std.values import Float32s

SPECTROGRAM_RATE_HZ = 16_000
WINDOW = 400
STEP = 80
BANDS = 96
RANGE_DB = 60.0
MOST_COLUMNS = 1600


def spectrogram_png(
    entry: RecordingEntry, from_s: float, to_s: float, check: Callable[[], None]
) -> bytes:
    """The picture of a stretch; silence is white."""
    assert entry.audio is not None
    blocks = samples(
        entry.audio,
        SPECTROGRAM_RATE_HZ,
        channel=entry.recording.channel,
        from_s=from_s,
        to_s=to_s,
        check=check,
    )
    sound = np.concatenate([np.zeros(0, np.float32), *blocks])
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
