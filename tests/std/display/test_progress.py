"""Progress: nothing, lines in a log, a bar on a terminal."""

import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from std.display import progress as module
from std.display.progress import Progress, progress, progress_bar, set_progress
from std.numbers import duration


@pytest.fixture(autouse=True)
def usual():
    yield
    set_progress("auto")


@pytest.mark.parametrize(("when", "quiet", "lines"), [
    ("auto", False, 0), ("never", False, 0), ("always", True, 0), ("always", False, 2),
])  # fmt: skip
def test_when_lines_are_written(when, quiet, lines, capsys):
    set_progress(when)
    with progress_bar("reading", 4.0, quiet=quiet) as advance:
        advance(4.0)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == ["reading ...", "reading: 100%, 0 s"][:lines]


def test_lines_come_at_intervals(capsys, monkeypatch):
    monkeypatch.setattr(module, "LINE_EVERY_S", 0.05)
    set_progress("always")
    with progress("a\x1bb", None, quiet=False) as shown:
        for _ in range(1200):  # at most 60 s
            if capsys_lines(capsys) >= 2:
                break
            time.sleep(0.05)
        else:
            pytest.fail("no lines came")
        shown.update(1.0, 2.0, "other")
    assert capsys.readouterr().err.splitlines()[-1].startswith("other: 50%, ")


def capsys_lines(capsys, seen=[]):  # noqa: B006  # what came so far
    seen += capsys.readouterr().err.splitlines()
    assert all("\x1b" not in line and line.startswith("a\\x1bb") for line in seen)
    return len(seen)


def test_the_time_left():
    now = [0.0]
    lines = module._Line("indexing", 200.0, lambda: now[0])
    assert lines.line() == "indexing: 0%, 0 s"
    now[0] = 30.0
    lines.advance(50.0)  # a quarter in 30 s: 90 s for the rest
    assert lines.line() == "indexing: 25%, 30 s, about 1 min 30 s left"
    lines.update(500.0)
    assert lines.line() == "indexing: 100%, 30 s"


@pytest.mark.parametrize(("seconds", "text"), [
    (0, "0 s"), (59.4, "59 s"), (59.6, "1 min 00 s"), (3599, "59 min 59 s"), (7260, "2 h 01 min"),
])  # fmt: skip
def test_durations(seconds, text):
    assert duration(seconds) == text


def test_progress_that_nobody_sees_counts():
    shown = Progress("x", None)
    shown.advance(2)
    shown.advance(1)
    assert shown.completed == 3


SCRIPT = """
import time
from std.command import tell
from std.display.progress import progress, set_progress
set_progress("auto")
with progress("reading [x]", 2.0, quiet=False) as shown:
    shown.advance(1.0)
    tell("a message")
    time.sleep(0.3)
"""


@pytest.mark.parametrize(("environment", "drawn", "colours"), [
    ({"TERM": "xterm"}, True, True),
    ({"TERM": "xterm", "NO_COLOR": "1"}, True, False),
    ({"TERM": "dumb"}, False, False),
])  # fmt: skip
def test_a_terminal_has_a_bar(environment, drawn, colours):
    reader, writer = pty.openpty()
    path = {"PATH": os.environ["PATH"], "PYTHONPATH": os.environ.get("PYTHONPATH", str(Path.cwd()))}
    subprocess.run(
        [sys.executable, "-c", SCRIPT], stderr=writer, env=path | environment, check=True,
        timeout=60,
    )  # fmt: skip
    os.close(writer)
    seen = b""
    try:
        while part := os.read(reader, 65536):
            seen += part
    except OSError:  # the end, on Linux
        pass
    os.close(reader)
    assert (b"reading [x]" in seen) == drawn
    assert (b"\x1b[3" in seen) == colours
    erased = b"\r\x1b[K"
    assert (erased + b"a message\r\n" in seen) == drawn
    if drawn:
        assert seen.endswith(erased)
        assert b" 50%, " in seen.split(b"a message")[1]
    else:
        assert seen == b"a message\r\n"


@pytest.mark.parametrize(("width", "line"), [
    (79, "reading ====================-------------------- 50%, 8 s, about 8 s left"),
    (43, "reading =====----- 50%, 8 s, about 8 s left"),
    (42, "reading 50%, 8 s, about 8 s left"), (20, "reading 50%, 8 s,"),
])  # fmt: skip
def test_a_bar_fits_its_terminal(width, line):
    now = [0.0]
    shown = module._Line("reading", 4.0, lambda: now[0])
    now[0] = 8.0
    shown.advance(2.0)
    assert shown.bar(width, "=-") == line
    shown.total = None
    assert shown.bar(width, "=-") == "reading 8 s"
