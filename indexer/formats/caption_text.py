"""The text of captions and transcripts that people keep: markup, names of speakers.

    spoken_part, without_markup    a caption -> what was said of it

How it is encoded is the business of `indexer.formats.encodings`.
"""

import html
import re

from indexer.networks.nonwords import Nonwords

_MARKUP = re.compile(r"</?[A-Za-z][^<>\n]*>|<(?:\d+:)?\d+:\d\d\.\d+>|</?>|\{\\[^{}\n]*\}|\\[Nnh]")
_SPEAKER = re.compile(
    r"(?m)^[ \t]*(?:[->\u2013\u2014][ \t]*)*"  # - or >> before a change of speakers
    r"((?:[A-Z][A-Z0-9 .'\u2019_&#-]{1,30}|[Ss]peaker[ _]?\w{1,3})(?:[ \t]*\([^()\n]{1,30}\))?):"
    r"(?=\s|$)"
)


def spoken_part(text: str, nonwords: Nonwords) -> str:
    """Take markup, entities and the names of speakers out of a caption.

    >>> spoken_part("<i>Tom &amp; <b>Jerry</b></i>", Nonwords())
    'Tom & Jerry'
    >>> spoken_part("{\\\\an8}- MRS. HUDSON: Come in!", Nonwords())
    ' Come in!'
    """
    text = without_markup(text)
    if "&" in text:
        text = html.unescape(text)
    if ":" in text and not nonwords.keep:
        for name in _SPEAKER.findall(text):
            nonwords.drop(f"{name}:")
        text = _SPEAKER.sub("", text)
    return text


def without_markup(text: str) -> str:
    """Take markup out of a caption: tags, times in its text, styles in braces."""
    return _MARKUP.sub(_blank, text) if has_markup(text) else text


def has_markup(text: str) -> bool:
    """Tell whether there may be markup in a caption."""
    return "<" in text or "{" in text or "\\" in text


def _blank(match: re.Match[str]) -> str:
    return " " if match[0][0] == "\\" else ""
