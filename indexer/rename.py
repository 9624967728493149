"""A recording of an index gets another name; what was said in it stays as it was pronounced."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from unicodedata import normalize

from indexer.segments.merge import merged
from indexer.segments.phone_columns import kept_phones
from indexer.shards import audio_files
from std.errors import InputError
from std.metadata.table import NO_METADATA, of_rows
from std.nearest import meant
from std.nist.audio_names import as_stored, recording_name
from std.store import CommittedSegment, Store
from std.store.columns import SegmentColumns
from std.store.protocol import verified_columns
from std.store.resident import ResidentSegment
from std.values import Recording


def rename(old: str, new: str, stores: Sequence[Store]) -> str:
    """Give an audio file of stores that are being written to another name.

    Its metadata and its channels go with it, in one commit of each store that has it.

    Args:
        old: its name, as people or files write it.
        new: what it is called from now on; a folder and an audio extension are left off.
        stores: the shards of an index.

    Returns:
        The new name as the index has it.

    Raises:
        InputError: the index has no such file, or has the new name already.
    """
    held = [audio_files(store) for store in stores]
    url = ", ".join(store.url for store in stores)
    (before,) = as_stored([recording_name(old)], set().union(*held)).values()
    if not any(before in some for some in held):
        near = meant(before, chain.from_iterable(held)).removeprefix("; ")
        raise InputError(url, 0, "the name of an indexed audio file", before, near)
    after = recording_name(new)
    taken = {normalize("NFC", file) for file in chain.from_iterable(held)}
    if not after or after in taken:
        raise InputError(url, 0, "a name that no recording has", after)
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
    store.commit(
        [_renamed(segment, old, new) for segment in segments],
        normalisation=normalisation,
        replace=[segment.id for segment in segments],
        delete_files={old},
        metadata=of_rows({new: values}) if values else NO_METADATA,
    )


def _has(segment: CommittedSegment, file: str) -> bool:
    return any(
        one.recording.file == file
        for row, one in enumerate(segment.recordings)
        if row not in segment.deleted
    )


def _renamed(segment: CommittedSegment, old: str, new: str) -> SegmentColumns:
    """A segment as if its file had always had its new name; without deleted recordings."""
    columns = verified_columns(segment)
    recordings = tuple(
        one._replace(recording=Recording(new, one.recording.channel))
        if one.recording.file == old
        else one
        for one in columns.recordings
    )
    named = ResidentSegment(None, replace(columns, recordings=recordings), segment.deleted)
    return merged([named], partial(kept_phones, before=columns))
