"""Lines that name a stretch of a recording, ``file onset offset ...``, as columns.

The ZeroSpeech files (alignments, classes and folds, each read beside this module) are
lists of such lines. This module holds what they share: the columns, and the conversion of the
number fields, which names the first line that is wrong.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from std.errors import InputError
from std.files import content_of, decode
from std.limits import SECONDS
from std.values import Float64s, Int32s, freeze

MAX_BYTES = 1 << 29  # of an alignment; 20 million phones
MAX_TIME_S = SECONDS.highest


@dataclass(frozen=True, slots=True, eq=False)
class FileSpans:
    """Stretches of recordings as columns; ``files`` is the sorted table that ``file`` points into.

    Raises:
        ValueError: the columns differ in length.
    """

    files: tuple[str, ...]
    file: Int32s  # (n,) index into files
    onset_s: Float64s  # (n,)
    offset_s: Float64s  # (n,) > onset_s
    line: Int32s  # (n,) 1-based line each was read from

    def __post_init__(self) -> None:
        if any(len(c) != len(self.file) for c in (self.onset_s, self.offset_s, self.line)):
            raise ValueError("the columns of a list of spans differ in length")
        freeze(self)

    def __len__(self) -> int:
        return len(self.file)


def lines(stream: BinaryIO, path: Path | str) -> Iterator[tuple[int, list[str]]]:
    """Yield (1-based number, fields) of every line; a blank line has no fields.

    Fields are separated by any run of blanks or tabs; a missing last newline does no harm.
    """
    text = decode(content_of(stream, path, MAX_BYTES), path)
    for number, line in enumerate(text.split("\n"), start=1):
        yield number, line.split()


def spans(
    path: Path | str,
    numbers: Sequence[int],
    names: Sequence[str],
    onsets: Sequence[str],
    offsets: Sequence[str],
) -> FileSpans:
    """Make columns of the fields of lines.

    Args:
        path: of the file, for messages.
        numbers: (n,) line numbers.
        names: (n,) recording of each line.
        onsets, offsets: (n,) times in seconds, as text.

    Raises:
        InputError: an onset or offset is no finite number, or an offset is not after its onset.
    """
    files = sorted(set(names))
    index = {name: i for i, name in enumerate(files)}
    try:
        onset_s = np.fromiter(map(float, onsets), np.float64, len(onsets))
        offset_s = np.fromiter(map(float, offsets), np.float64, len(offsets))
        good = (np.abs(onset_s) <= MAX_TIME_S) & (offset_s <= MAX_TIME_S) & (offset_s > onset_s)
    except ValueError:
        good = np.zeros(len(numbers), np.bool_)
    if not good.all():
        for number, onset, offset in zip(numbers, onsets, offsets, strict=True):
            _require_span(path, number, onset, offset)
    return FileSpans(
        files=tuple(files),
        file=np.fromiter((index[name] for name in names), np.int32, len(names)),
        onset_s=onset_s,
        offset_s=offset_s,
        line=np.asarray(numbers, dtype=np.int32),
    )


def _require_span(path: Path | str, number: int, onset: str, offset: str) -> None:
    """Name what is wrong with one line's times, if anything is."""
    try:
        start, end = float(onset), float(offset)
    except ValueError as error:
        raise InputError(path, number, "onset and offset in seconds", f"{onset} {offset}") from (
            error
        )
    if not (abs(start) <= MAX_TIME_S and abs(end) <= MAX_TIME_S):
        expected = f"onset and offset of at most {MAX_TIME_S} s"
        raise InputError(path, number, expected, f"{onset} {offset}")
    if end <= start:
        raise InputError(path, number, "an offset after the onset", f"{onset} {offset}")
