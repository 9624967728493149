"""An example against an archive: the places that sound most like it, with their costs.

best_places   all places compared by every second frame, the best ones by every frame
costs_at      of an example at places that were found by another one
usual_at      the cost of places by chance, whatever the example
costs_between a place and others, each as an example of the other
    scan          compiled: every place roughly, the best cost of each cell of frames
    alignment     compiled: one stretch exactly, costs and beginnings of paths

Every frame of the example is matched with one frame of the archive; from one match to the next the
archive stays, or advances by one or two frames. So all paths have as many steps as the example has
frames, and their costs need no division by a length. A match costs the number of signs that differ.
`tests/searcher/examples/test_kernels.py` has the slow equivalent.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import ceil
from typing import NamedTuple

import numpy as np

from searcher.examples.example import ArchivePart, Example, SoundArchive
from searcher.results.candidates import Spans
from std.execution.compiled import compiled, compiled_within
from std.sound.columns import FRAME_MS, SIGNS
from std.sound.usual import ones, usual_distances
from std.store.columns import Int64s, UInt64s
from std.values import Bools, Float64s, Int32s

STRIDE = 2  # frames from one that is looked at roughly to the next
PIECE = 4096  # frames looked at in one go: their costs stay in the processor's cache
MARGIN = 5  # frames by which an example may lie beside the place of another one
LOOKED_AT = 600  # cells whose best path is aligned by all frames
KEPT_PLACES = 200  # places of an example

FAR = 1 << 30  # a cost that no path has


class _Cells(NamedTuple):
    """The best rough path in each stretch of a part."""

    cost: Int32s  # (c,)
    row: Int64s  # (c,) of the part's recordings
    end: Int64s  # (c,) the frame where it ends


def best_places(
    example: Example,
    archive: SoundArchive,
    threads: int = 1,
    inside: Callable[[Spans], Bools] | None = None,
) -> tuple[Spans, Float64s]:
    """The places that sound most like an example, the best first; not the example itself.

    Args:
        inside: which places are inside the searched speech; None: all are.

    Returns:
        the places, rows of the archive's recordings; and their costs, shares of signs that differ.
    """
    cells = [_cells(example.signs[::STRIDE], part, threads) for part in archive.parts]
    cost = np.concatenate([one.cost for one in cells])
    parts = np.repeat(np.arange(len(cells)), [len(one.cost) for one in cells])
    row, end = (np.concatenate([one[i] for one in cells]) for i in (1, 2))
    if inside is not None:
        ends = [part.at(*one[1:]) for part, one in zip(archive.parts, cells, strict=True)]
        cost = np.where(inside(Spans.of(*ends)), cost, FAR)
    # of cells that cost the same, the first ones: the places must not depend on the threads
    border = np.partition(cost, LOOKED_AT)[LOOKED_AT] if len(cost) > LOOKED_AT else FAR
    chosen = np.flatnonzero(cost < border)
    found = [
        _aligned(example.signs, archive.parts[parts[i]], int(row[i]), int(end[i]))
        for i in chosen.tolist()
    ]
    *spans, costs = zip(*found, strict=True) if found else [()] * 4
    places = Spans._make(np.array(column, np.int64) for column in spans)
    some = slice(None) if inside is None else np.flatnonzero(inside(places))
    return _distinct(places.rows(some), np.array(costs, np.float64)[some], [example], archive)


def costs_at(example: Example, archive: SoundArchive, places: Spans) -> Float64s:
    """(n,) the cost of an example at places found by another one, where it fits best."""
    spans = _spans(places, archive, len(example.signs))
    costs = [_cost_at(example.signs, *place) for place in spans]
    return np.array(costs, np.float64)


def costs_between(archive: SoundArchive, places: Spans) -> Float64s:
    """(n,) the mean cost of the first place at each other one, and of that one at the first.

    Args:
        places: of one frame or more each; the first costs nothing at itself.
    """
    spans = list(_spans(places, archive))
    own = [
        signs[(begin_ms - start_ms) // FRAME_MS : (end_ms - start_ms) // FRAME_MS]
        for (begin_ms, end_ms), (signs, start_ms) in spans
    ]
    pairs = zip(own, spans, strict=True)
    costs = [_cost_at(own[0], *there) + _cost_at(one, *spans[0]) for one, there in pairs]
    return np.array(costs, np.float64) / 2


def _cost_at(example: UInt64s, span: tuple[int, int], recording: tuple[UInt64s, int]) -> float:
    """What an example costs in a span of a recording; see `_spans`."""
    (begin_ms, end_ms), (signs, start_ms) = span, recording
    middle = (begin_ms + end_ms - 2 * start_ms) // (2 * FRAME_MS)
    # no further than where it was found: beside it may be the place of another example
    around = max(len(example), (end_ms - begin_ms) // FRAME_MS) // 2 + MARGIN
    cost, _ = _paths(example, signs[max(0, middle - around) : middle + around])
    return float(cost.min()) / (SIGNS * len(example))


def usual_at(archive: SoundArchive, places: Spans, sample: UInt64s) -> Float64s:
    """(n,) the share of signs in which the frames of places differ from others by chance."""
    usual = [
        usual_distances(
            signs[(begin_ms - start_ms) // FRAME_MS : (end_ms - start_ms) // FRAME_MS], sample
        ).mean()
        for (begin_ms, end_ms), (signs, start_ms) in _spans(places, archive)
    ]
    return np.array(usual, np.float64) / SIGNS


def _spans(
    places: Spans, archive: SoundArchive, example: int = 0
) -> Iterator[tuple[tuple[int, int], tuple[UInt64s, int]]]:
    """Begin and end of each place; and the frames around it, with the time of the first.

    They are enough for an example of so many frames, or as long as the longest place.
    """
    longest = max(example, int((places.end_ms - places.start_ms).max(initial=0)) // FRAME_MS)
    beside = longest // 2 + MARGIN + 1
    parts: dict[int, tuple[ArchivePart, int]] = {}
    for part in archive.parts:
        wanted = np.isin(part.recordings, places.recording)
        columns = (part.recordings[wanted].tolist(), part.rows[wanted].tolist())
        parts |= {number: (part, row) for number, row in zip(*columns, strict=True)}
    for number, *span in zip(*(column.tolist() for column in places), strict=True):
        part, row = parts[number]
        first, stop = part.sound.offsets[row : row + 2].tolist()
        start_ms = int(part.sound.start_ms[row])
        begin, end = (first + (at_ms - start_ms) // FRAME_MS for at_ms in span)
        begin = max(first, begin - beside)
        signs = part.sound.signs[begin : min(stop, end + beside)]
        yield (span[0], span[1]), (signs, start_ms + (begin - first) * FRAME_MS)


def _cells(query: UInt64s, part: ArchivePart, threads: int) -> _Cells:
    """The best rough path of each half length of an example, in all of a part's recordings."""
    cell = max(4, len(query) // 2)
    pieces, rows, cells = _pieces(part, cell)
    costs, ends = np.full(cells, FAR, np.int32), np.zeros(cells, np.int64)
    arguments = (np.ascontiguousarray(query), part.sound.signs)
    shares = [some for some in np.array_split(pieces, max(1, 4 * threads)) if len(some)]

    def work(some: Int64s) -> None:
        scan(*arguments, some, STRIDE, cell, costs, ends)

    if threads == 1:
        work(pieces)
    else:  # the kernel lets other threads run, and each has cells of its own
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, shares))
    return _Cells(costs, rows, ends)


def _pieces(part: ArchivePart, cell: int) -> tuple[Int64s, Int64s, int]:
    """Stretches of a part for `scan`, the recording of each cell, and how many cells there are."""
    length = max(1, PIECE // cell) * cell * STRIDE
    pieces, rows, cells = [], [], 0
    for row in part.rows.tolist():
        first, stop = part.sound.offsets[row : row + 2].tolist()
        for begin in range(first, stop, length):
            end = min(stop, begin + length)
            n = ceil(ceil((end - begin) / STRIDE) / cell)
            pieces.append((first, begin, end, cells))
            rows.append((row, n))
            cells += n
    counted = np.array(rows, np.int64).reshape(-1, 2)
    return np.array(pieces, np.int64).reshape(-1, 4), np.repeat(counted[:, 0], counted[:, 1]), cells


def _aligned(query: UInt64s, part: ArchivePart, row: int, end: int) -> tuple[int, int, int, float]:
    """The best path near the end of a rough one: recording, begin, end and cost."""
    first, stop = part.sound.offsets[row : row + 2].tolist()
    m = len(query)
    begin = max(first, end - 2 * m - STRIDE)
    stretch = part.sound.signs[begin : min(stop, end + m // 4 + STRIDE)]
    costs, begins = _paths(query, stretch)
    least = max(0, end - begin - m // 2)  # another cell's place, before it, is not this one's
    best = least + int(np.argmin(costs[least:]))
    start_ms = int(part.sound.start_ms[row]) + (begin - first) * FRAME_MS
    number = int(part.recordings[np.searchsorted(part.rows, row)])
    return (
        number,
        start_ms + int(begins[best]) * FRAME_MS,
        start_ms + (best + 1) * FRAME_MS,
        float(costs[best]) / (SIGNS * m),
    )


def _paths(query: UInt64s, stretch: UInt64s) -> tuple[Int32s, Int64s]:
    costs, begins = np.empty(len(stretch), np.int32), np.empty(len(stretch), np.int64)
    alignment(np.ascontiguousarray(query), np.ascontiguousarray(stretch), costs, begins)
    return costs, begins


def joined(
    parts: Sequence[tuple[Spans, Float64s]], examples: Sequence[Example], archive: SoundArchive
) -> Spans:
    """Places of several examples, each once: of those that overlap, the cheapest."""
    places, costs = zip(*parts, strict=True)
    return _distinct(Spans.of(*places), np.concatenate(costs), examples, archive)[0]


def _distinct(
    places: Spans, costs: Float64s, examples: Sequence[Example], archive: SoundArchive
) -> tuple[Spans, Float64s]:
    """Of places that overlap, the best; those that overlap an example itself are left out."""
    order = np.lexsort((places.start_ms, places.recording, costs))
    kept: list[int] = []
    taken: dict[int, list[tuple[int, int]]] = {}
    row_of = {one: row for row, one in enumerate(archive.recordings)}
    for own, begin_ms, end_ms in (example.span for example in examples if example.span):
        taken.setdefault(row_of.get(own, -1), []).append((int(begin_ms), int(end_ms)))
    columns = [column[order].tolist() for column in places]
    for i, number, begin, end in zip(order.tolist(), *columns, strict=True):
        others = taken.setdefault(number, [])
        if all(min(end, b) - max(begin, a) < (end - begin) / 3 for a, b in others):
            others.append((begin, end))
            kept.append(i)
            if len(kept) == KEPT_PLACES:
                break
    some = np.array(kept, np.int64)
    return places.rows(some), costs[some]


@compiled_within
def _row(query: np.ndarray, planes: np.ndarray, n: int, costs: np.ndarray) -> None:
    """Costs of matching one frame of the example with each of n frames."""
    a, b, c, d = query[0], query[1], query[2], query[3]
    for t in range(n):
        costs[t] = np.int32(
            ones(a ^ planes[0, t])
            + ones(b ^ planes[1, t])
            + ones(c ^ planes[2, t])
            + ones(d ^ planes[3, t])
        )


@compiled_within
def _step(before: np.ndarray, costs: np.ndarray, n: int) -> None:
    """Add to the costs those of the cheapest ways there."""
    if n > 1:
        costs[1] += min(before[0], before[1])
    for t in range(2, n):
        costs[t] += min(min(before[t], before[t - 1]), before[t - 2])
    costs[0] += before[0]


@compiled
def scan(
    query: np.ndarray,
    signs: np.ndarray,
    pieces: np.ndarray,
    stride: int,
    cell: int,
    costs: np.ndarray,
    ends: np.ndarray,
) -> None:
    """Find the cheapest path that ends in each cell of some pieces of an archive.

    Args:
        query: (m, 4) uint64, the example's signs, every ``stride``-th frame.
        signs: (n, 4) uint64 of the archive.
        pieces: (p, 4) int64: the first frame of the piece's recording, the first and one past the
            last frame of the piece, and the number of its first cell.
        stride: frames from one that is looked at to the next.
        cell: frames that are looked at in a cell.
        costs: (cells,) int32, set: of the cheapest path that ends in each.
        ends: (cells,) int64, set: the frame where it ends.
    """
    m = len(query)
    longest = 0
    for p in range(len(pieces)):
        longest = max(longest, (pieces[p, 2] - pieces[p, 1]) // stride + 2 * m + 2)
    planes = np.empty((4, longest), np.uint64)
    before, after = np.empty(longest, np.int32), np.empty(longest, np.int32)
    for p in range(len(pieces)):
        recording, begin, end, first_cell = pieces[p]
        lead = min((begin - recording) // stride, 2 * m)  # paths begin up to so many before
        first = begin - lead * stride
        n = (end - first + stride - 1) // stride
        for t in range(n):
            for k in range(4):
                planes[k, t] = signs[first + t * stride, k]
        _row(query[0], planes, n, before)
        for i in range(1, m):
            _row(query[i], planes, n, after)
            _step(before, after, n)
            before, after = after, before
        for t in range(lead, n):
            c = first_cell + (t - lead) // cell
            if before[t] < costs[c]:
                costs[c] = before[t]
                ends[c] = first + t * stride


@compiled
def alignment(query: np.ndarray, signs: np.ndarray, costs: np.ndarray, begins: np.ndarray) -> None:
    """Align an example with a stretch of an archive.

    Args:
        query: (m, 4) uint64.
        signs: (n, 4) uint64.
        costs: (n,) int32, set: of the cheapest path that ends at each frame.
        begins: (n,) int64, set: where it begins; of equal ones the straightest.
    """
    n = len(signs)
    before, froms = np.empty(n, np.int32), np.empty(n, np.int64)
    for i in range(len(query)):
        for t in range(n):
            cost = np.int32(0)
            for k in range(4):
                cost += np.int32(ones(query[i, k] ^ signs[t, k]))
            if i == 0:
                costs[t], begins[t] = cost, t
                continue
            best, begin = before[t], froms[t]
            if t > 0 and before[t - 1] <= best:
                best, begin = before[t - 1], froms[t - 1]
            if t > 1 and before[t - 2] < best:
                best, begin = before[t - 2], froms[t - 2]
            costs[t], begins[t] = best + cost, begin
        before[:], froms[:] = costs, begins
