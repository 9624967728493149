"""Recognise and index added recordings: `std-recognise`, then `std-store sync`.

Both commands run at low priority, one of each at a time, on the whole folder. A restarted service
therefore continues, and files that come into the folder by other means are processed, too. The
progress of a recording is read from the folder.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

from service.problems import ProblemError
from service.settings import Settings
from service.uploads.checks import require_captions, require_sound, require_words
from service.uploads.folder import Arriving, Files, UploadFolder, is_settled
from std.audio.facts import facts_of
from std.errors import InputError, StdError
from std.metadata.table import Values

State = Literal["waiting", "recognising", "indexing", "ready", "failed"]
Content = dict[str, tuple[tuple[str, int, int], Values]]  # by name: its words' state, metadata

POLL_S = 2.0  # between two checks of the folder
INDEX_RETRY_S = 20.0  # after an error of the index
LOW_PRIORITY = 10
MEMORY_BYTES = 8_000_000_000  # of the process that checks captions
TAIL_BYTES = 1 << 16
START = (
    "import sys; from spoken_terms.start import start; sys.exit(start(sys.argv[1], sys.argv[2:]))"
)


class Upload(NamedTuple):
    """An added recording and its progress."""

    name: str
    files: Files
    state: State
    done: float  # the recognised share of its sound
    detail: str  # why it failed
    metadata: Mapping[str, str]


class CommandResult(NamedTuple):
    """The outcome of a command."""

    status: int  # negative = ended by a signal
    document: Mapping[str, object]  # its output; a list is under "files"
    message: str  # its last line on stderr

    def reasons(self, key: str) -> list[str]:
        """The files that the command could not read, with reasons."""
        found = self.document.get(key)
        return [str(one) for one in found] if isinstance(found, list) else []


class UploadWork:
    """Recognises and indexes the recordings in the folder of a service."""

    def __init__(
        self, folder: UploadFolder, settings: Settings, committed: Callable[[], object]
    ) -> None:
        """Store the settings; start nothing.

        Args:
            committed: called after each change of the index.
        """
        self.folder, self._settings, self._committed = folder, settings, committed
        self.trouble = ""  # why the recordings cannot be indexed
        self._failed: dict[Path, tuple[int, str]] = {}  # modification time and reason of a refusal
        self._indexed: Content = {}  # what the index has of each recording
        self._recognising: frozenset[str] = frozenset()
        self._at_once: int | None = None  # recordings that are recognised in one run; None = all
        self._deleted: dict[str, int] = {}  # by people, since the last sync, and their numbers
        self._deletions = 0
        self._running: dict[subprocess.Popen[str], str] = {}  # the command of each
        self._ended = threading.Event()
        self._changes = {work: threading.Event() for work in (self._recognise, self._index)}

    def all(self) -> list[Upload]:
        """Every recording, by name."""
        metadata, content, found = self.folder.metadata(), self._content(), []
        for name, files in self.folder.files().items():
            is_indexed = self._indexed.get(name) == content.get(name)
            state, done, detail = self._state_of(name, files, is_indexed)
            found.append(Upload(name, files, state, done, detail, metadata.values(name)))
        return found

    def _state_of(self, name: str, files: Files, is_indexed: bool) -> tuple[State, float, str]:
        for path in filter(None, files):
            if why := self._failure(path):
                return "failed", 0.0, why
        if files.words is not None:
            return ("ready" if is_indexed else "indexing"), 1.0, ""
        if name in self._recognising and files.audio is not None:
            return "recognising", self._share_done(name, files.audio), ""
        return "waiting", 0.0, ""

    def _share_done(self, name: str, audio: Path) -> float:
        """The share of a recording that std-recognise has written, up to the last window."""
        try:
            with (self.folder.words / f"{name}.jsonl.part").open("rb") as stream:
                stream.seek(max(0, stream.seek(0, 2) - TAIL_BYTES))
                *_, last, _ = stream.read().split(b"\n")
            duration_s = facts_of(audio).duration_s
            return min(1.0, float(json.loads(last)["end"]) / duration_s) if duration_s else 0.0
        except (OSError, ValueError, KeyError, StdError):
            return 0.0

    def _failure(self, path: Path) -> str:
        changed_ns, why = self._failed.get(path, (0, ""))
        with suppress(OSError):
            return why if path.stat().st_mtime_ns == changed_ns else ""
        return ""

    def _fail(self, paths: Iterable[Path], why: str) -> None:
        why = why.replace(f"{Path.home()}/", "~/")
        for path in paths:
            with suppress(OSError):
                self._failed[path] = path.stat().st_mtime_ns, why.replace(f"{path.parent}/", "")

    def look(self, deleted: str = "") -> None:
        """Check the folder now, because something has changed."""
        if deleted:
            self._deletions += 1
            self._deleted[deleted] = self._deletions
        if deleted in self._recognising:  # its output would belong to no recording
            self._stop("std-recognise")
        for change in self._changes.values():
            change.set()

    def check(self, arriving: Arriving) -> None:
        """Check a received file.

        Raises:
            ProblemError: the content does not fit the name, or the kind of file is not accepted.
        """
        path, name = arriving.path, arriving.name
        if name.kind == "sound":
            require_sound(path, name, self._settings.limits.upload_hours)
            return
        require_captions(path, name)
        options = ["--dry-run", "--json", "--quiet"]
        outcome = self._run("std-index", *options, str(path), bytes_at_most=MEMORY_BYTES)
        if outcome.status:
            why = outcome.message.replace(str(path), name.file).removeprefix("std-index: ")
            raise ProblemError(415, why)
        require_words(outcome.document, name)

    # --- the threads

    def start(self) -> None:
        """Start the two threads that recognise and index."""
        for work, change in self._changes.items():
            threading.Thread(target=self._repeat, args=(work, change), daemon=True).start()

    def _repeat(self, work: Callable[[], bool], change: threading.Event) -> None:
        while not self._ended.is_set():
            try:
                is_well = work()
            except (StdError, OSError) as error:
                self.trouble, is_well = str(error), False
            change.wait(POLL_S if is_well else INDEX_RETRY_S)
            change.clear()

    def _recognise(self) -> bool:
        """Recognise the sound that has no words yet."""
        todo = {
            name: files.audio
            for name, files in self.folder.files().items()
            if files.audio and not files.words
            if is_settled(files.audio) and not self._failure(files.audio)
        }
        if not todo:
            self._at_once = None
            return True
        todo = dict(islice(todo.items(), self._at_once))
        self._recognising = frozenset(todo)
        try:
            options = [*self._settings.recognise, "--json", "--output", str(self.folder.words)]
            outcome = self._run("std-recognise", *options, *map(str, todo.values()))
        finally:
            self._recognising = frozenset()
        for why in outcome.reasons("failures"):
            self._fail((path for path in todo.values() if str(path) in why), why)
        is_killed = outcome.status < 0 and not self._ended.is_set()  # perhaps for its memory
        if not outcome.document and (outcome.status > 1 or (is_killed and len(todo) == 1)):
            self._fail(todo.values(), outcome.message.removeprefix("std-recognise: "))
        elif is_killed:  # which recording it was for is seen if each has a run of its own
            self._at_once = 1
        return True

    def _index(self) -> bool:
        """Synchronise the index with the folder; return whether that succeeded."""
        content, files = self._content(), self.folder.files()
        words = [*filter(None, (one.words for one in files.values()))]
        if content == self._indexed or not all(map(is_settled, words)):
            return True
        deletions, deleted = self._deletions, [*self._deleted]
        if not words:  # a sync refuses an empty folder, which may not be mounted
            self._delete_last(deleted)
            self._note_deleted(deletions)
            self._committed()
            self._indexed, self.trouble = content, ""
            return True
        self.folder.purge()
        store, *shards = self._settings.stores
        given = ["--metadata", str(self.folder.table)] if self.folder.table.exists() else []
        stores = [part for one in shards for part in ("--shard", one)]
        stores += ["--allow-gone"] if deleted else []
        outcome = self._run(
            "std-store", "sync", store, str(self.folder.words), *stores, *given, "--json"
        )
        for why in outcome.reasons("refused"):
            self._fail((path for path in words if str(path) in why), why)
        if not outcome.document:
            self.trouble = outcome.message
            return False
        self.trouble = ""
        self._note_deleted(deletions)
        self._correct_again(files)
        self._committed()
        self._indexed = content
        return True

    def _delete_last(self, names: Iterable[str]) -> None:
        """Delete recordings from the index if the folder has no others with their names."""
        from indexer import delete_recordings

        for name in names:
            with suppress(InputError):  # not indexed yet
                delete_recordings([name], self._settings.stores)

    def _note_deleted(self, number: int) -> None:
        """Forget the deletions that the index has applied."""
        self._deleted = {name: one for name, one in self._deleted.items() if one > number}

    def delete(self, name: str) -> None:
        """Delete a recording and keep its corrections.

        Raises:
            ProblemError: there is no such added recording.
        """
        from indexer import list_corrections

        self.folder.require(name)
        try:
            found = list_corrections(self._settings.stores, recordings=[name])
        except InputError:  # not in the index yet
            found = []
        made = ((one.recording.channel, one.correction) for one in found)
        corrections = [[channel, *one[1:3], one.written or one.text] for channel, one in made]
        self.folder.delete(name, json.dumps(corrections) if corrections else "")
        self.look(deleted=name)

    def _correct_again(self, indexed: Collection[str]) -> None:
        """Apply the earlier corrections of restored recordings."""
        from indexer import correct_recording

        for path in sorted(self.folder.restored.glob("*.json")):
            if path.stem not in indexed:
                continue
            try:
                for channel, start_ms, end_ms, words in json.loads(path.read_bytes()):
                    at_s = start_ms / 1000, end_ms / 1000
                    correct_recording(
                        path.stem, self._settings.stores, words=words, at_s=at_s, channel=channel
                    )
            except InputError as error:  # the recording has another channel, or was deleted again
                self.trouble = f"corrections of {path.stem} are not made again: {error}"
            path.unlink()

    def _content(self) -> Content:
        """The state of the files of each recording that has words."""
        metadata, found = self.folder.metadata(), Content()
        for name, files in self.folder.files().items():
            with suppress(OSError):
                if words := files.words:
                    state = words.name, words.stat().st_size, words.stat().st_mtime_ns
                    found[name] = state, metadata.values(name)
        return found

    # --- commands

    def _run(self, *command: str, bytes_at_most: int = 0) -> CommandResult:
        """Run a command of std at low priority, and wait."""
        process = subprocess.Popen(
            [sys.executable, "-c", START, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._running[process] = command[0]
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, LOW_PRIORITY)
        if bytes_at_most:
            _limit_memory(process.pid, bytes_at_most)
        try:
            output, messages = process.communicate()
        finally:
            del self._running[process]
        document: Any = None
        with suppress(ValueError):
            document = json.loads(output)
        lines = [line for line in messages.splitlines() if line.strip()] or ["it ended early"]
        if process.returncode < 0:
            lines.append(f"it was ended by signal {-process.returncode}")
        found = {"files": document} if isinstance(document, list) else document or {}
        return CommandResult(process.returncode, found, lines[-1])

    def _stop(self, *names: str) -> None:
        for process in [one for one, name in [*self._running.items()] if name in names]:
            process.terminate()

    def close(self) -> None:
        """Stop the threads and release the folder."""
        self._ended.set()
        for change in self._changes.values():
            change.set()
        self._stop(*self._running.values())
        self.folder.close()


def _limit_memory(pid: int, bytes_at_most: int) -> None:
    """Limit the memory of a process, if the system supports it."""
    with suppress(ImportError, OSError):
        from resource import RLIMIT_AS, prlimit

        prlimit(pid, RLIMIT_AS, (bytes_at_most, bytes_at_most))
