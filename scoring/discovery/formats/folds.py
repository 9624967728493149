"""Lists of intervals: the folds a corpus is cut into, and who talks in which file.

A fold file holds ``file onset offset`` lines; a blank line ends a fold. This is the form of the
``.intervals`` files of the 2015 toolkit. A talker file holds ``file talker`` lines.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from scoring.discovery.formats.spans import FileSpans, lines, spans
from std.errors import InputError
from std.values import Int32s


@dataclass(frozen=True, slots=True, eq=False)
class Folds:
    """Parts of a corpus; interval ``spans[i]`` belongs to fold ``fold[i]`` of ``count``."""

    count: int
    fold: Int32s  # (n,) 0-based
    spans: FileSpans


def parse(stream: BinaryIO, path: Path | str = "<stream>") -> Folds:
    """Read folds.

    Raises:
        InputError: a line has not three fields, its times are malformed, or there is no line.
    """
    fold: list[int] = []
    numbers: list[int] = []
    names: list[str] = []
    onsets: list[str] = []
    offsets: list[str] = []
    count, is_open = 0, False
    for number, fields in lines(stream, path):
        if not fields:
            is_open = False
            continue
        if len(fields) != 3:
            raise InputError(path, number, "file onset offset", " ".join(fields))
        count += not is_open
        is_open = True
        fold.append(count - 1)
        numbers.append(number)
        names.append(fields[0])
        onsets.append(fields[1])
        offsets.append(fields[2])
    if not numbers:
        raise InputError(path, 0, "at least one line: file onset offset", "nothing")
    return Folds(count, np.asarray(fold, np.int32), spans(path, numbers, names, onsets, offsets))


def parse_talkers(stream: BinaryIO, path: Path | str = "<stream>") -> dict[str, str]:
    """Read which talker each file belongs to.

    Raises:
        InputError: a line has not two fields, or a file has two different talkers.
    """
    talkers: dict[str, str] = {}
    for number, fields in lines(stream, path):
        if not fields:
            continue
        if len(fields) != 2:
            raise InputError(path, number, "file talker", " ".join(fields))
        file, talker = fields
        if talkers.setdefault(file, talker) != talker:
            raise InputError(path, number, f"talker {talkers[file]} as before", talker)
    return talkers
