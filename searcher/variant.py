"""A variant: a word sequence that is looked up in place of a term, and how it was made."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Variant:
    """``words`` are looked up as a phrase; each hit's posterior is weighted by ``similarity``.

    ``channel`` names the method (exact, split, join, levenshtein, dice, pronunciation, sound);
    ``how`` says to a person what became of the term's words.
    """

    words: tuple[str, ...]
    similarity: float = 1.0
    channel: str = "exact"
    how: str = ""
