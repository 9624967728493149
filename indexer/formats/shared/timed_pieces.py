"""Pieces of a caption with times of their own: words, syllables, parts of a sentence.

Piece          a text with its times
whole_words    pieces -> those that say something, with syllables joined
timed_words    pieces of one word each -> words
"""

from collections.abc import Sequence
from typing import NamedTuple

from indexer.networks.hypotheses import HypothesisWord
from std.limits import MAX_WORD_S

LETTER_S = 0.07  # that a letter takes, where a word has no end


class Piece(NamedTuple):
    """A text of a paragraph, with its times if they are its own."""

    texts: list[str]  # as they come, one after the other
    start_s: float
    end_s: float  # infinite where it has none
    timed: bool

    @property
    def text(self) -> str:
        return "".join(self.texts)


def whole_words(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces that say something; syllables with times of their own are joined to words."""
    whole: list[Piece] = []
    before = ""
    for one in pieces:
        if not one.text.strip():
            before = one.text or before
            continue
        last = whole[-1] if whole else None
        if last and last.timed and one.timed and before and _is_one_word(before + one.text):
            whole[-1] = Piece([before + one.text], last.start_s, one.end_s, timed=True)
        else:
            whole.append(one)
        before = whole[-1].text
    return whole


def _is_one_word(text: str) -> bool:
    return text.replace("'", "").replace("\u2019", "").isalnum()


def _word_end_s(one: Piece, following_s: float) -> float:
    """The end of a word; without one it lasts until the next, at most as long as its letters."""
    if one.end_s < float("inf"):
        return min(one.end_s, one.start_s + MAX_WORD_S)
    return max(one.start_s, min(following_s, one.start_s + LETTER_S * len(one.text)))


def timed_words(pieces: Sequence[Piece]) -> list[HypothesisWord]:
    """Pieces of a single word each, as words."""
    followers_s = [*(one.start_s for one in pieces[1:]), pieces[-1].end_s]
    return [
        HypothesisWord(one.text, 1.0, one.start_s, _word_end_s(one, following_s))
        for one, following_s in zip(pieces, followers_s, strict=True)
    ]
