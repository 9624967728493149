"""Read corrected words: a transcript, or a table of corrections.

    read_words        a corrected transcript -> its words, in spoken order
    read_corrections  a table, which `std-search --corrections` writes, and `std-store corrections
                      --csv`

    recording,channel,start_s,end_s,before,after,probability,right
    news_01,1,61.500,62.400,emanuel macron,Emmanuel Macron,0.98,yes

    recording         or ``file``; ``channel``: 1 without such a column
    start_s, end_s    the approximate time
    before            the recogniser's words
    after             the spoken words; empty: nothing
    right             or ``accept``: no leaves a row out; empty, or no such column: yes

A transcript with times is read as by `std-index`, in any format; one without times is read as a
text.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from indexer.inputs import InputOptions, utterances_in
from indexer.segments.separate import separated
from std.corrections import Correction
from std.errors import InputError
from std.files import read_text
from std.marks import RIGHT, WRONG
from std.ranges import MAX_CHANNEL, TIME_S
from std.tables import read_table
from std.text import Normalisation
from std.values import Recording

TEXTS = (".txt", ".text", ".md")
COLUMN_NAMES = {  # columns of a table of corrections
    **{"recording": ("recording", "file"), "start": ("start_s", "start")},
    **{"end": ("end_s", "end"), "before": ("before",), "after": ("after",)},
}
CHANNEL = "channel"
ACCEPTED = ("right", "accept", "accepted")


class SaidWord(NamedTuple):
    """A word of a transcript."""

    word: str  # normalised
    start_ms: int | None = None  # of its utterance; None: the transcript has no times
    end_ms: int | None = None


def read_words(path: Path, recording: Recording, normalisation: Normalisation) -> list[SaidWord]:
    """The words of a transcript.

    Args:
        recording: the recording, if the file names several.

    Raises:
        InputError: the file cannot be read, or holds several recordings of other names.
    """
    try:
        return _timed(path, recording, normalisation)
    except InputError:
        if path.suffix.lower() not in TEXTS:
            raise
    return [SaidWord(word) for word in normalisation.phrase(read_text(path))]


def _timed(path: Path, recording: Recording, normalisation: Normalisation) -> list[SaidWord]:
    """The likeliest words of each utterance, with its times."""
    words: dict[Recording, list[tuple[int, SaidWord]]] = {}
    for block in utterances_in(path, options=InputOptions().load()):
        for network in separated(block, normalisation):
            said = words.setdefault(network.recording, [])
            is_one_best = bool((np.diff(network.offsets) <= 1).all())
            for slot in network:
                best = max(slot.alternatives, key=lambda one: one.posterior, default=None)
                if best is not None and (is_one_best or best.posterior >= slot.epsilon):
                    span = network.start_ms, network.end_ms
                    said += [
                        (best.start_ms, SaidWord(word, *span))
                        for word in normalisation.phrase(best.word)
                    ]
    if recording not in words and len(words) > 1:
        names = ", ".join(sorted({one.file for one in words}))
        raise InputError(path, 0, f"a transcript of {recording.file}", f"one of {names}")
    found = words.get(recording) or next(iter(words.values()), [])
    return [word for _, word in sorted(found, key=lambda one: one[0])]


class TableRow(NamedTuple):
    """A correction of a table."""

    line: int
    recording: Recording
    start_ms: int
    end_ms: int
    before: str
    after: str

    def is_made(self, one: Correction) -> bool:
        """Whether a correction of the index is this one."""
        is_there = one.start_ms <= (self.start_ms + self.end_ms) // 2 < one.end_ms
        return is_there and (one.channel, one.written) == (self.recording.channel, self.after)


def read_corrections(content: bytes, path: Path) -> list[TableRow]:
    """The accepted corrections of a table.

    Raises:
        InputError: the file is not a table, lacks a column, or has an invalid value.
        ConfigError: the file is a workbook, and openpyxl is not installed.
    """
    known = {name for names in COLUMN_NAMES.values() for name in names}
    table = read_table(content, path, lambda name: name.lower() in known)
    columns = [name.lower() for name in table.columns]
    place = {}
    for what, names in COLUMN_NAMES.items():
        found = [columns.index(name) for name in names if name in columns]
        if not found:
            expected = f"a column {' or '.join(names)}"
            raise InputError(path, table.line, expected, ", ".join(table.columns))
        place[what] = found[0]
    accepted = next((columns.index(name) for name in ACCEPTED if name in columns), None)
    rows = []
    for line, cells in table.rows:
        said = "" if accepted is None else cells[accepted].strip().lower()
        if said and said not in (*RIGHT, *WRONG):
            raise InputError(path, line, f"{RIGHT[0]} or {WRONG[0]}", said)
        if said in WRONG:
            continue
        channel = cells[columns.index(CHANNEL)] if CHANNEL in columns else "1"
        rows.append(_row(line, {what: cells[i] for what, i in place.items()}, channel, path))
    return rows


def _row(line: int, cells: dict[str, str], channel: str, path: Path) -> TableRow:
    if not channel.isdecimal() or int(channel) > MAX_CHANNEL:
        raise InputError(path, line, "the number of a channel", channel)
    times = []
    for what in ("start", "end"):
        text = cells[what]
        try:
            seconds = TIME_S.read(text if "." in text else text.replace(",", "."))
        except ValueError as error:
            raise InputError(path, line, "a time in seconds", text) from error
        times.append(round(1000 * seconds))
    if times[1] < times[0]:
        raise InputError(path, line, "an end not before the start", cells["end"])
    if not cells["recording"]:
        raise InputError(path, line, "the name of a recording", "")
    recording = Recording(cells["recording"], int(channel))
    return TableRow(line, recording, times[0], times[1], cells["before"], cells["after"])
