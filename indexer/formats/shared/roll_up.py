"""Captions that roll up: each line stands twice, first below and then above the next one.

Automatic captions of a video site show two lines. A line comes up while it is spoken, and stays
until the next one is complete:

    0.1 --> 2.4   welcome to the          2.4 --> 2.41   welcome to the
    2.41 --> 4.8  welcome to the          4.8 --> 4.81   next line
                  next line               ...

In such files only what is new in a caption is taken, from the caption in which it is new. They are
told by how many captions begin with lines that the one before ends with, and how many of these go
on with others; a caption that somebody wrote may repeat the one before, too, when a word is said
twice, but then has nothing else.
"""

from collections.abc import Sequence
from itertools import pairwise, starmap

from indexer.formats.shared.caption_text import has_markup, without_markup
from indexer.formats.shared.cues import Cue

MIN_SHARE = 0.4  # of captions that repeat, and of these that have more; nearly all, and half do
LOOKED_AT = 500  # captions of a file that tell what it is
TOUCH_S = 0.2  # between captions of which the second repeats the first


def without_repeats(captions: Sequence[Cue]) -> Sequence[Cue]:
    """Return the captions, each without what it repeats, if the file's roll up."""
    some = captions[:LOOKED_AT]
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
    """Tell at one glance whether a caption may repeat the one before; mostly, it cannot."""
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
