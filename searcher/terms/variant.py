"""A variant: a word sequence that is looked up in place of a term, and how it was made."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Variant:
    """``words`` are looked up as a phrase; each hit's posterior is weighted by ``similarity``.

    ``method`` says how it was made (exact, split, join, levenshtein, dice, pronunciation, sound);
    ``how`` says to a person what became of the term's words.
    """

    words: tuple[str, ...]
    similarity: float = 1.0
    method: str = "exact"
    how: str = ""
