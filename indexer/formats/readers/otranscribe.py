"""oTranscribe's files (.otr): JSON with the text of its editor as HTML.

    {"text": "<p><span class=\"timestamp\" data-timestamp=\"2.1\">0:02</span> Anna: hello<br></p>",
     "media": "x.mp3", "media-time": 3.2}

The text after a time lasts until the next time.

Source: files of oTranscribe 1.x.
"""

import html
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from indexer.formats.shared.clock import seconds_of
from indexer.formats.shared.cues import Cue
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions
from indexer.formats.shared.speaker_names import utterances_of_captions
from indexer.networks.utterances import Utterances
from std.errors import InputError
from std.json_fields import documents
from std.repairs import NO_TIME, UNKNOWN

_TIME = re.compile(  # older versions wrote no data-timestamp
    r"""(?><span[^<>]*?\bdata-timestamp=["']([^"'<>]{0,40})["'])[^<>]*>([^<>]*)</span>"""
    r"""|(?><span[^<>]*?\bclass=["']timestamp["'])[^<>]*>(\s*(?:\d{1,3}:)?\d{1,2}:\d\d(?:\.\d{1,3})?\s*)</span>"""
)
_SECONDS = re.compile(r"\d{1,9}(?:\.\d{0,20})?|\.\d{1,20}")
_STAMPED = re.compile(rb"data-timestamp=|class=(\\?[\"'])timestamp\1")
_BREAK = re.compile(r"<br\s*/?>|</(?:p|div|li)>|<(?:p|div|li)\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")


def looks_like(head: bytes) -> bool:
    """Whether JSON with this beginning is oTranscribe's."""
    return _STAMPED.search(head) is not None and b'"text"' in head


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the texts between the times as utterances.

    Raises:
        InputError: the file is not JSON, or has no time.
    """
    document = next(documents(stream, path, repairs=options.repairs))
    text = document["text"].text()
    times = list(_TIME.finditer(text))
    if not times:
        raise document["text"].error('times as <span class="timestamp" data-timestamp="2.1">')
    cues = []
    for here, following in pairwise([*times, None]):
        assert here is not None  # only the last one is
        said = text[here.end() : following.start() if following else len(text)]
        cues.append(
            Cue(document.line, _start_s(here, path, document.line, options), UNKNOWN, _plain(said))
        )
    yield from utterances_of_captions(cues, path, options, document.name(["media"]))


def _start_s(time: re.Match[str], path: Path | str, line: int, options: ReaderOptions) -> float:
    """The time in the attribute of a span, else in its text, seconds; UNKNOWN without one."""
    stamp, beside, alone = time.groups()
    if stamp is not None and _SECONDS.fullmatch(stamp):
        return float(stamp)
    if stamp is not None:
        problem = InputError(path, line, "data-timestamp in seconds such as 2.1", stamp)
        options.repairs.note(NO_TIME, problem)
    try:
        return seconds_of((alone or beside).strip())
    except ValueError:
        return UNKNOWN


def _plain(marked: str) -> str:
    """The text of HTML, with its lines.

    >>> _plain("Anna: <b>hello</b> &amp; bye<br />")
    'Anna: hello & bye'
    """
    return html.unescape(_TAG.sub("", _BREAK.sub("\n", marked))).replace("\u00a0", " ").strip()


READER = FormatReader(
    name="otranscribe",
    title="oTranscribe",
    section="captions",
    content="lines of text with starts",
    kinds=("json",),
    looks_like=looks_like,
    parse=parse,
    sample=(
        b'{"text": "<p><span class=\\"timestamp\\" data-timestamp=\\"0\\">0:00</span> das '
        b'haus<br></p>", "media": "x.mp3", "media-time": 0.65}'
    ),
    words=("das", "haus"),
    keys=("text media media-time",),
)
