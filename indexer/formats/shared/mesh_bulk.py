"""The bulk parser of word meshes: whole columns are converted at once.

    tokenized        text -> Tokens, split like ``bytes.split``
    Tokens.numbers   ``float`` of some of them
    Tokens.words     the distinct ones among some of them, and the row of each

Splitting a text makes a Python object of every token. Here a token is a place in the text, and
eight of its bytes at a time are one 64-bit integer. Comparing tokens and reading decimals are then
a few array operations on all tokens of a block together. The first token of a line is its keyword;
the times of an alternative are found by slot and word. If anything is unusual,
`indexer.formats.readers.mesh.parse_strictly` reads the text again and names errors.

The quotient in `Tokens.numbers` is rounded correctly: Clinger, "How to read floating point numbers
accurately" (1990).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from indexer.networks.raw import RawUtterances, is_valid
from std.values import Bools, Float64s, Int64s, Recording, UInt64s

PAD = b"\n" * 16  # so that sixteen bytes can be read at any token
EXACT_DIGITS = 15  # a 64-bit float holds any whole number of so many
LONGEST_WORD_BYTES = 256
MIXER = np.uint64(0x9E3779B97F4A7C15)  # odd, its bits without a pattern: 2**64 / golden ratio

_TENS = 10.0 ** np.arange(16)
_EACH = np.uint64(0x0101010101010101)  # a one in each of eight bytes
_ZERO, _TOP_BIT = _EACH * np.uint64(ord("0")), _EACH * np.uint64(0x80)
_POINT = _EACH * np.uint64(ord(".") ^ ord("0"))
_TO_TOP_BIT = _EACH * np.uint64(0x80 - 10)  # sets the top bit for 10 and more
_SUMS = [  # two neighbours become one number: of 2 digits, of 4, of 8
    (np.uint64(bits), np.uint64(tens << bits | 1), np.uint64(mask))
    for bits, tens, mask in (
        (8, 10, 0x00FF00FF00FF00FF),
        (16, 100, 0x0000FFFF0000FFFF),
        (32, 10_000, 0x00000000FFFFFFFF),
    )
]


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """Tokens in the order of a text."""

    text: bytes  # between pads
    starts: Int64s  # (n,) in the text
    ends: Int64s  # (n,)
    lines: Int64s  # (l + 1,) line i, from 0, has the tokens lines[i]:lines[i + 1]

    def numbers(self, which: Int64s) -> Float64s:
        """Return (k,) ``float`` of (k,) tokens.

        Raises:
            ValueError: one is not a number.
        """
        ends = self.ends[which]
        lengths = ends - self.starts[which]
        whole, decimals, plain = _digits(self._eight(ends - 8), lengths)
        long = np.flatnonzero(lengths > 8)
        if len(long):
            front, in_front, front_plain = _digits(self._eight(ends[long] - 16), lengths[long] - 8)
            behind = decimals[long]
            whole[long] += front * np.where(behind < 0, 1e8, 1e7)
            decimals[long] = np.where(in_front < 0, behind, in_front + 8)
            plain[long] &= front_plain & ((in_front < 0) | (behind < 0))
        plain &= (lengths <= EXACT_DIGITS) & (lengths > (decimals >= 0))
        numbers: Float64s = whole / _TENS[decimals.clip(min=0)]
        odd = np.flatnonzero(~plain)
        numbers[odd] = [float(digits) for digits in self._bytes(which[odd])]
        return numbers

    def words(self, which: Int64s) -> tuple[list[bytes], Int64s]:
        """Return the distinct ones among (k,) tokens, and (k,) the row of each.

        Raises:
            ValueError: one is longer than `LONGEST_WORD_BYTES`, or two could not be distinguished.
        """
        starts, lengths = self.starts[which], self.ends[which] - self.starts[which]
        longest = int(lengths.max(initial=0))
        if longest > LONGEST_WORD_BYTES:
            raise ValueError(f"a word of {longest} bytes")
        hashes = np.zeros(len(which), dtype=np.uint64)
        parts = []
        for done in range(0, longest, 8):
            rows = np.flatnonzero(lengths > done)
            unused = _unused_bits(lengths[rows] - done)
            part = self._eight(starts[rows] + done) << unused >> unused
            mixed = (hashes[rows] ^ part) * MIXER
            hashes[rows] = mixed ^ (mixed >> np.uint64(32))
            parts.append((rows, part))
        # Sorted with their rows in the low bits: several times as fast as finding the order.
        row_bits = np.uint64((1 << len(which).bit_length()) - 1)
        ranked = np.sort((hashes & ~row_bits) | np.arange(len(which), dtype=np.uint64))
        fresh = np.ones(len(which), dtype=bool)
        fresh[1:] = (ranked[1:] ^ ranked[:-1]) > row_bits
        order = (ranked & row_bits).astype(np.int64)
        number = np.empty(len(which), dtype=np.int64)
        number[order] = np.cumsum(fresh) - 1
        first = order[fresh]
        for rows, part in parts:
            whole = np.zeros(len(which), dtype=np.uint64)
            whole[rows] = part
            if (whole != whole[first][number]).any():
                raise ValueError("two words with one hash")
        return self._bytes(which[first]), number

    def _bytes(self, which: Int64s) -> list[bytes]:
        places = zip(self.starts[which].tolist(), self.ends[which].tolist(), strict=True)
        return [self.text[start:end] for start, end in places]

    def _eight(self, at: Int64s) -> UInt64s:
        """Return the eight bytes from each place on, the first one lowest."""
        from_anywhere = np.ndarray((len(self.text) - 7,), "<u8", self.text, strides=(1,))
        eight: UInt64s = from_anywhere[at]
        return eight


def tokenized(text: bytes) -> Tokens:
    """Cut a text at white space.

    Raises:
        ValueError: there is a control character in it.
    """
    padded = PAD + text.removesuffix(b"\n") + PAD
    letters = np.frombuffer(padded, dtype=np.uint8)
    blanks = np.flatnonzero(letters[len(PAD) - 1 : 1 - len(PAD)] <= ord(" ")) + (len(PAD) - 1)
    kinds = letters[blanks]
    if not ((kinds == ord(" ")) | (kinds - ord("\t") <= ord("\r") - ord("\t"))).all():
        raise ValueError("a control character")
    starts, ends = blanks[:-1] + 1, blanks[1:]
    lines = np.flatnonzero(kinds == ord("\n"))
    there = ends > starts
    if not there.all():
        lines = np.concatenate([[0], np.cumsum(there)])[lines]
        starts, ends = starts[there], ends[there]
    return Tokens(padded, starts, ends, lines)


def _digits(eight: UInt64s, lengths: Int64s) -> tuple[Float64s, Int64s, Bools]:
    """Read the last ``lengths`` of eight bytes, all if there are more, as digits and a point.

    Returns:
        (k,) the digits as a whole number; (k,) how many follow the point, -1 without one; (k,)
        whether there is nothing else and at most one point.
    """
    unused = _unused_bits(lengths)
    digits = (eight ^ _ZERO) >> unused << unused
    differs = digits ^ _POINT
    point = ((differs - _EACH) & ~differs & _TOP_BIT) >> np.uint64(7)  # 1 in its byte
    places = np.bitwise_count(point - np.uint64(1)) >> 3  # bytes before it; all 8 without one
    before = digits & (point - np.uint64(1))
    behind = digits & -(point << np.uint64(8))
    digits = np.where(point == 0, digits, behind | before << np.uint64(8))
    plain = ((digits + _TO_TOP_BIT) | digits) & _TOP_BIT == 0
    for bits, tens, neighbours in _SUMS:
        digits = (digits * tens >> bits) & neighbours
    return digits.astype(np.float64), 7 - places.astype(np.int64), plain


def _unused_bits(lengths: Int64s) -> UInt64s:
    """Return the bits of eight bytes that a number of bytes, from 1 on, leaves unused."""
    unused: UInt64s = (64 - 8 * lengths.clip(max=8)).astype(np.uint64)
    return unused


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
    """Name a mesh without a name after its place in the file."""
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
        return None  # one is repeated, or beyond numaligns
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
    """Group lines by their keywords; None if they do not form valid meshes."""
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
    """Read several columns of numbers in one call, because each call has a fixed cost."""
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
    """Find each wanted key's row; None if one is missing, or any key is repeated.

    Usually the wanted keys are those of the ``likely`` rows, in order: then nothing is searched.
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
