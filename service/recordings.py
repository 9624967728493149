"""The recordings of a snapshot: their ids in addresses, audio and metadata, and lists of them.

An id is the file's name, with ``:2`` for channel 2, if the name has only ASCII letters, digits,
dots, hyphens and underscores; other names become ``~`` and a digest. Ids are looked up in the table
that this module makes; no text of a request becomes part of a path.
"""

import hashlib
import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import numpy as np
import numpy.typing as npt

from std.audio.facts import FACTS
from std.audio.files import AUDIO_TYPES, AudioFolder, is_audio
from std.errors import InputError
from std.marks import Mark
from std.metadata.table import AUDIO, Metadata, of_channel
from std.numbers import with_channel
from std.recordings import IndexRecording, inputs_of
from std.values import Recording

Facet = tuple[npt.NDArray[np.int64], tuple[str, ...]]  # number of each entry's value; the values

# An absolute path, or an address of a file; one component alone may be anything ("/me").
_PLACE = re.compile(r"file:/|\\\\[^\\]|[A-Za-z]:[/\\]|/[^/\n]+/[^\n]")
_OF_CHANNEL = re.compile(r"speaker_\d+")  # shown as the speaker of the channel
PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}")


@dataclass(frozen=True, eq=False)
class RecordingEntry:
    """A recording of the service."""

    id: str
    recording: Recording
    speech_s: float
    audio: Path | None
    metadata: Mapping[str, str]
    language: str = ""  # a code; empty = unknown

    @cached_property
    def title(self) -> str:
        """The name of the recording for people."""
        name = self.metadata.get("title") or self.recording.file
        return with_channel(name, self.recording.channel)

    @property
    def described(self) -> dict[str, str]:
        """The metadata for people: without the title and the columns that only programs need."""
        unshown = {"title", *FACTS}
        return {name: value for name, value in self.metadata.items() if name not in unshown}

    @property
    def audio_type(self) -> str:
        """The media type of its audio, if browsers can play the file itself; else empty."""
        return AUDIO_TYPES.get(self.audio.suffix.lower(), "") if self.audio else ""


@dataclass(frozen=True, eq=False)
class ServedRecordings:
    """All recordings of a snapshot, ascending."""

    entries: tuple[RecordingEntry, ...]
    columns: tuple[str, ...]  # metadata without titles and paths of audio
    _last_rows: deque[tuple[tuple[Recording, ...], npt.NDArray[np.int64]]] = field(
        default_factory=lambda: deque(maxlen=1)
    )  # the last argument of `rows`

    @cached_property
    def by_id(self) -> Mapping[str, RecordingEntry]:
        """Entries by their ids."""
        return {entry.id: entry for entry in self.entries}

    @cached_property
    def of_recording(self) -> Mapping[Recording, int]:
        """Rows of the entries."""
        return {entry.recording: row for row, entry in enumerate(self.entries)}

    def rows(self, recordings: tuple[Recording, ...]) -> npt.NDArray[np.int64]:
        """(n,) rows of recordings; -1 for a deleted one.

        The searches of a snapshot share one tuple, so its rows are computed once.
        """
        for known, rows in [*self._last_rows]:
            if known is recordings:
                return rows
        found = (self.of_recording.get(recording, -1) for recording in recordings)
        rows = np.fromiter(found, np.int64, len(recordings))
        self._last_rows.append((recordings, rows))
        return rows

    @cached_property
    def facets(self) -> Mapping[str, Facet]:
        """For each facet (n,) the number of each entry's value, and the values, ascending."""
        values = {"recording": [entry.id for entry in self.entries]}
        channels = [str(entry.recording.channel) for entry in self.entries]
        if len({*channels}) > 1:
            values["channel"] = channels
        for column in self.columns:
            values[column] = [entry.metadata.get(column, "") for entry in self.entries]
        languages = [entry.language for entry in self.entries]
        if len({*languages}) > 1:
            values["language"] = languages
        return {name: _numbered(column) for name, column in values.items()}


def _numbered(column: Sequence[str]) -> Facet:
    values = sorted({*column})
    number = {value: i for i, value in enumerate(values)}
    return np.array([number[value] for value in column], np.int64), tuple(values)


def recording_id(recording: Recording) -> str:
    """A recording's id in addresses.

    >>> recording_id(Recording("news", 1)), recording_id(Recording("call.wav", 2))
    ('news', 'call.wav:2')
    >>> recording_id(Recording("../x", 1))
    '~b0d8c5c50b41f256'
    """
    if PLAIN.fullmatch(recording.file):
        channel = "" if recording.channel == 1 else f":{recording.channel}"
        return f"{recording.file}{channel}"
    name = f"{recording.channel} {recording.file}".encode("utf-8", "surrogatepass")
    return "~" + hashlib.sha256(name).hexdigest()[:16]


def without_places(metadata: Mapping[str, str]) -> dict[str, str]:
    """Metadata for the page: names of the server's files without their folders.

    >>> without_places({"audio": "/srv/media/a.wav", "source": r"D:\\tapes\\b.wav", "title": "a/b"})
    {'audio': 'a.wav', 'source': 'b.wav', 'title': 'a/b'}
    """
    return {
        name: re.split(r"[/\\]", value)[-1] if _PLACE.match(value) else value
        for name, value in metadata.items()
    }


def heard(
    indexed: Collection[IndexRecording], folder: AudioFolder | None, given: Metadata
) -> tuple[dict[str, Path | None], list[InputError]]:
    """The audio of recordings, and the errors of recordings without a clear audio file.

    A file with the name of an audio file but without audio is left out, and so is the audio of a
    recording that several files may belong to.

    Args:
        folder: the folder of all audio files; None: there is none.
        given: metadata that override those of the index.
    """
    found: dict[str, Path | None] = {}
    problems = []
    inputs = inputs_of(indexed)
    for one in indexed if folder else ():
        file = one.recording.file
        if folder is None or file in found:
            continue
        known = given.values(file) if given.values(file).get(AUDIO) else one.metadata
        try:
            path = folder.path(file, known, inputs[file])
        except InputError as error:
            problems.append(error)
            path = None
        found[file] = path if path and is_audio(path) else None
    return found, problems


def recording_table(
    indexed: Iterable[IndexRecording], audio: Mapping[str, Path | None], given: Metadata
) -> ServedRecordings:
    """The table of a snapshot.

    Args:
        indexed: ascending.
    """
    entries = tuple(
        RecordingEntry(
            recording_id(one.recording),
            one.recording,
            one.speech_ms / 1000,
            audio.get(one.recording.file),
            without_places(
                of_channel(
                    {**one.metadata, **given.values(one.recording.file)}, one.recording.channel
                )
            ),
            one.language,
        )
        for one in indexed
    )
    columns = {column for entry in entries for column in entry.metadata}
    columns -= {"title", AUDIO, *FACTS, *filter(_OF_CHANNEL.fullmatch, columns)}
    return ServedRecordings(entries, tuple(sorted(columns)))


BROWSED = 100  # recordings per page
Order = Callable[[RecordingEntry], tuple[object, ...]]
ORDERS: Mapping[str, Order] = {
    "title": lambda entry: (entry.title.casefold(), entry.id),
    "date": lambda entry: (
        not entry.metadata.get("date"),
        entry.metadata.get("date", ""),
        entry.id,
    ),
    "length": lambda entry: (-entry.speech_s, entry.id),
}


class Browsed(NamedTuple):
    """A page of the sorted recordings."""

    entries: Sequence[RecordingEntry]
    notes: Sequence[Sequence[Mark]]  # of each entry: those with the text
    first: int  # number of the first
    total: int  # that fit
    sort: str
    text: str  # that titles, values or notes have
    noted: bool  # only those with notes
    dates: bool  # whether some have a date

    def query(self, **changes: object) -> str:
        """The query of an address for this page, with some values changed."""
        noted = "1" if self.noted else ""
        values = {"sort": self.sort, "text": self.text, "noted": noted, "cursor": 0} | changes
        return urlencode({name: value for name, value in values.items() if value})


def browsed(
    entries: Sequence[RecordingEntry],
    query: Mapping[str, str],
    notes: Mapping[Recording, list[Mark]],
) -> Browsed:
    """The recordings that an address asks for: a text they contain, an order, a page."""
    text, sort, cursor = (query.get(name, "") for name in ("text", "sort", "cursor"))
    noted = bool(query.get("noted"))
    sort = sort if sort in ORDERS else "title"
    wanted = text.casefold().strip()
    with_text = {
        recording: found
        for recording, some in notes.items()
        if (found := [mark for mark in some if wanted in mark.note.casefold()])
    }
    fitting = [
        entry
        for entry in entries
        if entry.recording in with_text
        or (
            not noted
            and any(wanted in one.casefold() for one in (entry.title, *entry.metadata.values()))
        )
    ]
    fitting.sort(key=ORDERS[sort])
    first = int(cursor) if re.fullmatch(r"\d{1,9}", cursor, re.ASCII) else 0
    if first >= len(fitting):  # an old address, of an archive that had more
        first = 0
    dates = any("date" in entry.metadata for entry in entries)
    shown = fitting[first : first + BROWSED]
    said = [with_text.get(entry.recording, ()) for entry in shown]
    return Browsed(shown, said, first, len(fitting), sort, text[:200], noted, dates)
