"""The text of captions and transcripts: without markup, each line once, words from their pieces.

    spoken_part, without_markup    a caption -> the part that was said
    without_repeats                captions -> captions without repeated lines
    Piece          a text of a caption with its times: a word, a syllable, a part of a sentence
    whole_words    pieces -> those with letters, with syllables joined
    timed_words    pieces of one word each -> words
    joined         tokens of a recogniser's own vocabulary, with times and confidences -> words

Automatic captions of a video site roll up: they show two lines. A line appears while it is spoken,
and stays until the next one is complete:

    0.1 --> 2.4   welcome to the          2.4 --> 2.41   welcome to the
    2.41 --> 4.8  welcome to the          4.8 --> 4.81   next line
                  next line               ...

In such files only the new lines of each caption count. A file rolls up if many captions begin with
lines that end the one before, and many of these go on with other lines. A caption that a person
wrote may repeat the one before, too, if a word is said twice, but then has nothing else.

If some tokens begin with a blank or ``▁`` and others do not, each of the former begins a word; so
does each after one that ends with a blank. ``##`` before a piece and ``@@`` after it join it to its
neighbour. A word has the geometric mean of its pieces' confidences.
"""

import html
import math
import re
from collections.abc import Sequence
from itertools import pairwise, starmap
from typing import NamedTuple

from indexer.formats.shared.cues import Cue
from indexer.networks.hypotheses import HypothesisWord, bare, speaker_of
from indexer.networks.raw import SECONDS_PER_LETTER
from std.ranges import MAX_WORD_S

_MARKUP = re.compile(r"</?[A-Za-z][^<>\n]*>|<(?:\d+:)?\d+:\d\d\.\d+>|</?>|\{\\[^{}\n]*\}|\\[Nnh]")

_READING = re.compile(r"<r([tp])\b[^<>]*>[^<]*(?:</r\1>|(?=<))")  # readings beside characters
_BREAK = re.compile(r"</?(?:br|p|div|li)\b", re.IGNORECASE)  # ends a word

MIN_SHARE = 0.4  # of captions that repeat lines, and of these that add some (usually .9 and .5)
CAPTIONS_EXAMINED = 500
TOUCH_S = 0.2  # between captions of which the second repeats the first

MARK = "\u2581"  # before a word, as SentencePiece writes it
LEAST_MARKED, MOST_MARKED = (
    0.1,
    0.97,
)  # of pieces that have a mark: if more have it, it marks nothing
LEAST_CONFIDENCE = 1e-6


def spoken_part(text: str) -> str:
    """Remove markup and entities from a caption; `speaker_names` removes names.

    >>> spoken_part("<i>Tom &amp; <b>Jerry</b></i>")
    'Tom & Jerry'
    >>> spoken_part("{\\\\an8}- Come in!")
    '- Come in!'
    >>> spoken_part("one<br/>two")
    'one\\ntwo'
    """
    text = without_markup(text)
    if "&" in text:
        text = html.unescape(text)
    return text


def without_markup(text: str) -> str:
    """Remove markup from a caption: tags, times in its text, styles in braces, readings.

    >>> without_markup("<ruby>\u6f22<rp>(</rp><rt>\u304b\u3093</rt><rp>)</rp></ruby>") == "\u6f22"
    True
    """
    if not has_markup(text):
        return text
    return _MARKUP.sub(_blank, _READING.sub("", text) if "<r" in text else text)


def has_markup(text: str) -> bool:
    """Whether there may be markup in a caption."""
    return "<" in text or "{" in text or "\\" in text


def _blank(match: re.Match[str]) -> str:
    if match[0][0] != "\\":
        return "\n" if _BREAK.match(match[0]) else ""
    return " " if match[0][1] == "h" else "\n"


def without_repeats(captions: Sequence[Cue]) -> Sequence[Cue]:
    """Return the captions, without repeated lines if the file's captions roll up."""
    some = captions[:CAPTIONS_EXAMINED]
    if sum(starmap(_may_repeat, pairwise(some))) < MIN_SHARE * len(some):
        return captions
    counts = _repeats(some)
    adding = [count for one, count in zip(some, counts, strict=True) if count < len(_lines(one))]
    repeats, with_more = sum(map(bool, counts)), sum(map(bool, adding))
    if repeats < MIN_SHARE * len(some) or with_more < max(2, MIN_SHARE * repeats):
        return captions
    return [
        caption._replace(text="\n".join(_lines(caption)[count:]))
        for caption, count in zip(captions, _repeats(captions), strict=True)
        if count < len(_lines(caption))
    ]


def _may_repeat(earlier: Cue, caption: Cue) -> bool:
    """Tell quickly whether a caption may repeat the one before; most cannot."""
    first = caption.text.lstrip().partition("\n")[0].rstrip()
    return first in earlier.text or has_markup(caption.text) or has_markup(earlier.text)


def _repeats(captions: Sequence[Cue]) -> list[int]:
    """(n,) how many of each caption's first lines are the last of the one before it."""
    plain = [[without_markup(line).strip() for line in _lines(one)] for one in captions]
    counts = [0] * min(1, len(captions))
    for (before, own), (earlier, caption) in zip(pairwise(plain), pairwise(captions), strict=True):
        touch = caption.start_s <= earlier.end_s + TOUCH_S
        of_one = caption.speaker == earlier.speaker  # another may say the same again
        counts.append(_overlap(before, own) if touch and of_one else 0)
    return counts


def _lines(caption: Cue) -> list[str]:
    return [line.strip() for line in caption.text.split("\n") if line.strip()]


def _overlap(before: Sequence[str], own: Sequence[str]) -> int:
    longest = min(len(before), len(own))
    return next((n for n in range(longest, 0, -1) if before[-n:] == own[:n]), 0)


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

    Line ends are no such blanks: words of a text in lines have them.

    >>> are_spaced(["Hel", "lo", " you", "."]), are_spaced(["Hello", "you\\n", "too"])
    (True, False)
    """
    spoken = [text.strip("\r\n") for text in texts if bare(text)]
    led = sum(text[:1].isspace() for text in spoken[1:])
    followed = sum(text[-1:].isspace() for text in spoken[:-1])
    return LEAST_MARKED <= max(led, followed) / max(1, len(spoken) - 1) <= MOST_MARKED


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
    return max(one.start_s, min(following_s, one.start_s + SECONDS_PER_LETTER * len(one.text)))


def timed_words(pieces: Sequence[Piece]) -> list[HypothesisWord]:
    """Pieces of a single word each, as words."""
    followers_s = [*(one.start_s for one in pieces[1:]), pieces[-1].end_s]
    return [
        HypothesisWord(one.text, 1.0, one.start_s, _word_end_s(one, following_s))
        for one, following_s in zip(pieces, followers_s, strict=True)
    ]
