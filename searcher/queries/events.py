"""The searched texts, some of them queries, and their events.

AskedTexts   the terms of all texts, one after another, and the expressions that they belong to

An event is an expression in which each word is replaced by its places:

Said       at least one of some places is right
Close      one of some places is right, and so is another place close to it
Given      an event that holds in certain units, independently of places
Both       all of some events
Either     at least one of some events
Not        the negation of an event
event_of   an expression -> an event
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from std.errors import QueryError, cut, quoted
from std.metadata.where import Condition
from std.query.expression import (
    Every,
    Expression,
    Near,
    Phrase,
    Position,
    Some,
    Without,
    in_words,
    is_condition,
    leaves,
    parts_of,
)
from std.query.grammar import parse_query
from std.query.query_tokens import WORDS_OF
from std.values import Bools, Float64s, Int64s

# Of a condition: (n,) which places fit it, and (units,) in which units it can hold.
Fits = Callable[[Condition | Position], tuple[Bools, Bools]]
MAX_WORDS = 20  # words and phrases of a query
_FUZZY = re.compile(r"(?<=[\w\"])~\d*(?=\s|$)")
_LETTER = re.compile(r"(?<=\w)\?(?=\w)")


class Sites(NamedTuple):
    """Places of all words of a query, as columns."""

    unit: Int64s  # (n,) in which each is
    start_ms: Int64s  # (n,)
    end_ms: Int64s  # (n,)
    probability: Float64s  # (n,) that it is right
    units: int  # number of units


@dataclass(frozen=True, eq=False)
class Said:
    """At least one of some places is right."""

    terms: frozenset[int]
    rows: Int64s


@dataclass(frozen=True, eq=False)
class Close:
    """A place of each side is right, with at most a given time between them."""

    left: Said
    right: Said
    within_ms: float

    @property
    def terms(self) -> frozenset[int]:
        """Numbers of the words on both sides."""
        return self.left.terms | self.right.terms


@dataclass(frozen=True, eq=False)
class Given:
    """An event that holds in given units."""

    holds: Bools  # (units,)
    terms: frozenset[int] = frozenset()


@dataclass(frozen=True, eq=False)
class Both:
    """All parts hold."""

    parts: tuple["Event", ...]

    @property
    def terms(self) -> frozenset[int]:
        """Numbers of the words of all parts."""
        return frozenset().union(*(part.terms for part in self.parts))


@dataclass(frozen=True, eq=False)
class Either(Both):
    """At least one part holds."""


@dataclass(frozen=True, eq=False)
class Not:
    """A part does not hold."""

    part: "Event"

    @property
    def terms(self) -> frozenset[int]:
        """Numbers of its words."""
        return self.part.terms


Event = Said | Close | Given | Both | Not


def sites_of(event: Event) -> Iterator[Said | Close]:
    """The leaves of an event that depend on places."""
    if isinstance(event, Said | Close):
        yield event
    elif isinstance(event, Both):
        for part in event.parts:
            yield from sites_of(part)
    elif isinstance(event, Not):
        yield from sites_of(event.part)


class _Filled:
    """Replaces the words of an expression by their places."""

    def __init__(self, rows: dict[str, Int64s], fits: Fits, unit: Int64s) -> None:
        self.rows, self.fits, self.unit = rows, fits, unit
        self.number = {text: i for i, text in enumerate(rows)}

    def condition(self, expression: Expression) -> tuple[Bools, Bools]:
        """Which places and which units fit conditions."""
        if isinstance(expression, Condition | Position):
            return self.fits(expression)
        places, units = zip(*map(self.condition, parts_of(expression)), strict=True)
        if isinstance(expression, Without):
            here = ~places[0]
            is_of_unit = bool((units[0][self.unit] == places[0]).all())
            return here, ~units[0] if is_of_unit else np.ones_like(units[0])
        joined = np.logical_or if isinstance(expression, Some) else np.logical_and
        return joined.reduce(places), joined.reduce(units)

    def said(self, expression: Expression, mask: Bools) -> Said:
        """The places of words, of words joined by OR, and of either with conditions."""
        if isinstance(expression, Phrase):
            rows = self.rows[expression.text]
            return Said(frozenset({self.number[expression.text]}), rows[mask[rows]])
        parts = parts_of(expression)
        if isinstance(expression, Every):
            mask = mask & self.condition(_conditions(expression))[0]
            parts = tuple(part for part in parts if not is_condition(part))
        found = [self.said(part, mask) for part in parts]
        terms = frozenset().union(*(one.terms for one in found))
        return Said(terms, np.unique(np.concatenate([one.rows for one in found])))

    def event(self, expression: Expression, mask: Bools) -> Event:
        """The event of an expression; ``mask`` selects places."""
        if isinstance(expression, Phrase):
            return self.said(expression, mask)
        if isinstance(expression, Near):
            sides = self.said(expression.left, mask), self.said(expression.right, mask)
            return Close(*sides, 1000 * expression.seconds)
        if is_condition(expression):
            return Given(self.condition(expression)[1])
        if isinstance(expression, Without):
            return Not(self.event(expression.part, mask))
        if isinstance(expression, Some):
            return Either(tuple(self.event(part, mask) for part in parts_of(expression)))
        known: tuple[Event, ...] = ()
        if any(map(is_condition, parts_of(expression))):
            here, units = self.condition(_conditions(expression))
            mask, known = mask & here, (Given(units),)
        words = [part for part in parts_of(expression) if not is_condition(part)]
        return Both(known + tuple(self.event(part, mask) for part in words))


def _conditions(expression: Expression) -> Expression:
    """The conditions among the parts of an expression."""
    return Every(tuple(part for part in parts_of(expression) if is_condition(part)))


def event_of(expression: Expression, rows: dict[str, Int64s], fits: Fits, sites: Sites) -> Event:
    """The event of an expression.

    A condition on places (the speaker, the first seconds) applies to the words that AND joins with
    it.

    Args:
        rows: for each text of `Phrase`, the rows of its places.
        fits: tells which places and units fit a condition.
    """
    filled = _Filled(rows, fits, sites.unit)
    return filled.event(expression, np.ones(len(sites.unit), dtype=bool))


def require_words(expression: Expression) -> None:
    """Refuse a query without a word that must be said, because it has no places.

    Raises:
        QueryError: the query has no such word.
    """
    if not _has_said(expression):
        raise QueryError(
            f"query: expected words that are said, got {in_words(expression)}; a search for "
            "recordings (--unit recording) needs none"
        )


def _has_said(expression: Expression) -> bool:
    if isinstance(expression, Without):
        return False
    return isinstance(expression, Phrase) or any(map(_has_said, parts_of(expression)))


@dataclass(frozen=True, slots=True)
class AskedTexts:
    """Texts as expressions, and the terms that are searched."""

    texts: tuple[str, ...]
    expressions: tuple[Expression, ...]  # of each text

    @property
    def terms_of_each(self) -> list[tuple[str, ...]]:
        """The words and phrases of each text, each once; for a plain term the text itself."""
        return [
            tuple(dict.fromkeys(leaf.text for leaf in leaves(one) if isinstance(leaf, Phrase)))
            for one in self.expressions
        ]

    @property
    def terms(self) -> list[str]:
        """The terms of all texts, in their order."""
        return [term for terms in self.terms_of_each for term in terms]

    @property
    def first(self) -> list[int]:
        """The number of the first term of each text."""
        return [0, *accumulate(map(len, self.terms_of_each))][:-1]

    def is_plain(self, number: int) -> bool:
        """Whether a text is a term, without operators and conditions."""
        return isinstance(self.expressions[number], Phrase)

    @property
    def all_plain(self) -> bool:
        """Whether all texts are plain terms."""
        return all(map(self.is_plain, range(len(self.texts))))

    def understood(self, unit: str = "recording") -> Iterator[str]:
        """The interpretation of each text, if a person may have meant something else.

        Args:
            unit: the unit in which queries hold.
        """
        for text, expression in zip(self.texts, self.expressions, strict=True):
            if isinstance(expression, Phrase):
                if note := _note(text):
                    yield f"{cut(text)}: {note}"
            else:
                yield f"understood: {in_words(expression)}{_within(expression, unit)}"


def read_asked(
    texts: Sequence[str], columns: frozenset[str] | None, *, need_words: bool = True
) -> AskedTexts:
    """Read the searched texts, each once.

    Args:
        texts: terms and queries.
        columns: the columns that conditions may name; None = any.
        need_words: refuse a query without words that must be said.

    Raises:
        QueryError: a text is not a valid query.
        TypeError: an item is not a text.
    """
    for text in texts:
        if not isinstance(text, str):
            several = "index.search('haus', 'baum')"
            raise TypeError(f"expected terms as texts, {several}, got {quoted(text)}")
    texts = tuple(dict.fromkeys(texts))
    asked = AskedTexts(texts, tuple(parse_query(text, columns) for text in texts))
    for text, expression, terms in zip(
        asked.texts, asked.expressions, asked.terms_of_each, strict=True
    ):
        if len(terms) > MAX_WORDS:
            raise QueryError(
                f"query: expected at most {MAX_WORDS} words and phrases, got {len(terms)} "
                f"in {quoted(text)}"
            )
        if need_words:
            require_words(expression)
    return asked


def _within(expression: Expression, unit: str) -> str:
    """The unit in which a query holds, for a message; empty for a query of one word."""
    several = sum(isinstance(leaf, Phrase) for leaf in leaves(expression)) > 1
    is_near = isinstance(expression, Near)
    return f"; within a {unit}" if several and not is_near else ""


def _note(text: str) -> str:
    """A remark about a term that looks like a query of another program."""
    small = [word for word in text.split()[1:-1] if word.lower() in WORDS_OF]
    if small:
        return f"searched as a phrase; {small[0].upper()} in capitals is an operator"
    if _FUZZY.search(text):
        return "~ is no operator: words like an unknown word are searched without it"
    return "? is no wildcard: * stands for any letters" if _LETTER.search(text) else ""
