import io
import os
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from std import terminal
from std.command import run, say

pytestmark = pytest.mark.slow

KERNELS = """
import sys
from std.command import run
from std.execution.compiled import compiled
from std.parser import Parser

@compiled
def doubled(number):
    return number + number

@compiled
def doubled_and_one(number):  # the machine code of a kernel holds that of those it calls
    return doubled(number) + 1

@compiled
def squared(number):
    return number * number

def main():
    parser = Parser(epilog="", prog="std-x")
    parser.add_argument("--quiet", action="store_true")
    parser.parse_args()
    print(doubled(20), doubled_and_one(20), squared(20))
    return 0

sys.exit(run("std-x", main))
"""
NOTICE = "std-x: compiling the kernels, once"


def kernels(folder: Path, *options: str, **more: Any) -> str:
    """What a command with three kernels and its own cache says while it runs."""
    program = folder / "kernels.py"
    program.write_text(KERNELS, "utf-8")
    places = {
        "NUMBA_CACHE_DIR": str(folder / "cache"),
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    done = subprocess.run(
        [sys.executable, str(program), *options],
        env=os.environ | places, capture_output=True, text=True, check=False, **more,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "40 41 400\n"), done.stderr
    return done.stderr


def test_a_full_disk_under_the_cache_costs_time_only(tmp_path, monkeypatch):
    """A limit on the size of files stands for the full disk; compiling is told once."""
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # cut modules would stay in this checkout

    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    said = kernels(tmp_path, preexec_fn=full)
    assert said.count(NOTICE) == 1
    assert said.count("compiled kernels cannot be kept") == 1
    assert "File too large" in said
    assert str(tmp_path / "cache") in said


def test_a_damaged_cache_is_made_anew_and_a_whole_one_is_silent(tmp_path):
    def compilings(*options: str) -> int:
        return kernels(tmp_path, *options).count(NOTICE)

    assert compilings("--quiet") == 0
    indexes = sorted((tmp_path / "cache").rglob("*.nbi"))
    assert len(indexes) == 3
    for number, index in enumerate(indexes):  # a kernel's damage hides no other's
        codes = [*index.parent.glob(f"{index.stem}.*.nbc")]
        assert codes
        damaged, size = ((codes, 1000), ([index], 10), ([index], 0))[number]
        for file in damaged:
            os.truncate(file, size)
    assert compilings() == 1
    assert compilings() == 0  # and kept again


def test_a_read_only_installation_says_that_it_compiles_each_time(monkeypatch):
    from numba.core.caching import CacheImpl

    from std.execution.compiled import compiled

    monkeypatch.setattr(CacheImpl, "_locator_classes", [])  # no folder for the machine code
    told: list[str] = []
    terminal.set_notice(told.append)
    try:
        assert compiled(lambda a: a + 1)(2) == 3
        assert compiled(lambda a: a + 2)(2) == 4
    finally:
        terminal.set_notice(None)
    assert [one.split(",")[0] for one in told] == [
        "compiled kernels cannot be kept",
        "compiling the kernels",
    ]


class Terminal(io.StringIO):
    def __init__(self):
        super().__init__()
        self.written = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text):
        super().write(text)
        self.written.set()


@pytest.fixture
def soon(monkeypatch):
    """A notice after a moment."""
    monkeypatch.setattr(terminal, "SILENT_S", 0.02)
    terminal.set_notice(lambda message: say("std-x", message))
    yield
    terminal.set_notice(None)


def slow():
    time.sleep(0.2)


def printed(work, monkeypatch, stream):
    """What a command prints on a stderr; set here, because pytest sets its own for each phase."""
    monkeypatch.setattr("sys.stderr", stream)
    assert run("std-x", work) == 0
    return stream.getvalue()


def test_slow_work_is_told_once(monkeypatch, soon):
    terminal = Terminal()

    def slow_until_told():
        assert terminal.written.wait(60)
        time.sleep(0.1)  # five times as long as it took until now

    line = "std-x: still working (--quiet hides this line)\n"
    assert printed(slow_until_told, monkeypatch, terminal) == line


def test_quick_work_is_not_told(monkeypatch, soon):
    monkeypatch.setattr(terminal, "SILENT_S", 60)
    assert not printed(lambda: None, monkeypatch, Terminal())


def test_a_progress_bar_is_enough(monkeypatch, soon):
    def with_bar():
        with terminal.showing_progress():
            slow()

    assert not printed(with_bar, monkeypatch, Terminal())


def test_quiet_commands_and_pipes_are_not_told(monkeypatch, soon):
    assert not printed(slow, monkeypatch, io.StringIO())
    terminal.set_notice(None)
    assert not printed(slow, monkeypatch, Terminal())
