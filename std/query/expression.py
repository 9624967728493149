"""Expressions of the query language, and their descriptions in words.

    Phrase     a word or a phrase, as it was written
    Condition  a column, an operator, a value (`std.metadata.where`)
    Position   the first or the last seconds of a recording
    Near       two expressions that are said close to each other
    Every      all of some expressions (AND)
    Some       at least one of some expressions (OR)
    Without    the negation of an expression (NOT)

Each is a frozen value and can be compared.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from std.errors import cut
from std.metadata.where import Condition


@dataclass(frozen=True, slots=True)
class Phrase:
    """A word or a phrase to search for."""

    text: str


@dataclass(frozen=True, slots=True)
class Position:
    """The first or the last seconds of a recording, as a condition on places."""

    end: Literal["first", "last"]
    seconds: float


@dataclass(frozen=True, slots=True)
class Near:
    """Both are said, in any order, with at most the given number of seconds between them."""

    left: "Expression"
    right: "Expression"
    seconds: float


@dataclass(frozen=True, slots=True)
class Every:
    """All of them hold."""

    parts: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Some:
    """At least one of them holds."""

    parts: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Without:
    """It does not hold."""

    part: "Expression"


_QUOTES = ' "„“”«»'
Expression = Phrase | Condition | Position | Near | Every | Some | Without


def parts_of(expression: Expression) -> tuple[Expression, ...]:
    """The expressions that an expression joins; none if it is a leaf."""
    if isinstance(expression, Every | Some):
        return expression.parts
    if isinstance(expression, Without):
        return (expression.part,)
    if isinstance(expression, Near):
        return expression.left, expression.right
    return ()


def leaves(expression: Expression) -> Iterator[Phrase | Condition | Position]:
    """The words and conditions of an expression, from left to right."""
    if isinstance(expression, Phrase | Condition | Position):
        yield expression
    for part in parts_of(expression):
        yield from leaves(part)


def columns_in(expression: Expression) -> set[str]:
    """The names of the columns that conditions of an expression are about."""
    return {leaf.column for leaf in leaves(expression) if isinstance(leaf, Condition)}


def is_condition(expression: Expression) -> bool:
    """Whether an expression consists of conditions and has no words to search for."""
    return not any(isinstance(leaf, Phrase) for leaf in leaves(expression))


def holds(condition: Expression, value: str | None) -> bool:
    """Whether a condition on one column holds for a value of the column; None: no value.

    >>> holds(Without(Condition("speaker", "=", "Ada")), "Bob")
    True
    """
    if isinstance(condition, Condition):
        return condition.holds(value)
    within = (holds(part, value) for part in parts_of(condition))
    if isinstance(condition, Without):
        return not next(within)
    return any(within) if isinstance(condition, Some) else all(within)


def conjuncts(expression: Expression) -> tuple[Expression, ...]:
    """The expressions all of which must hold."""
    return expression.parts if isinstance(expression, Every) else (expression,)


def is_range(expression: Expression) -> bool:
    """Whether an expression is a range of values of one column."""
    parts = parts_of(expression)
    signs = [part.operator for part in parts if isinstance(part, Condition)]
    return len(parts) == 2 and signs == [">=", "<="] and len(columns_in(expression)) == 1


def in_words(expression: Expression) -> str:
    """An expression as a person reads it.

    >>> in_words(Every((Phrase("polizei"), Without(Phrase("gewalt")))))
    '“polizei” without “gewalt”'
    """
    if isinstance(expression, Every):
        return _every_in_words(expression)
    if isinstance(expression, Some):
        return " or ".join(_inner(part) for part in expression.parts)
    if isinstance(expression, Without):
        return f"not {_inner(expression.part)}"
    if isinstance(expression, Near):
        left, right = _inner(expression.left), _inner(expression.right)
        return f"{left} within {expression.seconds:g} s of {right}"
    if isinstance(expression, Position):
        return f"in the {expression.end} {expression.seconds:g} s of a recording"
    if isinstance(expression, Phrase):
        return f"“{cut(expression.text.strip(_QUOTES))}”"
    return _condition_in_words(expression)


def _every_in_words(expression: Every) -> str:
    """The phrases that are said, then those that are not said, then the conditions."""
    if is_range(expression):
        begin, end = (part.value for part in leaves(expression) if isinstance(part, Condition))
        return f"{next(iter(columns_in(expression)))} {begin} to {end}"
    without = [part for part in expression.parts if isinstance(part, Without)]
    others = [part for part in expression.parts if part not in without]
    said = [_inner(part) for part in others if not is_condition(part)]
    conditions = [_inner(part) for part in others if is_condition(part)]
    conditions += [in_words(part) for part in without if is_condition(part)]
    unsaid = [_inner(part.part) for part in without if not is_condition(part.part)]
    text = " and ".join(said) or ("not said: " if unsaid else "")
    if unsaid:
        text += (" without " if said else "") + " and without ".join(unsaid)
    return ", ".join(filter(None, [text, *conditions]))


def _inner(expression: Expression) -> str:
    text = in_words(expression)
    is_joined = isinstance(expression, Every | Some | Near) and not is_range(expression)
    return f"({text})" if is_joined else text


_COMPARED = {
    "=": "is", "!=": "is not", "<": "before", "<=": "up to", ">": "after", ">=": "from",
    "~": "fits", ":": "has",
}  # fmt: skip


def _condition_in_words(condition: Condition) -> str:
    value = cut(condition.value)
    if condition.column == "speaker" and condition.operator in (":", "="):
        return f"said by {value}"
    return f"{condition.column} {_COMPARED[condition.operator]} {value}"
