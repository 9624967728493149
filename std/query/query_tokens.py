"""The tokens of queries and conditions, as people type them.

QueryToken     of a query: a word, an operator, a condition
query_tokens   a query -> its tokens; the last is the end
tested         a condition, from its parts as they are written
where_tokens   the text of ``--where`` -> its tokens: columns, operators and values, which may have
               blanks; the last is the end
"""

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

from std.errors import QueryError, meant, quoted
from std.metadata.where import Condition
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
_UNREADABLE = re.compile(r"(?i:near|within)/[\d.,]|(NEAR|WITHIN)/")  # an operator without its time
_ENDING = re.compile(r"[a-zäöü]{1,2}|innen")  # of Lehrer:innen, jede:r, EU:n
WORDS_OF = {"and": "and", "or": "or", "not": "not"}

_WHERE_TOKEN = re.compile(
    r"""\s*(?: (?P<quoted> "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' )
             | (?P<operator> != | <= | >= | = | < | > | ~ )
             | (?P<word> [^\s"'=!<>~]+ ) )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_NAMED = re.compile(r"(?P<name>[^\W\d]\w+):(?P<value>[^/:].*)?", re.DOTALL)


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
        columns: names that a condition may have, in lower letters; None = any.

    Raises:
        QueryError: a condition names another column, or a number of seconds is invalid.
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
    """The tokens, with ``and``, ``or`` and ``not`` as operators where they cannot be words.

    Inside parentheses, they are operators if one beside the parentheses is, and if none is in
    capitals: ``(a or b) and c``.
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
    """Whether a word is beside a parenthesis, a phrase in quotation marks or a condition."""
    before, after = tokens[i - 1].kind if i else "", tokens[i + 1].kind
    is_beside = after in ("quoted", "open", "condition", "not") or (
        before in ("quoted", "close", "condition") and after != "end"
    )
    return is_beside and (bool(before) or tokens[i].text.lower() == "not")


def _near(match: re.Match[str], kind: str) -> QueryToken:
    """NEAR/5s or WITHIN 5s; NEAR without seconds is an operator in capitals only."""
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
    """A condition, or a word that only looks like one."""
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


def where_tokens(text: str) -> list[QueryToken]:
    """The tokens of conditions.

    A closing parenthesis at the end of a value belongs to the value, unless it closes a parenthesis
    that was opened before a condition.
    """
    tokens: list[QueryToken] = []
    at, opened, begins = 0, 0, True  # begins: a condition begins here

    def put(kind: str, content: str, condition: Expression | None = None) -> None:
        tokens.append(QueryToken(kind, content, condition=condition))

    while text[at:].strip():
        match = _WHERE_TOKEN.match(text, at)
        if match is None:
            raise QueryError(
                f"--where: expected a column, an operator or a value, got "
                f"{quoted(text[at:].strip())} in {quoted(text)}"
            )
        at, kind = match.end(), str(match.lastgroup)
        content = match[kind]
        if kind == "quoted":
            put(kind, _ESCAPED.sub(r"\1", content[1:-1]))
            begins = False
            continue
        if kind == "operator":
            put(kind, content)
            continue
        while begins and content.startswith("("):
            put("open", "(")
            opened, content = opened + 1, content[1:]
        closing = 0
        while opened and not begins and content.endswith(")") and _closes(content):
            closing, opened, content = closing + 1, opened - 1, content[:-1]
        lower = content.lower()
        if lower in ("and", "or") or (lower == "not" and begins and _is_negation(text, at)):
            put(lower, content)
            begins = True
        elif begins and (named := _NAMED.fullmatch(content)) and _is_complete(text, at, named):
            at, value, closed = _named_value(text, at, named, opened)
            opened -= closed
            put("condition", content, tested(named["name"].lower(), ":", value))
            for _ in range(closed):
                put("close", ")")
        elif content:
            put("word", content)
            begins = False
        for _ in range(closing):
            put("close", ")")
    return [*tokens, QueryToken("end", "")]


def _closes(word: str) -> bool:
    """Whether the last parenthesis of a word closes one outside the word."""
    return word.count(")") > word.count("(")


def _is_negation(text: str, at: int) -> bool:
    """Whether ``not`` is an operator, and not the name of a column before an operator."""
    follows = _WHERE_TOKEN.match(text, at)
    return follows is not None and follows.lastgroup != "operator"


def _is_complete(text: str, at: int, named: re.Match[str]) -> bool:
    """Whether ``name:value`` is a condition, and not the name of a column before an operator."""
    follows = _WHERE_TOKEN.match(text, at)
    kind = follows.lastgroup if follows else "end"
    if named["value"] is None:
        return kind == "quoted"
    return (
        kind == "end"
        or (kind == "word" and follows is not None and follows["word"].lower() in ("and", "or"))
        or named["value"].endswith(")")
    )


def _named_value(text: str, at: int, named: re.Match[str], opened: int) -> tuple[int, str, int]:
    """The end of a condition ``name:value``, its value, and the number of parentheses it closes."""
    if named["value"] is None:
        match = _WHERE_TOKEN.match(text, at)
        assert match is not None
        content = _ESCAPED.sub(r"\1", match["quoted"][1:-1])
        return match.end(), f'"{content}"', 0
    value, closed = named["value"], 0
    while closed < opened and value.endswith(")") and _closes(value):
        value, closed = value[:-1], closed + 1
    return at, value, closed
