"""A snapshot of the live segments of one or several stores.

open_stores    names -> stores
snapshot       stores -> their live segments
by_language    segments -> groups of one language, each searched as an index by itself

A term is split, expanded and pronounced in each language of the index. A word that is not in the
recordings of a language is OOV there, even if another language has it. Decisions are made on the
candidates of all languages together.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from std.config import Config
from std.errors import InputError
from std.languages.detection import of_segment
from std.store import Segment, Store, open_store, require_different
from std.store.address import kind_of
from std.text import as_indexed, require_same
from std.values import Recording


def open_stores(urls: Sequence[str]) -> tuple[Store, ...]:
    """Open stores that together are one index: its shards."""
    require_different(urls)
    return tuple(open_store(url) for url in urls)


def adapted(config: Config, stores: Sequence[Store]) -> Config:
    """The configuration for searching these stores: older ones keep punctuation."""
    text = config.text
    for store in stores:
        text = as_indexed(text, store.normalisation())
    return replace(config, text=text)


def snapshot(stores: Sequence[Store], config: Config) -> tuple[Segment, ...]:
    """The live segments of all shards.

    Raises:
        InputError: a store is empty, or two of them hold the same recording.
        StoreError: a store's words have another normalisation than ``config``."""
    segments: tuple[Segment, ...] = ()
    for store in stores:
        normalisation = store.normalisation()
        if normalisation is None:
            raise InputError(store.url, 0, "an index with recordings", "an empty one")
        require_same(config.text, normalisation, store.url)
        here = store.segments()
        if twice := speech_ms(segments).keys() & speech_ms(here).keys():
            expected = "recordings that no other --store has (--fuse is for several recognisers)"
            raise InputError(store.url, 0, expected, min(twice).file)
        segments += here
    return segments


def revisions(stores: Sequence[Store]) -> tuple[str, ...]:
    """The revisions of the stores, which change with each commit."""
    return tuple(store.revision() for store in stores)


def speech_ms(segments: Sequence[Segment]) -> dict[Recording, int]:
    """The searched recordings and the amount of speech in each."""
    return {
        one.recording: one.speech_ms
        for segment in segments
        for row, one in enumerate(segment.recordings)
        if row not in segment.deleted
    }


def index_folder(urls: Sequence[str]) -> Path | None:
    """The folder of the index, if it is one store in a folder."""
    return Path(urls[0]) if len(urls) == 1 and kind_of(urls[0]) == "folder" else None


class LanguageGroup(NamedTuple):
    """Segments of one language; segments of unknown language join the language with most speech."""

    language: str  # empty = unknown or not needed
    segments: tuple[Segment, ...]

    def configured(self, config: Config) -> Config:
        """The configuration with this language, if it names none."""
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
