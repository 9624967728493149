"""Pairing a system's hits with the reference occurrences, as NIST's scorer does.

    align             hits, occurrences -> Alignment
    best_assignment   rows, the columns that each may take, gains of these pairs -> the best pairs

Hit and occurrence may be paired if they belong to one term and one recording and the hit's middle
lies within `tolerance_s` of the occurrence. Per term and recording the pairing maximises first
the number of pairs, then the scores of the paired hits, then their overlap; decisions play no
part. Candidates are found by sorting, and almost all of them need no optimisation: only where
several hits meet several occurrences is an assignment problem solved.

There, rows are added one by one. Each follows the augmenting path with the least loss: to a free
column, or through taken columns whose rows move to another column or become unpaired. Prices of
columns, which grow with demand, keep all losses at or above 0, so Dijkstra's algorithm finds the
path; it stops where staying unpaired loses less. Rows with the largest gain come first, so that
later rows meet high prices and few paths are long.

Source: F4DE 3.5.0 (its behaviour); NIST STD 2006 evaluation plan, section 4.5.1; Jonker and
Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment problems",
Computing 38, 1987; prices as in Bertsekas, "The auction algorithm", 1988.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf

import numpy as np

from std.matching.occurrences import Occurrences
from std.values import Detections, Float64s, Indices, Int32s, Int64s, Recording, freeze, ranges

ALONE = -1  # the partner of an unpaired row

Edges = Sequence[Sequence[tuple[int, float]]]  # of each row: columns, and the gains of the pairs


def best_assignment(edges: Edges, columns: int) -> list[int]:
    """Pair rows with columns so that the sum of gains is the largest.

    Args:
        edges: for each row the columns that it may take, each with its gain above 0.
        columns: the number of columns.

    Returns:
        the column of each row, or `ALONE`.
    """
    market = _Market(edges, [0.0] * columns, [ALONE] * columns)
    most = [max((gain for _, gain in row), default=0.0) for row in edges]
    for row in sorted(range(len(edges)), key=most.__getitem__, reverse=True):
        market.enter(row)
    return market.partner


@dataclass(slots=True)
class _Market:
    """The pairs so far, and the prices of columns.

    At these prices no row can do better: it has the largest of its gains minus prices, and at least
    0, the value of an unpaired row. A free column has price 0.
    """

    edges: Edges
    price: list[float]  # of each column
    holder: list[int]  # the row of each column
    partner: list[int] = field(init=False)  # the column of each row
    kept: list[float] = field(init=False)  # of each added row: its gain minus the price

    def __post_init__(self) -> None:
        self.partner = [ALONE] * len(self.edges)
        self.kept = [0.0] * len(self.edges)

    def enter(self, entering: int) -> None:
        offers = (gain - self.price[column] for column, gain in self.edges[entering])
        self.kept[entering] = max(0.0, max(offers, default=0.0))
        path = self._shortest_path(entering)
        for column, loss in path.settled.items():
            self.price[column] += path.loss - loss
            self.kept[self.holder[column]] -= path.loss - loss
        self.kept[entering] -= path.loss
        column = path.end
        if path.alone != ALONE:  # a row leaves its column
            column, self.partner[path.alone] = self.partner[path.alone], ALONE
        while column != ALONE:
            row = path.taken_by[column]
            before, self.partner[row] = self.partner[row], column
            self.holder[column] = row
            column = before

    def _shortest_path(self, entering: int) -> "_Path":
        """Search the path from a new row to a free column, or to a row that becomes unpaired."""
        path = _Path(loss=self.kept[entering], alone=entering)
        reached: dict[int, float] = {}  # columns and their least known loss
        waiting: list[tuple[float, int]] = []
        row, loss = entering, 0.0
        while True:
            if loss + self.kept[row] < path.loss:
                path.loss, path.alone, path.end = loss + self.kept[row], row, ALONE
            for column, gain in self.edges[row]:
                there = loss + self.kept[row] - gain + self.price[column]
                if there < min(path.loss, reached.get(column, inf)):
                    reached[column] = there
                    path.taken_by[column] = row
                    if self.holder[column] == ALONE:
                        path.loss, path.alone, path.end = there, ALONE, column
                    else:
                        heappush(waiting, (there, column))
            while waiting and waiting[0][1] in path.settled:
                heappop(waiting)
            if not waiting or waiting[0][0] >= path.loss:
                return path
            loss, column = heappop(waiting)
            path.settled[column] = loss
            row = self.holder[column]


@dataclass(slots=True)
class _Path:
    """The path with the least loss, and the columns that were nearer."""

    loss: float  # of the whole path
    alone: int = ALONE  # the row at its end that becomes unpaired, or
    end: int = ALONE  # the free column at its end
    taken_by: dict[int, int] = field(default_factory=dict)  # column -> the row before it
    settled: dict[int, float] = field(default_factory=dict)  # column -> loss up to it


SCORE_WEIGHT = 1e-6  # weight of a hit's position among the scores: decides equal numbers of pairs
OVERLAP_WEIGHT = 1e-8  # weight of the relative overlap: decides between equal scores
MIN_RANGE = 1e-5  # least value of a duration or a range of scores


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """The pairs; -1 = not paired."""

    hit_of: Int32s  # (occurrences,) index of the paired hit
    occurrence_of: Int32s  # (hits,) index of the paired occurrence

    def __post_init__(self) -> None:
        freeze(self)


@dataclass(frozen=True, slots=True, eq=False)
class _Candidates:
    """For each hit, the range of occurrences that its middle may match.

    Occurrences are ranked by group (term and recording) and time; a range may contain some that the
    middle does not match.
    """

    rank: Indices  # (r,) occurrence at each rank
    low: Indices  # (h,) first rank in reach
    high: Indices  # (h,) one past the last


def align(
    hits: Detections,
    occurrences: Occurrences,
    *,
    tolerance_s: float = 0.5,
    score_range: tuple[float, float] | None = None,
) -> Alignment:
    """Pair hits with occurrences.

    Args:
        hits: ``hits.term`` must index the same term list as ``occurrences.term``.
        tolerance_s: how far outside an occurrence a hit's middle may lie, both ends included.
        score_range: lowest and highest score of the comparison; default: those of the hits of a
            term in a recording.
    """
    hit_group, occurrence_group = _groups(hits, occurrences)
    middle = hits.start_s + hits.duration_s / 2
    low, high = occurrences.start_s - tolerance_s, occurrences.end_s + tolerance_s
    reach = _candidates(hit_group, middle, occurrence_group, low, high)

    pair_hit, pair_rank = ranges(reach.low, reach.high)
    pair_occurrence = reach.rank[pair_rank]
    near = high[pair_occurrence] >= middle[pair_hit]
    pair_hit, pair_rank, pair_occurrence = pair_hit[near], pair_rank[near], pair_occurrence[near]

    value = _congruence(
        hits, occurrences, pair_hit, pair_occurrence, _standing(hits, hit_group, score_range)
    )
    hit_of = np.full(len(occurrences), -1, np.int32)
    occurrence_of = np.full(len(hits), -1, np.int32)
    component = _components(len(occurrences), pair_hit, pair_rank, reach)
    for hit, occurrence in _best_pairs(component, pair_hit, pair_occurrence, value):
        hit_of[occurrence] = hit
        occurrence_of[hit] = occurrence
    return Alignment(hit_of, occurrence_of)


def _groups(hits: Detections, occurrences: Occurrences) -> tuple[Indices, Indices]:
    """A number for each pair of term and recording, the same for hits and occurrences."""
    number: dict[Recording, int] = {}
    tables: list[Int64s] = []
    for table in (hits.recordings, occurrences.recordings):
        tables.append(
            np.array([number.setdefault(recording, len(number)) for recording in table], np.int64)
        )
    ours = hits.term.astype(np.int64) * len(number) + tables[0][hits.recording]
    theirs = occurrences.term.astype(np.int64) * len(number) + tables[1][occurrences.recording]
    return ours, theirs


def _candidates(
    hit_group: Indices, middle: Float64s, group: Indices, low: Float64s, high: Float64s
) -> _Candidates:
    """For each hit the occurrences of its group with ``low <= middle <= high``."""
    rank = np.lexsort((low, group))
    group, low, high = group[rank], low[rank], high[rank]
    # The furthest end so far, within a group: ranks of (group, end) grow from group to group.
    by_end = np.lexsort((high, group))
    end_rank = np.empty(len(rank), np.intp)
    end_rank[by_end] = np.arange(len(rank))
    furthest = high[by_end[np.maximum.accumulate(end_rank)]]
    return _Candidates(
        rank,
        _count_before(group, furthest, hit_group, middle, ties_count=False),
        _count_before(group, low, hit_group, middle, ties_count=True),
    )


def _count_before(
    group: Indices, key: Float64s, asked_group: Indices, asked: Float64s, *, ties_count: bool
) -> Indices:
    """The number of sorted (group, key) before each given one: `searchsorted` on two keys."""
    n = len(key)
    side = np.concatenate([np.zeros(n, np.int8), np.ones(len(asked), np.int8)])
    if not ties_count:
        side = 1 - side
    merged = np.lexsort((side, np.concatenate([key, asked]), np.concatenate([group, asked_group])))
    is_key = merged < n
    counts = np.empty(len(asked), np.intp)
    counts[merged[~is_key] - n] = np.cumsum(is_key)[~is_key]
    return counts


def _standing(
    hits: Detections, group: Indices, score_range: tuple[float, float] | None
) -> Float64s:
    """Each hit's position in the range of scores, 0 to 1; infinite scores are 0 or 1."""
    if not len(hits):
        return np.zeros(0)
    finite = np.isfinite(hits.score)
    _, member = np.unique(group, return_inverse=True)
    lowest, highest = np.full(member.max() + 1, np.inf), np.full(member.max() + 1, -np.inf)
    np.minimum.at(lowest, member[finite], hits.score[finite])
    np.maximum.at(highest, member[finite], hits.score[finite])
    low, high = lowest[member], highest[member]
    if score_range is not None and np.isfinite(score_range).all():
        low, high = np.full_like(low, score_range[0]), np.full_like(high, score_range[1])
    unbounded = low > high  # not one finite score in the group
    low[unbounded], high[unbounded] = 0.0, 1.0
    place: Float64s = (np.clip(hits.score, low, high) - low) / np.maximum(high - low, MIN_RANGE)
    return place


def _congruence(
    hits: Detections,
    occurrences: Occurrences,
    hit: Indices,
    occurrence: Indices,
    standing: Float64s,
) -> Float64s:
    """The gain of a pair: 1, plus the two small terms that decide ties."""
    start_s, end_s = occurrences.start_s[occurrence], occurrences.end_s[occurrence]
    hit_start_s = hits.start_s[hit]
    overlap_s = np.minimum(hit_start_s + hits.duration_s[hit], end_s) - np.maximum(
        hit_start_s, start_s
    )
    relative = overlap_s / np.maximum(end_s - start_s, MIN_RANGE)
    worth: Float64s = 1 + OVERLAP_WEIGHT * relative + SCORE_WEIGHT * standing[hit]
    return worth


def _components(n: int, pair_hit: Indices, pair_rank: Indices, reach: _Candidates) -> Indices:
    """(pairs,) the component of each pair; pairs that may compete have the same number."""
    spans = np.zeros(n + 1, np.int64)
    with_pairs = np.unique(pair_hit)
    np.add.at(spans, reach.low[with_pairs], 1)
    np.add.at(spans, reach.high[with_pairs] - 1, -1)
    begins = np.ones(n + 1, np.int64)
    begins[1:] = np.cumsum(spans)[:-1] == 0  # nothing spans the step from the rank before
    result: Indices = np.cumsum(begins)[pair_rank]
    return result


def _best_pairs(
    component: Indices, hit: Indices, occurrence: Indices, value: Float64s
) -> Sequence[tuple[int, int]]:
    """The best one-to-one pairing of each component."""
    order = np.lexsort((-value, component))  # stable: equal ones keep their order
    component, hit, occurrence = component[order], hit[order], occurrence[order]
    value = value[order]
    bounds = np.flatnonzero(np.diff(component, prepend=-1, append=-1))
    first, size = bounds[:-1], np.diff(bounds)
    # A component where one hit or one occurrence takes part in all pairs: the best pair wins.
    starts = np.repeat(first, size)
    lone_hit = np.minimum.reduceat(hit == hit[starts], first) if len(first) else first
    lone_occurrence = (
        np.minimum.reduceat(occurrence == occurrence[starts], first) if len(first) else first
    )
    simple = np.asarray(lone_hit | lone_occurrence, np.bool_)
    pairs = list(zip(hit[first[simple]].tolist(), occurrence[first[simple]].tolist(), strict=True))
    for low, count in zip(first[~simple].tolist(), size[~simple].tolist(), strict=True):
        rows = slice(low, low + count)
        pairs.extend(_assign(hit[rows], occurrence[rows], value[rows]))
    return pairs


def _assign(hit: Indices, occurrence: Indices, value: Float64s) -> list[tuple[int, int]]:
    """Solve one assignment problem: one more pair always outweighs better pairs."""
    hits, row = np.unique(hit, return_inverse=True)
    occurrences, column = np.unique(occurrence, return_inverse=True)
    gain = 2 + value  # a pair saves two unpaired at a cost of 1 each
    edges: list[list[tuple[int, float]]] = [[] for _ in hits]
    for one, other, worth in zip(row.tolist(), column.tolist(), gain.tolist(), strict=True):
        edges[one].append((other, worth))
    partners = best_assignment(edges, len(occurrences))
    return [
        (paired_hit, int(occurrences[partner]))
        for paired_hit, partner in zip(hits.tolist(), partners, strict=True)
        if partner != ALONE
    ]
