"""Tells a person that kernels are being compiled, which happens once after an installation.

A command says how to tell (`set_notice`); `std.execution.compiled` calls `compiling` when numba
really compiles, not when it loads machine code from its cache. This module loads no numba.
"""

from collections.abc import Callable

_notice: Callable[[], None] | None = None


def set_notice(notice: Callable[[], None] | None) -> None:
    """Say how to tell; None = say nothing."""
    global _notice  # the state of the command that this process runs
    _notice = notice


def compiling() -> None:
    """Tell it, the first time."""
    if _notice is not None:
        notice = _notice
        set_notice(None)
        notice()
