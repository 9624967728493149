"""Google Speech-to-Text's JSON, v1 and v2.

    {"results": [{"alternatives": [{"transcript": "das haus", "confidence": 0.92, "words":
        [{"word": "das", "startTime": "1.300s", "endTime": "1.500s", "confidence": 0.9}]}],
        "resultEndTime": "2.0s", "channelTag": 1}]}                     v2: startOffset, endOffset

Each result is an utterance. Its alternatives are laid side by side, weighted by their confidence
(equal where none is given; scaled where they sum to more than 1). Usually only the first has
words with times: the others get theirs from the words beside them. A single alternative's words
have their own confidence.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from std.formats.columns import networks
from std.formats.context import DEFAULT, Context
from std.formats.draft import UNKNOWN, Draft
from std.formats.heard import Heard, Hypothesis, bare, untimed, write_hypotheses, write_words
from std.formats.json_fields import Part, documents
from std.formats.recordings import recording_of
from std.values import ConfusionNetwork, Recording


def looks_like(head: bytes) -> bool:
    """Tell whether JSON that begins like this is Google's."""
    return (
        b'"results"' in head and b'"alternatives"' in head and b'"transcript"' in head
        and b'"timestamps"' not in head and b'"word_alternatives"' not in head
        and b'"jobName"' not in head
    )  # fmt: skip


def parse(
    stream: BinaryIO, path: Path | str, context: Context = DEFAULT
) -> Iterator[ConfusionNetwork]:
    """Yield the file's results in order.

    Raises:
        InputError: the file is no JSON, or not Google's.
    """
    draft, recording = Draft(path), recording_of(path, context.file, context.channel)
    ends: dict[int, float] = {}  # of the result before, by channel
    count = 0
    for one in documents(stream.read(), path):
        for result in one["results"]:
            tag = result["channelTag"]
            channel = tag.channel() if tag.value else recording.channel
            said = [_words(alternative) for alternative in result.each("alternatives")]
            start, end = ends.get(channel, 0.0), _end(result)
            ends[channel] = end if end == end else start
            if not any(said):
                continue
            count += 1
            if end != end or end < start:
                start = end = UNKNOWN
            where = Recording(recording.file, channel)
            draft.utterance(result.line, where, f"{recording.file}-{count}", start, end)
            if len(said) == 1:
                write_words(draft, result.line, said[0])
            else:
                write_hypotheses(draft, result.line, _weighted(result, said))
    yield from networks(draft.columns(), path)


def _end(result: Part) -> float:
    for key in ("resultEndTime", "resultEndOffset"):
        if result.has(key):
            return result[key].seconds()
    return UNKNOWN


def _words(alternative: Part) -> list[Heard]:
    confidence = _confidence(alternative) or 1.0
    words = [_word(word, confidence) for word in alternative.each("words")]
    said = [word for word in words if word.token]
    if said or not alternative.has("transcript"):
        return said
    return untimed(alternative["transcript"].text(), confidence)


def _word(word: Part, otherwise: float) -> Heard:
    keys = ("startTime", "endTime") if word.has("endTime") else ("startOffset", "endOffset")
    times = [UNKNOWN, UNKNOWN]
    if word.has(keys[1]):  # zero is left out: a word at the very beginning has no start
        times = [word[key].seconds() if word.has(key) else 0.0 for key in keys]
    return Heard(bare(word["word"].text()), _confidence(word) or otherwise, *times)


def _confidence(part: Part) -> float:
    """Return a confidence; 0 is how Google says that there is none."""
    return part["confidence"].probability() if part.has("confidence") else 0.0


def _weighted(result: Part, said: list[list[Heard]]) -> list[Hypothesis]:
    weights = [_confidence(alternative) for alternative in result["alternatives"]]
    if not all(weights):
        weights = [1.0] * len(said)
    total = max(1.0, sum(weights))
    return [Hypothesis(weight / total, words) for weight, words in zip(weights, said, strict=True)]
