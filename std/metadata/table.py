"""Metadata of recordings as columns, as an index keeps them.

A column stores its distinct values once and a number per recording, so speakers and programmes of
100,000 recordings take little memory, and a condition is evaluated once per distinct value.

    of_rows         {file: {column: value}} -> table
    updated         a table, with the rows of another in place of its own
    reconciled      two versions of a table, left by replication -> one
    to_json, from_json
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple
from unicodedata import normalize

import numpy as np

from std.errors import StoreError, quoted
from std.values import Bools, Int32s, Integers, Recording

SPEAKER = "speaker"  # the speaker of a file; with the suffix "_2", of channel 2
AUDIO = "audio"  # the file, then its properties (`std.audio.facts`):
AUDIO_FACTS = ("audio_bytes", "audio_hash", "audio_s", "audio_channels", "audio_hz")
OWN_PREFIX = "std:"  # prefix of hidden columns, in which an index stores more about a recording
NO_VALUE = -1  # the code of a recording without a value
Values = Mapping[str, str]  # of one recording, by column


class ValueColumn(NamedTuple):
    """A column: each recording's value."""

    values: tuple[str, ...]  # the different ones, ascending
    code: Int32s  # (n,) position of each recording's value among them; -1 = it has none

    def of(self, row: int) -> str | None:
        """The value of a recording."""
        code = int(self.code[row])
        return None if code == NO_VALUE else self.values[code]

    def taken(self, rows: Integers) -> "ValueColumn":
        """The values of some rows; -1 = a recording that is not in the column."""
        code = np.append(self.code, np.int32(NO_VALUE))[rows]  # -1 is the last
        used = np.unique(code[code != NO_VALUE])
        renumbered = np.full(len(self.values) + 1, NO_VALUE, np.int32)
        renumbered[used] = np.arange(len(used), dtype=np.int32)
        return ValueColumn(tuple(self.values[i] for i in used.tolist()), renumbered[code])


def column_of(texts: Sequence[str | None]) -> ValueColumn:
    """A column from each recording's value; None and the empty text mean no value."""
    values = tuple(sorted({text for text in texts if text}))
    code_of = {value: i for i, value in enumerate(values)}
    codes = [code_of[text] if text else NO_VALUE for text in texts]
    return ValueColumn(values, np.array(codes, np.int32))


@dataclass(frozen=True, eq=False)
class Metadata:
    """Metadata of recordings. In an index, every recording of the table has a value.

    ``number`` counts the changes of a recording's metadata; of two versions of an index the one
    with the higher number is newer (`reconciled`).
    """

    files: tuple[str, ...] = ()  # audio files, ascending
    number: Int32s = field(default_factory=lambda: np.empty(0, np.int32))  # (n,) from 1 on
    columns: Mapping[str, ValueColumn] = field(default_factory=dict)  # by name, ascending

    def __len__(self) -> int:
        return len(self.files)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Metadata) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    @cached_property
    def row_of(self) -> Mapping[str, int]:
        """The row of each audio file."""
        return {file: row for row, file in enumerate(self.files)}

    def values(self, file: str) -> dict[str, str]:
        """The metadata of an audio file, by column; empty if there are none."""
        row = self.row_of.get(file)
        if row is None:
            return {}
        found = ((name, column.of(row)) for name, column in self.columns.items())
        return {name: value for name, value in found if value is not None}

    def column(self, name: str) -> ValueColumn:
        """A column; one without values if the table has none of this name."""
        return self.columns.get(name) or ValueColumn((), np.full(len(self), NO_VALUE, np.int32))

    def by_file(self, name: str) -> dict[str, str]:
        """The values of a column that are not empty, by audio file."""
        found = zip(self.files, map(self.column(name).of, range(len(self))), strict=True)
        return {file: value for file, value in found if value}

    def of_recording(self, recording: Recording) -> dict[str, str]:
        """The metadata of a recording: those of its file, with the speaker of its channel.

        ``speaker_2`` names the speaker of channel 2 and overrides ``speaker`` there. Columns
        of the index (`OWN_PREFIX`) are left out.
        """
        values = self.values(recording.file)
        shown = {name: one for name, one in values.items() if not name.startswith(OWN_PREFIX)}
        return of_channel(shown, recording.channel) if shown else shown

    def own_values(self, file: str) -> dict[str, str]:
        """The hidden columns of an audio file."""
        values = self.values(file).items()
        return {name: value for name, value in values if name.startswith(OWN_PREFIX)}

    @property
    def names(self) -> list[str]:
        """The visible columns, ascending."""
        return sorted(name for name in self.columns if not name.startswith(OWN_PREFIX))

    def changes(self, file: str) -> int:
        """The number of changes of an audio file's metadata; 0 if there are none."""
        row = self.row_of.get(file)
        return 0 if row is None else int(self.number[row])

    def aligned(self, files: Sequence[str]) -> dict[str, ValueColumn]:
        """The columns for some audio files, in their order; -1 = no value."""
        rows = np.array([self.row_of.get(file, NO_VALUE) for file in files], np.int32)
        return {name: column.taken(rows) for name, column in self.columns.items()}

    def of(self, files: Collection[str]) -> "Metadata":
        """The metadata of some audio files only."""
        kept = files if isinstance(files, set | frozenset) else set(files)
        rows = [row for row, file in enumerate(self.files) if file in kept]
        return self if len(rows) == len(self.files) else _taken(self, np.array(rows, np.int32))

    @cached_property
    def text(self) -> str:
        """The table as JSON text; the same table gives the same text."""
        return to_json(self)

    @cached_property
    def id(self) -> str:
        """Digest of the text; empty if there are no metadata."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:32] if self.files else ""


NO_METADATA = Metadata()


def of_channel(values: Values, channel: int) -> dict[str, str]:
    """Metadata of one channel, from those of its file.

    >>> of_channel({"speaker_1": "Ada", "speaker_2": "Bo"}, 2)["speaker"]
    'Bo'
    """
    speaker = values.get(f"{SPEAKER}_{channel}") or values.get(SPEAKER)
    return {**values, SPEAKER: speaker} if speaker else dict(values)


def of_rows(rows: Mapping[str, Values]) -> Metadata:
    """A table from each audio file's values; empty texts are no values.

    Args:
        rows: column and value, by audio file.
    """
    files = tuple(sorted(rows))
    names = sorted({name for values in rows.values() for name, value in values.items() if value})
    columns = {name: column_of([rows[file].get(name) for file in files]) for name in names}
    return Metadata(files, np.ones(len(files), np.int32), columns)


def updated(before: Metadata, given: Metadata) -> Metadata:
    """A table with rows of another in place of its own.

    Args:
        before: the table.
        given: rows that replace those of the same audio files; a row without values removes a row.
            Their numbers are ignored.
    """
    changed = np.flatnonzero(_differs(before, given))
    if not len(changed):
        return before
    files = {given.files[row] for row in changed.tolist()}
    kept = before.of([file for file in before.files if file not in files])
    valued = np.zeros(len(given), dtype=bool)
    for column in given.columns.values():
        valued |= column.code != NO_VALUE
    fresh = _taken(given, changed[valued[changed]])
    number = [before.changes(file) + 1 for file in fresh.files]
    return _concatenated(kept, replace(fresh, number=np.array(number, np.int32)))


def with_own_values(given: Metadata, before: Metadata) -> Metadata:
    """A user's rows, with the hidden columns of the same audio files."""
    own = {file: values for file in given.files if (values := before.own_values(file))}
    if not own:
        return given
    return of_rows({file: {**given.values(file), **own.get(file, {})} for file in given.files})


def renamed(table: Metadata, names: Mapping[str, str]) -> Metadata:
    """A table with renamed audio files; the new names are distinct."""
    files = [names.get(file, file) for file in table.files]
    order = np.array(sorted(range(len(files)), key=files.__getitem__), np.int32)
    return replace(_taken(table, order), files=tuple(sorted(files)))


def composed(table: Metadata) -> Metadata:
    """A table with composed letters in names; of two equal names, the one composed before stays."""
    names = {file: normalize("NFC", file) for file in table.files}
    kept = [file for file, name in names.items() if file == name or name not in table.row_of]
    return renamed(table.of(kept), names)


def _differs(before: Metadata, given: Metadata) -> Bools:
    """(n,) which rows of a table differ from those of the same audio files in another table."""
    rows = np.array([before.row_of.get(file, NO_VALUE) for file in given.files], np.int32)
    differs = np.zeros(len(given), dtype=bool)
    for name in {*before.columns, *given.columns}:
        ours, theirs = before.column(name), given.column(name)
        code_of = {value: code for code, value in enumerate(ours.values)}
        unknown = len(ours.values)
        code = np.array(
            [*(code_of.get(value, unknown) for value in theirs.values), NO_VALUE], np.int32
        )
        differs |= code[theirs.code] != np.append(ours.code, np.int32(NO_VALUE))[rows]
    return differs


def reconciled(ours: Metadata, other: Metadata) -> Metadata:
    """Merge two versions of a table: of each audio file the row with more changes stays.

    Of rows with equally many changes the one with the greater values stays, so the result does not
    depend on the order of the versions.
    """

    def rank(table: Metadata, file: str) -> tuple[int, list[tuple[str, str]]]:
        return table.changes(file), sorted(table.values(file).items())

    if not ours or not other:
        return ours or other
    both = ours.row_of.keys() & other.row_of.keys()
    theirs = {file for file in both if rank(other, file) > rank(ours, file)}
    return _concatenated(
        ours.of([file for file in ours.files if file not in theirs]),
        other.of([file for file in other.files if file in theirs or file not in both]),
    )


def _taken(table: Metadata, rows: Integers) -> Metadata:
    """Some rows of a table, ascending; empty columns are left out."""
    columns = {name: column.taken(rows) for name, column in table.columns.items()}
    return Metadata(
        tuple(table.files[row] for row in rows.tolist()),
        table.number[rows],
        {name: column for name, column in columns.items() if column.values},
    )


def _concatenated(first: Metadata, second: Metadata) -> Metadata:
    """The rows of two tables without a common audio file."""
    files = (*first.files, *second.files)
    order = np.array(sorted(range(len(files)), key=files.__getitem__), np.int32)  # two runs
    columns = {}
    for name in sorted({*first.columns, *second.columns}):
        parts = [table.column(name) for table in (first, second)]
        known = set(parts[0].values)
        added = [value for value in parts[1].values if value not in known]
        values = tuple(sorted([*parts[0].values, *added]))  # two runs: fast
        number_of = {value: i for i, value in enumerate(values)}
        codes = [
            np.array([*(number_of[value] for value in part.values), NO_VALUE], np.int32)[part.code]
            for part in parts
        ]
        columns[name] = ValueColumn(values, np.concatenate(codes)[order])
    return Metadata(
        tuple(files[row] for row in order.tolist()),
        np.concatenate([first.number, second.number])[order],
        columns,
    )


def to_json(table: Metadata) -> str:
    """Metadata -> JSON text."""
    document = {
        "files": table.files,
        "number": table.number.tolist(),
        "columns": {
            name: {"values": column.values, "code": column.code.tolist()}
            for name, column in table.columns.items()
        },
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def from_json(text: str | bytes, place: str) -> Metadata:
    """The inverse of `to_json`.

    Raises:
        StoreError: the text is not a table of metadata, or its columns do not fit each other.
    """
    try:
        document = json.loads(text)
        files = tuple(document["files"])
        if not _are_ascending_texts(files):
            raise ValueError("files that are no ascending texts")
        columns = {
            str(name): _column(fields, len(files)) for name, fields in document["columns"].items()
        }
        number = _integers(document["number"], len(files), 1, 2**31)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StoreError(f"{place}: expected metadata, got {quoted(error)}") from error
    return Metadata(files, number, columns)


def _column(fields: Mapping[str, Any], n: int) -> ValueColumn:
    values = tuple(fields["values"])
    if not _are_ascending_texts(values):
        raise ValueError("values that are no ascending texts")
    return ValueColumn(values, _integers(fields["code"], n, NO_VALUE, len(values)))


def _are_ascending_texts(texts: Sequence[Any]) -> bool:
    are_texts = all(type(text) is str for text in texts)
    return are_texts and all(a < b for a, b in pairwise(texts))


def _integers(numbers: Any, n: int, lowest: int, end: int) -> Int32s:
    """A column of integers from ``lowest`` on and below ``end``."""
    if type(numbers) is not list or len(numbers) != n:
        raise ValueError(f"not {n} numbers")
    if not all(type(one) is int and lowest <= one < end for one in numbers):
        raise ValueError("a number out of its range")
    return np.array(numbers, np.int32)


def fitting(column: ValueColumn, fits: Bools) -> Bools:
    """(n,) which recordings fit.

    Args:
        column: a column of n recordings with v different values.
        fits: (v + 1,) which values fit; the last one is for recordings without a value.
    """
    chosen: Bools = fits[column.code]  # -1 is the last
    return chosen
