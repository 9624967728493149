"""Processes that answer searches of known words on several processors.

    Question          a search by one request: pickled, a few hundred bytes
    SearchProcesses   the processes of a service; they answer questions in order of arrival

A process opens the index itself and answers one question at a time; columns are never sent between
processes. A thread of the service answers with the same function, `answered`, if no process can: if
none has started, if one died or cannot reach the store, and on Windows, where an event loop cannot
wait for pipes. The event loop writes to the pipes and reads from them directly. A process ends when
its pipe is closed.
"""

import asyncio
import os
import pickle
import signal
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple

import orjson

from service.answers import search_document
from service.jobs import JobStoppedError, Stop
from service.live_index import LiveIndex, Snapshot
from service.marks import Marks
from service.problems import ProblemError, too_busy
from service.searching import TermResult, Wish, search_term, select
from service.settings import Settings
from std.cache import Cache
from std.errors import StdError, StoreWarning
from std.execution.stop import stopped_by
from std.marks import Mark

STARTING_S = 30.0  # to wait for processes to open the index
LEAVING_S = 3.0  # for a process to end


class Question(NamedTuple):
    """A request about known words."""

    snapshot: int  # number of the service's snapshot
    terms: tuple[str, ...]
    wish: Wish
    first: int  # number of the first hit
    limit: int  # hits at most
    marks: tuple[Mark, ...]  # of these terms


def answered(
    results: Sequence[TermResult],
    snapshot: Snapshot,
    marks: Marks,
    wish: Wish,
    first: int,
    limit: int,
) -> bytes:
    """The JSON document that answers a search."""
    selection = select(results, snapshot, wish, first + limit)
    return orjson.dumps(search_document(selection, snapshot, marks, first, limit))


@dataclass(eq=False, slots=True)
class _Process:
    process: BaseProcess
    pipe: Connection
    answer: "asyncio.Future[bytes | None] | None" = None  # the answer it computes

    def end(self) -> None:
        """Ask the process to end; kill it if it does not."""
        self.pipe.close()
        self.process.join(LEAVING_S)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


class SearchProcesses:
    """The processes of a service, all with the same task, used by one event loop."""

    def __init__(self, settings: Settings, cache_bytes: int) -> None:
        """Store the settings; start nothing.

        Args:
            settings: the settings of the service; ``settings.jobs`` processes, none if that is 1.
        """
        self._count = settings.jobs if settings.jobs > 1 and sys.platform != "win32" else 0
        # Only the service has marks, alerts and tokens.
        self._settings = replace(settings, feedback=None, alerts=None, token="")
        self._cache_bytes = cache_bytes
        self._started: list[_Process] = []
        self._free: deque[_Process] = deque()
        self._questions: deque[tuple[Question, asyncio.Future[bytes | None]]] = deque()
        self._opening: list[threading.Thread] = []
        self._closed = False
        self.answers = 0  # answers given
        self.replaced = 0  # processes replaced because they died

    @property
    def free(self) -> int:
        """The number of idle processes."""
        return len(self._free)

    @property
    def busy(self) -> int:
        """The number of busy processes."""
        return len(self._started) - len(self._free)

    @property
    def starting(self) -> int:
        """The number of processes that have not opened the index yet."""
        return sum(thread.is_alive() for thread in self._opening)

    @property
    def waiting(self) -> int:
        """The number of waiting questions."""
        return len(self._questions)

    @property
    def memory_bytes(self) -> int:
        """Memory of all processes; shared memory is counted once per process."""
        return sum(_resident_bytes(one.process.pid) for one in self._started)

    def wait_until_started(self) -> None:
        """Wait until the processes have opened the index; not for the event loop's thread."""
        end_s = time.monotonic() + STARTING_S
        for thread in list(self._opening):
            thread.join(max(0.0, end_s - time.monotonic()))

    def start(self) -> None:
        """Start the processes in the background."""
        for _ in range(self._count):
            self._add(asyncio.get_running_loop())

    def _add(self, loop: asyncio.AbstractEventLoop) -> None:
        self._opening = [thread for thread in self._opening if thread.is_alive()]
        self._opening.append(
            threading.Thread(target=self._open, args=(loop,), name="search process")
        )
        self._opening[-1].start()

    def _open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start one process, and wait until it has opened the index."""
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        arguments = theirs, self._settings, self._cache_bytes
        process = context.Process(target=_work, args=arguments, daemon=True)
        process.start()
        theirs.close()
        opened = _Process(process, ours)
        try:
            ours.recv()
            loop.call_soon_threadsafe(self._join, opened)
        except (EOFError, OSError, RuntimeError):  # the service reported it, or has ended
            opened.end()

    def _join(self, opened: _Process) -> None:
        """Add a process that has opened the index."""
        if self._closed:
            opened.end()
            return
        self._started.append(opened)
        loop = asyncio.get_running_loop()
        loop.add_reader(opened.pipe.fileno(), self._read, opened, loop)
        os.set_blocking(opened.pipe.fileno(), True)  # uvloop changes it; answers are read whole
        self._give(opened)

    def ask(self, question: Question) -> "asyncio.Future[bytes | None] | None":
        """A future for the JSON document that answers a question.

        Returns:
            the future, whose result is None if the process dies or cannot answer; None if there is
                no process.

        Raises:
            ProblemError: too many questions are waiting.
        """
        if not self._started:
            return None
        if len(self._questions) >= self._settings.limits.waiting:
            raise too_busy("requests for known words")
        answer: asyncio.Future[bytes | None] = asyncio.get_running_loop().create_future()
        self._questions.append((question, answer))
        if self._free:
            self._give(self._free.popleft())
        return answer

    def _give(self, process: _Process) -> None:
        """Give an idle process the next question whose client is still connected."""
        while self._questions:
            question, answer = self._questions.popleft()
            if not answer.done():
                process.answer = answer
                with suppress(OSError):  # the process died: its pipe reports this next
                    process.pipe.send_bytes(pickle.dumps(question))
                return
        self._free.append(process)

    def _read(self, process: _Process, loop: asyncio.AbstractEventLoop) -> None:
        """Read the answer of a process, or notice that it died."""
        answer, process.answer = process.answer, None
        try:
            content = process.pipe.recv_bytes() or None
        except (EOFError, OSError):
            content = None
            self._leave(process, loop)
        else:
            self.answers += content is not None
            self._give(process)
        if answer is not None and not answer.done():
            answer.set_result(content)

    def _leave(self, process: _Process, loop: asyncio.AbstractEventLoop) -> None:
        """Replace a process that died; if none is left, release all waiting questions."""
        loop.remove_reader(process.pipe.fileno())
        self._started.remove(process)
        with suppress(ValueError):
            self._free.remove(process)
        process.end()
        self.replaced += 1
        self._add(loop)
        if not self._started:
            self._refuse()

    def _refuse(self) -> None:
        """Release the waiting questions without an answer."""
        while self._questions:
            _, answer = self._questions.popleft()
            if not answer.done():
                answer.set_result(None)

    def close(self) -> None:
        """End all processes."""
        self._closed = True
        self._refuse()
        for process in self._started:
            asyncio.get_running_loop().remove_reader(process.pipe.fileno())
            process.end()
            if process.answer is not None and not process.answer.done():
                process.answer.set_result(None)
        self._started.clear()
        self._free.clear()


def _resident_bytes(pid: int | None) -> int:
    """Memory of a process; 0 if the system does not report it."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _work(pipe: Connection, settings: Settings, cache_bytes: int) -> None:
    """A search process: reads questions and writes answers; an empty text is no answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the service ends this process
    warnings.simplefilter("ignore", StoreWarning)  # the service opens the index, too, and tells it
    with suppress(EOFError, OSError, StdError):  # the service has ended or cannot open it
        live, cache = LiveIndex(settings), Cache(cache_bytes)
        live.on_renewal(lambda snapshot: cache.clear())
        snapshot: Snapshot | None = None  # it keeps what it has computed from one to the next
        pipe.send(True)
        while True:
            question: Question = pipe.recv()
            if snapshot is None or question.snapshot != snapshot.number:
                live.renew()  # the service has a newer commit; read it here, too
                snapshot = None if live.trouble else replace(live.current, number=question.snapshot)
            pipe.send_bytes(_answer(question, snapshot, cache, settings) if snapshot else b"")
    os._exit(0)  # at once: nothing is left to write, and freeing the index takes a second


def _answer(question: Question, snapshot: Snapshot, cache: Cache, settings: Settings) -> bytes:
    """The answer to a question; empty if the search fails or takes too long."""
    results = []
    try:
        with stopped_by(Stop(settings.limits.search_s).check):
            for term in question.terms:
                key = term, question.wish.where
                found = cache.get(key)
                if found is None:
                    found = search_term(term, snapshot, question.wish.where)
                    cache.put(key, found, found.bytes)
                results.append(found)
            marks = Marks(snapshot.index.config.text.phrase, question.marks)
            return answered(results, snapshot, marks, question.wish, question.first, question.limit)
    except (StdError, JobStoppedError, ProblemError):  # a thread of the service reports it
        return b""
