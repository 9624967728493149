"""Class files of the ZeroSpeech challenges: what a term discovery system found.

    Class 0
    s0101a 12.31 12.75
    s0102b 7.04 7.51

    Class 1
    ...

A header opens a class; whatever follows its id is ignored. A blank line closes it. Where the
published readers fail without need (two blank lines, no blank line at the end, double blanks) we
read on; where the meaning is in doubt we refuse, naming the line.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from scoring.discovery.formats.spans import FileSpans, lines, spans
from std.errors import InputError
from std.values import Int32s

HEADER = "Class"


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """Discovered classes; row i says that fragment ``spans[i]`` is a member of ``member_of[i]``.

    Rows stand in file order, repeated members included.
    """

    ids: tuple[str, ...]
    member_of: Int32s  # (n,) index into ids
    spans: FileSpans


def parse(stream: BinaryIO, path: Path | str = "<stream>") -> Classes:
    """Read a class file; classes may be empty, and so may the file: nothing was discovered.

    Raises:
        InputError: a member stands before the first header or after the blank line that closed
            its class, a header follows a member without a blank line, a class id comes twice, a
            line is neither header nor ``file onset offset``, or its times are malformed.
    """
    header_line: dict[str, int] = {}
    is_open = False
    numbers: list[int] = []
    names: list[str] = []
    onsets: list[str] = []
    offsets: list[str] = []
    member_of: list[int] = []
    for number, fields in lines(stream, path):
        if not fields:
            is_open = False
        elif fields[0] == HEADER:
            if is_open:
                raise InputError(path, number, "a blank line before a header", " ".join(fields))
            if len(fields) < 2:
                raise InputError(path, number, "Class and its id", HEADER)
            if fields[1] in header_line:
                where = f"line {header_line[fields[1]]}"
                raise InputError(path, number, f"a class id other than {where}'s", fields[1])
            header_line[fields[1]] = number
            is_open = True
        elif len(fields) != 3:
            raise InputError(path, number, "file onset offset", " ".join(fields))
        elif not is_open:
            raise InputError(path, number, "a header (Class and its id)", " ".join(fields))
        else:
            numbers.append(number)
            names.append(fields[0])
            onsets.append(fields[1])
            offsets.append(fields[2])
            member_of.append(len(header_line) - 1)
    return Classes(
        ids=tuple(header_line),
        member_of=np.asarray(member_of, dtype=np.int32),
        spans=spans(path, numbers, names, onsets, offsets),
    )
