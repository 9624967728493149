"""From written words to phones: one protocol, and the converter of each language.

    converter("de")          espeak-ng, if the optional extra is installed
    converter("en")          g2p-en's network, read without NLTK

A converter knows one language and names itself, so that an index can record who pronounced its
words: sounds made by two converters must not be compared.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Protocol

from std.errors import ConfigError
from std.languages.detection import language_code
from std.phonetics.phones import Pronunciation


class Converter(Protocol):
    """Grapheme-to-phoneme conversion for one language."""

    @property
    def name(self) -> str:
        """Who and which language: ``espeak-ng:de``. Part of what an index records."""

    def pronounce(self, words: Sequence[str]) -> list[Pronunciation]:
        """The phones of each word; empty for what has no sound (``-``)."""


def converter(language: str) -> Converter:
    """The converter for a language.

    Raises:
        ConfigError: the package it needs is not installed, or it does not know the language.
    """
    code = language_code(language)
    if code == "en" and find_spec("g2p_en"):
        from std.phonetics.g2p_english import English

        return English()
    if find_spec("espeakng_loader") is None:
        raise ConfigError(
            f"pronunciation: expected the package espeakng-loader for language {language!r} "
            f"(pip install spoken-terms[espeak]), got none installed"
        )
    from std.phonetics.g2p_espeak import Espeak

    return Espeak(code)
