"""One run of `indexer.api.index_files` against open stores.

IndexRun    the inputs of a run, and its options
changed     delete, index, describe, merge: in this order, while nobody else writes
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple
from warnings import warn

from indexer.build import BuildReport, build
from indexer.describe import Described, describe, languages_in
from indexer.formats.shared.reader_options import ReaderOptions
from indexer.given_metadata import own_columns_note, whole_rows
from indexer.inputs import Input
from indexer.languages.pronounce import Pronouncer
from indexer.maintain import delete, keep_few_segments, upkeep, uses_workers
from std.config import Config
from std.display.numbers import counted
from std.errors import StoreWarning
from std.execution.workers import Executor
from std.files import size_bytes
from std.metadata.table import NO_METADATA, Metadata, updated
from std.nist.audio_names import recording_name
from std.store import Store
from std.text import as_indexed

ProgressBar = Callable[[float], AbstractContextManager[Callable[[float], None]]]


@dataclass(frozen=True, slots=True)
class IndexRun:
    """What one run of `index_files` reads, and how."""

    files: Sequence[Input]
    input_format: str
    reader_options: ReaderOptions
    pronouncer: Pronouncer
    merge: bool
    keep_going: bool
    metadata: Metadata
    sounds: Sequence[Input] = ()  # files of frames
    returning: Metadata = NO_METADATA  # of recordings that are deleted first

    @property
    def paths(self) -> list[Path]:
        return [file.path for file in (*self.files, *self.sounds)]


class Changes(NamedTuple):
    """What a run did to the stores."""

    deleted: int  # audio files
    built: BuildReport
    described: Described  # what became of metadata
    unmerged: tuple[str, ...]  # a line for each shard that was not merged


def changed(
    stores: Sequence[Store],
    workers: Executor,
    config: Config,
    run: IndexRun,
    delete: Sequence[str],
    progress: ProgressBar | None,
) -> Changes:
    """Delete, index, describe, merge: in this order.

    Args:
        stores: the shards of an index.
        workers: who reads the files, and merges.
        config: how to index.
        run: what is read.
        delete: audio files to take out first.
        progress: makes the bar of the inputs' bytes.
    """
    with writing(stores):
        note = own_columns_note(run.metadata)
        run = replace(run, metadata=whole_rows(run.metadata, stores))
        run.pronouncer.told.by_metadata.update(languages_in(stores, run.metadata))
        run = _keeping_metadata(run, stores, delete)
        deleted = _deleted(delete, stores)
        asked = config
        for store in stores:
            config = continued(config, store)
        has_inputs = run.files or run.sounds
        built = _built(stores, workers, config, run, progress) if has_inputs else BuildReport()
        if built.uncut and asked.text.unspaced != "keep":
            built.warnings.append(_uncut(built.uncut, stores[0]))
        built.warnings += note
        described = describe(stores, run.metadata, run.pronouncer)
        later = uses_workers(stores, workers)
        if not later:  # while we may write: whoever writes next waits for us
            phone_builder = run.pronouncer.phone_builder
            for store in stores:
                keep_few_segments(store, everything=run.merge, phone_builder=phone_builder)
    unmerged = _merged_by_workers(stores, workers, run.merge, run.pronouncer) if later else ()
    return Changes(deleted, built, described, unmerged)


def _built(
    stores: Sequence[Store],
    workers: Executor,
    config: Config,
    run: IndexRun,
    progress: ProgressBar | None,
) -> BuildReport:
    """Index the files of a run, with its progress bar."""
    with (progress or _no_bar)(sum(map(size_bytes, run.paths))) as advance:
        return build(
            run.files,
            stores,
            config,
            input_format=run.input_format,
            options=run.reader_options,
            workers=workers,
            keep_going=run.keep_going,
            progress=lambda path, n_bytes: advance(n_bytes),
            pronouncer=run.pronouncer,
            metadata=updated(run.returning, run.metadata),
            sounds=run.sounds,
        )


def _keeping_metadata(run: IndexRun, stores: Sequence[Store], delete: Sequence[str]) -> IndexRun:
    """The run with the metadata of recordings that it deletes, if it may index them again."""
    if not run.files or not delete:
        return run
    files = {recording_name(file) for file in delete}
    kept = NO_METADATA
    for store in stores:
        kept = updated(kept, store.metadata().of(files))
    return replace(run, returning=kept)


def _deleted(audio_files: Sequence[str], stores: Sequence[Store]) -> int:
    """Delete audio files, named as people do; return how many."""
    names = [*dict.fromkeys(map(recording_name, audio_files))]
    return delete(names, stores) if names else 0


def _merged_by_workers(
    stores: Sequence[Store], workers: Executor, merge: bool, pronouncer: Pronouncer
) -> tuple[str, ...]:
    """Merge shards by workers; return a line for each that somebody else writes to."""
    busy = upkeep(stores, workers, everything=merge, phone_builder=pronouncer.phone_builder)
    return tuple(f"{reason}; its segments were not merged, all else is done" for reason in busy)


def continued(config: Config, store: Store) -> Config:
    """The configuration with which a store is added to, with a warning if it is an older one."""
    text = as_indexed(config.text, store.normalisation())
    if text == config.text:
        return config
    if text.punctuation != config.text.punctuation:
        message = (
            f"{store.url} was made with text.punctuation = 'keep' and goes on so: foto’s and "
            "foto's differ in it until its recordings are indexed into a new store"
        )
        warn(message, StoreWarning, stacklevel=4)
    return replace(config, text=text)


def _uncut(files: Sequence[Path], store: Store) -> str:
    """What a person should know of text without spaces in an index made before it was cut."""
    more = f" and {counted(len(files) - 1, 'more file')}" if len(files) > 1 else ""
    return (
        f"text without spaces (Chinese, Japanese, Thai) in {files[0]}{more} is found by whole "
        f"words only: {store.url} was made with text.unspaced = 'keep' and goes on so; index its "
        "recordings into a new store to find it by characters"
    )


def _no_bar(total: float) -> AbstractContextManager[Callable[[float], None]]:
    return nullcontext(lambda n_bytes: None)


@contextmanager
def writing(stores: Sequence[Store]) -> Iterator[None]:
    """Hold the right to write to all stores."""
    with ExitStack() as locks:
        for store in stores:
            locks.enter_context(store.writing())
        yield
