"""Whether a stream gets colours and bold letters.

The rule is that of Python's own tools (docs.python.org, "Controlling color"), of no-color.org and
force-color.org: ``NO_COLOR`` that is not empty forbids them, else ``FORCE_COLOR`` that is not empty
asks for them, else ``TERM=dumb`` forbids them, else a terminal has them.
"""

import os
from typing import Literal, TextIO

Colour = Literal["red", "yellow"]
SGR: dict[Colour, str] = {"red": "1;31", "yellow": "33"}  # ECMA-48, select graphic rendition


def has_colours(stream: TextIO | None) -> bool:
    """Whether what is written to a stream may have escape sequences for colours and bold."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    if os.environ.get("TERM") == "dumb":
        return False
    return is_terminal(stream)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person reads a stream as it is written."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # it is closed
        return False


def coloured(text: str, colour: Colour | None, stream: TextIO | None) -> str:
    """A text for a stream: in a colour, if the stream has colours."""
    if colour is None or not text or not has_colours(stream):
        return text
    return f"\x1b[{SGR[colour]}m{text}\x1b[0m"
