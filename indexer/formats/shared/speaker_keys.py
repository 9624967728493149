"""Who spoke, as JSON of recognisers and services says it: under many keys, as a name or a number.

Looked up in the documentation of the services and in the samples of their readers' tests.
"""

from typing import Any

from std.json_fields import Part

KEYS = (
    "speaker_name", "speakerName", "display_name", "speaker", "speakerId", "speaker_id",
    "speaker_label", "speakerLabel", "speakerTag", "speaker_tag", "SpeakerId", "spk", "spk_id",
    "Speaker", "ParticipantRole", "ParticipantId", "participant",
)  # fmt: skip
_KNOWN = frozenset(KEYS)
NAMES = ("name", "displayName", "label", "id")  # where a speaker is an object


def speaker_in(part: Part) -> str:
    """Return who spoke a word or an utterance; empty where it does not say so.

    >>> [speaker_in(Part("a", 1, one)) for one in ({"speaker": 0}, {"speaker": {"name": "Ada"}})]
    ['0', 'Ada']
    """
    return speaker_named(part.value)


def speaker_named(value: Any) -> str:
    """The same of a value."""
    if not isinstance(value, dict) or _KNOWN.isdisjoint(value):
        return ""
    return next((name for key in KEYS if (name := _name(value.get(key)))), "")


def _name(value: Any) -> str:
    if isinstance(value, dict):
        return next((name for key in NAMES if (name := _name(value.get(key)))), "")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value.strip(" ?") if isinstance(value, str) else ""  # whisper.cpp: "?" if in doubt
