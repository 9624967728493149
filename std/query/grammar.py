"""The grammar of queries and of ``--where``.

    some       = every { OR every }
    every      = one { [AND] one }
    one        = ( NOT | - ) one | near
    near       = primary { ( NEAR/5s | WITHIN 5s [OF] ) primary }
    primary    = "(" some ")" | condition | words
    condition  = name:value | name:begin..end | name operator value | first:30s | last:30s
    operator   = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~"
    words      = ( word | "phrase" ) { word | "phrase" }

`parse_query` reads what a person searches for. ``AND``, ``OR``, ``NOT`` and ``NEAR`` are operators
in capitals. In lower case they are words, except beside parentheses, a phrase in quotation marks
or a condition. ``NEAR/5s`` and ``WITHIN 5s`` are operators in upper and lower case, and a hyphen
before a word is NOT. A text without operator and condition is a term, exactly as it was written.

`parse_where` reads conditions only; there, words are names of columns and values, which may have
blanks (``air date >= 2024-01``), and ``and``, ``or`` and ``not`` are operators in upper and lower
case.
"""

from collections.abc import Callable
from functools import lru_cache

from std.errors import QueryError, Unquoted, quoted, require_kind
from std.metadata.where import Condition
from std.query.expression import (
    Every,
    Expression,
    Near,
    Phrase,
    Some,
    Without,
    is_condition,
    is_range,
    parts_of,
)
from std.query.query_tokens import WORDS_OF, QueryToken, normal, query_tokens, where_tokens

MAX_LETTERS = 10_000  # of a condition or a query
MAX_DEPTH = 50  # of parentheses and NOT


@lru_cache(maxsize=256)  # a request reads its term several times
def parse_query(text: str, columns: frozenset[str] | tuple[str, ...] | None) -> Expression:
    """Read what a person searches for; a term without operator and condition is `Phrase`.

    Args:
        columns: names that a condition may have, in lower letters; None = any.

    Raises:
        QueryError: the text is not a query; the message says what was expected.

    >>> parse_query("rock and roll", ())
    Phrase(text='rock and roll')
    >>> parse_query("rock AND NOT roll", ())
    Every(parts=(Phrase(text='rock'), Without(part=Phrase(text='roll'))))
    """
    if len(text) > MAX_LETTERS:
        raise QueryError(f"query: expected at most {MAX_LETTERS} letters, got {len(text)}")
    tokens = query_tokens(text, columns)
    if not {token.kind for token in tokens} & {"and", "or", "not", "near", "condition"}:
        return Phrase(text)
    if text.lstrip().startswith("-") and len(text.split()) == 1:  # a word that begins with a dash
        return Phrase(text)
    if len(tokens) == 2 and tokens[0].kind != "condition":  # an operator alone is a word
        return Phrase(text)
    return _Parser("query", text, tokens, _query_primary).all()


def parse_where(text: str) -> Expression:
    """Read conditions on recordings.

    Raises:
        QueryError: the text is not a condition; the message says what was expected.
        TypeError: the argument is not a text.

    >>> parse_where("date >= 2024-01 and speaker = 'Ada'").parts[1]
    Condition(column='speaker', operator='=', value='Ada')
    """
    require_kind("where", text, str, "conditions as a text")
    if len(text) > MAX_LETTERS:
        raise QueryError(f"--where: expected at most {MAX_LETTERS} letters, got {len(text)}")
    return _Parser("--where", text, where_tokens(text), _where_primary).all()


class _Parser:
    """A recursive-descent parser: the tokens, and the position of the next one."""

    def __init__(
        self,
        source: str,
        text: str,
        tokens: list[QueryToken],
        primary: "Callable[[_Parser], Expression]",
    ) -> None:
        self.source, self.text, self.tokens, self.primary = source, text, tokens, primary
        self.at, self.depth = 0, 0

    @property
    def next(self) -> QueryToken:
        """The next token."""
        return self.tokens[self.at]

    def read(self) -> QueryToken:
        self.at += 1
        return self.tokens[self.at - 1]

    def error(self, expected: str, got: QueryToken) -> QueryError:
        """The error that something else was expected instead of a token."""
        found = quoted(got.text or Unquoted("the end"))
        return QueryError(f"{self.source}: expected {expected}, got {found} in {quoted(self.text)}")

    def all(self) -> Expression:
        """The expression of all tokens."""
        found = self.some()
        if self.next.kind != "end":
            raise self.error("a parenthesis that is opened before", self.next)
        return found

    def some(self) -> Expression:
        """Expressions joined by OR."""
        parts = [self.every()]
        while self.next.kind == "or":
            self.read()
            parts.append(self.every())
        return parts[0] if len(parts) == 1 else Some(_flat(parts, Some))

    def every(self) -> Expression:
        """Expressions joined by AND, or in a query by nothing."""
        parts = [self.one()]
        while self.next.kind not in ("or", "close", "end"):
            if self.next.kind == "and":
                self.read()
            elif self.source == "--where":
                raise self.error("and, or the end", self.next)
            parts.append(self.one())
        return parts[0] if len(parts) == 1 else Every(_flat(parts, Every))

    def one(self) -> Expression:
        """An expression, perhaps with NOT."""
        if self.next.kind != "not":
            return self.near()
        self.read()
        self.deeper()
        found = Without(self.one())
        self.depth -= 1
        return found

    def near(self) -> Expression:
        """Expressions that are near to each other; of three, each is near to the next."""
        left = self.primary(self)
        pairs: list[Expression] = []
        while self.next.kind == "near":
            operator = self.read()
            right = self.primary(self)
            for side in (left, right):
                if not has_places(side):
                    raise self.error("words, or words joined by OR, on both sides of", operator)
            pairs.append(Near(left, right, operator.seconds))
            left = right
        if not pairs:
            return left
        return pairs[0] if len(pairs) == 1 else Every(tuple(pairs))

    def deeper(self) -> None:
        """Count a parenthesis or NOT.

        Raises:
            QueryError: the expressions are nested too deeply.
        """
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error(f"at most {MAX_DEPTH} parentheses in each other", self.next)

    def group(self) -> Expression:
        """The expression in parentheses, after the opening one was read."""
        self.deeper()
        found = self.some()
        self.depth -= 1
        if self.next.kind != "close":
            raise self.error("a closing parenthesis", self.next)
        self.read()
        return found


def has_places(expression: Expression) -> bool:
    """Whether an expression has places, which NEAR needs: words, or words joined by OR.

    Both may have conditions.
    """
    if isinstance(expression, Phrase):
        return True
    if isinstance(expression, Some):
        return all(map(has_places, expression.parts))
    if isinstance(expression, Every):
        said = [part for part in expression.parts if not is_condition(part)]
        return len(said) == 1 and has_places(said[0])
    return False


def _flat(parts: list[Expression], kind: type[Every] | type[Some]) -> tuple[Expression, ...]:
    """The parts, with nested parts of the same kind; conditions stay with the words beside them."""
    return tuple(
        one
        for part in parts
        for one in (
            parts_of(part)
            if isinstance(part, kind) and not is_range(part) and not _restricts(part)
            else (part,)
        )
    )


def _restricts(expression: Expression) -> bool:
    """Whether an expression has words, and conditions on these words."""
    return isinstance(expression, Every) and len({*map(is_condition, expression.parts)}) == 2


def _query_primary(parser: _Parser) -> Expression:
    token = parser.next
    if token.kind == "open":
        parser.read()
        return parser.group()
    if token.kind == "condition" and token.condition is not None:
        parser.read()
        return token.condition
    if token.kind not in ("word", "quoted"):
        hint = f'; a word is meant? "{token.text}"' if token.text else ""
        error = parser.error("words to search for", token)
        raise QueryError(f"{error}{hint}" if token.kind in WORDS_OF else str(error))
    last = token
    while parser.next.kind in ("word", "quoted"):
        last = parser.read()
    return Phrase(parser.text[token.start : last.end])


def _where_primary(parser: _Parser) -> Expression:
    if parser.next.kind == "open":
        parser.read()
        return parser.group()
    if parser.next.kind == "condition":
        token = parser.read()
        assert token.condition is not None
        return token.condition
    column, last = _where_operand(parser, "the name of a column")
    if parser.next.kind != "operator":
        raise parser.error(f"an operator after {quoted(last)}", parser.next)
    operator = parser.read().text
    value, last = _where_operand(parser, f"a value after {column} {operator}")
    if parser.next.kind not in ("and", "or", "close", "end"):
        raise parser.error(f"and, or the end, after {quoted(last)}", parser.next)
    return Condition(column.lower(), operator, value)


def _where_operand(parser: _Parser, expected: str) -> tuple[str, str]:
    """Words joined by blanks, or a text in quotes, and the position after them."""
    if parser.next.kind == "quoted":
        text = parser.read().text
        return normal(text), text
    words = []
    while parser.next.kind == "word":
        words.append(parser.read().text)
    if not words:
        raise parser.error(expected, parser.next)
    return normal(" ".join(words)), words[-1]
