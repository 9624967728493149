"""The text of captions and transcripts without markup, each line once.

    spoken_part, without_markup    a caption -> the part that was said
    without_repeats                captions -> captions without repeated lines

`std.encodings` decodes them.

Automatic captions of a video site roll up: they show two lines. A line appears while it is spoken,
and stays until the next one is complete:

    0.1 --> 2.4   welcome to the          2.4 --> 2.41   welcome to the
    2.41 --> 4.8  welcome to the          4.8 --> 4.81   next line
                  next line               ...

In such files only the new lines of each caption count. A file is recognised by how many captions
begin with lines that end the one before, and how many of these go on with other lines; a caption
written by a person may repeat the one before, too, when a word is said twice, but then has nothing
else.
"""

import html
import re
from collections.abc import Sequence
from itertools import pairwise, starmap

from indexer.formats.shared.cues import Cue

_MARKUP = re.compile(r"</?[A-Za-z][^<>\n]*>|<(?:\d+:)?\d+:\d\d\.\d+>|</?>|\{\\[^{}\n]*\}|\\[Nnh]")

_READING = re.compile(r"<r([tp])\b[^<>]*>[^<]*(?:</r\1>|(?=<))")  # readings beside characters
_BREAK = re.compile(r"</?(?:br|p|div|li)\b", re.IGNORECASE)  # ends a word

MIN_SHARE = 0.4  # of captions that repeat, and of these that have more; nearly all, and half do
LOOKED_AT = 500  # captions of a file that are examined
TOUCH_S = 0.2  # between captions of which the second repeats the first


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
