"""Metadata that a person gives, with what an index has already.

A file says something of some columns (`std.metadata.cells`); what an index takes is whole rows.
"""

from collections.abc import Sequence
from contextlib import suppress
from unicodedata import normalize

from indexer.shards import contents
from std.errors import StoreError
from std.metadata.cells import FileMetadata, completed, with_languages
from std.metadata.table import NO_METADATA, Metadata, updated
from std.recordings import index_recordings
from std.store import Store
from std.values import Recording


def whole_rows(given: Metadata, stores: Sequence[Store]) -> Metadata:
    """The rows of metadata that a run gives to stores.

    Args:
        given: metadata, which replace the rows of their audio files; of a file, they replace cells.
        stores: the shards of an index.

    Raises:
        InputError: a table gives channels of one audio file different languages.
    """
    if not isinstance(given, FileMetadata):
        return given
    cells = given.cells
    if cells.listed_languages:
        cells = with_languages(cells, _listed_languages(stores))
    before = NO_METADATA
    with suppress(StoreError):  # damaged: what is given takes its place, as far as it goes
        for store in stores:
            before = updated(before, store.metadata())
    return completed(before, cells)


def own_columns_note(given: Metadata) -> list[str]:
    """What is said of columns of the index in a file of metadata; nothing if it has none."""
    if not isinstance(given, FileMetadata) or not given.cells.own_columns:
        return []
    columns = ", ".join(given.cells.own_columns)
    return [f"metadata: {columns} are the index's own columns: left out"]


def _listed_languages(stores: Sequence[Store]) -> dict[Recording, str]:
    """The language of each recording as `std-store list` says it, under composed names."""
    segments, metadata = contents(stores)
    return {
        Recording(normalize("NFC", one.recording.file), one.recording.channel): one.language
        or one.metadata.get("language", "")
        for one in index_recordings(segments, metadata)
    }
