"""Executors give the same results in the same order, wherever the work is done."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Barrier

import pytest

from std.errors import ConfigError, InputError, StdError
from std.execution.cost import paid
from std.execution.processes import executor
from std.execution.stop import TimeLimit, check_stop, stopped_by
from std.execution.workers import IN_PROCESS, PER_WORKER, Threads, Workers


def slow_square(n):
    time.sleep(0.002 * (5 - n % 5))  # later items finish earlier
    return n * n


def refuse(n):
    raise InputError("x", n, "something else", "this")


def die(n):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_order(jobs):
    with executor(jobs) as workers:
        assert workers.workers == jobs
        assert list(workers.map(slow_square, range(20))) == [n * n for n in range(20)]
        assert list(workers.map(slow_square, [])) == []


def test_errors_of_the_function_are_its_own():
    with executor(2) as workers, pytest.raises(InputError, match="x:7: expected something else"):
        list(workers.map(refuse, [7, 8]))


def test_threads_give_results_in_order_run_at_once_and_stop_as_their_caller_does():
    assert [*Threads(3).map(slow_square, range(20))] == [n * n for n in range(20)]
    meeting = Barrier(2, timeout=60)
    assert len([*Threads(2).map(lambda _: meeting.wait(), range(4))]) == 4
    with pytest.raises(InputError, match="x:7: expected something else"):
        list(Threads(2).map(refuse, [7, 8]))
    with stopped_by(TimeLimit(1e-9, StdError("too long"))), pytest.raises(StdError, match="long"):
        list(Threads(2).map(lambda _: check_stop(), [1]))


def test_a_thread_that_waits_for_others_ends_without_a_word_when_python_ends(monkeypatch):
    monkeypatch.setattr("concurrent.futures.thread._shutdown", True)  # as the interpreter does
    with pytest.raises(SystemExit):  # which `threading` does not print
        list(Threads(2).map(slow_square, [1]))


def test_a_killed_process_is_one_clear_line():
    with executor(2) as workers, pytest.raises(StdError, match="lost the workers"):
        list(workers.map(die, [1, 2, 3]))


@pytest.mark.slow
def test_workers_of_a_killed_command_end(tmp_path):
    """kill -9 leaves nothing behind that works on."""
    script = tmp_path / "command.py"
    script.write_text(
        "import os, signal, sys\n"
        "from std.execution.processes import executor\n"
        "def pid(_): return os.getpid()\n"
        "if __name__ == '__main__':\n"
        "    with executor(2) as workers:\n"
        "        print(*set(workers.map(pid, range(20))), flush=True)\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run(
        [sys.executable, script],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    )
    assert done.returncode == -signal.SIGKILL
    deadline = time.monotonic() + 60
    alive = {Path("/proc", pid) for pid in done.stdout.split()}
    assert alive
    while any(one.exists() for one in alive):
        assert time.monotonic() < deadline, "workers of a killed command live on"
        time.sleep(0.05)


def test_few_items_are_under_way():
    """Neither inputs nor results pile up: taken is at most done plus the window."""
    taken = []

    class Done:
        def __init__(self, value):
            self.result = lambda: value
            self.cancel = lambda: None

    def items():
        for n in range(50):
            taken.append(n)
            yield n

    workers = Workers(2, lambda function, item: Done(paid(function, item)), ())
    for done, _ in enumerate(workers.map(lambda n: n, items()), start=1):
        assert len(taken) <= done + PER_WORKER * 2
    assert done == 50


def test_what_cannot_be_cancelled_any_more_does_not_hide_why():
    """As when the scheduler has ended, which would be told to cancel the rest."""

    class Lost:
        def result(self):
            raise ConnectionError("task-1 cancelled")

        cancel = result

    workers = Workers(2, lambda *_: Lost(), (ConnectionError,), reason=lambda error: "it ended")
    with pytest.raises(StdError, match=r"^lost the workers: it ended$"):
        list(workers.map(refuse, range(9)))


def test_in_process_does_nothing_before_it_is_asked():
    results = IN_PROCESS.map(refuse, [1])
    with pytest.raises(InputError):
        next(results)


def test_without_dask_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "std.execution.dask", raising=False)
    with pytest.raises(ConfigError, match="extra 'cluster'"), executor(scheduler="tcp://x:1"):
        pass
