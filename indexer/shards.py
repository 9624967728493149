"""The shards of an index: opened for the public functions, and committed to while files are added.

Shard        commits batches of columns
urls_of      an index -> its stores' names
existing     those that exist
open_stores  an index -> its stores, open
config_of    a configuration, or its file -> a configuration
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path

from indexer.corrections.slots import corrected, uncorrected
from indexer.languages.pronounce import Pronouncer, undecided
from indexer.segments.merge import merged
from std.config import Config, load_config
from std.corrections import Layer, with_layer
from std.errors import InputError, NoIndexError, meant, require_kind
from std.files import AnyPath
from std.metadata.table import NO_METADATA, Metadata, of_rows, renamed, updated
from std.nist.audio_names import as_named, spelt_otherwise
from std.store import CommittedSegment, Segment, Store, open_store, require_different
from std.store.columns import SegmentColumns, live_recordings, unpack_vocabulary
from std.store.resident import ResidentSegment
from std.values import Recording

Stores = AnyPath | Sequence[AnyPath]


@dataclass(slots=True)
class Shard:
    """A store while it is being added to."""

    store: Store
    held: set[str]  # audio files it had before this run
    batch: list[SegmentColumns] = field(default_factory=list)
    postings: int = 0  # in the batch
    added: set[str] = field(default_factory=set)  # audio files committed in this run
    metadata: Metadata = NO_METADATA  # of this run, for the recordings of all shards
    described: Metadata = NO_METADATA  # of all recordings, of this run and before it
    layers: dict[str, Layer] = field(default_factory=dict)  # corrections of audio files


def audio_files(store: Store) -> set[str]:
    """The audio files that a store has."""
    return {one.file for one in recordings_in(store.segments())}


def stored_names(files: Iterable[str], stores: Sequence[Store]) -> list[str]:
    """The names of audio files, as an index has them.

    Raises:
        InputError: the index has no such file.
    """
    held = set[str]().union(*map(audio_files, stores))
    names = [*as_named(files, held).values()]
    for name in names:
        if name not in held:
            url = ", ".join(store.url for store in stores)
            near = meant(name, held).removeprefix("; ")
            raise InputError(url, 0, "the name of an indexed audio file", name, near)
    return names


def recordings_in(segments: Iterable[Segment]) -> set[Recording]:
    """The live recordings of segments."""
    return {one.recording for segment in segments for _, one in live_recordings(segment)}


def contents(stores: Sequence[Store]) -> tuple[list[CommittedSegment], Metadata]:
    """The segments and the metadata of all shards."""
    segments = [segment for store in stores for segment in store.segments()]
    metadata = NO_METADATA
    for store in stores:
        metadata = updated(metadata, store.metadata())
    return segments, metadata


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """The content of a shard's next commit."""

    columns: SegmentColumns  # of the batch and of earlier segments, without phone columns
    earlier: tuple[str, ...]  # ids of the segments that it replaces
    files: frozenset[str]  # audio files that it adds
    corrected: Metadata = NO_METADATA  # of those of them that people have corrected


def gathered_batch(shard: Shard) -> Gathered:
    """Merge a shard's batch to one segment.

    An audio file is replaced as a whole, and phrases are joined within a segment. So a file whose
    utterances are spread over several batches must be in one commit: earlier segments of this run
    that have a part of it are merged into this one.
    """
    fresh = frozenset(one.recording.file for columns in shard.batch for one in columns.recordings)
    again = fresh & shard.added
    earlier = [
        segment
        for segment in (shard.store.segments() if again else ())
        if again & {one.recording.file for one in segment.recordings}
    ]
    before = {file: shard.layers[file] for file in again & shard.layers.keys()}
    pieces: list[Segment] = [*earlier, *(ResidentSegment(None, columns) for columns in shard.batch)]
    shard.batch, shard.postings = [], 0
    columns, metadata = _corrected(shard, uncorrected(merged(pieces), before), fresh)
    return Gathered(columns, tuple(one.id for one in earlier), fresh, metadata)


def _corrected(
    shard: Shard, columns: SegmentColumns, files: Collection[str]
) -> tuple[SegmentColumns, Metadata]:
    """Columns with the corrections of audio files applied, and the metadata of these files."""
    layers = {file: shard.layers[file] for file in files if file in shard.layers}
    columns, noted = corrected(columns, layers)
    shard.layers |= noted
    described = shard.described
    rows = {file: with_layer(described.values(file), layer) for file, layer in noted.items()}
    return columns, of_rows(rows)


def commit(
    number: int,
    gathered: Gathered,
    add: Sequence[SegmentColumns],
    shards: Sequence[Shard],
    config: Config,
    words: set[str],
) -> None:
    """Commit what was gathered; delete an audio file from the shard that had it before.

    A file whose name has decomposed letters in an older index is replaced, too.

    Args:
        gathered: the batch's columns and its files.
        add: segments, one per language.
        words: the words of the whole run; grows.
    """
    shard = shards[number]
    add = [one for one in add if one.recordings]
    metadata = updated(shard.metadata.of(gathered.files), gathered.corrected)
    before = spelt_otherwise(gathered.files, set().union(*(one.held for one in shards)))
    gone = gathered.files.union(before)
    holders = [other for other in shards if other is not shard and gone & other.held]
    for other in holders:
        metadata = updated(other.store.metadata().of(gathered.files), metadata)
    for one in shards if before else ():
        kept = one.store.metadata()
        names = {old: new for old, new in before.items() if new not in shard.store.metadata().files}
        metadata = updated(renamed(kept.of(names.keys()), names), metadata)
    shard.store.commit(
        add,
        normalisation=config.text,
        replace=gathered.earlier,
        delete_files=gone,
        metadata=metadata,
    )
    for other in holders:
        if moved := gone & other.held:
            other.store.commit(normalisation=config.text, delete_files=moved)
            other.held -= moved
    shard.held -= before.keys()
    shard.added |= gathered.files
    words.update(*(unpack_vocabulary(one.vocabulary) for one in add))


def commit_last(
    numbers: Sequence[int],
    shards: Sequence[Shard],
    config: Config,
    words: set[str],
    pronouncer: Pronouncer | None,
) -> None:
    """Commit the last batches, and the recordings of unclear language that waited for them.

    Args:
        words: the words of the whole run; grows.
        pronouncer: tells languages and makes phone columns; None = no phones.
    """
    gathered = [gathered_batch(shards[number]) for number in numbers]
    last = [one.columns for one in gathered]
    if pronouncer is None:
        for number, one in zip(numbers, gathered, strict=True):
            commit(number, one, [one.columns], shards, config, words)
        return
    leaving = {id_ for one in gathered for id_ in one.earlier}
    index = [(s.store, one) for s in shards for one in s.store.segments() if one.id not in leaving]
    waiting = [
        (store, one)
        for store, one in index
        if pronouncer.found and undecided(one, pronouncer.found)
    ]
    columns = [*last, *(merged([one]) for _, one in waiting)]
    parts = pronouncer.last_segments(columns, [one for _, one in index])
    for number, one, add in zip(numbers, gathered, parts, strict=False):
        commit(number, one, add, shards, config, words)
    for (store, segment), add in zip(waiting, parts[len(last) :], strict=True):
        store.commit(add, normalisation=config.text, replace=[segment.id])


def urls_of(store: Stores) -> list[str]:
    """The names of an index's stores."""
    stores = [store] if isinstance(store, str | PathLike) else store
    return [str(one) for one in stores]


def existing(urls: Sequence[str]) -> list[str]:
    """The stores that exist; the next run makes the others."""
    return [url for url in urls if _has_index(url)]


def _has_index(url: str) -> bool:
    try:
        open_store(url).close()
    except NoIndexError:
        return False
    return True


@contextmanager
def open_stores(
    store: Stores, *, create: bool = False, apart: bool = False
) -> Iterator[list[Store]]:
    """Open the stores of an index that exists or is to be made.

    Args:
        create: whether missing stores are made.
        apart: whether stores with the same recording are refused.
    """
    urls = urls_of(store)
    require_different(urls)
    with ExitStack() as opened:
        stores = [opened.enter_context(closing(open_store(url, create=create))) for url in urls]
        if apart and len(stores) > 1:
            require_apart(stores)
        yield stores


def require_apart(stores: Sequence[Store]) -> None:
    """Refuse stores as shards that hold the same recording.

    Raises:
        InputError: two do.
    """
    held = set[Recording]()
    for store in stores:
        here = recordings_in(store.segments())
        if twice := held & here:
            expected, advice = "recordings that no other store has", "std-store delete removes one"
            raise InputError(store.url, 0, expected, min(twice).file, advice)
        held |= here


def config_of(config: Config | AnyPath | None, language: str | None = None) -> Config:
    """A configuration, given as a value or a file; ``language`` is that of all recordings."""
    if not isinstance(config, Config):
        config = load_config(Path(config) if config else None)
    if language:
        require_kind("language", language, str, "the name or the code of a language")
        config = replace(config, pronunciation=replace(config.pronunciation, language=language))
    return config
