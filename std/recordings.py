"""The recordings of an index with their metadata: list them, and choose them by conditions.

    index_recordings    segments, metadata -> one `IndexRecording` each, ascending
    chosen              those that fit conditions (`std.query`) and patterns of names
    fitting_rows        which of them fit an expression of conditions

A condition can name any column of the metadata, and these columns of every index: ``recording``
(the name), ``channel``, ``language`` and ``speaker``. The language is the code of the language in
which the words were pronounced, or else that of the metadata. The speakers are those of the
recogniser's output and those of the metadata.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any
from unicodedata import normalize

import numpy as np

from std.display.rows import Framed
from std.errors import QueryError, meant, quoted, require_kind
from std.languages.detection import is_language, language_code, of_segment
from std.metadata.table import SPEAKER, Metadata, ValueColumn, column_of, fitting
from std.metadata.where import Condition
from std.numbers import counted
from std.query.expression import Expression, Some, Without, columns_in, conjuncts, holds, parts_of
from std.query.grammar import parse_where
from std.store import Segment
from std.store.columns import KEY_SHIFT, live_recordings
from std.store.speakers import Speakers
from std.values import Bools, Recording

SHOWN = 10  # names of a representation
OWN_COLUMNS = ("recording", "language", "channel")  # that an index without metadata has, too


@dataclass(frozen=True, slots=True)
class IndexRecording:
    """A recording of an index."""

    recording: Recording
    speech_ms: int  # summed length of its utterances
    utterances: int
    times_estimated: bool  # some slot times are interpolated, not the recogniser's
    inputs: tuple[str, ...]  # absolute paths of the input files; empty in older indexes
    language: str  # a code; empty: the index does not know it
    metadata: Mapping[str, str]  # by column
    # Slots of each speaker, if they were asked for; "" stands for nobody named.
    speakers: Mapping[str, int] = field(default_factory=dict)


class Recordings(Framed, list[IndexRecording]):
    """Recordings of an index, ascending: a list that can be shown as a table.

    >>> Recordings()
    <no recordings>
    """

    def __repr__(self) -> str:
        """The number of recordings, and the first names."""
        if not self:
            return "<no recordings>"
        names = ", ".join(dict.fromkeys(one.recording.file for one in self[:SHOWN]))
        more = ", ..." if len(self) > SHOWN else ""
        return f"<{counted(len(self), 'recording')}: {names}{more}>"

    frame_header = ("recording", "channel", "speech_s", "utterances", "language")

    def frame_rows(self) -> list[dict[str, Any]]:
        """A row for each recording: name, channel, speech, language, metadata."""
        return [
            {
                "recording": one.recording.file,
                "channel": one.recording.channel,
                "speech_s": one.speech_ms / 1000,
                "utterances": one.utterances,
                "language": one.language,
            }
            | {name: value for name, value in one.metadata.items() if name != "language"}
            for one in self
        ]


def inputs_of(recordings: Iterable[IndexRecording]) -> dict[str, tuple[str, ...]]:
    """The inputs of each audio file, of all its channels, in the order of the recordings."""
    found: dict[str, tuple[str, ...]] = {}
    for one in recordings:
        file = one.recording.file
        found[file] = tuple(dict.fromkeys((*found.get(file, ()), *one.inputs)))
    return found


def index_recordings(
    segments: Iterable[Segment], metadata: Metadata, *, with_speakers: bool = False
) -> list[IndexRecording]:
    """The recordings of an index that are not deleted, ascending.

    Args:
        with_speakers: also read the speakers.
    """
    found = []
    for segment in segments:
        language = of_segment(segment)
        speakers = _speakers(segment) if with_speakers else [{}] * len(segment.recordings)
        found += [
            IndexRecording(
                *indexed, language, metadata.of_recording(indexed.recording), speakers[row]
            )
            for row, indexed in live_recordings(segment)
        ]
    return sorted(found, key=lambda one: one.recording)


def _speakers(segment: Segment) -> list[dict[str, int]]:
    rows = range(len(segment.recordings))
    speakers = Speakers.of(segment)
    if len(speakers.names) == 1:  # one speaker, or nobody named: no slot has to be counted
        return [{speakers.names[0]: 1} for _ in rows]
    offsets = np.searchsorted(segment.slots(rows).key >> KEY_SHIFT, np.arange(len(rows) + 1))
    return speakers.of_recordings(offsets)


def about_speakers(where: str | None) -> tuple[Expression, ...]:
    """Those of the conditions joined by AND that are about speakers.

    Raises:
        QueryError: it is no condition.
    """
    every = conjuncts(parse_where(where)) if where is not None else ()
    return tuple(one for one in every if columns_in(one) == {SPEAKER})


def mentions_speakers(where: str | None) -> bool:
    """Whether any part of a condition is about speakers.

    Raises:
        QueryError: it is no condition.
    """
    return where is not None and SPEAKER in columns_in(parse_where(where))


def is_said_by(name: str, conditions: Iterable[Expression]) -> bool:
    """Whether a speaker fits all conditions; "" stands for a speaker without a name."""
    written = normalize("NFC", name) or None
    return all(holds(one, written) for one in conditions)


def _asks_for_somebody(condition: Expression) -> bool:
    """Whether a condition says who speaks, and not only who does not."""
    if isinstance(condition, Condition):
        return condition.operator in ("=", "~", ":")
    return not isinstance(condition, Without) and all(map(_asks_for_somebody, parts_of(condition)))


def is_wholly_said_by(recording: IndexRecording, conditions: Sequence[Expression]) -> bool:
    """Whether, by its metadata, the speaker of a whole recording fits the conditions.

    False if a condition is negated: then each named speaker is compared (`said_share`).
    """
    is_asked_for = all(map(_asks_for_somebody, conditions))
    value = recording.metadata.get(SPEAKER, "")
    return bool(value) and is_asked_for and is_said_by(value, conditions)


def unnamed_is_said_by(recording: IndexRecording, conditions: Iterable[Expression]) -> bool:
    """Whether speech without a named speaker fits, by the speaker in the metadata, if any."""
    return is_said_by(recording.metadata.get(SPEAKER, ""), conditions)


def said_share(recording: IndexRecording, conditions: Sequence[Expression]) -> float:
    """The share of a recording's slots whose speaker fits all conditions, from 0 to 1."""
    if not conditions or is_wholly_said_by(recording, conditions):
        return 1.0
    unnamed = unnamed_is_said_by(recording, conditions)
    slots = sum(recording.speakers.values())
    said = sum(
        n
        for name, n in recording.speakers.items()
        if (is_said_by(name, conditions) if name else unnamed)
    )
    return said / slots if slots else float(unnamed)


def _named(recording: IndexRecording) -> bool:
    return any(recording.speakers)


def chosen(
    recordings: Sequence[IndexRecording],
    metadata: Metadata,
    where: str | None = None,
    patterns: Sequence[str] = (),
) -> Recordings:
    """The recordings that fit all conditions and one of the patterns.

    Args:
        where: conditions, see `std.query`; None: every recording fits.
        patterns: patterns of names, with * and ?; none: every recording fits. A pattern with a
            slash is compared with the end of the paths of the recording's inputs and of its audio.

    Raises:
        QueryError: the text is not a condition, a column is unknown, or no recording has a name
            that fits a pattern.
        TypeError: the patterns are one text, or one of them is not a text.
    """
    if isinstance(patterns, str):
        raise TypeError(f"recordings: expected a list of patterns, [{patterns!r}], got a text")
    patterns = [*require_kind("recordings", patterns or (), Iterable, "a list of patterns")]
    for pattern in patterns:
        require_kind("recordings", pattern, str, "patterns as texts")
    fits = np.ones(len(recordings), dtype=bool)
    speakers = about_speakers(where)
    if any(_named(one) for one in recordings) and speakers:
        fits &= np.array([said_share(one, speakers) > 0 for one in recordings], dtype=bool)
    else:
        speakers = ()
    for condition in conjuncts(parse_where(where)) if where is not None else ():
        if condition in speakers:
            continue
        if SPEAKER in columns_in(condition) and any(map(_named, recordings)):
            raise QueryError(
                "--where: expected speaker beside other columns with and, got it with or: "
                "what speakers say is searched word by word"
            )
        fits &= fitting_rows(condition, recordings, metadata)
    if patterns:
        fits &= np.logical_or.reduce([_named_as(pattern, recordings) for pattern in patterns])
    return Recordings(recordings[row] for row in np.flatnonzero(fits).tolist())


def fitting_rows(
    expression: Expression, recordings: Sequence[IndexRecording], metadata: Metadata
) -> Bools:
    """(n,) which of n recordings fit an expression of conditions.

    Raises:
        QueryError: there is no such column.
    """
    if isinstance(expression, Condition):
        if (expression.column, expression.operator) == ("recording", ":"):
            return _named_as(expression.value, recordings)
        column = _column(expression.column, recordings, metadata)
        asked = replace(expression, value=_asked(expression))
        return fitting(column, asked.fits(column.values))
    parts = [fitting_rows(part, recordings, metadata) for part in parts_of(expression)]
    if isinstance(expression, Without):
        return ~parts[0]
    joined = np.logical_or if isinstance(expression, Some) else np.logical_and
    fits: Bools = joined.reduce(parts)
    return fits


def _named_as(pattern: str, recordings: Sequence[IndexRecording]) -> Bools:
    """(n,) which of n recordings have a name that fits a pattern.

    Raises:
        QueryError: none has.
    """
    named = np.array([_is_named(one, pattern) for one in recordings], dtype=bool)
    if not named.any():
        known = counted(len(recordings), "recording")
        near = meant(pattern, (one.recording.file for one in recordings))
        raise QueryError(
            f"recording: expected the name of one of {known}, or a pattern that "
            f"fits some, got {quoted(pattern)}{near}"
        )
    return named


def _column(name: str, recordings: Sequence[IndexRecording], metadata: Metadata) -> ValueColumn:
    if name == "recording":
        return column_of([normalize("NFC", one.recording.file) for one in recordings])
    if name == "language":
        return column_of([_language(one) for one in recordings])
    if name == "channel" and name not in metadata.names:
        return column_of([str(one.recording.channel) for one in recordings])
    if name == SPEAKER and any(SPEAKER in one.metadata for one in recordings):
        return column_of([one.metadata.get(SPEAKER) for one in recordings])
    if name not in metadata.names:
        known = sorted({*OWN_COLUMNS, *metadata.names})
        raise QueryError(
            f"--where: expected one of the columns {', '.join(known)}, "
            f"got {quoted(name)}{meant(name, known)}"
        )
    return metadata.aligned([one.recording.file for one in recordings])[name]


def _language(recording: IndexRecording) -> str:
    """The code of a recording's language, from the index or else from its metadata."""
    return recording.language or _code(recording.metadata.get("language", ""))


def _code(name: str) -> str:
    """The code of a language; an unknown name stays."""
    code = language_code(name)
    return code if is_language(code) else name


def _asked(comparison: Condition) -> str:
    """The operand of a condition; for a language, its code."""
    if comparison.column == "language" and comparison.operator in ("=", "!=", ":"):
        return _code(comparison.value)
    return comparison.value


def _is_named(recording: IndexRecording, pattern: str) -> bool:
    """Whether a pattern fits the name of a recording or, with a slash, the end of a path."""
    pattern = normalize("NFC", pattern)
    if "/" not in pattern:
        return fnmatchcase(normalize("NFC", recording.recording.file), pattern)
    audio = recording.metadata.get("audio")
    paths = [*recording.inputs, *([audio] if audio else [])]
    return any(_ends_as(normalize("NFC", path), pattern) for path in paths)


def _ends_as(path: str, pattern: str) -> bool:
    """Whether a path, with or without its last extension, ends as a pattern says."""
    bare = path.removesuffix(PurePosixPath(path).suffix)
    return any(
        fnmatchcase(one, wanted)
        for one in (path, bare)
        for wanted in (pattern, f"*/{pattern.removeprefix('/')}")
    )
