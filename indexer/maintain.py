"""Maintenance of an index, one store or several: delete recordings, merge segments.

    stored_spellings    audio files as people name them -> as the index does
    delete              remove audio files
    upkeep              merge the segments that are due, or all
    plan                which segments to merge now

A look-up costs one step per segment, so an index of many small segments is slow to search, and one
big segment is slow to add to. Tiers are the compromise: `FAN_IN` segments of about the same size
are merged into one. So each posting is rewritten at most once per tier, and an index of n postings
has at most about ``FAN_IN * log(n)`` segments.
"""

from collections.abc import Iterable, Sequence
from contextlib import closing
from functools import partial

from indexer.languages.pronounce import Pronouncer
from indexer.segments.merge import merged
from indexer.segments.phone_columns import PhoneColumnBuilder
from indexer.segments.sound import sound_size
from indexer.shards import audio_files, stored_names
from std.errors import StoreBusyError
from std.execution.workers import IN_PROCESS, Executor
from std.languages.detection import of_segment, pronouncer_of_segment
from std.nist.audio_names import spelt_otherwise
from std.store import Segment, Store, absolute_url, open_store
from std.store.columns import SegmentColumns

FAN_IN = 8  # segments of a tier that are merged into one of the next; also the ratio of their sizes
SMALLEST_TIER = 100_000  # postings: smaller segments all belong to one tier
LARGEST_SEGMENT = 50_000_000  # postings when merged: some 1,100 hours, 3 GB of memory to merge


def stored_spellings(files: Sequence[str], stores: Sequence[Store]) -> list[str]:
    """The names of audio files in all spellings that an index has; errors as `stored_names`."""
    names = stored_names(files, stores)
    held = set[str]().union(*map(audio_files, stores))
    return [*dict.fromkeys([*names, *spelt_otherwise(names, held)])]


def delete(files: Sequence[str], stores: Sequence[Store]) -> None:
    """Delete audio files from stores that are open for writing.

    Merging their segment removes their postings.

    Raises:
        InputError: the index has no such file; then nothing is deleted.
    """
    names = stored_spellings(files, stores)
    for store in stores:
        normalisation = store.normalisation()
        if normalisation is not None and (here := audio_files(store).intersection(names)):
            store.commit(normalisation=normalisation, delete_files=here)


def upkeep(
    stores: Sequence[Store],
    workers: Executor = IN_PROCESS,
    *,
    everything: bool = False,
    phone_builder: PhoneColumnBuilder | None = None,
) -> list[StoreBusyError]:
    """Merge the segments of stores that nobody writes to; several workers merge shards in parallel.

    Args:
        workers: the workers; each merges one shard at a time.
        everything: merge all segments that fit together, not only those that are due.
        phone_builder: makes the phone columns of segments whose language is detected again.

    Returns:
        One error for each shard that another process began to write to; these are unchanged.
    """
    if uses_workers(stores, workers):
        urls = [absolute_url(store.url) for store in stores]  # workers run in other folders
        work = partial(upkeep_there, everything=everything, phone_builder=phone_builder)
        return [busy for busy in workers.map(work, urls) if busy is not None]
    for store in stores:
        with store.writing():
            keep_few_segments(store, everything=everything, phone_builder=phone_builder)
    return []


def uses_workers(stores: Sequence[Store], workers: Executor) -> bool:
    """Whether several workers merge shards in parallel; each then opens its store for writing."""
    return len(stores) > 1 and workers.workers > 1


def upkeep_there(
    url: str, *, everything: bool, phone_builder: PhoneColumnBuilder | None
) -> StoreBusyError | None:
    """`keep_few_segments` of a store that is opened for it; runs in a worker."""
    with closing(open_store(url)) as store:
        try:
            with store.writing():
                keep_few_segments(store, everything=everything, phone_builder=phone_builder)
        except StoreBusyError as busy:
            return busy
    return None


def keep_few_segments(
    store: Store, *, everything: bool, phone_builder: PhoneColumnBuilder | None
) -> None:
    """Merge segments tier by tier; with ``everything``, all that fit together.

    Segments of different languages stay separate. The language of segments without a known one is
    detected again; if that fails, they get the language of most of the store.

    Args:
        store: the store, open for writing.
    """
    before: tuple[str, ...] = ()
    while True:
        segments = store.segments()
        ids = tuple(sorted(segment.id for segment in segments))
        if ids == before:  # the last round has changed nothing
            return
        before = ids
        normalisation = store.normalisation()
        languages = _languages(segments, phone_builder)
        outdated = _outdated(segments, languages, phone_builder)
        groups = _due(segments, languages, outdated, everything=everything)
        if not groups or normalisation is None:
            return
        for rows in groups:
            group = [segments[i] for i in rows]
            store.commit(
                _merged(group, languages[rows[0]], segments, phone_builder),
                normalisation=normalisation,
                replace=[segment.id for segment in group],
            )


def _languages(segments: Sequence[Segment], phone_builder: PhoneColumnBuilder | None) -> list[str]:
    """The language of each segment; none if no phone columns are to be made."""
    if phone_builder is None or not phone_builder.wanted:
        return [""] * len(segments)
    return [of_segment(segment) for segment in segments]


def _outdated(
    segments: Sequence[Segment], languages: Sequence[str], phone_builder: PhoneColumnBuilder | None
) -> list[bool]:
    """(n,) whether a segment was pronounced otherwise than segments of its language now are.

    Phones of two pronouncers cannot be searched together. So once a segment of the language has
    phones of the present pronouncer, its other segments are made again.
    """
    names = [*map(pronouncer_of_segment, segments)]
    present = (
        {language: phone_builder.pronouncer(language) for language in languages}
        if phone_builder
        else {}
    )
    added = {
        language
        for language, name in zip(languages, names, strict=True)
        if name and name == present.get(language)
    }
    return [
        bool(name) and language in added and name != present[language]
        for language, name in zip(languages, names, strict=True)
    ]


def _due(
    segments: Sequence[Segment],
    languages: Sequence[str],
    outdated: Sequence[bool],
    *,
    everything: bool,
) -> list[list[int]]:
    """Rows of the segments to merge now: one list for each new segment."""
    sizes = [int(segment.counts().sum()) + sound_size(segment) for segment in segments]
    due = []
    for language in dict.fromkeys(languages):
        rows = [row for row, other in enumerate(languages) if other == language]
        mine = [sizes[row] for row in rows]
        untold = not language and any(languages)  # then words have one, detected or assumed
        stale = [
            bool(segments[row].deleted) or outdated[row] or (untold and bool(segments[row].words()))
            for row in rows
        ]
        again = everything or any(outdated[row] for row in rows)
        groups = plan_all(mine, stale) if again else plan(mine)
        due += [[rows[i] for i in group] for group in groups]
    return due


def _merged(
    group: Sequence[Segment],
    language: str,
    segments: Sequence[Segment],
    phone_builder: PhoneColumnBuilder | None,
) -> list[SegmentColumns]:
    """Merge segments of one language into one; those of none into one per language detected now."""
    if phone_builder is None or not phone_builder.wanted or language:
        return [
            merged(group, partial(phone_builder.of, language=language) if phone_builder else None)
        ]
    return Pronouncer(phone_builder).last_segments([merged(group)], segments)[0]


def plan(sizes: Sequence[int]) -> list[list[int]]:
    """Which segments to merge now, given each one's number of postings.

    Returns:
        Groups of rows of ``sizes``, each to become one segment; none if nothing is due. A merged
        segment may fill the next tier: plan again until nothing is left.
    """
    tiers: dict[int, list[int]] = {}
    for row, size in enumerate(sizes):
        tiers.setdefault(_tier(size), []).append(row)
    due = [rows for _, rows in sorted(tiers.items()) if len(rows) >= FAN_IN]
    return [some for rows in due for some in _packed(rows, sizes) if len(some) > 1]


def plan_all(sizes: Sequence[int], stale: Sequence[bool]) -> list[list[int]]:
    """Which segments to merge to get as few as `LARGEST_SEGMENT` allows.

    Args:
        sizes: number of postings of each.
        stale: which hold deleted recordings; these are always rewritten.
    """
    groups = _packed(range(len(sizes)), sizes)
    return [rows for rows in groups if len(rows) > 1 or stale[rows[0]]]


def _packed(rows: Iterable[int], sizes: Sequence[int]) -> list[list[int]]:
    """Rows in groups of at most `LARGEST_SEGMENT` postings, each in the first that has room."""
    groups: list[list[int]] = []
    for row in rows:
        for group in groups:
            if sum(sizes[one] for one in group) + sizes[row] <= LARGEST_SEGMENT:
                group.append(row)
                break
        else:
            groups.append([row])
    return groups


def _tier(size: int) -> int:
    tier, limit = 0, SMALLEST_TIER
    while size >= limit:
        tier, limit = tier + 1, limit * FAN_IN
    return tier
