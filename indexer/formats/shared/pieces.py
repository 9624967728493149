"""Words from pieces of words, as recognisers and captions write them.

    joined         tokens of a recogniser's own vocabulary, with times and confidences -> words
    Piece          a text of a caption with its times: a word, a syllable, a part of a sentence
    whole_words    pieces -> those with letters, with syllables joined
    timed_words    pieces of one word each -> words

If some tokens begin with a blank or ``▁`` and others do not, each of the former begins a word; so
does each after one that ends with a blank. ``##`` before a piece and ``@@`` after it join it to its
neighbour. A word has the geometric mean of its pieces' confidences: that of their logarithms.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from indexer.networks.hypotheses import HypothesisWord, bare, speaker_of
from std.ranges import MAX_WORD_S

MARK = "\u2581"  # before a word, as SentencePiece writes it
LEAST, MOST = 0.1, 0.97  # of pieces that have a mark: if more have it, it marks nothing
LEAST_CONFIDENCE = 1e-6

LETTER_S = 0.07  # per letter, for a word without an end


def joined(pieces: Sequence[HypothesisWord], *, spaced: bool = False) -> list[HypothesisWord]:
    """Join pieces to words; words are unchanged.

    Args:
        pieces: successive pieces of one speaker.
        spaced: whether blanks begin or end the words of the whole file, so that pieces without
            any are one word.

    >>> pieces = [HypothesisWord(text, 1.0) for text in ("Hel", "lo", " you", ".")]
    >>> [word.token for word in joined(pieces)]
    ['Hello', 'you.']
    """
    texts = [piece.token.replace(MARK, " ") for piece in pieces]
    begins = _begins(texts, spaced)
    if begins is None:
        return [
            piece._replace(token=text.strip()) for piece, text in zip(pieces, texts, strict=True)
        ]
    groups: list[list[HypothesisWord]] = []
    for piece, text, begin in zip(pieces, texts, begins, strict=True):
        if begin or not groups:
            groups.append([])
        groups[-1].append(piece._replace(token=text.strip().removeprefix("##").removesuffix("@@")))
    return [_word(group) for group in groups if any(piece.token for piece in group)]


def are_spaced(texts: Sequence[str]) -> bool:
    """Whether blanks begin or end words in pieces: most have one, and not all.

    >>> are_spaced(["Hel", "lo", " you", "."]), are_spaced(["Hello", "you"])
    (True, False)
    """
    spoken = [text for text in texts if bare(text)]
    led = sum(text[:1].isspace() for text in spoken[1:])
    followed = sum(text[-1:].isspace() for text in spoken[:-1])
    return LEAST <= max(led, followed) / max(1, len(spoken) - 1) <= MOST


def _begins(texts: Sequence[str], spaced: bool) -> list[bool] | None:
    """Whether each piece begins a word; None if they are words already."""
    if any(text.strip().startswith("##") for text in texts):
        return [not text.strip().startswith("##") for text in texts]
    glued = [text.strip().endswith("@@") for text in texts]
    if any(glued):
        return [not before for before in (False, *glued[:-1])]
    if spaced or are_spaced(texts):
        return [
            text[:1].isspace() or before[-1:].isspace()
            for before, text in zip(("", *texts[:-1]), texts, strict=True)
        ]
    return None


def _word(pieces: Sequence[HypothesisWord]) -> HypothesisWord:
    spoken = [piece for piece in pieces if bare(piece.token)] or pieces
    timed = [piece for piece in spoken if piece.start_s == piece.start_s] or spoken
    logs = [math.log(max(piece.confidence, LEAST_CONFIDENCE)) for piece in spoken]
    return HypothesisWord(
        "".join(piece.token for piece in pieces),
        math.exp(sum(logs) / len(logs)),
        timed[0].start_s,
        timed[-1].end_s,
        speaker_of(pieces),
    )


class Piece(NamedTuple):
    """A text of a paragraph, with its times if they are its own."""

    texts: list[str]  # as they come, one after the other
    start_s: float
    end_s: float  # infinite if it has none
    timed: bool

    @property
    def text(self) -> str:
        return "".join(self.texts)


def whole_words(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces that say something; syllables with times are joined to words."""
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
