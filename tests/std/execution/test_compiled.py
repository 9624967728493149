"""Compilation is timed, so that a summary can tell it from the work."""

from types import SimpleNamespace

from numba.core.caching import CacheImpl

from searcher.cli import summary_line
from std.execution.compiled import compilation_s, compiled


def test_only_the_first_call_compiles(monkeypatch):
    monkeypatch.setattr(CacheImpl, "_locator_classes", [])  # no folder for the machine code
    before_s = compilation_s()
    inner = compiled(lambda a: a + 1)
    outer = compiled(lambda a: 2 * inner(a))
    assert outer(2) == 6
    once_s = compilation_s()
    assert outer(3) == 8
    assert before_s < once_s == compilation_s()


def test_the_summary_says_how_much_was_compiling():
    figures = {"terms": 1, "oov_terms": 0, "detections": 2, "yes": 1, "seconds": 12.345}
    args = SimpleNamespace(output=None)
    assert summary_line(figures | {"compile_seconds": 0.0}, args).endswith("1 accepted, 12.35 s")
    told = summary_line(figures | {"compile_seconds": 11.0}, args)
    assert told.endswith("1 accepted, 12.35 s, 11.00 s of it compiling")
