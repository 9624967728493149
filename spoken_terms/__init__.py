"""Spoken term detection from Python, in six functions; and the start of the commands.

    >>> import spoken_terms as st
    >>> sorted(name for name in st.__all__ if name.islower())
    ['index', 'open', 'recognise', 'score', 'score_discovery', 'search']

`spoken_terms.functions` describes them, each with an example. They return the values of the
packages `recogniser`, `indexer`, `searcher`, `scoring` and `std`, which a program can also import.
Each of these packages is imported when a function first needs it.

This package has the name of the distribution, so Python finds it even where another project has
packages with the same short names; `spoken_terms.start` reports such packages.

A command imports this package first. So the handler of Ctrl-C is set here, and is valid until the
command runs (`std.command.run`): Ctrl-C ends the command with one line, and nothing has been
written yet. The handler is set with the part of `signal` in C, which imports nothing. The modules
`signal` and `typing` import `enum`, `re` and more, which takes 5 and 12 ms; Ctrl-C would raise an
exception in this time.
"""

import _signal as signal  # type: ignore[import-not-found]  # built in, so it has no stub
import os
import sys

TYPE_CHECKING = False  # that of `typing`; type checkers take it as true
if TYPE_CHECKING:
    from searcher import FusedIndex, Hit, Index
    from spoken_terms.functions import index, open, recognise, score, score_discovery, search  # noqa: A004
    from std import Config, StdError, Term, TermList

__all__ = [
    "Config",
    "FusedIndex",
    "Hit",
    "Index",
    "StdError",
    "Term",
    "TermList",
    "index",
    "open",
    "recognise",
    "score",
    "score_discovery",
    "search",
]
_OLD = ("discover",)
_HOME = {"Config": "std", "StdError": "std", "Term": "std", "TermList": "std"}
_HOME |= {"FusedIndex": "searcher", "Hit": "searcher", "Index": "searcher"}


def command_of(arguments: list[str]) -> str:
    """The name of the command that a process runs; empty for a worker or another program.

    >>> command_of(["/usr/bin/python3", "-s", "/usr/bin/std-index", "--help"])
    'std-index'
    >>> command_of(["python.exe", "C:\\\\venv\\\\Scripts\\\\std-store.exe", "list"])
    'std-store'
    >>> command_of(["python3", "-c", "from multiprocessing.spawn import spawn_main"])
    ''
    """
    words = [argument for argument in arguments[1:] if argument[:1] != "-" or argument == "-c"]
    name = words[0].replace("\\", "/").rpartition("/")[2].removesuffix(".exe") if words else ""
    return name if name.startswith("std-") else ""


def _end(number: int, frame: object) -> None:
    os.write(2, f"{command_of(sys.orig_argv)}: interrupted\n".encode())
    os._exit(130)


if command_of(sys.orig_argv) and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, _end)


def __getattr__(name: str) -> object:
    if name not in __all__ and name not in _OLD:
        raise AttributeError(f"module 'spoken_terms' has no attribute {name!r}")
    from importlib import import_module

    from spoken_terms.start import FROM_PYTHON, misplaced_package

    if problem := misplaced_package(packages=FROM_PYTHON):
        raise ImportError(problem)
    return getattr(import_module(_HOME.get(name, "spoken_terms.functions")), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
