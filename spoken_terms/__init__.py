"""The start of the commands; `std`, `indexer`, `searcher` and `scoring` are the Python interface.

This package has the name of the distribution, so it is found even where another project has
packages of the same short names; `spoken_terms.start` tells its user so.

It is the first of ours that a command imports, so it says here what Ctrl-C does until the command
works (`std.command.run`): end, in one line. Nothing is written before. `signal` itself imports
`enum` and more, five milliseconds in which Ctrl-C would still raise; its C half imports nothing.
"""

import _signal as signal  # type: ignore[import-not-found]  # built in, so it has no stub
import os
import sys


def command_of(arguments: list[str]) -> str:
    """The name of the command that a process is; empty for a worker, or another program.

    >>> command_of(["/usr/bin/python3", "-s", "/usr/bin/std-index", "--help"])
    'std-index'
    >>> command_of(["python3", "-c", "from multiprocessing.spawn import spawn_main"])
    ''
    """
    words = [argument for argument in arguments[1:] if argument[:1] != "-" or argument == "-c"]
    name = words[0].rpartition("/")[2] if words else ""
    return name if name.startswith("std-") else ""


def _end(number: int, frame: object) -> None:
    os.write(2, f"{command_of(sys.orig_argv)}: interrupted\n".encode())
    os._exit(130)


if command_of(sys.orig_argv) and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, _end)
