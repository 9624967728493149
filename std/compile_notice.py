"""Tells a person that kernels are being compiled, which happens once after an installation.

    compiling()         numba really compiles, it does not load machine code from its cache
    not_kept(reason)    the machine code cannot be cached, so that the next command compiles again

A command says how to tell (`set_notice`); `std.execution.compiled` calls the functions above.
This module loads no numba.
"""

from collections.abc import Callable

_notice: Callable[[str], None] | None = None
_told: set[str] = set()  # what this command has told already


def set_notice(notice: Callable[[str], None] | None) -> None:
    """Say how to tell; None = say nothing."""
    global _notice  # the state of the command that this process runs
    _notice = notice
    _told.clear()


def compiling() -> None:
    """Tell it, the first time: nothing else happens for some seconds."""
    _tell("compiling", "compiling the kernels, once after an installation: some 10 s")


def not_kept(reason: str) -> None:
    """Tell it, the first time."""
    _tell(
        "not kept",
        f"the next command compiles the kernels again, they cannot be kept: {reason}; "
        "NUMBA_CACHE_DIR may name a folder for them",
    )


def _tell(what: str, message: str) -> None:
    if _notice is not None and what not in _told:
        _told.add(what)
        _notice(message)
