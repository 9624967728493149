"""Index files from Python, and manage an index."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from indexer.build import worthwhile_jobs
from indexer.describe import rename
from indexer.dry_run import Preview, fit, previews
from indexer.index_report import IndexReport, Skipped
from indexer.index_run import IndexRun, ProgressBar, no_bar, run_index, writing
from indexer.inputs import Input, InputOptions, Inputs, input_files
from indexer.languages.pronounce import pronouncer_of
from indexer.origins import OtherInputError, origins
from indexer.recorded_audio import existing_folder
from indexer.shards import Stores, config_of, existing, open_stores, urls_of
from std.appended import rename_in_lines, told_path
from std.config import Config
from std.execution.cost import Stopwatch
from std.execution.processes import executor
from std.files import AnyPath, is_regular, paths_of, read
from std.metadata.read import parse as parse_metadata
from std.metadata.table import NO_METADATA, Metadata
from std.nist.ecf import parse as parse_ecf
from std.nist.ecf import speech_s
from std.store import open_store, require_different
from std.values import ECF, Recording


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
    audio: AnyPath | None = None,
    progress: ProgressBar | None = None,
    **changes: Any,
) -> IndexReport:
    """Index recogniser output, as ``std-index`` does; recordings indexed before are replaced.

    Args:
        inputs: files and folders; ``-`` is standard input.
        store: the index, created if it does not exist; several stores are its shards.
        ecf: the recordings' true durations, and languages.
        metadata: metadata of recordings, new or indexed before, or their file.
        config: a configuration, or a file such as ``configs/default.toml``.
        language: name or code (German, de); None: from metadata, ECF, input or words.
        options, changes: how inputs are read; ``changes`` are fields of `InputOptions` by name.
        jobs: worker processes on this machine.
        scheduler: address of a Dask scheduler; then ``jobs`` is not used.
        delete: audio files to delete from the index; inputs may hold their new versions. If an
            input cannot be read, those without one stay (``kept``).
        merge: merge all segments into one at the end.
        keep_going: index what can be read; the rest is in ``failures``.
        audio: the folder of all audio; the index notes each recording's file (`std.audio.facts`).
        progress: makes a progress bar of all inputs' bytes; called with those of each file.

    Raises:
        InputError: a file cannot be read, or holds a recording that another input holds, too.
        StoreError: a store cannot be written.
        ConfigError: the configuration, the language or the scheduler is invalid or missing.

    >>> report = index_files("examples/german/mesh", "memory:", language="German")
    >>> len(report.recordings), report.utterances, report.languages[0]["language"]
    (15, 290, 'de')
    """
    started, urls = Stopwatch(), urls_of(store)
    require_different(urls)
    options, config = replace(options or InputOptions(), **changes), config_of(config, language)
    root, experiment, given = existing_folder(audio), _experiment(ecf), _metadata(metadata)
    found = found_inputs(inputs, options, urls, absolute=bool(scheduler))
    reader_options, pronouncer = options.load(), pronouncer_of(config, experiment)
    asked = config, pronouncer, given, delete, merge, keep_going, progress or no_bar
    sound = found.sounds, options.learn_phones
    run = IndexRun(found.files, options.input_format, reader_options, *asked, *sound, root)
    jobs = worthwhile_jobs(run.paths, jobs)
    with open_stores(urls, create=bool(run.paths)) as stores, executor(jobs, scheduler) as workers:
        report = run_index(run, stores, workers)
    report = replace(_with_unread(report, found), **started.cost()._asdict())
    return _compared(report, experiment, reader_options.turns)


def index_with_others(
    inputs: Sequence[Path],
    urls: Sequence[str],
    *,
    options: InputOptions | None,
    delete: Sequence[str] = (),
    **settings: Any,
) -> IndexReport:
    """Index what can be read; a new input of a recording together with its inputs in the index.

    Args:
        delete: audio files that leave the index.
        settings: further arguments of `index_files`.
    """
    options = options or InputOptions()
    settings |= {"options": options, "keep_going": True}
    report = index_files(inputs, urls, delete=delete, **settings)
    refused = [one for one in report.failures if isinstance(one, OtherInputError)]
    if not refused:
        return report
    with open_stores(urls) as stores:
        held = origins(stores)
    together, joined = set[Path](), set[Path]()
    for file in {one.got for one in refused}:
        new = {Path(one.path) for one in refused if one.got == file}
        files = new | {*map(Path, held[file])}
        if fit(sorted(files), options):
            together |= files
            joined |= new
    if not together:
        return report
    more = index_files(sorted(together), urls, **settings)
    left = [one for one in report.failures if one not in refused or Path(one.path) not in joined]
    return replace(
        report,
        inputs=(*report.inputs, *more.inputs),
        failures=(*left, *more.failures),
        warnings=(*report.warnings, *more.warnings),
        lost_sound=(*report.lost_sound, *more.lost_sound),
    )


def delete_recordings(
    audio_files: Sequence[str], store: Stores, *, config: Config | AnyPath | None = None
) -> IndexReport:
    """Delete audio files from an index, as ``std-store delete`` does.

    Args:
        audio_files: their names in the index.
        store: the index.
        config: see `index_files`.

    Raises:
        InputError: the index has no such file; then nothing is deleted.
    """
    return index_files((), store, delete=audio_files, config=config)


def rename_recording(
    old: str,
    new: str,
    store: Stores,
    *,
    feedback: AnyPath | None = None,
    alerts: AnyPath | None = None,
) -> str:
    """Rename an audio file of an index, as ``std-store rename`` does.

    Its channels and metadata are renamed, too; pronunciations stay. Files of marks and of reported
    hits are changed before the index, so a killed call can be repeated.

    Args:
        old: its name in the index.
        new: its new name; a folder and an audio extension are removed.
        store: the index.
        feedback: a file of marks of ``std-serve --feedback`` (`std.marks`), which gets the new
            name.
        alerts: the list of a standing search; its file of reported hits gets the new name.

    Returns:
        The new name in the index.

    Raises:
        InputError: the index has no such file or already has the new name, a file does not exist,
            or a service writes to it.
    """
    with open_stores(store) as stores, writing(stores):
        return rename(old, new, stores, renamed_in(feedback, alerts))


def renamed_in(feedback: AnyPath | None, alerts: AnyPath | None) -> Callable[[str, str], None]:
    """A function that renames a recording in files outside the index; as `rename_recording`."""
    files = {Path(feedback): "recording"} if feedback else {}
    files |= {told_path(Path(alerts)): "file"} if alerts else {}
    return partial(rename_in_lines, files)


def merge_segments(
    store: Stores,
    *,
    config: Config | AnyPath | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
) -> IndexReport:
    """Merge all segments of each store into one for each language, as ``std-store merge`` does.

    Args:
        store: the index.
        config: see `index_files`.
        jobs: worker processes, which merge several shards at once.
        scheduler: address of a Dask scheduler; then ``jobs`` is not used.
    """
    return index_files((), store, merge=True, config=config, jobs=jobs, scheduler=scheduler)


def clean_up(store: Stores) -> Iterator[tuple[str, int]]:
    """Remove replaced segments at once; yield each store's name and the number of removed ones.

    CouchDB otherwise keeps them for ten minutes for running searches.

    Args:
        store: the index, or its shards.
    """
    urls = urls_of(store)
    require_different(urls)
    for url in urls:
        with closing(open_store(url)) as opened:
            removed = opened.clean_up()
        yield url, removed


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
        store: an index to compare with; a store that does not exist yet has no recordings.
        config, options, jobs: see `index_files`.
    """
    urls, options = urls_of(store), options or InputOptions()
    found = found_inputs(inputs, options, urls, absolute=False)
    indexed: dict[str, set[str]] = {}
    for url in existing(urls):
        with closing(open_store(url)) as opened:
            indexed |= origins([opened])
    paths = [file.path for file in found.files]
    with executor(worthwhile_jobs(paths, jobs), None) as workers:
        yield from previews(
            found.files, config_of(config), options.input_format, options.load(), indexed, workers
        )
    yield from (Preview(path, skipped="a hidden file") for path in found.hidden)
    yield from (Preview(path, skipped="a linked folder, not followed") for path in found.links)


def _experiment(path: AnyPath | None) -> ECF | None:
    return read(parse_ecf, Path(path)) if path else None


def _metadata(given: Metadata | AnyPath | None) -> Metadata:
    if isinstance(given, Metadata):
        return given
    return read(parse_metadata, Path(given)) if given else NO_METADATA


def _with_unread(report: IndexReport, found: Inputs) -> IndexReport:
    """A report with what is in the folders and is not read."""
    hidden = (Skipped(path, "a hidden file") for path in found.hidden)
    skipped, warnings = (*report.skipped, *hidden), (*report.warnings, *found.warnings())
    return replace(report, skipped=skipped, warnings=warnings)


def _compared(
    report: IndexReport, experiment: ECF | None, diarised: Collection[Recording] | None
) -> IndexReport:
    """A report with the durations of the ECF and the recordings that ECF and diarisation lack."""
    recordings = set(report.recordings)
    if diarised is not None:
        report = replace(report, without_turns=tuple(sorted(recordings.difference(diarised))))
    if experiment is None:
        return report
    excerpts = experiment.excerpts
    return replace(
        report,
        ecf_speech_s=speech_s(one for one in excerpts if one.recording in recordings),
        not_in_ecf=tuple(sorted(recordings - {one.recording for one in excerpts})),
    )


def found_inputs(
    inputs: AnyPath | Sequence[AnyPath],
    options: InputOptions,
    urls: Sequence[str],
    *,
    absolute: bool,
) -> Inputs:
    """Find the files to index; ``absolute``: with absolute paths, for workers in other folders."""
    found = input_files(paths_of(inputs), options.name_by, urls)
    return replace(found, files=tuple(map(_absolute, found.files))) if absolute else found


def _absolute(file: Input) -> Input:
    """An input with an absolute path, for workers in other folders."""
    return replace(file, path=file.path.absolute()) if is_regular(file.path) else file
