"""One normalisation of words, used at index time and at query time.

A store records the `Normalisation` it was made with; a search with another one is refused,
because a term normalised differently silently finds nothing.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal, get_args, get_type_hints

from std.errors import StoreError


@dataclass(frozen=True, slots=True)
class Normalisation:
    """How a written word becomes the word that is indexed and searched.

    >>> Normalisation().word("STRAßE")
    'straße'
    >>> Normalisation(sharp_s="ss").word("STRAßE")
    'strasse'
    >>> Normalisation(case="keep").phrase("  Die  Polizei-Gewalt ")
    ('Die', 'Polizei-Gewalt')
    """

    unicode_form: Literal["NFC", "NFKC"] = "NFC"
    case: Literal["lower", "keep"] = "lower"
    sharp_s: Literal["keep", "ss"] = "keep"

    def __post_init__(self) -> None:
        for name, kind in get_type_hints(Normalisation).items():  # an index may say anything
            if getattr(self, name) not in get_args(kind):
                raise ValueError(f"text.{name} is {getattr(self, name)!r}")

    def word(self, text: str) -> str:
        """Normalise one word."""
        if text.isascii():  # nothing to compose, no ß: most words of most languages
            return text.lower() if self.case == "lower" else text
        text = unicodedata.normalize(self.unicode_form, text)
        if self.case == "lower":
            text = unicodedata.normalize(self.unicode_form, text.lower())
        if self.sharp_s == "ss":
            text = text.replace("ß", "ss").replace("ẞ", "SS")
        return text

    def words(self, texts: Sequence[str]) -> list[str]:
        """Normalise many words at once; no letter changes for what stands in another line.

        Raises:
            ValueError: a word holds a line break.
        """
        normal = self.word("\n".join(texts)).split("\n") if texts else []
        if len(normal) != len(texts):
            raise ValueError("a word holds a line break")
        return normal

    def phrase(self, text: str) -> tuple[str, ...]:
        """Split a term at white space and normalise its words."""
        return tuple(self.word(one) for one in text.split())


def require_same(query: Normalisation, store: Normalisation, url: str) -> None:
    """Refuse to search a store with another normalisation than it was indexed with.

    Raises:
        StoreError: they differ; the message names the first difference.
    """
    ours = asdict(query)
    for key, theirs in asdict(store).items():
        if ours[key] != theirs:
            raise StoreError(
                f"{url}: expected text.{key} = {theirs!r} as this store was indexed with, "
                f"got {ours[key]!r}"
            )
