"""Packages that come with an extra, imported where they are used."""

from importlib import import_module
from typing import Any

from std.errors import ConfigError


def required(module: str, extra: str) -> Any:
    """Import a module of an extra.

    Raises:
        ConfigError: it is not installed; the message names the extra.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise ConfigError(
            f"expected the extra {extra!r} (pip install 'spoken-terms[{extra}]'), got: {error}"
        ) from error
