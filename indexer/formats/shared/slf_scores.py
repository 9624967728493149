"""Log scores of the links of an HTK lattice.

    Header    the fields before nodes and links
    scores    fields of its links -> a natural logarithm each, scaled

Score of a link = acscale * a + lmscale * (l or n) + prscale * r + wdpenalty, divided by lmscale
if that is above 1, so that posteriors are not extreme. If every link has p=, these are the
posteriors. ``acoustic_scale`` and ``lm_scale`` of the options overrule both.

PocketSphinx writes a= and p= but no l=. Its posteriors weigh the acoustic score by 1/20, half the
weight in its search (1/9.5), so they rely on the language model too much. Here the score of a link
= .08 * a + the language score derived from p=. An ``acoustic_scale`` of .05 gives p= as written.

Source: The HTK Book 3.4, chapter 20 "Lattice format"; PocketSphinx ``ps_lattice_posterior``; .08:
docs/benchmarks.md, "From lattices".
"""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from indexer.formats.shared.reader import ReaderOptions
from std import fields as field
from std.errors import InputError
from std.ranges import SUM_TOLERANCE
from std.values import Float64s, Int64s

WRITTEN_SCALE = 1 / 20  # of a= inside PocketSphinx's p= (its default for -ascale is 20)
ACOUSTIC_SCALE = 0.08  # our weight instead

Fields = dict[bytes, bytes]
Numbered = tuple[int, Fields]  # a node's or link's line in the file, and its fields


class Header:
    """The fields before a lattice's nodes and links."""

    def __init__(self, path: Path | str) -> None:
        self.path = path
        self.fields: Fields = {}
        self.line_of: dict[bytes, int] = {}

    def add(self, line: int, fields: Fields) -> None:
        """Take the fields of a line."""
        self.fields |= fields
        self.line_of |= dict.fromkeys(fields, line)

    def number(self, key: bytes, default: float) -> float:
        """Return a field as a number.

        Raises:
            InputError: it is not a number.
        """
        if key not in self.fields:
            return default
        what = f"{key.decode()} as a number"
        return field.number(self.path, self.line_of[key], self.fields[key], what)

    def base(self) -> float:
        """Return the base of logarithms, 0 if scores are plain numbers.

        Raises:
            InputError: it is not a number, negative, or 1.
        """
        base = self.number(b"base", math.e)
        if base < 0 or base == 1:
            raise InputError(self.path, self.line_of[b"base"], "base=, 0 or above 1", f"{base:g}")
        return base


def scores(
    header: Header,
    links: Sequence[Numbered],
    source: Int64s,
    by_pocketsphinx: bool,
    options: ReaderOptions,
) -> Float64s:
    """Return (l,) the links' log scores.

    Args:
        header: with the scales.
        links: (l,) their fields.
        source: (l,) the node that each comes from.
        by_pocketsphinx: whether it wrote the lattice.
        options: scales that overrule the header's.

    Raises:
        InputError: a score or a scale is not a number.
    """
    if by_pocketsphinx and _everywhere(links, b"p") and _everywhere(links, b"a"):
        return _balanced(header, links, source, options)
    acoustic, language = options.acoustic_scale, options.lm_scale
    overruled = acoustic is not None or language is not None
    if not overruled and _everywhere(links, b"p"):
        return _from_posteriors(header, links, source)
    base, lmscale = header.base(), header.number(b"lmscale", 1.0)
    scales = {
        b"a": header.number(b"acscale", 1.0),
        b"l": lmscale,
        b"r": header.number(b"prscale", 1.0),
    }
    penalty = header.number(b"wdpenalty", 0.0) * (math.log(base) if base else 1.0)
    divisor = max(1.0, lmscale)
    if overruled:
        scales[b"a"] = 1.0 if acoustic is None else acoustic
        scales[b"l"] = 1.0 if language is None else language
        divisor = 1.0
    summed = np.full(len(links), penalty)
    for i, (at, fields) in enumerate(links):
        if b"l" not in fields and b"n" in fields:
            fields = {**fields, b"l": fields[b"n"]}
        for key, scale in scales.items():
            if key in fields:
                summed[i] += scale * _log(header.path, at, fields[key], key, base)
    return summed / divisor


def _everywhere(links: Sequence[Numbered], key: bytes) -> bool:
    return bool(links) and all(key in fields for _, fields in links)


def _log(path: Path | str, at: int, token: bytes, key: bytes, base: float) -> float:
    """Return the natural logarithm of a score as written."""
    if token.lower() in (b"-inf", b"-infinity"):
        return -math.inf
    value = field.number(path, at, token, f"{key.decode()}= as a number")
    if base:
        return value * math.log(base)
    if value < 0:
        raise InputError(path, at, f"{key.decode()}= from 0, as base=0", f"{value:g}")
    return math.log(value) if value else -math.inf


def _from_posteriors(header: Header, links: Sequence[Numbered], source: Int64s) -> Float64s:
    """Return log P(link | its source), which reproduce the posteriors as written."""
    posteriors = np.empty(len(links))
    for i, (at, fields) in enumerate(links):
        posteriors[i] = field.number(header.path, at, fields[b"p"], "p= as a number")
        if not 0 <= posteriors[i] <= 1 + SUM_TOLERANCE:  # sums of many links
            raise InputError(header.path, at, "a posterior in [0, 1]", f"{posteriors[i]:g}")
    totals = np.bincount(source, posteriors)
    with np.errstate(divide="ignore", invalid="ignore"):  # links of probability 0: -inf, dropped
        return np.log(posteriors / totals[source])


def _balanced(
    header: Header, links: Sequence[Numbered], source: Int64s, options: ReaderOptions
) -> Float64s:
    """Return PocketSphinx's log scores with our weights instead of those of its posteriors.

    log P(link | its source) = WRITTEN_SCALE * a + the language score + terms that cancel out
    along a path: so the language score, which is not written, is the rest without a.
    """
    base = header.base()
    weight = ACOUSTIC_SCALE if options.acoustic_scale is None else options.acoustic_scale
    lm_weight = 1.0 if options.lm_scale is None else options.lm_scale
    acoustic = np.array([_log(header.path, at, fields[b"a"], b"a", base) for at, fields in links])
    with np.errstate(invalid="ignore"):  # links of probability 0, as above
        language = _from_posteriors(header, links, source) - WRITTEN_SCALE * acoustic
        return weight * acoustic + lm_weight * language
