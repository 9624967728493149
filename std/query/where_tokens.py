"""The tokens of ``--where``: columns, operators and values, which may have blanks.

where_tokens   a text -> its tokens; the last is the end
"""

import re

from std.errors import QueryError, quoted
from std.query.expression import Expression
from std.query.query_tokens import QueryToken, tested

_WHERE_TOKEN = re.compile(
    r"""\s*(?: (?P<quoted> "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' )
             | (?P<operator> != | <= | >= | = | < | > | ~ )
             | (?P<word> [^\s"'=!<>~]+ ) )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_NAMED = re.compile(r"(?P<name>[^\W\d]\w+):(?P<value>[^/:].*)?", re.DOTALL)


def where_tokens(text: str) -> list[QueryToken]:
    """The tokens of conditions; parentheses within a value are its own, but for those that close
    one that stands before a condition."""
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
    """Whether ``not`` is no name of a column: no operator follows."""
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
    """Where a condition ``name:value`` ends, its value, and how many parentheses it closes."""
    if named["value"] is None:
        match = _WHERE_TOKEN.match(text, at)
        assert match is not None
        content = _ESCAPED.sub(r"\1", match["quoted"][1:-1])
        return match.end(), f'"{content}"', 0
    value, closed = named["value"], 0
    while closed < opened and value.endswith(")") and _closes(value):
        value, closed = value[:-1], closed + 1
    return at, value, closed
