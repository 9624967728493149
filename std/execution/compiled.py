"""Compile kernels with numba: on first use, kept on disk where there is a place for it."""

from collections.abc import Callable
from typing import TypeVar, cast

import numba
from numba.core import event

from std.compile_notice import compiling

Kernel = TypeVar("Kernel", bound=Callable[..., object])


class _CompilationListener(event.Listener):
    """Hears of every compilation that the cache cannot serve."""

    def on_start(self, event: event.Event) -> None:
        compiling()

    def on_end(self, event: event.Event) -> None:
        pass


event.register("numba:compile", _CompilationListener())  # type: ignore[no-untyped-call]  # numba


def compiled(kernel: Kernel) -> Kernel:
    """Compile a function for the argument types it is first called with.

    The machine code is cached beside the source, or in the user's cache folder when the
    installation is read-only, or in NUMBA_CACHE_DIR. Where nothing of that can be written,
    every process compiles anew: slower to start, same results.
    """
    try:
        return cast(Kernel, numba.njit(cache=True)(kernel))
    except RuntimeError:  # numba: "no locator available"
        return cast(Kernel, numba.njit(kernel))
