"""The bulk parser of word meshes: whole columns are converted at once.

All tokens of a block are cut, told apart and read as numbers together
(`indexer.formats.shared.tokens`). A line is what its first token says; each alternative finds its
times by slot and word. Whatever is unusual is left to
`indexer.formats.readers.mesh.parse_strictly`, which reads the same and names errors.
"""

from typing import NamedTuple

import numpy as np

from indexer.formats.shared.tokens import Tokens, tokenized
from indexer.networks.raw import RawUtterances, is_valid
from indexer.networks.slot_times import Int64s
from std.values import Bools, Float64s, Recording

USED = (b"name", b"numaligns", b"posterior", b"align", b"info")
UNUSED = (b"reference", b"hyps", b"time", b"version")


class _Lines(NamedTuple):
    """All lines of one keyword."""

    number: Int64s  # (k,) in the block, from 0
    mesh: Int64s  # (k,) in the block, from 0
    head: Int64s  # (k,) the line's first token, the keyword
    tokens: Int64s  # (k,) how many it has


def columns_of(block: bytes, recording: Recording, meshes: int, line: int) -> RawUtterances | None:
    """Return the columns of a block of whole meshes; None if anything in it is unusual.

    Args:
        block: the meshes' bytes.
        recording: what they belong to.
        meshes: how many meshes the file had before this block.
        line: how many lines the file had before this block.
    """
    try:
        with np.errstate(over="ignore"):  # numbers that are too large are not valid
            columns = _columns(block, recording, meshes, line)
    except ValueError:
        return None
    return columns if columns and is_valid(columns) else None


def unnamed(recording: Recording, number: int) -> str:
    """Name a mesh that has no name after its place in the file."""
    return f"{recording.file}-{number}"


def _columns(block: bytes, recording: Recording, meshes: int, line: int) -> RawUtterances | None:
    tokens = tokenized(block)
    lines = _lines_by_keyword(tokens)
    if lines is None:
        return None
    names, sizes, scales, aligns, infos = (lines[keyword] for keyword in USED)
    pairs = aligns.tokens // 2 - 1  # the first pair is the keyword and the slot
    before = np.cumsum(pairs) - pairs
    word_at = np.repeat(aligns.head + 2 - 2 * before, pairs) + 2 * np.arange(pairs.sum())
    size, scale, align, posterior, info, start, duration = _numbers(
        tokens,
        [sizes.head + 1, scales.head + 1, aligns.head + 1, word_at + 1]
        + [infos.head + i for i in (1, 3, 4)],
    )
    end = start + duration
    bounds = _bounds(size, len(align))
    if bounds is None or not (np.isfinite(scale) & (scale > 0)).all() or not np.isfinite(end).all():
        return None
    slots = _global(align, aligns.mesh, bounds)
    if not np.array_equal(np.sort(slots), np.arange(len(slots))):
        return None  # one is there twice, or beyond numaligns
    slot, posterior = np.repeat(slots, pairs), posterior / np.repeat(scale[aligns.mesh], pairs)
    if (np.diff(slots) < 0).any():
        order = np.argsort(slot, kind="stable")
        slot, word_at, posterior = slot[order], word_at[order], posterior[order]
    vocabulary, ids = tokens.words(np.concatenate([word_at, infos.head + 2]))
    word, timed = np.split(ids, [len(word_at)])
    has_info = np.zeros(len(vocabulary), dtype=bool)
    has_info[timed] = True
    info_keys = _global(info, infos.mesh, bounds) * len(vocabulary) + timed
    rows = _rows_of(info_keys, slot * len(vocabulary) + word, has_info[word])
    if rows is None:
        return None
    spans = np.full((len(word), 2), np.nan)
    spans[rows, 0], spans[rows, 1] = start, end
    return RawUtterances(
        recordings=[recording] * len(scale),
        utterances=_names(tokens, names)
        or [unnamed(recording, meshes + i + 1) for i in range(len(scale))],
        lines=line + (names if len(names.head) else sizes).number + 1,
        utterance_spans_s=np.full((len(scale), 2), np.nan),
        bounds=bounds,
        slot_spans_s=np.full((len(slots), 2), np.nan),
        epsilons=np.zeros(len(slots)),
        offsets=np.concatenate([[0], np.cumsum(np.bincount(slot, minlength=len(slots)))]),
        vocabulary=b"\n".join(vocabulary).decode().split("\n"),
        tokens=word,
        posteriors=posterior,
        spans_s=spans,
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
    by_keyword = {}
    for word in USED:
        at = np.flatnonzero(keyword == keywords.index(word)) if word in keywords else keyword[:0]
        number = written[at]
        by_keyword[word] = _Lines(number, mesh[at], tokens.lines[number], counts[number])
    names, sizes, scales, aligns, infos = by_keyword.values()
    each = np.arange(mesh[-1] + 1)
    whole = (
        mesh[0] == 0
        and (names.tokens > 1).all()
        and (not len(names.head) or np.array_equal(sizes.number, names.number + 1))
        and all(np.array_equal(lines.mesh, each) for lines in (sizes, scales))
        and all((lines.tokens == 2).all() for lines in (sizes, scales))
        and ((aligns.tokens % 2 == 0) & (aligns.tokens > 2)).all()
        and (infos.tokens > 4).all()
    )
    return by_keyword if whole else None


def _names(tokens: Tokens, lines: _Lines) -> list[str]:
    first, last = tokens.starts[lines.head + 1], tokens.ends[lines.head + lines.tokens - 1]
    return [tokens.text[a:b].decode() for a, b in zip(first.tolist(), last.tolist(), strict=True)]


def _numbers(tokens: Tokens, which: list[Int64s]) -> list[Float64s]:
    """Read several columns of numbers in one go: a call costs, however few they are."""
    ends = np.cumsum([len(column) for column in which])
    return np.split(tokens.numbers(np.concatenate(which)), ends[:-1])


def _bounds(sizes: Float64s, slots: int) -> Int64s | None:
    """Return the first slot of each mesh, and the end; None if their sizes do not fit."""
    if not ((sizes >= 0) & (sizes == np.floor(sizes))).all() or sizes.sum() != slots:
        return None
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _global(slots: Float64s, mesh: Int64s, bounds: Int64s) -> Int64s:
    """Number slots through all meshes; -1 for a slot that its mesh has not."""
    there = (slots >= 0) & (slots < np.diff(bounds)[mesh]) & (slots == np.floor(slots))
    return np.where(there, np.where(there, slots, 0).astype(np.int64) + bounds[mesh], -1)


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
