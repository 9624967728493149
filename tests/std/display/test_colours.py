"""The rule for colours, against that of Python's own tools where these have one."""

import io
import sys
from itertools import product

import pytest

from std.terminal import coloured, has_colours, is_terminal


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("environment", [
    dict(zip(("NO_COLOR", "FORCE_COLOR", "TERM"), values, strict=True))
    for values in product((None, "", "1"), (None, "", "1"), (None, "dumb", "xterm"))
], ids=str)  # fmt: skip
@pytest.mark.parametrize("stream", [Terminal(), io.StringIO()], ids=["terminal", "file"])
def test_the_rule(environment, stream, monkeypatch):
    for name, value in environment.items():
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)
    expected = stream.isatty() and environment["TERM"] != "dumb"
    if environment["FORCE_COLOR"] == "1":
        expected = True
    if environment["NO_COLOR"] == "1":
        expected = False
    assert has_colours(stream) == expected
    assert ("\x1b[" in coloured("text", "red", stream)) == expected


@pytest.mark.skipif(sys.version_info < (3, 14), reason="Python tells of a stream since 3.14")
@pytest.mark.parametrize("name", ["NO_COLOR", "FORCE_COLOR"])
def test_python_has_the_same_rule(name, monkeypatch):
    import _colorize

    for each in ("NO_COLOR", "FORCE_COLOR", "PYTHON_COLORS"):
        monkeypatch.delenv(each, raising=False)
    monkeypatch.setenv(name, "1")
    with open("/dev/null") as stream:  # noqa: PTH123
        assert _colorize.can_colorize(file=stream) == has_colours(stream)


def test_a_closed_stream_is_no_terminal():
    stream = io.StringIO()
    stream.close()
    assert not is_terminal(stream)
    assert not is_terminal(None)
    assert coloured("", "red", Terminal()) == ""
    assert coloured("x", None, Terminal()) == "x"
