"""Index files that appear in a folder: `std-index --watch`.

    Folder      its files as they are now
    Watched     the state of these files, and which of them are ready
    watch       list files, index those that are ready, wait; until told to stop

A file is ready when it is complete: it has not changed for `SETTLE_S`, by its own time (as that of
a file renamed into the folder) or since it was first seen so. Hidden files and those with the name
of an incomplete file (`PARTIAL`) are never ready. A file that changes later is indexed again and
replaces its earlier recordings. A file that cannot be read is tried `MAX_TRIES` times at growing
intervals, and then again only when it changes; one that is no recogniser output is skipped. While a
store or a common file (metadata, ECF) is at fault, every file is tried again, at most
`MAX_RETRY_S` later.

When the metadata file changes, it is applied to recordings in the index.

A store is open for writing during a batch only, so that others can write in between. Each commit is
atomic, so readers see the index before or after it.
"""

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from indexer.formats.shared.reader import is_sidecar
from indexer.index_report import IndexedInput
from indexer.inputs import Input
from std.errors import NOT_THERE, ForeignFileError, InputError, StdError, StoreError, Unquoted
from std.numbers import counted
from std.sound.files import SUFFIX

POLL_S = 2.0  # between two polls
SETTLE_S = 5.0  # a file unchanged for so long is complete
MAX_TRIES = 5  # of the same file, unchanged
FIRST_RETRY_S = 10.0  # doubled after each try
MAX_RETRY_S = 300.0
BATCH_FILES = 200  # files in a batch: stopping takes at most one batch
BATCH_BYTES = 200_000_000
PARTIAL = (".part", ".partial", ".tmp", ".temp", ".crdownload", ".download", ".filepart", "~")


class Look(NamedTuple):
    """The state of a file at a poll."""

    size: int
    modified_s: float


@dataclass(slots=True)
class _File:
    look: Look
    since_s: float  # when it was first seen in this state
    is_done: bool = False  # indexed or given up in this state
    tries: int = 0
    not_before_s: float = 0.0


@dataclass(slots=True)
class Watched:
    """The state of the files of a folder.

    Args:
        settle_s: a file unchanged for so long is complete.
    """

    settle_s: float = SETTLE_S
    _files: dict[Path, _File] = field(default_factory=dict)
    _missing_since_s: dict[Path, float] = field(default_factory=dict)

    def skip(self, looks: Mapping[Path, Look], now_s: float) -> None:
        """Mark files as indexed in their present state."""
        for path, look in looks.items():
            self._files[path] = _File(look, now_s, is_done=True)

    def ready(self, looks: Mapping[Path, Look], now_s: float) -> list[Path]:
        """The files to index now, in order: at most a batch.

        Args:
            looks: every file, in its present state.
            now_s: the time, as in ``modified_s``.
        """
        for path in self._files.keys() - looks.keys():
            del self._files[path]  # a file that reappears is new
            self._missing_since_s[path] = now_s
        found: list[Path] = []
        size = 0
        for path, look in sorted(looks.items()):
            known = self._files.get(path)
            if known is None or known.look != look:
                self._files[path] = known = _File(look, now_s)
            is_complete = min(look.modified_s, known.since_s) <= now_s - self.settle_s
            if known.is_done or known.not_before_s > now_s or not is_complete:
                continue
            size += look.size
            if found and (size > BATCH_BYTES or len(found) == BATCH_FILES):
                break
            found.append(path)
        return found

    @property
    def misses_any(self) -> bool:
        """Whether a file is missing that may come again, or have come under another name."""
        return bool(self._missing_since_s)

    def miss(self, paths: Iterable[Path], since_s: float) -> None:
        """Note that files are missing since a time, which may be in the future."""
        self._missing_since_s.update(dict.fromkeys(paths, since_s))

    def gone(self, looks: Mapping[Path, Look], now_s: float) -> list[Path]:
        """The files that have been gone for longer than a replacement takes."""
        for path in self._missing_since_s.keys() & looks.keys():
            del self._missing_since_s[path]
        found = sorted(
            path
            for path, since_s in self._missing_since_s.items()
            if since_s <= now_s - self.settle_s
        )
        for path in found:
            del self._missing_since_s[path]
        return found

    def done(self, path: Path) -> None:
        """Note that a file is indexed, or is no input."""
        self._files[path].is_done = True

    def failed(self, path: Path, now_s: float, *, may_give_up: bool) -> float:
        """Note that a file could not be indexed.

        Args:
            may_give_up: the file itself is at fault.

        Returns:
            Seconds to the next try; 0 if the file is given up until it changes.
        """
        file = self._files[path]
        wait_s = min(FIRST_RETRY_S * 2**file.tries, MAX_RETRY_S)
        file.tries = min(file.tries + 1, MAX_TRIES)
        file.is_done = may_give_up and file.tries == MAX_TRIES
        file.not_before_s = now_s + wait_s
        return 0.0 if file.is_done else wait_s


class Folder(NamedTuple):
    """A watched folder, without indexes in it."""

    path: Path
    stores: Collection[str] = ()

    def looks(self) -> dict[Path, Look]:
        """The present state of every file in it and below that may be an input."""
        left_out = {os.path.realpath(url) for url in self.stores}
        found = {}
        for name, folders, files in os.walk(self.path):
            here = Path(name)
            folders[:] = [
                one
                for one in folders
                if not one.startswith(".") and os.path.realpath(here / one) not in left_out
            ]
            for path in (here / file for file in files if _may_be_input(here / file)):
                try:
                    status = path.stat()
                except OSError:  # it is gone again
                    continue
                if path.is_file():
                    found[path] = Look(status.st_size, status.st_mtime)
        return found


def is_partial(path: Path) -> bool:
    """Whether a file has the name of an incomplete one."""
    return path.name.lower().endswith(PARTIAL)


def _may_be_input(path: Path) -> bool:
    partial = path.name.startswith(".") or is_partial(path)
    return not partial and not is_sidecar(path) and path.suffix != SUFFIX  # indexed with its words


class FileOutcome(NamedTuple):
    """The outcome of a file of a batch."""

    path: Path
    line: str  # for a person
    error: StdError | None = None  # why it could not be indexed


def outcomes(
    batch: Sequence[Path], inputs: Iterable[IndexedInput], failures: Iterable[StdError]
) -> Iterator[FileOutcome]:
    """The outcome of each file of a batch, in order."""
    indexed = {one.path: one for one in inputs}
    failed: dict[Path, StdError] = {}
    other: StdError | None = None
    for error in failures:
        if isinstance(error, InputError) and Path(error.path) in batch:
            failed[Path(error.path)] = error
        else:  # of a file beside the inputs
            other = error
    for path in batch:
        file = indexed.get(path)
        if file and file.utterances:
            names = ", ".join(dict.fromkeys(one.file for one in file.utterances))
            number = counted(sum(file.utterances.values()), "utterance")
            without = ", no word in it" if file.is_wordless else ""
            yield FileOutcome(path, f"{number} of {names}{without}")
        elif file:
            yield FileOutcome(path, "no utterance in it")
        else:
            unknown = InputError(
                path, 0, "a file that can be indexed", Unquoted("nothing is known of it")
            )
            yield FileOutcome(path, "", failed.get(path) or other or unknown)


class WatchedMetadata(NamedTuple):
    """A watched file of metadata."""

    path: Path
    apply: Callable[[], str]  # applies it to the index; returns the outcome as text

    def looks(self) -> dict[Path, Look]:
        """The present state of the file, if it exists."""
        try:
            status = self.path.stat()
        except OSError:  # being replaced; the next batch reports it if it stays missing
            return {}
        return {self.path: Look(status.st_size, status.st_mtime)}


def watch(
    folder: Folder,
    index: Callable[[Sequence[Path]], Iterable[FileOutcome]],
    indexed: Collection[str],
    tell: Callable[[str], None],
    stopped: Callable[[float], bool],
    *,
    metadata: WatchedMetadata | None = None,
    removed: Callable[[Sequence[Path]], str] | None = None,
    poll_s: float = POLL_S,
    settle_s: float = SETTLE_S,
) -> int:
    """Index files that appear in a folder until told to stop.

    Args:
        metadata: applied when it changes from now on.
        removed: called with files that are gone, before new ones are indexed, which may be the
            same under another name; returns the outcome as text. None: their recordings stay.
        index: indexes a batch of files.
        indexed: absolute paths of the inputs that the index has: they are indexed again only if
            they change from now on.
        tell: takes one line for each file.
        stopped: waits so many seconds, or less; returns whether to stop.
        poll_s: time between two looks.
        settle_s: see `Watched`.

    Returns:
        The number of indexed files.

    Raises:
        InputError: the folder is gone.
    """
    watched, described, n_indexed = Watched(settle_s), Watched(settle_s), 0
    there = {path: at for path, at in folder.looks().items() if Input(path).origin in indexed}
    watched.skip(there, time.time())
    described.skip(metadata.looks() if metadata else {}, time.time())
    if there:
        number = counted(len(there), "file")
        tell(f"{folder.path}: {number} indexed already; indexed again when changed")
    while not stopped(0.0):
        if not folder.path.is_dir():
            raise InputError(folder.path, 0, "the folder that is watched", NOT_THERE)
        if metadata and described.ready(metadata.looks(), time.time()):
            tell(_line(_applied(metadata), described))
        looks = folder.looks()
        batch = watched.ready(looks, time.time())
        if removed and (gone := watched.gone(looks, time.time())):
            tell(_said(removed, gone, watched))
        if not batch or (removed and watched.misses_any):  # a new file may be a missing one
            stopped(poll_s)
            continue
        try:
            found = list(index(batch))
        except StdError as error:  # of the store, or of a file for all: metadata, ECF
            found = [FileOutcome(path, "", error) for path in batch]
        n_indexed += sum(outcome.error is None for outcome in found)
        for line in dict.fromkeys(_line(outcome, watched) for outcome in found):
            tell(line)
    return n_indexed


def _said(removed: Callable[[Sequence[Path]], str], gone: Sequence[Path], watched: Watched) -> str:
    """The outcome of files that are gone; a store that cannot be written is tried again."""
    try:
        return removed(gone)
    except StoreError as error:
        watched.miss(gone, time.time() + FIRST_RETRY_S - watched.settle_s)
        return f"{error}; tried again in {FIRST_RETRY_S:.0f} s"
    except StdError as error:
        return str(error)


def _applied(metadata: WatchedMetadata) -> FileOutcome:
    try:
        return FileOutcome(metadata.path, metadata.apply())
    except StdError as error:
        return FileOutcome(metadata.path, "", error)


def _line(outcome: FileOutcome, watched: Watched) -> str:
    """Note the outcome of a file, and return it as text."""
    error = outcome.error
    if error is None or isinstance(error, ForeignFileError):
        watched.done(outcome.path)
        return f"{outcome.path}: {f'skipped: {error.got}' if error else outcome.line}"
    own_fault = isinstance(error, InputError) and Path(error.path) == outcome.path
    wait_s = watched.failed(outcome.path, time.time(), may_give_up=own_fault)
    return f"{error}; {f'tried again in {wait_s:.0f} s' if wait_s else 'left until it changes'}"
