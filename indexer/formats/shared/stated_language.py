"""The language that a recogniser's JSON says it heard, in the spellings of all of them.

    whisper      "language": "de" or "german"; whisper.cpp: "result": {"language": "de"}
    aws          "results": {"language_code": "de-DE"}; analytics: "LanguageCode"
    azure        "locale": "de-DE"; the SDK: "PrimaryLanguage": {"Language": "de-DE"}
    google       "languageCode": "de-de"
    assemblyai   "language_code": "en_us"; elevenlabs: "deu"
    our JSONL    "language": "de"

It is a hint: a value that is no text is ignored.
"""

from std.json_fields import Part

KEYS = ("language", "language_code", "LanguageCode", "languageCode", "locale", "Locale", "Language")
WITHIN = ("result", "results", "PrimaryLanguage")
_ANYWHERE = frozenset((*KEYS, *WITHIN))


def stated_language(part: Part) -> str:
    """The name or code of a language, as it is written; empty if there is none."""
    if not isinstance(part.value, dict) or _ANYWHERE.isdisjoint(part.value):
        return ""
    for key in KEYS:
        if part.has(key) and isinstance(part[key].value, str):
            return str(part[key].value).strip()
    for key in WITHIN:
        if part.has(key) and isinstance(part[key].value, dict) and (language := _own(part[key])):
            return language
    return ""


def _own(part: Part) -> str:
    return next(
        (str(part[key].value).strip() for key in KEYS if isinstance(part[key].value, str)), ""
    )
