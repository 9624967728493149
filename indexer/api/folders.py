"""An index that follows a folder: synchronise, relink, watch."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, fields, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from indexer.api.indexing import found_inputs, index_files, index_with_others, renamed_in
from indexer.describe import describe, whole_rows
from indexer.dry_run import Preview, fit, previews
from indexer.index_report import IndexReport, RecordedAudio
from indexer.index_run import writing
from indexer.inputs import Input, InputOptions
from indexer.languages.pronounce import pronouncer_of
from indexer.origins import RelinkReport, found_below, origins, relink, with_parts
from indexer.recorded_audio import existing_folder, recorded_audio
from indexer.shards import Stores, contents, existing, open_stores, urls_of
from indexer.sync import Changes, changes_in, input_digest, move, note_digests
from indexer.watch import (
    POLL_S,
    SETTLE_S,
    FileOutcome,
    Folder,
    WatchedMetadata,
    is_partial,
    outcomes,
    watch,
)
from std.config import Config
from std.errors import NOT_THERE, ForeignFileError, InputError, StdError
from std.files import AnyPath
from std.metadata.cells import FileMetadata
from std.metadata.table import AUDIO
from std.numbers import counted
from std.repairs import repair_lines
from std.sound.files import SUFFIX
from std.store import open_store, require_different

SYNC_ONLY = ("allow_gone", "feedback", "alerts")  # arguments of `sync_folder`


@dataclass(frozen=True, slots=True)
class SyncReport:
    """The differences between a folder and an index, and the result of indexing."""

    changes: Changes
    report: IndexReport = field(default_factory=IndexReport)


def sync_folder(
    folder: AnyPath,
    store: Stores,
    *,
    dry_run: bool = False,
    allow_gone: bool = False,
    options: InputOptions | None = None,
    feedback: AnyPath | None = None,
    alerts: AnyPath | None = None,
    **settings: Any,
) -> SyncReport:
    """Synchronise an index with a folder, as ``std-store sync`` does.

    New and changed inputs are indexed. Recordings whose inputs were removed are deleted; those
    whose inputs were moved stay, with their metadata; those that are named after a renamed input
    are renamed. Recordings of other folders stay. Files that are not recogniser output are skipped.

    Args:
        folder: the folder, with all folders below it.
        store: the index, created if it does not exist.
        dry_run: compare only, write nothing.
        allow_gone: also delete more than half of the recordings from this folder.
        options: how inputs are read.
        feedback, alerts: files in which recordings are renamed, too, as in `rename_recording`.
        settings: further arguments of `index_files`: ``metadata``, ``config``, ``jobs``, ...

    Raises:
        StdError: the folder does not exist or has no files, or most inputs are missing.
    """
    urls, root = urls_of(store), Path(folder)
    given = {one.name for one in fields(InputOptions)} & settings.keys()
    options = replace(options or InputOptions(), **{name: settings.pop(name) for name in given})
    if not root.is_dir():
        raise InputError(root, 0, "a folder with recogniser output", NOT_THERE)
    found = found_inputs(root, options, urls, absolute=False)
    told = IndexReport(warnings=tuple(found.warnings()))
    with open_stores(existing(urls) if dry_run else urls, create=not dry_run) as stores:
        files = [one for one in (*found.files, *found.sounds) if not is_partial(one.path)]
        changes, digests = changes_in(root, files, stores, options.name_by)
        if not allow_gone:
            changes.require_few_gone(root)
        if dry_run:
            return _foreseen(changes, told, options, origins(stores))
        if changes.moved:
            with writing(stores):
                move(stores, changes.moved, renamed_in(feedback, alerts))
    report = told
    if changes.inputs or changes.gone or settings.get("metadata") is not None:
        report = _made(changes, urls, options=options, **settings)
        _note_indexed(report, digests, urls)
        report = replace(report, warnings=(*report.warnings, *told.warnings))
    return _without_skipped(changes, report)


def _made(changes: Changes, urls: Sequence[str], **settings: Any) -> IndexReport:
    """Index new and changed inputs, and delete recordings whose inputs are gone."""
    inputs = [file.path for file in changes.inputs]
    report = index_with_others(inputs, urls, delete=changes.gone, **settings)
    if report.kept:  # they have no input, whatever the others hold
        index_files((), urls, delete=report.kept)
    return report


def _without_skipped(changes: Changes, report: IndexReport) -> SyncReport:
    """A report in which new files that are not recogniser output are neither new nor refused."""
    new = {file.path for file in changes.new}
    wrong = [one for one in report.failures if isinstance(one, InputError)]
    foreign = [one for one in wrong if isinstance(one, ForeignFileError) and one.path in new]
    failures = tuple(one for one in report.failures if one not in foreign)
    refused = {Path(one.path) for one in wrong if one not in foreign}
    changes = changes.without({Path(one.path) for one in foreign}, refused)
    return SyncReport(changes, replace(report, failures=failures))


def _foreseen(
    changes: Changes, told: IndexReport, options: InputOptions, indexed: dict[str, set[str]]
) -> SyncReport:
    """Read new files, to find those that are not recogniser output, or would be refused."""
    words = (file for file in changes.new if file.path.suffix != SUFFIX)
    new = [replace(file, in_folder=True) for file in words]
    looks = [*previews(new, Config(), options.input_format, options.load(), indexed)]
    foreign = {one.path for one in looks if one.skipped}
    refused = {
        one.path: StdError(one.problem)
        for one in looks
        if one.problem and not _fits(one, options, indexed)
    }
    return SyncReport(
        changes.without(foreign, refused), replace(told, failures=tuple(refused.values()))
    )


def _fits(look: Preview, options: InputOptions, indexed: Mapping[str, set[str]]) -> bool:
    """Whether a new input can be indexed together with the others of its recordings."""
    others = set[str]().union(*(indexed.get(one.file, ()) for one in look.recordings))
    return bool(others) and fit([look.path, *map(Path, sorted(others))], options)


def _note_indexed(report: IndexReport, digests: Mapping[str, str], urls: Sequence[str]) -> None:
    """Store the digests of indexed inputs, if any were indexed."""
    files = {recording.file for recording in report.recordings}
    if not files:
        return
    with open_stores(urls) as stores, writing(stores):
        note_digests(stores, digests, files)


def relink_inputs(folder: AnyPath, store: Stores, *, dry_run: bool = False) -> RelinkReport:
    """Store the new places of moved inputs of an index.

    Args:
        folder: the folder in which they are searched, by the ends of their paths.
        store: the index.
        dry_run: search only, write nothing.

    Raises:
        StdError: the folder does not exist, or several files fit.
    """
    root = Path(folder)
    if not root.is_dir():
        raise InputError(root, 0, "a folder to look in", NOT_THERE)
    with open_stores(store) as stores:
        inputs = set[str]().union(*origins(stores).values())
        places, missing = found_below(root, inputs)
        if places and not dry_run:
            with writing(stores):
                relink(stores, places)
    return RelinkReport(places, tuple(missing))


class AudioMove(NamedTuple):
    """The result of a search for the audio of recordings."""

    audio: RecordedAudio
    places: Mapping[str, tuple[str, str]]  # of recordings: the path before, empty if none, and now


def move_audio(root: AnyPath, store: Stores, *, dry_run: bool = False) -> AudioMove:
    """Store the places of the recordings' audio, as ``std-store move-audio`` does.

    Args:
        root: the folder of all audio; files are found by content, path or name.
        store: the index.
        dry_run: search only, write nothing.

    Raises:
        StdError: the folder does not exist, or a file cannot be read.
    """
    folder = existing_folder(root)
    assert folder is not None
    with open_stores(store) as stores, nullcontext() if dry_run else writing(stores):
        found, cells = recorded_audio(stores, folder)
        _, before = contents(stores)
        places = {
            file: (before.values(file).get(AUDIO, ""), row[AUDIO])
            for file, row in cells.rows.items()
        }
        if cells and not dry_run:
            given = whole_rows(FileMetadata(cells=cells), stores)
            describe(stores, given, pronouncer_of(Config(), None))
    return AudioMove(found, places)


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
    """Index files that appear in a folder until stopped (`indexer.watch`).

    Args:
        folder: with the files of folders below it.
        store: the index, created if it does not exist.
        tell: takes one line for each file.
        stopped: waits for up to a number of seconds; returns whether to stop.
        sync: begin with `sync_folder`, and repeat it when files are removed.
        options: how inputs are read.
        poll_s: time between two checks of the folder.
        settle_s: time without changes before a file is read.
        settings: further arguments of `index_files`: ``metadata``, ``ecf``, ``jobs``, ...; with
            ``sync``, also ``allow_gone``, ``feedback`` and ``alerts`` of `sync_folder`.

    Returns:
        The number of indexed files.

    Raises:
        StdError: the folder does not exist, or an option is invalid.
    """
    urls, root = urls_of(store), Path(folder)
    of_sync = {name: settings.pop(name) for name in SYNC_ONLY if name in settings}
    require_different(urls)
    if not root.is_dir():
        raise InputError(root, 0, "a folder to watch", NOT_THERE)

    def synchronised(gone: Sequence[Path] = ()) -> str:
        done = sync_folder(root, urls, options=options, **of_sync, **settings)
        _tell_doubts(done.report, tell)
        return done.changes.line()

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
    """Index a batch of new files; arguments as in `watch_folder`."""
    with open_stores(urls, create=True) as stores:
        inputs = with_parts(batch, stores)
    digests = {Input(path).origin: input_digest(path) for path in inputs} if sync else {}
    report = index_with_others(inputs, urls, **settings)
    if sync:
        _note_indexed(report, digests, urls)
    _tell_doubts(report, tell)
    return outcomes(batch, report.inputs, report.failures)


def _tell_doubts(report: IndexReport, tell: Callable[[str], None]) -> None:
    """Tell what is odd in inputs that were indexed."""
    doubts = (*repair_lines(report.repairs), *report.warnings, *report.language_warnings)
    for line in (
        *doubts,
        *report.lost_sound_lines,
        *report.unmerged,
        *map(str, report.audio.problems),
    ):
        tell(f"warning: {line}")


def _inputs_of(urls: Sequence[str]) -> set[str]:
    """The inputs of an index's recordings; missing stores are created."""
    inputs: set[str] = set()
    for url in urls:
        with closing(open_store(url, create=True)) as opened:
            inputs = inputs.union(*origins([opened]).values())
    return inputs


def _describe_indexed(urls: Sequence[str], settings: Mapping[str, Any]) -> str:
    """Apply metadata to indexed recordings, and report their number."""
    described = index_files((), urls, **settings).described
    line = f"metadata of {counted(described.recordings, 'recording')}"
    if described.pronounced_again:
        line += f", {described.pronounced_again} pronounced again"
    return line
