"""Roles and texts of Final Cut's clips: speakers, languages, and titles without a text.

named_by_role    the role of a caption or title -> a speaker, a language
is_unwritten     whether a title still has its default text
"""

import re

from std.languages.detection import NAMES

_KIND = re.compile(
    r"(?i)\b(itt|srt|cea|vtt|subs?)|608|caption|subtitle|title|titel|titre|t\u00edtulo|titulo|dialog"
    r"|video|audio|music|effect|default|primary|\u5b57\u5e55|\u6807\u9898"
)
_UNWRITTEN = re.compile(
    r"(?i)\s*(?:basic title|title|titel|titre|t\u00edtulo|titolo|text|\u6807\u9898"
    r"|\u30bf\u30a4\u30c8\u30eb)[\s\d]*"
)


def named_by_role(role: str, *, of_title: bool) -> tuple[str, str]:
    """The speaker and the language that a role names; empty if it names none.

    >>> [named_by_role(role, of_title=False) for role in ("Anna?captionFormat=ITT.en", "iTT")]
    [('Anna', 'en'), ('', '')]
    >>> [named_by_role(role, of_title=True) for role in ("dialogue.Anna", "titles.titles-1")]
    [('Anna', ''), ('', '')]
    """
    role, _, form = role.partition("?captionFormat=")
    main, _, own = role.partition(".")
    name = own if of_title else own or main
    name = "" if _KIND.search(name) or not re.search(r"[^\W\d_]", name) else name.strip()
    is_default = name.lower() in NAMES or name.startswith(f"{main}-")
    return "" if is_default else name, form.partition(".")[2]


def is_unwritten(text: str) -> bool:
    """Whether a title has the text that it has before anybody writes one.

    >>> is_unwritten("Title 2"), is_unwritten("Title deeds")
    (True, False)
    """
    return _UNWRITTEN.fullmatch(text) is not None
