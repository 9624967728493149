"""Speechmatics' JSON: ``json-v2`` of jobs, the messages of a stream, and the format 1.0 before.

    {"format": "2.9", "job": {"data_name": "x.wav"}, "metadata": {"transcription_config":
        {"language": "de"}}, "results": [{"type": "word", "start_time": 0.0, "end_time": 0.21,
        "channel": "channel_1", "alternatives": [{"content": "das", "confidence": 0.97}]}]}
    {"message": "AddTranscript", "results": [...], "metadata": {...}}                  a stream
    {"job": {"lang": "de", "name"}, "speakers": [{"name": "F1", "time": "0.00"}], "words":
        [{"name": "das", "time": "0.00", "duration": "0.21", "confidence": "0.970"}]}        1.0

A word's alternatives are those of its slot; where their confidences sum to more than 1 they are
scaled. Of an entity ("12th of May") the spoken form's words are taken, else its own. Punctuation is
left out. An utterance ends where a channel is silent for half a second; channels are numbered as
they come, "channel_2" is 2. Partial results and other messages of a stream are skipped. A job's
answer may stand under ``json-v2``, a message under ``payload``.

Source: speechmatics/speechmatics-python (``tests/data``, ``asr_metrics/examples``),
speechmatics-python-sdk (``tests/voice/assets``: a stream's log), the service's pages
(speechmatics/docs); 1.0 in bbc/react-transcript-editor and OpenNewsLabs/autoEdit_2.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from indexer.formats.shared.json_paths import Words, has_keys
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions
from indexer.formats.shared.recordings import NumberedUtterances, recording_for
from indexer.formats.shared.stated import (
    require_transcript,
    speaker_by_time,
    speaker_in,
    stated_confidence,
)
from indexer.networks.hypotheses import HypothesisWord, bare
from indexer.networks.utterances import Utterances
from std.json_fields import Part, documents
from std.values import Recording

WRAPPERS = ("json-v2", "payload")
FIRST = Words(text="name", start="time", duration="duration")  # of the format 1.0
_CHANNEL = re.compile(r"channel_(\d{1,3})")

Alternatives = list[HypothesisWord]  # of a slot


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's utterances in order.

    Raises:
        InputError: the file is not JSON, or not Speechmatics', or the job failed or is not done.
    """
    utterances = NumberedUtterances(path, options)
    messages: list[Part] = []
    for document in documents(stream, path, repairs=options.repairs):
        document = document.first(WRAPPERS) or document
        if document["message"].value == "AddTranscript":
            messages.append(document)
            continue
        if not document.has("words") and not document.has("results"):
            require_transcript(document, "Speechmatics' results")
        if not document.has("message"):
            _job(utterances, document, recording_for(path, options, _job_name(document)))
    by_language: dict[str, list[Part]] = {}
    for document in messages:
        by_language.setdefault(_language(document), []).extend(document["results"])
    for language, results in by_language.items():
        utterances.language = language
        _results(utterances, results, recording_for(path, options))
    yield utterances.collected()


def _job_name(document: Part) -> str:
    return document["job"].name(["data_name", "name"]) if document.has("job") else ""


def _job(utterances: NumberedUtterances, document: Part, recording: Recording) -> None:
    if document.has("words"):
        utterances.language = document["job"].name(["lang"]) if document.has("job") else ""
        turns = (
            (turn["time"].seconds(), turn.name(["name"])) for turn in document.each("speakers")
        )
        speaker = speaker_by_time(turns)
        words = [one._replace(speaker=speaker(one.start_s)) for one in FIRST.of(document)]
        _add(utterances, document.line, recording, [[word] for word in words])
    else:
        utterances.language = _language(document)
        _results(utterances, list(document["results"]), recording)


def _language(document: Part) -> str:
    """Return the requested language; if that is "auto", the language of the first word."""
    metadata = document["metadata"]
    if metadata.has("transcription_config"):
        asked = metadata["transcription_config"].name(["language"])
        if asked and asked != "auto":
            return asked
    languages = (
        alternative.name(["language"])
        for result in document.each("results")
        for alternative in result.each("alternatives")
    )
    return next(filter(None, languages), "")


def _results(utterances: NumberedUtterances, results: Sequence[Part], recording: Recording) -> None:
    by_channel: dict[str, list[Alternatives]] = {}
    for result in results:
        channel = result.name(["channel"])
        by_channel.setdefault(channel, []).extend(_slots(result))
    for number, (label, slots) in enumerate(by_channel.items(), start=1):
        numbered = _CHANNEL.fullmatch(label)
        which = int(numbered[1]) if numbered else number
        where = Recording(recording.file, which) if label else recording
        _add(utterances, results[0].line, where, slots)


def _slots(result: Part) -> Iterator[Alternatives]:
    """Yield the words that a result holds, each with its alternatives."""
    kind = result["type"].value
    if kind is None:
        raise result["type"].error("what a result is")
    if kind == "entity" and result.has("spoken_form"):
        for word in result["spoken_form"]:
            yield from _slots(word)
    elif kind in ("word", "entity"):
        span = result["start_time"].seconds(), result["end_time"].seconds()
        yield [
            HypothesisWord(
                alternative["content"].text(),
                stated_confidence(alternative),
                *span,
                speaker_in(alternative) or speaker_in(result),
            )
            for alternative in result["alternatives"]
        ]


def _add(
    utterances: NumberedUtterances, line: int, recording: Recording, slots: Sequence[Alternatives]
) -> None:
    """Add slots without their punctuation, in utterances between pauses."""
    named = ([word._replace(token=bare(word.token)) for word in slot] for slot in slots)
    words = ([word for word in slot if word.token] for slot in named)
    utterances.add_slots_by_pauses(line, recording, [slot for slot in words if slot])


READER = FormatReader(
    name="speechmatics",
    title="Speechmatics",
    section="cloud-services",
    content="words, alternatives in slots",
    kinds=("json",),
    looks_like=has_keys(
        "alternatives content start_time results !items",
        "message format results metadata",
        "transcription_config results",
        "words speakers lang name time",
    ),
    parse=parse,
    sample=(
        b'{"format": "2.9", "metadata": {"transcription_config": {"language": "de"}}, "results": '
        b'[{"type": "word", "start_time": 0.0, "end_time": 0.21, "alternatives": [{"content": '
        b'"das", "confidence": 0.97}]}, {"type": "word", "start_time": 0.21, "end_time": 0.65, '
        b'"alternatives": [{"content": "haus", "confidence": 0.8}]}]}'
    ),
    words=("das", "haus"),
    keys=("results alternatives content start_time", "speakers words name time lang"),
)
