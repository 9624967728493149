"""One window, encoded once: the transcript, its words' times, and draws.

    Decoded       a sequence of tokens with its scores
    no_speech     the probability that nobody speaks
    beams         beam search
    transcripts   the same, with the fallback of openai-whisper where beam search failed
    draws         sampled alternatives to the transcript
    timed_words   the transcript's words with times and probabilities

Source: Radford et al., "Robust Speech Recognition via Large-Scale Weak Supervision" (2022),
section 4.5: temperatures, thresholds.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from recogniser.whisper.engine import Engine
from recogniser.words import (
    MAX_COMPRESSION,
    MIN_LOG_PROB,
    SILENCE_PROB,
    compression_ratio,
    word_spans,
)
from std.networks import TimedWord

TEMPERATURES = (0.2, 0.4, 0.6, 0.8, 1.0)
BEST_OF = 5
TOKENS_PER_S = 50  # of alignments: an encoder frame is 20 ms
LONGEST_COMMA_S = 0.5  # of a pause that is written as punctuation
TOP_TOKENS = 100  # that draws choose from


class Decoded(NamedTuple):
    """The decoded text of a window."""

    tokens: tuple[int, ...]  # of the text
    text: str
    log_prob: float  # mean of the tokens
    no_speech: float
    compression: float

    @property
    def failed(self) -> bool:
        """Whether openai-whisper would try again at a higher temperature."""
        if self.no_speech > SILENCE_PROB and self.log_prob < MIN_LOG_PROB:
            return False  # silence
        return self.compression > MAX_COMPRESSION or self.log_prob < MIN_LOG_PROB

    @property
    def silent(self) -> bool:
        """Whether the model says that nobody spoke."""
        return self.no_speech > SILENCE_PROB and self.log_prob < MIN_LOG_PROB


class AlignedWord(NamedTuple):
    """A word of the transcript."""

    word: TimedWord
    probability: float


def prompt_of(tokenizer: Any, words_before: str = "") -> list[int]:
    """The tokens that ask for a transcript without time stamps."""
    before = []
    if words_before:
        tokens = tokenizer.encode(" " + words_before.strip())
        before = [tokenizer.sot_prev, *tokens[:MAX_PROMPT]]
    return [*before, *tokenizer.sot_sequence, tokenizer.no_timestamps]


MAX_PROMPT = 223  # tokens before the transcript, half of what Whisper can take


def transcripts(
    engine: Engine, encoded: Sequence[Any], tokenizer: Any, prompt: Sequence[int], beam: int
) -> list[Decoded]:
    """The transcript of each window."""
    found = beams(engine, encoded, tokenizer, prompt, beam)
    for window, best in enumerate(found):
        if best.failed:
            found[window] = _fallback(engine, encoded[window], tokenizer, prompt, best)
    return found


def beams(
    engine: Engine, encoded: Sequence[Any], tokenizer: Any, prompt: Sequence[int], beam: int
) -> list[Decoded]:
    """The best result of a beam search for each window, however unlikely."""
    results = engine.generate(
        encoded, prompt, beam_size=beam, return_scores=True, return_no_speech_prob=True
    )
    return [_decoded(tokenizer, result)[0] for result in results]


def no_speech(engine: Engine, encoded: Any, prompt: Sequence[int]) -> float:
    """The probability that nobody speaks in a window, without decoding it."""
    options = {"beam_size": 1, "max_length": len(prompt) + 1, "return_no_speech_prob": True}
    return float(engine.generate([encoded], prompt, **options)[0].no_speech_prob)


def _fallback(
    engine: Engine, encoded: Any, tokenizer: Any, prompt: Sequence[int], first: Decoded
) -> Decoded:
    tried = [first]
    for temperature in TEMPERATURES:
        result = engine.generate(
            [encoded],
            prompt,
            beam_size=1,
            num_hypotheses=BEST_OF,
            sampling_topk=TOP_TOKENS,
            sampling_temperature=temperature,
            return_scores=True,
            return_no_speech_prob=True,
        )[0]
        tried.append(max(_decoded(tokenizer, result), key=lambda one: one.log_prob))
        if not tried[-1].failed:
            return tried[-1]
    plain = [one for one in tried if one.compression <= MAX_COMPRESSION]
    return max(plain or tried, key=lambda one: one.log_prob)


def draws(
    engine: Engine,
    encoded: Any,
    tokenizer: Any,
    prompt: Sequence[int],
    samples: int,
    temperature: float,
) -> list[Decoded]:
    """Independent samples of a window."""
    (result,) = engine.generate(
        [encoded],
        prompt,
        beam_size=1,
        num_hypotheses=samples,
        sampling_topk=TOP_TOKENS,
        sampling_temperature=temperature,
        return_scores=True,
    )
    return _decoded(tokenizer, result)


def _decoded(tokenizer: Any, result: Any) -> list[Decoded]:
    found = []
    for sequence, score in zip(result.sequences_ids, result.scores, strict=True):
        tokens = tuple(token for token in sequence if token < tokenizer.eot)
        text = tokenizer.decode(list(tokens)).strip()
        n = len(sequence)
        found.append(
            Decoded(
                tokens=tokens,
                text=text,
                log_prob=score * n / (n + 1),  # the end counts, too
                no_speech=float(getattr(result, "no_speech_prob", 0.0)),
                compression=compression_ratio(text),
            )
        )
    return found


def timed_words(
    engine: Engine, encoded: Any, tokenizer: Any, tokens: Sequence[int], seconds: float
) -> list[AlignedWord]:
    """Words of a transcript with times from the window's first sample, and probabilities.

    A word of several pieces (hyphens) shares the time of its tokens by letters.
    """
    if not tokens:
        return []
    found = engine.align(encoded, tokens, seconds, tokenizer.language_code)
    starts = _token_starts(found.alignments, len(tokens))
    texts, groups = tokenizer.split_to_word_tokens([*tokens, tokenizer.eot])
    edges = np.cumsum([0, *(len(group) for group in groups)])
    words: list[AlignedWord] = []
    for text, first, last in zip(
        texts[:-1], edges[:-2].tolist(), edges[1:-1].tolist(), strict=True
    ):
        start_s, end_s = float(starts[first]), float(starts[last])
        probability = float(np.mean(found.text_token_probs[first:last] or [0.0]))
        pieces = [AlignedWord(word, probability) for word in _split(text, start_s, end_s)]
        if words and not pieces:  # a comma has the time of the word before it
            words[-1] = _longer(words[-1], end_s)
        words += pieces
    return words


def _longer(word: AlignedWord, end_s: float) -> AlignedWord:
    timed = word.word
    end_s = min(max(timed.end_s, end_s), timed.end_s + LONGEST_COMMA_S)
    return word._replace(word=timed._replace(end_s=end_s))


def _token_starts(alignments: Sequence[tuple[int, int]], tokens: int) -> Any:
    """(tokens + 1,) seconds where each token begins; the last is the end of the text."""
    starts = np.full(tokens + 1, np.nan)
    for token, frame in alignments:
        if token <= tokens and np.isnan(starts[token]):
            starts[token] = frame / TOKENS_PER_S
    known = np.flatnonzero(~np.isnan(starts))
    if not len(known):
        return np.zeros(tokens + 1)
    return np.interp(np.arange(tokens + 1), known, starts[known])


def _split(text: str, start_s: float, end_s: float) -> Iterator[TimedWord]:
    """The words in one word of the tokenizer."""
    pieces = list(word_spans(text))
    letters = sum(len(word) for _, _, word in pieces)
    at = start_s
    for _, _, word in pieces:
        end = at + (end_s - start_s) * len(word) / letters
        yield TimedWord(word, at, end)
        at = end
