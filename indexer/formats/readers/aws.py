"""AWS Transcribe's JSON.

    {"results": {"items": [ITEM, ...], "channel_labels": {"channels": [{"channel_label": "ch_0",
        "items": [ITEM, ...]}]}, "segments": [{"start_time", "end_time", "channel_label",
        "alternatives": [{"transcript", "items":
            [{"content", "start_time", "end_time", "confidence", "type"}]}]}]}}
    ITEM := {"type": "pronunciation", "start_time": "1.15", "end_time": "1.40",
             "alternatives": [{"content": "das", "confidence": "0.99"}]}

With ``segments`` (ShowAlternatives) each is an utterance and its alternatives are aligned, weighted
by the geometric mean of their words' confidences. Without them, an utterance ends at a pause of
half a second. Punctuation is skipped. ``ch_0`` is channel 1. Redacted words (``[PII]``, ``***``)
are unknown words. The recording has the name of the job.

Call Analytics writes turns, each an utterance; without items the turn's words share its time:

    {"Transcript": [{"BeginOffsetMillis", "EndOffsetMillis", "Content", "Items":
        [{"Type", "Content", "Confidence", "BeginOffsetMillis", "EndOffsetMillis"}]}]}
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions
from indexer.formats.shared.recordings import recording_for
from indexer.formats.shared.stated import speaker_in, stated_language
from indexer.networks.columns import utterances_of
from indexer.networks.hypotheses import (
    UNNAMED,
    HypothesisWord,
    bare,
    by_pauses,
    speaker_of,
    untimed,
    weighted,
    write_hypotheses,
    write_words,
)
from indexer.networks.nonwords import Nonwords
from indexer.networks.raw import NetworkBuilder
from indexer.networks.utterances import Utterances
from std.json_fields import Part, documents
from std.repairs import UNKNOWN
from std.values import Recording

MIN_CONFIDENCE = 1e-6
MS = 1000.0

_REDACTED = re.compile(r"\[[A-Z_]+\]")


def looks_like(head: bytes) -> bool:
    """Whether JSON with this beginning is AWS Transcribe's."""
    is_job = b'"jobName"' in head or (
        b'"items"' in head and b'"start_time":"' in head.replace(b" ", b"")
    )
    is_call = b'"Transcript"' in head and b'"BeginOffsetMillis"' in head
    return is_call or (is_job and b'"results"' in head)


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's utterances in order.

    Raises:
        InputError: the file is not JSON, or not AWS Transcribe's.
    """
    builder = NetworkBuilder(path, options.characters, options.repairs)
    for document in documents(stream, path, repairs=options.repairs):
        builder.language = stated_language(document)
        recording = recording_for(path, options, document.name(["jobName", "JobName"]))
        if document.has("Transcript"):
            _turns(builder, document["Transcript"], recording, options.nonwords)
            continue
        results = document["results"]
        segments = list(results.each("segments"))
        channels = results.has("channel_labels")
        if segments and (not channels or all(part.has("channel_label") for part in segments)):
            _segments(builder, segments, recording, _labels(results))
        elif channels:
            for channel in results["channel_labels"]["channels"]:
                _items(builder, channel["items"], _place(recording, channel))
        else:
            _items(builder, results["items"], recording, _labels(results))
    yield utterances_of(builder.columns(), path, nonwords=options.nonwords)


def _place(recording: Recording, part: Part) -> Recording:
    """Return the channel that a part of the results is about."""
    if not part.has("channel_label"):
        return recording
    return channel_named(recording, part["channel_label"])


def channel_named(recording: Recording, label: Part) -> Recording:
    """Return the channel that AWS calls ch_0, ch_1, ...

    Raises:
        InputError: the file has another name.
    """
    channel = re.fullmatch(r"ch_(\d{1,3})", label.text())
    if not channel:
        raise label.error("ch_0, ch_1, ...")
    return Recording(recording.file, int(channel[1]) + 1)


def _labels(results: Part) -> dict[str, str]:
    """The speaker by the start of each item, as the results list them beside the items."""
    if not results.has("speaker_labels"):
        return {}
    return {
        item["start_time"].cell(): speaker_in(item)
        for segment in results["speaker_labels"].each("segments")
        for item in segment.each("items")
    }


def _items(
    builder: NetworkBuilder,
    items: Part,
    recording: Recording,
    speakers: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Add the items of a channel: slots, mostly with one word, in utterances between pauses."""
    spoken = [item for item in items if _is_spoken(item)]
    heard = [[_heard(one, item, speakers) for one in item["alternatives"]] for item in spoken]
    places = [(words, item) for words, item in zip(heard, spoken, strict=True) if words]
    at = 0
    for count, utterance in enumerate(by_pauses([words[0] for words, _ in places]), start=1):
        builder.speaker = speaker_of(utterance)
        builder.utterance(items.line, recording, f"{recording.file}-{count}")
        for words, _ in places[at : at + len(utterance)]:
            total = max(1.0, sum(word.confidence for word in words))
            alternatives = [word._replace(confidence=word.confidence / total) for word in words]
            builder.slot(
                items.line, epsilon=max(0.0, 1 - sum(word.confidence for word in alternatives))
            )
            for word in alternatives:
                builder.word(items.line, *word[:4])
        at += len(utterance)


def _is_spoken(item: Part) -> bool:
    return bool(item["type"].value != "punctuation")


def _segments(
    builder: NetworkBuilder,
    segments: Iterable[Part],
    recording: Recording,
    speakers: Mapping[str, str],
) -> None:
    count = 0
    for segment in segments:
        word_lists = [
            [_heard(item, item, speakers) for item in alternative["items"] if _is_spoken(item)]
            for alternative in segment["alternatives"]
        ]
        if any(word_lists):
            count += 1
            builder.speaker = speaker_in(segment) or speaker_of(word_lists[0])
            builder.utterance(
                segment.line,
                _place(recording, segment),
                f"{recording.file}-{count}",
                segment["start_time"].seconds(),
                segment["end_time"].seconds(),
            )
            write_hypotheses(
                builder,
                segment.line,
                weighted([mean_log(words) for words in word_lists], word_lists),
            )


def mean_log(words: list[HypothesisWord]) -> float:
    """Return the logarithm of the geometric mean of words' confidences: a hypothesis' weight."""
    logs = [math.log(max(word.confidence, MIN_CONFIDENCE)) for word in words]
    return sum(logs) / len(logs) if logs else math.log(MIN_CONFIDENCE)


def _heard(alternative: Part, item: Part, speakers: Mapping[str, str]) -> HypothesisWord:
    return HypothesisWord(
        named(alternative["content"].text(), alternative),
        alternative["confidence"].probability() if alternative.has("confidence") else 1.0,
        *_span(item, "start_time", "end_time", 1.0),
        speaker_in(item) or speakers.get(item["start_time"].cell(), ""),
    )


def named(content: str, item: Part) -> str:
    """Return the word of an item; `UNNAMED` if it was redacted."""
    if item.has("redactions") or _REDACTED.fullmatch(content):
        return UNNAMED
    return bare(content) or content


def _span(part: Part, start: str, end: str, per_second: float) -> tuple[float, float]:
    """Return start and end in seconds; UNKNOWN where neither is written."""
    if not part.has(start) and not part.has(end):
        return UNKNOWN, UNKNOWN
    return part[start].seconds(per_second), part[end].seconds(per_second)


def _turns(builder: NetworkBuilder, turns: Part, recording: Recording, nonwords: Nonwords) -> None:
    count = 0
    keys = "BeginOffsetMillis", "EndOffsetMillis", MS
    for turn in turns:
        words = [
            HypothesisWord(
                named(item["Content"].text(), item),
                item["Confidence"].probability() if item.has("Confidence") else 1.0,
                *_span(item, *keys),
            )
            for item in turn.each("Items")
            if item["Type"].value != "punctuation" and bare(item["Content"].text())
        ] or untimed(_REDACTED.sub(f" {UNNAMED} ", turn["Content"].text()), nonwords=nonwords)
        if words:
            count += 1
            name = f"{recording.file}-{count}"
            builder.speaker = speaker_in(turn)
            builder.utterance(turn.line, recording, name, *_span(turn, *keys))
            write_words(builder, turn.line, words)


READER = FormatReader(
    name="aws",
    title="AWS Transcribe",
    section="cloud-services",
    content="words, or n best",
    kinds=("json",),
    looks_like=looks_like,
    parse=parse,
    sample=(
        b'{"jobName": "x", "results": {"transcripts": [{"transcript": "das haus"}], "items": '
        b'[{"type": "pronunciation", "start_time": "0.0", "end_time": "0.21", "alternatives": '
        b'[{"content": "das", "confidence": "0.97"}]}, {"type": "pronunciation", "start_time": '
        b'"0.21", "end_time": "0.65", "alternatives": [{"content": "haus", "confidence": '
        b'"0.8"}]}]}}'
    ),
    words=("das", "haus"),
    keys=(
        "results items alternatives content",
        "Transcript BeginOffsetMillis",
    ),
)
