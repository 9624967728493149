"""Words with a colon, or in brackets, at the beginning of lines: what may be names of speakers.

    prefixes_of    texts of captions -> their prefixes, as columns

Those of a whole file are found at once: places of colons and lines are columns of numbers, and
what stands before a colon is looked at once for each of the different ones.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

import numpy as np

from indexer.formats.shared.clock import codes_of
from indexer.networks.slot_times import Int64s
from std.values import Bools

_MARK = r"(?P<mark>[ \t>\u00bb\u2013\u2014-]*)"  # - or >> before a change of speakers
_NAME = r"[^\W\d_][^\n:\uff1a()\[\]{}<>!?,;\"]{0,40}"
_PLAIN = re.compile(
    rf"{_MARK}(?P<name>{_NAME}?)(?:[ \t]*[(\[][^()\[\]\n]{{0,30}}[)\]])?[ \t]*(?:\uff1a|:(?=\s|$))"
)
_BRACKETED = re.compile(  # [Anna]: or (Anna):, and [SPEAKER_00] without a colon
    rf"{_MARK}[(\[](?P<name>{_NAME})[)\]][ \t]*(?P<colon>\uff1a|:(?=\s|$))?"
)
LONGEST = 100  # letters of a prefix
MARKS = 8  # of them before a bracket


class Prefix(NamedTuple):
    """What stands before what is said."""

    name: str
    begin: int  # in its line
    end: int
    marked: bool  # with >>
    brackets: bool  # around the name
    bare: bool  # without a colon


class Prefixes(NamedTuple):
    """Prefixes of a file, in its order."""

    names: list[str]  # the different ones
    kinds: list[Prefix]  # the different ones
    name: Int64s  # (n,) row in ``names``
    kind: Int64s  # (n,) row in ``kinds``
    row: Int64s  # (n,) of the caption
    begin: Int64s  # (n,) of the prefix, in the caption's text
    end: Int64s  # (n,) where what is said begins
    place: Int64s  # (n,) the same in all texts, joined by line breaks

    def some(self, rows: Bools) -> "Prefixes":
        """Those that are chosen."""
        return self._replace(**{
            column: getattr(self, column)[rows]
            for column in ("name", "kind", "row", "begin", "end", "place")
        })  # fmt: skip


def prefixes_of(texts: Sequence[str], joined: str) -> Prefixes:
    """Find the prefixes of texts.

    Args:
        texts: of captions, which may have several lines.
        joined: all of them, with line breaks between.
    """
    begins, ends = _lines(joined)
    heads = [joined[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    ids: defaultdict[str, int] = defaultdict(count().__next__)
    which = np.fromiter(map(ids.__getitem__, heads), np.int64, len(heads))
    found = [prefix_in(head) for head in ids]
    good = np.array([one is not None for one in found], np.bool_)
    kept = good[which] if len(which) else np.zeros(0, np.bool_)
    kind, begins = (np.cumsum(good) - 1)[which[kept]], begins[kept]
    kinds = [one for one in found if one is not None]
    names = list(dict.fromkeys(one.name for one in kinds))
    at = {name: row for row, name in enumerate(names)}
    starts = np.concatenate([[0], np.cumsum(np.fromiter(map(len, texts), np.int64) + 1)])
    row = np.searchsorted(starts, begins, side="right") - 1
    inside = begins - starts[row]
    end = np.array([one.end for one in kinds], np.int64)[kind]
    return Prefixes(
        names,
        kinds,
        np.array([at[one.name] for one in kinds], np.int64)[kind],
        kind,
        row,
        inside + np.array([one.begin for one in kinds], np.int64)[kind],
        inside + end,
        begins + end,
    )


def _lines(joined: str) -> tuple[Int64s, Int64s]:
    """Where lines begin that may have a prefix, and the part of each in which it would be."""
    codes = codes_of(joined + "\n")
    breaks = np.flatnonzero(codes == ord("\n"))
    begins = np.concatenate([[0], breaks[:-1] + 1])
    colons = np.flatnonzero(codes == ord(":"))
    after = codes[colons + 1]
    colons = colons[(after == ord(" ")) | (after == ord("\n")) | (after == ord("\t"))]
    if not joined.isascii():
        wide = np.flatnonzero(codes == ord("\uff1a"))
        colons = np.union1d(colons, wide) if len(wide) else colons
    line = np.searchsorted(breaks, colons)
    first = np.diff(line, prepend=-1) > 0
    line, ends = line[first], colons[first] + 1
    near = ends - begins[line] <= LONGEST
    line, ends = line[near], ends[near]
    if "[" not in joined and "(" not in joined:
        return begins[line], ends
    opening = np.flatnonzero((codes == ord("[")) | (codes == ord("(")))
    bracketed = np.searchsorted(breaks, opening)
    bracketed = np.unique(bracketed[opening - begins[bracketed] <= MARKS])
    line = np.union1d(line, bracketed)  # their colon may be behind another bracket
    return begins[line], np.minimum(breaks[line], begins[line] + LONGEST)


def prefix_in(line: str) -> Prefix | None:
    """The prefix of a line, or of its beginning; None if there is none.

    >>> prefix_in(">> Anna: so")
    Prefix(name='Anna', begin=0, end=8, marked=True, brackets=False, bare=False)
    """
    plain = _PLAIN.match(line)
    found = plain or _BRACKETED.match(line)
    if not found:
        return None
    bare = not plain and not found["colon"]
    mark = found["mark"]
    marked = not bare and (">>" in mark or "\u00bb" in mark)
    return Prefix(" ".join(found["name"].split()), *found.span(), marked, not plain, bare)
