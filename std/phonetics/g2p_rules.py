"""Pronunciations by our own letter-to-sound rules, for where espeak-ng is not installed."""

from collections.abc import Sequence

from std.phonetics.letter_rules import load
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
