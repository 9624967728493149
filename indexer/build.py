"""The indexing pipeline on one screen: files in, committed segments out.

    each file, by any worker (`indexer.file_columns`):
        parse -> separate -> prune -> invert, one part for each shard
    each shard, in this process (`indexer.shards`):
        merge its batch -> a segment for each language -> commit

An index is one store or several, its shards; an audio file's name says which shard has it.
Memory holds a batch of postings and the files in progress, never all speech. A recording that was
indexed before is replaced in the same commit as its new postings, so a search finds either the old
or the new one. (Only if the number of shards has changed, the old one may be in another shard,
which deletes it in a separate commit.)
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from unicodedata import normalize

from indexer.file_columns import FileColumns, index_file
from indexer.formats.shared.reader import DEFAULT, ReaderOptions
from indexer.index_report import IndexedInput, IndexReport, Skipped
from indexer.inputs import Input
from indexer.languages.pronounce import Pronouncer
from indexer.networks.utterances import SEGMENTS_HINT
from indexer.origins import Origins, given_names, origins, under_given
from indexer.segments.sound import FRAMES_PER_POSTING
from indexer.shards import Shard, audio_files, commit, commit_last, contents, gathered_batch
from indexer.sound import EncoderGuard, sounds_alone
from std.config import Config
from std.corrections import layers_of
from std.errors import InputError, StdError, StoreError
from std.execution.workers import IN_PROCESS, Executor
from std.files import is_regular, size_bytes
from std.metadata.table import NO_METADATA, Metadata, composed, updated
from std.numbers import counted
from std.ranges import PROCESSES
from std.sound.columns import SIGN_COLUMN, WORDS
from std.store import Store
from std.values import Recording

MIN_PIECES = 20  # recordings of one utterance each, probably pieces of recordings
MIN_POOL_BYTES = 8_000_000  # smaller inputs are faster without worker processes

Progress = Callable[[Path, int], None]  # called after each file with its size in bytes


def build(
    inputs: Sequence[Path | Input],
    stores: Sequence[Store],
    config: Config,
    *,
    input_format: str = "auto",
    options: ReaderOptions = DEFAULT,
    workers: Executor = IN_PROCESS,
    keep_going: bool = False,
    progress: Progress = lambda path, size: None,
    pronouncer: Pronouncer | None = None,
    metadata: Metadata = NO_METADATA,
    sounds: Sequence[Input] = (),
    replaceable: Collection[str] = (),
) -> IndexReport:
    """Index files into stores that are being written to (``with store.writing()``).

    Args:
        inputs: the files, without folders.
        config: normalisation, pruning and pronunciation.
        keep_going: record files that cannot be read; otherwise the first one ends the run.
        progress: called after each file with path and size in bytes.
        pronouncer: finds languages and makes phone columns; None = no phones.
        metadata: the metadata of recordings; committed with their words.
        sounds: files of frames, also of recordings without words.
        replaceable: audio files of the index that any input may replace.

    Raises:
        InputError: a file cannot be read, or holds a recording that another input holds, too.
        StoreError: a store cannot be written.
    """
    files = [file if isinstance(file, Input) else Input(file) for file in inputs]
    admission = _admission([*files, *sounds], stores, options, replaceable)
    shards, n = _shards(stores, metadata), len(stores)
    work = partial(index_file, config=config, input_format=input_format, options=options, shards=n)
    indexed, unread = list[IndexedInput](), list[Skipped | StdError]()
    words, with_words = set[str](), set[Recording]()
    read = chain(
        _each_indexed(files, work, workers, with_words), sounds_alone(sounds, with_words, n)
    )
    found = _under_given(read, stores)
    for result in _admitted(found, admission, EncoderGuard(stores), keep_going=keep_going):
        if not isinstance(result, FileColumns):
            unread.append(result)
            continue
        indexed.append(result.indexed)
        if pronouncer:
            pronouncer.told.by_input.update(result.languages)
        progress(result.source.path, result.size_bytes)
        _add(result, shards)
        if sum(shard.postings for shard in shards) >= config.index.segment_postings:
            _commit_fullest(shards, config, words, pronouncer)
    failures = tuple(one for one in unread if isinstance(one, StdError))
    skipped = _require_some(len(files) + len(sounds), unread)
    rest = [i for i, shard in enumerate(shards) if shard.batch or not failures]
    commit_last(rest, shards, config, words, pronouncer)
    doubts = (*admission.doubts(), *_doubted_pieces(indexed, options))
    return IndexReport(tuple(indexed), len(words), skipped, failures, doubts)


def _admission(
    inputs: Sequence[Input],
    stores: Sequence[Store],
    options: ReaderOptions,
    replaceable: Collection[str],
) -> Origins:
    """The check of which inputs may be added to an index; any input may replace `replaceable`."""
    free = {normalize("NFC", file) for file in replaceable}
    held = {file: of for file, of in origins(stores).items() if file not in free}
    return Origins(inputs, held, options.segments is not None)


def _shards(stores: Sequence[Store], metadata: Metadata) -> list[Shard]:
    """The stores of the run, and the recordings in any of them."""
    described = metadata
    try:
        described = composed(updated(contents(stores)[1], metadata))
    except StoreError:  # damaged metadata are replaced by the given ones
        if not metadata:
            raise
    layers = layers_of(described)
    return [
        Shard(store, audio_files(store), metadata=metadata, described=described, layers={**layers})
        for store in stores
    ]


def worthwhile_jobs(paths: Sequence[Path], jobs: int) -> int:
    """The number of worker processes that save time."""
    PROCESSES.argument("jobs", jobs)
    size = sum(map(size_bytes, paths))
    return min(jobs, len(paths)) if size >= MIN_POOL_BYTES else 1


def _each_indexed(
    files: Sequence[Input],
    work: Callable[[Input], FileColumns | Skipped | StdError],
    workers: Executor,
    with_words: set[Recording],
) -> Iterator[FileColumns | Skipped | StdError]:
    """Index each file; pipes first, in this process, because only it can read them.

    Args:
        with_words: grows by the recordings, under the names that the files give them.
    """
    pipes = [file for file in files if not is_regular(file.path)]
    regular = [file for file in files if is_regular(file.path)]
    for one in chain(map(work, pipes), workers.map(work, regular)):
        if isinstance(one, FileColumns):
            with_words.update(one.utterances)
        yield one


def _under_given(
    results: Iterable[FileColumns | Skipped | StdError], stores: Sequence[Store]
) -> Iterator[FileColumns | Skipped | StdError]:
    """Recordings keep the names that people have given them."""
    names = given_names(stores)
    for one in results:
        if names and isinstance(one, FileColumns):
            yield under_given(one, names, len(stores))
        else:
            yield one


def _admitted(
    results: Iterable[FileColumns | Skipped | StdError],
    admission: Origins,
    guard: EncoderGuard,
    *,
    keep_going: bool,
) -> Iterator[FileColumns | Skipped | StdError]:
    """Refuse inputs with recordings of another input, which they would replace or count twice.

    Sound of another encoder than that of the index is refused, too.

    Raises:
        StdError: a file cannot be read or is refused, and ``keep_going`` is off.
    """
    for result in results:
        refused: StdError | None = None
        if isinstance(result, FileColumns):
            refused = admission.admit(result.source, result.utterances) or guard.refused(result)
        elif isinstance(result, StdError):
            refused = result
        if refused and not keep_going:
            raise refused
        yield refused or result


def _doubted_pieces(indexed: Sequence[IndexedInput], options: ReaderOptions) -> Iterator[str]:
    """Warn of many recordings of one utterance, which may be pieces of longer ones."""
    report = IndexReport(tuple(indexed))
    alone = report.utterances == len(report.recordings) >= MIN_PIECES
    if alone and options.segments is None:
        yield (
            f"{report.utterances} recordings of one utterance each; if they are pieces of "
            f"longer recordings, {SEGMENTS_HINT}"
        )


def _add(result: FileColumns, shards: Sequence[Shard]) -> None:
    """Put each part of a file into its shard's batch."""
    for number, columns in result.shards.items():
        shards[number].batch.append(columns)
        frames = len(columns.extra.get(SIGN_COLUMN, ())) // WORDS
        shards[number].postings += len(columns.posting_start_ms) + frames // FRAMES_PER_POSTING


def _commit_fullest(
    shards: Sequence[Shard], config: Config, words: set[str], pronouncer: Pronouncer | None
) -> None:
    """Commit the largest batch, so that segments are few and large."""
    fullest = max(range(len(shards)), key=lambda number: shards[number].postings)
    gathered = gathered_batch(shards[fullest])
    add = pronouncer.segments(gathered.columns) if pronouncer else [gathered.columns]
    commit(fullest, gathered, add, shards, config, words)


def _require_some(files: int, unread: Sequence[Skipped | StdError]) -> tuple[Skipped, ...]:
    """The files that were skipped; folders without recogniser output are refused."""
    skipped = tuple(one for one in unread if isinstance(one, Skipped))
    if skipped and len(skipped) == files:
        first = skipped[0]
        more = f" and {counted(files - 1, 'more such file')}" if files > 1 else ""
        raise InputError(
            first.path.parent,
            0,
            "a folder with recogniser output",
            f"{first.path.name} ({first.what}){more}",
            "name a file by itself to see what is wrong with it",
        )
    return skipped
