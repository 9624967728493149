"""Workers of a Dask cluster, with a check that they run the same code.

version      a digest of the code, to compare the processes of a cluster
knock        checks for a scheduler (a `Client` that fails waits, then prints a traceback)
same_code    the function of a worker: it unpickles the work only if the code is the same
"""

import asyncio
import logging
import pickle
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from threading import Event
from typing import Any
from uuid import uuid4

from dask import config as dask_config
from dask.utils import funcname
from distributed import Client, Future, KilledWorker, Security, get_worker
from distributed.client import ClosedClientError, FutureCancelledError
from distributed.comm import CommClosedError, connect, resolve_address
from distributed.protocol.pickle import dumps

from std import __version__
from std.command import tell
from std.errors import ConfigError, StdError
from std.execution.cost import Paid, paid
from std.execution.stop import check_stop, stopped_by
from std.execution.workers import Workers

PACKAGES = ("indexer", "recogniser", "searcher", "std")  # in workers, side by side


@cache
def version() -> str:
    """The version and a digest of the sources at the first call, ``0.1.0 (3f9a...)``.

    The version alone is not enough: people change code between releases.
    """
    root = Path(__file__).parents[2]
    digest = blake2b(digest_size=6)
    for path in sorted(path for package in PACKAGES for path in (root / package).rglob("*.py")):
        digest.update(b"%s\0%s\0" % (path.relative_to(root).as_posix().encode(), path.read_bytes()))
    return f"{__version__} ({digest.hexdigest()})"


CONNECT_S = 10.0
LOOK_S = 2.0  # between two checks for failures and missing workers
# By name: a worker without `same_code` would fail to unpickle the function.
RUN = f"__import__({__name__!r}, fromlist=['']).same_code(there, work)"
ENDED = (KilledWorker,)
LOST = (*ENDED, FutureCancelledError, CommClosedError, ClosedClientError)


@contextmanager
def dask(address: str) -> Iterator[Workers]:
    """The workers of the cluster whose scheduler has this address.

    Raises:
        ConfigError: no scheduler with workers at this address.
    """
    for name in ("distributed", "distributed.client", "distributed.protocol"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # our error message replaces its log
    # A task of many terms in many hours is large; Dask's advice is for authors of programs.
    dask_config.set({"distributed.admin.large-graph-warning-threshold": "1 PB"})
    try:
        resolve_address(address)
    except ValueError as error:
        raise ConfigError(
            f"--scheduler: expected an address as tcp://host:8786, got {address!r}"
        ) from error
    except OSError as error:
        raise nobody_at(address, error) from error
    try:
        asyncio.run(knock(address))
        client = Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TypeError, CommClosedError) as error:  # TypeError: tls, no keys
        raise nobody_at(address, error) from error
    with client:
        workers = sum(client.nthreads().values())
        if not workers:
            raise ConfigError(f"--scheduler: expected workers at {address}, got none")

        def submit(function: Callable[[Any], Any], item: Any) -> Future:
            scope = {"there": version(), "work": dumps((function, item))}
            # A new key: the same call may give another result, because files change.
            return client.submit(eval, RUN, scope, key=f"{funcname(function)}-{uuid4()}")

        watch = Watch(client, address)
        yield Workers(workers, submit, LOST, ENDED, watch, elsewhere=True, reason=watch.reason)


def nobody_at(address: str, error: Exception) -> ConfigError:
    """There is no scheduler at an address."""
    return ConfigError(f"--scheduler: expected a Dask scheduler at {address}, got: {error}")


async def knock(address: str) -> None:
    """Connect and hang up. A scheduler may be starting: a refused connection is tried again.

    Raises:
        OSError, ValueError, TypeError: nothing answers, something else does, or there are no keys.
    """
    security = Security().get_connection_args("client")
    task = asyncio.ensure_future(connect(address, timeout=CONNECT_S, **security))
    if not (await asyncio.wait([task], timeout=LOOK_S))[0]:
        tell(f"waiting up to {CONNECT_S:g} s: no scheduler answers at {address}")
    try:
        comm = await asyncio.wait_for(task, CONNECT_S)  # `connect` waits for an answer for ever
    except TimeoutError as error:
        raise OSError(f"no answer in {CONNECT_S:g} s") from error
    except (OSError, TypeError):
        raise
    except Exception as error:  # whatever the bytes of another server become
        raise OSError("an answer that is no scheduler's") from error
    await comm.close()


def same_code(there: str, work: bytes) -> Paid:
    """In a worker: ``function(item)`` and its cost, as pickled in ``work`` by a command.

    Args:
        there: the command's version.
        work: function and item.

    Raises:
        StdError: the command runs other code than this worker.
        CancelledError: the command has ended (`std.execution.stop.check_stop`).
    """
    worker = get_worker()
    if there != version():
        raise other_code(there, f"{version()} at {worker.address}")
    function, item = pickle.loads(work)  # pickled by the command, in the same cluster
    tasks, name = worker.state.tasks, worker.get_current_task()

    def wanted() -> None:
        if name in tasks and tasks[name].state == "cancelled":
            raise CancelledError

    # Alone in its process, it may have threads of its own, as recognisers have.
    clock = time.process_time if worker.state.nthreads == 1 else time.thread_time
    with stopped_by(wanted):
        return paid(function, item, clock)


def other_code(here: str, got: str) -> StdError:
    """Workers run other code than the command."""
    return StdError(
        f"--scheduler: expected workers with this version, {here}, got {got}: "
        "install the same there and start its workers again"
    )


def result(future: Future) -> Any:
    """The result of the work; raises the error of the work.

    Raises:
        StdError: the worker has no such code.
    """
    try:
        return future.result()
    except ModuleNotFoundError as error:
        if error.name and f"{__name__}.".startswith(f"{error.name}."):  # this module or above
            raise other_code(version(), f"a worker without {error.name}") from error
        raise


@dataclass(slots=True)
class Watch:
    """Waits for results; reports failed workers, and a cluster without workers, at once."""

    client: Client
    address: str
    told: bool = False

    def __call__(self, first: Future, others: Collection[Future]) -> Any:
        """The result of the first future, or an earlier error of another one."""
        # An event instead of `result` with a timeout, which may cancel the transfer of a result
        # as it begins: a client of `distributed` then gives no result any more.
        done = Event()
        first.add_done_callback(lambda _: done.set())
        while not done.wait(LOOK_S):
            check_stop()
            for other in others:
                if other.status == "error":
                    result(other)
            if not self.told and not self.client.nthreads():
                self.told = True
                waiting = f"waiting: no worker is connected to {self.address}"
                tell(waiting)
        return result(first)

    def reason(self, error: Exception) -> str:
        """Why the workers are lost, without Dask's names of tasks and sockets."""
        if isinstance(error, KilledWorker):
            return (
                f"{error.allowed_failures + 1} ended at the same piece of work, the last at "
                f"{error.last_worker.address} (is there enough memory? see their logs)"
            )
        return f"the scheduler at {self.address} ended, or was started again"
