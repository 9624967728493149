"""Workers: one function for many items, in this process or in others; see `Executor.map`.

    InProcess    one item after the other, when its result is needed
    Threads      of this process, for functions that are compiled kernels for the most part
    Workers      other processes, through a ``submit`` function that returns futures

Results come in the order of the items. Only a few items per worker are in progress, so inputs and
results do not accumulate. The cost of an item comes with its result (`std.execution.cost`). If a
worker dies, another one repeats its item (Dask), so functions must be safe to run twice.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, TypeVar

from std.errors import StdError
from std.execution.cost import LEDGER
from std.execution.stop import check_stop

A = TypeVar("A")
B = TypeVar("B")

PER_WORKER = 3  # items in progress: one running, one waiting, one finished and not fetched


class Executor(Protocol):
    """Runs a function on items."""

    @property
    def workers(self) -> int:
        """The number of items that run at once."""

    def map(self, function: Callable[[A], B], items: Iterable[A]) -> Iterator[B]:
        """Yield ``function(item)`` for each item, in order.

        Raises:
            StdError: the workers are lost. Also any error of ``function``.
        """


class InProcess:
    """Runs everything in this process."""

    workers = 1

    def map(self, function: Callable[[A], B], items: Iterable[A]) -> Iterator[B]:
        for item in items:
            check_stop()
            yield function(item)


class Threads:
    """Threads of this process: compiled kernels of one run while others run."""

    def __init__(self, workers: int) -> None:
        """Start none yet.

        Args:
            workers: the number of threads.
        """
        self.workers = workers

    def map(self, function: Callable[[A], B], items: Iterable[A]) -> Iterator[B]:
        if self.workers == 1:
            yield from IN_PROCESS.map(function, items)
            return
        with ThreadPoolExecutor(self.workers) as pool:

            def submitted(item: A) -> Future[B]:
                try:  # each has what stops this thread (`std.execution.stop`)
                    return pool.submit(copy_context().run, function, item)
                except RuntimeError:  # Python ends and begins no work: so does a thread that waits
                    raise SystemExit from None

            waiting = map(submitted, items)
            running = deque(islice(waiting, PER_WORKER * self.workers))
            try:
                while running:
                    found = running.popleft().result()
                    running.extend(islice(waiting, 1))
                    yield found
            finally:
                for future in running:
                    future.cancel()


IN_PROCESS = InProcess()


def result(first: Any, others: Collection[Any]) -> Any:
    """Wait for the first of the running futures."""
    return first.result()


def first_line(error: Exception) -> str:
    """The first line of an error's message, or its kind."""
    return (str(error) or type(error).__name__).splitlines()[0]


@dataclass(frozen=True, slots=True)
class Workers:
    """Other processes, through a ``submit`` function that returns futures."""

    workers: int
    submit: Callable[..., Any]  # function, item -> the future of a `std.execution.cost.Paid`
    lost: tuple[type[Exception], ...]  # raised by a future whose worker is lost
    ended: tuple[type[Exception], ...] = ()  # of these: several workers ended at its item
    fetch: Callable[[Any, Collection[Any]], Any] = result
    elsewhere: bool = False  # whether this process did not start them
    reason: Callable[[Exception], str] = first_line  # of one of ``lost``, for people

    def map(
        self,
        function: Callable[[A], B],
        items: Iterable[A],
        instead: Callable[[A, str], B] | None = None,
    ) -> Iterator[B]:
        """Yield ``function(item)`` for each item, in order.

        Args:
            instead: gives the result of an item at which several workers have ended, from the item
                and the reason; None: the other items end, too.

        Raises:
            StdError: the workers are lost. Also any error of ``function``.
        """
        waiting = ((item, self.submit(function, item)) for item in items)
        running = deque(islice(waiting, PER_WORKER * self.workers))
        try:
            while running:
                check_stop()
                item, future = running[0]
                try:
                    # With ``instead``, an error of another item waits: it may be no error.
                    done = self.fetch(future, () if instead else [one for _, one in running][1:])
                    found = LEDGER.note(done, elsewhere=self.elsewhere)
                except self.ended as error:
                    if instead is None:
                        raise
                    found = instead(item, self.reason(error))
                running.popleft()
                yield found
                running.extend(islice(waiting, 1))
        except self.lost as error:
            raise StdError(f"lost the workers: {self.reason(error)}") from error
        finally:
            with suppress(*self.lost):  # nobody is left to be told
                for _, future in running:
                    future.cancel()
