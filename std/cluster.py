"""Where work is done: here, in other processes, or on a Dask cluster. One door: `Executor.map`.

    in_process       one item after the other, when its result is asked for
    processes        worker processes of this machine
    dask             the workers of a Dask cluster (extra ``cluster``), see `std.cluster_dask`

Results come in the order of the items whoever finishes first, and only a few items per worker are
under way, so neither inputs nor results pile up. An item whose worker dies is done again by
another one where there is another one (Dask), so functions must not mind being run twice.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, TypeVar

from std.errors import ConfigError, StdError

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
        return map(function, items)


IN_PROCESS = InProcess()


def result(first: Any, others: Collection[Any]) -> Any:
    """Wait for the first of the futures under way."""
    return first.result()


@dataclass(frozen=True, slots=True)
class Workers:
    """Other processes, through a ``submit`` that gives futures."""

    workers: int
    submit: Callable[..., Any]
    lost: tuple[type[Exception], ...]  # what a future raises when its worker is gone for good
    fetch: Callable[[Any, Collection[Any]], Any] = result

    def map(self, function: Callable[[A], B], items: Iterable[A]) -> Iterator[B]:
        waiting = iter(items)
        running = deque(
            self.submit(function, item) for item in islice(waiting, PER_WORKER * self.workers)
        )
        try:
            while running:
                yield self.fetch(running.popleft(), running)
                running.extend(self.submit(function, item) for item in islice(waiting, 1))
        except self.lost as error:
            reason = (str(error) or type(error).__name__).splitlines()[0]
            raise StdError(f"lost the workers: {reason}") from error
        finally:
            for one in running:
                one.cancel()


@contextmanager
def executor(jobs: int = 1, scheduler: str | None = None) -> Iterator[Executor]:
    """The executor that a command line asks for.

    Args:
        jobs: worker processes on this machine; 1 = no others.
        scheduler: address of a Dask scheduler, as ``tcp://host:8786``; then ``jobs`` is not used.

    Raises:
        ConfigError: Dask is not installed, or no scheduler with workers at this address.
    """
    if scheduler is not None:
        try:
            from std.cluster_dask import dask
        except ModuleNotFoundError as error:
            raise ConfigError(
                "--scheduler: expected the extra 'cluster' (pip install 'spoken-terms[cluster]'), "
                f"got: {error}"
            ) from error
        with dask(scheduler) as workers:
            yield workers
    elif jobs > 1:
        with _processes(jobs) as workers:
            yield workers
    else:
        yield IN_PROCESS


@contextmanager
def _processes(jobs: int) -> Iterator[Workers]:
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    # Not fork: numpy's and our own threads do not survive it.
    context = get_context("forkserver")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_follow_parent)
    try:
        yield Workers(jobs, pool.submit, (BrokenProcessPool,))
    finally:
        pool.shutdown(cancel_futures=True)


def _follow_parent() -> None:
    """In a worker process: leave Ctrl-C to the command, and end when the command was killed."""
    import os
    import signal
    from multiprocessing import parent_process
    from threading import Thread

    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def wait() -> None:
        if parent := parent_process():
            parent.join()
            os._exit(1)

    Thread(target=wait, daemon=True).start()
