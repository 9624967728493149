"""SubRip captions (.srt).

    file := ( [ NUMBER ] TIME "-->" TIME [ position ] TEXT* [ blank ] )*
    TIME := [ hours ":" ] minutes ":" seconds [ ( "," | "." ) decimals ]

Text continues until the next line of times, without the number before it, so a caption may have
blank lines. Markup (<i>, <font ...>, {\\an8}) is removed, names of speakers become speakers
(`indexer.formats.shared.speaker_names`); the rest is read like any transcript: remarks such as
[Music] are noises.

Captions of a video site that were recorded from its screen repeat each line while the next one
comes up: see `indexer.formats.shared.caption_text`.

Source: files of subtitle editors, of Whisper's tools and of yt-dlp; "SubRip" at the Library of
Congress, fdd000569. Encodings: see `std.encodings`.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from indexer.formats.shared.caption_text import without_repeats
from indexer.formats.shared.clock import (
    TimeLine,
    before_arrow,
    frames_as_decimals,
    require_times,
    time_lines,
)
from indexer.formats.shared.cues import Cue
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions, begins, whole_text
from indexer.formats.shared.speaker_names import utterances_of_captions
from indexer.networks.utterances import Utterances
from std.errors import InputError
from std.fields import shown
from std.repairs import BAD_ROW, BEFORE_ZERO, Repairs

_BROKEN_OFF = re.compile(r"\n[ \t]*\n[ \t]*\d+[ \t]*\n(\d+:[\d:,. \t>-]*)\Z")  # a copy cut short
_NUMBER = re.compile(r"(?:^|\n)[ \t\ufeff]*\d+[ \t]*\n*$")
_HEAD = re.compile(
    rb"\s*(?:\d+[ \t]*\r?\n\s*)?-?(?:\d{1,4}:)?\d{1,2}:\d{1,2}(?:[,.:;]\d{1,9})?[ \t]*-+>[ \t]*-?\d"
)
_NEGATIVE = re.compile(
    r"(?m)(?<![\d:])-(?:\d{1,4}:)?\d{1,2}:\d{1,2}[,.]\d{1,9}(?=[ \t]*-+>|[ \t]*$)"
)
EXPECTED = "times as 00:00:01,000 --> 00:00:02,500"


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's captions as utterances, in order.

    Raises:
        InputError: there is no line of times, one cannot be read, or text stands before the first.
    """
    text = whole_text(stream, path, options)
    found = time_lines(text)
    if len(found) != text.count("-->"):
        text = _usual_times(text, path, options.repairs)
        found = time_lines(text)
    captions = without_repeats(list(_captions(text, found, path, options.repairs)))
    yield from utterances_of_captions(captions, path, options)


def _usual_times(text: str, path: Path | str, repairs: Repairs) -> str:
    """Write frames in times as decimals, and times below 0 as 0."""
    text = frames_as_decimals(text)
    for found in _NEGATIVE.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        repairs.note(BEFORE_ZERO, InputError(path, line, EXPECTED, shown(found[0].encode())))
    return _NEGATIVE.sub("00:00:00,000", text)


def _captions(
    text: str, found: Sequence[TimeLine], path: Path | str, repairs: Repairs
) -> Iterator[Cue]:
    """Yield the texts between the lines of times."""
    broken = len(found) != text.count("-->") and require_times(text, path, EXPECTED, repairs)
    before = text[: found[0].begin] if found else text
    numbered = bool(before.strip("\ufeff \t\n"))
    if numbered and not before.strip("\ufeff \t\n").isdigit():
        raise InputError(path, 1, f"a number, or {EXPECTED}", shown(before.strip().encode()))
    if numbered and text[-1:] != "\n" and (cut_short := _BROKEN_OFF.search(text)):
        line = text.count("\n", 0, cut_short.start(1)) + 1
        repairs.note(BAD_ROW, InputError(path, line, EXPECTED, shown(cut_short[1].encode())))
        text = text[: cut_short.start()]
    ends = [following.begin for following in found[1:]]
    for times, end in zip(found, [*ends, len(text)], strict=False):
        body = text[times.end : end]
        if broken:
            body = before_arrow(body)
        if numbered and end < len(text):
            body = _without_number(body)
        yield Cue(times.line, times.start_s, times.end_s, body)


def _without_number(body: str) -> str:
    """Take the number of the next caption off the end of a text."""
    before, _, last = body.rstrip("\n").rpartition("\n")
    return before if last.isdecimal() else _NUMBER.sub("", body)


READER = FormatReader(
    name="srt",
    title="SRT",
    section="captions",
    content="captions",
    kinds=("text",),
    looks_like=begins(_HEAD),
    parse=parse,
    sample=(b"1\n00:00:00,000 --> 00:00:00,650\nDas Haus.\n"),
    words=("Das", "Haus"),
    extensions=("srt",),
)
