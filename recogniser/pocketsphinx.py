"""PocketSphinx as a recogniser (extra ``pocketsphinx``): small, English, its model in the package.

    open_pocketsphinx         options -> the recogniser
    PocketSphinxRecogniser    n-best lists of its lattices

It is far less accurate than Whisper, but needs no download and little memory, and is the simplest
example of a backend.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from recogniser.audio import loudness_activity
from recogniser.protocol import Hypothesis, Recognition, Window
from recogniser.words import timed_by
from std.errors import ConfigError
from std.imports import required
from std.networks import TimedWord
from std.values import Float32s

EXTRA = "pocketsphinx"
FRAMES_PER_S = 100
HYPOTHESES = 25  # of a lattice, different ones
SEEN = 200  # paths of a lattice that are examined, at most
LEAST_SCORE = 1e-300  # scores are linear, and small


class PocketSphinxRecogniser:
    """The hypotheses of a lattice, weighted by their scores."""

    windows_at_once = 1
    longest_window_s = 10.0  # scores are numbers below 1e-300 beyond some 25 s

    def __init__(self, decoder: Any, identity: Mapping[str, object]) -> None:
        self._decoder, self.identity = decoder, identity

    def speech_probabilities(self, samples: Float32s) -> Float32s:
        return loudness_activity(samples)

    def language_of(self, windows: Sequence[Window]) -> str:
        return "en"

    def recognise(
        self, block: int, windows: Sequence[Window], language: str
    ) -> Sequence[Recognition]:
        return [self._recognise(window) for window in windows]

    def _recognise(self, window: Window) -> Recognition:
        audio = np.clip(window.samples * 32768, -32768, 32767).astype("<i2").tobytes()
        self._decoder.start_utt()
        self._decoder.process_raw(audio, full_utt=True)
        self._decoder.end_utt()
        if window.silent or self._decoder.hyp() is None:
            return Recognition((), {"silent": True, "text": ""})
        best = [
            TimedWord(
                _plain(s.word), s.start_frame / FRAMES_PER_S, (s.end_frame + 1) / FRAMES_PER_S
            )
            for s in self._decoder.seg()
            if _is_word(s.word)
        ]
        scores = self._scores()
        best_text = " ".join(word.token for word in best)
        scores.setdefault(best_text, max(scores.values(), default=0.0))
        kept = sorted(scores, key=lambda text: (text != best_text, -scores[text]))[:HYPOTHESES]
        top = max(scores[text] for text in kept)
        weights = np.exp([scores[text] - top for text in kept])
        hypotheses = [
            Hypothesis(float(weight), best if text == best_text else timed_by(text.split(), best))
            for text, weight in zip(kept, weights / weights.sum(), strict=True)
        ]
        return Recognition(hypotheses, {"text": best_text})

    def _scores(self) -> dict[str, float]:
        """Score of each text of the lattice, nats; fillers and variants are left out."""
        scores: dict[str, float] = {}
        for path in islice(self._decoder.nbest() or (), SEEN):
            if path is None:  # a lattice that has no path to its end
                continue
            text = " ".join(_plain(word) for word in path.hypstr.split() if _is_word(word))
            score = math.log(max(path.score, LEAST_SCORE))
            scores[text] = max(score, scores.get(text, -math.inf))
        return scores


def _is_word(token: str) -> bool:
    return token[:1] not in "<[+"


def _plain(token: str) -> str:
    """A word without the number of its pronunciation: ``read(2)``."""
    return token.partition("(")[0]


def open_pocketsphinx(language: str) -> PocketSphinxRecogniser:
    """Load PocketSphinx with the English model of its package.

    Raises:
        ConfigError: the extra is not installed, or another language is asked for.
    """
    module = required("pocketsphinx", EXTRA)
    if language not in ("auto", "en"):
        raise ConfigError(f"--language {language}: PocketSphinx's own model is English")
    version = required("importlib.metadata", EXTRA).version("pocketsphinx")
    decoder = module.Decoder(loglevel="FATAL", cmn="batch", samprate=16000)
    identity = {"model": "en-us", "pocketsphinx": version, "hypotheses": HYPOTHESES}
    return PocketSphinxRecogniser(decoder, identity)
