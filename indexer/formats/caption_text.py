"""The text of captions and transcripts that people keep: encodings, clock times, markup.

    decoded     bytes -> text with plain line ends: UTF-8, UTF-16, UTF-32, else Windows-1252
    spoken_part, without_markup    a caption -> what was said of it

Old captions are in their country's code page, and do not say in which. Windows-1252 is taken if it
gives a text of mostly plain letters, which the other pages' texts are not; what is left is refused.
"""

import codecs
import html
import re
from pathlib import Path

from indexer.networks.nonwords import Nonwords
from std.errors import InputError

BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
FALLBACK = "cp1252"
MAX_ODD_SHARE = 0.2  # of letters beyond ASCII in a text of Windows-1252; French has 5 %
ICONV = "iconv -f ENCODING -t UTF-8 converts it"

_MARKUP = re.compile(r"</?[A-Za-z][^<>\n]*>|<(?:\d+:)?\d+:\d\d\.\d+>|</?>|\{\\[^{}\n]*\}|\\[Nnh]")
_SPEAKER = re.compile(
    r"(?m)^[ \t]*(?:[->\u2013\u2014][ \t]*)*"  # - or >> before a change of speakers
    r"((?:[A-Z][A-Z0-9 .'\u2019_&#-]{1,30}|[Ss]peaker[ _]?\w{1,3})(?:[ \t]*\([^()\n]{1,30}\))?):"
    r"(?=\s|$)"
)
_LINE_END = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")


def decoded(content: bytes, path: Path | str) -> str:
    """Decode a text, its line ends as ``\\n``.

    Raises:
        InputError: it is in none of the encodings; the line is told where there is one.
    """
    bom, encoding = next((one for one in BOMS if content.startswith(one[0])), (b"", "utf-8"))
    body = content[len(bom) :]
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        line = body[: error.start].decode(encoding, "replace").count("\n") + 1
        if bom:
            got = f"the bytes {body[error.start : error.start + 2].hex(' ')}"
            raise InputError(path, line, f"{encoding.upper()} text", got) from error
        text = _western(body, path, line)
    if "\0" in text:
        raise InputError(path, text[: text.index("\0")].count("\n") + 1, "text", "a zero byte")
    return _LINE_END.sub("\n", text) if "\r" in text or not text.isascii() else text


def as_utf8(head: bytes) -> bytes:
    """Return the first bytes of a text of UTF-16 as UTF-8; any others as they are."""
    for bom, encoding in BOMS:
        if head.startswith(bom) and bom != codecs.BOM_UTF8:
            return head[len(bom) :].decode(encoding, "replace").encode()
    return head


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


def _western(body: bytes, path: Path | str, line: int) -> str:
    try:
        text = body.decode(FALLBACK)
    except UnicodeDecodeError:
        text = ""
    letters = [letter for letter in text if letter.isalpha()]
    odd = sum(letter > "\x7f" for letter in letters)
    if not letters or odd > MAX_ODD_SHARE * len(letters):
        raise InputError(path, line, "UTF-8, UTF-16 or Windows-1252", "another encoding", ICONV)
    return text
