"""The workers of a command: none, processes of this machine, or a Dask cluster.

    executor         ``--jobs`` and ``--scheduler`` -> `std.execution.workers.Executor`
    cluster          the address of a Dask scheduler -> `std.execution.workers.Workers`
    follow_parent    makes a worker process end with its command

Dask's workers (extra ``cluster``) are in `std.execution.dask`.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from std.errors import ConfigError
from std.execution.cost import paid
from std.execution.workers import IN_PROCESS, Executor, Workers
from std.ranges import PROCESSES


@contextmanager
def executor(jobs: int = 1, scheduler: str | None = None) -> Iterator[Executor]:
    """The executor for the options of a command.

    Args:
        jobs: worker processes on this machine; 1 = no others.
        scheduler: address of a Dask scheduler, as ``tcp://host:8786``; then ``jobs`` is not used.

    Raises:
        ValueError: ``jobs`` is no number of processes.
        ConfigError: Dask is not installed, or no scheduler with workers at this address.
    """
    PROCESSES.argument("jobs", jobs)
    if scheduler is not None:
        with cluster(scheduler) as workers:
            yield workers
    elif jobs > 1:
        with _processes(jobs) as workers:
            yield workers
    else:
        yield IN_PROCESS


@contextmanager
def cluster(scheduler: str) -> Iterator[Workers]:
    """The workers of a Dask cluster.

    Args:
        scheduler: its address, as ``tcp://host:8786``.

    Raises:
        ConfigError: Dask is not installed, or no scheduler with workers at this address.
    """
    try:
        from std.execution.dask import dask
    except ModuleNotFoundError as error:
        raise ConfigError(
            "--scheduler: expected the extra 'cluster' (pip install 'spoken-terms[cluster]'), "
            f"got: {error}"
        ) from error
    with dask(scheduler) as workers:
        yield workers


@contextmanager
def _processes(jobs: int) -> Iterator[Workers]:
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    _watch_semaphores()
    # Not fork: numpy's and our own threads do not survive it. Not forkserver: its workers are not
    # our children, so the system tells us neither their CPU time nor their memory.
    context = get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=follow_parent)
    try:
        yield Workers(
            jobs, lambda function, item: pool.submit(paid, function, item), (BrokenProcessPool,)
        )
    finally:
        pool.shutdown(cancel_futures=True)


def _watch_semaphores() -> None:
    """Start Python's process that removes the semaphores of a killed command.

    It blocks Ctrl-C and SIGTERM itself. A terminal that is closed sends SIGHUP to it, too.
    """
    import signal
    from multiprocessing import resource_tracker

    if hasattr(signal, "SIGHUP"):  # not on Windows
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])
        try:
            resource_tracker.ensure_running()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def follow_parent() -> None:
    """In a worker process: ignore Ctrl-C, and end if the command was killed."""
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
