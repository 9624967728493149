"""The cells of a metadata file, and their changes to an index.

A column that a file lacks stays unchanged, and an empty cell deletes the value in the index. So a
table of two columns changes only these columns.

A person may edit a table that an index printed (``std-store list --csv``). Such a table has columns
of the index itself, which are not metadata. It has a row for each channel of a recording, while
metadata belong to the audio file.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from std.errors import InputError
from std.metadata.table import AUDIO, AUDIO_FACTS, SPEAKER, Metadata, Values, of_rows
from std.nist.audio_names import as_stored
from std.ranges import MAX_CHANNEL
from std.values import Recording

CHANNEL_COLUMN = "channel"
LANGUAGE = "language"
OWN = ("speech_s", "words", "utterances", "times_estimated", "inputs")  # columns of the index
ALSO_OWN = (
    CHANNEL_COLUMN,
    "speakers",
    "phones_heard",
)  # only with these: alone they may mean something else, as a TV channel
LEAST_OWN = 2

Row = tuple[int, str, Values]  # line, audio file, values by column


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of a file, empty ones included."""

    rows: Mapping[str, Values] = field(default_factory=dict)  # by audio file, then by column
    own_columns: tuple[str, ...] = ()  # columns of an index in the file, which are not metadata
    listed_languages: Mapping[Recording, str] = field(default_factory=dict)  # with `own_columns`

    def __bool__(self) -> bool:
        return bool(self.rows)


@dataclass(frozen=True, eq=False)
class FileMetadata(Metadata):
    """The metadata of a file as complete rows, as if there were no index, and their cells."""

    cells: Cells = field(default_factory=Cells)


def completed(before: Metadata, given: Cells) -> Metadata:
    """The rows of a file, completed by the index in columns that the file lacks.

    Args:
        given: the file's cells; names of audio files may have decomposed letters.

    >>> before = of_rows({"a": {"title": "A", "date": "2024"}})
    >>> completed(before, Cells({"a": {"title": ""}, "b": {"title": "B"}})).values("a")
    {'date': '2024'}
    """
    names = as_stored([*given.rows], before.files)
    rows = {}
    for file, row in given.rows.items():
        kept = before.values(names[file])
        if AUDIO in row and row[AUDIO] != kept.get(AUDIO, ""):  # nothing is known of another file
            kept = {name: value for name, value in kept.items() if name not in AUDIO_FACTS}
        rows[file] = kept | dict(row)
    return of_rows(rows)


def with_languages(given: Cells, listed: Mapping[Recording, str]) -> Cells:
    """Cells with the languages that a person has changed in a table of an index.

    Args:
        listed: the languages in the index; equal ones are not changes.

    Raises:
        InputError: channels of one audio file have different ones.

    >>> table = Cells({"a": {}, "b": {}}, (), {Recording("a", 1): "de", Recording("b", 1): "nl"})
    >>> with_languages(table, {Recording("a", 1): "de", Recording("b", 1): "de"}).rows
    {'a': {}, 'b': {'language': 'nl'}}
    """
    rows = dict(given.rows)
    said: dict[str, set[str]] = {}
    changed: set[str] = set()
    for recording, language in given.listed_languages.items():
        said.setdefault(recording.file, set()).add(language)
        if listed.get(recording, language) != language:
            changed.add(recording.file)
    for file in sorted(changed):
        if len(said[file]) > 1:
            expected = f"one language of all channels of {file}"
            raise InputError("metadata", 0, expected, ", ".join(sorted(said[file])))
        rows[file] = {**rows[file], LANGUAGE: next(iter(said[file]))}
    return Cells(rows, given.own_columns)


def own_columns(names: Sequence[str]) -> tuple[str, ...]:
    """The columns of the index itself; none unless at least two of `OWN` are there.

    >>> own_columns(["recording", "channel", "words", "inputs", "title"])
    ('channel', 'words', 'inputs')
    >>> own_columns(["recording", "channel", "words"])
    ()
    """
    if len({*names} & {*OWN}) < LEAST_OWN:
        return ()
    return tuple(name for name in names if name in OWN or name in ALSO_OWN)


def rows_of_files(
    rows: Iterable[Row], own: Sequence[str], path: Path | str
) -> tuple[list[Row], dict[Recording, str]]:
    """The rows of recordings as one for each audio file, without the index's own columns.

    Args:
        own: the columns of the index itself; none: an index did not print this table.

    Returns:
        the rows, and the languages of recordings; only the index can tell whether a person has
        changed them.

    Raises:
        InputError: rows of one audio file disagree, or a recording is there twice.
    """
    if not own:
        return [*rows], {}
    lines: dict[str, int] = {}
    cells: dict[str, dict[str, str]] = {}
    languages: dict[Recording, str] = {}
    seen: set[Recording] = set()
    for line, file, values in rows:
        recording = Recording(file, channel_in(values.get(CHANNEL_COLUMN, "1"), path, line))
        if recording in seen:
            raise InputError(path, line, "each recording once", "/".join(map(str, recording)))
        seen.add(recording)
        given = {name: value for name, value in values.items() if name not in own}
        if LANGUAGE in given:
            languages[recording] = given.pop(LANGUAGE)
        named = given.get(f"{SPEAKER}_{recording.channel}")
        # The list shows it for the channel, too.
        if named and given.pop(SPEAKER, named) != named:
            column = f"{SPEAKER}_{recording.channel}"
            expected = f"the speaker of channel {recording.channel} in the column {column}"
            raise InputError(path, line, expected, values[SPEAKER])
        before = cells.setdefault(file, {})
        lines.setdefault(file, line)
        for name, value in given.items():
            if before.setdefault(name, value) != value:
                expected = f"{name} of {file} as in line {lines[file]}: it is of the whole file"
                raise InputError(path, line, expected, value)
    return [(lines[file], file, values) for file, values in cells.items()], languages


def channel_in(text: str, path: Path | str, line: int) -> int:
    """The number of a channel in a cell.

    Raises:
        InputError: the text is none.
    """
    if not text.isdecimal() or int(text) > MAX_CHANNEL:
        raise InputError(path, line, "the number of a channel", text)
    return int(text)
