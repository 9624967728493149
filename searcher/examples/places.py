"""The places of an archive that sound most like an example, with their costs.

best_places   the places of examples: all are compared roughly, the best ones by every frame
costs_at      the costs of an example at places that another example found
usual_at      the costs of places by chance, whatever the example
costs_between the costs of a place and other places, each as an example of the other

The kernels are in `searcher.examples.kernels`. Any worker may compare a share of a segment. Each
share keeps as many of its best cells as the whole archive may keep, so the places depend neither on
the shares nor on the segments.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import ceil
from typing import NamedTuple

import numpy as np

from searcher.examples.example import ArchivePart, Example, SoundArchive
from searcher.examples.kernels import alignment, scan
from searcher.results.candidates import Spans
from std.execution.stop import check_stop
from std.execution.workers import IN_PROCESS, Executor, Threads
from std.sound.columns import FRAME_MS, SIGNS
from std.sound.usual import usual_distances
from std.system import cores
from std.values import Bools, Float64s, Int32s, Int64s, UInt64s

STRIDE = 2  # frames from one that is looked at roughly to the next
PIECE = 4096  # frames looked at in one go: their costs stay in the processor's cache
MARGIN = 5  # frames by which an example may lie beside the place of another one
LOOKED_AT = 600  # cells whose best path is aligned by all frames
KEPT_PLACES = 200  # places of an example

SHARES = 4  # of the work for each thread; other workers read a segment anew for each share

FAR = 1 << 30  # a cost that no path has


class _Cells(NamedTuple):
    """The best rough paths of an example in stretches of a part, one in each."""

    cost: Int32s  # (c,)
    row: Int64s  # (c,) of the part's recordings
    end: Int64s  # (c,) the frame where it ends

    def some(self, which: Bools) -> "_Cells":
        """The paths of some rows."""
        return _Cells(self.cost[which], self.row[which], self.end[which])


class _Share(NamedTuple):
    """One of the equal shares of a part."""

    part: ArchivePart
    number: int
    of: int


class _Chosen(NamedTuple):
    """The paths of each example in a part that are aligned by all frames."""

    part: ArchivePart
    examples: Sequence[UInt64s]  # each (m, 4)
    cells: Sequence[_Cells]


def best_places(
    examples: Sequence[Example],
    archive: SoundArchive,
    workers: Executor = IN_PROCESS,
    inside: Callable[[Spans], Bools] | None = None,
    advance: Callable[[float], None] = lambda share: None,
) -> list[tuple[Spans, Float64s]]:
    """The places that sound most like each example, the best first; not the example itself.

    Args:
        workers: the executor of the comparisons; in this process, threads on all cores.
        inside: tells which places are inside the searched speech; None: all are.
        advance: called with each finished share of the work; they add up to 1.

    Returns:
        for each example the places, which point into the archive's recordings, and their costs:
        shares of signs that differ.
    """
    workers = Threads(cores()) if workers is IN_PROCESS else workers
    at_once = workers.workers * (SHARES if isinstance(workers, Threads) else 1)
    of = ceil(at_once / len(archive.parts))
    shares = [_Share(part, number, of) for part in archive.parts for number in range(of)]
    signs = [example.signs for example in examples]
    scanned: list[list[_Cells]] = []
    for cells in workers.map(partial(_scanned, examples=signs, inside=inside), shares):
        scanned.append(cells)
        advance(1 / len(shares))
    chosen = [_chosen([cells[i] for cells in scanned]) for i in range(len(examples))]
    tasks = []
    for p, part in enumerate(archive.parts):
        of_part = [_joined(cells[p * of : (p + 1) * of]) for cells in chosen]
        tasks.append(_Chosen(part, signs, of_part))
    aligned = [*workers.map(_aligned, tasks)]
    found = []
    for i, example in enumerate(examples):
        places, costs = zip(*(of_part[i] for of_part in aligned), strict=True)
        some = Spans.of(*places), np.concatenate(costs)
        if inside is not None:
            kept = np.flatnonzero(inside(some[0]))
            some = some[0].rows(kept), some[1][kept]
        found.append(_distinct(*some, [example], archive))
    return found


def _border(cost: Int32s) -> int:
    """The cost below which cells are aligned exactly; of cells with equal costs, all or none."""
    return int(np.partition(cost, LOOKED_AT)[LOOKED_AT]) if len(cost) > LOOKED_AT else FAR


def _chosen(of_shares: Sequence[_Cells]) -> list[_Cells]:
    """The cells of an example that are aligned exactly, in each share."""
    border = _border(np.concatenate([one.cost for one in of_shares]))
    return [one.some(one.cost < border) for one in of_shares]


def _joined(of_shares: Sequence[_Cells]) -> _Cells:
    return _Cells(*(np.concatenate(columns) for columns in zip(*of_shares, strict=True)))


def costs_at(example: Example, archive: SoundArchive, places: Spans) -> Float64s:
    """(n,) the cost of the best fit of an example at each of the places of another one."""
    spans = _spans(places, archive, len(example.signs))
    costs = [_cost_at(example.signs, *place) for place in spans]
    return np.array(costs, np.float64)


def costs_between(archive: SoundArchive, places: Spans) -> Float64s:
    """(n,) the mean of the costs of the first place at each other place, and of that at the first.

    Args:
        places: each of at least one frame; the cost of the first at itself is 0.
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
    """The cost of an example in a span of a recording; see `_spans`."""
    (begin_ms, end_ms), (signs, start_ms) = span, recording
    middle = (begin_ms + end_ms - 2 * start_ms) // (2 * FRAME_MS)
    # no further than where it was found: beside it may be the place of another example
    around = max(len(example), (end_ms - begin_ms) // FRAME_MS) // 2 + MARGIN
    cost, _ = _paths(example, signs[max(0, middle - around) : middle + around])
    return float(cost.min()) / (SIGNS * len(example))


def usual_at(archive: SoundArchive, places: Spans, sample: UInt64s) -> Float64s:
    """(n,) the mean share of signs in which the frames of places differ from others by chance."""
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
    """Begin and end of each place, and the frames around it, with the time of the first frame.

    There are enough frames for an example of the given length, or of that of the longest place.
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


def _scanned(
    share: _Share, examples: Sequence[UInt64s], inside: Callable[[Spans], Bools] | None
) -> list[_Cells]:
    """The best rough paths of each example in a share of a part."""
    return [_best_cells(example[::STRIDE], *share, inside) for example in examples]


def _best_cells(
    query: UInt64s,
    part: ArchivePart,
    number: int,
    of: int,
    inside: Callable[[Spans], Bools] | None,
) -> _Cells:
    """The best rough path in each half length of an example, if it may be among the best of all."""
    check_stop()
    cell = max(4, len(query) // 2)
    every, rows, cells = _pieces(part, cell)
    bounds = np.linspace(0, len(every), of + 1).astype(np.int64)[number : number + 2]
    pieces = every[slice(*bounds)].copy()
    first, stop = np.append(every[:, 3], cells)[bounds].tolist()
    pieces[:, 3] -= first
    costs, ends = np.full(stop - first, FAR, np.int32), np.zeros(stop - first, np.int64)
    scan(np.ascontiguousarray(query), part.sound.signs, pieces, STRIDE, cell, costs, ends)
    rows = rows[first:stop]
    if inside is not None:
        costs = np.where(inside(part.at(rows, ends)), costs, np.int32(FAR))
    return _Cells(costs, rows, ends).some((costs <= _border(costs)) & (costs < FAR))


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


def _aligned(chosen: _Chosen) -> list[tuple[Spans, Float64s]]:
    """The best path of each example near the end of each rough one, and its cost."""
    found = []
    for example, cells in zip(chosen.examples, chosen.cells, strict=True):
        check_stop()
        ends = zip(cells.row.tolist(), cells.end.tolist(), strict=True)
        places = [_align(example, chosen.part, *one) for one in ends]
        *spans, costs = zip(*places, strict=True) if places else [()] * 4
        columns = (np.array(column, np.int64) for column in spans)
        found.append((Spans._make(columns), np.array(costs, np.float64)))
    return found


def _align(query: UInt64s, part: ArchivePart, row: int, end: int) -> tuple[int, int, int, float]:
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
    """The places of several examples, each once: of overlapping places, the cheapest."""
    places, costs = zip(*parts, strict=True)
    return _distinct(Spans.of(*places), np.concatenate(costs), examples, archive)[0]


def _distinct(
    places: Spans, costs: Float64s, examples: Sequence[Example], archive: SoundArchive
) -> tuple[Spans, Float64s]:
    """The best of overlapping places, without places that overlap an example itself."""
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
