"""Indexing from Python: what std-index does, as functions that return values.

    index_files          recogniser output -> an index; may also delete and merge
    delete_recordings    take audio files out of an index
    merge_segments       merge the segments of an index into as few as possible
    verify_index         read everything, name what is damaged
    clean_up             remove replaced segments at once
    list_recordings      what an index holds
    preview_files        what indexing files would bring, without an index
    watch_folder         index what appears in a folder

A store is a folder, ``memory:`` or ``couchdb://host/database``; an index is one store or several,
its shards.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any
from warnings import warn

from indexer.build import BuildReport, IndexedInput, build, worthwhile_jobs
from indexer.describe import Described, describe, languages_in
from indexer.dry_run import Preview, dry_run
from indexer.file_columns import Skipped
from indexer.formats.reader_options import ReaderOptions
from indexer.input_options import InputOptions
from indexer.inputs import Input, Inputs, input_files
from indexer.languages.precedence import Told
from indexer.languages.pronounce import Pronouncer
from indexer.languages.report import (
    doubts,
    found_languages,
    indexed_languages,
    pronounced_wrongly,
)
from indexer.listing import ListedRecording
from indexer.listing import list_recordings as listed
from indexer.maintain import delete, keep_few_segments, upkeep, uses_workers
from indexer.origins import origins
from indexer.segments.phone_columns import PhoneColumnBuilder
from indexer.watch import POLL_S, SETTLE_S, Folder, Outcome, outcomes, watch
from std.config import Config, load_config
from std.ecf_filter import speech_s
from std.errors import InputError, StdError, StoreWarning
from std.execution.processes import executor
from std.execution.workers import Executor
from std.files import is_regular, read, size_bytes
from std.metadata.read import parse as parse_metadata
from std.metadata.table import NO_METADATA, Metadata, updated
from std.nist.audio_names import recording_name
from std.nist.ecf import parse as parse_ecf
from std.phonetics.g2p import converter
from std.store import Store, open_store, require_different
from std.text import as_indexed
from std.values import ECF, Recording

AnyPath = str | PathLike[str]
Stores = AnyPath | Sequence[AnyPath]
Language = Mapping[str, Any]  # language, pronouncer, recordings, told_by
ProgressBar = Callable[[float], AbstractContextManager[Callable[[float], None]]]


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one run of `index_files` did."""

    recordings: tuple[Recording, ...]  # indexed in this run, in order
    inputs: tuple[IndexedInput, ...]  # that were indexed, and the utterances of each recording
    utterances: int
    slots: int
    postings: int
    words: int  # different ones
    speech_s: float  # by the ECF where there is one, else by the utterances
    seconds: float  # that reading and indexing took
    languages: tuple[Language, ...]  # the most frequent first
    deleted: int  # audio files
    nonwords: Mapping[str, int]  # noises that were dropped, the most frequent first
    tiers: Mapping[str, int]  # of annotations: how many files had each tier that was read
    tiers_left_out: Mapping[str, int]  # and each that was not
    estimated: tuple[Recording, ...]  # recordings with estimated times of words, in order
    skipped: tuple[Skipped, ...]  # files of folders that are no recogniser output
    wordless: tuple[Path, ...]  # inputs that hold no word
    not_in_ecf: tuple[Recording, ...]
    warnings: tuple[str, ...]
    language_warnings: tuple[str, ...]  # recordings whose language is in doubt
    unmerged: tuple[str, ...]  # shards whose segments somebody else's writing kept from merging
    failures: tuple[StdError, ...]  # with ``keep_going``: what could not be read
    described: Described  # what became of the metadata that were given


@dataclass(frozen=True, slots=True)
class IndexCheck:
    """What `verify_index` found in one store."""

    store: str
    damage: tuple[str, ...]  # one line each; with damage the rest is empty
    segments: int = 0
    inputs: Mapping[str, Sequence[str]] | None = None  # of each audio file
    languages: tuple[Language, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Run:
    """What one run of `index_files` reads, and how."""

    files: Sequence[Input]
    input_format: str
    reader_options: ReaderOptions
    pronouncer: Pronouncer
    merge: bool
    keep_going: bool
    metadata: Metadata
    returning: Metadata = NO_METADATA  # of recordings that are deleted first

    @property
    def paths(self) -> list[Path]:
        return [file.path for file in self.files]


def index_files(
    inputs: AnyPath | Sequence[AnyPath],
    store: Stores,
    *,
    ecf: AnyPath | None = None,
    metadata: Metadata | AnyPath | None = None,
    config: Config | AnyPath | None = None,
    language: str | None = None,
    options: InputOptions | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
    delete: Sequence[str] = (),
    merge: bool = False,
    keep_going: bool = False,
    progress: ProgressBar | None = None,
    **changes: Any,
) -> IndexReport:
    """Index recogniser output, as ``std-index`` does; recordings indexed before are replaced.

    Args:
        inputs: files and folders; ``-`` is standard input.
        store: the index, made if it is not there; several stores are its shards.
        ecf: the recordings' true durations, and languages.
        metadata: of recordings, also of those indexed before, or their file (`std.metadata.read`).
        config: a configuration, or a file such as ``configs/default.toml``.
        language: of all recordings (German, de); None: by metadata, ECF, input or their words.
        options, changes: how inputs are read; ``changes`` are fields of `InputOptions` by name.
        jobs: worker processes on this machine.
        scheduler: address of a Dask scheduler; then ``jobs`` is not used.
        delete: audio files to take out of the index first.
        merge: merge all segments into one at the end.
        keep_going: index what can be read; the rest is in ``failures``.
        progress: makes a progress bar of all inputs' bytes; called with those of each file.

    Raises:
        InputError: a file cannot be read, or holds a recording that another input holds, too.
        StoreError: a store cannot be written.
        ConfigError: the configuration, the language or the scheduler is not there.

    >>> report = index_files("examples/german/mesh", "memory:", language="German")
    >>> len(report.recordings), report.utterances, report.languages[0]["language"]
    (15, 290, 'de')
    """
    urls = _urls(store)
    options = replace(options or InputOptions(), **changes)
    require_different(urls)
    config = _config(config, language)
    experiment, given = _experiment(ecf), _metadata(metadata)
    found = _found(inputs, options, urls, absolute=bool(scheduler))
    reader_options = options.load()
    pronouncer = pronouncer_of(config, experiment)
    reading = options.input_format, reader_options
    run = _Run(found.files, *reading, pronouncer, merge, keep_going, given)
    with _opened(urls, run.paths, jobs, scheduler) as (stores, workers):
        deleted, built, described, unmerged = _changed(
            stores, workers, config, run, delete, progress
        )
    built.skipped += [Skipped(path, "a hidden file") for path in found.hidden]
    return _report(built, pronouncer, experiment, deleted, described, unmerged)


def delete_recordings(audio_files: Sequence[str], store: Stores) -> IndexReport:
    """Take audio files out of an index.

    Args:
        audio_files: their names, as the index has them.
        store: the index.

    Raises:
        InputError: the index has no such file; then nothing is deleted.
    """
    return index_files((), store, delete=audio_files)


def merge_segments(store: Stores, *, jobs: int = 1) -> IndexReport:
    """Merge all segments of each store into one for each language.

    Args:
        store: the index.
        jobs: worker processes, which merge several shards at once.
    """
    return index_files((), store, merge=True, jobs=jobs)


def clean_up(store: Stores) -> Iterator[tuple[str, int]]:
    """Remove replaced segments at once; yield each store's name and how many were removed.

    CouchDB otherwise keeps them for ten minutes, for searches that still read them.
    """
    urls = _urls(store)
    require_different(urls)
    for url in urls:
        with closing(open_store(url)) as opened:
            removed = opened.clean_up()
        yield url, removed


def verify_index(store: Stores) -> Iterator[IndexCheck]:
    """Read all of an index; yield what is damaged in each store, and what it holds."""
    urls = _urls(store)
    require_different(urls)
    for url in urls:
        with closing(open_store(url)) as opened:
            damage = tuple(opened.damage())
            if damage:
                yield IndexCheck(url, damage)
                continue
            segments = opened.segments()
            yield IndexCheck(
                store=url,
                damage=(),
                segments=len(segments),
                inputs={file: sorted(of) for file, of in sorted(origins([opened]).items())},
                languages=tuple(indexed_languages(segments)),
                warnings=tuple(pronounced_wrongly(segments)),
            )


def list_recordings(
    store: Stores, *, where: str | None = None, recordings: Sequence[str] = ()
) -> list[ListedRecording]:
    """What an index holds, a value for each recording, ascending.

    Args:
        store: the index.
        where: conditions on their metadata, as ``date >= 2024-01`` (`std.metadata.where`).
        recordings: patterns of names; none: all.

    Raises:
        StdError: ``where`` is no condition, or a pattern fits no recording.
    """
    urls = _urls(store)
    require_different(urls)
    with ExitStack() as opened:
        stores = [opened.enter_context(closing(open_store(url))) for url in urls]
        return listed(stores, where, recordings)


def preview_files(
    inputs: AnyPath | Sequence[AnyPath],
    store: Stores = (),
    *,
    config: Config | AnyPath | None = None,
    options: InputOptions | None = None,
    jobs: int = 1,
) -> Iterator[Preview]:
    """Read recogniser output as `index_files` would, and write nothing.

    Args:
        inputs: files and folders; ``-`` is standard input.
        store: an index, if its recordings are to be compared.
        config, options, jobs: see `index_files`.
    """
    urls, options = _urls(store), options or InputOptions()
    found = _found(inputs, options, urls, absolute=False)
    indexed: dict[str, set[str]] = {}
    for url in urls:
        with closing(open_store(url)) as opened:
            indexed |= origins([opened])
    paths = [file.path for file in found.files]
    with executor(worthwhile_jobs(paths, jobs), None) as workers:
        yield from dry_run(
            found.files,
            _config(config, None),
            options.input_format,
            options.load(),
            indexed,
            workers,
        )
    yield from (Preview(path, skipped="a hidden file") for path in found.hidden)


def watch_folder(
    folder: AnyPath,
    store: Stores,
    *,
    tell: Callable[[str], None],
    stopped: Callable[[float], bool],
    options: InputOptions | None = None,
    poll_s: float = POLL_S,
    settle_s: float = SETTLE_S,
    **settings: Any,
) -> int:
    """Index what appears in a folder until told to stop (`indexer.watch`).

    Args:
        folder: with the files of folders below it.
        store: the index, made if it is not there.
        tell: takes one line for each file.
        stopped: waits so many seconds, or less; returns whether to stop.
        options: how inputs are read.
        poll_s: time between two looks at the folder.
        settle_s: how long a file does not change before it is read.
        settings: of `index_files`: ``metadata``, ``ecf``, ``config``, ``language``, ``jobs``, ...

    Returns:
        How many files were indexed.

    Raises:
        StdError: the folder is not there, or an option is not what it should be.
    """
    urls, root = _urls(store), Path(folder)
    require_different(urls)
    if not root.is_dir():
        raise InputError(root, 0, "a folder to watch", "nothing of that name")
    known: set[str] = set()
    for url in urls:
        with closing(open_store(url, create=True)) as opened:
            known = known.union(*origins([opened]).values())

    def index(batch: Sequence[Path]) -> Iterator[Outcome]:
        report = index_files(batch, urls, options=options, keep_going=True, **settings)
        for line in (*report.warnings, *report.language_warnings, *report.unmerged):
            tell(f"warning: {line}")
        return outcomes(batch, report.inputs, report.failures, report.wordless)

    return watch(
        Folder(root, frozenset(urls)), index, known, tell, stopped, poll_s=poll_s, settle_s=settle_s
    )


def pronouncer_of(config: Config, experiment: ECF | None) -> Pronouncer:
    """Who tells the recordings' languages and pronounces their words.

    Raises:
        ConfigError: the language that the user names has no converter.
    """
    language = config.pronunciation.language
    phone_builder = PhoneColumnBuilder(config)
    if language != "auto" and phone_builder.wanted:
        converter(language)  # a misspelt name is refused before any work
    by_ecf = {}
    if experiment:
        by_ecf = {one.recording: one.language or experiment.language for one in experiment.excerpts}
    return Pronouncer(phone_builder, Told("" if language == "auto" else language, by_ecf))


def continued(config: Config, store: Store) -> Config:
    """The configuration with which a store is added to, with a warning if it is an older one."""
    text = as_indexed(config.text, store.normalisation())
    if text == config.text:
        return config
    message = (
        f"{store.url} was made with text.punctuation = 'keep' and goes on so: "
        "foto’s and foto's differ in it until its recordings are indexed into a new store"
    )
    warn(message, StoreWarning, stacklevel=4)
    return replace(config, text=text)


def _urls(store: Stores) -> list[str]:
    stores = [store] if isinstance(store, str | PathLike) else store
    return [str(one) for one in stores]


def _config(config: Config | AnyPath | None, language: str | None) -> Config:
    if not isinstance(config, Config):
        config = load_config(Path(config) if config else None)
    if language:
        config = replace(config, pronunciation=replace(config.pronunciation, language=language))
    return config


def _experiment(path: AnyPath | None) -> ECF | None:
    return read(parse_ecf, Path(path)) if path else None


def _metadata(given: Metadata | AnyPath | None) -> Metadata:
    if isinstance(given, Metadata):
        return given
    return read(parse_metadata, Path(given)) if given else NO_METADATA


def _found(
    inputs: AnyPath | Sequence[AnyPath],
    options: InputOptions,
    urls: Sequence[str],
    *,
    absolute: bool,
) -> Inputs:
    """Look for the files to index; ``absolute``: as workers in any folder find them."""
    given = [inputs] if isinstance(inputs, str | PathLike) else inputs
    found = input_files([Path(path) for path in given], options.name_by, urls)
    return replace(found, files=tuple(map(_absolute, found.files))) if absolute else found


def _absolute(file: Input) -> Input:
    """An input as workers find it, whichever folder they are in."""
    return replace(file, path=file.path.absolute()) if is_regular(file.path) else file


def _no_bar(total: float) -> AbstractContextManager[Callable[[float], None]]:
    return nullcontext(lambda n_bytes: None)


@contextmanager
def _writing(stores: Sequence[Store]) -> Iterator[None]:
    """Hold the right to write to all stores."""
    with ExitStack() as locks:
        for store in stores:
            locks.enter_context(store.writing())
        yield


@contextmanager
def _opened(
    urls: Sequence[str], paths: Sequence[Path], jobs: int, scheduler: str | None
) -> Iterator[tuple[list[Store], Executor]]:
    """Open the stores, made where there is something to index, and start the workers."""
    with ExitStack() as opened:
        create = bool(paths)
        stores = [opened.enter_context(closing(open_store(url, create=create))) for url in urls]
        workers = opened.enter_context(executor(worthwhile_jobs(paths, jobs), scheduler))
        yield stores, workers


def _changed(
    stores: Sequence[Store],
    workers: Executor,
    config: Config,
    run: _Run,
    delete: Sequence[str],
    progress: ProgressBar | None,
) -> tuple[int, BuildReport, Described, tuple[str, ...]]:
    """Delete, index, describe, merge: in this order.

    Returns:
        How many audio files were deleted, what was indexed, what became of metadata, and a line for
        each shard that was not merged.
    """
    with _writing(stores):
        run.pronouncer.told.by_metadata.update(languages_in(stores, run.metadata))
        run = _keeping_metadata(run, stores, delete)
        deleted, failures = _deleted(delete, stores, may_fail=run.merge and not run.files)
        for one in stores:
            config = continued(config, one)
        built = _built(stores, workers, config, run, progress) if run.files else BuildReport()
        described = describe(stores, run.metadata, run.pronouncer)
        later = uses_workers(stores, workers)
        if not later:  # while we may write: whoever writes next waits for us
            phone_builder = run.pronouncer.phone_builder
            for one in stores:
                keep_few_segments(one, everything=run.merge, phone_builder=phone_builder)
    unmerged = _merged_by_workers(stores, workers, run.merge, run.pronouncer) if later else ()
    built.failures[:0] = failures
    return deleted, built, described, unmerged


def _built(
    stores: Sequence[Store],
    workers: Executor,
    config: Config,
    run: _Run,
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
        )


def _keeping_metadata(run: _Run, stores: Sequence[Store], delete: Sequence[str]) -> _Run:
    """The run with the metadata of recordings that it deletes, if it may index them again."""
    if not run.files or not delete:
        return run
    files = {recording_name(file) for file in delete}
    kept = NO_METADATA
    for store in stores:
        kept = updated(kept, store.metadata().of(files))
    return replace(run, returning=kept)


def _deleted(
    audio_files: Sequence[str], stores: Sequence[Store], *, may_fail: bool
) -> tuple[int, list[StdError]]:
    """Delete audio files; return how many, and the error if there may be one."""
    if not audio_files:
        return 0, []
    try:
        return delete([*dict.fromkeys(map(recording_name, audio_files))], stores), []
    except InputError as error:  # deleted by a run that was killed before it merged?
        if not may_fail:
            raise
        return 0, [error]


def _merged_by_workers(
    stores: Sequence[Store], workers: Executor, merge: bool, pronouncer: Pronouncer
) -> tuple[str, ...]:
    """Merge shards by workers; return a line for each that somebody else writes to."""
    busy = upkeep(stores, workers, everything=merge, phone_builder=pronouncer.phone_builder)
    return tuple(f"{one}; its segments were not merged, all else is done" for one in busy)


def _report(
    built: BuildReport,
    pronouncer: Pronouncer,
    experiment: ECF | None,
    deleted: int,
    described: Described,
    unmerged: Sequence[str],
) -> IndexReport:
    audio_s, not_in_ecf = built.speech_s, []
    if experiment:
        excerpts = experiment.excerpts
        audio_s = speech_s(one for one in excerpts if one.recording in built.recordings)
        not_in_ecf = sorted(built.recordings - {one.recording for one in excerpts})
    return IndexReport(
        recordings=tuple(sorted(built.recordings)),
        inputs=tuple(built.inputs),
        utterances=built.utterances,
        slots=built.slots,
        postings=built.postings,
        words=len(built.words),
        speech_s=audio_s,
        seconds=built.seconds,
        languages=tuple(found_languages(pronouncer)),
        deleted=deleted,
        nonwords=dict(built.nonwords.most_common()),
        tiers=dict(built.tiers.read.most_common()),
        tiers_left_out=dict(built.tiers.left_out.most_common()),
        estimated=tuple(sorted(built.estimated)),
        skipped=tuple(built.skipped),
        wordless=tuple(built.wordless),
        not_in_ecf=tuple(not_in_ecf),
        warnings=tuple(built.warnings),
        language_warnings=tuple(doubts(pronouncer)),
        unmerged=tuple(unmerged),
        failures=tuple(built.failures),
        described=described,
    )
