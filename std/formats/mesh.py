"""SRILM word meshes (confusion networks), one or many per file.

    mesh  := ["name" NAME] "numaligns" N ["posterior" P] ( align | info | other )*
    align := "align" SLOT ( WORD POSTERIOR )+             slots 0..N-1, in any order
    info  := "info" SLOT WORD START DURATION [ASCORE GSCORE PHONES DURATIONS]      seconds
    other := ("reference" | "hyps" | "time" | "version") ...                       not used

``*DELETE*`` and other non-words are the slot's epsilon; posteriors are divided by P. Files
without ``info`` carry no times: they need ``segments``. A mesh without a name is called after
its file and its place in it. All times are seconds in the recording, which is named after the
file unless told otherwise.

Source: SRILM's manual page wlat-format(5); written by ``lattice-tool -write-mesh`` and
``nbest-lattice -use-mesh -write``.

    parse            blocks of whole meshes: _fast, and where that will not do, _careful
    dump             what parse reads
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import numpy as np

from std.errors import InputError
from std.formats.columns import Columns, is_sound, networks
from std.formats.context import DEFAULT, Context
from std.formats.draft import UNKNOWN, Draft
from std.formats.fields import number, shown, text, whole_number
from std.formats.recordings import recording_of
from std.slot_times import Int64s
from std.values import ConfusionNetwork, Float64s, Recording

BLOCK_BYTES = 1 << 22
EPSILON = "*DELETE*"
BOM = b"\xef\xbb\xbf"
INFO_FIELDS = 9  # as SRILM writes them: info slot word start duration and four more
USED = (b"name", b"numaligns", b"posterior", b"align", b"info")
UNUSED = (b"reference", b"hyps", b"time", b"version")


def looks_like(head: bytes) -> bool:
    """Tell whether a file that begins like this is a word mesh."""
    words = head.removeprefix(BOM).split(None, 1)
    return bool(words) and words[0] in (b"name", b"numaligns") and b"numaligns" in head


def parse(
    stream: BinaryIO, path: Path | str, context: Context = DEFAULT
) -> Iterator[ConfusionNetwork]:
    """Yield a file's meshes in order.

    Args:
        stream: the file's bytes, UTF-8.
        path: its name, for messages and for the recording's name.
        context: the recording's name, where it is not the file's; the meshes' segments.

    Raises:
        InputError: the bytes are not a mesh file, are cut short, or contradict themselves.
    """
    recording = recording_of(path, context.file, context.channel)
    meshes = line = 0
    for block in _blocks(stream):
        columns = _fast(block, recording, meshes, line)
        if columns is None:
            columns = careful(block, path, recording, meshes, line)
        meshes += len(columns.utterances)
        line += block.count(b"\n")
        yield from networks(columns, path, context.segments)
    if not meshes:
        raise InputError(path, 0, "a word mesh", "an empty file")


def _blocks(stream: BinaryIO) -> Iterator[bytes]:
    """Cut the stream where a mesh begins, in blocks of some megabytes."""
    rest = stream.read(BLOCK_BYTES).removeprefix(BOM)
    first = b"\nname " if rest.lstrip().startswith(b"name ") else b"\nnumaligns "
    while more := stream.read(BLOCK_BYTES):
        cut = rest.rfind(first) + 1
        if cut:
            yield rest[:cut]
        rest = rest[cut:] + more
    if rest.strip():
        yield rest


def _fast(block: bytes, recording: Recording, meshes: int, line: int) -> Columns | None:
    """Convert whole columns at once; None if anything in the block is out of the ordinary."""
    try:
        columns = _bulk(block, recording, meshes, line)
    except (ValueError, IndexError, KeyError, OverflowError, MemoryError):
        return None
    return columns if columns and is_sound(columns) else None


def _bulk(block: bytes, recording: Recording, meshes: int, line: int) -> Columns | None:
    at = _lines_by_keyword(block)
    if at is None:
        return None
    lines = block.split(b"\n")
    names, sizes, scales = ([lines[i] for i in at[word].tolist()] for word in USED[:3])
    begins = at[b"name"] if names else at[b"numaligns"]
    ends = np.append(begins[1:], len(lines))
    if (
        not len(begins) == len(sizes) == len(scales)
        or not (
            (begins <= at[b"numaligns"]) & (begins < at[b"posterior"]) & (at[b"numaligns"] < ends)
        ).all()
    ):
        return None
    slots = np.array([int(one.split()[1]) for one in sizes], dtype=np.int64)
    scale = np.array([float(one.split()[1]) for one in scales], dtype=np.float64)
    if (slots < 0).any() or not ((scale > 0) & np.isfinite(scale)).all():
        return None
    bounds = np.concatenate([[0], np.cumsum(slots)])

    fields = [lines[i].split() for i in at[b"align"].tolist()]
    mesh = np.searchsorted(begins, at[b"align"], "right") - 1
    number = _global(np.array([int(one[1]) for one in fields], dtype=np.int64), mesh, bounds)
    ranks = np.argsort(number)
    if not np.array_equal(number[ranks], np.arange(bounds[-1])):
        return None  # a slot is missing, there twice, or beyond numaligns
    fields = [fields[i] for i in ranks.tolist()]
    widths = np.array([len(one) for one in fields], dtype=np.int64)
    if (widths < 4).any() or (widths % 2).any():
        return None
    offsets = np.concatenate([[0], np.cumsum(widths // 2 - 1)])
    tokens = list(chain.from_iterable([one[2::2] for one in fields]))
    written = chain.from_iterable([one[3::2] for one in fields])
    posteriors = np.fromiter(map(float, written), np.float64, len(tokens))
    scale_of = np.repeat(np.repeat(scale, slots), np.diff(offsets))

    infos = [lines[i] for i in at[b"info"].tolist()]
    mesh = np.searchsorted(begins, at[b"info"], "right") - 1
    ids = {token: i for i, token in enumerate(dict.fromkeys(tokens))}
    words = np.fromiter(map(ids.__getitem__, tokens), np.int64, len(tokens))
    keys = np.repeat(np.arange(len(fields)), np.diff(offsets)) * len(ids) + words
    spans = _spans(b" ".join(infos).split(), mesh, bounds, keys, ids)
    if spans is None:
        return None
    first = meshes + 1
    return Columns(
        [recording] * len(slots),
        [one[5:].strip().decode() for one in names]
        or [_unnamed(recording, i + first) for i in range(len(sizes))],
        line + begins + 1,
        np.full((len(slots), 2), np.nan),
        bounds,
        np.full((len(fields), 2), np.nan),
        np.zeros(len(fields)),
        offsets,
        [token.decode() for token in ids],
        words,
        posteriors / scale_of,
        spans,
    )


def _lines_by_keyword(block: bytes) -> dict[bytes, Int64s] | None:
    """Find the (0-based) lines of each keyword; None if a line begins with no keyword."""
    letters = np.frombuffer(block + b"\n" * 16, dtype=np.uint8)
    starts = np.concatenate([[0], np.flatnonzero(letters[: len(block)] == ord("\n")) + 1])
    heads = letters[starts].astype(np.uint16) * 256 + letters[starts + 1]
    at = {word: np.flatnonzero(heads == word[0] * 256 + word[1]) for word in USED + UNUSED}
    blank = np.count_nonzero(letters[starts] == ord("\n"))
    if blank + sum(map(len, at.values())) != len(starts):
        return None
    whole = all(
        (letters[starts[found] + i] == letter).all()
        for word, found in at.items()
        for i, letter in enumerate(word + b" ")
    )
    return at if whole else None


def _global(slots: Int64s, mesh: Int64s, bounds: Int64s) -> Int64s:
    """Number slots through all meshes; -1 for a slot that its mesh has not."""
    return np.where((slots >= 0) & (slots < np.diff(bounds)[mesh]), slots + bounds[mesh], -1)


def _spans(
    infos: list[bytes], mesh: Int64s, bounds: Int64s, keys: Int64s, ids: dict[bytes, int]
) -> Float64s | None:
    """Find each alternative's times by its slot and word; None if an info line fits none.

    Args:
        infos: the fields of all info lines.
        mesh: (i,) mesh of each info line.
        bounds: first slot of each mesh.
        keys: (m,) slot * len(ids) + word of each alternative.
        ids: word -> its number.
    """
    spans, count = np.full((len(keys), 2), np.nan), len(mesh)
    if len(infos) != INFO_FIELDS * count or infos[::INFO_FIELDS].count(b"info") != count:
        return None
    if not count:
        return spans
    _, slots, words, starts, durations = (infos[i::INFO_FIELDS] for i in range(5))
    places = _global(np.fromiter(map(int, slots), np.int64, count), mesh, bounds)
    wanted = places * len(ids) + np.fromiter(map(ids.__getitem__, words), np.int64, count)
    ranks = np.argsort(keys)
    found = ranks[np.searchsorted(keys, wanted, sorter=ranks).clip(max=len(keys) - 1)]
    start = np.fromiter(map(float, starts), np.float64, count)
    end = start + np.fromiter(map(float, durations), np.float64, count)
    if (keys[found] != wanted).any() or np.bincount(found).max() > 1 or not np.isfinite(end).all():
        return None
    spans[found, 0], spans[found, 1] = start, end
    return spans


def _unnamed(recording: Recording, number: int) -> str:
    return f"{recording.file}-{number}"


def careful(
    block: bytes, path: Path | str, recording: Recording, meshes: int = 0, line: int = 0
) -> Columns:
    """Read whole meshes line by line.

    Args:
        block: the meshes' bytes.
        path, recording: as for `parse`.
        meshes: how many meshes the file had before this block.
        line: how many lines the file had before this block.

    Raises:
        InputError: the first line that is not as it should be.
    """
    draft = Draft(path)
    mesh: _Mesh | None = None
    for at, content in enumerate(block.split(b"\n"), start=line + 1):
        keyword, *fields = content.split() or [b""]
        if keyword == b"name":
            if mesh:
                mesh.finish(draft, at)
            meshes += 1
            mesh = _Mesh(path, at, recording, text(path, at, content.strip()[5:].strip()))
        elif keyword == b"numaligns":
            if mesh is None or mesh.slots is not None:
                if mesh:
                    mesh.finish(draft, at)
                meshes += 1
                mesh = _Mesh(path, at, recording, _unnamed(recording, meshes))
            mesh.slots = whole_number(path, at, b" ".join(fields), "numaligns and a count")
        elif mesh and mesh.slots is not None and keyword in (b"posterior", b"align", b"info"):
            mesh.read(at, keyword, fields)
        elif keyword and keyword not in UNUSED:
            raise InputError(
                path, at, "a word mesh's line (name, numaligns, align ...)", shown(content)
            )
    if mesh:
        mesh.finish(draft, line + block.count(b"\n") + 1)
    return draft.columns()


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

    def finish(self, draft: Draft, end_line: int) -> None:
        """Write the mesh down; ``end_line`` is where another one or the file's end begins."""
        if len(self.aligns) != self.slots:
            raise InputError(
                self.path,
                end_line,
                f"{self.slots} align lines in {self.name}",
                str(len(self.aligns)),
            )
        draft.utterance(self.line, self.recording, self.name)
        for slot, (line, words) in sorted(self.aligns.items()):
            draft.slot(line)
            for word, mass in words:
                at, start, end = self.infos.pop((slot, word), (line, UNKNOWN, UNKNOWN))
                draft.word(line, word, mass / self.scale, start, end, times_line=at)
        for (slot, word), (line, *_) in self.infos.items():
            raise InputError(self.path, line, f"a word of slot {slot}", word)


def dump(networks: Iterable[ConfusionNetwork], stream: BinaryIO) -> None:
    """Write networks as word meshes with ``info`` lines, times in the recording.

    A mesh has no place for slot times: reading derives them from the words' times again.

    Raises:
        ValueError: a word contains white space, which the format cannot carry.
    """
    for network in networks:
        lines = [f"name {network.utterance}", f"numaligns {len(network)}", "posterior 1"]
        for i, (_, _, epsilon, words) in enumerate(network):
            pairs = [f"{one.word} {one.posterior:.7g}" for one in words]
            if epsilon or not words:
                pairs.append(f"{EPSILON} {epsilon:.7g}")
            lines.append(f"align {i} {' '.join(pairs)}")
            for word, _, start, end in words:
                if len(word.split()) != 1:
                    raise ValueError(f"a mesh cannot carry the word {word!r}")
                lines.append(
                    f"info {i} {word} {start / 1000:.3f} {(end - start) / 1000:.3f} 0 0 : :"
                )
        stream.write(("\n".join(lines) + "\n").encode())
