"""Workers: one function for many items, in this process or in others; see `Executor.map`.

    InProcess    one item after the other, when its result is asked for and nobody wants to stop
    Workers      other processes, through a ``submit`` that gives futures

Results come in the order of the items whoever finishes first, and only a few items per worker are
under way, so neither inputs nor results pile up. What an item cost comes with its result
(`std.execution.cost`). An item whose worker dies is done again by
another one where there is another one (Dask), so functions must not mind being run twice.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, TypeVar

from std.errors import StdError
from std.execution.cost import LEDGER
from std.execution.stop import check_stop

A = TypeVar("A")
B = TypeVar("B")

PER_WORKER = 3  # items under way: one running, one waiting, one finished and not yet fetched


class Executor(Protocol):
    """Something that does work."""

    @property
    def workers(self) -> int:
        """How many items are done at once."""

    def map(self, function: Callable[[A], B], items: Iterable[A]) -> Iterator[B]:
        """Yield ``function(item)`` for each item, in order.

        Raises:
            StdError: the workers are lost; and what ``function`` raises.
        """


class InProcess:
    """No other workers: everything is done here."""

    workers = 1

    def map(self, function: Callable[[A], B], items: Iterable[A]) -> Iterator[B]:
        for item in items:
            check_stop()
            yield function(item)


IN_PROCESS = InProcess()


def result(first: Any, others: Collection[Any]) -> Any:
    """Wait for the first of the futures under way."""
    return first.result()


@dataclass(frozen=True, slots=True)
class Workers:
    """Other processes, through a ``submit`` that gives futures."""

    workers: int
    submit: Callable[..., Any]  # function, item -> the future of a `std.execution.cost.Paid`
    lost: tuple[type[Exception], ...]  # raised by a future whose worker is gone for good
    fetch: Callable[[Any, Collection[Any]], Any] = result
    elsewhere: bool = False  # they are not processes that this one started

    def map(self, function: Callable[[A], B], items: Iterable[A]) -> Iterator[B]:
        waiting = iter(items)
        running = deque(
            self.submit(function, item) for item in islice(waiting, PER_WORKER * self.workers)
        )
        try:
            while running:
                check_stop()
                done = self.fetch(running.popleft(), running)
                yield LEDGER.note(done, elsewhere=self.elsewhere)
                running.extend(self.submit(function, item) for item in islice(waiting, 1))
        except self.lost as error:
            reason = (str(error) or type(error).__name__).splitlines()[0]
            raise StdError(f"lost the workers: {reason}") from error
        finally:
            for future in running:
                future.cancel()
