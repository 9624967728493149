"""Upkeep of an index, one store or several: forget recordings, keep the segments few."""

from collections.abc import Sequence
from contextlib import closing
from functools import partial

from indexer.build import audio_files
from indexer.merge import Rebuild, merged, plan, plan_all
from std.cluster import IN_PROCESS, Executor
from std.errors import InputError, StoreBusyError
from std.store import Store, absolute_url, open_store


def delete(files: Sequence[str], stores: Sequence[Store]) -> int:
    """Take audio files out of stores that are being written to; return how many.

    Their postings go when their segment is merged.

    Raises:
        InputError: the index has no such file; then nothing is deleted.
    """
    held = [audio_files(store) for store in stores]
    for file in files:
        if not any(file in some for some in held):
            url = ", ".join(store.url for store in stores)
            raise InputError(url, 0, "the name of an indexed audio file", file)
    for store, some in zip(stores, held, strict=True):
        normalisation = store.normalisation()
        if normalisation is not None and (here := [file for file in files if file in some]):
            store.commit(normalisation=normalisation, delete_files=here)
    return len(files)


def upkeep(
    stores: Sequence[Store],
    workers: Executor = IN_PROCESS,
    *,
    everything: bool = False,
    sounds: Rebuild | None = None,
) -> list[StoreBusyError]:
    """Merge the segments of stores nobody is writing to; shards by several workers at once.

    Returns:
        One error for each shard that somebody else began to write to: it stays as it is.
    """
    if worth_workers(stores, workers):
        urls = [absolute_url(store.url) for store in stores]  # workers stand in other folders
        work = partial(upkeep_there, everything=everything, sounds=sounds)
        return [busy for busy in workers.map(work, urls) if busy is not None]
    for store in stores:
        with store.writing():
            keep_few_segments(store, everything=everything, sounds=sounds)
    return []


def worth_workers(stores: Sequence[Store], workers: Executor) -> bool:
    """Whether shards are merged by several workers at once, which take the right to write."""
    return len(stores) > 1 and workers.workers > 1


def upkeep_there(
    url: str, *, everything: bool, sounds: Rebuild | None = None
) -> StoreBusyError | None:
    """`keep_few_segments` of a store that is opened for it; runs in a worker."""
    with closing(open_store(url)) as store:
        try:
            with store.writing():
                keep_few_segments(store, everything=everything, sounds=sounds)
        except StoreBusyError as busy:
            return busy
    return None


def keep_few_segments(store: Store, *, everything: bool, sounds: Rebuild | None = None) -> None:
    """Merge segments tier by tier where it is due; with ``everything``, all that fit together."""
    while True:
        segments = store.segments()
        normalisation = store.normalisation()
        sizes = [int(one.counts().sum()) for one in segments]
        stale = [bool(one.deleted) for one in segments]
        groups = plan_all(sizes, stale) if everything else plan(sizes)
        if not groups or normalisation is None:
            return
        for rows in groups:
            group = [segments[i] for i in rows]
            store.commit(
                [merged(group, sounds)],
                normalisation=normalisation,
                replace=[one.id for one in group],
            )
