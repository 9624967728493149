"""Reference transcripts in RTTM: nine columns, of which scoring uses six.

    LEXEME  file  channel  start_s  duration_s  word  subtype  speaker  confidence

``;;`` begins a comment. LEXEME records are the words (`parse`), SPEAKER records the speech turns
(`parse_turns`, used by segment-based scoring); the other types that the format defines are
skipped. File names lose a folder and an audio extension, see `std.formats.audio_names`.
"""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from std.errors import InputError
from std.formats.audio_names import recording_name
from std.formats.markup import decimal, parse_number, text_codec
from std.values import Float64s, Int32s, Lexemes, Recording, freeze

COLUMNS = 9
TYPES = {"LEXEME", "SPEAKER", "SEGMENT", "NOSCORE", "NO_RT_METADATA", "NON-LEX", "NON-SPEECH"}
TYPES |= {"FILLER", "EDIT", "IP", "SU", "CB", "A/P", "SPKR-INFO"}


@dataclass(frozen=True, slots=True, eq=False)
class Turns:
    """Speech turns (SPEAKER records), in file order."""

    recordings: tuple[Recording, ...]
    recording: Int32s  # (n,) index into recordings
    start_s: Float64s  # (n,)
    duration_s: Float64s  # (n,)

    def __post_init__(self) -> None:
        freeze(self)


def parse(stream: BinaryIO, path: Path | str = "<stream>", encoding: str = "UTF-8") -> Lexemes:
    """Read the words of a transcript.

    Args:
        encoding: as the term list names it; GB2312 is read as its superset GB18030.

    Raises:
        InputError: a line has not nine columns, an unknown type, a malformed or negative number,
            or bytes that are not in this encoding.
    """
    recordings: dict[Recording, int] = {}
    speakers: dict[str, int] = {}
    recording, speaker = array("i"), array("i")
    starts_s, durations_s = array("d"), array("d")
    words: list[str] = []
    subtypes: list[str] = []
    known: dict[str, str] = {}  # one string object per distinct word
    for where, start_s, duration_s, fields in _records(stream, path, encoding, "LEXEME"):
        word, subtype, talker = fields[5:8]
        recording.append(recordings.setdefault(where, len(recordings)))
        speaker.append(speakers.setdefault(talker, len(speakers)))
        starts_s.append(start_s)
        durations_s.append(duration_s)
        words.append(known.setdefault(word, word))
        subtypes.append(known.setdefault(subtype, subtype))
    return Lexemes(
        tuple(recordings),
        tuple(speakers),
        np.array(recording, np.int32),
        np.array(speaker, np.int32),
        np.array(starts_s, np.float64),
        np.array(durations_s, np.float64),
        tuple(words),
        tuple(subtypes),
    )


def parse_turns(stream: BinaryIO, path: Path | str = "<stream>", encoding: str = "UTF-8") -> Turns:
    """Read the speech turns of a transcript. Raises as `parse`."""
    recordings: dict[Recording, int] = {}
    recording, starts_s, durations_s = array("i"), array("d"), array("d")
    for where, start_s, duration_s, _ in _records(stream, path, encoding, "SPEAKER"):
        recording.append(recordings.setdefault(where, len(recordings)))
        starts_s.append(start_s)
        durations_s.append(duration_s)
    return Turns(
        tuple(recordings),
        np.array(recording, np.int32),
        np.array(starts_s, np.float64),
        np.array(durations_s, np.float64),
    )


def _records(
    stream: BinaryIO, path: Path | str, encoding: str, wanted: str
) -> Iterator[tuple[Recording, float, float, list[str]]]:
    """The records of one type: recording, start, duration, all nine fields."""
    codec = text_codec(encoding, path)
    sources: dict[tuple[str, str], Recording] = {}
    for line, content in enumerate(stream, start=1):
        try:
            text = content.decode(codec)
        except UnicodeDecodeError as error:
            bad = repr(content[error.start : error.start + 8])
            raise InputError(path, line, f"{encoding} text", bad) from error
        if line == 1:
            text = text.removeprefix("\ufeff")
        fields = (text if ";;" not in text else text[: text.index(";;")]).split()
        if not fields:
            continue
        if len(fields) != COLUMNS:
            raise InputError(path, line, f"{COLUMNS} columns", text.strip())
        kind = fields[0].upper()
        if kind != wanted:
            if kind not in TYPES:
                raise InputError(path, line, "an RTTM type such as LEXEME", fields[0])
            continue
        times = []
        for name, field in (("start", fields[3]), ("duration", fields[4])):
            value = parse_number(field)
            if value is None or not 0 <= value < np.inf:
                raise InputError(path, line, f"{name} as seconds of at least 0", field)
            times.append(value)
        source = fields[1], fields[2]
        if source not in sources:
            if not fields[2].isdecimal():
                raise InputError(path, line, "channel as an integer", fields[2])
            sources[source] = Recording(recording_name(fields[1]), int(fields[2]))
        yield sources[source], times[0], times[1], fields


def dump(lexemes: Lexemes, stream: BinaryIO, encoding: str = "UTF-8") -> None:
    """Write a transcript's words as LEXEME records.

    Raises:
        ValueError: a word holds white space or is empty.
        UnicodeEncodeError: the encoding cannot hold a word.
    """
    codec = text_codec(encoding, "<stream>")
    rows = zip(
        lexemes.recording.tolist(),
        lexemes.speaker.tolist(),
        lexemes.start_s.tolist(),
        lexemes.duration_s.tolist(),
        lexemes.words,
        lexemes.subtypes,
        strict=True,
    )
    for recording, speaker, start_s, duration_s, word, subtype in rows:
        file, channel = lexemes.recordings[recording]
        if len(word.split()) != 1:
            raise ValueError(f"RTTM cannot hold the word {word!r}")
        stream.write(
            f"LEXEME {file} {channel} {decimal(start_s)} {decimal(duration_s)} {word} {subtype} "
            f"{lexemes.speakers[speaker]} <NA>\n".encode(codec)
        )
