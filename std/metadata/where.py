"""Conditions on the metadata of recordings: a column, an operator, a value.

A value is compared with the operand of the condition like this (`std.query` has the grammar):

    both are numbers               as numbers: 7 = 7.0
    the operand is a date          as ISO dates, up to the precision of the operand:
                                   2024-01-31 fits ``date = 2024-01`` and ``date <= 2024-01``
    otherwise                      as text, by code points, with case
    ~                              the value fits a pattern: * any letters, ? one, [a-f] one of
                                   these
    :                              it is that number or date, or these words stand in it; a value
                                   with * or ? is a pattern; case does not count

A text that is not a number or date is never before or after one. A recording without a value in the
column fits ``!=`` only, so ``!=`` is the negation of ``=``.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from operator import eq, ge, gt, le, lt, ne
from typing import Any

import numpy as np

from std.values import Bools

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "!=": ne, "<=": le, ">=": ge, "=": eq, "<": lt, ">": gt, "~": fnmatchcase,
}  # fmt: skip
_WRITTEN_NUMBER = re.compile(r"[+-]?[0-9]{1,300}(\.[0-9]{1,300})?")
DATE = re.compile(  # of ISO 8601, from the year on to any part
    r"[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01])([T ]([01][0-9]|2[0-3])"
    r"(:[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?)?)?)?"
)


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition: a column, an operator of `OPERATORS` or a colon, and an operand."""

    column: str  # in lower case
    operator: str
    value: str

    def holds(self, stored: str | None) -> bool:
        """Whether a recording with this value in the column fits; None = no value."""
        if stored is None:
            return self.operator == "!="
        if self.operator == "~":
            return fnmatchcase(stored, self.value)
        if self.operator == ":":
            return _is_mentioned(self.value, stored)
        ours, theirs = comparable(stored, self.value)
        if ours is None:  # neither before nor after the operand, nor equal to it
            return self.operator == "!="
        return OPERATORS[self.operator](ours, theirs)

    def fits(self, values: Sequence[str]) -> Bools:
        """(v + 1,) which of v values fit; the last one is for recordings without a value."""
        return np.array([self.holds(value) for value in (*values, None)], dtype=bool)


def _is_mentioned(asked: str, stored: str) -> bool:
    """Whether a stored value equals the number or date of the operand, or has its words."""
    ours, theirs = comparable(stored, asked)
    if ours is not None and ours == theirs:
        return True
    text, wanted = stored.casefold(), asked.casefold()
    if "*" in wanted or "?" in wanted:
        return fnmatchcase(text, wanted)
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", text) is not None


def comparable(stored: str, asked: str) -> tuple[Any, Any]:
    """A stored value and the operand in comparable form; None: they cannot be compared."""
    if is_number(asked) and is_number(stored):
        return Decimal(stored), Decimal(asked)
    if is_date(asked):
        stored, asked = stored.replace(" ", "T", 1), asked.replace(" ", "T", 1)
        return (stored[: len(asked)], asked) if is_date(stored) else (None, asked)
    is_text = not (is_number(stored) or is_date(stored))
    return (stored if is_text and not is_number(asked) else None), asked


def is_number(text: str) -> bool:
    """Whether a text is a decimal number, without exponent."""
    return bool(_WRITTEN_NUMBER.fullmatch(text))


def is_date(text: str) -> bool:
    """Whether a text is an ISO date, or the beginning of one: 2024, 2024-01, 2024-01-31.

    >>> [is_date(text) for text in ("2024", "2024-01-31T20:15", "31.1.2024", "2024-13")]
    [True, True, False, False]
    >>> is_date("2024-02-29"), is_date("2023-02-29")
    (True, False)
    """
    found = DATE.fullmatch(text)
    if not found or not found[3]:
        return bool(found)
    year, month, day = (int(text[begin:end]) for begin, end in ((0, 4), (5, 7), (8, 10)))
    return year == 0 or day <= monthrange(year, month)[1]
