"""AWS Transcribe's JSON.

    {"results": {"items": [ITEM, ...], "segments": [{"start_time", "end_time", "alternatives":
        [{"transcript", "items": [{"content", "start_time", "end_time", "confidence", "type"}]}]}]}}
    ITEM := {"type": "pronunciation", "start_time": "1.15", "end_time": "1.40",
             "alternatives": [{"content": "das", "confidence": "0.99"}]}

With ``segments`` (ShowAlternatives) each is an utterance and its alternatives are laid side by
side, weighted by the geometric mean of their words' confidences. Without, an utterance ends
where nothing is said for half a second. Punctuation is skipped. ``ch_0`` is channel 1.
"""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from std.formats.columns import networks
from std.formats.context import DEFAULT, Context
from std.formats.draft import Draft
from std.formats.heard import Heard, bare, by_pauses, weighted, write_hypotheses
from std.formats.json_fields import Part, documents
from std.formats.recordings import recording_of
from std.values import ConfusionNetwork, Recording

LEAST_CONFIDENCE = 1e-6


def looks_like(head: bytes) -> bool:
    """Tell whether JSON that begins like this is AWS Transcribe's."""
    return b'"results"' in head and (b'"jobName"' in head or b'"start_time":"' in _dense(head))


def _dense(head: bytes) -> bytes:
    return head.replace(b" ", b"")


def parse(
    stream: BinaryIO, path: Path | str, context: Context = DEFAULT
) -> Iterator[ConfusionNetwork]:
    """Yield the file's utterances in order.

    Raises:
        InputError: the file is no JSON, or not AWS Transcribe's.
    """
    draft, recording = Draft(path), recording_of(path, context.file, context.channel)
    for one in documents(stream.read(), path):
        results = one["results"]
        if results.has("channel_labels"):
            for channel in results["channel_labels"]["channels"]:
                label = channel["channel_label"]
                found = re.fullmatch(r"ch_(\d{1,3})", label.text())
                if not found:
                    raise label.error("ch_0, ch_1, ...")
                number = int(found[1]) + 1
                _items(draft, channel["items"], Recording(recording.file, number))
        elif results.has("segments"):
            _segments(draft, results["segments"], recording)
        else:
            _items(draft, results["items"], recording)
    yield from networks(draft.columns(), path)


def _items(draft: Draft, items: Part, recording: Recording) -> None:
    """Write down the items of a channel: slots of their own, mostly with one word."""
    spoken = [item for item in items if _is_spoken(item)]
    heard = [[_heard(alternative, item) for alternative in item["alternatives"]] for item in spoken]
    places = [(words, item) for words, item in zip(heard, spoken, strict=True) if words]
    at = 0
    for count, utterance in enumerate(by_pauses([words[0] for words, _ in places]), start=1):
        draft.utterance(items.line, recording, f"{recording.file}-{count}")
        for words, _ in places[at : at + len(utterance)]:
            total = max(1.0, sum(word.confidence for word in words))
            said = [word._replace(confidence=word.confidence / total) for word in words]
            draft.slot(items.line, epsilon=max(0.0, 1 - sum(word.confidence for word in said)))
            for word in said:
                draft.word(items.line, *word)
        at += len(utterance)


def _is_spoken(item: Part) -> bool:
    return bool(item["type"].value != "punctuation")


def _segments(draft: Draft, segments: Part, recording: Recording) -> None:
    count = 0
    for segment in segments:
        said = [
            [
                _heard(item, item)
                for item in alternative["items"]
                if item["type"].value != "punctuation"
            ]
            for alternative in segment["alternatives"]
        ]
        if any(said):
            count += 1
            draft.utterance(
                segment.line,
                recording,
                f"{recording.file}-{count}",
                segment["start_time"].seconds(),
                segment["end_time"].seconds(),
            )
            write_hypotheses(draft, segment.line, weighted([_mean_log(one) for one in said], said))


def _mean_log(words: list[Heard]) -> float:
    logs = [math.log(max(word.confidence, LEAST_CONFIDENCE)) for word in words]
    return sum(logs) / len(logs) if logs else math.log(LEAST_CONFIDENCE)


def _heard(alternative: Part, item: Part) -> Heard:
    return Heard(
        bare(alternative["content"].text()) or alternative["content"].text(),
        alternative["confidence"].probability() if alternative.has("confidence") else 1.0,
        item["start_time"].seconds(),
        item["end_time"].seconds(),
    )
