"""What all commands have in common at their edge: exit status, messages, progress, resources.

Results go to stdout, everything else to stderr. Exit status 0 = done, 2 = the user can mend it
(one line, no traceback), 1 = our fault (a traceback) or, in an interactive search, nothing
found, 130 = interrupted.
"""

import argparse
import json
import os
import resource
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TextIO

from std.errors import StdError, StoreWarning


class Parser(argparse.ArgumentParser):
    """Arguments of a command: help as written, and one line for a mistake."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **settings)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (--help explains)\n")


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
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in message)
    print(f"{command}: {shown}", file=sys.stderr)  # noqa: T201  # this is the message


def print_json(document: Any) -> None:
    """Exactly one JSON document on stdout; NaN and infinity are errors, not invented syntax."""
    print(json.dumps(document, ensure_ascii=False, allow_nan=False))  # noqa: T201  # the result


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

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda amount: bar.advance(task, amount)
