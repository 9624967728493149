"""Conditions on the metadata of recordings: ``date >= 2024-01 and speaker = "Ada"``.

    where       = comparison { "and" comparison }
    comparison  = column operator value
    operator    = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~"
    column      = text
    value       = text
    text        = word { word } | quoted
    quoted      = '"' ... '"' | "'" ... "'"       a backslash before a quotation mark or backslash

A word holds no blank, quotation mark or operator; ``and`` is one only in quotes. How a value is
compared with what the condition names:

    both are numbers               as numbers: 7 = 7.0
    a date is asked for            as ISO dates; only as many parts count as are asked for:
                                   2024-01-31 fits ``date = 2024-01`` and ``date <= 2024-01``
    otherwise                      as text, by code points; case counts
    ~                              it fits a pattern: * any letters, ? one, [a-f] one of these

A text that is no number or date is never before or after one. A recording without a value in the
column fits ``!=`` only, so ``!=`` holds where ``=`` does not.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from itertools import takewhile
from operator import eq, ge, gt, le, lt, ne
from typing import Any

import numpy as np

from std.errors import StdError, quoted
from std.values import Bools

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "!=": ne, "<=": le, ">=": ge, "=": eq, "<": lt, ">": gt, "~": fnmatchcase,
}  # fmt: skip
MAX_LETTERS = 10_000  # of a condition
_TOKEN = re.compile(
    r"""\s*(?: (?P<quoted> "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' )
             | (?P<operator> != | <= | >= | = | < | > | ~ )
             | (?P<word> [^\s"'=!<>~]+ ) )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_WRITTEN_NUMBER = re.compile(r"[+-]?[0-9]{1,300}(\.[0-9]{1,300})?")
DATE = re.compile(  # of ISO 8601, from the year on to any part
    r"[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01])([T ]([01][0-9]|2[0-3])"
    r"(:[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?)?)?)?"
)


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition: a column, an operator of `OPERATORS`, and an operand."""

    column: str  # in lower case
    operator: str
    value: str

    def holds(self, stored: str | None) -> bool:
        """Whether a recording with this value in the column fits; None: it has no value."""
        if stored is None:
            return self.operator == "!="
        if self.operator == "~":
            return fnmatchcase(stored, self.value)
        ours, theirs = comparable(stored, self.value)
        if ours is None:  # neither before nor after the operand, nor equal to it
            return self.operator == "!="
        return OPERATORS[self.operator](ours, theirs)

    def fits(self, values: Sequence[str]) -> Bools:
        """(v + 1,) which of v values fit; the last: whether a recording without a value does."""
        return np.array([self.holds(value) for value in (*values, None)], dtype=bool)


def comparable(stored: str, asked: str) -> tuple[Any, Any]:
    """A stored value and the operand in a comparable form; None: they cannot be compared."""
    if is_number(asked) and is_number(stored):
        return Decimal(stored), Decimal(asked)
    if is_date(asked):
        stored, asked = stored.replace(" ", "T", 1), asked.replace(" ", "T", 1)
        return (stored[: len(asked)], asked) if is_date(stored) else (None, asked)
    if is_number(asked):
        return None, asked
    return stored, asked


def is_number(text: str) -> bool:
    """Tell whether a text is a decimal number, without exponent."""
    return bool(_WRITTEN_NUMBER.fullmatch(text))


def is_date(text: str) -> bool:
    """Tell whether a text is an ISO date, or the beginning of one: 2024, 2024-01, 2024-01-31.

    >>> [is_date(text) for text in ("2024", "2024-01-31T20:15", "31.1.2024", "2024-13")]
    [True, True, False, False]
    """
    return bool(DATE.fullmatch(text))


def parse(text: str) -> tuple[Condition, ...]:
    """Read a condition; all of its comparisons must hold.

    >>> parse("date >= 2024-01 and speaker = 'Ada'")[1]
    Condition(column='speaker', operator='=', value='Ada')

    Raises:
        StdError: it is none; the message says where.
    """
    if len(text) > MAX_LETTERS:
        raise StdError(f"--where: expected at most {MAX_LETTERS} letters, got {len(text)}")
    tokens, at = _tokens(text), 0
    comparisons = []
    while True:
        column, at = _operand(tokens, at, "the name of a column", text)
        kind, operator = tokens[at]
        if kind != "operator":
            known = " ".join(OPERATORS)
            raise _error(f"one of {known} after {quoted(column)}", operator, text)
        value, at = _operand(tokens, at + 1, f"a value after {column} {operator}", text)
        comparisons.append(Condition(column.lower(), operator, value))
        if tokens[at][0] == "end":
            return tuple(comparisons)
        at += 1  # `_operand` stops at "and" and at the end, else it refuses


def _operand(
    tokens: Sequence[tuple[str, str]], at: int, expected: str, text: str
) -> tuple[str, int]:
    """A column or a value from a position on, and where it ends: words are joined by a blank."""
    words = [content for _, content in takewhile(lambda token: token[0] == "word", tokens[at:])]
    if not words and tokens[at][0] == "quoted":
        words = [tokens[at][1]]
    at += len(words)
    if not words:
        raise _error(expected, tokens[at][1] or "the end", text)
    follows, found = tokens[at]
    is_column = expected.startswith("the name")
    if follows not in (("operator",) if is_column else ("and", "end")):
        wanted = "an operator" if is_column else "and, or the end,"
        raise _error(f"{wanted} after {quoted(words[-1])}", found or "the end", text)
    return unicodedata.normalize("NFC", " ".join(words)), at


def _tokens(text: str) -> list[tuple[str, str]]:
    """Kind and content of each token; the last is the end."""
    tokens, at = [], 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            raise _error("a column, an operator or a value", text[at:].strip(), text)
        kind, content = str(match.lastgroup), match[str(match.lastgroup)]
        if kind == "quoted":
            content = _ESCAPED.sub(r"\1", content[1:-1])
        elif kind == "word" and content.lower() == "and":
            kind = "and"
        tokens.append((kind, content))
        at = match.end()
    return [*tokens, ("end", "")]


def _error(expected: str, got: str, text: str) -> StdError:
    return StdError(f"--where: expected {expected}, got {quoted(got)} in {quoted(text)}")
