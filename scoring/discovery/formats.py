"""The files of ZeroSpeech's term discovery: alignments, class lists, folds, talkers.

    parse_alignment   ``file onset offset symbol``, a line per phone (``.phn``) or word (``.wrd``)
    parse_classes     a system's classes: ``Class 0``, then ``file onset offset`` per fragment
    parse_folds       ``file onset offset``; a blank line ends a fold (``.intervals`` of 2015)
    parse_talkers     ``file talker``

Times are in seconds; any run of blanks separates fields. In alignments blank lines are skipped, and
identical lines count once. In class files a header opens a class (text after its id is ignored),
a blank line closes it. Two blank lines, double blanks and a missing blank line at the end are
accepted, although the published readers fail on them. A line whose meaning is in doubt is refused.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

import numpy as np

from std.errors import InputError, Unquoted
from std.files import content_of, decode
from std.ranges import SECONDS
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


Line = tuple[int, list[str]]  # its 1-based number, and its fields


def lines(stream: BinaryIO, path: Path | str) -> Iterator[Line]:
    """Yield (1-based number, fields) of every line; a blank line has no fields.

    Fields are separated by any run of blanks or tabs; a missing last newline does no harm.

    Raises:
        InputError: it is no UTF-8, or its lines end with carriage returns alone.
    """
    text = decode(content_of(stream, path, MAX_BYTES), path)
    for number, line in enumerate(text.split("\n"), start=1):
        if "\r" in line.removesuffix("\r"):
            raise InputError(path, number, "lines that end with a line feed", line)
        yield number, line.split()


def spans(path: Path | str, rows: Sequence[Line]) -> FileSpans:
    """Make columns of lines whose first fields are ``file onset offset``.

    Args:
        path: the path of the file, for messages.
        rows: (n,) the lines.

    Raises:
        InputError: an onset or offset is no finite number, or an offset is not after its onset.
    """
    files = sorted({fields[0] for _, fields in rows})
    index = {name: i for i, name in enumerate(files)}
    try:
        onset_s, offset_s = (
            np.fromiter((float(fields[i]) for _, fields in rows), np.float64, len(rows))
            for i in (1, 2)
        )
        good = (np.abs(onset_s) <= MAX_TIME_S) & (offset_s <= MAX_TIME_S) & (offset_s > onset_s)
    except ValueError:
        good = np.zeros(len(rows), np.bool_)
    if not good.all():
        for number, (_, onset, offset, *_) in rows:
            _require_span(path, number, onset, offset)
    return FileSpans(
        files=tuple(files),
        file=np.fromiter((index[fields[0]] for _, fields in rows), np.int32, len(rows)),
        onset_s=onset_s,
        offset_s=offset_s,
        line=np.array([number for number, _ in rows], np.int32),
    )


def _require_span(path: Path | str, number: int, onset: str, offset: str) -> None:
    """Raise the error of one line's times, if they have one."""
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


@dataclass(frozen=True, slots=True, eq=False)
class AlignmentTier:
    """One level of annotation: labelled spans sorted by file and time.

    Onsets and offsets both ascend within a file, so the labels that meet a stretch of time are
    consecutive rows. ``labels`` is the sorted table that ``label`` points into.
    """

    spans: FileSpans
    labels: tuple[str, ...]
    label: Int32s = field()  # (n,) index into labels

    def __len__(self) -> int:
        return len(self.label)


def parse_alignment(stream: BinaryIO, path: Path | str = "<stream>") -> AlignmentTier:
    """Read an alignment.

    Raises:
        InputError: a line has not four fields, its times are malformed, or one label lies inside
            another of the same file, so that their order in time is in doubt.
    """
    found = [(number, fields) for number, fields in lines(stream, path) if fields]
    for number, fields in found:
        if len(fields) != 4:
            raise InputError(path, number, "file onset offset symbol", " ".join(fields))
    if not found:
        raise InputError(
            path, 0, "at least one line: file onset offset symbol", Unquoted("nothing")
        )
    labels = sorted({fields[3] for _, fields in found})
    index = {symbol: i for i, symbol in enumerate(labels)}
    label = np.fromiter((index[fields[3]] for _, fields in found), np.int32, len(found))
    return _in_order(path, AlignmentTier(spans(path, found), tuple(labels), label))


def _in_order(path: Path | str, tier: AlignmentTier) -> AlignmentTier:
    """Sort by file and time, drop repeated lines and refuse labels inside others."""
    rows = tier.spans
    order = np.lexsort((tier.label, rows.offset_s, rows.onset_s, rows.file))
    columns = (rows.file, rows.onset_s, rows.offset_s, tier.label)
    file, onset, offset, label = (column[order] for column in columns)
    same_span = (file[1:] == file[:-1]) & (onset[1:] == onset[:-1]) & (offset[1:] == offset[:-1])
    repeated = np.append(False, same_span & (label[1:] == label[:-1]))
    keep = order[~repeated]
    kept = replace(
        rows,
        file=rows.file[keep],
        onset_s=rows.onset_s[keep],
        offset_s=rows.offset_s[keep],
        line=rows.line[keep],
    )
    same_file = kept.file[1:] == kept.file[:-1]
    inside = (kept.onset_s[1:] == kept.onset_s[:-1]) | (kept.offset_s[1:] <= kept.offset_s[:-1])
    wrong = np.flatnonzero(same_file & inside)
    if len(wrong):
        first, second = kept.line[wrong[0]], kept.line[wrong[0] + 1]
        raise InputError(
            path,
            int(second),
            f"labels that follow each other, and line {first} is one label with this one inside",
            f"{kept.onset_s[wrong[0] + 1]} {kept.offset_s[wrong[0] + 1]}",
        )
    return AlignmentTier(kept, tier.labels, tier.label[keep])


HEADER = "Class"


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """Discovered classes; row i says that fragment ``spans[i]`` is a member of ``member_of[i]``.

    Rows stand in file order, repeated members included.
    """

    ids: tuple[str, ...]
    member_of: Int32s  # (n,) index into ids
    spans: FileSpans


def parse_classes(stream: BinaryIO, path: Path | str = "<stream>") -> Classes:
    """Read a class file; classes may be empty, and so may the file: nothing was discovered.

    Raises:
        InputError: a member stands before the first header or after the blank line that closed
            its class, a header follows a member without a blank line, a class id comes twice, a
            line is neither header nor ``file onset offset``, or its times are malformed.
    """
    header_line: dict[str, int] = {}
    is_open = False
    members: list[Line] = []
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
            members.append((number, fields))
            member_of.append(len(header_line) - 1)
    return Classes(
        ids=tuple(header_line),
        member_of=np.asarray(member_of, dtype=np.int32),
        spans=spans(path, members),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Folds:
    """Parts of a corpus; interval ``spans[i]`` belongs to fold ``fold[i]`` of ``count``."""

    count: int
    fold: Int32s  # (n,) 0-based
    spans: FileSpans


def parse_folds(stream: BinaryIO, path: Path | str = "<stream>") -> Folds:
    """Read folds.

    Raises:
        InputError: a line has not three fields, its times are malformed, or there is no line.
    """
    fold: list[int] = []
    intervals: list[Line] = []
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
        intervals.append((number, fields))
    if not intervals:
        raise InputError(path, 0, "at least one line: file onset offset", Unquoted("nothing"))
    return Folds(count, np.asarray(fold, np.int32), spans(path, intervals))


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
