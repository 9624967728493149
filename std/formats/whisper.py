"""The Whisper family's JSON: one best sequence, words with times where it was asked for them.

    openai-whisper       {"segments": [{"start", "end", "text", "words":
                             [{"word": " das", "start", "end", "probability"}]}]}
    faster-whisper       the same segments, as an object or as a list
    whisperX             ... "words": [{"word", "start", "end", "score"}]; numerals lack times
    whisper-timestamped  ... "words": [{"text", "start", "end", "confidence"}]
    whisper.cpp -ojf     {"transcription": [{"offsets": {"from", "to"}, "text", "tokens":
                             [{"text": " d", "p": 0.97, "offsets": {"from", "to"}}]}]}   in ms

Each segment is an utterance. Blanks and punctuation around words are taken off. Words without
times share the gap they stand in; segments without words share their time by letters
(``times_estimated``). A word of several whisper.cpp tokens has the mean of their probabilities.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from std.formats.columns import networks
from std.formats.context import DEFAULT, Context
from std.formats.draft import UNKNOWN, Draft
from std.formats.heard import Heard, bare, untimed, write_words
from std.formats.json_fields import Part, documents
from std.formats.recordings import recording_of
from std.values import ConfusionNetwork

CONFIDENCES = ("probability", "score", "confidence")
MS = 1000.0


def looks_like(head: bytes) -> bool:
    """Tell whether JSON that begins like this is of the Whisper family."""
    cpp = b'"transcription"' in head and b'"offsets"' in head
    return (
        cpp
        or (b'"segments"' in head and b'"text"' in head)
        or (b'"avg_logprob"' in head and b'"text"' in head)
    )


def parse(
    stream: BinaryIO, path: Path | str, context: Context = DEFAULT
) -> Iterator[ConfusionNetwork]:
    """Yield the file's segments in order.

    Raises:
        InputError: the file is no JSON, or none of these.
    """
    draft, recording = Draft(path), recording_of(path, context.file, context.channel)
    count = 0
    for one in documents(stream.read(), path):
        cpp = one.has("transcription")
        for segment in one["transcription"] if cpp else _segments(one):
            start, end, words = _cpp(segment) if cpp else _segment(segment)
            if words:
                count += 1
                draft.utterance(one.line, recording, f"{recording.file}-{count}", start, end)
                write_words(draft, one.line, words)
    yield from networks(draft.columns(), path)


def _segments(one: Part) -> Iterator[Part]:
    return iter(one["segments"]) if one.has("segments") or not one.has("start") else iter([one])


def _segment(segment: Part) -> tuple[float, float, list[Heard]]:
    start, end = segment["start"].seconds(), segment["end"].seconds()
    words = [heard for word in segment.each("words") if (heard := _word(word)).token]
    return start, end, words or untimed(segment["text"].text())


def _word(word: Part) -> Heard:
    written = word["word"] if word.has("word") else word["text"]
    times = [word[key].seconds() if word.has(key) else UNKNOWN for key in ("start", "end")]
    if any(time != time for time in times):  # half a span is none
        times = [UNKNOWN, UNKNOWN]
    confidence = next((word[key].probability() for key in CONFIDENCES if word.has(key)), 1.0)
    return Heard(bare(written.text()), confidence, *times)


def _cpp(segment: Part) -> tuple[float, float, list[Heard]]:
    start, end = (segment["offsets"][key].seconds(MS) for key in ("from", "to"))
    groups: list[list[Part]] = []
    for token in segment.each("tokens"):
        text = token["text"].text()
        if text.startswith("[_"):  # a mark such as [_BEG_], not said
            continue
        if text.startswith(" ") or not groups:
            groups.append([])
        groups[-1].append(token)
    words = [heard for group in groups if (heard := _joined(group)).token]
    return start, end, words or untimed(segment["text"].text())


def _joined(tokens: list[Part]) -> Heard:
    """Make a word of its tokens; punctuation that is glued to it does not count."""
    said = [token for token in tokens if bare(token["text"].text())] or tokens
    start = min(token["offsets"]["from"].seconds(MS) for token in said)
    end = max(token["offsets"]["to"].seconds(MS) for token in said)
    confidence = sum(token["p"].probability() for token in said) / len(said)
    return Heard(bare("".join(token["text"].text() for token in tokens)), confidence, start, end)
