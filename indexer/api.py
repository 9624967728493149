"""Indexing from Python: what std-index and std-store do, as functions that return values.

    index_files          recogniser output -> an index; may also delete and merge
    delete_recordings    take audio files out of an index
    rename_recording     another name for an audio file
    correct_recording    what a person says was said in a recording
    correct_by_table     the same by a table
    rewrite_transcript   a person's own file with the corrections
    undo_corrections     what the recogniser wrote, again
    list_corrections     what was corrected
    merge_segments       merge the segments of an index into as few as possible
    verify_index         read everything, name what is damaged
    clean_up             remove replaced segments at once
    list_recordings      what an index holds, recording by recording
    describe_index       the same as a whole
    export_index         an index -> networks that can be indexed again
    export_transcripts   an index -> captions, texts or JSON of its recordings
    preview_files        what indexing files would bring, without an index
    sync_folder          what is new, changed or gone in a folder -> the same in an index
    relink_inputs        where inputs are now
    watch_folder         index what appears in a folder

A store is a folder, ``memory:`` or ``couchdb://host/database``; an index is one store or several,
its shards.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from indexer.build import worthwhile_jobs
from indexer.contents import IndexDescription, ListedRecording
from indexer.contents import describe_index as described
from indexer.contents import list_recordings as listed
from indexer.correct import (
    RecordingCorrection,
    at_time,
    by_table,
    by_transcript,
    correct,
    rewritten_file,
    stored_name,
    take_back,
)
from indexer.correct import listed as corrections_in
from indexer.corrections.table import by_file, read_corrections
from indexer.corrections.transcript import read_words
from indexer.describe import rename
from indexer.dry_run import Preview
from indexer.dry_run import dry_run as dry_run_of
from indexer.export import ExportReport, export
from indexer.index_report import IndexReport, Language, Skipped
from indexer.index_run import IndexRun, ProgressBar, no_bar, run_index, writing
from indexer.inputs import Input, InputOptions, Inputs, input_files
from indexer.languages.pronounce import pronouncer_of
from indexer.languages.report import (
    indexed_languages,
    pronounced_wrongly,
)
from indexer.origins import origins
from indexer.recorded_audio import existing_folder
from indexer.segments.phone_columns import PhoneColumnBuilder
from indexer.sound_clock import clock_doubts
from indexer.sync import (
    Changes,
    RelinkReport,
    changes_in,
    found_below,
    input_digest,
    move,
    note_digests,
    relink,
)
from indexer.watch import POLL_S, SETTLE_S, FileOutcome, Folder, WatchedMetadata, outcomes, watch
from indexer.written_transcripts import TranscriptForm, write_transcripts
from std.appended import rename_in_lines, told_path
from std.config import Config, load_config
from std.display.numbers import counted
from std.distinct import require_outside
from std.ecf_filter import speech_s
from std.errors import ForeignFileError, InputError
from std.execution.cost import Stopwatch
from std.execution.processes import executor
from std.execution.workers import IN_PROCESS, Executor
from std.files import content_of, is_regular, open_input, read
from std.metadata.read import parse as parse_metadata
from std.metadata.table import NO_METADATA, Metadata
from std.nist.ecf import parse as parse_ecf
from std.outputs import open_output
from std.sound.files import SUFFIX
from std.store import Store, open_store, require_different
from std.store.address import kind_of
from std.text import Normalisation
from std.values import ECF, Recording

AnyPath = str | PathLike[str]
Stores = AnyPath | Sequence[AnyPath]


@dataclass(frozen=True, slots=True)
class IndexCheck:
    """What `verify_index` found in one store."""

    store: str
    damage: tuple[str, ...]  # one line each; with damage the rest is empty
    segments: int = 0
    inputs: Mapping[str, Sequence[str]] | None = None  # of each audio file
    languages: tuple[Language, ...] = ()
    warnings: tuple[str, ...] = ()


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
        audio: the folder of all audio: recordings keep which file is theirs (`std.audio.facts`).
        progress: makes a progress bar of all inputs' bytes; called with those of each file.

    Raises:
        InputError: a file cannot be read, or holds a recording that another input holds, too.
        StoreError: a store cannot be written.
        ConfigError: the configuration, the language or the scheduler is not there.

    >>> report = index_files("examples/german/mesh", "memory:", language="German")
    >>> len(report.recordings), report.utterances, report.languages[0]["language"]
    (15, 290, 'de')
    """
    started, urls = Stopwatch(), _urls(store)
    options = replace(options or InputOptions(), **changes)
    require_different(urls)
    config, root = _config(config, language), existing_folder(audio)
    experiment, given = _experiment(ecf), _metadata(metadata)
    found = _found(inputs, options, urls, absolute=bool(scheduler))
    reader_options, pronouncer = options.load(), pronouncer_of(config, experiment)
    asked = config, pronouncer, given, delete, merge, keep_going, progress or no_bar
    sound = found.sounds, options.learn_phones
    run = IndexRun(found.files, options.input_format, reader_options, *asked, *sound, root)
    with _opened(urls, run.paths, jobs, scheduler) as (stores, workers):
        report = run_index(run, stores, workers)
    hidden = (Skipped(path, "a hidden file") for path in found.hidden)
    report = replace(report, skipped=(*report.skipped, *hidden), **started.cost()._asdict())
    return _compared(report, experiment, reader_options.turns)


def delete_recordings(
    audio_files: Sequence[str], store: Stores, *, config: Config | AnyPath | None = None
) -> IndexReport:
    """Take audio files out of an index, as ``std-store delete`` does.

    Args:
        audio_files: their names, as the index has them.
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
    """Give an audio file of an index another name, as ``std-store rename`` does.

    Its channels and metadata go with it; words stay as they were pronounced. Files of marks and of
    hits that were told are renamed in before the index: if the process is killed, call it again.

    Args:
        old: its name, as the index has it.
        new: its name from now on; a folder and an audio extension are left off.
        store: the index.
        feedback: marks of ``std-serve --feedback`` (`std.marks`), in which it gets its new name.
        alerts: a list of terms that is searched again and again; what was told of it, beside it,
            gets the new name.

    Returns:
        The new name as the index has it.

    Raises:
        InputError: the index has no such file, or has the new name already; a file is not there,
            or a service writes to it.
    """
    files = {Path(feedback): "recording"} if feedback else {}
    files |= {told_path(Path(alerts)): "file"} if alerts else {}
    with _read(store) as stores, writing(stores):
        return rename(old, new, stores, partial(rename_in_lines, files))


Time = float | tuple[float, float]  # s; or from when to when


def correct_recording(
    recording: str,
    store: Stores,
    *,
    words: str | None = None,
    at_s: Time | None = None,
    transcript: AnyPath | None = None,
    channel: int = 1,
    dry_run: bool = False,
    config: Config | AnyPath | None = None,
) -> list[RecordingCorrection]:
    """Correct what a recording says, as ``std-store correct`` does.

    The corrected words are certain: their posterior is 1. Corrections stay when the recording is
    indexed again, and can be taken back (`undo_corrections`).

    Args:
        recording: its name.
        store: the index.
        words: what was said at ``at_s``, in place of the words that sound most like it; empty:
            nothing was said.
        at_s: a time in it; or from when to when.
        transcript: a file with what was said in all of it, of any format that `index_files` reads,
            or a text: where it differs from the index, it is right.
        channel: of the audio file.
        dry_run: write nothing.
        config: see `index_files`.

    Returns:
        the corrections, with what they replace.

    Raises:
        InputError: the index has no such recording, or the transcript is of another one.
        ValueError: neither words with a time nor a transcript, or both.
    """
    if (transcript is None) == (words is None or at_s is None):
        raise ValueError("expected words and at_s, or a transcript")
    phone_builder = PhoneColumnBuilder(_config(config, None))
    with _read(store) as stores, writing(stores):
        file = stored_name(recording, stores)
        one, text = Recording(file, channel), _text(stores)
        if transcript is not None:
            path = Path(transcript)
            found = by_transcript(one, read_words(path, one, text), path, stores)
        else:
            said = text.phrase(words) if words else ()
            found = at_time(one, said, _span_ms(at_s or 0.0), stores, phone_builder)
            found = [some._replace(written=words or "") for some in found]
        layer = correct(file, found, stores, phone_builder, dry_run=dry_run)
    return [RecordingCorrection(one, correction) for correction in layer]


def correct_by_table(
    table: AnyPath,
    store: Stores,
    *,
    dry_run: bool = False,
    config: Config | AnyPath | None = None,
) -> list[RecordingCorrection]:
    """Make the corrections of a table, as ``std-store correct --table`` does.

    ``std-search --corrections`` writes such a table of names of a list that the recogniser wrote
    otherwise; rows that a person marks with no are left out.

    Args:
        table: CSV or a workbook (`indexer.corrections.table`).
        store: the index.
        dry_run: write nothing.
        config: see `index_files`.

    Returns:
        the corrections, with what they replace.

    Raises:
        InputError: it is no such table, or what a row replaces is not in the index; then nothing
            is corrected.
    """
    path, phone_builder = Path(table), PhoneColumnBuilder(_config(config, None))
    with open_input(path) as stream:
        rows = by_file(read_corrections(content_of(stream, path), path))
    done = []
    with _read(store) as stores, writing(stores):
        text = _text(stores)
        found = {file: stored_name(file, stores) for file in rows}
        given = {
            name: by_table(name, rows[file], path, text, stores) for file, name in found.items()
        }
        for file, some in given.items():
            layer = correct(file, some, stores, phone_builder, dry_run=dry_run)
            done += [RecordingCorrection(Recording(file, one.channel), one) for one in layer]
    return done


class RewriteReport(NamedTuple):
    """What was written of a recording's corrections into a transcript."""

    made: tuple[RecordingCorrection, ...]
    not_found: tuple[RecordingCorrection, ...]  # what they replace is not in the file


def rewrite_transcript(
    transcript: AnyPath, recording: str, store: Stores, output: AnyPath, *, channel: int = 1
) -> RewriteReport:
    """Write a transcript of a recording again, with its corrections and nothing else changed.

    Args:
        transcript: captions, a text, a service's JSON, a Word document: what was indexed.
        recording: its name in the index.
        store: the index.
        output: the file to write; it may be the same.
        channel: of the audio file.

    Raises:
        InputError: a file cannot be read or written, or the index has no such recording.
    """
    path = Path(transcript)
    require_outside(Path(output), _urls(store))
    with open_input(path) as stream:
        content = content_of(stream, path)
    with _read(store) as stores:
        one = Recording(stored_name(recording, stores), channel)
        new, layer, done = rewritten_file(content, one, _text(stores), stores)
    with open_output(Path(output)) as sink:
        sink.write(new)
    made = [RecordingCorrection(one, c) for c, n in zip(layer, done, strict=True) if n]
    missing = [RecordingCorrection(one, c) for c, n in zip(layer, done, strict=True) if not n]
    return RewriteReport(tuple(made), tuple(missing))


def undo_corrections(
    recording: str,
    store: Stores,
    *,
    at_s: Time | None = None,
    dry_run: bool = False,
    config: Config | AnyPath | None = None,
) -> list[RecordingCorrection]:
    """Take corrections of a recording back, as ``std-store correct --undo`` does.

    Args:
        recording: its name; of all its channels.
        store: the index.
        at_s: a time in a correction, or from when to when; None: all of them.
        dry_run: write nothing.
        config: see `index_files`.

    Returns:
        those that were taken back.

    Raises:
        InputError: the index has no such recording, or no such correction of it.
    """
    phone_builder = PhoneColumnBuilder(_config(config, None))
    span_ms = None if at_s is None else _span_ms(at_s)
    with _read(store) as stores, writing(stores):
        file = stored_name(recording, stores)
        layer = take_back(file, span_ms, stores, phone_builder, dry_run=dry_run)
    return [RecordingCorrection(Recording(file, one.channel), one) for one in layer]


def list_corrections(store: Stores, *, recordings: Sequence[str] = ()) -> list[RecordingCorrection]:
    """What people have corrected in an index, by recording and time.

    Args:
        store: the index.
        recordings: their names; none: all.

    Raises:
        InputError: the index has no such recording.
    """
    with _read(store) as stores:
        return corrections_in(stores, [stored_name(one, stores) for one in recordings])


def _text(stores: Sequence[Store]) -> Normalisation:
    """How an index writes words."""
    found = (store.normalisation() for store in stores)
    return next((one for one in found if one is not None), Normalisation())


def _span_ms(at_s: Time) -> tuple[int, int | None]:
    if isinstance(at_s, tuple):
        return round(1000 * at_s[0]), round(1000 * at_s[1])
    return round(1000 * at_s), None


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
    """Remove replaced segments at once; yield each store's name and how many were removed.

    CouchDB otherwise keeps them for ten minutes, for searches that still read them.

    Args:
        store: the index, or its shards.
    """
    urls = _urls(store)
    require_different(urls)
    for url in urls:
        with closing(open_store(url)) as opened:
            removed = opened.clean_up()
        yield url, removed


def verify_index(store: Stores) -> Iterator[IndexCheck]:
    """Read all of an index; yield the damage of each store, or its contents.

    Args:
        store: the index, or its shards.
    """
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
                warnings=(*pronounced_wrongly(segments), *clock_doubts(segments)),
            )


def describe_index(store: Stores) -> IndexDescription:
    """What an index holds as a whole, as ``std-store show`` prints it.

    Args:
        store: the index.
    """
    with _read(store) as stores:
        return described(stores)


def list_recordings(
    store: Stores, *, where: str | None = None, recordings: Sequence[str] = ()
) -> list[ListedRecording]:
    """What an index holds, a value for each recording, ascending.

    Args:
        store: the index.
        where: conditions on their metadata, as ``date >= 2024-01`` (`std.query`).
        recordings: patterns of names; none: all.

    Raises:
        StdError: ``where`` is no condition, or a pattern fits no recording.
    """
    with _read(store) as stores:
        return listed(stores, where, recordings)


def export_index(
    store: Stores,
    networks: AnyPath,
    *,
    metadata: AnyPath | None = None,
    where: str | None = None,
    recordings: Sequence[str] = (),
) -> ExportReport:
    """Write what an index holds as networks that `index_files` reads, as ``std-store export`` does.

    Args:
        store: the index.
        networks: the file of the networks, our JSON lines; ``-`` is standard output.
        metadata: the file of the metadata, CSV; None: nowhere.
        where: conditions on the recordings' metadata (`std.query`).
        recordings: patterns of names; none: all.

    Raises:
        StdError: ``where`` is no condition, a pattern fits no recording, the index is damaged, or
            a file cannot be written or would lie in the index.
    """
    table = Path(metadata) if metadata else None
    for output in (Path(networks), table):
        if output is not None:
            require_outside(output, _urls(store))
    with _read(store) as stores:
        return export(stores, Path(networks), metadata_path=table, where=where, patterns=recordings)


def export_transcripts(
    store: Stores,
    folder: AnyPath,
    *,
    form: TranscriptForm = "vtt",
    where: str | None = None,
    recordings: Sequence[str] = (),
) -> list[Path]:
    """Write the likeliest words of each recording, as ``std-store transcripts`` does.

    Args:
        store: the index.
        folder: where the files go, which are called as the recordings.
        form: ``vtt``, ``srt``, ``txt`` or ``json``.
        where: conditions on the recordings' metadata (`std.metadata.where`).
        recordings: patterns of names; none: all.

    Returns:
        the files.

    Raises:
        StdError: ``where`` is no condition, a pattern fits no recording, or a file cannot be
            written or would lie in the index.
    """
    require_outside(Path(folder), _urls(store))
    with _read(store) as stores:
        return write_transcripts(stores, Path(folder), form, where=where, patterns=recordings)


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
        store: an index, if its recordings are to be compared; a folder that is still to be made
            has none.
        config, options, jobs: see `index_files`.
    """
    urls, options = _urls(store), options or InputOptions()
    found = _found(inputs, options, urls, absolute=False)
    indexed: dict[str, set[str]] = {}
    for url in _made(urls):
        with closing(open_store(url)) as opened:
            indexed |= origins([opened])
    paths = [file.path for file in found.files]
    with executor(worthwhile_jobs(paths, jobs), None) as workers:
        yield from dry_run_of(
            found.files,
            _config(config, None),
            options.input_format,
            options.load(),
            indexed,
            workers,
        )
    yield from (Preview(path, skipped="a hidden file") for path in found.hidden)


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What differs between a folder and an index, and what was indexed of it."""

    changes: Changes
    report: IndexReport = field(default_factory=IndexReport)


def sync_folder(
    folder: AnyPath,
    store: Stores,
    *,
    dry_run: bool = False,
    allow_gone: bool = False,
    options: InputOptions | None = None,
    **settings: Any,
) -> SyncReport:
    """Make an index hold what a folder holds, as ``std-store sync`` does.

    Inputs that are new or changed are indexed, recordings whose inputs are gone are deleted, those
    whose inputs were moved stay, with marks and metadata. Recordings of other folders stay as they
    are. Files that are no recogniser output are passed over.

    Args:
        folder: with the files of folders below it.
        store: the index, made if it is not there.
        dry_run: compare only, write nothing.
        allow_gone: also delete more than half of the recordings from this folder.
        options: how inputs are read.
        settings: of `index_files`: ``metadata``, ``config``, ``language``, ``jobs``, ...

    Raises:
        StdError: the folder is not there or has no files, or most recordings are gone.
    """
    urls, root, options = _urls(store), Path(folder), options or InputOptions()
    if not root.is_dir():
        raise InputError(root, 0, "a folder with recogniser output", "nothing of that name")
    found = _found(root, options, urls, absolute=False)
    with _read(_made(urls) if dry_run else urls, create=not dry_run) as stores:
        changes, digests = changes_in(root, (*found.files, *found.sounds), stores)
        if not allow_gone:
            changes.require_few_gone(root)
        if dry_run:
            return SyncReport(_without_foreign(changes, options))
        if changes.moved:
            with writing(stores):
                move(stores, changes.moved)
    report = IndexReport()
    if changes.inputs or changes.gone:
        report = index_files(
            [file.path for file in changes.inputs],
            urls,
            delete=changes.gone,
            options=options,
            keep_going=True,
            **settings,
        )
        new = {file.path for file in changes.new}
        foreign = [
            one for one in report.failures if isinstance(one, ForeignFileError) and one.path in new
        ]
        failures = tuple(one for one in report.failures if one not in foreign)
        report = replace(report, failures=failures)
        changes = changes.without({Path(one.path) for one in foreign})
        _note_indexed(report, digests, urls)
    return SyncReport(changes, report)


def _without_foreign(changes: Changes, options: InputOptions) -> Changes:
    """Changes without new files that are no recogniser output; reads the new ones."""
    words = (file for file in changes.new if file.path.suffix != SUFFIX)
    new = [replace(file, in_folder=True) for file in words]
    previews = dry_run_of(new, Config(), options.input_format, options.load(), {}, IN_PROCESS)
    return changes.without({one.path for one in previews if one.skipped})


def _note_indexed(report: IndexReport, digests: Mapping[str, str], urls: Sequence[str]) -> None:
    """Keep the digests of inputs that were indexed."""
    files = {recording.file for recording in report.recordings}
    with _read(urls) as stores, writing(stores):
        note_digests(stores, digests, files)


def relink_inputs(folder: AnyPath, store: Stores, *, dry_run: bool = False) -> RelinkReport:
    """Note where the inputs of an index are that are not where they were.

    Args:
        folder: in which they are looked for, by the ends of their paths.
        store: the index.
        dry_run: look only, write nothing.

    Raises:
        StdError: the folder is not there, or several files may be meant.
    """
    root = Path(folder)
    if not root.is_dir():
        raise InputError(root, 0, "a folder to look in", "nothing of that name")
    with _read(store) as stores:
        inputs = set[str]().union(*origins(stores).values())
        places, missing = found_below(root, inputs)
        if places and not dry_run:
            with writing(stores):
                relink(stores, places)
    return RelinkReport(places, tuple(missing))


def watch_folder(
    folder: AnyPath,
    store: Stores,
    *,
    tell: Callable[[str], None],
    stopped: Callable[[float], bool],
    sync: bool = False,
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
        sync: begin with `sync_folder`, and repeat it when files are gone: the recordings of files
            that are removed are deleted.
        options: how inputs are read.
        poll_s: time between two looks at the folder.
        settle_s: how long a file does not change before it is read.
        settings: of `index_files`: ``metadata``, ``ecf``, ``config``, ``language``, ``jobs``, ...

    Returns:
        How many files were indexed.

    Raises:
        StdError: the folder is not there, or an option is invalid.
    """
    urls, root = _urls(store), Path(folder)
    require_different(urls)
    if not root.is_dir():
        raise InputError(root, 0, "a folder to watch", "nothing of that name")

    def synchronised(gone: Sequence[Path] = ()) -> str:
        return sync_folder(root, urls, options=options, **settings).changes.line()

    index = partial(_watched_batch, urls, tell, sync, {"options": options, **settings})
    if sync and any(one.is_file() for one in root.rglob("*")):
        tell(synchronised())
    path = settings.get("metadata")
    return watch(
        Folder(root, frozenset(urls)),
        index,
        _inputs_of(urls),
        tell,
        stopped,
        metadata=WatchedMetadata(Path(path), partial(_describe_indexed, urls, settings))
        if isinstance(path, str | PathLike)
        else None,
        removed=synchronised if sync else None,
        poll_s=poll_s,
        settle_s=settle_s,
    )


def _watched_batch(
    urls: Sequence[str],
    tell: Callable[[str], None],
    sync: bool,
    settings: Mapping[str, Any],
    batch: Sequence[Path],
) -> Iterator[FileOutcome]:
    """Index a batch of files that appeared in a folder; arguments as those of `watch_folder`."""
    digests = {Input(path).origin: input_digest(path) for path in batch} if sync else {}
    report = index_files(batch, urls, keep_going=True, **settings)
    if sync:
        _note_indexed(report, digests, urls)
    for line in (*report.warnings, *report.language_warnings, *report.unmerged):
        tell(f"warning: {line}")
    return outcomes(batch, report.inputs, report.failures)


def _made(urls: Sequence[str]) -> list[str]:
    """The stores that are there: a folder that is still to be made is none."""
    return [url for url in urls if kind_of(url) != "folder" or Path(url).exists()]


def _inputs_of(urls: Sequence[str]) -> set[str]:
    """What the recordings of an index came from; its stores are made if they are not there."""
    inputs: set[str] = set()
    for url in urls:
        with closing(open_store(url, create=True)) as opened:
            inputs = inputs.union(*origins([opened]).values())
    return inputs


def _describe_indexed(urls: Sequence[str], settings: Mapping[str, Any]) -> str:
    """Apply metadata to what is indexed already, and say to how much."""
    described = index_files((), urls, **settings).described
    line = f"metadata of {counted(described.recordings, 'recording')}"
    if described.pronounced_again:
        line += f", {described.pronounced_again} pronounced again"
    return line


@contextmanager
def _read(store: Stores, *, create: bool = False) -> Iterator[list[Store]]:
    """Open the stores of an index that is there, or is to be made."""
    urls = _urls(store)
    require_different(urls)
    with ExitStack() as opened:
        yield [opened.enter_context(closing(open_store(url, create=create))) for url in urls]


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


def _compared(
    report: IndexReport, experiment: ECF | None, diarised: Collection[Recording] | None
) -> IndexReport:
    """A report with what its ECF says, and with what its ECF and its diarisation lack."""
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
