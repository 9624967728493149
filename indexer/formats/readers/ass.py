"""ASS and SSA captions, of Aegisub, ffmpeg, yt-dlp and karaoke tools.

    [Events]
    Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
    Dialogue: 0,0:00:00.50,0:00:01.40,Default,Anna,0,0,0,,{\\k40}Purple {\\k50}carrots\\Ngrow

The line ``Format`` names the fields of a row. Comments and drawings are skipped; styles are
removed; ``Name`` is the speaker. If a caption has several parts with ``\\k`` and their length in
hundredths of a second, its words have these times.

Source: pysubs2, which reads times and recognises drawings.
"""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple

from indexer.formats.shared.caption_text import joined
from indexer.formats.shared.cues import Cue
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions, begins, whole_text
from indexer.formats.shared.speaker_names import utterances_of_captions
from indexer.networks.hypotheses import HypothesisWord
from indexer.networks.utterances import Utterances
from std.errors import InputError

_SCRIPT = re.compile(rb"\s*(?:;[^\n]*\n\s*)*\[Script Info\]|.{0,9999}^\[Events\]", re.S | re.M)
_FIELDS: tuple[str, ...] = (  # without a line Format
    *("layer", "start", "end", "style", "name", "marginl", "marginr", "marginv", "effect", "text"),
)
_PART = re.compile(r"(?>\{[^{}]*?\\[kK][fot]?(\d{1,6}))[^{}]*\}([^{]*)")


class _Row(NamedTuple):
    line: int
    fields: tuple[str, ...]  # names
    written: str


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's captions as utterances, in order.

    Raises:
        InputError: there is no caption, or most rows have too few fields or invalid times.
    """
    text = whole_text(stream, path, options)
    rows = options.repairs.rows(_rows(text), partial(_cue, path))
    yield from utterances_of_captions(filter(None, rows), path, options)


def _rows(text: str) -> Iterator[_Row]:
    """Yield the captions' rows."""
    fields = _FIELDS
    for at, line in enumerate(text.splitlines(), start=1):
        kind, colon, written = line.strip().partition(":")
        if colon and kind == "Format":
            named = tuple(name.strip().lower() for name in written.split(","))
            fields = named if {"start", "end", "text"} <= {*named} else fields
        elif colon and kind == "Dialogue":
            yield _Row(at, fields, written.strip())


def _cue(path: Path | str, row: _Row) -> Cue | None:
    """The caption of a row; None if it is a drawing.

    Raises:
        InputError: the row has too few fields, or an invalid time.
    """
    from pysubs2 import SSAEvent

    values = row.written.split(",", len(row.fields) - 1)
    if len(values) < len(row.fields):
        expected = f"{len(row.fields)} fields: {', '.join(row.fields)}"
        raise InputError(path, row.line, expected, row.written)
    of = dict(zip(row.fields, values, strict=True))
    start_s, end_s = (_seconds(path, row.line, of[name]) for name in ("start", "end"))
    if SSAEvent(text=of["text"]).is_drawing:
        return None
    who = _speaker(of)
    cue = Cue(row.line, start_s, end_s, of["text"], speaker=who)
    parts = list(_PART.finditer(of["text"]))
    return cue._replace(words=_words(parts, start_s, who)) if len(parts) > 1 else cue


def _speaker(of: Mapping[str, str]) -> str:
    return of.get("name", of.get("actor", "")).strip()


def _seconds(path: Path | str, at: int, written: str) -> float:
    from pysubs2.time import TIMESTAMP, TIMESTAMP_SHORT, timestamp_to_ms

    sign, unsigned = (
        (-1, written.strip()[1:]) if written.strip()[:1] == "-" else (1, written.strip())
    )
    found = TIMESTAMP.match(unsigned) or TIMESTAMP_SHORT.match(unsigned)
    if found is None:
        raise InputError(path, at, "a time such as 0:00:01.50", written.strip())
    return sign * timestamp_to_ms(found.groups()) / 1000


def _words(parts: list[re.Match[str]], start_s: float, speaker: str) -> list[HypothesisWord]:
    """Make words of the parts of a karaoke line."""
    pieces = []
    for part in parts:
        end_s = start_s + int(part[1]) / 100
        pieces.append(HypothesisWord(part[2].replace("\\N", " "), 1.0, start_s, end_s, speaker))
        start_s = end_s
    return [word for word in joined(pieces) if word.token]


READER = FormatReader(
    name="ass",
    title="ASS, SSA",
    section="captions",
    content="captions; words with times, if it is karaoke",
    kinds=("text",),
    looks_like=begins(_SCRIPT),
    parse=parse,
    sample=(
        b"[Script Info]\n"
        b"ScriptType: v4.00+\n"
        b"\n"
        b"[Events]\n"
        b"Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
        b"Dialogue: 0,0:00:00.00,0:00:00.65,Default,Anna,0,0,0,,Das Haus.\n"
    ),
    words=("Das", "Haus"),
)
