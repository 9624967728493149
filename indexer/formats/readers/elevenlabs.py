"""ElevenLabs' JSON (Scribe): words, the blanks between them, and sounds.

    {"language_code": "deu", "text": "Das Haus", "words": [{"text": "Das", "type": "word",
        "start": 0.0, "end": 0.21, "logprob": -0.03, "speaker_id": "speaker_0"},
        {"text": " ", "type": "spacing", ...}, {"text": "(laughter)", "type": "audio_event", ...}]}
    {"transcripts": [{"channel_index": 0, "words": [...]}, ...]}                      channels

Words are cut into utterances at pauses of half a second. A word's confidence is that of its natural
logarithm, 1 without one. Channel 0 is our channel 1.

Source: vsv2014/trupeer-player ``data/transcript.json``; channels as the service's API reference
describes them.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from indexer.formats.shared.numbered import NumberedUtterances
from indexer.formats.shared.reader import FormatReader
from indexer.formats.shared.reader_options import DEFAULT, ReaderOptions
from indexer.formats.shared.recordings import recording_for
from indexer.formats.shared.service_answers import require_transcript
from indexer.formats.shared.speaker_keys import speaker_in
from indexer.formats.shared.stated_language import stated_language
from indexer.networks.hypotheses import HypothesisWord, spoken
from indexer.networks.utterances import Utterances
from std.json_fields import Part, documents
from std.values import Recording


def looks_like(head: bytes) -> bool:
    """Tell whether JSON that begins like this is ElevenLabs'."""
    return all(key in head for key in (b'"words"', b'"text"', b'"type"', b'"logprob"'))


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's utterances in order.

    Raises:
        InputError: the file is no JSON, or not ElevenLabs'.
    """
    utterances, recording = NumberedUtterances(path, options), recording_for(path, options)
    for document in documents(stream, path, repairs=options.repairs):
        for transcript in (
            document.each("transcripts") if document.has("transcripts") else [document]
        ):
            if not transcript.has("words"):
                require_transcript(document, "ElevenLabs' words")
            index = transcript.first(["channel_index"])
            channel = index.channel() if index else 0
            where = Recording(recording.file, channel + 1) if channel else recording
            utterances.language = stated_language(transcript)
            parts = (word for word in transcript["words"] if word["type"].value == "word")
            utterances.add_by_pauses(
                document.line, where, spoken(map(_word, parts), options.nonwords)
            )
    yield utterances.collected()


def _word(word: Part) -> HypothesisWord:
    return HypothesisWord(
        word["text"].text(),
        math.exp(min(0.0, word["logprob"].number())) if word.has("logprob") else 1.0,
        word["start"].seconds(),
        word["end"].seconds(),
        speaker_in(word),
    )


READER = FormatReader(
    name="elevenlabs",
    title="ElevenLabs",
    section="cloud-services",
    content="words",
    kinds=("json",),
    looks_like=looks_like,
    parse=parse,
    sample=(
        b'{"text": "Das Haus", "words": [{"text": "Das", "type": "word", "start": 0.0, "end": '
        b'0.21, "logprob": -0.03}, {"text": " ", "type": "spacing", "start": 0.21, "end": 0.21}, '
        b'{"text": "Haus", "type": "word", "start": 0.21, "end": 0.65, "logprob": -0.22}]}'
    ),
    words=("Das", "Haus"),
    keys=("words text type logprob",),
)
