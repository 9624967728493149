"""The best one-to-one pairing of a few candidates; rows and columns may stay unpaired.

    best_assignment   rows with possible columns and the gain of each pair -> the pairs

Rows are added one by one. Each follows the augmenting path with the least loss: to a free column,
or through taken columns whose rows move to another column or become unpaired. Prices of columns,
which grow with demand, keep all losses at or above 0, so Dijkstra's algorithm finds the path; it
stops where staying unpaired loses less. Rows with the largest gain come first, so that later rows
meet high prices and few paths are long.

Source: Jonker and Volgenant, "A shortest augmenting path algorithm for dense and sparse linear
assignment problems", Computing 38, 1987; prices as in Bertsekas, "The auction algorithm", 1988.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf

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
        """Add a row."""
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
