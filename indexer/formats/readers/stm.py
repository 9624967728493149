"""NIST STM: one stretch of transcript per line, usually a reference.

    file channel speaker begin_s end_s [ <label,label> ] transcript
    ;; comment

The transcript may hold alternatives, ``{ um / uh / @ }``, of which the first is taken; ``@`` is
none. Optional words, ``(uh)``, are words. A line whose transcript is
IGNORE_TIME_SEGMENT_IN_SCORING, or whose speaker is inter_segment_gap or excluded_region, has no
words.
Channels may be letters: A is 1, B is 2.

Source: NIST SCTK, "stm" in doc/infmts.htm, and its test data.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from indexer.formats.shared.cues import Cue, utterances_of_cues
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions, whole_text
from indexer.formats.shared.recordings import LEAST_GOOD, RTTM_TYPES, recording_for, recording_in
from indexer.networks.utterances import Utterances
from std.errors import InputError
from std.fields import number, shown

NOT_SPOKEN = "ignore_time_segment_in_scoring"
NOBODY = ("inter_segment_gap", "excluded_region")
NULL_WORD = "@"
MAX_DEPTH = 100  # of alternatives in alternatives
_LABEL = re.compile(r"<[^<>\s]*>$")
_RTTM = re.compile(rb"(?:%b)$" % RTTM_TYPES)
_NUMBER = re.compile(rb"\d+(\.\d*)?|\.\d+")


def looks_like(head: bytes) -> bool:
    """Whether a file with this beginning is an STM."""
    lines = [line.split(None, 5) for line in head.split(b"\n")[:-1] or [head]]
    rows = [row for row in lines if row and not row[0].startswith(b";;")]
    return bool(rows) and sum(map(_is_row, rows)) >= LEAST_GOOD * len(rows)


def _is_row(row: list[bytes]) -> bool:
    if len(row) < 5 or _RTTM.match(row[0]) or not all(map(_NUMBER.fullmatch, row[3:5])):
        return False
    return float(row[3]) <= float(row[4])


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's lines as utterances, in order.

    Raises:
        InputError: a line has too few fields or an invalid time, or braces do not match.
    """
    text = whole_text(stream, path, options)
    lines = (
        (at, line)
        for at, line in enumerate(text.split("\n"), start=1)
        if line.strip() and not line.lstrip().startswith(";;")
    )
    cues = options.repairs.rows(lines, lambda line: _cue(*line, path))
    yield from utterances_of_cues(cues, path, recording_for(path, options), options)


def _cue(at: int, line: str, path: Path | str) -> Cue:
    fields = line.split(None, 5)
    if len(fields) < 5:
        expected = "file, channel, speaker, begin, end, transcript"
        raise InputError(path, at, expected, shown(line.strip().encode()))
    begin, end = (number(path, at, one.encode(), "a time in seconds") for one in fields[3:5])
    recording = recording_in(path, at, [one.encode() for one in fields[:2]])
    transcript = fields[5] if len(fields) > 5 else ""
    label, _, rest = transcript.partition(" ")
    if _LABEL.match(label):
        transcript = rest
    if transcript.strip().lower() == NOT_SPOKEN or fields[2].lower() in NOBODY:
        transcript = ""
    text = _first_of_alternatives(transcript, path, at)
    speaker = "" if fields[2].lower() in NOBODY else fields[2]
    return Cue(at, begin, end, text, recording=recording, speaker=speaker)


def _first_of_alternatives(transcript: str, path: Path | str, line: int) -> str:
    """Keep the first of alternatives, and strip the brackets of optional words."""
    if "{" not in transcript and "}" not in transcript and "(" not in transcript:
        return transcript
    words: list[str] = []
    taken = [True]  # by depth: whether the next word is in a first alternative
    for token in transcript.replace("{", " { ").replace("}", " } ").split():
        if token == "{":
            taken.append(taken[-1])
        elif token == "}" and len(taken) > 1:
            taken.pop()
        elif token == "/" and len(taken) > 1:
            taken[-1] = False
        elif token == "}" or len(taken) > MAX_DEPTH:
            raise InputError(path, line, "{ a / b } in pairs", shown(transcript.encode()))
        elif taken[-1] and token != NULL_WORD:
            words.append(token[1:-1] if token[0] == "(" and token[-1] == ")" else token)
    if len(taken) > 1:
        raise InputError(path, line, "} to each {", shown(transcript.encode()))
    return " ".join(words)


READER = FormatReader(
    name="stm",
    title="NIST STM",
    section="nist-stm",
    content="a reference's lines",
    kinds=("text",),
    looks_like=looks_like,
    parse=parse,
    sample=b"x 1 anna 0.00 0.65 <o,f0,female> das haus\n",
    words=("das", "haus"),
    extensions=("stm",),
)
