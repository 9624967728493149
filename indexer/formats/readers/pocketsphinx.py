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
posteriors, or by ``acoustic_scale``. (Prefer its HTK lattices, which have posteriors.)

Source: sphinxbase ``ps_lattice.c``.
"""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions, lacks_where
from indexer.formats.shared.recordings import recording_for, recording_of
from indexer.lattices.lattice import Lattice, forward_in_time, ordered
from indexer.networks.utterances import span_of
from std.errors import InputError, Unquoted
from std.fields import number, numbered, shown, text, whole_number
from std.ranges import MAX_LINKS, MAX_TIME_S

ACOUSTIC_SCALE = 1 / 20
LOG_BASE = 1.0001

_LOG_BASE = re.compile(rb"-logbase\s+(\S+)")


def looks_like(head: bytes) -> bool:
    """Whether a file with this beginning is a lattice of PocketSphinx's own."""
    lines = [line for line in head.split(b"\n") if line.strip() and not line.startswith(b"#")]
    return len(lines) > 1 and lines[0].startswith(b"Frames ") and lines[1].startswith(b"Nodes ")


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Lattice]:
    """Yield the file's lattice.

    Raises:
        InputError: the file is not a lattice, is cut short, or contradicts itself.
    """
    lattice, at = _Reader(path, options), 0
    for at, line in numbered(stream, path):
        lattice.read(at, line)
    lattice.require_whole(at)
    yield lattice.ordered()


class _Reader:
    """A lattice while its lines are read."""

    def __init__(self, path: Path | str, options: ReaderOptions) -> None:
        self.path, self.options = path, options
        self.part = b""  # the keyword that began it
        self.log_base = LOG_BASE
        self.starts_s: dict[int, float] = {}  # by node
        self.words: dict[int, str] = {}
        self.ends: dict[bytes, int] = {}  # the nodes Initial and Final
        self.edges: list[tuple[int, int, float]] = []  # from, to, score
        self.lines: list[tuple[int, bytes]] = []  # of the edges

    def read(self, at: int, line: bytes) -> None:
        fields = line.split()
        if line.startswith(b"#"):
            if base := _LOG_BASE.search(line):
                self.log_base = number(self.path, at, base[1], "a base of logarithms")
        elif not fields or self.part == b"End":
            return
        elif fields[0] in (b"Frames", b"Nodes", b"BestSegAscr", b"Edges", b"End"):
            self.part = fields[0]
            if self.part == b"Edges" and b"ENDFRAME" in line:
                raise InputError(self.path, at, "edges between nodes", shown(line.strip()))
        elif fields[0] in (b"Initial", b"Final"):
            self.ends[fields[0]] = _node(self.path, at, fields, 1, self.starts_s)
        elif self.part == b"Nodes" and len(fields) >= 5:
            self._read_node(at, fields)
        elif self.part == b"Edges" and len(fields) == 3:
            self._read_edge(at, line, fields)
        elif self.part != b"BestSegAscr":
            raise InputError(self.path, at, "a line of a PocketSphinx lattice", shown(line.strip()))

    def _read_node(self, at: int, fields: list[bytes]) -> None:
        node = whole_number(self.path, at, fields[0], "a node's number")
        if node in self.starts_s:
            raise InputError(self.path, at, "each node once", str(node))
        start_s = whole_number(self.path, at, fields[2], "a start frame") * self.options.frame_s
        self.starts_s[node], self.words[node] = start_s, text(self.path, at, fields[1])
        if start_s > MAX_TIME_S:
            raise InputError(self.path, at, f"times up to {MAX_TIME_S} s", f"{start_s:g}")

    def _read_edge(self, at: int, line: bytes, fields: list[bytes]) -> None:
        first, second = (_node(self.path, at, fields, i, self.starts_s) for i in (0, 1))
        self.edges.append((first, second, number(self.path, at, fields[2], "a score")))
        self.lines.append((at, line))
        if len(self.edges) > MAX_LINKS:
            raise InputError(self.path, at, f"at most {MAX_LINKS} edges", Unquoted("one more"))

    def require_whole(self, at: int) -> None:
        """Refuse a lattice that is cut short; ``at`` is the last line."""
        if self.part != b"End" or len(self.ends) < 2:
            expected = "a whole lattice with Initial, Final and End"
            raise InputError(self.path, at, expected, Unquoted("the file's end"))
        if self.log_base <= 1:
            raise InputError(self.path, 0, "a base of logarithms above 1", f"{self.log_base:g}")

    def ordered(self) -> Lattice:
        """The lattice, with scores scaled and times in the recording."""
        options = self.options
        scale = ACOUSTIC_SCALE if options.acoustic_scale is None else options.acoustic_scale
        recording, offset_s = recording_for(self.path, options), 0.0
        utterance = recording_of(self.path).file
        if options.segments is not None:
            recording, offset_s, _ = span_of(options.segments, utterance, self.path, 0)
        row = {node: i for i, node in enumerate(self.starts_s)}
        source = np.array([row[first] for first, _, _ in self.edges], np.int64)
        target = np.array([row[second] for _, second, _ in self.edges], np.int64)
        starts_s = forward_in_time(
            np.array([*self.starts_s.values()]), source, target, self._problem, options.repairs
        )
        try:
            return ordered(
                recording,
                utterance,
                offset_s + starts_s,
                source,
                target,
                [self.words[first] for first, _, _ in self.edges],
                [scale * math.log(self.log_base) * score for _, _, score in self.edges],
                [row[self.ends[b"Initial"]]],
                [row[self.ends[b"Final"]]],
            )
        except ValueError as error:
            raise InputError(
                self.path, 0, "paths from start to end", Unquoted(str(error))
            ) from error

    def _problem(self, edge: int) -> InputError:
        at, line = self.lines[edge]
        return InputError(self.path, at, "an edge forward in time", shown(line.strip()))


def _node(
    path: Path | str, at: int, fields: list[bytes], which: int, known: dict[int, float]
) -> int:
    node = whole_number(path, at, (*fields, b"", b"")[which], "a node's number")
    if node not in known:
        raise InputError(path, at, "a node listed above", str(node))
    return node


READER = FormatReader(
    name="pocketsphinx",
    title="PocketSphinx lattices",
    section="pocketsphinx-lattices",
    content="lattice",
    needs="`--segments`",
    kinds=("text",),
    looks_like=looks_like,
    parse=parse,
    sample=(
        b"# getcwd: /x\n"
        b"# -logbase 1.0001\n"
        b"Frames 65\n"
        b"#\n"
        b"Nodes 3 (NODEID WORD STARTFRAME FIRST-ENDFRAME LAST-ENDFRAME)\n"
        b"2 </s> 64 64 64\n"
        b"1 haus 21 63 63\n"
        b"0 das 0 20 20\n"
        b"#\n"
        b"Initial 0\n"
        b"Final 2\n"
        b"#\n"
        b"BestSegAscr 0 (NODEID ENDFRAME ASCORE)\n"
        b"#\n"
        b"Edges (FROM-NODEID TO-NODEID ASCORE)\n"
        b"0 1 -100\n"
        b"1 2 -100\n"
        b"End\n"
    ),
    words=("das", "haus"),
    lacks=lacks_where(rb"(?m)^(Nodes|Edges|Frames) ", "Frames and then Nodes in the first lines"),
)
