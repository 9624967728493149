"""Signals end a command in order: after a step, and after a compilation."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from std.command import run
from std.execution.processes import executor
from std.execution.stop import Hold, held

ROOT = Path(__file__).parents[3]
# LLVM hands its object code to a function of Python: there an exception would be lost.
COMPILES = """
import os, signal
from numba.core.codegen import CPUCodeLibrary
from std.command import run
from std.execution.compiled import compiled

usual = CPUCodeLibrary._object_compiled_hook.__func__

def pressed(cls, *given):
    os.kill(os.getpid(), signal.SIGINT)
    return usual(cls, *given)

CPUCodeLibrary._object_compiled_hook = classmethod(pressed)

def kernel(x):
    return x + 1

def work():
    compiled(kernel)(1)
    print("went on")

raise SystemExit(run("std-search", work))
"""


@pytest.fixture(autouse=True)
def ctrl_c_is_heard():
    """A shell starts background jobs with Ctrl-C ignored; so would be these tests."""
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, usual)


def press(number=signal.SIGINT):
    os.kill(os.getpid(), number)


@pytest.fixture(params=[signal.SIGTERM, signal.SIGHUP])
def ending(request):
    """A signal that would end a process at once; here it would end the tests."""
    usual = signal.signal(request.param, lambda *_: None)
    yield request.param
    signal.signal(request.param, usual)


def test_a_signal_ends_a_command_as_ctrl_c_does(ending, capsys):
    done = []

    def work():
        try:
            with held(Hold()):
                press(ending)
                done.append("step")
            done.append("went on")
        finally:
            done.append("cleaned up")

    assert run("std-index", work) == 128 + ending
    assert done == ["step", "cleaned up"]
    assert capsys.readouterr().err == f"std-index: ended by {ending.name}\n"


def test_what_is_ignored_does_not_end_a_command(ending):
    signal.signal(ending, signal.SIG_IGN)  # as nohup does
    assert run("std-index", lambda: press(ending)) == 0
    assert signal.getsignal(ending) == signal.SIG_IGN


def test_a_closed_terminal_leaves_no_semaphores(monkeypatch):
    """Their watcher blocks the signal, which the system sends to it as to all processes."""
    from multiprocessing import resource_tracker

    blocked = []
    monkeypatch.setattr(
        resource_tracker, "ensure_running", lambda: blocked.append(signal.pthread_sigmask(0, []))
    )
    with executor(2):
        pass
    assert signal.SIGHUP in blocked[0]
    assert signal.SIGHUP not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_ctrl_c_comes_at_the_end_of_the_outer_step():
    hold, done = Hold(), []

    def steps():
        with held(hold):
            with held(hold):
                press()
                done.append("inner")
            done.append("outer")
        done.append("after")

    with pytest.raises(KeyboardInterrupt):
        steps()
    assert done == ["inner", "outer"]
    with pytest.raises(KeyboardInterrupt):  # now as usual
        press()


def test_without_ctrl_c_nothing_happens():
    usual, hold = signal.getsignal(signal.SIGINT), Hold()
    with held(hold):
        assert signal.getsignal(signal.SIGINT) != usual
    hold.end()  # not begun
    assert signal.getsignal(signal.SIGINT) is usual


def test_a_process_that_ignores_ctrl_c_goes_on_ignoring_it():
    usual = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with held(Hold()):
            press()
            assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, usual)


def test_ctrl_c_while_a_kernel_is_compiled_is_one_line(tmp_path):
    script = tmp_path / "compiles.py"
    script.write_text(COMPILES)
    places = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **places},
    )
    assert done.stdout == ""
    assert done.stderr.endswith("std-search: interrupted\n")
    assert "Traceback" not in done.stderr
    assert "ignored" not in done.stderr
    assert done.returncode == 130
