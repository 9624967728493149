"""Phone and word alignments of the ZeroSpeech challenges: ``file onset offset symbol`` lines.

One line per phone (``.phn``) or word (``.wrd``), times in seconds. Blank lines are skipped, any
run of blanks separates fields, identical lines count once.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

import numpy as np

from scoring.discovery.formats.spans import FileSpans, lines, spans
from std.errors import InputError
from std.values import Int32s


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


def parse(stream: BinaryIO, path: Path | str = "<stream>") -> AlignmentTier:
    """Read an alignment.

    Raises:
        InputError: a line has not four fields, its times are malformed, or one label lies inside
            another of the same file, so that their order in time is in doubt.
    """
    numbers: list[int] = []
    names: list[str] = []
    onsets: list[str] = []
    offsets: list[str] = []
    symbols: list[str] = []
    for number, fields in lines(stream, path):
        if not fields:
            continue
        if len(fields) != 4:
            raise InputError(path, number, "file onset offset symbol", " ".join(fields))
        numbers.append(number)
        names.append(fields[0])
        onsets.append(fields[1])
        offsets.append(fields[2])
        symbols.append(fields[3])
    if not numbers:
        raise InputError(path, 0, "at least one line: file onset offset symbol", "nothing")
    rows = spans(path, numbers, names, onsets, offsets)
    labels = sorted(set(symbols))
    index = {symbol: i for i, symbol in enumerate(labels)}
    label = np.fromiter((index[symbol] for symbol in symbols), np.int32, len(symbols))
    return _in_order(path, AlignmentTier(rows, tuple(labels), label))


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
