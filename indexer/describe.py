"""Metadata and names of indexed recordings, changed without reading the recordings again.

    whole_rows          a user's metadata, completed by those of an index
    languages_in        the languages in metadata, by audio file
    describe            metadata of indexed recordings -> commits
    rename              a new name of a recording -> commits

During indexing, the metadata of a recording are committed with its words (`indexer.shards`).
`describe` commits metadata of recordings from earlier runs. A recording with a changed language is
pronounced again; a renamed recording is not. A file of metadata may have only some columns
(`std.metadata.cells`), while an index takes complete rows.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from unicodedata import category, normalize

from indexer.index_report import Described
from indexer.languages.precedence import METADATA, split
from indexer.languages.pronounce import Pronouncer
from indexer.origins import CALLED, with_recordings
from indexer.segments.merge import merged
from indexer.shards import audio_files, contents, stored_names
from std.errors import InputError, StoreError
from std.languages.detection import of_segment
from std.metadata.cells import FileMetadata, completed, with_languages
from std.metadata.table import NO_METADATA, Metadata, of_rows, updated, with_own_values
from std.nist.audio_names import as_stored, recording_name
from std.recordings import index_recordings
from std.store import CommittedSegment, Store
from std.store.columns import IndexedRecording, SegmentColumns, live_recordings
from std.values import Recording


def whole_rows(given: Metadata, stores: Sequence[Store]) -> Metadata:
    """The complete rows of a run's metadata.

    Args:
        given: metadata that replace the rows of their audio files; if read from a file, only its
            cells.

    Raises:
        InputError: a table gives channels of one audio file different languages.
    """
    before = NO_METADATA
    with suppress(StoreError):  # damaged metadata are replaced by the given ones
        for store in stores:
            before = updated(before, store.metadata())
    if not isinstance(given, FileMetadata):
        return with_own_values(given, before)
    cells = given.cells
    if cells.listed_languages:
        cells = with_languages(cells, _listed_languages(stores))
    return completed(before, cells)


def own_columns_note(given: Metadata) -> list[str]:
    """The index's own columns in a file of metadata; empty without any."""
    if not isinstance(given, FileMetadata) or not given.cells.own_columns:
        return []
    columns = ", ".join(given.cells.own_columns)
    return [f"metadata: {columns} are the index's own columns: left out"]


def _listed_languages(stores: Sequence[Store]) -> dict[Recording, str]:
    """The language of each recording, as `std-store list` shows it, by composed name."""
    segments, metadata = contents(stores)
    return {
        Recording(normalize("NFC", one.recording.file), one.recording.channel): one.language
        or one.metadata.get("language", "")
        for one in index_recordings(segments, metadata)
    }


def languages_in(stores: Sequence[Store], given: Metadata) -> dict[str, str]:
    """The languages of audio files in an index's metadata and in the new ones.

    Raises:
        StoreError: the metadata of the index are damaged, and there are no others.
    """
    found: dict[str, str] = {}
    for store in stores:
        try:
            found |= store.metadata().by_file("language")
        except StoreError:
            if not given:
                raise
    return {file: found[file] for file in found if file not in given.row_of} | given.by_file(
        "language"
    )


def describe(stores: Sequence[Store], given: Metadata, pronouncer: Pronouncer) -> Described:
    """Commit metadata of recordings that stores hold; the stores are being written to.

    Args:
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
    """The metadata by the names of a store (`std.nist.audio_names`)."""
    names = as_stored(given.files, here)
    if all(name == own for name, own in names.items()):
        return given
    return of_rows({own: given.values(name) for name, own in names.items()})


def _describe(store: Store, given: Metadata, pronouncer: Pronouncer) -> int:
    """Commit metadata to one store; return the number of recordings pronounced again."""
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
    """Segments with recordings in another language than in the metadata, and their replacements."""
    if not pronouncer.phone_builder.wanted:
        return
    for segment in segments:
        indexed = of_segment(segment)
        language_of = {}
        for _, one in live_recordings(segment):
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


def rename(
    old: str,
    new: str,
    stores: Sequence[Store],
    before_commit: Callable[[str, str], None] = lambda before, after: None,
) -> str:
    """Rename an audio file in stores that are being written to.

    Its metadata and channels are renamed, too, in one commit of each store that has it.

    Args:
        new: its new name; a folder and an audio extension are removed.
        before_commit: called with both names after all checks. A process that is killed after it
            can repeat the call.

    Returns:
        The new name in the index.

    Raises:
        InputError: the index has no such file, or has the new name already.
    """
    held = [audio_files(store) for store in stores]
    url = ", ".join(store.url for store in stores)
    (before,) = stored_names([old], stores)
    after = recording_name(new)
    taken = {normalize("NFC", file) for file in chain.from_iterable(held)}
    if not after or after in taken:
        raise InputError(url, 0, "a name that no recording has", after)
    if any(category(letter) == "Cc" for letter in after):
        raise InputError(url, 0, "a name without control characters", after)
    before_commit(before, after)
    for store, some in zip(stores, held, strict=True):
        if before in some:
            _rename_in(store, before, after)
    return after


def _rename_in(store: Store, old: str, new: str) -> None:
    normalisation = store.normalisation()
    if normalisation is None:
        return
    segments = [segment for segment in store.segments() if _has(segment, old)]
    values = store.metadata().values(old)
    called = values.pop(CALLED, old)
    values |= {CALLED: called} if called != new else {}
    store.commit(
        [with_recordings(segment, partial(_renamed, old, new)) for segment in segments],
        normalisation=normalisation,
        replace=[segment.id for segment in segments],
        delete_files={old},
        metadata=of_rows({new: values}) if values else NO_METADATA,
    )


def _has(segment: CommittedSegment, file: str) -> bool:
    return any(one.recording.file == file for _, one in live_recordings(segment))


def _renamed(old: str, new: str, one: IndexedRecording) -> IndexedRecording:
    file, channel = one.recording
    return one._replace(recording=Recording(new, channel)) if file == old else one
