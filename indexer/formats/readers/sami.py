"""SAMI captions (.smi), which video players read, in Korea above all.

    <SAMI><HEAD><STYLE TYPE="text/css"><!-- .KRCC {Name: Korean; lang: ko-KR;} --></STYLE></HEAD>
    <BODY><SYNC Start=500><P Class=KRCC>Anna: purple<br>carrots
    <SYNC Start=1400><P Class=KRCC>&nbsp;

Times are milliseconds. A caption lasts until the next of its class; a blank one ends it. Tags need
not be closed, head and class may be missing. The classes are languages: that with the most
captions is read, those of the others are counted.

Source: Microsoft, "Understanding SAMI 1.0"; pbs/pycaption, papnkukn/subsrt.
"""

import re
from collections.abc import Iterator
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import BinaryIO

from indexer.formats.shared.caption_text import spoken_part
from indexer.formats.shared.cues import Cue
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions, begins, whole_text
from indexer.formats.shared.speaker_names import utterances_of_captions
from indexer.networks.utterances import Utterances
from std.errors import InputError
from std.fields import number
from std.repairs import OTHER_LANGUAGE, UNKNOWN

MS = 1000.0
# No part of a comment can match in two ways, so hostile files take no longer than others.
_HEAD = re.compile(rb"\s*(?:<!--(?:(?!-->).)*-->\s*)*<(?:sami\b|sync\s+start)", re.I | re.S)
_LANGUAGE = re.compile(r"\.(\w+)\s*\{[^{}]*?\blang\s*:\s*([A-Za-z-]+)", re.IGNORECASE)
_COMMENT = re.compile(r"<!--(?:(?!<!--).)*?-->", re.DOTALL)
_SYNC = re.compile(r"<sync\b([^<>]*)>", re.IGNORECASE)
_START = re.compile(r"\bstart\s*=\s*[\"']?([^\"'\s]+)", re.IGNORECASE)
_PARAGRAPH = re.compile(r"<p\b([^<>]*)>", re.IGNORECASE)
_CLASS = re.compile(r"\bclass\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)
_END = re.compile(r"</body\b", re.IGNORECASE)


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's captions as utterances, in order.

    Raises:
        InputError: there is no caption, or most have no time.
    """
    text = whole_text(stream, path, options)
    languages = {name.lower(): language for name, language in _LANGUAGE.findall(text)}
    tracks: dict[str, list[Cue]] = {}
    before = ""  # class
    for cue in options.repairs.rows(_syncs(text), partial(_cue, path)):
        for named, said in _paragraphs(cue.text):
            before = before if named is None else named
            track = tracks.setdefault(before, [])
            track.append(cue._replace(text=said, language=languages.get(before, "")))
    spoken = sorted(([*_spoken(track)] for track in tracks.values()), key=len, reverse=True)
    for other in filter(None, spoken[1:]):
        problem = InputError(path, other[0].line, "captions of one language", other[0].text)
        options.repairs.note(OTHER_LANGUAGE, problem, len(other))
    yield from utterances_of_captions(spoken[0] if spoken else [], path, options)


def _syncs(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield the line, the attributes and the content of each SYNC."""
    text = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    text = _END.split(text, maxsplit=1)[0]
    before, *parts = _SYNC.split(text)
    line = 1 + before.count("\n")
    for attributes, body in zip(parts[::2], parts[1::2], strict=True):
        yield line, attributes, body
        line += attributes.count("\n") + body.count("\n")


def _cue(path: Path | str, sync: tuple[int, str, str]) -> Cue:
    line, attributes, body = sync
    start = _START.search(attributes)
    written = start[1] if start else attributes.strip()
    start_s = number(path, line, written.encode(), "a start in milliseconds") / MS
    return Cue(line, start_s, UNKNOWN, " ".join(body.split()))


def _paragraphs(body: str) -> Iterator[tuple[str | None, str]]:
    """Yield the class, or None, and the text of each paragraph."""
    bare, *parts = _PARAGRAPH.split(body)
    if bare.strip() or not parts:
        yield None, bare
    for attributes, text in zip(parts[::2], parts[1::2], strict=True):
        named = _CLASS.search(attributes)
        yield named and named[1].lower(), text


def _spoken(track: list[Cue]) -> Iterator[Cue]:
    """Yield the captions that have a text, with their ends."""
    for cue, following in zip_longest(track, track[1:]):
        if spoken_part(cue.text).strip():
            yield cue._replace(end_s=following.start_s) if following else cue


READER = FormatReader(
    name="sami",
    title="SAMI",
    section="captions",
    content="captions",
    kinds=("text",),
    looks_like=begins(_HEAD),
    parse=parse,
    sample=(
        b"<SAMI>\n<BODY>\n<SYNC Start=0><P Class=DECC>Das<br>Haus.\n<SYNC Start=650><P Class=DECC>"
        b"&nbsp;\n</BODY>\n</SAMI>\n"
    ),
    words=("Das", "Haus"),
    extensions=("smi", "sami"),
)
