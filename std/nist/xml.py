"""Safe, streamed reading of XML, and the escaping that writing it needs.

`feed` passes a stream line by line to lxml's target parser: memory does not grow with the file, and
every event has its line. A DOCTYPE is refused, so a document cannot name a file, a network address
or an entity; the parser's own options for these are off, too.

`root_name` finds the first element of an XML document in its first bytes. Every part of its pattern
is atomic, so a skipped comment is never tried again as a longer one, and many comments take linear
time.
"""

import codecs
import re
from pathlib import Path
from typing import BinaryIO, NoReturn, Protocol

from std.errors import EMPTY_FILE, NONE, InputError, StdError, Unquoted, quoted
from std.ranges import CHANNEL, SECONDS, Range

CHUNK_BYTES = 1 << 16  # files without line ends are read in pieces
MIN_FIRST_BYTES = 4  # libxml2 guesses the encoding from the first four bytes

CONTROL_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
XML_ENTITIES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
    | {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)
DECLARED_ENCODING = re.compile(rb"""^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']""")
CHINESE = {"gb2312", "gb2312-raw", "gbk", "euc-cn", "cp936"}

_ENTITY = re.compile(rb"<!ENTITY", re.IGNORECASE)
_HEAD = re.compile(
    rb"(?>\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE(?>[^>\[]*)(?>\[.*?\]\s*)?>)*<([A-Za-z_][\w.:-]*)", re.S
)


class Attributes(Protocol):
    """The attributes that lxml passes to a target: a read-only mapping."""

    def get(self, key: str, default: str | None = None, /) -> str | None: ...


class Reader:
    """Base of the format readers: receives the document's events and tracks the line."""

    def __init__(self, path: object) -> None:
        self.path = str(path)
        self.line = 1

    def start(self, tag: str, attributes: Attributes) -> None:
        """An element begins."""

    def end(self, tag: str) -> None:
        """An element ends."""

    def data(self, text: str) -> None:
        """A piece of text; one text may arrive in several pieces."""

    def doctype(self, name: str, public_id: str | None, system_id: str | None) -> None:
        """Refuse a DOCTYPE: none of our formats has one, and entities could do harm or be lost."""
        self.fail("a document without DOCTYPE", f"<!DOCTYPE {name}")

    def close(self) -> None:
        """The document is complete."""

    def fail(self, expected: str, got: str) -> NoReturn:
        """Refuse the input at the current line."""
        raise InputError(self.path, self.line, expected, got)

    def required(self, attributes: Attributes, name: str) -> str:
        """A required attribute."""
        value = attributes.get(name)
        if value is None:
            self.fail(f"an attribute {name}", NONE)
        return value

    def number(
        self, attributes: Attributes, name: str, default: float | None = None, span: Range = SECONDS
    ) -> float:
        """Read an attribute that is a number; by default a time or a duration in seconds.

        Args:
            default: the value if the attribute is missing; None: it must be there.
            span: the range that the number must lie in.

        Raises:
            InputError: the attribute is missing, not a number, or out of range.
        """
        text = attributes.get(name)
        if text is None and default is not None:
            return default
        value = parse_number(text or "")
        if value is None or value not in span:
            self.fail(f"{name} as {span.described}", text if text is not None else NONE)
        return value

    def whole_number(self, text: str, name: str, span: Range) -> int:
        """A whole number of a range."""
        try:
            return int(span.read(text))
        except ValueError:
            self.fail(f"{name} as {span.described}", text)

    def channel(self, attributes: Attributes) -> int:
        """The channel, a whole number."""
        return self.whole_number(self.required(attributes, "channel"), "channel", CHANNEL)


def parse_number(text: str) -> float | None:
    """A number as XML schema writes it, infinities included; None if it is no number."""
    try:
        value = float(text)
    except ValueError:
        return None
    return None if "_" in text or value != value else value


def feed(stream: BinaryIO, reader: Reader) -> None:
    """Push a whole document through a reader.

    Raises:
        InputError: the document is not well formed, or the reader refuses it.
    """
    from lxml import etree  # not for known words

    first = b""
    while len(first) < MIN_FIRST_BYTES and (more := stream.readline(CHUNK_BYTES)):
        first += more
    parser = etree.XMLParser(
        target=reader,  # type: ignore[arg-type]  # the stubs want a comment method
        encoding=_override(first),
        resolve_entities="internal",  # type: ignore[arg-type]  # the stubs are older
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        chunk = first
        while chunk:
            parser.feed(chunk)
            reader.line += chunk.count(b"\n")
            chunk = stream.readline(CHUNK_BYTES)
        if not first:
            reader.fail("an XML document", EMPTY_FILE)
        parser.close()
    except etree.XMLSyntaxError as error:
        line = error.lineno or reader.line
        what = (error.msg or "").partition(", line ")[0]
        raise InputError(reader.path, line, "well-formed XML", Unquoted(what)) from error


def _override(first: bytes) -> str | None:
    """Files declared GB2312 often hold characters of its supersets; GB18030 contains them all."""
    declared = DECLARED_ENCODING.match(first)
    name = declared[1].decode().lower() if declared else ""
    return "GB18030" if name in CHINESE else None


def text_codec(encoding: str, path: object) -> str:
    """The Python codec for an encoding named by a term list.

    Raises:
        InputError: the encoding is unknown.
    """
    if encoding.lower() in CHINESE:
        return "gb18030"
    try:
        "".encode(encoding or "utf-8")  # base64 and others are encodings of bytes
        return codecs.lookup(encoding or "utf-8").name
    except (LookupError, ValueError) as error:
        raise InputError(str(path), 0, "encoding as UTF-8, GB2312 or ASCII", encoding) from error


def escape(text: str) -> str:
    """Escape for an element's text or an attribute in double quotes.

    Raises:
        StdError: a control character, which XML cannot hold.
    """
    if CONTROL_CHARACTERS.search(text):
        raise StdError(
            f"expected text that XML can hold, got a control character in {quoted(text)}"
        )
    return text.translate(XML_ENTITIES)


def writable(text: str) -> str:
    """The text with a replacement character for each that XML cannot hold."""
    return CONTROL_CHARACTERS.sub("\N{REPLACEMENT CHARACTER}", text)


def encoded(text: str, encoding: str) -> bytes:
    """Encode; a letter that the encoding lacks becomes a numeric reference."""
    codec = "gbk" if encoding.lower() in CHINESE else encoding
    return text.encode(codec, "xmlcharrefreplace")


def declaration(encoding: str) -> str:
    """The first line of a document."""
    return f'<?xml version="1.0" encoding="{encoding}"?>\n'


def decimal(value: float) -> str:
    """The shortest decimal that reads back as the same number, never with an exponent."""
    text = repr(float(value))
    if "e" in text:
        import numpy as np

        text = np.format_float_positional(value, trim="0")
    return text


def root_name(head: bytes) -> str:
    """Return the name of a document's root element; empty if the bytes are not XML.

    >>> root_name(b'<?xml version="1.0"?><!-- a --><tt:tt xml:lang="en">')
    'tt:tt'
    """
    found = _HEAD.match(head)
    return found[1].decode("latin-1") if found else ""


def refuse_entities(content: bytes, path: Path | str) -> None:
    """Refuse a document that declares entities.

    Raises:
        InputError: the document declares entities.
    """
    if entity := _ENTITY.search(content):
        line = content.count(b"\n", 0, entity.start()) + 1
        raise InputError(path, line, "a document without entities of its own", "<!ENTITY")
