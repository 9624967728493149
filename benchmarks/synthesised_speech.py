"""Speech of espeak-ng: what words sound like, when each is said, and noise to put it in.

Synthesiser   words -> their sound, and where each begins and ends (`word_spans`)
babble        several voices at once and pink noise
in_noise      a sound -> the sound in such noise

The library and the voices are those of the package espeakng-loader (GPL-3), which is not a
dependency but of the extra ``espeak``.
"""

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.archives.words import Ints
from std.values import Float32s

VOICES = ("m1", "f1", "m2", "f2", "m3", "f3", "m4", "f4", "m7", "f5")  # variants of espeak-ng
RATE = 22050
LOUD = 0.01  # of samples that are not silence
BABBLE, PINK = 6, 0.3  # voices in the noise, and pink noise in it


class Event(ctypes.Structure):
    """espeak_EVENT of speak_lib.h."""

    _fields_ = (
        ("type", ctypes.c_int), ("message", ctypes.c_uint), ("text_position", ctypes.c_int),
        ("length", ctypes.c_int), ("audio_position", ctypes.c_int), ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p), ("id", ctypes.c_char * 8),
    )  # fmt: skip


WORD, SYNCHRONOUS, UTF8 = 1, 2, 1
RATE_PARAMETER, PITCH_PARAMETER = 1, 3
CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(Event)
)


class Synthesiser:
    """espeak-ng in this process."""

    def __init__(self) -> None:
        import espeakng_loader

        self._library = ctypes.CDLL(espeakng_loader.get_library_path())
        self._library.espeak_Initialize(SYNCHRONOUS, 0, espeakng_loader.get_data_path().encode(), 0)
        self._callback = CALLBACK(self._take)  # kept: the library holds it
        self._library.espeak_SetSynthCallback(self._callback)
        self._parts: list[Float32s] = []
        self._events: list[tuple[int, int]] = []

    def voice(self, name: str, words_a_minute: int, pitch: int) -> None:
        """Speak with a voice."""
        if self._library.espeak_SetVoiceByName(name.encode()):
            raise SystemExit(f"espeak-ng: expected a voice, got {name}")
        self._library.espeak_SetParameter(RATE_PARAMETER, words_a_minute, 0)
        self._library.espeak_SetParameter(PITCH_PARAMETER, pitch, 0)

    def say(self, words: Sequence[str]) -> tuple[Float32s, Ints]:
        """(samples,) the sound, and (words, 2) samples where each word begins and ends."""
        self._parts, self._events = [], []
        text = " ".join(words).encode()
        self._library.espeak_Synth(text, len(text) + 1, 0, 1, 0, UTF8, None, None)
        sound = np.concatenate(self._parts)
        loud = np.flatnonzero(np.abs(sound) > LOUD)
        return sound, word_spans(words, self._events, int(loud[-1]) + 1 if len(loud) else 0)

    def _take(self, samples: Any, n: int, events: Any) -> int:
        if n and samples:
            self._parts.append(np.ctypeslib.as_array(samples, (n,)).astype(np.float32) / 32768)
        number = 0
        while events[number].type:
            if events[number].type == WORD:
                self._events.append((events[number].text_position - 1, events[number].sample))
            number += 1
        return 0


def word_spans(words: Sequence[str], events: Sequence[tuple[int, int]], end: int) -> Ints:
    """(words, 2) samples where each word begins and ends.

    Words that are said as one, which has one event, share its time by their letters.

    Args:
        words: of the utterance, with a space between them.
        events: position in the text and sample, of what the synthesiser takes for words.
        end: of the utterance.
    """
    lengths = np.array([len(word) for word in words])
    begins = np.concatenate([[0], np.cumsum(lengths + 1)[:-1]])
    first: dict[int, int] = {0: 0}
    for position, sample in events:
        first.setdefault(int(np.searchsorted(begins, position, side="right")) - 1, sample)
    known = sorted(first)
    letters = np.concatenate([[0], np.cumsum(lengths)])
    samples = np.minimum.accumulate([*(first[row] for row in known), end][::-1])[::-1]
    bounds = np.interp(letters, letters[[*known, len(words)]], samples).astype(np.int64)
    return np.stack([bounds[:-1], bounds[1:]], axis=1)


def babble(
    speaker: Synthesiser, language: str, lines: Sequence[Sequence[str]], rng: np.random.Generator
) -> Float32s:
    """Several voices at once, and pink noise."""
    said = []
    for number, variant in enumerate(VOICES):
        speaker.voice(f"{language}+{variant}", 175, 50)
        said.append(np.concatenate([speaker.say(line)[0] for line in lines[number :: len(VOICES)]]))
    n = min(map(len, said))
    voices: Float32s = sum(one[:n] for one in said[:BABBLE])
    spectrum = np.fft.rfft(rng.standard_normal(n))
    pink = np.fft.irfft(spectrum / np.sqrt(np.arange(1, len(spectrum) + 1)), n)
    both = voices / voices.std() + PINK * pink / pink.std()
    return (both / both.std()).astype(np.float32)


def in_noise(
    clean: Float32s, noise: Float32s, level_db: float, rng: np.random.Generator
) -> Float32s:
    """The sound with noise from any place on, so much louder than it."""
    first = int(rng.integers(len(noise)))
    around = np.resize(np.roll(noise, -first), len(clean))
    loud = clean[np.abs(clean) > LOUD].std() * 10 ** (level_db / 20)
    mixed = clean + loud * around
    return (0.9 * mixed / np.abs(mixed).max()).astype(np.float32)
