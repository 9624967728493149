"""Rev.ai's JSON: transcripts of jobs, and the messages of its streams, one after the other.

    {"monologues": [{"speaker": 0, "elements": [ELEMENT, {"type": "punct", "value": " "}, ...]}]}
    {"type": "final", "ts": 0.0, "end_ts": 1.2, "elements": [ELEMENT, ...]}             a stream
    ELEMENT := {"type": "text", "value": "das", "ts": 0.0, "end_ts": 0.21, "confidence": 0.97}

Each monologue is cut into utterances at pauses of half a second; a final message is an utterance.
Elements that are ``unknown`` are words that nobody names. Partial messages are skipped. A job that
failed or is not done is refused.

Source: revdotcom/revai-node-sdk and revai-java-sdk (transcripts of their tests, the message types
of their streaming clients), revai-python-sdk (elements).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from indexer.formats.shared.numbered import NO_SPAN, NumberedUtterances, Span
from indexer.formats.shared.reader import FormatReader
from indexer.formats.shared.reader_options import DEFAULT, ReaderOptions
from indexer.formats.shared.recordings import recording_for
from indexer.formats.shared.service_answers import require_transcript
from indexer.formats.shared.speaker_keys import speaker_in
from indexer.formats.shared.stated_language import stated_language
from indexer.networks.hypotheses import UNNAMED, HypothesisWord, spoken
from indexer.networks.nonwords import Nonwords
from indexer.networks.utterances import Utterances
from std.json_fields import Part, documents

MESSAGES = ("connected", "partial")


def looks_like(head: bytes) -> bool:
    """Tell whether JSON that begins like this is Rev.ai's."""
    of_stream = b'"end_ts"' in head and b'"type"' in head
    return b'"elements"' in head and (b'"monologues"' in head or of_stream)


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's utterances in order.

    Raises:
        InputError: the file is no JSON, or not Rev.ai's, or the job failed or is not done.
    """
    utterances, recording = NumberedUtterances(path, options), recording_for(path, options)
    for document in documents(stream, path, repairs=options.repairs):
        utterances.language = stated_language(document)
        if document["type"].value == "final":
            timed = document.has("ts") and document.has("end_ts")
            span = (
                Span(document["ts"].seconds(), document["end_ts"].seconds()) if timed else NO_SPAN
            )
            utterances.speaker = speaker_in(document)
            utterances.add(document.line, recording, _words(document, options.nonwords), span)
        elif document["type"].value not in MESSAGES:
            if not document.has("monologues"):
                require_transcript(document, "Rev.ai's monologues")
            for monologue in document["monologues"]:
                utterances.speaker = speaker_in(monologue)
                utterances.add_by_pauses(
                    document.line, recording, _words(monologue, options.nonwords)
                )
    yield utterances.collected()


def _words(part: Part, nonwords: Nonwords) -> list[HypothesisWord]:
    spoken_elements = (element for element in part["elements"] if element["type"].value != "punct")
    return spoken(map(_word, spoken_elements), nonwords)


def _word(element: Part) -> HypothesisWord:
    value = element["value"].text()
    return HypothesisWord(
        UNNAMED if element["type"].value == "unknown" else value,
        element["confidence"].probability() if element.has("confidence") else 1.0,
        *(Span(element["ts"].seconds(), element["end_ts"].seconds()) if _timed(element)
          else NO_SPAN),
    )  # fmt: skip


def _timed(element: Part) -> bool:
    return element.has("ts") and element.has("end_ts")


READER = FormatReader(
    name="revai",
    title="Rev.ai",
    section="cloud-services",
    content="words",
    kinds=("json",),
    looks_like=looks_like,
    parse=parse,
    sample=(
        b'{"monologues": [{"speaker": 0, "elements": [{"type": "text", "value": "Das", "ts": '
        b'0.0, "end_ts": 0.21, "confidence": 0.97}, {"type": "punct", "value": " "}, {"type": '
        b'"text", "value": "Haus", "ts": 0.21, "end_ts": 0.65, "confidence": 0.8}]}]}'
    ),
    words=("Das", "Haus"),
    keys=("monologues elements ts end_ts",),
)
