"""Upkeep of a store that is being written to: forget recordings, keep the segments few."""

from collections.abc import Sequence

from indexer.merge import merged, plan
from std.errors import InputError
from std.store import Store


def delete(files: Sequence[str], store: Store) -> None:
    """Take audio files out of the index; their postings go when their segment is merged.

    Raises:
        InputError: the index has no such file; then nothing is deleted.
    """
    normalisation = store.normalisation()
    known = {
        one.recording.file
        for segment in store.segments()
        for i, one in enumerate(segment.recordings)
        if i not in segment.deleted
    }
    for file in files:
        if file not in known:
            raise InputError(store.url, 0, "the name of an indexed audio file", file)
    if normalisation is not None:
        store.commit(normalisation=normalisation, delete_files=files)


def keep_few_segments(store: Store, *, everything: bool) -> None:
    """Merge segments tier by tier where it is due; with ``everything``, all of them into one."""
    while True:
        segments = store.segments()
        normalisation = store.normalisation()
        if everything:
            stale = len(segments) > 1 or any(one.deleted for one in segments)
            groups = [list(range(len(segments)))] if stale else []
        else:
            groups = plan([int(one.counts().sum()) for one in segments])
        if not groups or normalisation is None:
            return
        for rows in groups:
            group = [segments[i] for i in rows]
            store.commit(
                [merged(group)],
                normalisation=normalisation,
                replace=[one.id for one in group],
            )
