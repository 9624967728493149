"""Processes that answer searches of known words, so that several processors take part.

    Question          what one request asks: pickled, a few hundred bytes
    SearchProcesses   the processes of a service; `ask` has one of them make the answer

A process opens the index itself and answers one question at a time; columns never pass between
processes. What no process can answer (none has started yet, one died, the store is down for it),
the service answers in a thread, the same way: `answered` is what both do. A process ends when the
service closes its pipe, or is killed.
"""

import signal
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import NamedTuple

import orjson

from service.answers import search_document
from service.cache import Cache
from service.jobs import Stop, StoppedError
from service.live_index import LiveIndex, Snapshot
from service.marks import Marks
from service.problems import ProblemError
from service.searching import TermResult, Wish, search_term, select
from service.settings import Settings
from std.errors import StdError
from std.marks import Mark

LEAVING_S = 3.0  # that a process has to end


class Question(NamedTuple):
    """What a request asks about known words."""

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
    """The JSON document that answers a search.

    Args:
        results: what was found of each term.
        snapshot: that was searched.
        marks: of people.
        wish: which hits, in which order.
        first: number of the first hit.
        limit: hits at most.
    """
    selection = select(results, snapshot, wish, first + limit)
    return orjson.dumps(search_document(selection, snapshot, marks, first, limit))


@dataclass(frozen=True, eq=False, slots=True)
class _Process:
    process: BaseProcess
    pipe: Connection

    def end(self) -> None:
        """Let it end, or kill it."""
        self.pipe.close()
        self.process.join(LEAVING_S)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


class SearchProcesses:
    """The processes of a service; all of them do the same."""

    def __init__(self, settings: Settings, cache_bytes: int) -> None:
        """Take note of what is to be served; nothing is started.

        Args:
            settings: of the service; ``settings.jobs`` processes, none if that is 1.
            cache_bytes: of the cache of each.
        """
        self._count = settings.jobs if settings.jobs > 1 else 0
        # Marks, alerts and tokens are the service's.
        self._settings = replace(settings, feedback=None, alerts=None, token="")
        self._cache_bytes = cache_bytes
        self._free: deque[_Process] = deque()
        self._closed = threading.Event()

    @property
    def free(self) -> int:
        """How many wait for a question."""
        return len(self._free)

    def start(self) -> None:
        """Start them in the background."""
        for number in range(self._count):
            threading.Thread(target=self._add, name=f"process {number}", daemon=True).start()

    def _add(self) -> None:
        """Start one process; it is asked as soon as it has opened the index."""
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        arguments = theirs, self._settings, self._cache_bytes
        process = context.Process(target=_work, args=arguments, daemon=True)
        process.start()
        theirs.close()
        started = _Process(process, ours)
        try:
            ours.recv()
        except (EOFError, OSError):  # the service said why, when it opened the same
            started.end()
            return
        self._free.append(started)
        if self._closed.is_set():
            self.close()

    def ask(self, question: Question) -> bytes | None:
        """The JSON document that answers a question; None if no process can say."""
        try:
            asked = self._free.popleft()
        except IndexError:
            return None
        try:
            asked.pipe.send(question)
            content = asked.pipe.recv_bytes()
        except (EOFError, OSError):  # it died
            asked.end()
            if not self._closed.is_set():
                threading.Thread(target=self._add, name="process again", daemon=True).start()
            return None
        self._free.append(asked)
        if self._closed.is_set():
            self.close()
        return content or None

    def close(self) -> None:
        """End those that wait; one that answers ends when it has."""
        self._closed.set()
        with suppress(IndexError):
            while True:
                self._free.popleft().end()


def _work(pipe: Connection, settings: Settings, cache_bytes: int) -> None:
    """A search process: questions from the pipe, answers into it; an empty one is no answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the service, which then ends this
    with suppress(EOFError, OSError, StdError):  # the service has gone, or cannot open it either
        live, cache = LiveIndex(settings), Cache(cache_bytes)
        live.on_renewal(lambda snapshot: cache.clear())
        number = 0
        pipe.send(True)
        while True:
            question: Question = pipe.recv()
            if question.snapshot != number:
                live.renew()  # what the service has noticed is there to be seen
                number = 0 if live.trouble else question.snapshot
            pipe.send_bytes(_answer(question, live.current, cache, settings) if number else b"")


def _answer(question: Question, current: Snapshot, cache: Cache, settings: Settings) -> bytes:
    """The answer to a question; empty if the search fails or takes too long."""
    snapshot, results = replace(current, number=question.snapshot), []
    try:
        for term in question.terms:
            found = cache.get(term)
            if found is None:
                found = search_term(term, snapshot, Stop(settings.limits.search_s))
                cache.put(term, found, found.bytes)
            results.append(found)
        marks = Marks(question.marks)
        return answered(results, snapshot, marks, question.wish, question.first, question.limit)
    except (StdError, StoppedError, ProblemError):  # the service finds the same, and says so
        return b""
