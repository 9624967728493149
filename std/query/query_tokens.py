"""The tokens of a query, as people type it: words, operators, conditions.

QueryToken
query_tokens   a text -> its tokens; the last is the end
tested         a condition, from its parts as they are written
"""

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

from std.errors import QueryError, quoted
from std.metadata.where import Condition
from std.nearest import meant
from std.query.expression import Every, Expression, Position

NEAR_S = 10.0  # of NEAR alone
MAX_NEAR_S = 3600.0
PLACES = ("first", "last")  # seconds of a recording

_SECONDS = {"ms": 0.001, "": 1.0, "s": 1.0, "sec": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}
_LENGTH = r"(?P<number>\d{1,9}(?:\.\d{1,9})?)\s*(?P<unit>ms|sec|s|min|m|h)?"
_QUOTED = r"\"[^\"]*\" | „[^“”\"]*[“”\"] | “[^”]*” | «[^»]*»"
_QUERY_TOKEN = re.compile(
    rf"""\s*(?: (?P<quoted> {_QUOTED})
      | (?P<open> \( ) | (?P<close> \) )
      | (?P<near> near (?: / {_LENGTH} )? (?![^\s()"]) )
      | (?P<within> within (?: / | \s+ ) (?P<within_number>\d{{1,9}}(?:\.\d{{1,9}})?)
          \s* (?P<within_unit>ms|seconds|second|sec|s|minutes|minute|min|m|h)? (?:\s+ of)?
          (?![^\s()"]) )
      | (?P<minus> (?<![^\s(]) - (?= [\w"„“«(] ) (?! [^\s()"]* - (?:\s|$) ) )
      | (?P<condition> (?P<name>[^\W\d]\w+) (?: : (?=[^\s()/:]) (?P<compared> [<>]=? | = )?
          | (?P<operator> \s* (?: != | <= | >= | = | < | > | ~ ) \s* ) )
          (?P<value> "[^"]*" | [^\s()"]+ ) )
      | (?P<word> [^\s()"]+ | " ) )""",
    re.VERBOSE | re.IGNORECASE,
)
_UNREADABLE = re.compile(r"(near|within)/[\d.,]", re.IGNORECASE)  # but for its unit, an operator
_ENDING = re.compile(r"[a-zäöü]{1,2}|innen")  # of Lehrer:innen, jede:r, EU:n
WORDS_OF = {"and": "and", "or": "or", "not": "not"}


@dataclass(frozen=True, slots=True)
class QueryToken:
    """A word, an operator or a condition, and where it stands."""

    kind: str  # word, quoted, operator, condition, open, close, and, or, not, near, end
    text: str
    start: int = 0
    end: int = 0
    seconds: float = 0.0
    condition: Expression | None = None


def query_tokens(text: str, columns: Collection[str] | None) -> list[QueryToken]:
    """Cut a query into tokens.

    Args:
        text: as it was typed.
        columns: names that a condition may have, in lower letters; None = any.

    Raises:
        QueryError: a condition is about another column, or a number of seconds is none.
    """
    tokens: list[QueryToken] = []
    at = 0
    while text[at:].strip():
        match = _QUERY_TOKEN.match(text, at)
        assert match is not None  # a word is anything
        kind = next(name for name in _KINDS if match[name] is not None)
        start = match.start(kind)
        token = QueryToken(kind, match[kind], start, match.end())
        if kind == "condition":
            token = _condition(match, text, columns)
        elif kind in ("near", "within"):
            token = _near(match, kind)
        elif kind == "minus":
            token = QueryToken("not", "-", start, match.end())
        elif kind == "word" and _UNREADABLE.match(match[kind]):
            got = quoted(match[kind])
            raise QueryError(f"query: expected a time as in NEAR/5s or WITHIN 5s, got {got}")
        elif kind == "word" and match[kind] in ("AND", "OR", "NOT"):
            token = QueryToken(match[kind].lower(), match[kind], start, match.end())
        tokens.append(token)
        at = token.end
    return _beside([*tokens, QueryToken("end", "")])


_KINDS = ("quoted", "open", "close", "near", "within", "minus", "condition", "word")


def _beside(tokens: list[QueryToken]) -> list[QueryToken]:
    """Tokens in which ``and``, ``or``, ``not`` are operators where no word can be meant.

    Within parentheses they are, if one beside parentheses is and none is in capitals:
    ``(a or b) and c``.
    """
    has_capitals = any(token.kind in WORDS_OF and token.text != "-" for token in tokens)
    small = [i for i, token in enumerate(tokens) if token.text.lower() in WORDS_OF]
    small = [i for i in small if tokens[i].kind == "word"]
    beside = {i for i in small if _is_beside(tokens, i)}
    if beside and not has_capitals:
        depth = 0
        for i, token in enumerate(tokens):
            depth += (token.kind == "open") - (token.kind == "close")
            if depth > 0 and i in small:
                beside.add(i)
    return [
        QueryToken(token.text.lower(), token.text, token.start, token.end) if i in beside else token
        for i, token in enumerate(tokens)
    ]


def _is_beside(tokens: list[QueryToken], i: int) -> bool:
    """Whether a word stands beside a parenthesis, a phrase in quotation marks or a condition."""
    before, after = tokens[i - 1].kind if i else "", tokens[i + 1].kind
    is_beside = after in ("quoted", "open", "condition", "not") or (
        before in ("quoted", "close", "condition") and after != "end"
    )
    return is_beside and (bool(before) or tokens[i].text.lower() == "not")


def _near(match: re.Match[str], kind: str) -> QueryToken:
    """NEAR/5s or WITHIN 5s; NEAR without seconds is a word but in capitals."""
    prefix = "" if kind == "near" else "within_"
    number, unit = match[f"{prefix}number"], (match[f"{prefix}unit"] or "").lower()
    written = match[kind]
    bare = number is None or (kind == "within" and "/" not in written and not unit)
    spelt_out = unit in ("seconds", "second", "minutes", "minute")
    if (bare or spelt_out) and not written.startswith(("NEAR", "WITHIN")):
        end = match.start(kind) + len(kind)
        return QueryToken("word", written[: len(kind)], match.start(kind), end)
    unit = unit[0] if spelt_out else unit
    seconds = NEAR_S if number is None else float(number) * _SECONDS[unit]
    if seconds > MAX_NEAR_S:
        raise QueryError(f"query: expected at most {MAX_NEAR_S:g} s, got {quoted(written)}")
    return QueryToken("near", written, match.start(kind), match.end(), seconds)


def _condition(match: re.Match[str], text: str, columns: Collection[str] | None) -> QueryToken:
    """A condition, or the word that it only looks like."""
    name, value = match["name"].lower(), match["value"]
    start, end = match.start("name"), match.end()
    known = name in PLACES or name in (columns if columns is not None else {name})
    if match["operator"] is not None and not known:
        word = re.match(r"[^\s()\"]+", text[start:])
        assert word is not None
        return QueryToken("word", word[0], start, start + word.end())
    is_alone = not text[:start].strip() and not text[end:].strip()
    if (not known or columns is None) and (is_alone or _ENDING.fullmatch(value)):
        return QueryToken("word", text[start:end], start, end)
    if not known and columns is not None:
        names = sorted({*columns, *PLACES})
        near = meant(name, names)
        raise QueryError(
            f"query: expected one of {', '.join(names)} before a colon, got {quoted(name)}{near}; "
            f'in quotation marks it is a word: "{match["name"]}:{value}"'
        )
    operator = (match["operator"] or match["compared"] or ":").strip()
    return QueryToken(
        "condition", match["condition"], start, end, 0.0, tested(name, operator, value)
    )


def tested(name: str, operator: str, value: str) -> Expression:
    """A condition with a value as written, perhaps in quotation marks or as a range."""
    if name in PLACES:
        length = re.fullmatch(_LENGTH, value.strip('"'), re.IGNORECASE)
        if operator not in (":", "=", "<", "<=") or length is None:
            raise QueryError(
                f"query: expected {name}:30s, got {quoted(f'{name}{operator}{value}')}"
            )
        seconds = float(length["number"]) * _SECONDS[(length["unit"] or "").lower()]
        return Position("first" if name == "first" else "last", seconds)
    if value.startswith('"'):
        return Condition(name, operator, normal(value.strip('"')))
    begin, dots, end = value.partition("..")
    if operator == ":" and dots and (begin or end):
        ends = [(">=", begin)] if begin else []
        ends += [("<=", end)] if end else []
        parts = tuple(Condition(name, sign, normal(one)) for sign, one in ends)
        return parts[0] if len(parts) == 1 else Every(parts)
    return Condition(name, operator, normal(value))


def normal(text: str) -> str:
    """A text as conditions compare it."""
    return unicodedata.normalize("NFC", text)
