"""AssemblyAI's JSON: transcripts, their sentences or paragraphs, and the messages of its streams.

    {"id", "status": "completed", "audio_url", "language_code": "de", "words": [WORD, ...],
        "utterances": [{"start": 0, "end": 650, "speaker": "A", "channel": "1", "words": [...]}]}
    {"sentences": [{"text", "start", "end", "words": [...]}], "audio_duration"}    or paragraphs
    [{"text", "start", "end", "confidence", "speaker", "words": [...]}, ...]     either list alone
    {"transcript": {"status": "completed", "words": [...], "audio_src_url"}}             of 2018
    {"type": "Turn", "turn_order": 0, "end_of_turn": true, "words": [WORD, ...]}        a stream,
                                        or a list of them under "messages", sent when it has ended
    {"message_type": "FinalTranscript", "audio_start": 0, "words": [...]}           older streams
    WORD := {"text": "Das", "start": 0, "end": 210, "confidence": 0.97, "channel", "speaker"}

Times are milliseconds. Utterances are those of the file, else words are cut at pauses of half a
second; channel "1" is our channel 1. A turn that is sent again (formatted) replaces the one of the
same ``turn_order``. Confidences that are all 0 are ignored. The recording is named after the audio,
unless that was uploaded: then its address has no name. A job that failed or is not done is refused.

Source: AssemblyAI/assemblyai-api-spec (``openapi.json`` and the messages in its pages), the 2018
answer in OpenNewsLabs/autoEdit_2, a transcript in Kikstyophobia/assembly-ai.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from indexer.formats.shared.json_paths import Words
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions
from indexer.formats.shared.recordings import NumberedUtterances, recording_for
from indexer.formats.shared.stated import require_transcript, speaker_in, stated_language
from indexer.networks.hypotheses import HypothesisWord, rated, spoken, untimed
from indexer.networks.nonwords import Nonwords
from indexer.networks.utterances import Utterances
from std.json_fields import Part, documents
from std.values import Recording

WORDS = Words(text="text", per_second=1000.0, whole="whole milliseconds", speakers=True)
AUDIO = ("audio_url", "audio_src_url")
UPLOADED = "/upload/"  # in an address without the name of the audio
PARTS = ("utterances", "sentences", "paragraphs")
MESSAGES = (
    "Begin", "Termination", "SpeechStarted", "PartialTranscript", "SessionBegins",
    "SessionTerminated", "SessionInformation",
)  # fmt: skip

_IN_MS = re.compile(rb'"start"\s*:\s*\d+\s*,\s*"end"\s*:\s*[1-9]\d\d+\s*[,}]')
_IN_SECONDS = re.compile(rb'"(start|end)"\s*:\s*\d+\.\d')


def looks_like(head: bytes) -> bool:
    """Whether JSON with this beginning is AssemblyAI's."""
    has_time = b'"audio_duration"' in head
    of_words = all(key in head for key in (b'"text"', b'"confidence"', b'"speaker"'))
    return (
        (b'"status"' in head and (b'"audio_url"' in head or b'"audio_src_url"' in head))
        or b'"acoustic_model"' in head
        or (b'"end_of_turn"' in head and b'"words"' in head)
        or (b'"message_type"' in head and b'"audio_start"' in head)
        or (has_time and (b'"sentences"' in head or b'"paragraphs"' in head))
        or (of_words and _IN_MS.search(head) is not None and not _IN_SECONDS.search(head))
    )


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's utterances in order.

    Raises:
        InputError: the file is not JSON, or not AssemblyAI's, or the job failed or is not done.
    """
    utterances = NumberedUtterances(path, options)
    messages: list[Part] = []
    words: list[Part] = []
    for document in documents(stream, path, repairs=options.repairs):
        if "messages" in _keys(document):
            messages += document["messages"]
        elif {"end_of_turn", "message_type"} & _keys(document) or document[
            "type"
        ].value in MESSAGES:
            messages.append(document)
        elif document.has("start") and not document.has("words"):
            words.append(document)
        elif document.has("start"):
            _parts(utterances, [document], recording_for(path, options), options.nonwords)
        else:
            document = (
                document["transcript"]
                if isinstance(document["transcript"].value, dict)
                else document
            )
            _transcript(
                utterances,
                document,
                recording_for(path, options, _source(document)),
                options.nonwords,
            )
    for message in _whole_turns(messages):
        utterances.language = stated_language(message)
        turn = _words(message["words"], options.nonwords)
        utterances.add(message.line, recording_for(path, options), turn)
    _add_words(utterances, words, recording_for(path, options), options.nonwords)
    yield utterances.collected()


def _keys(document: Part) -> set[str]:
    return {*document.value} if isinstance(document.value, dict) else set()


def _source(document: Part) -> str:
    address = document.name(AUDIO)
    return "" if UPLOADED in address else address


def _transcript(
    utterances: NumberedUtterances, document: Part, recording: Recording, nonwords: Nonwords
) -> None:
    utterances.language = stated_language(document)
    parts = document.first(PARTS)
    if parts is not None and any(part.has("words") for part in parts):
        _parts(utterances, parts, recording, nonwords)
        return
    if not document.has("words"):
        require_transcript(document, "AssemblyAI's words")
    _add_words(utterances, document["words"], recording, nonwords)


def _parts(
    utterances: NumberedUtterances, parts: Iterable[Part], recording: Recording, nonwords: Nonwords
) -> None:
    for part in parts:
        span = WORDS.span(part)
        words = _words(part["words"], nonwords)
        if not part["words"].value:  # they were left out
            words = untimed(part["text"].text(), nonwords=nonwords)
        utterances.speaker = speaker_in(part)
        utterances.add(part.line, _channel(recording, part), words, span)
        utterances.speaker = ""


def _add_words(
    utterances: NumberedUtterances, words: Iterable[Part], recording: Recording, nonwords: Nonwords
) -> None:
    by_channel: dict[Recording, list[Part]] = {}
    for word in words:
        by_channel.setdefault(_channel(recording, word), []).append(word)
    for where, parts in by_channel.items():
        utterances.add_by_pauses(parts[0].line, where, _words(parts, nonwords))


def _channel(recording: Recording, part: Part) -> Recording:
    if not part.has("channel"):
        return recording
    channel = part["channel"].channel()
    if channel == 0:
        raise part["channel"].error("a channel from 1 on")
    return Recording(recording.file, channel)


def _whole_turns(messages: Sequence[Part]) -> Iterator[Part]:
    """Yield the messages that are final; of one turn the last."""
    turns: dict[object, Part] = {}
    for number, message in enumerate(messages):
        if message["message_type"].value == "FinalTranscript":
            turns["", number] = message
        elif message["end_of_turn"].value is True:
            order = message["turn_order"]
            turns[order.number() if order.value is not None else ("", number)] = message
    yield from turns.values()


def _words(words: Iterable[Part], nonwords: Nonwords) -> list[HypothesisWord]:
    return rated(spoken(map(WORDS.word, words), nonwords))


READER = FormatReader(
    name="assemblyai",
    title="AssemblyAI",
    section="cloud-services",
    content="words",
    kinds=("json",),
    looks_like=looks_like,
    parse=parse,
    sample=(
        b'{"id": "0", "status": "completed", "audio_url": "x.wav", "words": [{"text": "Das", '
        b'"start": 0, "end": 210, "confidence": 0.97, "speaker": "A"}, {"text": "Haus.", '
        b'"start": 210, "end": 650, "confidence": 0.8, "speaker": "A"}]}'
    ),
    words=("Das", "Haus"),
    keys=("audio_url status words", "end_of_turn words transcript"),
)
