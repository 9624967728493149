"""Moses' Python Lattice Format: one utterance per line, a tuple of nodes.

    ((('das',0.9,1),('dass',0.1,1),),(('polizei',1.0,1),),)

A node holds its links: word, score, and how many nodes ahead the link ends. If every link leads
to the next node the line is a confusion network, else a lattice. Scores are probabilities, or
natural logarithms where one of the line is negative or all are 0 (certain links). ``*EPS*`` and
other non-words are epsilon.

The format has no times: it needs ``segments``. Line N is the N-th of the segments, empty lines and
``()`` included; its time is shared by letters (networks) or by nodes (lattices), and marked as
estimated.

Source: Moses, "Word lattices" (Python Lattice Format).
"""

import ast
import math
import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions, begins, lacks_where
from indexer.lattices.lattice import Lattice, ordered
from indexer.networks.columns import utterances_of
from indexer.networks.nonwords import Nonwords
from indexer.networks.raw import NetworkBuilder
from indexer.networks.utterances import SEGMENTS_HINT, Utterances, UtteranceSpan
from std.errors import NONE, InputError, Unquoted, quoted
from std.fields import numbered, shown, text
from std.ranges import Range

SCORE = Range(-1_000_000_000, 1_000_000_000)
LONGEST_LINE = 3_000_000  # bytes; to read so many takes a gigabyte, and real lines are far shorter

_SURROGATE = re.compile("[\ud800-\udfff]")
_BEGINNING = re.compile(rb"\s*(\(\s*\)\s*)*\(\s*\(\s*\(\s*u?['\"]")


class _Link(NamedTuple):
    source: int
    target: int
    word: str
    score: float


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances | Lattice]:
    """Yield the file's utterances in order.

    Raises:
        InputError: a line is not a lattice, or no segment has its time.
    """
    if options.segments is None:
        raise InputError(path, 0, "segments, as the format has no times", NONE, SEGMENTS_HINT)
    segments = iter(options.segments.items())
    for at, line in numbered(stream, path, LONGEST_LINE):
        name, segment = next(segments, ("", None))
        if not line.strip():
            continue
        nodes, links = _links(path, at, line)
        if segment is None:
            known = f"{len(options.segments)} lines, as there are segments"
            raise InputError(path, at, known, Unquoted("one more"))
        if all(link.target == link.source + 1 for link in links):
            yield _network(path, at, name, segment, nodes, links, options.nonwords)
        else:
            yield _lattice(path, at, name, segment, nodes, links)


def _links(path: Path | str, at: int, line: bytes) -> tuple[int, list[_Link]]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd escapes in words
            nodes = ast.literal_eval(text(path, at, line).strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise InputError(path, at, "a tuple of nodes", shown(line.strip())) from error
    links = []
    for source, node in enumerate(_tuple(path, at, nodes, "a tuple of nodes")):
        for link in _tuple(path, at, node, "a tuple of links"):
            match _tuple(path, at, link, "a link: word, score, distance"):
                case (str(word), float() | int() as score, int(distance)):
                    target = source + distance
                case _:
                    raise InputError(
                        path, at, "a link: word, score, distance", Unquoted(quoted(link))
                    )
            if score not in SCORE or not _is_word(word):
                raise InputError(path, at, f"a word and its score, {SCORE}", Unquoted(quoted(link)))
            if not source < target <= len(nodes):
                expected = f"a distance to a node up to {len(nodes)}"
                raise InputError(path, at, expected, Unquoted(quoted(link)))
            links.append(_Link(source, target, word, float(score)))
    scores = [link.score for link in links]
    if min(scores, default=0) < 0 or max(scores, default=0) == 0:
        return len(nodes), links
    return len(nodes), [
        link._replace(score=math.log(link.score) if link.score else -math.inf) for link in links
    ]


def _is_word(word: str) -> bool:
    """Whether this is one word without half a surrogate pair, which an escape may write."""
    return len(word.split()) == 1 and not _SURROGATE.search(word)


def _tuple(path: Path | str, at: int, value: Any, expected: str) -> tuple[Any, ...]:
    if not isinstance(value, tuple | list):
        raise InputError(path, at, expected, Unquoted(quoted(value)))
    return tuple(value)


def _network(
    path: Path | str,
    at: int,
    name: str,
    segment: UtteranceSpan,
    nodes: int,
    links: list[_Link],
    nonwords: Nonwords,
) -> Utterances:
    builder = NetworkBuilder(path)
    builder.utterance(at, segment.recording, name, segment.start_s, segment.end_s)
    slots: list[list[_Link]] = [[] for _ in range(nodes)]
    for link in links:
        slots[link.source].append(link)
    for slot in slots:
        builder.slot(at)
        for link in slot:
            builder.word(at, link.word, math.exp(min(link.score, 700.0)))
    return utterances_of(builder.columns(), path, nonwords=nonwords)


def _lattice(
    path: Path | str, at: int, name: str, segment: UtteranceSpan, nodes: int, links: list[_Link]
) -> Lattice:
    times = np.linspace(segment.start_s, segment.end_s, nodes + 1)
    columns = zip(*links, strict=True)
    try:
        source, target, words, scores = map(list, columns)
        lattice = ordered(
            segment.recording, name, times, source, target, words, scores, [0], [nodes]
        )
    except ValueError as error:
        raise InputError(path, at, "paths from start to end", Unquoted(str(error))) from error
    return replace(lattice, times_estimated=True)


READER = FormatReader(
    name="plf",
    title="Moses PLF",
    section="moses-plf",
    content="lattices, networks without times",
    needs="`--segments`",
    kinds=("text",),
    looks_like=begins(_BEGINNING),
    parse=parse,
    sample=b"((('das',0.97,1),),(('haus',0.8,1),),)\n",
    words=("das", "haus"),
    lacks=lacks_where(rb"^\s*\(\(", "a first link such as ((('word',0.9,1)"),
    extensions=("plf",),
)
