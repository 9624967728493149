"""The fast way from word meshes to columns: whole columns are converted at once.

Lines are told apart by their first letters in the block's bytes; then all ``align`` lines are
split in one go, as are all ``info`` lines, and each alternative finds its times by slot and word.
Whatever is unusual is left to `std.formats.mesh.careful`, which reads the same and names errors.
"""

import numpy as np

from std.formats.columns import Columns, is_sound
from std.slot_times import Int64s
from std.values import Float64s, Recording

INFO_FIELDS = 9  # as SRILM writes them: info slot word start duration and four more
USED = (b"name", b"numaligns", b"posterior", b"align", b"info")
UNUSED = (b"reference", b"hyps", b"time", b"version")


def columns_of(block: bytes, recording: Recording, meshes: int, line: int) -> Columns | None:
    """Return the columns of a block of whole meshes; None if anything in it is unusual.

    Args:
        block: the meshes' bytes.
        recording: what they belong to.
        meshes: how many meshes the file had before this block.
        line: how many lines the file had before this block.
    """
    try:
        columns = _columns(block, recording, meshes, line)
    except (ValueError, IndexError, KeyError, OverflowError):
        return None
    return columns if columns and is_sound(columns) else None


def unnamed(recording: Recording, number: int) -> str:
    """Name a mesh that has no name after its place in the file."""
    return f"{recording.file}-{number}"


def _columns(block: bytes, recording: Recording, meshes: int, line: int) -> Columns | None:
    at = _lines_by_keyword(block)
    if at is None:
        return None
    lines = block.split(b"\n")
    names, sizes, scales, aligns, infos = ([lines[i] for i in at[word].tolist()] for word in USED)
    begins = at[b"name"] if names else at[b"numaligns"]
    if not len(begins) == len(sizes) == len(scales) or not all(
        np.array_equal(_mesh_of(at[word], begins), np.arange(len(begins)))
        for word in (b"numaligns", b"posterior")
    ):
        return None
    slots = np.array([int(one.split()[1]) for one in sizes], dtype=np.int64)
    scale = np.array([float(one.split()[1]) for one in scales], dtype=np.float64)
    if (slots < 0).any() or not ((scale > 0) & np.isfinite(scale)).all():
        return None
    bounds = np.concatenate([[0], np.cumsum(slots)])

    # An align line is pairs of tokens: its keyword and slot, then words and posteriors.
    pairs = np.array([one.count(b" ") + 1 for one in aligns], dtype=np.int64) // 2
    heads = np.cumsum(pairs) - pairs
    tokens = b" ".join(aligns).split()
    keywords, numbers = tokens[::2], _floats(tokens[1::2])
    if 2 * pairs.sum() != len(tokens) or (pairs < 2).any():
        return None
    if any(keywords[head] != b"align" for head in heads.tolist()):
        return None
    place = _global(numbers[heads], _mesh_of(at[b"align"], begins), bounds)
    if not np.array_equal(np.sort(place), np.arange(bounds[-1])):
        return None  # a slot is missing, there twice, or beyond numaligns
    ids = {token: i for i, token in enumerate(dict.fromkeys(keywords))}
    slot_of = np.delete(np.repeat(place, pairs), heads)
    words = np.delete(_numbered(keywords, ids), heads)
    posteriors = np.delete(numbers, heads)
    if (np.diff(place) < 0).any():
        order = np.argsort(slot_of, kind="stable")
        slot_of, words, posteriors = slot_of[order], words[order], posteriors[order]

    mesh = _mesh_of(at[b"info"], begins)
    spans = _spans(b" ".join(infos).split(), mesh, bounds, slot_of * len(ids) + words, ids)
    if spans is None:
        return None
    return Columns(
        [recording] * len(slots),
        [one[5:].strip().decode() for one in names]
        or [unnamed(recording, meshes + i + 1) for i in range(len(sizes))],
        line + begins + 1,
        np.full((len(slots), 2), np.nan),
        bounds,
        np.full((len(place), 2), np.nan),
        np.zeros(len(place)),
        np.concatenate([[0], np.cumsum(np.bincount(slot_of, minlength=len(place)))]),
        b"\n".join(ids).decode().split("\n"),
        words,
        posteriors / np.repeat(scale, slots)[slot_of],
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


def _mesh_of(lines: Int64s, begins: Int64s) -> Int64s:
    return np.searchsorted(begins, lines, "right") - 1


def _floats(tokens: list[bytes]) -> Float64s:
    return np.fromiter(map(float, tokens), np.float64, len(tokens))


def _numbered(tokens: list[bytes], ids: dict[bytes, int]) -> Int64s:
    return np.fromiter(map(ids.__getitem__, tokens), np.int64, len(tokens))


def _global(slots: Float64s, mesh: Int64s, bounds: Int64s) -> Int64s:
    """Number slots through all meshes; -1 for a slot that its mesh has not."""
    there = (slots >= 0) & (slots < np.diff(bounds)[mesh]) & (slots == np.floor(slots))
    return np.where(there, np.where(there, slots, 0).astype(np.int64) + bounds[mesh], -1)


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
    wanted = _global(_floats(slots), mesh, bounds) * len(ids) + _numbered(words, ids)
    ranks = np.argsort(keys)
    found = ranks[np.searchsorted(keys, wanted, sorter=ranks).clip(max=len(keys) - 1)]
    start = _floats(starts)
    end = start + _floats(durations)
    if (keys[found] != wanted).any() or np.bincount(found).max() > 1 or not np.isfinite(end).all():
        return None
    spans[found, 0], spans[found, 1] = start, end
    return spans
