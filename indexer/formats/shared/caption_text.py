"""The text of captions and transcripts that people keep, without markup.

    spoken_part, without_markup    a caption -> the part of it that was said

How it is encoded is the business of `std.encodings`.
"""

import html
import re

_MARKUP = re.compile(r"</?[A-Za-z][^<>\n]*>|<(?:\d+:)?\d+:\d\d\.\d+>|</?>|\{\\[^{}\n]*\}|\\[Nnh]")

_READING = re.compile(r"<r([tp])\b[^<>]*>[^<]*(?:</r\1>|(?=<))")  # of characters, beside them
_BREAK = re.compile(r"</?(?:br|p|div|li)\b", re.IGNORECASE)  # words do not go on behind it


def spoken_part(text: str) -> str:
    """Take markup and entities out of a caption; `speaker_names` takes names out.

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
    """Take markup out of a caption: tags, times in its text, styles in braces, readings.

    >>> without_markup("<ruby>\u6f22<rp>(</rp><rt>\u304b\u3093</rt><rp>)</rp></ruby>") == "\u6f22"
    True
    """
    if not has_markup(text):
        return text
    return _MARKUP.sub(_blank, _READING.sub("", text) if "<r" in text else text)


def has_markup(text: str) -> bool:
    """Tell whether there may be markup in a caption."""
    return "<" in text or "{" in text or "\\" in text


def _blank(match: re.Match[str]) -> str:
    if match[0][0] != "\\":
        return "\n" if _BREAK.match(match[0]) else ""
    return " " if match[0][1] == "h" else "\n"
