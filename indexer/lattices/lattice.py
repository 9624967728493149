"""A word lattice as columns: nodes in time, links that carry words and log scores.

    Lattice         the value; nodes are in topological order, one start, one end
    ordered         links as a recogniser wrote them -> Lattice
    forward_in_time times of nodes -> the same, without links that go back a little
    evenly_timed    a lattice whose nodes share the time of its utterance

All scores are natural logarithms with the recogniser's scales applied, so that a path's
probability is exp(sum of its links) / exp(sum over all paths).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from std.errors import InputError
from std.repairs import GOES_BACK, Repairs
from std.values import Bools, Float64s, Int32s, Int64s, Recording, freeze, ranges

LatticeMethod = Literal["mbr", "pivot"]  # exact slots, or faster alignment

NO_WORD = -1
MOST_BACK_S = 0.05  # that a link may go back in time: a few frames
EXACT_S = 1e-9
MAX_SCORE = 1e12  # larger sums of scores are too coarse to compare paths


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """All word sequences a recogniser considered for one utterance.

    Link k goes from node ``source[k]`` to the later node ``target[k]`` and takes the time
    between them. Node 0 is the start, the last node the end; every node lies on a path between
    the two. Links stand in order of (target, source).

    Raises:
        ValueError: the columns do not fit each other, or a link runs backwards.
    """

    recording: Recording
    utterance: str
    node_s: Float64s  # (n,) seconds in the recording
    source: Int32s  # (l,)
    target: Int32s  # (l,)
    vocabulary: tuple[str, ...]
    word: Int32s  # (l,) index into vocabulary, or NO_WORD
    log_score: Float64s  # (l,)
    times_estimated: bool = False  # node times are interpolated, not the recogniser's

    def __post_init__(self) -> None:
        if any(len(one) != len(self.source) for one in (self.target, self.word, self.log_score)):
            raise ValueError(f"{self.utterance}: the columns of a lattice differ in length")
        if (
            len(self.source)
            and not (
                (self.source >= 0) & (self.source < self.target) & (self.target < len(self.node_s))
            ).all()
        ):
            raise ValueError(f"{self.utterance}: a link runs backwards or to no node")
        if (np.diff(self.target) < 0).any():
            raise ValueError(f"{self.utterance}: links are not in order of their targets")
        freeze(self)

    def __len__(self) -> int:
        return len(self.source)


def ordered(
    recording: Recording,
    utterance: str,
    node_s: Sequence[float] | Float64s,
    source: npt.ArrayLike,
    target: npt.ArrayLike,
    words: Sequence[str | None],
    log_score: npt.ArrayLike,
    starts: Sequence[int],
    ends: Sequence[int],
) -> Lattice:
    """Make a lattice of links in any order: sort them, drop dead ends, join several ends to one.

    Args:
        recording, utterance, node_s: as in `Lattice`.
        source, target: (l,) node numbers of each link.
        words: (l,) None = no word.
        log_score: (l,)
        starts, ends: where paths begin and end.

    Raises:
        ValueError: the links form a circle, no path leads from a start to an end, or a score
            is beyond `MAX_SCORE`.
    """
    links = _Links(
        np.asarray(source, dtype=np.int64).reshape(-1),
        np.asarray(target, dtype=np.int64).reshape(-1),
        list(words),
        np.asarray(log_score, dtype=np.float64).reshape(-1),
    )
    node_s = np.asarray(node_s, dtype=np.float64)
    links, node_s, start, end = _joined(links, node_s, starts, ends)
    sources, targets, words, scores = links
    possible = np.isfinite(scores)
    rank = _topological_order(len(node_s), sources[possible], targets[possible])
    rank = _alive(rank, sources[possible], targets[possible], start, end)
    kept = possible & (rank[sources] >= 0) & (rank[targets] >= 0)
    sources, targets, scores = rank[sources[kept]], rank[targets[kept]], scores[kept]
    order = np.lexsort((sources, targets))
    vocabulary, word = _numbered(words, kept)
    alive = np.flatnonzero(rank >= 0)
    return Lattice(
        recording,
        utterance,
        node_s[alive[np.argsort(rank[alive])]],
        sources[order].astype(np.int32),
        targets[order].astype(np.int32),
        vocabulary,
        word[order],
        scores[order],
    )


def forward_in_time(
    node_s: Float64s, source: Int64s, target: Int64s, problem: Callable[[int], InputError],
    repairs: Repairs,
) -> Float64s:  # fmt: skip
    """Move nodes later so that no link goes back in time; recognisers round times.

    Args:
        node_s: (n,) times of the nodes, s.
        source, target: (l,) node numbers of each link.
        problem: makes the error of a link, by its number.
        repairs: counts the links that go back.

    Returns:
        (n,) times, s.

    Raises:
        InputError: a node would be moved by more than `MOST_BACK_S`, or repairs are not allowed.
    """
    back_s = node_s[source] - node_s[target]
    wrong = np.flatnonzero(back_s > 0)
    if not len(wrong):
        return node_s
    latest_s = node_s + MOST_BACK_S
    moved_s = node_s.copy()
    while (moved_s[source] > moved_s[target]).any():
        np.maximum.at(moved_s, target, moved_s[source])
        if (moved_s > latest_s + EXACT_S).any():
            raise problem(int(np.argmax(back_s)))
    repairs.note(GOES_BACK, problem(int(wrong[0])), len(wrong))
    return moved_s


def evenly_timed(lattice: Lattice, start_s: float, end_s: float) -> Lattice:
    """Give the nodes of a lattice without times equal distances, and mark it.

    Args:
        lattice: without times.
        start_s, end_s: of the utterance, s.
    """
    node_s = np.linspace(start_s, end_s, len(lattice.node_s))
    return replace(lattice, node_s=node_s, times_estimated=True)


class _Links(NamedTuple):
    """Links in any order, by the numbers of their nodes."""

    source: Int64s
    target: Int64s
    words: Sequence[str | None]
    log_score: Float64s


def _joined(
    links: _Links, node_s: Float64s, starts: Sequence[int], ends: Sequence[int]
) -> tuple[_Links, Float64s, int, int]:
    """Join several starts to one, and several ends to one; return both nodes, too.

    Raises:
        ValueError: there is no start or no end, or a score is beyond `MAX_SCORE`.
    """
    source, target, words, scores = links
    if len(starts) > 1:
        new = len(node_s)
        source = np.append(source, [new] * len(starts))
        target = np.append(target, starts)
        scores, words = np.append(scores, np.zeros(len(starts))), [*words, *([None] * len(starts))]
        node_s, starts = np.append(node_s, node_s[list(starts)].min()), [new]
    if len(ends) > 1:
        new = len(node_s)
        source, target = np.append(source, ends), np.append(target, [new] * len(ends))
        scores = np.append(scores, np.zeros(len(ends)))
        words = [*words, *([None] * len(ends))]
        node_s, ends = np.append(node_s, node_s[list(ends)].max()), [new]
    if np.abs(scores[np.isfinite(scores)]).max(initial=0.0) > MAX_SCORE:
        raise ValueError(f"a score is beyond {MAX_SCORE:g}")
    if not len(starts) or not len(ends):
        raise ValueError("the lattice has no start or no end")
    return _Links(source, target, words, scores), node_s, starts[0], ends[0]


def _numbered(words: Sequence[str | None], kept: Bools) -> tuple[tuple[str, ...], Int32s]:
    """The vocabulary of the links that are kept, and the number of each one's word in it."""
    ids: dict[str, int] = {}
    numbers = [
        NO_WORD if word is None else ids.setdefault(word, len(ids))
        for word, keep in zip(words, kept.tolist(), strict=True)
        if keep
    ]
    return tuple(ids), np.array(numbers, dtype=np.int32)


def _topological_order(nodes: int, source: Int64s, target: Int64s) -> Int64s:
    """Rank nodes so that every link leads to a higher rank (Kahn, level by level)."""
    order = np.argsort(source, kind="stable")
    first = np.searchsorted(source[order], np.arange(nodes + 1))
    waiting = np.bincount(target, minlength=nodes)
    rank = np.full(nodes, -1, dtype=np.int64)
    level, ranked = np.flatnonzero(waiting == 0), 0
    while len(level):
        rank[level] = ranked + np.arange(len(level))
        ranked += len(level)
        reached = target[order[ranges(first[level], first[level + 1])[1]]]
        np.subtract.at(waiting, reached, 1)
        level = np.unique(reached[waiting[reached] == 0])
    if ranked < nodes:
        raise ValueError("the links form a circle")
    return rank


def _alive(rank: Int64s, source: Int64s, target: Int64s, start: int, end: int) -> Int64s:
    """Rank only the nodes that lie between start and end; the others get -1."""
    forward, backward = np.argsort(rank[source]), np.argsort(-rank[target])
    alive = _reached(start, source[forward], target[forward], len(rank))
    alive &= _reached(end, target[backward], source[backward], len(rank))
    if not alive[end] or not alive[start]:
        raise ValueError("no path leads from the start to the end")
    renumbered = np.full(len(rank), -1, dtype=np.int64)
    nodes = np.flatnonzero(alive)
    renumbered[nodes[np.argsort(rank[nodes])]] = np.arange(len(nodes))
    return renumbered


def _reached(start: int, near: Int64s, far: Int64s, nodes: int) -> Bools:
    """(nodes,) where links lead from the start; all links to a node come before those from it."""
    reached = bytearray(nodes)
    reached[start] = True
    for node, other in zip(near.tolist(), far.tolist(), strict=True):
        if reached[node]:
            reached[other] = True
    return np.frombuffer(reached, np.bool_)
