"""One normalisation of words, used at index time and at query time.

A store records the `Normalisation` it was made with; a search with another one is refused,
because a term normalised differently silently finds nothing.

Typographic punctuation (``punctuation = "fold"``):

    ’ ‘ ʼ ′ ` ´       '         hyphens and the minus sign   -        ﬁ ﬂ ĳ   their letters
    “ ” „ « »         "         soft hyphens, zero-width characters   removed
    — – … -- ...      separate words
    at word edges     quotation marks, hyphens and , ; : ! ? … are removed; apostrophes only where
                      there is one on both sides ('tis and dogs' keep theirs)

Words that are punctuation only are left out of terms. Full stops after a word are removed (``u.s.``
is ``u.s``), except after an initial (``j.``). Symbols stay (``c++``, ``at & t``).

Readers of texts remove more around a word (`bare`: ``$5``, ``dogs'``). So if an index lacks a word
of a term, the word is looked up without the signs around it (`searcher.terms.typed_words`).

Text without spaces (``unspaced = "characters"``) is cut into characters (`std.characters`).
"""

import re
import string
import unicodedata
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Literal, get_args, get_type_hints

from std.characters import characters, has_characters, without_outer_stars
from std.errors import StoreError

_APOSTROPHES = (
    "\u2018\u2019\u201a\u201b\u02b9\u02bb\u02bc\u02bd\u2032\u2035`\u00b4\u055a\u05f3\ua78c\uff07"
)
_QUOTES = "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a\u2033\u05f4\u300c\u300d\uff02"
_HYPHENS = "\u2010\u2011\u2012\u2212\u058a\u05be\ufe63\uff0d"
_DASHES = "\u2013\u2014\u2015\u2e3a\u2e3b\ufe58\ufe31\ufe32"
_INVISIBLE = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
_LIGATURES = {
    "\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl",
    "\ufb05": "st", "\ufb06": "st",
    "\u0132": "IJ", "\u0133": "ij", "\u0149": "'n",
}  # fmt: skip
_FOLDED = re.compile(
    f"[{_APOSTROPHES}{_QUOTES}{_HYPHENS}{_DASHES}{_INVISIBLE}{''.join(_LIGATURES)}]"
)
_MEANINGS = {
    **dict.fromkeys(_APOSTROPHES, "'"),
    **dict.fromkeys(_QUOTES, '"'),
    **dict.fromkeys(_HYPHENS + _DASHES, "-"),
    **_LIGATURES,
}
_MARKS = ("--", "...", "\u2026", "\u2025", *_DASHES)
_SEPARATORS = re.compile(rf"[\s{_DASHES}\u2026\u2025]+|--+|\.\.\.+")
_ASCII_AROUND = "".join(set(string.punctuation) - set("+#")) + string.whitespace
_EDGES = frozenset('-",;:!?¿¡\u2026\u2025')
_EDGES_AND_APOSTROPHE = _EDGES | {"'"}
_SYMBOLS_BEHIND = re.compile(r"(?<=[^\W\d_])(?:\+{1,2}|#)")  # c++, c#, f#, notepad++
LATER_RULES = ("punctuation", "unspaced")  # an index made before one of them says "keep" for it


@dataclass(frozen=True, slots=True)
class Normalisation:
    """How a written word becomes the word that is indexed and searched.

    >>> Normalisation().word("STRAßE")
    'straße'
    >>> Normalisation(sharp_s="ss").word("STRAßE")
    'strasse'
    >>> Normalisation(case="keep").phrase("  Die  Polizei-Gewalt ")
    ('Die', 'Polizei-Gewalt')
    >>> Normalisation().phrase("„Foto’s“ — dollar—maybe")
    ("foto's", 'dollar', 'maybe')
    >>> Normalisation().phrase("天气 forecast")
    ('天', '气', 'forecast')
    """

    unicode_form: Literal["NFC", "NFKC"] = "NFC"
    case: Literal["lower", "keep"] = "lower"
    sharp_s: Literal["keep", "ss"] = "keep"
    punctuation: Literal["fold", "keep"] = "fold"
    unspaced: Literal["characters", "keep"] = "characters"
    # Of a search, not of an index: see `searcher.terms.typed_words`.
    fold_accents: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        for name, kind in get_type_hints(Normalisation).items():  # an index may say anything
            if getattr(self, name) not in (get_args(kind) or (False, True)):
                raise ValueError(f"text.{name} is {getattr(self, name)!r}")

    def rules(self) -> dict[str, str]:
        """The settings of an index, by name."""
        return {name: rule for name, rule in asdict(self).items() if name != "fold_accents"}

    def word(self, text: str) -> str:
        normal = self._letters(text) or text  # nothing but invisible characters: as written
        return _bare(normal) if self.punctuation == "fold" else normal

    def words(self, texts: Sequence[str]) -> list[str]:
        """Normalise many words at once; the result for a word does not depend on the others.

        Raises:
            ValueError: a word holds a line break.
        """
        normal = self._letters("\n".join(texts)).split("\n") if texts else []
        if len(normal) != len(texts):
            raise ValueError("a word holds a line break")
        if self.punctuation == "keep":
            return normal
        at_edges = _EDGES_AND_APOSTROPHE
        bare = [
            w
            if w.isalnum() or not (w[:1] in at_edges or w[-1:] in at_edges or w[-1:] == ".")
            else _bare(w)
            for w in normal
        ]
        return bare if all(bare) else [w or text for w, text in zip(bare, texts, strict=True)]

    def phrase(self, text: str) -> tuple[str, ...]:
        """Split a term at white space and dashes, cut text without spaces, normalise its words.

        Words that are punctuation only are left out, unless there is nothing else; so is ``*``
        around text without spaces.
        """
        if text.isascii() and text.isalnum():  # one word: nothing to split, nothing at its edges
            return (self._letters(text),)
        if self.punctuation == "keep":
            return tuple(self.word(part) for word in text.split() for part in self._cut_term(word))
        words = [
            self.word(part)
            for written in self._separated(_quoted(text))
            for part in self._cut_term(written)
        ]
        spoken = [word for word in words if not _EDGES_AND_APOSTROPHE.issuperset(_folded(word))]
        return tuple(spoken or words)

    def parts(self, written: str) -> list[str]:
        """The words of a text without spaces: split at dashes; itself if it has only those.

        Text without spaces is cut into characters.
        """
        return [p for word in self._separated(written) for p in self._cut(word)] or [written]

    def several_words(self, written: Sequence[str]) -> bool:
        """Whether `parts` would split some of the words."""
        text = "\0".join(written)
        if self.unspaced == "characters" and has_characters(text):
            return True
        if self.punctuation == "keep":
            return False
        # a regular expression takes twenty times as long
        return any(mark in text for mark in _MARKS) or text.split(None, 1) != [text]

    def _separated(self, written: str) -> list[str]:
        if self.punctuation == "keep":
            return [written]
        return [part for part in _SEPARATORS.split(written) if part] or written.split()

    def _cut(self, word: str) -> list[str]:
        return [word] if self.unspaced == "keep" else characters(word)

    def _cut_term(self, word: str) -> list[str]:
        return [word] if self.unspaced == "keep" else characters(without_outer_stars(word))

    def _letters(self, text: str) -> str:
        """Normalise the letters of a word, or of lines of words, but not the edges of words."""
        fold = self.punctuation == "fold"
        if text.isascii():  # nothing to compose, no ß: most words of most languages
            text = text.replace("`", "'") if fold else text
            return text.lower() if self.case == "lower" else text
        text = _folded(text) if fold else text
        text = unicodedata.normalize(self.unicode_form, text)
        if self.case == "lower":
            text = unicodedata.normalize(self.unicode_form, text.lower())
        if self.sharp_s == "ss":
            text = text.replace("ß", "ss").replace("ẞ", "SS")
        return _folded(text) if fold else text  # composing makes some of them anew


def _folded(text: str) -> str:
    return _FOLDED.sub(lambda match: _MEANINGS.get(match.group(), ""), text)


def _bare(word: str) -> str:
    """Remove quotation marks, hyphens and the like around a word, unless it has nothing else."""
    first, last = 0, len(word)
    while first < last and word[first] in _EDGES_AND_APOSTROPHE:
        first += 1
    while last > first and (word[last - 1] in _EDGES_AND_APOSTROPHE or word[last - 1] == "."):
        last -= 1
    if first == last:
        return word
    if last == first + 1 and word[first].isalpha() and word[last : last + 1] == ".":
        last += 1  # an initial, and a letter that is spelt out
    before, after = word[first - 1 : first] == "'", word[last : last + 1] == "'"
    return word[first - (before and not after) : last + (after and not before)]


def bare(written: str) -> str:
    """Remove blanks, punctuation and symbols around a word, except those of a name (``c++``).

    >>> bare(" »Haus-Nr.«, "), bare("don't"), bare("..."), bare("C++,"), bare("$5."), bare("ja❤️!")
    ('Haus-Nr', "don't", '', 'C++', '5', 'ja')
    """
    if written.isalnum():  # letters and numbers: most words
        return written
    if (stripped := written.strip(_ASCII_AROUND)).isalnum():
        return stripped
    first, last = 0, len(written)
    while first < last and _kind(written, first) not in ("LNM" if first == 0 else "LN"):
        first += 1  # a mark counts as its base (emojis have some)
    while last > first:
        base = last - 1
        while base and _kind(written, base) == "M":
            base -= 1
        if _kind(written, base) in "LNM":
            break
        last = base
    symbols = _SYMBOLS_BEHIND.match(written, last)
    return written[first : symbols.end() if symbols else last]


def _kind(written: str, at: int) -> str:
    """The class of a character: L a letter, N a number, M a mark; others belong to no word."""
    return unicodedata.category(written[at])[0]


def _quoted(text: str) -> str:
    """The text between single quotation marks around a whole term."""
    inside = text.strip()
    quoted = len(inside) > 2 and inside[0] in "'\u2018\u201b" and inside[-1] in "'\u2018\u2019"
    return inside[1:-1] if quoted else text


def as_indexed(query: Normalisation, store: Normalisation | None) -> Normalisation:
    """The normalisation for an index that was made before some rules were introduced.

    Such an index has punctuation, or text without spaces, as they were written, and is searched and
    extended by the same rules.
    """
    if store is None:
        return query
    kept = {rule: "keep" for rule in LATER_RULES if getattr(store, rule) == "keep"}
    return Normalisation(**asdict(query) | kept)


def require_same(query: Normalisation, store: Normalisation, url: str) -> None:
    """Refuse to search a store with another normalisation than it was indexed with.

    Raises:
        StoreError: they differ; the message names the first difference.
    """
    ours = asdict(query)
    for key, theirs in store.rules().items():
        if ours[key] != theirs:
            raise StoreError(
                f"{url}: expected text.{key} = {theirs!r} as this store was indexed with, "
                f"got {ours[key]!r}"
            )
