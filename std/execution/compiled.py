"""Compile kernels with numba at their first use, and cache them on disk.

Ctrl-C waits until a kernel is compiled or loaded (`std.execution.stop`).
"""

import hashlib
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import CodeType
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import event
from numba.core.caching import FunctionCache
from numba.core.runtime.nrt import rtsys

from std.execution.cost import LEDGER
from std.execution.stop import Hold, held
from std.terminal import compiling, not_kept

Kernel = TypeVar("Kernel", bound=Callable[..., object])

OPTIONS = {"nogil": True}  # other threads run while a kernel does

_hold = Hold()  # of the main thread


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


@cache
def _without_linear_algebra() -> None:
    """Load numba's array functions, but not the linear algebra of scipy, if it is installed.

    numba only checks whether scipy is installed, which takes as long as all other imports. A kernel
    that uses linear algebra loads it; none of ours does.
    """
    if not find_spec("scipy"):
        return
    with suppress(ImportError, AttributeError):  # of another version, which loads what it likes
        linalg: Any = import_module("numba.np.linalg")
        look = linalg.ensure_blas
        linalg.ensure_blas = lambda: None
        try:
            import_module("numba.np.arraymath")
        finally:
            linalg.ensure_blas = look


class _CompilationListener(event.Listener):
    """Counts the cost of each compilation that is not in the cache.

    The compilation of a kernel includes that of the kernels it calls.
    """

    def __init__(self) -> None:
        super().__init__()
        self._of_thread = threading.local()

    def on_start(self, event: event.Event) -> None:
        if _is_main():
            _hold.begin()
        thread = self._of_thread
        thread.depth = getattr(thread, "depth", 0) + 1
        if thread.depth == 1:
            thread.begin_s = time.thread_time()
        compiling()

    def on_end(self, event: event.Event) -> None:
        thread = self._of_thread
        thread.depth -= 1
        if not thread.depth:
            LEDGER.compiled(time.thread_time() - thread.begin_s)
        if _is_main():
            _hold.end()


event.register("numba:compile", _CompilationListener())  # type: ignore[no-untyped-call]  # numba


def _contained(function: Any) -> tuple[object, ...]:
    """The constants and functions that the machine code of a function contains."""
    names = function.__code__.co_names
    values = [function.__globals__[name] for name in names if name in function.__globals__]
    constants = [repr(value) for value in values if isinstance(value, (int, float, np.generic))]
    literals = [one for one in function.__code__.co_consts if not isinstance(one, CodeType)]
    called = [value.py_func for value in values if hasattr(value, "py_func")]
    return function.__code__.co_code, literals, constants, [_contained(one) for one in called]


class _Cache(FunctionCache):
    """numba's cache of a kernel; errors of a damaged cache or a full disk are ignored.

    numba itself would raise the error, although it has the machine code or can make it. numba
    considers a kernel unchanged if its module is; here, changes of constants and functions of other
    modules count, too.
    """

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        key = super()._index_key(sig, codegen)  # type: ignore[no-untyped-call]  # numba
        made_of = repr((OPTIONS, _contained(self._py_func)))
        return *key, hashlib.sha256(made_of.encode()).hexdigest()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The machine code for a signature; None if the cache has none or is damaged.

        numba itself would first load what it only needs to compile, which takes longer.
        """
        found: Any = None
        try:
            with held(_hold) if _is_main() else nullcontext():
                rtsys.initialize(target_context)
                with self._guard_against_spurious_io_errors():
                    found = self._load_overload(sig, target_context)  # type: ignore[no-untyped-call]  # numba
        except Exception:  # damaged pickles raise any kind of exception
            self._start_anew()
        if found is None:
            _without_linear_algebra()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Cache machine code, if possible."""
        try:
            with held(_hold) if _is_main() else nullcontext():
                super().save_overload(sig, data)  # type: ignore[no-untyped-call]  # numba
        except OSError as error:
            not_kept(f"{self.cache_path}: {error.strerror or error}")

    def _start_anew(self) -> None:
        """Remove the cached code of the kernel."""
        with suppress(OSError):  # `save_overload` meets the error again and reports it
            self.flush()  # type: ignore[no-untyped-call]  # numba


def compiled(kernel: Kernel) -> Kernel:
    """Compile a function for the argument types it is first called with.

    The machine code is cached beside the source, or in the user's cache folder when the
    installation is read-only, or in NUMBA_CACHE_DIR. If none of these can be written, every process
    compiles again and a notice says so.
    """
    compile_kernel: Any = numba.njit  # its types take no mapping
    dispatcher = compile_kernel(kernel, **OPTIONS)
    try:
        dispatcher._cache = _Cache(kernel)  # type: ignore[no-untyped-call]  # numba
    except RuntimeError:  # numba: "no locator available"
        not_kept("no folder for them can be written")
    return cast(Kernel, dispatcher)


def compiled_within(function: Kernel) -> Kernel:
    """Compile a function that only kernels of its module call, as a part of their machine code.

    It is not cached separately, which would make each kernel slower to compile and load.
    """
    compile_part: Any = numba.njit  # its types lack these two
    return cast(Kernel, compile_part(no_cpython_wrapper=True, no_cfunc_wrapper=True)(function))
