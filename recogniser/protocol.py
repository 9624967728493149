"""The interface of a recogniser; std-recognise works with every implementation of it.

    Window          a stretch of audio, as `recogniser.audio` cuts it
    Hypothesis      a word sequence that may have been said in it, with a weight
    Recognition     the hypotheses of one window
    Recogniser      windows in, hypotheses out
    Listener        a recogniser that can be given words that may have been said

docs/recognisers.md shows how to write one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, runtime_checkable

from std.networks import TimedWord
from std.values import Float32s

SAMPLES_PER_S = 16_000
FRAME = 512  # samples of which voice activity is decided: 32 ms
FRAME_MS = 1000 * FRAME // SAMPLES_PER_S


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """A stretch of one channel of a recording.

    Windows cover a recording without gaps: each span begins where the previous one ends. Where
    speech had to be cut, the audio extends beyond the span on that side.
    """

    start_ms: int  # of the span
    end_ms: int
    audio_start_ms: int  # of the samples
    samples: Float32s  # (n,) 16 kHz, in [-1, 1]
    speech: Float32s  # (n // 512,) probability that there is speech, per frame of 32 ms
    silent: bool = False  # no voice activity in it
    words: tuple[str, ...] = ()  # words that may be said in it, when listening again


class Hypothesis(NamedTuple):
    """Words that may have been said in a window; times count from the window's first sample."""

    weight: float
    words: Sequence[TimedWord]


@dataclass(frozen=True, slots=True)
class Recognition:
    """What was recognised in one window.

    ``hypotheses`` are ordered, the best first; each word of the best has its time. Weights sum to
    at most 1; the rest is the posterior of 'no word'. No hypotheses = nobody spoke.
    ``most_certain`` is the highest posterior that a word may get from them; ``notes`` are kept in
    the output. ``frames`` are (m, d), one for each 20 ms of the window's samples, which ``--sound``
    then need not encode again; None = the recogniser has no frames.
    """

    hypotheses: Sequence[Hypothesis]
    notes: Mapping[str, float | int | str] = field(default_factory=dict)
    most_certain: float = 0.999
    frames: Float32s | None = None


@runtime_checkable
class Listener(Protocol):
    """A recogniser that can be given words that may have been said."""

    def told(self, windows: Sequence[Window], language: str) -> Sequence[Sequence[str]]:
        """The likeliest words of each window if its words may be said; empty without any."""


class Recogniser(Protocol):
    """Turns audio into hypotheses. One object works for one process.

    The same windows with the same ``block`` number must give the same hypotheses, whatever was
    recognised before, because recognition continues after a crash where it stopped.
    """

    @property
    def identity(self) -> Mapping[str, object]:
        """Everything that determines the output, as JSON: model, its hash, options, versions."""

    @property
    def windows_at_once(self) -> int:
        """The number of windows in a block; the last block of a recording may have fewer."""

    @property
    def longest_window_s(self) -> float:
        """The longest window that it takes."""

    def speech_probabilities(self, samples: Float32s) -> Float32s:
        """(n // 512,) the probability of speech in each frame of 32 ms."""

    def language_of(self, windows: Sequence[Window]) -> str:
        """The language code of a recording, from its first windows with speech."""

    def recognise(
        self, block: int, windows: Sequence[Window], language: str
    ) -> Sequence[Recognition]:
        """Recognise consecutive windows of a recording; ``block`` counts from 0."""
