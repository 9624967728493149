"""Text that is safe to print: nothing in a name or a word moves the cursor or turns letters round.

printable     a text with control characters as escapes
cell          the same for a table of rich
json_text     JSON without such characters: escapes again, so nothing is lost
"""

import json
import re
from typing import Any

from std.written_numbers import written

SPACES = "\u00a0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
# Words of Arabic, Indic and Mongolian scripts are spelt with joiners; elsewhere they only hide.
_JOINED = "[\u0600-\u08ff\u0900-\u0dff\u1800-\u18af\ufb50-\ufdff\ufe70-\ufefc]"
_JOINER = re.compile(f"(?<={_JOINED})([\u200c\u200d])(?={_JOINED})")


def printable(text: str) -> str:
    r"""Replace what a terminal would obey, or not show: C0, C1, line ends, overrides, surrogates.

    >>> printable("a\x1b[2Jb\u202ec\nd")
    'a\\x1b[2Jb\\u202ec\\nd'
    """
    if text.isprintable():
        return text
    parts = _JOINER.split(text)  # every second one is a joiner
    parts[::2] = ["".join(map(_escaped, part)) for part in parts[::2]]
    return "".join(parts)


def _escaped(character: str) -> str:
    if character.isprintable() or character in SPACES:
        return character
    return repr(character)[1:-1]


def cell(text: str) -> str:
    """A text as a cell of a table of rich: printable, and no markup."""
    from rich.markup import escape

    return escape(printable(text))


def json_text(document: Any) -> str:
    """A document as JSON in one line; NaN and infinity are errors, not invented syntax.

    Raises:
        ValueError: a number is not finite.
    """
    text = json.dumps(written(document), ensure_ascii=False, allow_nan=False)
    return text if text.isprintable() else "".join(map(_json_escaped, text))


def _json_escaped(character: str) -> str:
    if character.isprintable() or character in SPACES:
        return character
    return json.dumps(character)[1:-1]
