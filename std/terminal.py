"""Output for a person at a terminal: safe texts, colours, and notices while a command works.

    printable     a text with control characters as escapes
    json_text     JSON without such characters: escapes again, so nothing is lost
    coloured      a text in a colour, if the stream has colours
    bold          a text for stdout in bold

    set_notice(tell)    set the function that shows a notice; None = quiet (``--quiet``)
    compiling()         numba compiles kernels, because its cache lacks them
    not_kept(reason)    machine code cannot be cached, so the next command compiles again
    while_working()     on a terminal: the work continues after `SILENT_S`, unless
    showing_progress()  a progress bar is shown
    erased()            what removes the bar in front of a message

No name or word can move the cursor or reverse letters. Colours follow the rules of Python's own
tools (docs.python.org, "Controlling color"), no-color.org and force-color.org. The first condition
that holds decides: ``NO_COLOR`` is not empty: no colours; ``FORCE_COLOR`` is not empty: colours;
``TERM=dumb``: no colours; the stream is a terminal: colours. Each notice is shown once.
`std.execution.compiled` calls those about kernels; this module does not import numba.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any, Literal, TextIO

from std.numbers import written

SPACES = "\u00a0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
# Words of Arabic, Indic and Mongolian scripts are spelt with joiners; elsewhere they only hide.
_JOINED = "[\u0600-\u08ff\u0900-\u0dff\u1800-\u18af\ufb50-\ufdff\ufe70-\ufefc]"
_JOINER = re.compile(f"(?<={_JOINED})([\u200c\u200d])(?={_JOINED})")

Colour = Literal["red", "yellow", "green"]
SGR: dict[Colour, str] = {
    "red": "1;31",
    "yellow": "33",
    "green": "32",
}  # ECMA-48, select graphic rendition
SILENT_S = 2.0  # before a notice that the work continues
_notice: Callable[[str], None] | None = None
_told: set[str] = set()  # notices that were shown
_bars = 0  # that are shown
_erase = ""  # removes a bar from a terminal


def printable(text: str) -> str:
    r"""Escape characters that a terminal would obey, or not show: C0, C1, line ends, surrogates.

    >>> printable("a\x1b[2Jb\u202ec\nd")
    'a\\x1b[2Jb\\u202ec\\nd'
    """
    if text.isprintable():
        return text
    parts = _JOINER.split(text)  # every second one is a joiner
    parts[::2] = ["".join(map(_escaped, part)) for part in parts[::2]]
    return "".join(parts)


def _escaped(character: str) -> str:
    if character.isprintable() or character in SPACES:
        return character
    return repr(character)[1:-1]


def json_text(document: Any) -> str:
    """A document as JSON in one line; NaN and infinity, which JSON lacks, are errors.

    Raises:
        ValueError: a number is not finite.
    """
    text = json.dumps(written(document), ensure_ascii=False, allow_nan=False)
    return text if text.isprintable() else "".join(map(_json_escaped, text))


def _json_escaped(character: str) -> str:
    if character.isprintable() or character in SPACES:
        return character
    return json.dumps(character)[1:-1]


def has_colours(stream: TextIO | None) -> bool:
    """Whether a text for a stream may have escape sequences for colours and bold."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    if os.environ.get("TERM") == "dumb":
        return False
    return is_terminal(stream)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # it is closed
        return False


def coloured(text: str, colour: Colour | None, stream: TextIO | None) -> str:
    """A text for a stream: in a colour, if the stream has colours."""
    if colour is None or not text or not has_colours(stream):
        return text
    return f"\x1b[{SGR[colour]}m{text}\x1b[0m"


def bold(text: str) -> str:
    """A text for stdout with each word in bold, if stdout has colours."""
    if not has_colours(sys.stdout):
        return text
    return " ".join(f"\x1b[1m{word}\x1b[0m" if word else "" for word in text.split(" "))


def set_notice(notice: Callable[[str], None] | None) -> None:
    """Set the function that shows notices; None = show nothing."""
    global _notice  # the state of the command that this process runs
    _notice = notice
    _told.clear()


def compiling() -> None:
    """Say that kernels are compiled, which takes some seconds."""
    _tell("compiling", "compiling the kernels, once after an installation: some 10 s")


def not_kept(reason: str) -> None:
    """Say that compiled kernels cannot be cached."""
    _tell(
        "not kept",
        f"compiled kernels cannot be kept, so the next command compiles them again: {reason}; "
        "NUMBA_CACHE_DIR may name a folder for them",
    )


@contextmanager
def while_working() -> Iterator[None]:
    """Say on a terminal that the work continues, if it takes longer than `SILENT_S`."""

    def still_working() -> None:
        if not _bars and sys.stderr is not None and sys.stderr.isatty():
            _tell("working", "still working (--quiet hides this line)")

    timer = Timer(SILENT_S, still_working)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def showing_progress(erase: str = "") -> Iterator[None]:
    """While progress is shown.

    Args:
        erase: the text that removes it from the line of a terminal.
    """
    global _bars, _erase  # see set_notice
    _bars, before, _erase = _bars + 1, _erase, erase
    try:
        yield
    finally:
        _bars, _erase = _bars - 1, before


def erased() -> str:
    """The beginning of a message that removes the progress bar, which is drawn again below it."""
    return _erase


def _tell(what: str, message: str) -> None:
    if _notice is not None and what not in _told:
        _told.add(what)
        _notice(message)
