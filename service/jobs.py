"""Work that requests wait for: a few threads for each kind, with limits; stopped if nobody waits.

    Lane          threads with a queue of limited length; beyond it the answer is 429
    Stop          whether the client is connected and the time limit has not passed; the long
                  loops of a job ask it (`std.execution.stop`)
    SlowJobs      let slow jobs work in turns, one at a time
    in_lane       awaits a job for a request, and stops it when the client disconnects
    Ongoing       jobs that go on when their clients have left
    wanted        awaits any future for a request, and stops it when the client disconnects

Known words, other words, queries and audio have separate lanes, so a slow term delays neither known
words, which take a millisecond, nor audio. A lane may have spare threads for jobs that have waited
for a moment, so a slow query delays no other query. Python's threads share one interpreter, so each
thread that computes delays all others; therefore slow jobs take turns.
"""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from service.problems import ProblemError, too_busy
from std.execution.stop import stopped_by

if TYPE_CHECKING:
    from starlette.requests import Request

A = TypeVar("A")

SPARE_S = 0.03  # that a job waits before a spare thread takes it
CLOSING_S = 5.0  # for jobs to end with the service
LOOK_S = 0.2  # between two checks whether the client is connected
QUICK_S = 0.2  # of work, after which a job is slow
TURN_S = 0.02  # that a slow job works at once
PAUSE_S = 0.002  # before a turn, in which another slow job may begin its own
MOST_PAUSES = 20  # while quick jobs are under way


class JobStoppedError(Exception):
    """The client disconnected, or the work took too long."""


class Stop:
    """Whether a job should go on."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._begun_s = time.monotonic()
        self.is_stopped = False

    def stop(self) -> None:
        """Ask the job to stop: its client has disconnected."""
        self.is_stopped = True

    @property
    def overdue(self) -> bool:
        """Whether the time limit has passed."""
        return self.age_s > self.seconds

    @property
    def age_s(self) -> float:
        """Seconds since the job was requested."""
        return time.monotonic() - self._begun_s

    def check(self) -> None:
        """Check whether the job may go on.

        Raises:
            JobStoppedError: the client disconnected, or the time limit has passed.
        """
        if self.is_stopped or self.overdue:
            raise JobStoppedError


class SlowJobs:
    """Lets slow jobs work in turns.

    Together they use as much time of the interpreter as one thread. Before each turn they wait, for
    a limited time, until quick jobs have finished.
    """

    def __init__(self, are_others_working: Callable[[], bool]) -> None:
        """Begin without a slow job.

        Args:
            are_others_working: whether quick jobs are under way.
        """
        self._are_others_working = are_others_working
        self._working = threading.Lock()  # held by the slow job that works

    @contextmanager
    def taken(self, stop: Stop) -> Iterator[None]:
        """Let the job of the block wait for its turns in `check_stop`, once it is slow."""
        end_s, is_ours = time.monotonic() + QUICK_S, False
        one_waits = threading.Lock()  # of the job's threads, which have their turns together

        def wait_for_turn() -> None:
            if time.monotonic() >= end_s:
                with one_waits:
                    take_turn()

        def take_turn() -> None:
            nonlocal end_s, is_ours
            if time.monotonic() < end_s:
                return  # another thread of the job has waited
            if is_ours:
                self._working.release()
                is_ours = False
            for _ in range(MOST_PAUSES):
                time.sleep(PAUSE_S)
                if not self._are_others_working():
                    break
            while not self._working.acquire(timeout=LOOK_S):
                stop.check()
            end_s, is_ours = time.monotonic() + TURN_S, True

        try:
            with stopped_by(wait_for_turn):
                yield
        finally:
            if is_ours:
                self._working.release()


class Lane:
    """Threads that do jobs in order of arrival.

    They are daemons, so a job in a kernel does not prevent the process from ending for long.
    """

    def __init__(
        self, name: str, workers: int, waiting: int, spare: int = 0, turns: SlowJobs | None = None
    ) -> None:
        """Start the threads.

        Args:
            workers: threads that take a job at once.
            waiting: jobs that may wait.
            spare: further threads, for jobs that no worker has taken after `SPARE_S`.
            turns: the turns of its slow jobs; None = all work at once.
        """
        self.name, self._waiting, self._turns = name, waiting, turns
        self._jobs: deque[tuple[Future[Any], Callable[[Stop], Any], Stop]] = deque()
        self._changed = threading.Condition()
        self.running = 0
        self._stops: set[Stop] = set()  # of the jobs under way
        for number in range(workers + spare):
            after_s = 0.0 if number < workers else SPARE_S
            threading.Thread(
                target=self._work, args=(after_s,), name=f"{name} {number}", daemon=True
            ).start()

    @property
    def waiting(self) -> int:
        """The number of waiting jobs."""
        return len(self._jobs)

    def submit(self, work: Callable[[Stop], A], stop: Stop) -> "Future[A]":
        """Queue a job.

        Raises:
            ProblemError: too many jobs are waiting.
        """
        future: Future[A] = Future()
        with self._changed:
            if len(self._jobs) >= self._waiting:
                raise too_busy(f"requests for {self.name}")
            self._jobs.append((future, work, stop))
            self._changed.notify_all()
        return future

    def _in_turns(self, stop: Stop) -> AbstractContextManager[None]:
        return self._turns.taken(stop) if self._turns else nullcontext()

    def _work(self, after_s: float) -> None:
        """Do jobs, each when it has waited for some time."""
        while True:
            with self._changed:
                while not self._jobs or (left_s := after_s - self._jobs[0][2].age_s) > 0:
                    self._changed.wait(left_s if self._jobs else None)
                future, work, stop = self._jobs.popleft()
                self.running += 1
                self._stops.add(stop)
            try:
                stop.check()
                with stopped_by(stop.check), self._in_turns(stop):
                    future.set_result(work(stop))
            except BaseException as error:
                future.set_exception(error)
            finally:
                del future, work
                with self._changed:
                    self.running -= 1
                    self._stops.discard(stop)
                    self._changed.notify_all()

    def close(self) -> None:
        """Stop the jobs under way: the interpreter must not end while they work."""
        with self._changed:
            for stop in self._stops:
                stop.stop()
            self._changed.wait_for(lambda: not self.running, CLOSING_S)


class UnderWay(NamedTuple):
    """A job that has not ended yet."""

    done_s: float  # of the recording


class Ongoing:
    """Jobs about whole recordings, each once; they go on when their clients have left.

    A job stores its result itself. The error of a failed job is kept until a request asks for the
    result.
    """

    def __init__(self, lane: Lane, seconds: float) -> None:
        """Begin without a job.

        Args:
            seconds: the time limit of a job, which includes its time in the queue.
        """
        self._lane, self._seconds = lane, seconds
        self._jobs: dict[Hashable, tuple[asyncio.Future[Any], list[float]]] = {}

    async def result(
        self, key: Hashable, work: Callable[[Stop, Callable[[float], None]], A], wait_s: float
    ) -> A | UnderWay:
        """The result of a job, which is begun unless it is under way.

        Args:
            work: the job; it tells how many seconds of the recording are done.
            wait_s: how long a request waits for it.

        Raises:
            ProblemError: too many jobs are waiting, or this one took too long.
        """
        if key not in self._jobs:
            done_s, stop = [0.0], Stop(self._seconds)

            def tell(seconds: float) -> None:
                done_s[0] = seconds

            future = asyncio.wrap_future(self._lane.submit(lambda stop: work(stop, tell), stop))
            self._jobs[key] = future, done_s
            future.add_done_callback(lambda one: self._end(key, one))
        future, done_s = self._jobs[key]
        if not (await asyncio.wait({future}, timeout=wait_s))[0]:
            return UnderWay(done_s[0])
        self._jobs.pop(key, None)
        try:
            found: A = future.result()
        except JobStoppedError as error:
            raise _too_slow(self._seconds) from error
        return found

    def _end(self, key: Hashable, future: "asyncio.Future[Any]") -> None:
        """Forget a job that has ended well; read the outcome of others, as `_forget` does."""
        if future.cancelled() or future.exception() is None:
            self._jobs.pop(key, None)


async def in_lane(
    lane: Lane, request: "Request | None", work: Callable[[Stop], A], seconds: float
) -> A:
    """Await a job; stop it when the client of the request disconnects.

    Raises:
        ProblemError: too many jobs are waiting, or this one takes more than ``seconds``, including
            its time in the queue.
    """
    stop = Stop(seconds)
    return await wanted(asyncio.wrap_future(lane.submit(work, stop)), stop, request)


async def wanted(future: "asyncio.Future[A]", stop: Stop, request: "Request | None") -> A:
    """Await the work of a request; stop it when the client disconnects.

    Raises:
        ProblemError: the work takes too long.
    """
    try:
        while True:
            done, _ = await asyncio.wait({future}, timeout=LOOK_S)
            if done:
                return future.result()
            if stop.overdue or (request is not None and await request.is_disconnected()):
                raise JobStoppedError
    except JobStoppedError as error:
        raise _too_slow(stop.seconds) from error
    finally:
        stop.stop()
        if not future.done():
            future.add_done_callback(_forget)


def _too_slow(seconds: float) -> ProblemError:
    return ProblemError(503, f"this took more than {seconds:g} s and was stopped")


def _forget(future: "asyncio.Future[Any]") -> None:
    """Read the outcome of an abandoned job, so that asyncio does not report it."""
    if not future.cancelled():
        future.exception()
