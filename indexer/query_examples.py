"""Which recordings are examples of which query, by their names or a table.

query_of_name   tomato.1, tomato_2, tomato -> tomato
read_examples   CSV: query,recording[,start_s,end_s]
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from std.csv_files import records
from std.errors import EMPTY_FILE, NONE, InputError, Unquoted
from std.files import content_of, decode
from std.json_fields import Part
from std.nist.audio_names import recording_name
from std.ranges import MAX_DOCUMENT_BYTES

# One digit: sws_001 and sws_002 are two queries, not two examples.
_SUFFIX = re.compile(r"(?<=.)[._][1-9]$")
COLUMNS = ("query", "recording")
TIMES = ("start_s", "end_s")


class QueryExample(NamedTuple):
    """A place where a query was spoken."""

    query: str
    recording: str  # name of the audio file
    start_ms: float | None = None  # None: all of the recording
    end_ms: float | None = None

    @property
    def name(self) -> str:
        """The recording, with start and end in seconds if it is a part, as people read it."""
        if self.start_ms is None or self.end_ms is None:
            return self.recording
        return f"{self.recording} {self.start_ms / 1000:.3f}-{self.end_ms / 1000:.3f}"

    def duration_ms(self, recording_ms: float) -> float:
        """How long it is, in a recording of this length."""
        if self.start_ms is None or self.end_ms is None:
            return recording_ms
        return self.end_ms - self.start_ms


def query_of_name(recording: str) -> str:
    """The query that a recording is an example of: its name without ``.1`` or ``_2``.

    >>> [query_of_name(name) for name in ("tomato", "tomato.1", "tomato_2", "sws_001")]
    ['tomato', 'tomato', 'tomato', 'sws_001']
    """
    return _SUFFIX.sub("", recording)


def by_name(recordings: Sequence[str]) -> list[QueryExample]:
    """Every recording as an example of the query that its name says."""
    return [QueryExample(query_of_name(name), name) for name in recordings]


def read_examples(stream: BinaryIO, path: Path | str = "<stream>") -> list[QueryExample]:
    """Read which parts of which recordings are examples of a query: a CSV with a header.

    Columns are ``query``, ``recording`` and, for queries cut from longer recordings, ``start_s``
    and ``end_s``; others are ignored.

    Raises:
        InputError: a column or value is missing, a time is invalid, or a line is repeated.
    """
    text = decode(content_of(stream, path, MAX_DOCUMENT_BYTES), path)
    rows = records(text, path, spaced=True)
    first, header = next(rows, (1, []))
    if not {*COLUMNS} <= {*header} or len({*TIMES} & {*header}) == 1:
        expected = f"the columns {','.join(COLUMNS)} and perhaps {','.join(TIMES)}"
        raise InputError(path, first, expected, ",".join(header) or EMPTY_FILE)
    examples: dict[QueryExample, int] = {}
    for line, fields in rows:
        example = _example(dict(zip(header, fields, strict=False)), path, line)
        if example in examples:
            expected = f"each example once (line {examples[example]} has it already)"
            raise InputError(path, line, expected, example.name)
        examples[example] = line
    if not examples:
        raise InputError(path, 0, "a line for each example", Unquoted("the header only"))
    return list(examples)


def _example(row: Mapping[str, str], path: Path | str, line: int) -> QueryExample:
    fields = {name: row.get(name, "") for name in (*COLUMNS, *TIMES)}
    for name in COLUMNS:
        if not fields[name]:
            raise InputError(path, line, f"a value in column {name}", NONE)
    query, recording = fields["query"], recording_name(fields["recording"])
    given = [fields[name] for name in TIMES if fields[name]]
    if not given:
        return QueryExample(query, recording)
    if len(given) < len(TIMES):
        raise InputError(path, line, f"both {' and '.join(TIMES)}, or neither", given[0])
    start_s, end_s = (Part(path, line, fields[name], name).seconds() for name in TIMES)
    if start_s >= end_s:
        raise InputError(path, line, "a start_s before end_s", Unquoted(f"{start_s} and {end_s}"))
    return QueryExample(query, recording, start_s * 1000, end_s * 1000)
