"""A Whisper without a model, which says what the test tells it to; and speech as a file."""

import wave
from types import SimpleNamespace

import numpy as np
import pytest

EOT, SOT, NO_TIMES, PREV = 10_000, 10_001, 10_002, 10_003


class FakeTokenizer:
    """A token is a word; punctuation is one of its own."""

    eot, sot_prev, no_timestamps, language_code = EOT, PREV, NO_TIMES, "en"
    sot_sequence = (SOT,)

    def __init__(self):
        self.vocabulary = []

    def encode(self, text):
        tokens = []
        for word in text.replace(",", " ,").split():
            if word not in self.vocabulary:
                self.vocabulary.append(word)
            tokens.append(self.vocabulary.index(word))
        return tokens

    def decode(self, tokens):
        words = (self.vocabulary[token] for token in tokens if token < EOT)
        return " ".join(words).replace(" ,", ",")

    def split_to_word_tokens(self, tokens):
        texts = ["" if t == EOT else f" {self.vocabulary[t]}" for t in tokens]
        return texts, [[token] for token in tokens]


class FakeEngine:
    """The interface of `recogniser.whisper.engine.Engine`, with answers from a script.

    ``transcript``, ``draws``, ``hot`` are texts; a window is known by its first sample.
    """

    def __init__(self, script, log_prob=-0.2, no_speech=0.1):
        self.script, self.log_prob, self.no_speech = script, log_prob, no_speech
        self.words = FakeTokenizer()
        self.restarts, self.calls = [], []

    def restart(self, seed):
        self.restarts.append(seed)

    def encode(self, samples):
        return round(float(samples[0]) * 100)

    def tokenizer(self, language):
        return self.words

    def languages(self, encoded):
        return [("en", 0.9), ("de", 0.1)]

    def generate(self, encoded, prompt, **options):
        self.calls.append((list(encoded), list(prompt), options))
        return [self._result(self.script[window], prompt, options) for window in encoded]

    def _result(self, answers, prompt, options):
        if options.get("max_length") == len(prompt) + 1:
            return SimpleNamespace(no_speech_prob=answers.get("no_speech", self.no_speech))
        if PREV in prompt:
            texts = [answers["hot"]]
        elif "num_hypotheses" in options:
            again = "return_no_speech_prob" in options and "fallback" in answers
            texts = answers["fallback" if again else "draws"][: options["num_hypotheses"]]
        else:
            texts = [answers["transcript"]]
        sequences = [self.words.encode(text) for text in texts]
        fallback = options.get("sampling_temperature", 0) and "fallback" in answers
        score = -0.2 if fallback else answers.get("log_prob", self.log_prob)
        return SimpleNamespace(
            sequences_ids=sequences,
            scores=[score * (len(s) + 1) / max(1, len(s)) for s in sequences],
            no_speech_prob=answers.get("no_speech", self.no_speech),
        )

    def align(self, encoded, tokens, seconds, language):
        # half a second for each token
        return SimpleNamespace(
            alignments=[(i, 25 * i) for i in range(len(tokens) + 1)],
            text_token_probs=[0.9] * len(tokens),
        )


@pytest.fixture
def fake_engine():
    return FakeEngine


@pytest.fixture
def window():
    """Makes windows whose first sample names them."""
    from recogniser.protocol import Window

    def make(number=1, start_ms=0, seconds=8.0, silent=False, speech=1.0):
        samples = np.zeros(int(16_000 * seconds), np.float32)
        samples[0] = number / 100
        frames = np.full(len(samples) // 512, speech, np.float32)
        end_ms = start_ms + int(1000 * seconds)
        return Window(start_ms, end_ms, start_ms, samples, frames, silent)

    return make


def write_speech(path, second, pause_s=0.4):
    """31 s of noise with pauses as a WAV file of 16 kHz; ``second`` makes the second channel."""
    random = np.random.default_rng(2)
    lengths = enumerate([4, pause_s] * 7)
    parts = [random.normal(0, 0.3 * (i % 2 == 0), int(16_000 * s)) for i, s in lengths]
    one = np.concatenate(parts)
    samples = np.stack([one, second(one)], axis=1)
    with wave.open(str(path), "wb") as sink:
        sink.setnchannels(2)
        sink.setsampwidth(2)
        sink.setframerate(16_000)
        sink.writeframes((samples * 20_000).clip(-32_768, 32_767).astype("<i2").tobytes())
    return path


@pytest.fixture
def as_flac(tmp_path):
    """Writes a file's sound as FLAC, which states its length."""
    av = pytest.importorskip("av")

    def write(path):
        flac = tmp_path / f"{path.stem}.flac"
        with av.open(str(path)) as source, av.open(str(flac), "w") as sink:
            stream = sink.add_stream("flac", rate=16_000, layout="stereo")
            for frame in source.decode(audio=0):
                sink.mux(stream.encode(frame))
            sink.mux(stream.encode(None))
        return flac

    return write
