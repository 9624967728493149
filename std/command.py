"""What all commands have in common at their edge: exit status, messages, progress, resources.

Results go to stdout, everything else to stderr. Exit status 0 = done, 2 = the user can mend it
(one line, no traceback), 1 = our fault (a traceback), 130 = interrupted.
"""

import argparse
import os
import resource
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TextIO

from std.errors import STANDARD_STREAM, StdError, StoreWarning
from std.terminal import json_text, printable

FILES = """\
Files to read may be compressed with gzip and may be pipes; - is standard input. Files to write may
be devices, pipes and links, which stay what they are; - is standard output.
"""


class Parser(argparse.ArgumentParser):
    """Arguments of a command: help as written, and one line for a mistake."""

    def __init__(self, *, epilog: str, **settings: Any) -> None:
        super().__init__(
            formatter_class=argparse.RawDescriptionHelpFormatter,
            epilog=f"{epilog.rstrip()}\n\n{FILES}",
            **settings,
        )

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {printable(message)} (--help explains)\n")


def file_argument(text: str) -> Path:
    """A file that is named on the command line.

    ``-`` is standard input, or standard output for an output; a file of that name is ``./-``.
    """
    if not text:
        raise argparse.ArgumentTypeError("expected the name of a file, got ''")
    path = Path(text)
    return path.absolute() if path == STANDARD_STREAM and text != "-" else path


def text_argument(text: str) -> str:
    """A word, a phrase or a name on the command line."""
    try:
        text.encode()
    except UnicodeEncodeError as error:  # bytes that are no letters in this locale
        raise argparse.ArgumentTypeError(f"expected UTF-8 text, got {text!r}") from error
    return text


def folder_argument(text: str) -> Path:
    """A folder that is named on the command line."""
    if text in ("", "-"):
        raise argparse.ArgumentTypeError(f"expected the name of a folder, got {text!r}")
    return Path(text)


def run(command: str, work: Callable[[], int | None]) -> int:
    """Do a command's work and turn how it ended into an exit status."""
    try:
        with _warnings_as_lines(command):
            status = work() or 0
        sys.stdout.flush()  # a full disk behind stdout shows now, not when nobody catches it
        return status
    except StdError as error:
        say(command, str(error))
        return 2
    except KeyboardInterrupt:
        say(command, "interrupted")
        return 130
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        _forget_stdout()
        return 0
    except OSError as error:
        _forget_stdout()
        place = f"{error.filename}: " if error.filename else ""
        say(command, f"{place}{error.strerror or error}")
        return 2


@contextmanager
def _warnings_as_lines(command: str) -> Iterator[None]:
    """Show what a store warns of as one line, without the place in our code."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", StoreWarning)
        usual = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, StoreWarning):
                warn(command, str(message))
            else:
                usual(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        yield


def _forget_stdout() -> None:
    """What is still buffered has nowhere to go."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def warn(command: str, message: str) -> None:
    """One line on stderr that does not change the exit status."""
    say(command, f"warning: {message}")


def say(command: str, message: str) -> None:
    """One line on stderr, whatever names of files may hold: nothing in it moves the cursor."""
    tell(f"{command}: {message}")


def tell(message: str) -> None:
    """One line on stderr for the person who watches."""
    print(printable(message), file=sys.stderr)  # noqa: T201  # this is the message


def print_json(document: Any) -> None:
    """Exactly one JSON document on stdout; NaN and infinity are errors, not invented syntax."""
    print(json_text(document))  # noqa: T201  # the result


def peak_memory_gb(workers: int = 0) -> float:
    """Largest resident set so far: this process, and ``workers`` as large as its largest child."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return (own + workers * child) * 1024 / 1e9  # the kernel counts in KiB


@contextmanager
def progress_bar(
    label: str, total: float | None, *, quiet: bool
) -> Iterator[Callable[[float], None]]:
    """A bar on stderr, on a terminal only; yields a function that advances it.

    Without a total it only shows that something is going on.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda amount: None
        return
    from rich.console import Console
    from rich.progress import Progress

    from std.terminal import cell

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(cell(label), total=total)
        yield lambda amount: bar.advance(task, amount)
