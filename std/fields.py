"""Lines of a text file and their fields, as text and numbers; errors name file and line."""

import codecs
import math
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import BinaryIO

from std.errors import InputError, Unquoted
from std.ranges import MAX_UTTERANCE_BYTES


def numbered(
    stream: BinaryIO, path: Path | str, longest: int = MAX_UTTERANCE_BYTES
) -> Iterator[tuple[int, bytes]]:
    """Yield every line with its number; a byte order mark is removed.

    Args:
        longest: the largest length of a line in bytes.

    Raises:
        InputError: a line has more bytes than ``longest``.
    """
    for at in count(1):
        line = stream.readline(longest + 1)
        if not line:
            return
        if len(line) > longest:
            raise InputError(
                path, at, f"lines of at most {longest} bytes", Unquoted("a longer one")
            )
        yield at, line.removeprefix(codecs.BOM_UTF8) if at == 1 else line


def line_blocks(
    stream: BinaryIO, path: Path | str, block_bytes: int, longest: int
) -> Iterator[list[bytes]]:
    """Yield all lines without their ends, in blocks that are converted together.

    Args:
        block_bytes: about how many bytes of lines are in a block.
        longest: how many bytes a line may have.

    Raises:
        InputError: a line has more bytes than ``longest``.
    """
    rest, line = b"", 1
    while block := stream.read(block_bytes):
        *lines, rest = (rest + block).split(b"\n")
        line += len(lines)
        if len(rest) > longest:
            raise InputError(
                path, line, f"lines of at most {longest} bytes", Unquoted("a longer one")
            )
        if lines:
            yield lines
    if rest:
        yield [rest]


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
    """Return a token for a message."""
    return token if isinstance(token, str) else token.decode(errors="backslashreplace")


def number(path: Path | str, line: int, token: bytes | str, what: str) -> float:
    """Read a finite number.

    Args:
        what: the expected value, for messages: ``a start time``.

    Raises:
        InputError: the token is not a finite number.
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

    Args:
        what: the expected value, for messages: ``a channel``.

    Raises:
        InputError: the token is not a whole number of at least 0.
    """
    value = number(path, line, token, what)
    if value < 0 or value != int(value):
        raise InputError(path, line, what, f"{value:g}")
    return int(value)
