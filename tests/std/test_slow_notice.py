import io
import time

import pytest

from std import slow_notice
from std.command import run


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """A notice after a moment."""
    monkeypatch.setattr(slow_notice, "SILENT_S", 0.02)
    slow_notice.set_quiet(False)
    yield
    slow_notice.set_quiet(False)


def printed(work, monkeypatch, stream):
    """What a command prints on a stderr; set here, because pytest sets its own for each phase."""
    monkeypatch.setattr("sys.stderr", stream)
    assert run("std-x", work) == 0
    return stream.getvalue()


def slow():
    time.sleep(0.2)


def test_slow_work_is_told_once(monkeypatch):
    line = "std-x: still working (--quiet hides this line)\n"
    assert printed(slow, monkeypatch, Terminal()) == line


def test_quick_work_is_not_told(monkeypatch):
    monkeypatch.setattr(slow_notice, "SILENT_S", 60)
    assert not printed(lambda: None, monkeypatch, Terminal())


def test_a_progress_bar_is_enough(monkeypatch):
    def with_bar():
        with slow_notice.showing_progress():
            slow()

    assert not printed(with_bar, monkeypatch, Terminal())


def test_quiet_commands_and_pipes_are_not_told(monkeypatch):
    assert not printed(slow, monkeypatch, io.StringIO())
    slow_notice.set_quiet(True)
    assert not printed(slow, monkeypatch, Terminal())
