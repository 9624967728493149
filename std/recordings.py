"""The recordings of an index with their metadata: list them, and choose them by conditions.

    index_recordings    segments, metadata -> one `IndexRecording` each, ascending
    chosen              those that fit conditions (`std.metadata.where`) and patterns of names

Columns of a condition are those of the metadata and two that every index has: ``recording``, the
name, and ``language``, the code of the language in which its words were pronounced (where the index
knows none, that of the metadata); and ``speaker``: the names of those who spoke, and the metadata.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any
from unicodedata import normalize

import numpy as np

from std.data_frames import Framed
from std.display.numbers import counted
from std.errors import StdError, quoted
from std.languages.detection import is_language, language_code, of_segment
from std.metadata.table import SPEAKER, Metadata, ValueColumn, column_of, fitting
from std.metadata.where import Condition, parse
from std.nearest import meant
from std.store import Segment
from std.store.columns import KEY_SHIFT
from std.store.speakers import Speakers
from std.values import Recording

SHOWN = 10  # names of a representation
OWN_COLUMNS = ("recording", "language")  # that an index without metadata has, too


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
        """How many there are, and the first names."""
        if not self:
            return "<no recordings>"
        names = ", ".join(dict.fromkeys(one.recording.file for one in self[:SHOWN]))
        more = ", ..." if len(self) > SHOWN else ""
        return f"<{counted(len(self), 'recording')}: {names}{more}>"

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


def index_recordings(
    segments: Iterable[Segment], metadata: Metadata, *, with_speakers: bool = False
) -> list[IndexRecording]:
    """The live recordings of an index, ascending.

    Args:
        segments: of the index.
        metadata: of the index.
        with_speakers: read who spoke, too.
    """
    found = []
    for segment in segments:
        language = of_segment(segment)
        speakers = _speakers(segment) if with_speakers else [{}] * len(segment.recordings)
        found += [
            IndexRecording(
                *indexed, language, metadata.of_recording(indexed.recording), speakers[row]
            )
            for row, indexed in enumerate(segment.recordings)
            if row not in segment.deleted
        ]
    return sorted(found, key=lambda one: one.recording)


def _speakers(segment: Segment) -> list[dict[str, int]]:
    rows = range(len(segment.recordings))
    speakers = Speakers.of(segment)
    if len(speakers.names) == 1:  # one speaker, or nobody named: no slot has to be counted
        return [{speakers.names[0]: 1} for _ in rows]
    offsets = np.searchsorted(segment.slots(rows).key >> KEY_SHIFT, np.arange(len(rows) + 1))
    return speakers.of_recordings(offsets)


def about_speakers(where: str | None) -> tuple[Condition, ...]:
    """The comparisons of a condition that are about who speaks.

    Raises:
        StdError: it is no condition.
    """
    every = parse(where) if where is not None else ()
    return tuple(one for one in every if one.column == SPEAKER)


def is_said_by(name: str, comparisons: Iterable[Condition]) -> bool:
    """Whether a speaker fits all comparisons; "" where nobody says who it is."""
    written = normalize("NFC", name) or None
    return all(one.holds(written) for one in comparisons)


def is_wholly_said_by(recording: IndexRecording, comparisons: Sequence[Condition]) -> bool:
    """Whether the metadata say that a whole recording is that of a speaker who fits.

    That it is not somebody's is asked of each name in it.
    """
    is_asked_for = all(one.operator in ("=", "~") for one in comparisons)
    value = recording.metadata.get(SPEAKER, "")
    return bool(value) and is_asked_for and is_said_by(value, comparisons)


def unnamed_is_said_by(recording: IndexRecording, comparisons: Iterable[Condition]) -> bool:
    """Whether what nobody is named for fits: then the metadata say who it is, or nobody does."""
    return is_said_by(recording.metadata.get(SPEAKER, ""), comparisons)


def said_share(recording: IndexRecording, comparisons: Sequence[Condition]) -> float:
    """The share of a recording's slots whose speaker fits all comparisons, from 0 to 1."""
    if not comparisons or is_wholly_said_by(recording, comparisons):
        return 1.0
    unnamed = unnamed_is_said_by(recording, comparisons)
    slots = sum(recording.speakers.values())
    said = sum(
        n
        for name, n in recording.speakers.items()
        if (is_said_by(name, comparisons) if name else unnamed)
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
        recordings: of an index.
        metadata: of the index.
        where: conditions, see `std.metadata.where`; None: every recording fits.
        patterns: of names, with * and ?; none: every recording fits. A pattern with a slash is
            compared with the end of the paths of the recording's inputs and of its audio.

    Raises:
        StdError: no condition, an unknown column, or no recording has a name that fits a pattern.
        TypeError: the patterns are one text.
    """
    if isinstance(patterns, str):
        raise TypeError(f"recordings: expected a list of patterns, [{patterns!r}], got a text")
    fits = np.ones(len(recordings), dtype=bool)
    speakers = about_speakers(where)
    if any(_named(one) for one in recordings) and speakers:
        fits &= np.array([said_share(one, speakers) > 0 for one in recordings], dtype=bool)
    else:
        speakers = ()
    for comparison in parse(where) if where is not None else ():
        if comparison in speakers:
            continue
        column = _column(comparison.column, recordings, metadata)
        asked = replace(comparison, value=_asked(comparison))
        fits &= fitting(column, asked.fits(column.values))
    if patterns:
        named = np.zeros(len(recordings), dtype=bool)
        for pattern in patterns:
            here = np.array([_is_named(one, pattern) for one in recordings], dtype=bool)
            if not here.any():
                known = counted(len(recordings), "recording")
                near = meant(pattern, (one.recording.file for one in recordings))
                raise StdError(
                    f"recording: expected the name of one of {known}, or a pattern that "
                    f"fits some, got {quoted(pattern)}{near}"
                )
            named |= here
        fits &= named
    return Recordings(recordings[row] for row in np.flatnonzero(fits).tolist())


def _column(name: str, recordings: Sequence[IndexRecording], metadata: Metadata) -> ValueColumn:
    if name == "recording":
        return column_of([normalize("NFC", one.recording.file) for one in recordings])
    if name == "language":
        return column_of([_language(one) for one in recordings])
    if name == SPEAKER and any(SPEAKER in one.metadata for one in recordings):
        return column_of([one.metadata.get(SPEAKER) for one in recordings])
    if name not in metadata.columns:
        known = sorted({*OWN_COLUMNS, *metadata.columns})
        raise StdError(
            f"--where: expected one of the columns {', '.join(known)}, "
            f"got {quoted(name)}{meant(name, known)}"
        )
    return metadata.aligned([one.recording.file for one in recordings])[name]


def _language(recording: IndexRecording) -> str:
    """The code of a recording's language: that of the index, else of its metadata."""
    return recording.language or _code(recording.metadata.get("language", ""))


def _code(name: str) -> str:
    """The code of a language; a name that is none's as it is."""
    code = language_code(name)
    return code if is_language(code) else name


def _asked(comparison: Condition) -> str:
    """The operand of a condition: of a language, its code."""
    if comparison.column == "language" and comparison.operator in ("=", "!="):
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
