"""Imports when they are needed: the public names of a package, and packages of an extra.

A command that only prints its help must not load numpy, so a package's ``__init__`` names the
modules of its public names and imports none of them (`lazy_names`). Packages of an extra are
imported where they are used (`required`).
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from std.errors import ConfigError


def lazy_names(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package.

    Args:
        package: its ``__name__``.
        modules: the public names that each module below the package defines, separated by spaces;
            ``rows=form_rows`` is the module's ``form_rows``, which the package calls ``rows``.

    >>> find, names = lazy_names("std", {"ranges": "Range", "errors": "Wrong=InputError"})
    >>> find("Wrong").__name__, {"Range", "Wrong"} <= {*names()}
    ('InputError', True)
    """
    homes: dict[str, tuple[str, str]] = {}
    for module, public_names in modules.items():
        for name in public_names.split():
            public, _, own = name.partition("=")
            homes[public] = f"{package}.{module}", own or public

    def find(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, own = homes[name]
        return getattr(import_module(module), own)

    def names() -> list[str]:
        return sorted({*homes, *vars(import_module(package))})

    return find, names


def required(module: str, extra: str) -> Any:
    """Import a module of an extra.

    Raises:
        ConfigError: the module is not installed; the message names the extra.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise ConfigError(f"{expected(extra)}, got: {error}") from error


def is_installed(package: str) -> bool:
    """Whether a package can be imported, without importing it."""
    return find_spec(package) is not None


def expected(extra: str) -> str:
    """The message about a missing extra."""
    return f"expected the extra {extra!r} (pip install 'spoken-terms[{extra}]')"
