"""Captions that roll up: each line stands twice, first below and then above the next one.

Automatic captions of a video site show two lines. A line comes up while it is spoken, and stays
until the next one is complete:

    0.1 --> 2.4   welcome to the          2.4 --> 2.41   welcome to the
    2.41 --> 4.8  welcome to the          4.8 --> 4.81   next line
                  next line               ...

In such files only what is new in a caption is taken, from the caption in which it is new. They are
told by how many captions begin with lines that the one before ends with; a caption that somebody
wrote may do that, too, when a word is said twice, but few do.
"""

from collections.abc import Sequence
from itertools import pairwise

from indexer.formats.caption_text import without_markup
from indexer.formats.cues import Cue

MIN_SHARE = 0.4  # of captions that repeat; of such files two in three do, others rarely one in 50
MIN_REPEATS = 3
TOUCH_S = 0.2  # between captions of which the second repeats the first


def without_repeats(captions: Sequence[Cue]) -> Sequence[Cue]:
    """Return the captions, each without what it repeats, if the file's roll up."""
    if len(captions) <= MIN_REPEATS:
        return captions
    lines = [_lines(caption) for caption in captions]
    plain = [[without_markup(line).strip() for line in own] for own in lines]
    repeated = [0] + [
        _repeated(before, own) if caption.start_s <= earlier.end_s + TOUCH_S else 0
        for (before, own), (earlier, caption) in zip(
            pairwise(plain), pairwise(captions), strict=True
        )
    ]
    repeats = sum(map(bool, repeated))
    if repeats < MIN_REPEATS or repeats < MIN_SHARE * (len(captions) - 1):
        return captions
    return [
        caption._replace(text="\n".join(own[count:]))
        for caption, own, count in zip(captions, lines, repeated, strict=True)
        if own[count:]
    ]


def _lines(caption: Cue) -> list[str]:
    return [line.strip() for line in caption.text.split("\n") if line.strip()]


def _repeated(before: Sequence[str], own: Sequence[str]) -> int:
    """How many of a caption's first lines are the last of the one before it."""
    longest = min(len(before), len(own))
    return next((n for n in range(longest, 0, -1) if before[-n:] == own[:n]), 0)
