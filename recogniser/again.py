"""Listening again: some stretches of recordings that were recognised before, with words for each.

    read_stretches   the table of std-search --listen-again -> stretches
    Again            the stretches, and the folder of the earlier networks
        earlier          the lines of a recording, by the spans of their windows
        words_in         of a window: words that may be said there, None = it stays as it is

A window in which some stretch lies is recognised again, told of the words that are searched there;
the others keep their earlier lines. Windows are cut as before, so these fit each other.

    recording,channel,start_s,end_s,words
    news_01,1,61.500,62.400,Emmanuel Macron; Brigitte Macron
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from recogniser import folder
from recogniser.protocol import Window
from std.errors import InputError
from std.files import content_of, read
from std.limits import MAX_CHANNEL, MAX_TIME_S
from std.ranges import Range
from std.tables.read import read_table
from std.values import Recording

COLUMNS = ("recording", "channel", "start_s", "end_s", "words")
BETWEEN = ";"  # words of a stretch
ADDED = ("words", "last")  # to the line of a window, by its place in the file
TIME_S, CHANNEL = Range(0, MAX_TIME_S), Range(1, MAX_CHANNEL, whole=True)

Span = tuple[int, int]  # of a window, in ms


class AskedStretch(NamedTuple):
    """A stretch of a recording, and words that may be said there."""

    recording: Recording
    start_ms: int
    end_ms: int
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Again:
    """What is listened to again."""

    networks: Path  # folder of what was recognised before
    stretches: tuple[AskedStretch, ...]

    @property
    def digest(self) -> str:
        """Of the stretches, and of the settings of the earlier networks."""
        settings = read(content_of, self.networks / folder.SETTINGS)
        return hashlib.sha256(settings + repr(self.stretches).encode()).hexdigest()

    def earlier(self, recording: Recording) -> dict[Span, dict[str, Any]]:
        """The lines of a recording, in order.

        Raises:
            InputError: it was not recognised before, or its file cannot be read.
        """
        lines = folder.read_lines(folder.finished(self.networks, recording.file), slots=True)
        return {
            (_ms(line["start"]), _ms(line["end"])): {k: line[k] for k in line if k not in ADDED}
            for line in lines
            if line["channel"] == recording.channel
        }

    def words_in(self, recording: Recording, window: Window) -> tuple[str, ...] | None:
        """The words that may be said in a window, each once; None: nothing is searched there."""
        here = [
            one.words
            for one in self.stretches
            if one.recording == recording
            and one.start_ms < window.end_ms
            and window.start_ms < one.end_ms
        ]
        return tuple(dict.fromkeys(word for words in here for word in words)) if here else None


def read_stretches(path: Path) -> tuple[AskedStretch, ...]:
    """Read a table of stretches.

    Args:
        path: of the table: CSV, or a workbook.

    Raises:
        InputError: it cannot be read, lacks a column, or has a value that is none.
    """
    table = read_table(read(content_of, path), path, COLUMNS.__contains__)
    if missing := [name for name in COLUMNS if name not in table.columns]:
        raise InputError(path, table.line, f"a column {missing[0]}", ", ".join(table.columns))
    at = [table.columns.index(name) for name in COLUMNS]
    found = []
    for line, cells in table.rows:
        file, channel, start, end, words = (cells[i].strip() for i in at)
        start_ms, end_ms = (_ms(_number(one, TIME_S, line, path)) for one in (start, end))
        if end_ms <= start_ms:
            raise InputError(path, line, "an end behind the start", f"{start} to {end}")
        said = tuple(word.strip() for word in words.split(BETWEEN) if word.strip())
        recording = Recording(file, int(_number(channel, CHANNEL, line, path)))
        found.append(AskedStretch(recording, start_ms, end_ms, said))
    return tuple(found)


def _number(text: str, allowed: Range, line: int, path: Path) -> float:
    try:
        return allowed.read(text)
    except ValueError as error:
        raise InputError(path, line, allowed.described, text) from error


def _ms(seconds: float) -> int:
    return round(1000 * seconds)
