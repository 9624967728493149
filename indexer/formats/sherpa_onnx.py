"""sherpa-onnx's JSON: the tokens of an utterance and when each was decoded.

    {"text": "das haus", "tokens": [" das", " ha", "us"], "timestamps": [0.0, 0.24, 0.4],
        "ys_probs": [-0.03, -0.2, -0.25], "segment": 0, "start_time": 0.0, "is_final": false}
    {"lang": "<|de|>", "emotion", "event", "text", "timestamps", "durations", "tokens",
        "ys_log_probs", "words": []}                               not streaming

Each object is an utterance; of objects with one ``segment`` number the last counts, and
``start_time`` is where the segment begins. A token begins a word if there is a blank or ``▁`` before it, ends one
if ``@@`` does not follow; Chinese, Japanese and Korean characters are words of their own. A word
lasts to the next word, at most `LONGEST_TOKEN_S` after its last token begins, or as
``durations`` say. Its confidence is the geometric mean of its tokens' probabilities, 1 without any.
Where tokens do not spell the text (byte-level ones), its words share the time of all of them.
Models without timestamps (Paraformer, FireRedASR's decoder) are refused.

Source: k2-fsa/sherpa-onnx ``online-recognizer.cc``, ``offline-stream.cc`` (AsJsonString) and the
output that the pages of k2-fsa/sherpa show.
"""

import math
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, NamedTuple

from indexer.formats.numbered import NumberedUtterances, Span
from indexer.formats.reader_options import DEFAULT, ReaderOptions
from indexer.formats.recordings import recording_for
from indexer.networks.hypotheses import HypothesisWord, bare, spoken, untimed
from indexer.networks.utterances import Utterances
from std.json_fields import Part, documents

LONGEST_TOKEN_S = 0.5
LOG_PROBABILITIES = ("ys_probs", "ys_log_probs")
CONTINUES = "@@"  # at the end of a token: the word goes on

_BEGINS = " \u2581"
_IDEOGRAM = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_MARK = re.compile(r"<\|([^|]*)\|>")  # SenseVoice's language


class _Token(NamedTuple):
    text: str  # as written, with what says where words begin
    start_s: float
    end_s: float
    log_probability: float


def looks_like(head: bytes) -> bool:
    """Tell whether JSON that begins like this is sherpa-onnx's."""
    keys = (b'"tokens"', b'"timestamps"', b'"text"')
    return all(key in head for key in keys) and b'"results"' not in head


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's utterances in order.

    Raises:
        InputError: the file is no JSON, or not sherpa-onnx's, or its tokens have no times.
    """
    found, recording = NumberedUtterances(path, options), recording_for(path, options)
    for one in _last_of_segments(list(documents(stream, path))):
        tokens = _tokens(one)
        found.language = _MARK.sub(r"\1", one.name(["lang"]))
        if not tokens and one["text"].text().strip():
            raise one["timestamps"].error("when each token was decoded")
        if not tokens:
            continue
        span = Span(tokens[0].start_s, tokens[-1].end_s)
        words = _words(tokens)
        if _spelled(word.token for word in words) != _spelled([one["text"].text()]):
            words = untimed(one["text"].text())
        found.add(one.line, recording, spoken(words, options.nonwords), span)
    yield found.utterances()


def _last_of_segments(results: Sequence[Part]) -> Iterator[Part]:
    for one, following in pairwise([*results, None]):
        assert one is not None  # only the last is none
        again = following is not None and one.has("segment") and following.has("segment")
        if not again or following["segment"].value != one["segment"].value:  # type: ignore[index]  # there is one
            yield one


def _tokens(one: Part) -> list[_Token]:
    written = [part.text() for part in one["tokens"]]
    times = one["timestamps"]
    first_s = one["start_time"].seconds() if one.has("start_time") else 0.0
    starts = [first_s + part.seconds() for part in times]
    if starts and len(starts) != len(written):
        raise times.error(f"a time for each of {len(written)} tokens")
    logs = [0.0] * len(starts)
    if rates := one.first(key for key in LOG_PROBABILITIES if one[key].value):
        logs = [part.number() for part in rates]
        if len(logs) != len(written):
            raise rates.error(f"a log probability for each of {len(written)} tokens")
    ends = _ends(one, starts)
    return [_Token(*row) for row in zip(written, starts, ends, logs, strict=False)]


def _ends(one: Part, starts: Sequence[float]) -> list[float]:
    durations = [part.seconds() for part in one.each("durations")]
    if len(durations) == len(starts):
        return [start + duration for start, duration in zip(starts, durations, strict=True)]
    following = [*starts[1:], math.inf]
    return [
        min(max(start, next_s), start + LONGEST_TOKEN_S)
        for start, next_s in zip(starts, following, strict=False)
    ]


def _words(tokens: Sequence[_Token]) -> list[HypothesisWord]:
    groups: list[list[_Token]] = []
    before = _BEGINS[0]
    for token in tokens:
        if _begins_word(before, token.text) or not groups:
            groups.append([])
        groups[-1].append(token)
        before = token.text
    words = (
        HypothesisWord(
            "".join(map(_letters, group)).strip(),
            min(1.0, math.exp(sum(token.log_probability for token in group) / len(group))),
            group[0].start_s,
            max(group[0].start_s, group[-1].end_s),
        )
        for group in groups
    )
    return [word for word in words if word.token]


def _begins_word(before: str, token: str) -> bool:
    if before.endswith(CONTINUES):
        return False
    own_word = _IDEOGRAM.search(token) or _IDEOGRAM.search(before)
    return token[:1] in _BEGINS or bool(own_word) or before in _BEGINS


def _letters(token: _Token) -> str:
    return token.text.removesuffix(CONTINUES).replace(_BEGINS[1], " ")


def _spelled(texts: Iterator[str] | Sequence[str]) -> str:
    """Join texts without blanks and punctuation, in small letters."""
    return "".join(bare(word) for text in texts for word in text.split()).lower()
