"""Names that people have given recordings, instead of those that their inputs give them.

A recording that was renamed keeps in the metadata how its inputs call it. When they are indexed
again, it keeps the name that it was given.

    given_names     an index -> the names, by input and the name that it gives
    under_given     what a file brought, under these names
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from indexer.file_columns import FileColumns, shard_of
from indexer.origins import origins
from indexer.segments.merge import merged
from indexer.shards import contents
from std.metadata.table import OWN_PREFIX
from std.store import Store
from std.store.columns import SegmentColumns
from std.store.resident import ResidentSegment
from std.values import Recording

T = TypeVar("T")
CALLED = f"{OWN_PREFIX}called"  # how the inputs call a recording that was renamed

GivenNames = Mapping[tuple[str, str], str]  # by input, and by the name that it gives


def given_names(stores: Sequence[Store]) -> dict[tuple[str, str], str]:
    """The names that people have given recordings.

    Args:
        stores: the shards of an index.
    """
    column = (metadata := contents(stores)[1]).columns.get(CALLED)
    if column is None:
        return {}
    called = {file: column.of(row) for row, file in enumerate(metadata.files)}
    return {
        (origin, name): file
        for file, inputs in origins(stores).items()
        for origin in inputs
        if (name := called.get(file))
    }


def under_given(found: FileColumns, names: GivenNames, shards: int) -> FileColumns:
    """What a file brought, under the names that its recordings were given.

    Args:
        found: what a worker made of the file.
        names: see `given_names`.
        shards: number of stores that recordings are distributed to.
    """
    origin = found.source.origin
    new = {
        one: Recording(names[origin, one.file], one.channel)
        for one in found.utterances
        if (origin, one.file) in names
    }
    if not new:
        return found
    parts: dict[int, list[SegmentColumns]] = {}
    for columns in found.shards.values():
        named = tuple(
            one._replace(recording=new.get(one.recording, one.recording))
            for one in columns.recordings
        )
        whole = ResidentSegment(None, replace(columns, recordings=named))
        for number in {shard_of(one.recording.file, shards) for one in named}:
            others = [
                row
                for row, one in enumerate(named)
                if shard_of(one.recording.file, shards) != number
            ]
            parts.setdefault(number, []).append(merged([whole.without(others)]))

    indexed = found.indexed
    return replace(
        found,
        shards={
            number: merged([ResidentSegment(None, one) for one in some])
            for number, some in parts.items()
        },
        utterances=_renamed(found.utterances, new),
        languages=_renamed(found.languages, new),
        indexed=replace(
            indexed,
            utterances=_renamed(indexed.utterances, new),
            estimated=tuple(new.get(one, one) for one in indexed.estimated),
            with_sound=tuple(new.get(one, one) for one in indexed.with_sound),
        ),
    )


def _renamed(
    of_recordings: Mapping[Recording, T], new: Mapping[Recording, Recording]
) -> dict[Recording, T]:
    return {new.get(one, one): value for one, value in of_recordings.items()}
