"""YouTube's own captions as yt-dlp and others save them: json3, srv3, srv2 and srv1.

    json3   {"events": [{"tStartMs": 120, "dDurationMs": 3559, "segs":
                [{"utf8": "purple"}, {"utf8": " carrots", "tOffsetMs": 400}]}]}
    srv3    <timedtext format="3"><body><p t="120" d="3559"><s>purple</s><s t="400"> carrots</s></p>
    srv2    <timedtext><text t="120" d="3559">purple carrots</text>
    srv1    <transcript><text start="0.12" dur="3.559">purple carrots</text>

Parts of a caption with offsets are words, each of which lasts until the next; others share the
caption's time. Events that only move lines on the screen are skipped.

Source: files that yt-dlp writes (``--sub-format json3/srv3/srv2/srv1``).
"""

import html
import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, NamedTuple

from indexer.formats.shared.caption_text import joined
from indexer.formats.shared.cues import Cue
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions
from indexer.formats.shared.speaker_names import utterances_of_captions
from indexer.networks.hypotheses import HypothesisWord
from indexer.networks.utterances import Utterances
from std.errors import NONE
from std.files import content_of
from std.json_fields import Part, documents
from std.nist.xml import Attributes, Reader, feed, parse_number, root_name
from std.ranges import MAX_TIME_S, MAX_UTTERANCE_BYTES
from std.repairs import UNKNOWN

MS = 1000.0
_JSON3 = re.compile(rb'\{[^{}\[\]]*"wireMagic"|"tStartMs"\s*:')


class _Piece(NamedTuple):
    offset_s: float  # from the caption's start; NaN: it has none
    text: str


class _Caption(NamedTuple):
    line: int
    start_s: float
    end_s: float
    pieces: Sequence[_Piece]


def looks_like(head: bytes) -> bool:
    """Whether a file with this beginning is one of YouTube's."""
    if head.lstrip()[:1] in (b"{", b"["):
        return (b'"wireMagic"' in head or b'"tStartMs"' in head) and bool(_JSON3.search(head))
    root = root_name(head)
    return root == "timedtext" or (root == "transcript" and b"<text start=" in head)


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's captions as utterances, in order.

    Raises:
        InputError: the file is neither JSON nor XML, or a time is invalid.
    """
    content = content_of(stream, path, MAX_UTTERANCE_BYTES)
    if content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        parts = documents(BytesIO(content), path, repairs=options.repairs)
        captions = [caption for part in parts for caption in _events(part)]
    else:
        reader = _Captions(path)
        feed(BytesIO(content), reader)
        captions = reader.captions
    said = [one for one in captions if any(piece.text.strip() for piece in one.pieces)]
    has_words = any(piece.offset_s > 0 for one in said for piece in one.pieces)
    following = [one.start_s for one in said[1:]] + [UNKNOWN] * bool(said)
    cues = [
        _cue(one, next_s, has_words=has_words) for one, next_s in zip(said, following, strict=True)
    ]
    yield from utterances_of_captions(cues, path, options)


def _events(document: Part) -> Iterator[_Caption]:
    for event in document["events"]:
        if not event.has("segs"):
            continue
        start_s = event["tStartMs"].seconds(MS)
        lasts_s = event["dDurationMs"].seconds(MS) if event.has("dDurationMs") else UNKNOWN
        pieces = [
            _Piece(
                segment["tOffsetMs"].seconds(MS) if segment.has("tOffsetMs") else UNKNOWN,
                segment["utf8"].text(),
            )
            for segment in event["segs"]
            if segment["utf8"].value is not None
        ]
        yield _Caption(event.line, start_s, start_s + lasts_s, pieces)


def _cue(caption: _Caption, next_s: float, *, has_words: bool) -> Cue:
    line, start_s, end_s, pieces = caption
    if next_s > start_s and not end_s > MAX_TIME_S:  # it stays until its line leaves the screen
        end_s = min(end_s, next_s) if end_s == end_s else next_s
    text = "".join(piece.text for piece in pieces)
    cue = Cue(line, start_s, end_s, text)
    if not has_words or any(len(piece.text.split()) > 1 for piece in pieces):
        return cue
    starts = [start_s + (piece.offset_s if piece.offset_s > 0 else 0.0) for piece in pieces]
    last_s = end_s if end_s >= starts[-1] else starts[-1]
    words = joined(
        [
            HypothesisWord(piece.text, 1.0, begin_s, max(begin_s, stop_s))
            for piece, (begin_s, stop_s) in zip(pieces, pairwise([*starts, last_s]), strict=True)
        ]
    )
    return cue._replace(words=[word for word in words if word.token.strip()])


class _Captions(Reader):
    """Collects the captions of XML."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(path)
        self.captions: list[_Caption] = []
        self._open: _Caption | None = None
        self._pieces: list[tuple[float, list[str]]] = []  # offsets and texts

    def start(self, tag: str, attributes: Attributes) -> None:
        if tag in ("p", "text"):
            start_s = self._seconds(attributes, "t", "start")
            self._pieces = [(UNKNOWN, [])]
            lasts_s = self._seconds(attributes, "d", "dur")
            self._open = _Caption(self.line, start_s, start_s + lasts_s, ())
        elif tag == "s" and self._open is not None:
            written = attributes.get("t") or "0"
            offset = parse_number(written)
            if offset is None or offset < 0:
                self.fail("a time at t", written)
            self._pieces.append((offset / MS, []))

    def _seconds(self, attributes: Attributes, ms: str, s: str) -> float:
        """Read a time, which is in milliseconds under one name, in seconds under another."""
        if (written := attributes.get(ms)) is not None:
            value, unit = parse_number(written), MS
        else:
            written = attributes.get(s)
            value, unit = parse_number(written or ""), 1.0
        if value is None and (written or ms == "t"):
            self.fail(f"a time at {ms} or {s}", written or NONE)
        return UNKNOWN if value is None else value / unit

    def data(self, text: str) -> None:
        if self._open is not None:
            self._pieces[-1][1].append(text)

    def end(self, tag: str) -> None:
        if tag in ("p", "text") and self._open is not None:
            pieces = [_Piece(offset_s, "".join(texts)) for offset_s, texts in self._pieces]
            said = [
                one._replace(text=html.unescape(one.text)) for one in pieces if one.text.strip()
            ]
            self.captions.append(self._open._replace(pieces=said))
            self._open = None


READER = FormatReader(
    name="youtube",
    title="YouTube's json3, srv3, srv2, srv1",
    section="captions",
    content="captions; words with times, if the file has them",
    kinds=("text", "json"),
    looks_like=looks_like,
    parse=parse,
    sample=(
        b'{"wireMagic": "pb3", "events": [{"tStartMs": 0, "dDurationMs": 650, "segs": [{"utf8": '
        b'"das"}, {"utf8": " haus", "tOffsetMs": 210}]}]}'
    ),
    words=("das", "haus"),
    keys=("events segs utf8 tStartMs",),
)
