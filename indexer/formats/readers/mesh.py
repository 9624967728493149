"""SRILM word meshes (confusion networks), one or many per file.

    mesh  := ["name" NAME] "numaligns" N ["posterior" P] ( align | info | other )*
    align := "align" SLOT ( WORD POSTERIOR )+             slots 0..N-1, in any order
    info  := "info" SLOT WORD START DURATION [ASCORE GSCORE PHONES DURATIONS]      seconds
    other := ("reference" | "hyps" | "time" | "version") ...                       not used

``*DELETE*`` and other non-words are the slot's epsilon; posteriors are divided by P. Files
without ``info`` have no times: they need ``segments``. A mesh without a name is named after
its file and its place in it. All times are seconds in the recording, which is named after the
file unless told otherwise.

Source: SRILM's manual page wlat-format(5); written by ``lattice-tool -write-mesh`` and
``nbest-lattice -use-mesh -write``.

    parse       blocks of whole meshes (`mesh_bulk`); unusual ones line by line
"""

from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from indexer.formats.shared import mesh_bulk
from indexer.formats.shared.mesh_bulk import UNUSED, unnamed
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions, lacks_where
from indexer.formats.shared.recordings import recording_for
from indexer.networks.columns import utterances_of
from indexer.networks.raw import NetworkBuilder, RawUtterances
from indexer.networks.utterances import Utterances
from std.errors import EMPTY_FILE, InputError, Unquoted
from std.fields import number, shown, text, whole_number
from std.ranges import MAX_UTTERANCE_BYTES
from std.repairs import REFUSED, UNKNOWN, Repairs
from std.values import Recording

BLOCK_BYTES = 1 << 20


def looks_like(head: bytes) -> bool:
    """Whether a file with this beginning is a word mesh."""
    words = head.removeprefix(BOM_UTF8).split(None, 1)
    return bool(words) and words[0] in (b"name", b"numaligns") and b"numaligns" in head


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield a file's meshes in order.

    Raises:
        InputError: the bytes are not a mesh file, are cut short, or contradict themselves.
    """
    recording = recording_for(path, options)
    meshes = line = 0
    for block in _blocks(stream, path):
        columns = mesh_bulk.columns_of(block, recording, meshes, line)
        if columns is None:
            columns = parse_strictly(block, path, recording, meshes, line, options.repairs)
        meshes += len(columns.utterances)
        line += int(np.count_nonzero(np.frombuffer(block, np.uint8) == ord("\n")))
        yield utterances_of(columns, path, options.segments, options.one_best, options.nonwords)
    if not meshes:
        raise InputError(path, 0, "a word mesh", EMPTY_FILE)


def _blocks(stream: BinaryIO, path: Path | str) -> Iterator[bytes]:
    """Cut the stream where a mesh begins, in blocks of about a megabyte."""
    rest = stream.read(BLOCK_BYTES).removeprefix(BOM_UTF8)
    first = b"\nname " if rest.lstrip().startswith(b"name ") else b"\nnumaligns "
    while more := stream.read(BLOCK_BYTES):
        cut = rest.rfind(first) + 1
        if cut:
            yield rest[:cut]
        rest = rest[cut:] + more
        if len(rest) > MAX_UTTERANCE_BYTES:
            raise InputError(
                path, 0, f"meshes of at most {MAX_UTTERANCE_BYTES} bytes", Unquoted("a longer one")
            )
    if rest.strip():
        yield rest


def parse_strictly(
    block: bytes,
    path: Path | str,
    recording: Recording,
    meshes: int = 0,
    line: int = 0,
    repairs: Repairs = REFUSED,
) -> RawUtterances:
    """Read whole meshes line by line.

    Args:
        meshes: how many meshes the file had before this block.
        line: how many lines the file had before this block.

    Raises:
        InputError: the first line that is invalid.
    """
    builder = NetworkBuilder(path, repairs=repairs)
    mesh: _Mesh | None = None
    for at, content in enumerate(block.split(b"\n"), start=line + 1):
        keyword, *fields = content.split() or [b""]
        if keyword == b"name":
            if mesh:
                mesh.finish(builder, at)
            meshes += 1
            mesh = _Mesh(path, at, recording, text(path, at, content.strip()[5:].strip()))
        elif keyword == b"numaligns":
            if mesh is None or mesh.slots is not None:
                if mesh:
                    mesh.finish(builder, at)
                meshes += 1
                mesh = _Mesh(path, at, recording, unnamed(recording, meshes))
            mesh.slots = whole_number(path, at, b" ".join(fields), "numaligns and a count")
        elif mesh and mesh.slots is not None and keyword in (b"posterior", b"align", b"info"):
            mesh.read(at, keyword, fields)
        elif keyword and keyword not in UNUSED:
            raise InputError(
                path, at, "a word mesh's line (name, numaligns, align ...)", shown(content)
            )
    if mesh:
        mesh.finish(builder, line + block.count(b"\n") + 1)
    return builder.columns()


class _Mesh:
    """One mesh while its lines are read: slots may come in any order."""

    def __init__(self, path: Path | str, line: int, recording: Recording, name: str) -> None:
        self.path, self.line, self.recording, self.name = path, line, recording, name
        self.slots: int | None = None
        self.scale = 1.0
        self.aligns: dict[int, tuple[int, list[tuple[str, float]]]] = {}
        self.infos: dict[tuple[int, str], tuple[int, float, float]] = {}

    def read(self, line: int, keyword: bytes, fields: list[bytes]) -> None:
        if keyword == b"posterior":
            self.scale = number(self.path, line, b" ".join(fields), "posterior and a number")
            if self.scale <= 0:
                raise InputError(self.path, line, "a posterior above 0", f"{self.scale:g}")
            return
        slot = whole_number(self.path, line, (fields or [b""])[0], "a slot number")
        if slot >= (self.slots or 0):
            raise InputError(self.path, line, f"a slot below numaligns {self.slots}", str(slot))
        if keyword == b"align":
            self._align(line, slot, fields[1:])
        else:
            self._info(line, slot, fields[1:])

    def _align(self, line: int, slot: int, fields: list[bytes]) -> None:
        if slot in self.aligns:
            raise InputError(self.path, line, "each slot once", f"align {slot} again")
        if not fields or len(fields) % 2:
            raise InputError(
                self.path, line, "pairs of word and posterior", shown(b" ".join(fields))
            )
        self.aligns[slot] = (
            line,
            [
                (text(self.path, line, word), number(self.path, line, mass, "a posterior"))
                for word, mass in zip(fields[::2], fields[1::2], strict=True)
            ],
        )

    def _info(self, line: int, slot: int, fields: list[bytes]) -> None:
        if len(fields) < 3:
            raise InputError(
                self.path, line, "info slot word start duration", shown(b" ".join(fields))
            )
        word = text(self.path, line, fields[0])
        if (slot, word) in self.infos:
            raise InputError(self.path, line, "one info for each word of a slot", word)
        start = number(self.path, line, fields[1], "a start in seconds")
        duration = number(self.path, line, fields[2], "a duration in seconds")
        self.infos[slot, word] = line, start, start + duration

    def finish(self, builder: NetworkBuilder, end_line: int) -> None:
        """Write the mesh down; ``end_line`` is where another one or the file's end begins."""
        if len(self.aligns) != self.slots:
            raise InputError(
                self.path,
                end_line,
                f"{self.slots} align lines in {self.name}",
                str(len(self.aligns)),
            )
        builder.utterance(self.line, self.recording, self.name)
        for slot, (line, words) in sorted(self.aligns.items()):
            builder.slot(line)
            for word, mass in words:
                at, start, end = self.infos.pop((slot, word), (line, UNKNOWN, UNKNOWN))
                builder.word(line, word, mass / self.scale, start, end, times_line=at)
        for (slot, word), (line, *_) in self.infos.items():
            raise InputError(self.path, line, f"a word of slot {slot}", word)


READER = FormatReader(
    name="mesh",
    title="SRILM word mesh",
    section="srilm-word-mesh",
    content="networks",
    needs="times, if it has no `info` lines",
    kinds=("text",),
    looks_like=looks_like,
    parse=parse,
    sample=(
        b"name x\n"
        b"numaligns 2\n"
        b"posterior 1\n"
        b"align 0 das 0.97 *DELETE* 0.03\n"
        b"info 0 das 0 0.21 0 0 0\n"
        b"align 1 haus 1\n"
        b"info 1 haus 0.21 0.44 0 0 0\n"
    ),
    words=("das", "haus"),
    lacks=lacks_where(rb"(?m)^(align|info) \d+ \S", "numaligns N in one of the first two lines"),
    extensions=("mesh",),
)
