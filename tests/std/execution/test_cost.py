"""CPU time is counted wherever the work is done, and waiting is none."""

import functools
import subprocess
import sys
import time

import numpy as np
import pytest
from numba.core.caching import CacheImpl

from std.execution.compiled import compiled
from std.execution.cost import LEDGER, Paid, Stopwatch, paid
from std.execution.processes import executor
from std.execution.workers import Workers

BUSY_S = 0.2


def busy(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return seconds


def test_waiting_costs_no_cpu():
    watch = Stopwatch()
    time.sleep(0.3)
    cost = watch.cost()
    assert cost.seconds >= 0.3 > 0.1 > cost.cpu_seconds
    assert cost.compile_seconds == 0


@pytest.mark.parametrize("jobs", [1, 2])
def test_work_of_all_processes_is_counted(jobs):
    watch = Stopwatch()
    with executor(jobs) as workers:
        assert list(workers.map(busy, [BUSY_S] * 3)) == [BUSY_S] * 3
    assert watch.cost().cpu_seconds >= 3 * BUSY_S


def test_helper_processes_are_counted():
    watch = Stopwatch()
    work = f"import time\nwhile time.process_time() < {BUSY_S}: pass"
    subprocess.run([sys.executable, "-c", work], check=True)
    assert watch.cost().cpu_seconds >= BUSY_S


def test_helper_processes_that_still_run_are_counted(monkeypatch):
    monkeypatch.setattr(LEDGER, "helpers", [iter([1.0, 4.0]).__next__])
    watch = Stopwatch()
    assert watch.cost().cpu_seconds == pytest.approx(3, abs=0.5)


def test_pronouncing_is_counted():
    """espeak-ng works in a process that ends with the command."""
    pytest.importorskip("espeakng_loader", reason="the extra 'espeak' is not installed")
    from std.phonetics.g2p_espeak import Espeak

    voice = Espeak("de")
    before_s, own_s = LEDGER.helpers_s(), time.process_time()
    watch = Stopwatch()
    voice.pronounce([f"haus{letter}meister" for letter in "abcdefgh"] * 500)
    helped_s, own_s = LEDGER.helpers_s() - before_s, time.process_time() - own_s
    assert helped_s > 0.02
    assert watch.cost().cpu_seconds == pytest.approx(helped_s + own_s, abs=0.05)


def test_work_on_a_cluster_is_counted_once():
    """The machine of a cluster's worker does not tell; the worker does, of its own thread."""

    class Done:
        def result(self):
            return Paid(7, 100.0, 30.0)

    watch = Stopwatch()
    workers = Workers(1, lambda function, item: Done(), (), elsewhere=True)
    assert list(workers.map(busy, [0.0])) == [7]
    cost = watch.cost()
    assert cost.compile_seconds == pytest.approx(30)
    assert cost.cpu_seconds == pytest.approx(70, abs=0.5)


def test_compiling_is_counted_apart(monkeypatch):
    monkeypatch.setattr(CacheImpl, "_locator_classes", [])  # no folder for the machine code
    kernel = compiled(lambda a: np.arange(9).sum() * a)
    watch, before_s = Stopwatch(), time.process_time()
    of_worker = paid(kernel, 2)
    spent_s = time.process_time() - before_s
    cost = watch.cost()
    assert of_worker.result == 72
    assert 0.05 < cost.compile_seconds <= spent_s
    assert cost.compile_seconds == pytest.approx(of_worker.compile_s)
    assert cost.compile_seconds + cost.cpu_seconds == pytest.approx(spent_s, abs=0.05)


def compile_one(_):
    CacheImpl._locator_classes = []
    return functools.reduce(lambda a, f: f(a), [compiled(lambda a: a + 1)], 1)


def test_compiling_of_workers_is_counted_apart():
    watch = Stopwatch()
    with executor(2) as workers:
        assert list(workers.map(compile_one, [0])) == [2]
    cost = watch.cost()
    assert cost.compile_seconds > 0.02
    assert LEDGER.total_compile_s() >= cost.compile_seconds
