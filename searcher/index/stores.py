"""What is searched: the live segments of one or several stores, as they were at one moment."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from std.config import Config
from std.errors import InputError
from std.store import Segment, Store, open_store, require_different
from std.store.address import kind_of
from std.text import as_indexed, require_same
from std.values import Recording


def open_stores(urls: Sequence[str]) -> tuple[Store, ...]:
    """Open stores that together are one index: its shards."""
    require_different(urls)
    return tuple(open_store(url) for url in urls)


def adapted(config: Config, stores: Sequence[Store]) -> Config:
    """The configuration with which these stores can be searched: older ones keep punctuation."""
    text = config.text
    for store in stores:
        text = as_indexed(text, store.normalisation())
    return replace(config, text=text)


def snapshot(stores: Sequence[Store], config: Config) -> tuple[Segment, ...]:
    """The live segments of all shards.

    Raises:
        InputError: a store is empty, or two of them hold the same recording.
        StoreError: a store's words are normalised in another way than ``config`` says.
    """
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
    """What tells whether anything was committed to the stores since."""
    return tuple(store.revision() for store in stores)


def speech_ms(segments: Sequence[Segment]) -> dict[Recording, int]:
    """The recordings that count, and how much speech each has."""
    return {
        one.recording: one.speech_ms
        for segment in segments
        for row, one in enumerate(segment.recordings)
        if row not in segment.deleted
    }


def index_folder(urls: Sequence[str]) -> Path | None:
    """Where the index lies, if it is one store in a folder."""
    return Path(urls[0]) if len(urls) == 1 and kind_of(urls[0]) == "folder" else None
