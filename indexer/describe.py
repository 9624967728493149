"""Metadata of recordings into an index: with the recordings, or later, without reading them again.

    languages_in        the languages that metadata name, by audio file
    describe            metadata for what an index holds already -> commits

While files are indexed, the metadata of a recording come in the commit that brings its words
(`indexer.shards`). `describe` commits what is left: metadata of recordings from earlier runs. A
recording whose language they name otherwise than it was indexed is pronounced again.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from unicodedata import normalize

from indexer.index_report import Described
from indexer.languages.precedence import METADATA, split
from indexer.languages.pronounce import Pronouncer
from indexer.segments.merge import merged
from indexer.shards import audio_files
from std.errors import StoreError
from std.languages.detection import of_segment
from std.metadata.table import Metadata, of_rows
from std.nist.audio_names import as_stored
from std.store import CommittedSegment, Store
from std.store.columns import SegmentColumns


def languages_in(stores: Sequence[Store], given: Metadata) -> dict[str, str]:
    """The languages of audio files by the metadata of an index, and by those that replace them.

    Raises:
        StoreError: the metadata of the index are damaged, and there are no others.
    """
    found: dict[str, str] = {}
    for store in stores:
        try:
            found |= languages_of(store.metadata())
        except StoreError:
            if not given:
                raise
    return {file: found[file] for file in found if file not in given.row_of} | languages_of(given)


def languages_of(metadata: Metadata) -> dict[str, str]:
    """The languages that metadata name, by audio file."""
    column = metadata.columns.get("language")
    if column is None:
        return {}
    named = ((file, column.of(row)) for row, file in enumerate(metadata.files))
    return {file: language for file, language in named if language}


def describe(stores: Sequence[Store], given: Metadata, pronouncer: Pronouncer) -> Described:
    """Commit metadata of recordings that stores hold; the stores are being written to.

    Args:
        stores: the shards of an index.
        given: metadata; those of recordings that no store has are left out.
        pronouncer: pronounces recordings whose language the metadata change.
    """
    if not given:
        return Described()
    held: set[str] = set()
    again = 0
    for store in stores:
        here = audio_files(store)
        held |= {normalize("NFC", file) for file in here} | here
        again += _describe(store, _named_as(given, here).of(here), pronouncer)
    missing = tuple(file for file in given.files if file not in held)
    return Described(len(given) - len(missing), missing, again)


def _named_as(given: Metadata, here: Collection[str]) -> Metadata:
    """The metadata by the names that a store has (`std.nist.audio_names`)."""
    names = as_stored(given.files, here)
    if all(name == own for name, own in names.items()):
        return given
    return of_rows({own: given.values(name) for name, own in names.items()})


def _describe(store: Store, given: Metadata, pronouncer: Pronouncer) -> int:
    """Commit metadata to one store; return how many recordings were pronounced again."""
    normalisation = store.normalisation()
    if not given or normalisation is None:
        return 0
    again = 0
    for segment, add, moved in _pronounced_again(store.segments(), pronouncer):
        store.commit(add, normalisation=normalisation, replace=[segment.id])
        again += moved
    store.commit(normalisation=normalisation, metadata=given)
    return again


def _pronounced_again(
    segments: Sequence[CommittedSegment], pronouncer: Pronouncer
) -> Iterator[tuple[CommittedSegment, list[SegmentColumns], int]]:
    """Segments with recordings in another language than metadata say, and what replaces them."""
    if not pronouncer.phone_builder.wanted:
        return
    for segment in segments:
        indexed = of_segment(segment)
        language_of = {}
        for row, one in enumerate(segment.recordings):
            if row not in segment.deleted:
                told, source = pronouncer.told.of(one.recording)
                language_of[one.recording] = told if source == METADATA else indexed
        moved = sum(language != indexed for language in language_of.values())
        if moved and len(segment.counts()):
            columns = merged([segment])  # without deleted recordings and without phone columns
            languages = [language_of[one.recording] for one in columns.recordings]
            parts = split(columns, languages)
            yield segment, [_in(pronouncer, *part) for part in parts.items()], moved


def _in(pronouncer: Pronouncer, language: str, columns: SegmentColumns) -> SegmentColumns:
    phones = pronouncer.phone_builder.of(columns, language)
    return replace(columns, extra={**columns.extra, **phones})
