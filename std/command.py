"""The parts that all commands share: options, exit status, messages, progress.

Results go to stdout, everything else to stderr. Exit status 0 = done, 2 = the user can correct it
(one line, no traceback), 1 = our fault (a traceback) or, in an interactive search, nothing
found, 128 and its number = ended by a signal: 130 by Ctrl-C, 143 by SIGTERM, 129 by SIGHUP.
"""

import argparse
import codecs
import os
import re
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedWriter, FileIO, RawIOBase, TextIOWrapper
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, TextIO

from std.display.progress import progress_bar
from std.errors import STANDARD_STREAM, OldNameWarning, StdError, StoreWarning, cut, quoted
from std.ranges import PROCESSES, Range
from std.system import ENDING, peak_memory_bytes
from std.terminal import Colour, coloured, erased, json_text, printable, set_notice, while_working

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = [  # and names of `std.display` that every command needs
    "JOBS",
    "ROWS",
    "SEED",
    "announce",
    "encoding_argument",
    "file_argument",
    "finished",
    "folder_argument",
    "number",
    "peak_memory_gb",
    "print_json",
    "progress_bar",
    "run",
    "say",
    "tell",
    "text_argument",
    "warn",
]

UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # in XML 1.0
FOR_USERS = (StoreWarning, OldNameWarning)  # shown as one line, without the line of our code
MAX_LINE = 8000  # letters of any message: a path may have 4,096


def announce(command: str, *, quiet: bool) -> None:
    """Show a person who waits what the command is doing (`std.terminal`)."""
    set_notice(None if quiet else lambda message: say(command, message))


def file_argument(text: str) -> Path:
    """A file that is named on the command line.

    ``-`` is standard input, or standard output for an output; a file of that name is ``./-``.
    """
    if not text:
        raise argparse.ArgumentTypeError("expected the name of a file, got ''")
    path = Path(text)
    return path.absolute() if path == STANDARD_STREAM and text != "-" else path


def encoding_argument(text: str) -> str:
    """The name of an encoding of text."""
    try:
        "".encode(text)
        return codecs.lookup(text).name
    except (LookupError, ValueError) as error:  # none, or one of bytes such as base64
        raise argparse.ArgumentTypeError(f"expected an encoding, got {quoted(text)}") from error


def folder_argument(text: str) -> Path:
    """A folder that is named on the command line."""
    if text in ("", "-"):
        raise argparse.ArgumentTypeError(f"expected the name of a folder, got {quoted(text)}")
    return Path(text)


def text_argument(text: str) -> str:
    """Text that can be searched, shown and written as XML; otherwise argparse reports an error."""
    if UNWRITABLE.search(text):
        raise argparse.ArgumentTypeError(
            f"expected UTF-8 text without control characters, got {quoted(text)}"
        )
    return text


def number(span: Range) -> Callable[[str], float]:
    """The type of an option whose value is a number of a range."""

    def read(text: str) -> float:
        try:
            return span.read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return read


JOBS = number(PROCESSES)
ROWS = number(Range(0, 1_000_000_000, whole=True))
SEED = number(Range(0, 2**63 - 1, whole=True))


def run(command: str, work: Callable[[], int | None]) -> int:
    """Run a command and return its exit status.

    Arrays are multiplied by one thread: our matrices are small, so threads would wait for each
    other (g2p-en took four times as much CPU with two), and ``--jobs`` sets the number of cores.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy reads it when it is imported
    try:
        _reserve_streams()
        with _signals_raise(), _warnings_as_lines(command), while_working():
            status = work() or 0
        return finished(command, status)
    except StdError as error:
        tell(str(error), f"{command}: ", "red")
        return finished(command, 2)
    except KeyboardInterrupt as error:
        number = error.args[0] if error.args else signal.SIGINT
        by = "interrupted" if number == signal.SIGINT else f"ended by {number.name}"
        say(command, by)
        return finished(command, 128 + number)
    except OSError as error:
        return finished(command, _failed(command, error))


@contextmanager
def _signals_raise() -> Iterator[None]:
    """Let the signals `ENDING` raise KeyboardInterrupt in the block, so that it can clean up.

    A signal that is ignored stays ignored (`nohup`). `spoken_terms` handles Ctrl-C outside the
    block.
    """

    def end(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt(signal.Signals(number))

    usual = {}
    if threading.current_thread() is threading.main_thread():
        usual = {one: signal.getsignal(one) for one in ENDING}
    heard = [one for one in usual if usual[one] == signal.SIG_DFL or callable(usual[one])]
    try:
        for one in heard:
            signal.signal(one, end)
        yield
    finally:
        for one in heard:
            signal.signal(one, usual[one])


def finished(command: str, status: int) -> int:
    """Flush stdout, where a full disk may show, and return the exit status."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        status = max(status, _failed(command, error))
    try:
        if sys.stderr is not None:
            sys.stderr.flush()
    except OSError:  # no stream is left for a message
        _forget(sys.stderr)
    return status


def _failed(command: str, error: OSError) -> int:
    """The exit status after an error of the system in reading or writing."""
    _forget(sys.stdout)  # the buffer cannot be written
    if isinstance(error, BrokenPipeError):  # the reader of our output has ended, as `head` does
        return 0
    place = f"{cut(os.fsdecode(error.filename))}: " if error.filename else ""
    tell(f"{place}{error.strerror or error}", f"{command}: ", "red")
    return 2


def _reserve_streams() -> None:
    """Open the null device where stdin, stdout or stderr is closed.

    Otherwise the next opened file takes the descriptor, and a library's prints go into it.

    Raises:
        StdError: stdout is closed, so results cannot be written.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # it gets the lowest free descriptor: this one
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115  # as long as the process
    if sys.stdout is None:
        raise StdError("stdout: expected an open file or pipe, got a closed one")
    buffer = getattr(sys.stdout, "buffer", None)
    if type(getattr(buffer, "raw", buffer)) is FileIO and sys.stdout.fileno() == 1:
        sys.stdout = _named(sys.stdout)
    if isinstance(sys.stdout, TextIOWrapper):  # an unknown letter must not be an error
        if sys.platform == "win32":  # pipes have a code page there
            sys.stdout.reconfigure(encoding="utf-8", newline="\n")
        sys.stdout.reconfigure(errors="backslashreplace")


class _Stdout(FileIO):
    """Standard output, whose errors name it."""

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            error.filename = "standard output"
            raise


def _named(stdout: TextIO) -> TextIO:
    """Standard output as `_Stdout`, with a buffer.

    Without one (PYTHONUNBUFFERED), what a full disk does not take would be lost without an error.
    """
    stdout.flush()
    by_line = stdout.isatty() or isinstance(stdout.buffer, RawIOBase)
    raw = _Stdout(stdout.fileno(), "w", closefd=False)
    return TextIOWrapper(BufferedWriter(raw), stdout.encoding, line_buffering=by_line)


@contextmanager
def _warnings_as_lines(command: str) -> Iterator[None]:
    """Show the warnings `FOR_USERS`."""
    with warnings.catch_warnings():
        for shown in FOR_USERS:
            warnings.simplefilter("always", shown)
        usual = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, FOR_USERS):
                warn(command, str(message))
            else:
                usual(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        yield


def _forget(stream: TextIO | None) -> None:
    """Discard further text for a stream."""
    try:
        if stream is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError):  # it has no descriptor
        pass


def warn(command: str, message: str) -> None:
    """One line on stderr that does not change the exit status."""
    tell(message, f"{command}: warning: ", "yellow")


def say(command: str, message: str) -> None:
    """One line on stderr; control characters of file names are escaped."""
    tell(message, f"{command}: ")


def tell(message: str, head: str = "", colour: Colour | None = None) -> None:
    """One line on stderr for the user.

    Args:
        message: printed as text, with control characters escaped.
        head: our text before it.
        colour: the colour of the head, where stderr has colours.
    """
    line = printable(cut(f"{head}{message}", MAX_LINE)).removeprefix(head)
    try:
        print(f"{erased()}{coloured(head, colour, sys.stderr)}{line}", file=sys.stderr)  # noqa: T201  # the message
    except OSError:  # a full disk or a closed pipe: the exit status reports it, too
        _forget(sys.stderr)


def print_json(document: Any) -> None:
    """Write exactly one JSON document to stdout; NaN and infinity, which JSON lacks, are errors."""
    print(json_text(document))  # noqa: T201  # the result


def peak_memory_gb(workers: int = 0) -> float:
    """Largest resident set so far of this process and ``workers`` children like the largest."""
    return (peak_memory_bytes() + workers * peak_memory_bytes(of_children=True)) / 1e9
