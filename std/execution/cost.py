"""The cost of work: wall time, CPU time of all processes, and CPU time of compiling kernels.

    Stopwatch             measures from its creation; `Stopwatch.cost` is the cost so far
    paid                  in a worker: a result with its cost
    Ledger                costs outside this process's own account; `LEDGER` is the only one

The CPU time of a command is that of this process, of those it started and of the workers of a
cluster, "as if on a single CPU" (MediaEval 2013 SWS performance measures, section 4.3). Kernels
are compiled once on a machine, so that is counted apart.
"""

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock, get_ident
from typing import Any, NamedTuple

from std.system import cpu_s

SHOWN_S = 0.005  # shown with two decimals


class Cost(NamedTuple):
    """The cost of some work, with the names of the commands' JSON."""

    seconds: float  # wall time
    cpu_seconds: float  # of all processes, without compiling
    compile_seconds: float  # CPU time that compiling kernels took, in all processes

    def __str__(self) -> str:
        """A text for people.

        >>> print(Cost(12.345, 23.456, 0.0)), print(Cost(12.345, 3.456, 8.0))
        12.35 s (23.46 s CPU)
        12.35 s (3.46 s CPU, and 8.00 s for compiling)
        (None, None)
        """
        compiling = self.compile_seconds
        besides = f", and {compiling:.2f} s for compiling" if compiling >= SHOWN_S else ""
        return f"{self.seconds:.2f} s ({self.cpu_seconds:.2f} s CPU{besides})"


class Paid(NamedTuple):
    """A result of a worker, with its CPU time."""

    result: Any
    cpu_s: float  # including compiling
    compile_s: float


@dataclass(slots=True)
class Ledger:
    """CPU time that the system's account of this process lacks or does not show separately."""

    elsewhere_s: float = 0.0  # workers of a cluster
    workers_compile_s: float = 0.0
    helpers: list[Callable[[], float]] = field(default_factory=list)  # of running processes
    compile_s: defaultdict[int, float] = field(default_factory=lambda: defaultdict(float))
    lock: Lock = field(default_factory=Lock)

    def compiled(self, seconds: float) -> None:
        """Count compiling in this thread."""
        with self.lock:
            self.compile_s[get_ident()] += seconds

    def own_compile_s(self) -> float:
        """The compiling time of this thread."""
        return self.compile_s.get(get_ident(), 0.0)

    def helpers_s(self) -> float:
        """The CPU time of child processes that are still running."""
        return sum(helper() for helper in self.helpers)

    def note(self, paid: Paid, *, elsewhere: bool) -> Any:
        """Add the cost of a worker's item; return its result.

        Args:
            paid: from the worker.
            elsewhere: whether another process started the worker.
        """
        with self.lock:
            self.workers_compile_s += paid.compile_s
            if elsewhere:
                self.elsewhere_s += paid.cpu_s
        return paid.result

    def total_compile_s(self) -> float:
        """The compiling time of this process and its workers."""
        with self.lock:
            return sum(self.compile_s.values()) + self.workers_compile_s


LEDGER = Ledger()


def _cpu_s() -> float:
    """CPU time so far of this process, its child processes, and a cluster's workers."""
    return cpu_s() + LEDGER.elsewhere_s + LEDGER.helpers_s()


class Stopwatch:
    """Measures from its creation."""

    def __init__(self) -> None:
        self._begin = time.perf_counter(), _cpu_s(), LEDGER.total_compile_s()

    def cost(self) -> Cost:
        """The cost so far; worker processes count when they have ended."""
        begin_s, cpu_before_s, compile_before_s = self._begin
        compile_s = LEDGER.total_compile_s() - compile_before_s
        cpu_s = max(0.0, _cpu_s() - cpu_before_s - compile_s)
        return Cost(time.perf_counter() - begin_s, cpu_s, compile_s)


def paid(
    function: Callable[[Any], Any], item: Any, clock: Callable[[], float] = time.thread_time
) -> Paid:
    """In a worker: ``function(item)`` with its cost, and that of its helper processes.

    Args:
        clock: CPU time in s; of this thread, because a cluster's worker may run other work in
            other threads.
    """
    compile_before_s, begin_s = LEDGER.own_compile_s(), clock() + LEDGER.helpers_s()
    result = function(item)
    spent_s = clock() + LEDGER.helpers_s() - begin_s
    return Paid(result, max(0.0, spent_s), LEDGER.own_compile_s() - compile_before_s)
