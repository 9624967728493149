"""Corrections in files: a table that a person edits, and a person's own transcript.

    read_corrections    the table, which `std-search --corrections` writes, and `std-store
                        corrections --csv`
    rewritten           the bytes of a transcript, corrections -> the same bytes with other words

    recording,channel,start_s,end_s,before,after,probability,right
    news_01,1,61.500,62.400,emanuel macron,Emmanuel Macron,0.98,yes

    recording          or ``file``; ``channel``: 1 without such a column
    start_s, end_s     the approximate time
    before             the recogniser's words
    after              the spoken words; empty: nothing
    right              or ``accept``: no leaves a row out; empty, or no such column: yes

A transcript is not parsed: its words are found in its bytes, ignoring times, numbers, keys of JSON
and tags, and are aligned with the recogniser's words. So all other bytes of captions (SRT, WebVTT,
TTML), texts and the JSON of any service stay the same. A file may repeat the words, as Whisper's
JSON does: after an alignment, the other words are aligned again. Words are replaced if only spaces
and punctuation are between them. New words are written in the file's encoding. Tags within a line
may divide words (``<i>Hahnen</i>federn``), as the runs of a Word document do, of which the main
part is rewritten: the new word stands where the first part did, and the tags follow it.
"""

import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from rapidfuzz.distance import Levenshtein

from std.encodings import encoding_of
from std.errors import InputError, StdError, quoted
from std.marks import RIGHT, WRONG
from std.ranges import MAX_CHANNEL, MAX_TIME_S, Range
from std.tables import read_table
from std.text import Normalisation
from std.values import Recording

NAMES = {
    "recording": ("recording", "file"),
    "start": ("start_s", "start"),
    "end": ("end_s", "end"),
    "before": ("before",),
    "after": ("after",),
}
CHANNEL = "channel"
ACCEPTED = ("right", "accept", "accepted")
TIME_S = Range(0, MAX_TIME_S)

COPIES = 4  # copies of the words in a file: text, segments, words, alternatives
DOCUMENT = "word/document.xml"
_ZIP = b"PK\x03\x04"
_IS_MARKUP = re.compile(r"\ufeff?\s*<|\ufeff?WEBVTT")
_DECLARED = re.compile(rb"""(?:\xef\xbb\xbf)?\s*<\?xml[^>]*encoding=["']([\w.:-]+)""")
_IS_CAPTIONS = re.compile(r" --> |^Dialogue:", re.MULTILINE)
# A tag, an escape of JSON or captions that is not a letter, or a word; letters may be escaped as in
# JSON.
_TAG = r"(?:<(?:[A-Za-z/?!]|\d+:)[^<>]*>|\{\\[^{}]*\})"
_ENDS_WORD = r"</?(?:\w+:)?(?:p|br|div|li|v|ruby|rt|rp|cr|tab|tbl|tr|tc)\b|<[^<>]*:unit=.word"
_JOINT = f"(?!{_ENDS_WORD}){_TAG}"  # within a line
_LETTERS = r"(?:\\u[0-9a-fA-F]{4}|[^\W_]|['’])+"
_ESCAPE = r"\\[nrtbfNh\"/\\]"
_TEXT = re.compile(f"{_ESCAPE}|({_LETTERS})")
_TAGGED = re.compile(f"{_TAG}|{_ESCAPE}|({_LETTERS}(?:(?:{_JOINT})+{_LETTERS})*)")
_EMPTY_LINE = re.compile(r"\n\s*\n")
_BETWEEN = re.compile(r"[^<>{}\[\]:]*")  # characters within a text: no tags, keys or rows


class TableRow(NamedTuple):
    """A correction of a table."""

    line: int
    recording: Recording
    start_ms: int
    end_ms: int
    before: str
    after: str


def read_corrections(content: bytes, path: Path) -> list[TableRow]:
    """The accepted corrections of a table.

    Args:
        content: the file.
        path: its name, for messages.

    Raises:
        InputError: the file is not a table, lacks a column, or has an invalid value.
        ConfigError: the file is a workbook, and openpyxl is not installed.
    """
    known = {name for names in NAMES.values() for name in names}
    table = read_table(content, path, lambda name: name.lower() in known)
    columns = [name.lower() for name in table.columns]
    place = {}
    for what, names in NAMES.items():
        found = [columns.index(name) for name in names if name in columns]
        if not found:
            expected = f"a column {' or '.join(names)}"
            raise InputError(path, table.line, expected, ", ".join(table.columns))
        place[what] = found[0]
    accepted = next((columns.index(name) for name in ACCEPTED if name in columns), None)
    rows = []
    for line, cells in table.rows:
        said = "" if accepted is None else cells[accepted].strip().lower()
        if said and said not in (*RIGHT, *WRONG):
            raise InputError(path, line, f"{RIGHT[0]} or {WRONG[0]}", said)
        if said in WRONG:
            continue
        channel = cells[columns.index(CHANNEL)] if CHANNEL in columns else "1"
        rows.append(_row(line, {what: cells[i] for what, i in place.items()}, channel, path))
    return rows


def _row(line: int, cells: dict[str, str], channel: str, path: Path) -> TableRow:
    if not channel.isdecimal() or int(channel) > MAX_CHANNEL:
        raise InputError(path, line, "the number of a channel", channel)
    times = []
    for what in ("start", "end"):
        text = cells[what]
        try:
            times.append(round(1000 * TIME_S.read(text if "." in text else text.replace(",", "."))))
        except ValueError as error:
            raise InputError(path, line, "a time in seconds", text) from error
    if times[1] < times[0]:
        raise InputError(path, line, "an end not before the start", cells["end"])
    if not cells["recording"]:
        raise InputError(path, line, "the name of a recording", "")
    recording = Recording(cells["recording"], int(channel))
    return TableRow(line, recording, times[0], times[1], cells["before"], cells["after"])


def by_file(rows: Sequence[TableRow]) -> dict[str, list[TableRow]]:
    """The rows of each audio file."""
    found: dict[str, list[TableRow]] = {}
    for row in rows:
        found.setdefault(row.recording.file, []).append(row)
    return found


class Replacement(NamedTuple):
    """Recogniser's words and their replacement."""

    first: int  # of the words
    end: int
    said: str  # in a person's spelling


class _Token(NamedTuple):
    word: str
    start: int  # in the text
    end: int


def rewritten(
    content: bytes,
    written: Sequence[str],
    replacements: Sequence[Replacement],
    text: Normalisation,
) -> tuple[bytes, list[int]]:
    """A file with replaced words.

    Args:
        content: the content of the file.
        written: the recogniser's words from an index.
        replacements: the replacements of some of them, which do not overlap.
        text: the normalisation of the index.

    Returns:
        the file; and (n,) the number of times each replacement was made.

    Raises:
        StdError: the file's encoding lacks a letter of the new words.
    """
    if not content.startswith(_ZIP):
        return _rewritten(content, written, replacements, text)
    target = io.BytesIO()
    done = [0] * len(replacements)
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(target, "w") as sink:
        for member in source.infolist():
            part = source.read(member)
            if member.filename == DOCUMENT:
                part, done = _rewritten(part, written, replacements, text)
            sink.writestr(member, part)
    return target.getvalue(), done


def _rewritten(
    content: bytes,
    written: Sequence[str],
    replacements: Sequence[Replacement],
    text: Normalisation,
) -> tuple[bytes, list[int]]:
    letters, encoding = _letters(content)
    is_markup = bool(_IS_MARKUP.match(letters))
    has_tags = is_markup or bool(_IS_CAPTIONS.search(letters))
    left = [*_tokens(letters, _TAGGED if has_tags else _TEXT, text)]
    edits: dict[tuple[int, int], str] = {}
    done = [0] * len(replacements)
    for _ in range(COPIES):
        place: dict[int, int] = {}  # of each word of the recogniser, its token
        for one in Levenshtein.opcodes([*written], [token.word for token in left]):
            if one.tag == "equal":
                shift = one.dest_start - one.src_start
                place.update({i: i + shift for i in range(one.src_start, one.src_end)})
        found = 0
        for row, (first, end, said) in enumerate(replacements):
            tokens = [left[place[i]] for i in range(first, end) if i in place]
            if not tokens or len(tokens) < end - first:
                continue
            start, stop = tokens[0].start, tokens[-1].end
            between = (letters[a.end : b.start] for a, b in pairwise(tokens))
            if not _are_of_one_text(between, has_tags=has_tags):
                continue
            new = _as_there(letters[start:stop], said, letters, is_markup)
            kept = "".join(re.findall(_TAG, letters[start:stop])) if has_tags else ""
            edits[start, stop] = _encodable(new, encoding, is_markup) + kept
            done[row] += 1
            found += 1
        if not found:
            break
        gone = set(place.values())
        left = [token for i, token in enumerate(left) if i not in gone]
    for (start, stop), said in sorted(edits.items(), reverse=True):
        letters = letters[:start] + said + letters[stop:]
    return letters.encode(encoding, "surrogateescape"), done


def _letters(content: bytes) -> tuple[str, str]:
    """A file as text, and the encoding by which the same bytes come back."""
    declared = _DECLARED.match(content)
    try:
        encoding = declared[1].decode() if declared else encoding_of(content, "transcript")
        letters = content.decode(encoding)
        if letters.encode(encoding) == content:
            return letters, encoding
    except InputError:  # in doubt: only letters that all encodings have in common are certain
        return content.decode("ascii", "surrogateescape"), "ascii"
    except (UnicodeError, LookupError):
        pass
    return content.decode("utf-8", "surrogateescape"), "utf-8"  # other bytes stay as they are


def _encodable(said: str, encoding: str, is_markup: bool) -> str:
    """New words as the encoding of a file can have them."""
    try:
        return said.encode(encoding, "xmlcharrefreplace" if is_markup else "strict").decode(
            encoding
        )
    except UnicodeEncodeError as error:
        problem = f"expected letters that {encoding} has, got {quoted(said)}"
        raise StdError(f"{problem}; convert the file to UTF-8 first") from error


def _tokens(letters: str, pattern: re.Pattern[str], text: Normalisation) -> Iterator[_Token]:
    for match in pattern.finditer(letters):
        if match[1]:
            whole = re.sub(_TAG, "", match[1])
            word = json.loads(f'"{whole}"') if "\\" in whole else whole
            for one in text.phrase(word):
                yield _Token(one, *match.span(1))


def _are_of_one_text(between: Iterable[str], *, has_tags: bool) -> bool:
    """Whether only spaces, punctuation and tags within a line are between words."""
    texts = (re.sub(_JOINT, "", one) if has_tags else one for one in between)
    return all(_BETWEEN.fullmatch(one) and not _EMPTY_LINE.search(one) for one in texts)


def _as_there(there: str, said: str, letters: str, is_markup: bool) -> str:
    """The new words, with a capital where there was one, and with the file's escapes."""
    if there[:1].isupper():
        said = said[:1].upper() + said[1:]
    if is_markup:
        return escape(said)
    is_json = letters.lstrip("\ufeff \t\r\n").startswith(("{", "["))
    return json.dumps(said, ensure_ascii="\\u" in letters)[1:-1] if is_json else said
