"""The served index: opened once, renewed after each commit.

A request takes the current `Snapshot` and keeps it to its end; a newer one does not change it. If
the index cannot be read any more (the server is down, a file is damaged), the last snapshot is
still served, and `LiveIndex.trouble` says why it is not renewed.
"""

import os
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from searcher import Index, open_index
from service.recordings import ServedRecordings, heard, recording_table
from service.settings import Settings
from std.audio.files import audio_folder
from std.corrections import CorrectedWord, Layer, layers_of, words_that_stand
from std.errors import StdError
from std.files import read
from std.metadata.read import parse
from std.metadata.table import NO_METADATA
from std.sound.columns import OFFSETS
from std.store.columns import live_recordings
from std.values import Recording

MOST_FOLDERS = 10_000  # folders of audio that are checked for new files
CLOSE_S = 3.0  # to end a request to a store


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The state of the index after a commit."""

    number: int  # 1 = the one at the start of the service
    index: Index
    recordings: ServedRecordings

    @cached_property
    def with_sound(self) -> frozenset[Recording]:
        """The recordings whose sound the index has, for queries by example."""
        found = set[Recording]()
        for segment in self.index.segments:
            offsets = segment.extra(OFFSETS)
            if offsets is not None:
                found |= {
                    one.recording
                    for row, one in live_recordings(segment)
                    if offsets[row + 1] > offsets[row]
                }
        return frozenset(found)

    @cached_property
    def corrections(self) -> Mapping[str, Layer]:
        """The corrections by audio file."""
        return layers_of(self.index.metadata)

    @cached_property
    def corrected_words(self) -> Mapping[Recording, tuple[CorrectedWord, ...]]:
        """The corrected words by recording."""
        return words_that_stand(self.index.metadata)

    @cached_property
    def put_by_people(self) -> frozenset[str]:
        """The words of the current corrections."""
        return frozenset(one.word for words in self.corrected_words.values() for one in words)


class LiveIndex:
    """The newest snapshot, and the thread that checks for newer ones."""

    def __init__(self, settings: Settings) -> None:
        """Open the index.

        Raises:
            StdError: the index cannot be opened, the metadata cannot be read, or several files may
                be the audio of a recording.
        """
        self._settings = settings
        self.trouble = ""
        self._metadata = read(parse, settings.metadata) if settings.metadata else NO_METADATA
        self._beside = self._state_beside()
        index = open_index(
            *settings.stores, config=settings.config, model=settings.model, metadata=self._metadata
        )
        self._current = self._snapshot(1, index)
        self._listeners: list[Callable[[Snapshot], None]] = []
        self._ended, self._renewing = threading.Event(), threading.Lock()
        self._watcher: threading.Thread | None = None

    @property
    def current(self) -> Snapshot:
        """The newest snapshot."""
        return self._current

    def on_renewal(self, listener: Callable[[Snapshot], None]) -> None:
        """Call a function with each new snapshot, in the thread that found it."""
        self._listeners.append(listener)

    def _snapshot(self, number: int, index: Index) -> Snapshot:
        len(index.vocabulary)  # computed now, so that no request waits for it
        root = self._settings.audio
        recordings = index.recordings()
        audio, problems = heard(recordings, audio_folder(root) if root else None, self._metadata)
        if problems and number == 1:
            raise problems[0]
        self._unclear = str(problems[0]) if problems else ""  # the other audio files stay available
        return Snapshot(number, index, recording_table(recordings, audio, self._metadata))

    def renew(self) -> bool:
        """Check for a new commit; return whether there was one."""
        with self._renewing:
            return self._renew()

    def _renew(self) -> bool:
        try:
            index = self._current.index.renewed()
            self.trouble = self._unclear
        except StdError as error:
            self.trouble = str(error)
            return False
        beside = self._state_beside()
        if index is self._current.index and beside == self._beside:
            return False
        if beside != self._beside:
            try:
                index = self._with_metadata(index)
            except StdError as error:
                self.trouble = str(error)
                return False
            self._beside = beside
        self._current = self._snapshot(self._current.number + 1, index)
        self.trouble = self._unclear
        for listener in self._listeners:
            listener(self._current)
        return True

    def _state_beside(self) -> tuple[object, ...]:
        """The modification times of the metadata and of the folders of audio."""
        state: list[object] = []
        if self._settings.metadata:
            state.append(_changed_ns(self._settings.metadata))
        if self._settings.audio:
            folders = islice(os.walk(self._settings.audio), MOST_FOLDERS)
            state += [(name, _changed_ns(Path(name)), len(files)) for name, _, files in folders]
        return tuple(state)

    def _with_metadata(self, index: Index) -> Index:
        """The index with the current metadata.

        Raises:
            StdError: the metadata cannot be read.
        """
        if not self._settings.metadata:
            return index
        metadata = read(parse, self._settings.metadata)
        if metadata == self._metadata:
            return index
        self._metadata = metadata
        return index.described_by(metadata)

    def watch(self) -> None:
        """Check for new commits until the service ends; runs in a thread."""
        self._watcher = threading.Thread(target=self._watch, name="commits", daemon=True)
        self._watcher.start()

    def _watch(self) -> None:
        while not self._ended.wait(self._settings.poll_s):
            try:
                self.renew()
            except Exception as error:  # an error in our code must not end the thread
                self.trouble = f"{type(error).__name__}: {error}"
                traceback.print_exc()

    def close(self) -> None:
        """Stop the thread and close the stores."""
        self._ended.set()
        if self._watcher is not None:
            self._watcher.join(CLOSE_S)
        self._current.index.close()


def _changed_ns(path: Path) -> int:
    """The modification time of a file or folder; 0 if it does not exist."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


@contextmanager
def unless_closed(snapshot: Snapshot) -> Iterator[None]:
    """Let background work end without an error if the service has closed its index."""
    try:
        yield
    except ValueError:
        if not snapshot.index.is_closed:
            raise
