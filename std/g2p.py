"""From written words to sounds: one protocol, and which converter speaks which language.

    converter("de")          espeak-ng, if the optional extra is installed
    converter("en")          g2p-en's network, read without NLTK
    language_code("german")  "de"
    guess_language(counts)   by the function words of a vocabulary

A converter knows one language and names itself, so that an index can record who pronounced its
words: sounds made by two converters must not be compared.
"""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Protocol

from std.errors import ConfigError
from std.phones import Pronunciation


class Converter(Protocol):
    """Grapheme-to-phoneme conversion for one language."""

    @property
    def name(self) -> str:
        """Who and which language: ``espeak-ng:de``. Part of what an index records."""

    def pronounce(self, words: Sequence[str]) -> list[Pronunciation]:
        """The phones of each word; empty for what has no sound (``-``)."""


LANGUAGES = {
    "german": "de", "ger": "de", "deu": "de", "deutsch": "de", "english": "en", "eng": "en",
    "french": "fr", "fra": "fr", "fre": "fr", "spanish": "es", "spa": "es", "italian": "it",
    "ita": "it", "dutch": "nl", "nld": "nl", "portuguese": "pt", "por": "pt", "czech": "cs",
    "ces": "cs", "polish": "pl", "pol": "pl", "turkish": "tr", "tur": "tr", "swedish": "sv",
    "danish": "da", "norwegian": "nb", "finnish": "fi", "hungarian": "hu", "romanian": "ro",
    "russian": "ru", "arabic": "ar", "mandarin": "cmn", "chinese": "cmn", "vietnamese": "vi",
    "tamil": "ta", "swahili": "sw", "basque": "eu", "albanian": "sq", "slovak": "sk",
}  # fmt: skip
FUNCTION_WORDS = {
    "de": "der die und das nicht ist mit den von ein eine auf sich auch dem für als wird",
    "en": "the and of to is that was for it with he as his are not be they this",
    "fr": "les des et est dans que une pour qui du sur pas avec il au ce sont elle",
    "es": "los las del que y por una con para su al es como más fue pero sus ha",
    "it": "il di che e la per un non con sono della gli una nel più anche del da",
    "nl": "het een van en de niet dat zijn met voor op te hij aan is ook maar er",
    "pt": "os que do da um para com uma não por mais dos como foi ao das ele se",
}
LEAST_SHARE = 0.03  # of a vocabulary's tokens that must be one language's function words


def language_code(name: str) -> str:
    """The code espeak-ng uses for a language, from its English name or any ISO 639 code.

    >>> language_code("German"), language_code("de-AT"), language_code("en")
    ('de', 'de', 'en')
    """
    plain = name.strip().lower()
    return LANGUAGES.get(plain, plain.replace("_", "-").split("-")[0])


def guess_language(counts: Mapping[str, int]) -> str:
    """The language of an index by its function words; empty if none stands out.

    >>> guess_language({"der": 9, "die": 8, "hund": 1}), guess_language({"xyzzy": 3})
    ('de', '')
    """
    total = sum(counts.values())
    shares = {
        code: sum(counts.get(word, 0) for word in words.split())
        for code, words in FUNCTION_WORDS.items()
    }
    best = max(shares, key=lambda code: shares[code])
    return best if total and shares[best] >= LEAST_SHARE * total else ""


def converter(language: str) -> Converter:
    """The converter for a language.

    Raises:
        ConfigError: the package it needs is not installed, or it does not know the language.
    """
    code = language_code(language)
    if code == "en" and find_spec("g2p_en"):
        from std.g2p_english import English

        return English()
    if find_spec("espeakng_loader") is None:
        raise ConfigError(
            f"pronunciation: expected the package espeakng-loader for language {language!r} "
            f"(pip install spoken-terms[espeak]), got none installed"
        )
    from std.g2p_espeak import Espeak

    return Espeak(code)
