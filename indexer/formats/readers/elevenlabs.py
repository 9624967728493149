"""ElevenLabs' JSON (Scribe): words, the blanks between them, and sounds.

    {"language_code": "deu", "text": "Das Haus", "words": [{"text": "Das", "type": "word",
        "start": 0.0, "end": 0.21, "logprob": -0.03, "speaker_id": "speaker_0"},
        {"text": " ", "type": "spacing", ...}, {"text": "(laughter)", "type": "audio_event", ...}]}
    {"transcripts": [{"channel_index": 0, "words": [...]}, ...]}                      channels

Words are cut into utterances at pauses of half a second. A word's confidence is exp(``logprob``), 1
without one. Channel 0 is our channel 1.

Source: vsv2014/trupeer-player ``data/transcript.json``; channels as the service's API reference
describes them.
"""

from dataclasses import replace

from indexer.formats.shared.json_paths import Shape, Words, declared, has_keys
from indexer.formats.shared.reader import FormatReader

WORDS = Words(text="text", confidence="logprob", log=True, only=("type", ("word",)), speakers=True)
TRANSCRIPT = Shape(
    words=WORDS, expected="ElevenLabs' words", pauses=True, written=True,
    channel="channel_index", languages=True,
)  # fmt: skip

READER = FormatReader(
    name="elevenlabs",
    title="ElevenLabs",
    section="cloud-services",
    content="words",
    kinds=("json",),
    looks_like=has_keys("words text type logprob"),
    parse=declared(
        replace(TRANSCRIPT, when=lambda document: document.has("transcripts"), at="transcripts"),
        TRANSCRIPT,
    ),
    sample=(
        b'{"text": "Das Haus", "words": [{"text": "Das", "type": "word", "start": 0.0, "end": '
        b'0.21, "logprob": -0.03}, {"text": " ", "type": "spacing", "start": 0.21, "end": 0.21}, '
        b'{"text": "Haus", "type": "word", "start": 0.21, "end": 0.65, "logprob": -0.22}]}'
    ),
    words=("Das", "Haus"),
    keys=("words text type logprob",),
)
