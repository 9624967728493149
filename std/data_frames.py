"""Results as data frames of pandas or polars, if a program has them; std needs neither.

Framed    anything with rows: `to_pandas`, `to_polars`
>>> class Pair(Framed):
...     def frame_rows(self):
...         return [{"term": "burg", "probability": 0.9}]
>>> Pair().frame_columns()
{'term': ['burg'], 'probability': [0.9]}
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any


class Framed:
    """A value with rows, as a table or data frame."""

    __slots__ = ()

    def frame_rows(self) -> Sequence[Mapping[str, Any]]:
        """The rows, by column."""
        raise NotImplementedError

    def frame_columns(self) -> dict[str, list[Any]]:
        """The columns; None where a row lacks a value."""
        rows = self.frame_rows()
        names = list(dict.fromkeys(name for row in rows for name in row))
        return {name: [row.get(name) for row in rows] for name in names}

    def to_pandas(self) -> Any:
        """The table as a ``pandas.DataFrame``.

        Raises:
            ModuleNotFoundError: pandas is not installed.
        """
        return _library("pandas").DataFrame(self.frame_columns())

    def to_polars(self) -> Any:
        """The table as a ``polars.DataFrame``.

        Raises:
            ModuleNotFoundError: polars is not installed.
        """
        return _library("polars").DataFrame(self.frame_columns())


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        message = f"to_{name}: expected the package {name} (pip install {name}), got none"
        raise ModuleNotFoundError(message, name=name) from error
