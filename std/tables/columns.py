"""Which column of a table holds terms, told by its name.

>>> term_columns(["Name", "Partei"]), term_columns(["Nr", "Suchbegriff", "Datei-Name"])
(['Name'], ['Suchbegriff'])
>>> term_columns(["id", "text", "OOV"]), term_columns(["Vorname", "Nachname", "Jahr"])
(['text'], ['Vorname', 'Nachname'])
"""

import re
import unicodedata
from collections.abc import Sequence

TERM_ID_COLUMNS = ("id", "termid", "term_id", "kwid")
TEXT_COLUMNS = ("text", "term", "termtext", "term_text", "kwtext")  # beside one of `ID_COLUMNS`
WORDS = {  # of a column's name that say that terms are in it
    *("term", "terms", "keyword", "keywords", "name", "names", "phrase", "phrases"),
    *("query", "queries", "word", "words", "text", "begriff", "begriffe", "suchbegriff"),
    *("suchbegriffe", "suchwort", "stichwort", "stichwörter", "schlagwort", "schlagwörter"),
    *("namen", "wort", "wörter"),
}
ENDS = ("name", "namen", "begriff", "begriffe")  # of compounds: Nachname, Fachbegriff
OTHERS = {  # that name something else: a file, a number, who wrote it
    *("id", "file", "filename", "datei", "dateiname", "user", "username", "recording"),
    *("aufnahme", "audio", "path", "pfad"),
}


def same_name(first: str, second: str) -> bool:
    """Whether two columns have one name, whatever the case and the form of their letters."""
    return _folded(first) == _folded(second)


def term_columns(columns: Sequence[str]) -> list[str]:
    """The columns that may hold terms; more than one: which is meant is not clear.

    A name that is nothing but such a word counts more than one that has others beside it.
    """
    if has_ids(columns):
        return [name for name in columns if _folded(name) in TEXT_COLUMNS]
    whole = [name for name in columns if _folded(name) in WORDS]
    return whole or [name for name in columns if _says_term(name)]


def has_ids(columns: Sequence[str]) -> bool:
    """Whether a table has one column of ids and one of texts, as lists of terms have."""
    names = {*map(_folded, columns)}
    return len(names & {*TERM_ID_COLUMNS}) == len(names & {*TEXT_COLUMNS}) == 1


def _says_term(name: str) -> bool:
    words = re.findall(r"[^\W\d_]+", _folded(name))
    return not OTHERS & {*words} and any(w in WORDS or w.endswith(ENDS) for w in words)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).strip().casefold()
