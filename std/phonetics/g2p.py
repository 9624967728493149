"""From written words to phones: one protocol, and the converter of each language.

    converter("de")          espeak-ng, if the optional extra is installed, else our own rules
    converter("en")          g2p-en's network, read without NLTK, if it is installed
    named("rules-1:de")      the converter that an index names
    named_or_other(...)      the same; otherwise another one of the language, with a warning

A converter has one language and a name, which the index records. Phones of two converters differ,
so all words of an index have one converter; a search without the index's own converter uses another
one.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Protocol
from warnings import warn

from std.errors import ConfigError, StoreWarning
from std.languages.detection import WITHOUT_SPACES, language_code
from std.phonetics.letter_rules import languages, load
from std.phonetics.phones import Pronunciation


class Rules:
    """Pronunciations of one language by the rules of `std.phonetics.letter_rules`."""

    def __init__(self, language: str) -> None:
        self._language = language  # alone, so that workers are sent no rules
        load(language)

    @property
    def name(self) -> str:
        return f"rules-{load(self._language).version}:{self._language}"

    def pronounce(self, words: Sequence[str]) -> list[Pronunciation]:
        rules = load(self._language)
        return [rules.phones(word) for word in words]


ESPEAK_EXTRA = "pip install 'spoken-terms[espeak]'"
EXTRAS = {"espeak-ng": ESPEAK_EXTRA, "g2p-en": "pip install 'spoken-terms[english]'"}
# Languages whose script espeak-ng does not read: it says "Chinese letter" for a kanji, and only
# the consonant of a Thai or Burmese letter. It has no Lao and no Khmer.
UNPRONOUNCEABLE = WITHOUT_SPACES - {"cmn", "yue"}


class UnpronounceableError(ConfigError):
    """No converter reads the script of this language; its words are found by their letters."""


class Converter(Protocol):
    """Grapheme-to-phoneme conversion for one language."""

    @property
    def name(self) -> str:
        """Converter and language: ``espeak-ng:de``. An index records it."""

    def pronounce(self, words: Sequence[str]) -> list[Pronunciation]:
        """The phones of each word; empty for a word without sound (``-``)."""


def converter(language: str) -> Converter:
    """The best installed converter for a language.

    Raises:
        UnpronounceableError: no converter knows the language's script.
        ConfigError: the package it needs is not installed, or it does not know the language.
    """
    code = language_code(language)
    if code in UNPRONOUNCEABLE:
        raise UnpronounceableError(
            f"pronunciation: expected a language whose characters can be pronounced, got {code!r}; "
            "its text is found as it is written"
        )
    chosen = _g2p_en(code) or _espeak(code) or _rules(code)
    if chosen is None:
        raise ConfigError(
            f"pronunciation: expected the package espeakng-loader for language {language!r} "
            f"({ESPEAK_EXTRA}), got none installed"
        )
    return chosen


def named(pronouncer: str) -> Converter:
    """The converter with which an index was made.

    Args:
        pronouncer: converter and language, ``rules-1:de``.

    Raises:
        ConfigError: the converter, or this version of it, is not installed.
    """
    kind, _, language = pronouncer.rpartition(":")
    converters = {"g2p-en": _g2p_en, "espeak-ng": _espeak, "rules": _rules}
    make = converters.get("rules" if kind.startswith("rules-") else kind, converter)
    chosen = make(language)
    if chosen is None or chosen.name != pronouncer:
        got = chosen.name if chosen else "nothing of that name installed"
        install = f"{EXTRAS[kind]}, or " if kind in EXTRAS else ""
        raise ConfigError(
            f"pronunciation: expected {pronouncer}, as the index was made with, got {got}; "
            f"{install}index again"
        )
    return chosen


def named_or_other(pronouncer: str) -> Converter | None:
    """The converter of an index; if it is missing, the best installed one of its language.

    Args:
        pronouncer: converter and language, ``g2p-en:en``.

    Returns:
        the converter; None if no installed one has the language. A `StoreWarning` reports each
        difference from the index.
    """
    kind, _, language = pronouncer.rpartition(":")
    try:
        return named(pronouncer)
    except ConfigError:
        pass
    install = f"; {EXTRAS[kind]}" if kind in EXTRAS else "; index again"
    try:
        other = (_rules(language) if language == "en" else None) or converter(language)
    except ConfigError:
        message = f"unknown words are not found by their sound: {pronouncer} is not installed"
        warn(f"{message}{install}", StoreWarning, stacklevel=2)
        return None
    message = f"{pronouncer}, as the index was made with, is not installed: {other.name} pronounces"
    warn(f"{message} unknown words, and finds fewer of them{install}", StoreWarning, stacklevel=2)
    return other


def hint(pronouncer: str) -> str:
    """A note on a pronouncer for a person, in one line; may be empty.

    Args:
        pronouncer: converter and language, ``rules-1:de``.
    """
    kind, _, language = pronouncer.rpartition(":")
    if not kind.startswith("rules-") or language == "en" or find_spec("espeakng_loader"):
        return ""  # English is no better with espeak-ng (docs/languages.md)
    return (
        f"{pronouncer} are this package's own rules; espeak-ng is better at names and foreign "
        f"words: {ESPEAK_EXTRA}, and index again"
    )


def _g2p_en(language: str) -> Converter | None:
    if language != "en" or not find_spec("g2p_en"):
        return None
    from std.phonetics.g2p_english import English

    return English()


def _espeak(language: str) -> Converter | None:
    if not find_spec("espeakng_loader"):
        return None
    from std.phonetics.g2p_espeak import Espeak

    return Espeak(language)


def _rules(language: str) -> Converter | None:
    return Rules(language) if language in languages() else None
