"""Reference transcripts in RTTM: nine or ten columns, of which scoring uses seven.

    LEXEME  file  channel  start_s  duration_s  word  subtype  speaker  confidence  [look-ahead]

``;;`` begins a comment. LEXEME records are the words (`parse`), SPEAKER records the speech turns
(`parse_turns`, used by segment-based scoring); the other types that the format defines are
skipped, with or without the hyphen of their names (NON-LEX, NONLEX). The tenth column, signal
look-ahead time, came with RT-09 and is what speaker diarisation tools write; it is not used.
File names lose a folder and an audio extension, see `std.nist.audio_names`.

Source: NIST RT-09 evaluation plan, appendix A; the test files of NIST's F4DE 3.5.0.
"""

import io
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from std.errors import InputError, quoted
from std.fields import line_blocks
from std.files import content_of, decode
from std.nist.audio_names import recording_name
from std.nist.xml import decimal, parse_number, text_codec
from std.ranges import CHANNEL, SECONDS
from std.values import Float64s, Int32s, Lexemes, Recording, freeze

RTTM_COLUMNS = 9
COLUMN_COUNTS = {RTTM_COLUMNS, RTTM_COLUMNS + 1}
MOST_CTM_FIELDS = 6  # of a file of that name in CTM
MAX_LINE_BYTES = 1 << 20
BLANK_HINT = "a word or a name may have a blank"
RTTM_HINT = "name its encoding with --encoding"
BLOCK_BYTES = 1 << 15  # checked together; more live lists cost the garbage collector
Columns = tuple[tuple[str, ...], ...]  # nine columns of records
TYPES = {"LEXEME", "SPEAKER", "SEGMENT", "NOSCORE", "NO_RT_METADATA", "NON-LEX", "NON-SPEECH"}
TYPES |= {"FILLER", "EDIT", "IP", "SU", "CB", "A/P", "SPKR-INFO"}
TYPES |= {name.replace("-", joint) for name in TYPES for joint in ("", "_")}


@dataclass(frozen=True, slots=True, eq=False)
class Turns:
    """Speech turns (SPEAKER records), in file order."""

    recordings: tuple[Recording, ...]
    speakers: tuple[str, ...]
    recording: Int32s  # (n,) index into recordings
    speaker: Int32s  # (n,) index into speakers
    start_s: Float64s  # (n,)
    duration_s: Float64s  # (n,)

    def __post_init__(self) -> None:
        freeze(self)


NO_TURNS = Turns((), (), *(np.zeros(0, kind) for kind in ("i4", "i4", "f8", "f8")))


class Transcript(NamedTuple):
    """A reference: its words, its speech turns, and the errors of the words' times."""

    lexemes: Lexemes
    turns: Turns
    within_s: Float64s  # (n,) largest error of each word's time; 0: the time is from the file
    is_normalised: bool = False  # whether words are normalised as in an index (`std.text`)
    passed_over: tuple[Path, ...] = ()  # skipped files of a folder


def looks_like(head: bytes, encoding: str = "UTF-8") -> bool:
    """Whether a file with this beginning is RTTM, even if it has errors."""
    for line in head.decode(text_codec(encoding, "<head>"), "replace").split("\n"):
        fields = line.removeprefix("\ufeff").partition(";;")[0].split()
        if fields:
            return fields[0].upper() in TYPES and len(fields) > MOST_CTM_FIELDS
    return False


def parse(stream: BinaryIO, path: Path | str = "<stream>", encoding: str = "UTF-8") -> Lexemes:
    """Read the words of a transcript.

    Args:
        encoding: any that Python knows; GB2312 is read as its superset GB18030.

    Raises:
        InputError: a line does not have nine columns, or has an unknown type, a malformed or
            negative number or bytes outside this encoding; or no record is a word.
    """
    spans = _Spans()
    words: list[str] = []
    subtypes: list[str] = []
    known: dict[str, str] = {}  # one string object per distinct word
    others: set[str] = set()
    for columns in _blocks(stream, path, encoding, "LEXEME", others):
        spans.add(columns)
        _, _, _, _, _, block_words, block_subtypes, _, _ = columns
        words.extend(map(known.setdefault, block_words, block_words))
        subtypes.extend(map(known.setdefault, block_subtypes, block_subtypes))
    if others and not words:
        got = f"{', '.join(sorted(others))} records only"
        raise InputError(path, 0, "words with their times, LEXEME records", got)
    return Lexemes(*spans.columns(), tuple(words), tuple(subtypes))


def parse_turns(stream: BinaryIO, path: Path | str = "<stream>", encoding: str = "UTF-8") -> Turns:
    """Read the speech turns of a transcript. Raises as `parse`."""
    spans = _Spans()
    for columns in _blocks(stream, path, encoding, "SPEAKER", set()):
        spans.add(columns)
    return Turns(*spans.columns())


class _Spans:
    """Growing columns of every record: recording, speaker and time."""

    def __init__(self) -> None:
        self.recordings: dict[Recording, int] = {}
        self.speakers: dict[str, int] = {}
        self.recording, self.speaker = array("i"), array("i")
        self.start_s, self.duration_s = array("d"), array("d")
        self._sources: dict[tuple[str, str], int] = {}  # as written -> index

    def add(self, columns: Columns) -> None:
        """Add valid records."""
        _, files, channels, starts, durations, _, _, speakers, _ = columns
        for source in dict.fromkeys(zip(files, channels, strict=True)):
            if source not in self._sources:
                where = Recording(recording_name(source[0]), int(source[1]))
                self._sources[source] = self.recordings.setdefault(where, len(self.recordings))
        for name in dict.fromkeys(speakers):
            self.speakers.setdefault(name, len(self.speakers))
        self.recording.extend(map(self._sources.__getitem__, zip(files, channels, strict=True)))
        self.speaker.extend(map(self.speakers.__getitem__, speakers))
        self.start_s.extend(map(float, starts))
        self.duration_s.extend(map(float, durations))

    def columns(
        self,
    ) -> tuple[tuple[Recording, ...], tuple[str, ...], Int32s, Int32s, Float64s, Float64s]:
        """The recordings and speakers, then of each record its recording, speaker and time."""
        return (
            tuple(self.recordings),
            tuple(self.speakers),
            np.frombuffer(self.recording, np.int32),
            np.frombuffer(self.speaker, np.int32),
            np.frombuffer(self.start_s, np.float64),
            np.frombuffer(self.duration_s, np.float64),
        )


def _blocks(
    stream: BinaryIO, path: Path | str, encoding: str, wanted: str, others: set[str]
) -> Iterator[Columns]:
    """The records of one type, in blocks, as nine columns of text.

    Other types are added to ``others``. Most blocks pass a few tests on complete columns; any other
    block goes through `_check`, which examines each line and reports its error.
    """
    codec = text_codec(encoding, path)
    if "\n".encode(codec) != b"\n":  # UTF-16 and similar encodings cannot be split into lines
        text = decode(content_of(stream, path), path, codec)
        stream, encoding, codec = io.BytesIO(text.encode()), "UTF-8", "utf-8"
    line = 1
    for lines in line_blocks(stream, path, BLOCK_BYTES, MAX_LINE_BYTES):
        rows = _valid_rows(lines, codec, wanted, others)
        if rows is None:
            rows = list(_check(lines, line, path, encoding, wanted, others))
        if rows:
            yield tuple(zip(*rows, strict=True))
        line += len(lines)


def _valid_rows(
    lines: list[bytes], codec: str, wanted: str, others: set[str]
) -> list[list[str]] | None:
    """The records of a block if it passes all tests."""
    try:
        text = b"\n".join(lines).decode(codec)
        rows = [line.split() for line in text.split("\n") if line and not line.isspace()]
        if ";;" in text or {len(row) for row in rows} - COLUMN_COUNTS:
            return None
        if (types := {row[0] for row in rows}) - TYPES:
            return None
        others.update(types - {wanted})
        rows = [row for row in rows if row[0] == wanted]
        if not all(map(_is_confidence, {row[8] for row in rows if len(row) > RTTM_COLUMNS})):
            return None
        numbers = [row[3] for row in rows] + [row[4] for row in rows]
        values = list(map(float, numbers))
    except ValueError:  # of decoding or of a number
        return None
    total = sum(values)  # NaN if one is NaN
    finite = not values or (min(values) >= 0 and total <= SECONDS.highest)
    plain = finite and "_" not in "".join(numbers)
    channels = {row[2] for row in rows}
    return (
        [row[:RTTM_COLUMNS] for row in rows]
        if plain
        and all(name.isascii() and name.isdecimal() and len(name) <= 4 for name in channels)
        else None
    )


def _check(
    lines: list[bytes],
    first_line: int,
    path: Path | str,
    encoding: str,
    wanted: str,
    others: set[str],
) -> Iterator[list[str]]:
    """The records of a block, line by line."""
    codec = text_codec(encoding, path)
    for line, content in enumerate(lines, start=first_line):
        try:
            text = content.decode(codec)
        except UnicodeDecodeError as error:
            bad = repr(content[error.start : error.start + 8])
            raise InputError(path, line, f"{encoding} text", bad, RTTM_HINT) from error
        if line == 1:
            text = text.removeprefix("\ufeff")
        fields = text.partition(";;")[0].split()
        if not fields:
            continue
        if len(fields) not in COLUMN_COUNTS:
            raise InputError(
                path, line, f"{RTTM_COLUMNS} or {RTTM_COLUMNS + 1} columns", text.strip()
            )
        kind = fields[0].upper()
        if kind not in TYPES:
            raise InputError(path, line, "an RTTM type such as LEXEME", fields[0])
        if kind != wanted:
            others.add(kind)
            continue
        for name, field in (("start", fields[3]), ("duration", fields[4])):
            value = parse_number(field)
            if value not in SECONDS:
                raise InputError(path, line, f"{name} as {SECONDS.described}", field)
        try:
            CHANNEL.read(fields[2])
        except ValueError as error:
            raise InputError(path, line, f"channel as {CHANNEL.described}", fields[2]) from error
        if len(fields) > RTTM_COLUMNS and not _is_confidence(fields[8]):
            expected = f"a number or <NA> as column {RTTM_COLUMNS}, the confidence"
            raise InputError(path, line, expected, fields[8], BLANK_HINT)
        yield fields[:RTTM_COLUMNS]


def _is_confidence(text: str) -> bool:
    """Whether a text may be the ninth of ten columns; a blank in a word or a name moves others."""
    return text.upper() == "<NA>" or parse_number(text) is not None


def dump(lexemes: Lexemes, stream: BinaryIO, encoding: str = "UTF-8") -> None:
    """Write a transcript's words as LEXEME records.

    Raises:
        ValueError: a word or a name holds white space or is empty.
        UnicodeEncodeError: the encoding cannot hold a word.
    """
    rows = zip(lexemes.words, lexemes.subtypes, strict=True)
    _dump(lexemes, "LEXEME", rows, stream, encoding)


def dump_turns(turns: Turns, stream: BinaryIO) -> None:
    """Write speech turns as SPEAKER records. Raises as `dump`."""
    rows = repeat(("<NA>", "<NA>"), len(turns.start_s))
    _dump(turns, "SPEAKER", rows, stream, "UTF-8")


def _dump(
    spans: Lexemes | Turns,
    kind: str,
    rows: Iterable[tuple[str, str]],
    stream: BinaryIO,
    encoding: str,
) -> None:
    codec = text_codec(encoding, "<stream>")
    columns = (spans.recording, spans.speaker, spans.start_s, spans.duration_s)
    times = zip(*(column.tolist() for column in columns), strict=True)
    for (recording, speaker, start_s, duration_s), (word, subtype) in zip(times, rows, strict=True):
        file, channel = spans.recordings[recording]
        name = spans.speakers[speaker]
        if odd := [one for one in (file, word, name) if len(one.split()) != 1]:
            raise ValueError(
                f"expected names and words without spaces, as RTTM has, got {quoted(odd[0])}"
            )
        stream.write(
            f"{kind} {file} {channel} {decimal(start_s)} {decimal(duration_s)} {word} {subtype} "
            f"{name} <NA>\n".encode(codec)
        )
