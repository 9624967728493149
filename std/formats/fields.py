"""Fields of a line as text and numbers; what is none is refused with its line."""

import math
from pathlib import Path

from std.errors import InputError


def text(path: Path | str, line: int, token: bytes) -> str:
    """Decode a token.

    Raises:
        InputError: it is not UTF-8.
    """
    try:
        return token.decode()
    except UnicodeDecodeError as error:
        raise InputError(path, line, "UTF-8 text", shown(token)) from error


def shown(token: bytes | str) -> str:
    """Return a token as a message can show it."""
    return token if isinstance(token, str) else token.decode(errors="backslashreplace")


def number(path: Path | str, line: int, token: bytes | str, what: str) -> float:
    """Read a finite number.

    Raises:
        InputError: it is none; the message says it should be ``what``.
    """
    try:
        value = float(token)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(path, line, what, shown(token))
    return value


def whole_number(path: Path | str, line: int, token: bytes | str, what: str) -> int:
    """Read a whole number of at least 0.

    Raises:
        InputError: it is none; the message says it should be ``what``.
    """
    value = number(path, line, token, what)
    if value < 0 or value != int(value):
        raise InputError(path, line, what, f"{value:g}")
    return int(value)
