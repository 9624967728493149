"""Whisper as a recogniser: transcript and draws of a window become weighted hypotheses.

WhisperOptions       what the user chooses
WhisperRecogniser    the `recogniser.protocol.Recogniser`
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from recogniser import guards
from recogniser.activity import loudness_activity
from recogniser.extras import required
from recogniser.protocol import SAMPLES_PER_S, Hypothesis, Recognition, Window
from recogniser.times import timed_by
from recogniser.whisper.decode import (
    AlignedWord,
    Decoded,
    draws,
    prompt_of,
    timed_words,
    transcripts,
)
from recogniser.whisper.engine import EXTRA, Engine
from recogniser.words import spoken_words
from std.n_best import TimedWord
from std.values import Float32s

METHOD = 1  # of what is in this package: a number that changes with its output


@dataclass(frozen=True, slots=True)
class WhisperOptions:
    """How windows are decoded."""

    samples: int = 10
    temperature: float = 0.8
    beam: int = 5
    transcript_weight: float = 0.5
    windows_at_once: int = 8
    hotwords: tuple[str, ...] = ()
    vad: bool = True


class WhisperRecogniser:
    """Transcript with half of the weight, draws with the other half."""

    def __init__(
        self, engine: Engine, options: WhisperOptions, identity: Mapping[str, object]
    ) -> None:
        self._engine, self._options = engine, options
        self.identity = {**identity, "method": METHOD, **asdict(options)}
        self.windows_at_once = options.windows_at_once

    def speech_probabilities(self, samples: Float32s) -> Float32s:
        if not self._options.vad:
            return loudness_activity(samples)
        model = required("faster_whisper.vad", EXTRA).get_vad_model()
        found: Float32s = model(samples).reshape(-1)
        return found

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
        prompt = prompt_of(tokenizer)
        encoded = [self._engine.encode(window.samples) for window in windows]
        o = self._options
        best = transcripts(self._engine, encoded, tokenizer, prompt, o.beam)
        spoken = [i for i, one in enumerate(best) if one.text and not one.silent]
        drawn: dict[int, list[Decoded]] = {}
        if spoken and o.samples:
            views = [encoded[i] for i in spoken]
            found = draws(self._engine, views, tokenizer, prompt, o.samples, o.temperature)
            drawn = dict(zip(spoken, found, strict=True))
        results = []
        for i, window in enumerate(windows):
            if i not in spoken:
                results.append(Recognition((), _notes(best[i], 0, silent=True)))
                continue
            seconds = len(window.samples) / SAMPLES_PER_S
            words = timed_words(self._engine, encoded[i], tokenizer, best[i].tokens, seconds)
            results.append(self._recognition(best[i], words, drawn.get(i, []), seconds))
        return results

    def _recognition(
        self,
        best: Decoded,
        words: Sequence[AlignedWord],
        drawn: Sequence[Decoded],
        seconds: float,
    ) -> Recognition:
        kept = guards.without_loops([one.word.token for one in words])
        timed = [words[i].word for i in kept]
        alternatives = []
        for draw in drawn:
            texts = spoken_words(draw.text)
            texts = [texts[i] for i in guards.without_loops(texts)]
            if draw.compression > guards.MAX_COMPRESSION or guards.too_fast(len(texts), seconds):
                continue
            alternatives.append(timed_by(texts, timed))
        thrown = len(drawn) - len(alternatives)
        return Recognition(self._weighted(timed, alternatives), _notes(best, thrown))

    def _weighted(
        self, best: Sequence[TimedWord], alternatives: Sequence[Sequence[TimedWord]]
    ) -> list[Hypothesis]:
        share = self._options.transcript_weight if alternatives else 1.0
        n = len(alternatives) or 1
        certain = (n + 0.5) / (n + 1)  # n draws cannot show more
        weights = [share, *[(1 - share) / n] * len(alternatives)]
        return [
            Hypothesis(weight * certain, words)
            for weight, words in zip(weights, [best, *alternatives], strict=True)
        ]


def _notes(best: Decoded, thrown_away: int, *, silent: bool = False) -> dict[str, Any]:
    return {
        "log_prob": round(best.log_prob, 4),
        "no_speech": round(best.no_speech, 4),
        "thrown_away": thrown_away,
        "text": best.text,
        **({"silent": 1} if silent else {}),
    }
