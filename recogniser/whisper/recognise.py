"""Whisper as a recogniser: transcript and draws of a window become weighted hypotheses.

open_whisper         load Whisper from a model's name and the options of decoding
WhisperOptions       the user's options
WhisperRecogniser    the `recogniser.protocol.Recogniser`
resembling           hotwords that resemble the hypotheses of a window
WhisperSound         its encoder, a `recogniser.sound.SoundEncoder`
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from rapidfuzz import fuzz, process

from recogniser.audio import loudness_activity
from recogniser.protocol import SAMPLES_PER_S, Hypothesis, Recognition, Window
from recogniser.whisper.decode import (
    Decoded,
    beams,
    draws,
    no_speech,
    prompt_of,
    timed_words,
    transcripts,
)
from recogniser.whisper.engine import (
    WHISPER_EXTRA,
    Engine,
    FasterWhisper,
    device_of,
    digest,
    model_folder,
)
from recogniser.words import (
    MAX_COMPRESSION,
    MIN_LOG_PROB,
    SILENCE_PROB,
    spoken_words,
    timed_by,
    too_fast,
    without_loops,
)
from std.errors import ConfigError
from std.imports import required
from std.networks import TimedWord
from std.values import Float32s

SOUND_FRAMES_PER_S = 50
MOST_WORDS = 30  # in a prompt; prompted words that were not said cause errors
LEAST_SIMILARITY = 60.0  # per cent of the letters
MOST_JOINED = 3  # words that a hotword may be mistaken for
NOBODY = Recognition((), {"text": "", "silent": True})
DEFAULT_MODEL = "small.en"
METHOD = 1  # changes when the output of this package changes


@dataclass(frozen=True, slots=True)
class WhisperOptions:
    """How windows are decoded."""

    samples: int = 15
    temperature: float = 0.8
    beam: int = 5
    transcript_weight: float = 0.5
    windows_at_once: int = 8
    hotwords: tuple[str, ...] = ()
    vad: bool = True


class WhisperSound:
    """The last layer of the encoder, one frame for each 20 ms."""

    name = "whisper"
    longest_window_s = 28.0  # Whisper sees 30 s

    def __init__(self, engine: Engine, model_hash: str, activity: Any) -> None:
        """Take the encoder of a loaded model.

        Args:
            engine: the model.
            model_hash: SHA-256 of it.
            activity: samples -> probability of speech, which decides where windows end.
        """
        self._engine, self.model_hash = engine, model_hash
        self.speech_probabilities = activity

    def encode(self, samples: Float32s) -> Float32s:
        return frames_of(self._engine.encode(samples), len(samples))


def frames_of(encoded: Any, samples: int) -> Float32s:
    """(m, d) the frames of an encoded window, without those of the padding."""
    frames: Float32s = np.asarray(encoded)[0].astype(np.float32, copy=False)
    return frames[: max(1, -(-samples * SOUND_FRAMES_PER_S // SAMPLES_PER_S))]


class WhisperRecogniser:
    """Transcript with half of the weight, draws with the other half."""

    longest_window_s = 28.0  # Whisper sees 30 s

    def __init__(
        self, engine: Engine, options: WhisperOptions, identity: Mapping[str, object]
    ) -> None:
        self._engine, self._options = engine, options
        self._model_hash = str(identity.get("model_sha256", ""))
        self._keeps_frames = False
        self.identity = {**identity, "method": METHOD, **asdict(options)}
        self.windows_at_once = options.windows_at_once

    def speech_probabilities(self, samples: Float32s) -> Float32s:
        if not self._options.vad:
            return loudness_activity(samples)
        model = required("faster_whisper.vad", WHISPER_EXTRA).get_vad_model()
        found: Float32s = model(samples).reshape(-1)
        return found

    def sound(self) -> WhisperSound:
        """The model's encoder; later recognitions include its frames."""
        self._keeps_frames = True
        return WhisperSound(self._engine, self._model_hash, self.speech_probabilities)

    def language_of(self, windows: Sequence[Window]) -> str:
        votes = Counter(
            self._engine.languages(self._engine.encode(window.samples))[0][0] for window in windows
        )
        return votes.most_common(1)[0][0] if votes else "en"

    def recognise(
        self, block: int, windows: Sequence[Window], language: str
    ) -> Sequence[Recognition]:
        self._engine.restart(block)
        tokenizer = self._engine.tokenizer(language)
        encoded = [self._engine.encode(window.samples) for window in windows]
        results = self._recognitions(windows, encoded, tokenizer)
        if not self._keeps_frames:
            return results
        return [
            replace(result, frames=frames_of(view, len(window.samples)))
            for result, view, window in zip(results, encoded, windows, strict=True)
        ]

    def told(self, windows: Sequence[Window], language: str) -> Sequence[Sequence[str]]:
        tokenizer = self._engine.tokenizer(language)
        found: list[Sequence[str]] = []
        for window in windows:
            encoded = self._engine.encode(window.samples)
            seconds = len(window.samples) / SAMPLES_PER_S
            hot = self._with_hotwords(encoded, tokenizer, window.words, seconds)
            found.append(_words(hot[0]) if hot else [])
        return found

    def _recognitions(
        self, windows: Sequence[Window], encoded: Sequence[Any], tokenizer: Any
    ) -> list[Recognition]:
        prompt = prompt_of(tokenizer)
        results: list[Recognition] = [NOBODY] * len(windows)
        spoken = [
            i
            for i, window in enumerate(windows)
            if not (window.silent and no_speech(self._engine, encoded[i], prompt) > SILENCE_PROB)
        ]
        if not spoken:
            return results
        views = [encoded[i] for i in spoken]
        best = transcripts(self._engine, views, tokenizer, prompt, self._options.beam)
        for i, one in zip(spoken, best, strict=True):
            results[i] = Recognition((), _notes(one, 0))
        said = [(i, one) for i, one in zip(spoken, best, strict=True) if not one.silent]
        drawn = self._draws([encoded[i] for i, _ in said], tokenizer, prompt)
        for (i, one), samples in zip(said, drawn, strict=True):
            results[i] = self._recognition(windows[i], encoded[i], tokenizer, one, samples)
        return results

    def _draws(
        self, encoded: Sequence[Any], tokenizer: Any, prompt: Sequence[int]
    ) -> list[list[Decoded]]:
        o = self._options
        if not o.samples:
            return [[] for _ in encoded]
        return [  # one by one: several at once take more memory and save no time
            draws(self._engine, view, tokenizer, prompt, o.samples, o.temperature)
            for view in encoded
        ]

    def _recognition(
        self, window: Window, encoded: Any, tokenizer: Any, best: Decoded, drawn: Sequence[Decoded]
    ) -> Recognition:
        """One window's hypotheses; a draw replaces a rejected transcript."""
        seconds = len(window.samples) / SAMPLES_PER_S
        good = [draw for draw in drawn if _believable(draw, seconds)]
        thrown = len(drawn) - len(good)
        if not _believable(best, seconds) and good:
            best, good, thrown = good[0], good[1:], thrown + 1
        words = timed_words(self._engine, encoded, tokenizer, best.tokens, seconds)
        kept = without_loops([one.word.token for one in words])
        timed = [words[i].word for i in kept]
        likely = resembling(self._options.hotwords, map(_words, [best, *good]))
        hotter = self._with_hotwords(encoded, tokenizer, likely, seconds)
        alternatives = [timed_by(_words(draw), timed) for draw in [*good, *hotter]]
        n = len(alternatives)
        return Recognition(
            self._weighted(timed, alternatives, poor=best.log_prob < MIN_LOG_PROB),
            _notes(best, thrown),
            most_certain=(n + 0.5) / (n + 1),  # n draws cannot show a higher posterior
        )

    def _with_hotwords(
        self, encoded: Any, tokenizer: Any, words: Sequence[str], seconds: float
    ) -> list[Decoded]:
        """One more beam search, prompted with words that may be said."""
        if not words:
            return []
        prompt = prompt_of(tokenizer, ", ".join(words[:MOST_WORDS]))
        found = beams(self._engine, [encoded], tokenizer, prompt, self._options.beam)[0]
        return [found] if found.text and _believable(found, seconds) else []

    def _weighted(
        self, best: Sequence[TimedWord], alternatives: Sequence[Sequence[TimedWord]], *, poor: bool
    ) -> list[Hypothesis]:
        """The transcript with its weight (in a poor window that of a draw), then the draws."""
        n = len(alternatives)
        share = 1 / (n + 1) if poor or not n else self._options.transcript_weight
        weights = [share, *[(1 - share) / max(1, n)] * n]
        return [
            Hypothesis(weight, words)
            for weight, words in zip(weights, [best, *alternatives], strict=True)
        ]


def _believable(decoded: Decoded, seconds: float) -> bool:
    """Whether a text may have been said: no loop, not too fast."""
    if decoded.compression > MAX_COMPRESSION:
        return False
    return not too_fast(len(_words(decoded)), seconds)


def _words(decoded: Decoded) -> list[str]:
    words = spoken_words(decoded.text)
    return [words[i] for i in without_loops(words)]


def _notes(best: Decoded, thrown_away: int) -> dict[str, Any]:
    return {
        "log_prob": round(best.log_prob, 4),
        "no_speech": round(best.no_speech, 4),
        "thrown_away": thrown_away,
        "text": "" if best.silent else best.text,
        "silent": best.silent or not best.text,
    }


def resembling(words: Sequence[str], hypotheses: Iterable[Sequence[str]]) -> list[str]:
    """Choose hotwords for a prompt: those that resemble the hypotheses of a window, nearest first.

    Args:
        words: the hotwords.
        hypotheses: the words of each hypothesis of a window.
    """
    spans = {
        "".join(hypothesis[i : i + n]).casefold()
        for hypothesis in hypotheses
        for n in range(1, MOST_JOINED + 1)
        for i in range(len(hypothesis) - n + 1)
    }
    if not spans or not words:
        return []
    folded = [word.casefold().replace(" ", "") for word in words]
    likeness = process.cdist(folded, sorted(spans), scorer=fuzz.ratio).max(axis=1)
    order = sorted(range(len(words)), key=lambda i: (-likeness[i], words[i]))
    return [words[i] for i in order if likeness[i] >= LEAST_SIMILARITY][:MOST_WORDS]


def open_whisper(
    model: str,
    language: str,
    decoding: WhisperOptions,
    *,
    device: str,
    compute: str,
    threads: int,
    gpu: int,
) -> WhisperRecogniser:
    """Load Whisper.

    Args:
        model: a folder in CTranslate2's form, or a name of faster-whisper's; "" = small.en.
        language: a code, or auto.
        decoding: how windows are decoded.
        device: cpu, cuda or auto.
        compute: CTranslate2's type; default = int8 on a CPU, float16 on a GPU.
        threads: the number of CPU threads.
        gpu: the number of the GPU, if there are several.

    Raises:
        ConfigError: the extra is not installed, the model does not exist, or it lacks the language.
    """
    required("faster_whisper", WHISPER_EXTRA)
    folder = model_folder(model or DEFAULT_MODEL)
    device = device_of(device)
    if compute == "default":
        compute = "int8" if device == "cpu" else "float16"
    engine = FasterWhisper(folder, device, compute, threads, gpu)
    if not engine.multilingual and language not in ("auto", "en"):
        raise ConfigError(f"--language {language}: {folder} recognises English only")
    if engine.multilingual and language != "auto" and language not in engine.codes():
        raise ConfigError(f"--language: expected a code such as en or de, got {language!r}")
    identity = {
        "model_sha256": digest(folder),
        "device": device,
        "compute": compute,
        "threads": threads,
        **engine.versions(),
    }
    return WhisperRecogniser(engine, decoding, identity)
