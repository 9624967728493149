"""The fast way from word meshes to columns: whole columns are converted at once.

All tokens of a block are cut, told apart and read as numbers together (`std.formats.tokens`).
A line is what its first token says; each alternative finds its times by slot and word. Whatever
is unusual is left to `std.formats.mesh.careful`, which reads the same and names errors.
"""

from typing import NamedTuple

import numpy as np

from std.formats.columns import Columns, is_sound
from std.formats.tokens import Tokens, tokenized
from std.slot_times import Int64s
from std.values import Bools, Float64s, Recording

USED = (b"name", b"numaligns", b"posterior", b"align", b"info")
UNUSED = (b"reference", b"hyps", b"time", b"version")


class _Lines(NamedTuple):
    """All lines of one keyword."""

    number: Int64s  # (k,) in the block, from 0
    mesh: Int64s  # (k,) in the block, from 0
    head: Int64s  # (k,) the line's first token, the keyword
    tokens: Int64s  # (k,) how many it has


class _Alternatives(NamedTuple):
    """The pairs of all align lines, slot by slot."""

    slot: Int64s  # (m,) through all meshes
    word: Int64s  # (m,) token
    posterior: Int64s  # (m,) token


def columns_of(block: bytes, recording: Recording, meshes: int, line: int) -> Columns | None:
    """Return the columns of a block of whole meshes; None if anything in it is unusual.

    Args:
        block: the meshes' bytes.
        recording: what they belong to.
        meshes: how many meshes the file had before this block.
        line: how many lines the file had before this block.
    """
    try:
        with np.errstate(over="ignore"):  # what is too large is not sound
            columns = _columns(block, recording, meshes, line)
    except (ValueError, IndexError):  # a number, or a line that ends too early
        return None
    return columns if columns and is_sound(columns) else None


def unnamed(recording: Recording, number: int) -> str:
    """Name a mesh that has no name after its place in the file."""
    return f"{recording.file}-{number}"


def _columns(block: bytes, recording: Recording, meshes: int, line: int) -> Columns | None:
    tokens = tokenized(block)
    lines = _lines_by_keyword(tokens)
    if lines is None:
        return None
    names, sizes, scales, aligns, infos = (lines[keyword] for keyword in USED)
    scale = tokens.numbers(scales.head + 1)
    bounds = _bounds(tokens.numbers(sizes.head + 1), len(aligns.head))
    if bounds is None or not ((scale > 0) & np.isfinite(scale)).all():
        return None
    said = _alternatives(tokens, aligns, bounds)
    if said is None or (infos.tokens < 5).any():
        return None
    vocabulary, ids = tokens.words(np.concatenate([said.word, infos.head + 2]))
    words, timed = np.split(ids, [len(said.word)])
    slots = _global(tokens.numbers(infos.head + 1), infos.mesh, bounds)
    has_info = np.zeros(len(vocabulary), dtype=bool)
    has_info[timed] = True
    rows = _rows_of(
        slots * len(vocabulary) + timed,
        said.slot * len(vocabulary) + words,
        has_info[words],
    )
    if rows is None:
        return None
    spans = np.full((len(words), 2), np.nan)
    starts, durations = tokens.numbers(infos.head + 3), tokens.numbers(infos.head + 4)
    spans[rows, 0], spans[rows, 1] = starts, starts + durations
    if not np.isfinite(spans[rows]).all():
        return None
    return Columns(
        [recording] * len(scale),
        _names(tokens, names) or [unnamed(recording, meshes + i + 1) for i in range(len(scale))],
        line + (names if len(names.head) else sizes).number + 1,
        np.full((len(scale), 2), np.nan),
        bounds,
        np.full((bounds[-1], 2), np.nan),
        np.zeros(bounds[-1]),
        np.concatenate([[0], np.cumsum(np.bincount(said.slot, minlength=bounds[-1]))]),
        b"\n".join(vocabulary).decode().split("\n"),
        words,
        tokens.numbers(said.posterior) / np.repeat(scale, np.diff(bounds))[said.slot],
        spans,
    )


def _lines_by_keyword(tokens: Tokens) -> dict[bytes, _Lines] | None:
    """Sort lines by what they begin with; None if they do not make up meshes as they should."""
    counts = np.diff(tokens.lines)
    written = np.flatnonzero(counts)
    keywords, keyword = tokens.words(tokens.lines[written])
    begin = b"name" if b"name" in keywords else b"numaligns"
    if begin not in keywords or not {*keywords} <= {*USED, *UNUSED}:
        return None
    mesh = np.cumsum(keyword == keywords.index(begin)) - 1
    found = {}
    for word in USED:
        at = np.flatnonzero(keyword == keywords.index(word)) if word in keywords else keyword[:0]
        number = written[at]
        found[word] = _Lines(number, mesh[at], tokens.lines[number], counts[number])
    names, sizes, scales = (found[word] for word in USED[:3])
    each = np.arange(mesh[-1] + 1)
    whole = (
        mesh[0] == 0
        and (names.tokens > 1).all()
        and (not len(names.head) or np.array_equal(sizes.number, names.number + 1))
        and all(np.array_equal(one.mesh, each) for one in (sizes, scales))
        and all((one.tokens == 2).all() for one in (sizes, scales))
    )
    return found if whole else None


def _names(tokens: Tokens, lines: _Lines) -> list[str]:
    first, last = tokens.starts[lines.head + 1], tokens.ends[lines.head + lines.tokens - 1]
    return [tokens.text[a:b].decode() for a, b in zip(first.tolist(), last.tolist(), strict=True)]


def _bounds(sizes: Float64s, slots: int) -> Int64s | None:
    """Return the first slot of each mesh, and the end; None if their sizes do not fit."""
    if not ((sizes >= 0) & (sizes == np.floor(sizes))).all() or sizes.sum() != slots:
        return None
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _global(slots: Float64s, mesh: Int64s, bounds: Int64s) -> Int64s:
    """Number slots through all meshes; -1 for a slot that its mesh has not."""
    there = (slots >= 0) & (slots < np.diff(bounds)[mesh]) & (slots == np.floor(slots))
    return np.where(there, np.where(there, slots, 0).astype(np.int64) + bounds[mesh], -1)


def _alternatives(tokens: Tokens, aligns: _Lines, bounds: Int64s) -> _Alternatives | None:
    """Find the pairs of align lines; None if one has none, or a slot does not stand there once."""
    place = _global(tokens.numbers(aligns.head + 1), aligns.mesh, bounds)
    if not np.array_equal(np.sort(place), np.arange(bounds[-1])):
        return None
    if (aligns.tokens % 2).any() or (aligns.tokens < 4).any():
        return None
    pairs = aligns.tokens // 2 - 1  # the first pair is the keyword and the slot
    before = np.cumsum(pairs) - pairs
    word = np.repeat(aligns.head + 2 - 2 * before, pairs) + 2 * np.arange(pairs.sum())
    slot = np.repeat(place, pairs)
    if (np.diff(place) < 0).any():
        order = np.argsort(slot, kind="stable")
        slot, word = slot[order], word[order]
    return _Alternatives(slot, word, word + 1)


def _rows_of(wanted: Int64s, keys: Int64s, likely: Bools) -> Int64s | None:
    """Find each wanted key's row; None if one is not there, or any key twice.

    Mostly the wanted keys are those of the ``likely`` rows, in order, and nothing is searched.
    """
    ranked = np.sort(keys)
    if (ranked[1:] == ranked[:-1]).any():
        return None
    rows = np.flatnonzero(likely)
    if not np.array_equal(keys[rows], wanted):
        order = np.argsort(keys)
        rows = order[np.searchsorted(ranked, wanted).clip(max=len(keys) - 1)]
        if (keys[rows] != wanted).any() or len(np.unique(rows)) < len(rows):
            return None
    return rows
