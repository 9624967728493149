"""Numbers in figures, spelt out in English as they are said: 1946 is "nineteen forty six".

spelt_out    a word in figures -> the words that are said
"""

import re
from functools import cache
from typing import Any

from std.extras import required

_FIGURES = re.compile(r"([$£€]?)(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(st|nd|rd|th|s)?(%?)")
_LAST = frozenset("0123456789%dhst")  # letters of numbers: 20, 50%, 2nd, 3rd, 4th, 1990s
_UNITS = {"$": "dollars", "£": "pounds", "€": "euros", "": ""}
ABBREVIATIONS = {
    "mr": "mister", "mrs": "missus", "dr": "doctor", "etc": "et cetera", "prof": "professor",
    "jr": "junior", "sr": "senior", "vs": "versus", "ok": "okay", "capt": "captain",
    "lt": "lieutenant", "sgt": "sergeant", "gov": "governor", "&": "and", "%": "percent",
}  # fmt: skip
MOST_FIGURES = 12
YEARS = (range(1100, 2000), range(2010, 2100))


def spelt_out(word: str) -> list[str]:
    """The words that are said; none where they are those that are written.

    >>> spelt_out("1946"), spelt_out("20th"), spelt_out("$3.50"), spelt_out("R2D2")
    (['nineteen', 'forty', 'six'], ['twentieth'], ['three', 'point', 'five', 'zero', 'dollars'], [])
    >>> spelt_out("Mr"), spelt_out("mister")
    (['mister'], [])
    """
    if said := ABBREVIATIONS.get(word.casefold().rstrip(".")):
        return said.split()
    match = _FIGURES.fullmatch(word) if word[-1:] in _LAST else None
    if not match or len(word) > MOST_FIGURES:
        return []
    unit, figures, decimals, suffix, percent = match.groups()
    plain = not (unit or decimals or percent or "," in figures)
    number = int(figures.replace(",", ""))
    if plain and suffix in (None, "s") and any(number in years for years in YEARS):
        said = _year(number)
    else:
        said = _engine().number_to_words(f"{number}{decimals or ''}", andword="")
    if suffix in ("st", "nd", "rd", "th"):
        said = _engine().ordinal(said)
    if suffix == "s":
        said = _plural(said)
    parts = [said, _UNITS[unit], "percent" if percent else ""]
    return re.findall(r"[a-z]+", " ".join(parts))


def _year(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    words = _engine().number_to_words
    if not rest:
        return f"{words(hundreds)} hundred"
    return f"{words(hundreds)} {'oh ' if rest < 10 else ''}{words(rest)}"


def _plural(said: str) -> str:
    return re.sub(r"y$", "ies", said) if said.endswith("y") else said + "s"


@cache
def _engine() -> Any:
    return required("inflect", "whisper").engine()
