"""The recordings of an index with what is known of them: listed, and chosen by conditions.

    index_recordings    segments, metadata -> one `IndexRecording` each, ascending
    chosen              those that fit conditions (`std.metadata.where`) and patterns of names

Columns of a condition are those of the metadata and two that every index has: ``recording``, the
name, and ``language``, the code of the language in which its words were pronounced (where the index
knows none, that of the metadata).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from unicodedata import normalize

import numpy as np

from std.display.numbers import counted
from std.errors import StdError, quoted
from std.languages.detection import is_language, language_code, of_segment
from std.metadata.table import Metadata, ValueColumn, column_of, fitting
from std.metadata.where import Comparison, parse
from std.nearest import meant
from std.store import Segment
from std.values import Recording

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


def index_recordings(segments: Iterable[Segment], metadata: Metadata) -> list[IndexRecording]:
    """The live recordings of an index, ascending."""
    found = [
        IndexRecording(*indexed, language, metadata.values(indexed.recording.file))
        for segment in segments
        for language in (of_segment(segment),)
        for row, indexed in enumerate(segment.recordings)
        if row not in segment.deleted
    ]
    return sorted(found, key=lambda one: one.recording)


def chosen(
    recordings: Sequence[IndexRecording],
    metadata: Metadata,
    where: str | None = None,
    patterns: Sequence[str] = (),
) -> list[IndexRecording]:
    """The recordings that fit all conditions and one of the patterns.

    Args:
        recordings: of an index.
        metadata: of the index.
        where: conditions, see `std.metadata.where`; None: every recording fits.
        patterns: of names, with * and ?; none: every recording fits. A pattern with a slash is
            compared with the end of the paths of the recording's inputs and of its audio.

    Raises:
        StdError: no condition, an unknown column, or no recording has a name that fits a pattern.
    """
    fits = np.ones(len(recordings), dtype=bool)
    for comparison in parse(where) if where is not None else ():
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
                    f"--recording: expected the name of one of {known}, or a pattern that "
                    f"fits some, got {quoted(pattern)}{near}"
                )
            named |= here
        fits &= named
    return [recordings[row] for row in np.flatnonzero(fits).tolist()]


def _column(name: str, recordings: Sequence[IndexRecording], metadata: Metadata) -> ValueColumn:
    if name == "recording":
        return column_of([normalize("NFC", one.recording.file) for one in recordings])
    if name == "language":
        return column_of([_language(one) for one in recordings])
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


def _asked(comparison: Comparison) -> str:
    """What a comparison asks for: of a language, its code."""
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
