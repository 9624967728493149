"""Packages of an extra, imported where they are used."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from std.errors import ConfigError


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
