"""PocketSphinx's own lattices, one per file, as ``Lattice.write()`` and ``-outlatdir`` make them.

    # -logbase 1.0001                          in a comment
    Frames N
    Nodes N (NODEID WORD STARTFRAME FIRST-ENDFRAME LAST-ENDFRAME)
    ID WORD START FIRST_END LAST_END ; ...
    Initial ID
    Final ID
    Edges (FROM-NODEID TO-NODEID ASCORE)
    FROM TO SCORE
    End

A node's word lasts from its start frame to the start frame of the node that follows. Scores are
acoustic only, logarithms to the base given; they are scaled by 1/20 as PocketSphinx does for
posteriors, or by ``acoustic_scale``. (Its HTK lattices have posteriors: they are worth more.)

Source: sphinxbase ``ps_lattice.c``.
"""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from indexer.formats.reader_options import DEFAULT, ReaderOptions
from indexer.formats.recordings import recording_for, recording_of
from indexer.lattices.lattice import Lattice, ordered
from indexer.networks.utterance_spans import span_of
from std.errors import InputError
from std.fields import number, numbered, shown, text, whole_number
from std.limits import MAX_LINKS, MAX_TIME_S

ACOUSTIC_SCALE = 1 / 20
LOG_BASE = 1.0001

_LOG_BASE = re.compile(rb"-logbase\s+(\S+)")


def looks_like(head: bytes) -> bool:
    """Tell whether a file that begins like this is a lattice of PocketSphinx's own."""
    lines = [line for line in head.split(b"\n") if line.strip() and not line.startswith(b"#")]
    return len(lines) > 1 and lines[0].startswith(b"Frames ") and lines[1].startswith(b"Nodes ")


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Lattice]:
    """Yield the file's lattice.

    Raises:
        InputError: the file is not a lattice, is cut short, or contradicts itself.
    """
    part, at, log_base = b"", 0, LOG_BASE
    starts: dict[int, float] = {}
    words: dict[int, str] = {}
    ends: dict[bytes, int] = {}
    edges: list[tuple[int, int, float]] = []
    for at, line in numbered(stream, path):
        fields = line.split()
        if line.startswith(b"#"):
            if found := _LOG_BASE.search(line):
                log_base = number(path, at, found[1], "a base of logarithms")
        elif not fields or part == b"End":
            continue
        elif fields[0] in (b"Frames", b"Nodes", b"BestSegAscr", b"Edges", b"End"):
            part = fields[0]
            if part == b"Edges" and b"ENDFRAME" in line:
                raise InputError(path, at, "edges between nodes", shown(line.strip()))
        elif fields[0] in (b"Initial", b"Final"):
            ends[fields[0]] = _node(path, at, fields, 1, starts)
        elif part == b"Nodes" and len(fields) >= 5:
            node = whole_number(path, at, fields[0], "a node's number")
            if node in starts:
                raise InputError(path, at, "each node once", str(node))
            frame = whole_number(path, at, fields[2], "a start frame")
            starts[node], words[node] = frame * options.frame_s, text(path, at, fields[1])
            if starts[node] > MAX_TIME_S:
                raise InputError(path, at, f"times up to {MAX_TIME_S} s", f"{starts[node]:g}")
        elif part == b"Edges" and len(fields) == 3:
            first, second = (_node(path, at, fields, i, starts) for i in (0, 1))
            edges.append((first, second, number(path, at, fields[2], "a score")))
            if starts[first] > starts[second]:
                raise InputError(path, at, "an edge forward in time", shown(line.strip()))
            if len(edges) > MAX_LINKS:
                raise InputError(path, at, f"at most {MAX_LINKS} edges", "one more")
        elif part != b"BestSegAscr":
            raise InputError(path, at, "a line of a PocketSphinx lattice", shown(line.strip()))
    if part != b"End" or len(ends) < 2:
        raise InputError(path, at, "a whole lattice with Initial, Final and End", "the file's end")
    if log_base <= 1:
        raise InputError(path, 0, "a base of logarithms above 1", f"{log_base:g}")
    scale = ACOUSTIC_SCALE if options.acoustic_scale is None else options.acoustic_scale
    recording, offset = recording_for(path, options), 0.0
    utterance = recording_of(path).file
    if options.segments is not None:
        recording, offset, _ = span_of(options.segments, utterance, path, 0)
    place = {node: i for i, node in enumerate(starts)}
    try:
        yield ordered(
            recording,
            utterance,
            [offset + start for start in starts.values()],
            [place[first] for first, _, _ in edges],
            [place[second] for _, second, _ in edges],
            [words[first] for first, _, _ in edges],
            [scale * math.log(log_base) * score for _, _, score in edges],
            [place[ends[b"Initial"]]],
            [place[ends[b"Final"]]],
        )
    except ValueError as error:
        raise InputError(path, 0, "paths from start to end", str(error)) from error


def _node(
    path: Path | str, at: int, fields: list[bytes], which: int, known: dict[int, float]
) -> int:
    node = whole_number(path, at, (*fields, b"", b"")[which], "a node's number")
    if node not in known:
        raise InputError(path, at, "a node listed above", str(node))
    return node
