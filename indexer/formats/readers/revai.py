"""Rev.ai's JSON: transcripts of jobs, and the messages of its streams, one after the other.

    {"monologues": [{"speaker": 0, "elements": [ELEMENT, {"type": "punct", "value": " "}, ...]}]}
    {"type": "final", "ts": 0.0, "end_ts": 1.2, "elements": [ELEMENT, ...]}             a stream
    ELEMENT := {"type": "text", "value": "das", "ts": 0.0, "end_ts": 0.21, "confidence": 0.97}

Each monologue is cut into utterances at pauses of half a second; a final message is an utterance.
Elements that are ``unknown`` are unknown words. Partial messages are skipped. A job that
failed or is not done is refused.

Source: revdotcom/revai-node-sdk and revai-java-sdk (transcripts of their tests, the message types
of their streaming clients), revai-python-sdk (elements).
"""

from indexer.formats.shared.json_paths import Shape, Words, declared, has_keys
from indexer.formats.shared.reader import FormatReader

ELEMENTS = Words(
    at="elements", text="value", start="ts", end="end_ts", may_lack_times=True,
    skip=("type", ("punct",)), unnamed=("type", ("unknown",)),
)  # fmt: skip

READER = FormatReader(
    name="revai",
    title="Rev.ai",
    section="cloud-services",
    content="words",
    kinds=("json",),
    looks_like=has_keys("elements monologues", "elements end_ts type"),
    parse=declared(
        Shape(
            when=lambda message: message["type"].value == "final",
            words=ELEMENTS,
            is_timed=True,
            written=True,
            languages=True,
            speakers=True,
        ),
        Shape(when=lambda one: one["type"].value in ("connected", "partial"), words=None),
        Shape(
            words=ELEMENTS,
            at="monologues",
            expected="Rev.ai's monologues",
            pauses=True,
            written=True,
            languages=True,
            speakers=True,
        ),
    ),
    sample=(
        b'{"monologues": [{"speaker": 0, "elements": [{"type": "text", "value": "Das", "ts": '
        b'0.0, "end_ts": 0.21, "confidence": 0.97}, {"type": "punct", "value": " "}, {"type": '
        b'"text", "value": "Haus", "ts": 0.21, "end_ts": 0.65, "confidence": 0.8}]}]}'
    ),
    words=("Das", "Haus"),
    keys=("monologues elements ts end_ts",),
)
