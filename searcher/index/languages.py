"""The languages of an index: its segments in groups, each searched as an index by itself.

A term is split, expanded and pronounced in each language of the index. A word that one language's
recogniser never wrote is OOV there, even if another's did. Decisions are made on the candidates of
all languages together.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from std.config import Config
from std.languages.detection import of_segment
from std.store import Segment


class LanguageGroup(NamedTuple):
    """Segments of one language; those of no known one are with the language of most speech."""

    language: str  # empty: not known, or not asked for
    segments: tuple[Segment, ...]

    def configured(self, config: Config) -> Config:
        """The configuration with this language, where it says none."""
        if not self.language or config.pronunciation.language != "auto":
            return config
        return replace(config, pronunciation=replace(config.pronunciation, language=self.language))


def by_language(segments: Sequence[Segment], *, named: bool = True) -> tuple[LanguageGroup, ...]:
    """Segments by language, that of most speech first; each group keeps the segments' order.

    Args:
        named: whether the language of a lone segment matters; it is a request to a database.
    """
    if len(segments) == 1 and not named:
        return (LanguageGroup("", tuple(segments)),)
    languages = [of_segment(one) for one in segments]
    speech = dict.fromkeys(languages, 0)
    for language, segment in zip(languages, segments, strict=True):
        live = (o for row, o in enumerate(segment.recordings) if row not in segment.deleted)
        speech[language] += sum(one.speech_ms for one in live)
    speech.pop("", None)
    if len(speech) < 2:
        return (LanguageGroup(next(iter(speech), ""), tuple(segments)),)
    ranked = sorted(speech, key=lambda one: (-speech[one], one))
    return tuple(
        LanguageGroup(
            language,
            tuple(
                segment
                for own, segment in zip(languages, segments, strict=True)
                if (own or ranked[0]) == language
            ),
        )
        for language in ranked
    )
