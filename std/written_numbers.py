"""Numbers as our files and answers have them: equal on every CPU."""

from collections.abc import Sequence
from typing import Any

DIGITS = 12  # significant ones: the same on every CPU, whose vector units differ in the last of 16
_FORMAT = f"%.{DIGITS}g"

AS_THEY_ARE = frozenset({str, int, bool, type(None)})  # most values, which a call each would delay


def written(value: Any) -> Any:
    """A value as it is written: its floats to 12 digits, also in lists and objects.

    >>> written(0.1 + 0.2), written([{"a": 2 / 3}, "x", 7])
    (0.3, [{'a': 0.666666666667}, 'x', 7])
    """
    if isinstance(value, dict):
        return {
            key: one
            if (kind := type(one)) in AS_THEY_ARE
            else float(_FORMAT % one)
            if kind is float
            else written(one)
            for key, one in value.items()
        }
    if isinstance(value, list | tuple):
        return [
            one
            if (kind := type(one)) in AS_THEY_ARE
            else float(_FORMAT % one)
            if kind is float
            else written(one)
            for one in value
        ]
    return float(_FORMAT % value) if isinstance(value, float) else value


def written_column(values: Sequence[float | None]) -> list[float | None]:
    """Numbers of a column as they are written, each distinct one once; None stays."""
    of_number = {one: one if one is None else float(_FORMAT % one) for one in {*values}}
    return [of_number[one] for one in values]


def json_bytes(document: Any, option: int = 0) -> bytes:
    """A document as JSON with numbers as they are written.

    Args:
        document: a document of values that JSON has.
        option: an option of orjson.
    """
    import orjson  # here: a search of one word does without it

    return orjson.dumps(written(document), option=option)
