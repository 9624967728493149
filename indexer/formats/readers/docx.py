"""Transcripts in Word documents (.docx), as Teams, Word, Otter, Trint and people write them.

The document's paragraphs are lines of text with times (`indexer.formats.readers.lines`):

    Anna Smith   0:03            Teams, Otter: the text below
    [00:00:12] Anna: hello       people, Trint
    0:0:0.0 --> 0:0:3.120        Teams of 2021: the speaker and the text below

A document whose table has columns of times and texts is read as that table
(`indexer.formats.readers.table`). Headers, footers, notes, comments and deleted text are not read.

Of the archive only ``word/document.xml`` is unpacked, up to a bound, so that a small file cannot
fill the memory; it is read as all XML is (`std.nist.xml`).

Source: ECMA-376 (Office Open XML), part 1, WordprocessingML.
"""

import csv
import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from indexer.formats.readers import lines, srt, table
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions
from indexer.formats.shared.table_rows import table_in
from indexer.networks.utterances import Utterances
from std.errors import NONE, ForeignFileError, InputError, Unquoted
from std.files import content_of
from std.nist.xml import Attributes, Reader, feed
from std.ranges import MAX_UTTERANCE_BYTES

MAGIC = b"PK\x03\x04"
DOCUMENT = "word/document.xml"
MAX_DOCUMENT_BYTES = 1 << 26  # unpacked: hundreds of hours
PIECE_BYTES = 1 << 16  # unpacked at a time
_NAMESPACE = re.compile(r"\{[^}]*wordprocessingml[^}]*\}(\w+)")  # of two editions of the standard
_FALLBACK = re.compile(r"\{[^}]*\}Fallback")  # a copy of its neighbour for older programs
_SHORT = re.compile(r"(?m)^(\d+):(\d+):(\d+)(\.\d+)? --> (\d+):(\d+):(\d+)(\.\d+)?[ \t]*$")
_NUMBERED = re.compile(r"(?m)^\d+\n\d+:\d\d:\d\d[.,]\d+ --> \d+:\d\d")  # SRT
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError,
           OSError)  # fmt: skip


def looks_like(head: bytes) -> bool:
    """Whether a file with this beginning is a Word document."""
    return head.startswith(MAGIC) and b"word/" in head


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the transcript's lines as utterances, in order.

    Raises:
        InputError: the document is damaged or too large, or has no times (`ForeignFileError`).
    """
    paragraphs = _Paragraphs(path)
    feed(io.BytesIO(_document(stream, path)), paragraphs)
    if rows := _of_speech(paragraphs.tables):
        yield from table.parse(io.BytesIO(rows.encode()), path, options)
        return
    text = _SHORT.sub(_clock, "".join(paragraphs.texts))
    if _NUMBERED.search(text):
        yield from srt.parse(io.BytesIO(text.encode()), path, options)
        return
    if not lines.is_transcript(text):
        expected = "a transcript whose lines have times, in order"
        raise ForeignFileError(path, 0, expected, Unquoted("a Word document without"))
    yield from lines.parse(io.BytesIO(text.encode()), path, options)


def _document(stream: BinaryIO, path: Path | str) -> bytes:
    """Unpack the document's text.

    Raises:
        InputError: the archive is damaged, encrypted, or larger than a transcript is.
    """
    content = content_of(stream, path, MAX_UTTERANCE_BYTES)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive, archive.open(DOCUMENT) as member:
            pieces = iter(lambda: member.read(PIECE_BYTES), b"")
            unpacked = b"".join(islice(pieces, MAX_DOCUMENT_BYTES // PIECE_BYTES + 1))
    except KeyError as error:
        raise InputError(path, 0, f"a Word document with {DOCUMENT}", NONE) from error
    except _DAMAGE as error:
        raise InputError(
            path, 0, "a whole Word document", Unquoted(str(error) or "a damaged one")
        ) from error
    if len(unpacked) > MAX_DOCUMENT_BYTES:
        raise InputError(path, 0, f"text of at most {MAX_DOCUMENT_BYTES} bytes", Unquoted("more"))
    return unpacked


def _clock(times: re.Match[str]) -> str:
    """Write times of Teams as others do.

    >>> _SHORT.sub(_clock, "0:1:2.5 --> 0:1:12.0")
    '0:01:02.5 --> 0:01:12.0'
    """
    first, last = (
        f"{hours}:{int(minutes):02}:{int(seconds):02}{rest or ''}"
        for hours, minutes, seconds, rest in (times.groups()[:4], times.groups()[4:])
    )
    return f"{first} --> {last}"


def _of_speech(tables: Sequence[Sequence[Sequence[str]]]) -> str:
    """The transcript: the longest table with times and texts, and all tables with its heading.

    Other tables may precede a transcript, and pages may divide it into several tables.
    """
    written = sorted((_tabular(rows) for rows in tables if rows), key=len, reverse=True)
    longest = next((one for one in written if table_in(one)), "")
    heading = longest.partition("\n")[0]
    if not (of_all := table_in(longest)) or not of_all.has_header:
        return longest
    whole = (_tabular(rows) for rows in tables if rows)
    alike = [one.partition("\n")[2] for one in whole if one.partition("\n")[0] == heading]
    return heading + "\n" + "".join(alike)


def _tabular(rows: Sequence[Sequence[str]]) -> str:
    written = io.StringIO()
    csv.writer(written, delimiter="\t", lineterminator="\n").writerows(rows)
    return written.getvalue()


class _Paragraphs(Reader):
    """Collects the text in pieces, and the rows of its tables."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(path)
        self.texts: list[str] = []
        self.tables: list[list[list[str]]] = []
        self._around: list[list[list[str]]] = []  # tables that are open
        self._cells: list[list[str]] | None = None  # of a row, each in pieces
        self._reads = False
        self._copies = 0  # how many elements around are such copies

    def start(self, tag: str, attributes: Attributes) -> None:
        if _FALLBACK.fullmatch(tag):
            self._copies += 1
        name = _word(tag)
        if name == "t":
            self._reads = not self._copies
        elif name == "tab":
            self._add("\t")
        elif name in ("br", "cr"):
            self._add("\n")
        elif name == "tbl":
            self.tables.append([])
            self._around.append(self.tables[-1])
        elif name == "tr":
            self._cells = []
        elif name == "tc" and self._cells is not None:
            self._cells.append([])

    def data(self, text: str) -> None:
        if self._reads:
            self._add(text)

    def end(self, tag: str) -> None:
        if _FALLBACK.fullmatch(tag):
            self._copies -= 1
        name = _word(tag)
        if name == "t":
            self._reads = False
        elif name == "p" and not self._copies:
            self._add("\n")
        elif name == "tbl" and self._around:
            self._around.pop()
        elif name == "tr" and self._cells is not None:
            cells = [" ".join("".join(cell).split()) for cell in self._cells]
            self._cells = None
            if self._around:
                self._around[-1].append(cells)
            time, *said = cells or [""]
            self._add(time + "\t" + ": ".join(filter(None, said)) + "\n")

    def _add(self, text: str) -> None:
        if self._copies:
            return
        if self._cells is not None:
            if self._cells:
                self._cells[-1].append(text)
            return
        self.texts.append(text)


def _word(tag: str) -> str:
    """The name of an element of WordprocessingML; empty of another."""
    found = _NAMESPACE.fullmatch(tag)
    return found[1] if found else ""


READER = FormatReader(
    name="docx",
    title="Word documents",
    section="captions",
    content="lines of text, perhaps with starts only, or a table",
    kinds=("binary",),
    looks_like=looks_like,
    parse=parse,
    sample=(
        b"PK\x03\x04\x14\x00\x00\x00\x00\x00\x00\x00!\x00\x97}\xf4\xef\xcc\x00\x00\x00"
        b"\xcc\x00\x00\x00\x11\x00\x00\x00word/document.xml<w:document "
        b'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p>'
        b"<w:r><w:t>Anna Smith  0:00</w:t></w:r></w:p><w:p><w:r><w:t>Das Haus.</w:t></w:r></w:p>"
        b"</w:body></w:document>"
        b"PK\x01\x02\x14\x03\x14\x00\x00\x00\x00\x00\x00\x00!\x00\x97}\xf4\xef\xcc\x00\x00\x00"
        b"\xcc\x00\x00\x00\x11\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x01\x00\x00\x00\x00"
        b"word/document.xmlPK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00?\x00\x00\x00\xfb\x00\x00\x00\x00\x00"
    ),
    words=("Das", "Haus"),
)
