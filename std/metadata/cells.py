"""Metadata of a file, cell by cell, and the changes that an index makes with it.

A column that a file does not have is left alone, an empty cell deletes what an index has there. So
a table of two columns adds to metadata, and none that it does not name is lost.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from std.errors import InputError
from std.metadata.listed import LANGUAGE
from std.metadata.table import AUDIO, AUDIO_FACTS, Metadata, Values, of_rows
from std.nist.audio_names import as_stored
from std.values import Recording


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of a file, empty ones included."""

    rows: Mapping[str, Values] = field(default_factory=dict)  # by audio file, then by column
    own_columns: tuple[str, ...] = ()  # that the file has of an index, and that are no metadata
    listed_languages: Mapping[Recording, str] = field(default_factory=dict)  # with `own_columns`

    def __bool__(self) -> bool:
        return bool(self.rows)


@dataclass(frozen=True, eq=False)
class FileMetadata(Metadata):
    """The metadata of a file: whole rows, as if there were no index; and the cells they are of."""

    cells: Cells = field(default_factory=Cells)


def completed(before: Metadata, given: Cells) -> Metadata:
    """The rows of a file, completed by the index in columns that the file lacks.

    Args:
        before: the metadata of the index.
        given: the file's cells; their audio files in any form of letters.

    >>> before = of_rows({"a": {"title": "A", "date": "2024"}})
    >>> completed(before, Cells({"a": {"title": ""}, "b": {"title": "B"}})).values("a")
    {'date': '2024'}
    """
    names = as_stored([*given.rows], before.files)
    rows = {}
    for file, row in given.rows.items():
        kept = before.values(names[file])
        if AUDIO in row and row[AUDIO] != kept.get(AUDIO, ""):  # of another file nothing is known
            kept = {name: value for name, value in kept.items() if name not in AUDIO_FACTS}
        rows[file] = kept | dict(row)
    return of_rows(rows)


def with_languages(given: Cells, listed: Mapping[Recording, str], path: str = "metadata") -> Cells:
    """Cells with the languages that a person has put into a table of an index.

    Args:
        given: a file's cells.
        listed: the languages that the index lists; those that are the same say nothing new.
        path: the name of the file, for messages.

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
            raise InputError(path, 0, expected, ", ".join(sorted(said[file])))
        rows[file] = {**rows[file], LANGUAGE: next(iter(said[file]))}
    return Cells(rows, given.own_columns)
