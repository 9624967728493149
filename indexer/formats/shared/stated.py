"""What JSON of recognisers and services says of words beside their text, in the spellings of all.

speaker_in        who spoke: under many keys, as a name or a number
stated_language   the language that was heard; a hint: a value that is no text is ignored
start_left_out    the start of a word that is 0 and left out, as protocol buffers are written

Looked up in the documentation of the services and in the samples of their readers' tests:

    whisper      "language": "de" or "german"; whisper.cpp: "result": {"language": "de"}
    aws          "results": {"language_code": "de-DE"}; analytics: "LanguageCode"
    azure        "locale": "de-DE"; the SDK: "PrimaryLanguage": {"Language": "de-DE"}
    google       "languageCode": "de-de"
    assemblyai   "language_code": "en_us"; elevenlabs: "deu"
    our JSONL    "language": "de"
"""

from typing import Any

from std.json_fields import Part
from std.repairs import NO_START

SPEAKER_KEYS = (
    "speaker_name", "speakerName", "display_name", "speaker", "speakerId", "speaker_id",
    "speaker_label", "speakerLabel", "speakerTag", "speaker_tag", "SpeakerId", "spk", "spk_id",
    "Speaker", "ParticipantRole", "ParticipantId", "participant",
)  # fmt: skip
_KNOWN = frozenset(SPEAKER_KEYS)
NAMES = ("name", "displayName", "label", "id")  # where a speaker is an object

LANGUAGE_KEYS = (
    "language",
    "language_code",
    "LanguageCode",
    "languageCode",
    "locale",
    "Locale",
    "Language",
)
WITHIN = ("result", "results", "PrimaryLanguage")
_ANYWHERE = frozenset((*LANGUAGE_KEYS, *WITHIN))


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
    return next((name for key in SPEAKER_KEYS if (name := _name(value.get(key)))), "")


def _name(value: Any) -> str:
    if isinstance(value, dict):
        return next((name for key in NAMES if (name := _name(value.get(key)))), "")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value.strip(" ?") if isinstance(value, str) else ""  # whisper.cpp: "?" if in doubt


def start_left_out(word: Part, end_s: float, before_s: float) -> float:
    """The start of a word that has none, in seconds: 0, if that may be.

    Args:
        word: as written.
        end_s: its end.
        before_s: the end of the word before; 0 of the first.

    Raises:
        InputError: it is missing where it is not 0, and must not be estimated.
    """
    if not 0 < before_s < end_s:
        return 0.0
    word.repairs.note(NO_START, word.error("a word with its start"))
    return before_s


def stated_language(part: Part) -> str:
    """The name or code of a language, as it is written; empty if there is none."""
    if not isinstance(part.value, dict) or _ANYWHERE.isdisjoint(part.value):
        return ""
    for key in LANGUAGE_KEYS:
        if part.has(key) and isinstance(part[key].value, str):
            return str(part[key].value).strip()
    for key in WITHIN:
        if part.has(key) and isinstance(part[key].value, dict) and (language := _own(part[key])):
            return language
    return ""


def _own(part: Part) -> str:
    return next(
        (str(part[key].value).strip() for key in LANGUAGE_KEYS if isinstance(part[key].value, str)),
        "",
    )
