"""sherpa-onnx's JSON: the tokens of an utterance and when each was decoded.

    {"text": "das haus", "tokens": [" das", " ha", "us"], "timestamps": [0.0, 0.24, 0.4],
        "ys_probs": [-0.03, -0.2, -0.25], "segment": 0, "start_time": 0.0, "is_final": false}
    {"lang": "<|de|>", "emotion", "event", "text", "timestamps", "durations", "tokens",
        "ys_log_probs", "words": []}                               not streaming

Each object is an utterance; of objects with one ``segment`` number the last counts, and
``start_time`` is where the segment begins. Words are those of the text, its Chinese, Japanese and
Korean characters separate words; their times are those of the tokens that spell them. A token
lasts as ``durations`` say, else to the next one, at most `LONGEST_TOKEN_S`. A word's confidence is
the geometric mean of its tokens' probabilities, 1 without any. Where tokens do not spell the text
(byte-level ones), its words share the time of all of them. Results without timestamps (Paraformer,
FireRedASR's decoder) are refused.

Source: k2-fsa/sherpa-onnx ``online-recognizer.cc``, ``offline-stream.cc`` (AsJsonString) and the
output that the pages of k2-fsa/sherpa show.
"""

import math
import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import BinaryIO, NamedTuple

from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions
from indexer.formats.shared.recordings import NumberedUtterances, Span, recording_for
from indexer.networks.hypotheses import HypothesisWord, bare, spoken
from indexer.networks.utterances import Utterances
from std.json_fields import Part, documents

LONGEST_TOKEN_S = 0.5
MOST_LOG = 1e-3  # above the logarithm of 1, as they are rounded
LOG_PROBABILITIES = ("ys_probs", "ys_log_probs")

_IDEOGRAMS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_UNIT = re.compile(f"[{_IDEOGRAMS}]|[^{_IDEOGRAMS}\\s]+")
_WORD_MARKS = re.compile("@@$|[\\s\u2581]")  # of tokens: the word goes on, another begins
_TIMES = re.compile(rb'"timestamps"\s*:\s*\[\s*[\d\].]')  # a list of numbers, maybe empty
_MARK = re.compile(r"<\|([^|]*)\|>")  # SenseVoice's language


class _Token(NamedTuple):
    text: str  # as written, with what says where words begin
    start_s: float
    end_s: float
    log_probability: float


def looks_like(head: bytes) -> bool:
    """Whether JSON with this beginning is sherpa-onnx's."""
    return b'"tokens"' in head and b'"text"' in head and _TIMES.search(head) is not None


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's utterances in order.

    Raises:
        InputError: the file is not JSON, or not sherpa-onnx's, or its tokens have no times.
    """
    utterances, recording = NumberedUtterances(path, options), recording_for(path, options)
    for document in _last_of_segments(list(documents(stream, path, repairs=options.repairs))):
        tokens = _tokens(document)
        utterances.language = _MARK.sub(r"\1", document.name(["lang"]))
        if not tokens and document["text"].text().strip():
            raise document["timestamps"].error("when each token was decoded")
        if not tokens:
            continue
        span = Span(tokens[0].start_s, tokens[-1].end_s)
        text = document["text"].text()
        words = _words(text, tokens) or [HypothesisWord(unit, 1.0) for unit in _UNIT.findall(text)]
        utterances.add(document.line, recording, spoken(words, options.nonwords), span)
    yield utterances.collected()


def _last_of_segments(results: Sequence[Part]) -> Iterator[Part]:
    for result, following in pairwise([*results, None]):
        assert result is not None  # only the last one is
        again = following is not None and result.has("segment") and following.has("segment")
        if not again or following["segment"].value != result["segment"].value:  # type: ignore[index]  # there is document
            yield result


def _tokens(document: Part) -> list[_Token]:
    written = [part.text() for part in document["tokens"]]
    times = document["timestamps"]
    first_s = document["start_time"].seconds() if document.has("start_time") else 0.0
    starts = [first_s + part.seconds() for part in times]
    if starts and len(starts) != len(written):
        raise times.error(f"a time for each of {len(written)} tokens")
    logs = [0.0] * len(starts)
    if rates := document.first(key for key in LOG_PROBABILITIES if document[key].value):
        logs = [_log_probability(part) for part in rates]
        if len(logs) != len(written):
            raise rates.error(f"a log probability for each of {len(written)} tokens")
    ends = _ends(document, starts)
    return [_Token(*row) for row in zip(written, starts, ends, logs, strict=False)]


def _log_probability(part: Part) -> float:
    if (value := part.number()) > MOST_LOG:
        raise part.error("the logarithm of a probability, at most 0")
    return value


def _ends(document: Part, starts: Sequence[float]) -> list[float]:
    durations = [part.seconds() for part in document.each("durations")]
    if len(durations) == len(starts):
        return [start + duration for start, duration in zip(starts, durations, strict=True)]
    following = [*starts[1:], math.inf]
    return [
        min(max(start, next_s), start + LONGEST_TOKEN_S)
        for start, next_s in zip(starts, following, strict=False)
    ]


def _words(text: str, tokens: Sequence[_Token]) -> list[HypothesisWord]:
    """Return the text's words with the times of their tokens; none where those spell another."""
    letters = [_WORD_MARKS.sub("", token.text) for token in tokens]
    token_of = [number for number, part in enumerate(letters) for _ in part]
    within = [at / len(part) for part in letters for at in range(len(part))]  # of the token
    units = _UNIT.findall(text)
    if "".join(units).lower() != "".join(letters).lower():
        return []
    ends = list(accumulate(map(len, units)))
    words = []
    for unit, begin in zip(units, [0, *ends], strict=False):
        word = bare(unit) or unit
        first = begin + max(unit.find(word), 0)  # punctuation before and after it has its own time
        last = min(first + len(word), begin + len(unit)) - 1
        own = tokens[token_of[first] : token_of[last] + 1]
        start_s = own[0].start_s + within[first] * (own[0].end_s - own[0].start_s)
        share = within[last] + 1 / len(letters[token_of[last]])
        end_s = own[-1].start_s + share * (own[-1].end_s - own[-1].start_s)
        mean_log = sum(token.log_probability for token in own) / len(own)
        words.append(HypothesisWord(unit, min(1.0, math.exp(mean_log)), start_s, end_s))
    return words


READER = FormatReader(
    name="sherpa-onnx",
    title="sherpa-onnx",
    section="recognisers-and-aligners-on-your-own-machine",
    content="words",
    kinds=("json",),
    looks_like=looks_like,
    parse=parse,
    sample=(
        b'{"text": " das haus", "tokens": [" das", " ha", "us"], "timestamps": [0.0, 0.21, 0.4], '
        b'"durations": [0.21, 0.19, 0.25]}'
    ),
    words=("das", "haus"),
    keys=("text tokens timestamps",),
)
