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
from collections.abc import Iterable, Mapping

from indexer.formats.shared.json_paths import reading
from indexer.formats.shared.reader import FormatReader, ReaderOptions
from indexer.formats.shared.recordings import NO_SPAN, NumberedUtterances, Span
from indexer.formats.shared.stated import speaker_in, stated_confidence, stated_language
from indexer.networks.hypotheses import UNNAMED, HypothesisWord, bare, untimed, weighted
from indexer.networks.nonwords import Nonwords
from std.json_fields import Part
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


def _add(
    utterances: NumberedUtterances, document: Part, recording: Recording, options: ReaderOptions
) -> None:
    utterances.language = stated_language(document)
    if document.has("Transcript"):
        _turns(utterances, document["Transcript"], recording, options.nonwords)
        return
    results = document["results"]
    segments = list(results.each("segments"))
    channels = results.has("channel_labels")
    if segments and (not channels or all(part.has("channel_label") for part in segments)):
        _segments(utterances, segments, recording, _labels(results))
    elif channels:
        for channel in results["channel_labels"]["channels"]:
            _items(utterances, channel["items"], _place(recording, channel), {})
    else:
        _items(utterances, results["items"], recording, _labels(results))


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
    utterances: NumberedUtterances, items: Part, recording: Recording, speakers: Mapping[str, str]
) -> None:
    """Add the items of a channel: slots, mostly with one word."""
    spoken = (item for item in items if _is_spoken(item))
    slots = [[_heard(one, item, speakers) for one in item["alternatives"]] for item in spoken]
    utterances.add_slots_by_pauses(items.line, recording, [words for words in slots if words])


def _is_spoken(item: Part) -> bool:
    return bool(item["type"].value != "punctuation")


def _segments(
    utterances: NumberedUtterances,
    segments: Iterable[Part],
    recording: Recording,
    speakers: Mapping[str, str],
) -> None:
    for segment in segments:
        word_lists = [
            [_heard(item, item, speakers) for item in alternative["items"] if _is_spoken(item)]
            for alternative in segment["alternatives"]
        ]
        if any(word_lists):
            utterances.speaker = speaker_in(segment)
            hypotheses = weighted([mean_log(words) for words in word_lists], word_lists)
            span = Span(segment["start_time"].seconds(), segment["end_time"].seconds())
            utterances.add_n_best(segment.line, _place(recording, segment), hypotheses, span)


def mean_log(words: list[HypothesisWord]) -> float:
    """Return the logarithm of the geometric mean of words' confidences: a hypothesis' weight."""
    logs = [math.log(max(word.confidence, MIN_CONFIDENCE)) for word in words]
    return sum(logs) / len(logs) if logs else math.log(MIN_CONFIDENCE)


def _heard(alternative: Part, item: Part, speakers: Mapping[str, str]) -> HypothesisWord:
    return HypothesisWord(
        named(alternative["content"].text(), alternative),
        stated_confidence(alternative),
        *_span(item, "start_time", "end_time", 1.0),
        speaker_in(item) or speakers.get(item["start_time"].cell(), ""),
    )


def named(content: str, item: Part) -> str:
    """Return the word of an item; `UNNAMED` if it was redacted."""
    if item.has("redactions") or _REDACTED.fullmatch(content):
        return UNNAMED
    return bare(content) or content


def _span(part: Part, start: str, end: str, per_second: float) -> Span:
    """Return start and end in seconds; UNKNOWN where neither is written."""
    if not part.has(start) and not part.has(end):
        return NO_SPAN
    return Span(part[start].seconds(per_second), part[end].seconds(per_second))


def _turns(
    utterances: NumberedUtterances, turns: Part, recording: Recording, nonwords: Nonwords
) -> None:
    keys = "BeginOffsetMillis", "EndOffsetMillis", MS
    for turn in turns:
        words = [
            HypothesisWord(
                named(item["Content"].text(), item),
                stated_confidence(item, key="Confidence"),
                *_span(item, *keys),
            )
            for item in turn.each("Items")
            if item["Type"].value != "punctuation" and bare(item["Content"].text())
        ] or untimed(_REDACTED.sub(f" {UNNAMED} ", turn["Content"].text()), nonwords=nonwords)
        if words:
            utterances.speaker = speaker_in(turn)
            utterances.add(turn.line, recording, words, _span(turn, *keys))


READER = FormatReader(
    name="aws",
    title="AWS Transcribe",
    section="cloud-services",
    content="words, or n best",
    kinds=("json",),
    looks_like=looks_like,
    parse=reading(_add, names=("jobName", "JobName")),
    sample=(
        b'{"jobName": "x", "results": {"transcripts": [{"transcript": "das haus"}], "items": '
        b'[{"type": "pronunciation", "start_time": "0.0", "end_time": "0.21", "alternatives": '
        b'[{"content": "das", "confidence": "0.97"}]}, {"type": "pronunciation", "start_time": '
        b'"0.21", "end_time": "0.65", "alternatives": [{"content": "haus", "confidence": '
        b'"0.8"}]}]}}'
    ),
    words=("das", "haus"),
    keys=("results items alternatives content", "Transcript BeginOffsetMillis"),
)
