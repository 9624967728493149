"""TTML captions (.ttml, .dfxp, .xml): Timed Text, also as SMPTE-TT, EBU-TT, IMSC.

    <tt xml:lang="en" ttp:frameRate="25" ttp:tickRate="10000000">
      <body> <div begin="10s"> <p begin="0.5s" end="2s"> text <span> text </span> <br/> ...

    TIME := hours ":" minutes ":" seconds [ ( "." | "," ) decimals | ":" frames [ "." parts ] ]
          | number [ "h" | "m" | "s" | "ms" | "f" | "t" ]

Times count from the start of the parent element, or from 0 if that is the only possibility (Apple's
lyrics). An end may be a duration (``dur``). An element without an end ends with its parent, or
lasts until the next. A ``p`` is a cue. If the texts in it have times, each of them is one; single
words then have real times, syllables are joined. Styles, regions and metadata are skipped, except
the names of agents (``ttm:agent``), who are the speakers. The language is the nearest ``xml:lang``.

Source: W3C, "Timed Text Markup Language 1/2"; files of pycaption, Netflix, Amazon and subtitle
editors.
"""

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

from indexer.formats.shared.caption_text import Piece, timed_words, whole_words
from indexer.formats.shared.cues import Cue
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions, has_root
from indexer.formats.shared.speaker_names import utterances_of_captions
from indexer.networks.hypotheses import HypothesisWord
from indexer.networks.utterances import Utterances
from std.errors import Unquoted
from std.files import content_of
from std.nist.xml import Attributes, Reader, feed, parse_number
from std.ranges import MAX_UTTERANCE_BYTES
from std.repairs import UNKNOWN

_CLOCK = re.compile(r"(?:(\d+):)?(\d\d?):(\d\d)(?:[.,](\d+)|:(\d+)(?:\.\d+)?)?$")
_OFFSET = re.compile(r"(\d+(?:\.\d+)?)(h|ms|m|s|f|t|)$")
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_ID = "{http://www.w3.org/XML/1998/namespace}id"
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "": 1.0, "ms": 0.001}
PASSED_OVER = {"head", "metadata", "set"}
READINGS = {"text", "textContainer", "delimiter"}  # ruby: readings beside characters
MAX_RATE = 1e9
MOST_BEYOND = 0.1  # of elements outside their parents, if times count from the parents' starts
ROUNDED_S = 0.01
EXPECTED = "a time as 00:00:01.500 or 1.5s"


class _Element(NamedTuple):
    name: str
    start_s: float
    end_s: float
    timed: bool  # has times
    language: str
    speaker: str = ""  # the id of an agent


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's paragraphs as utterances, in order.

    Raises:
        InputError: the file is not well formed, has a DOCTYPE, a time cannot be read, or a
            paragraph has none.
    """
    content = content_of(stream, path, MAX_UTTERANCE_BYTES)
    reader = _Captions(path)
    feed(BytesIO(content), reader)
    if reader.beyond > MOST_BEYOND * reader.nested:
        other = _Captions(path, from_zero=True)
        feed(BytesIO(content), other)
        reader = min(reader, other, key=lambda one: one.beyond)
    yield from utterances_of_captions(reader.cues, path, options)


def _named(attributes: Attributes, name: str) -> str:
    """An attribute by its name, in whatever version of its namespace; empty if there is none."""
    items = dict(attributes).items()  # type: ignore[call-overload]  # lxml hands a mapping
    return next((str(value) for key, value in items if key.endswith(name)), "")


class _Captions(Reader):
    """Collects cues; knows the elements around the current place."""

    def __init__(self, path: Path | str, *, from_zero: bool = False) -> None:
        super().__init__(path)
        self.cues: list[Cue] = []
        self.nested = self.beyond = 0  # elements in others with times, and outside of these
        self._from_zero = from_zero  # times count from the start of the document
        self._open = [_Element("", 0.0, float("inf"), False, "")]
        self._passed_over = 0  # depth inside of skipped elements
        self._names: dict[str, str] = {}  # of agents, by their ids
        self._agent = ""  # that is being described
        self._name: list[str] | None = None  # its name
        self._pieces: list[Piece] | None = None  # of the paragraph that is open
        self._line = 1
        self._frame_rate, self._tick_rate = 30.0, 0.0

    def start(self, tag: str, attributes: Attributes) -> None:
        name = tag.rpartition("}")[2]
        if len(self._open) == 1:
            if name != "tt":
                self.fail("a document <tt>", f"<{name}>")
            self._rates(attributes)
        around = self._open[-1]
        if name == "agent":
            self._agent = attributes.get(_ID) or ""
        self._name = [] if self._agent and name == "name" else None
        if self._passed_over or name in PASSED_OVER or _named(attributes, "}ruby") in READINGS:
            self._passed_over += 1
            self._open.append(around)
            return
        if attributes.get("timeContainer") == "seq" and name != "tt":
            self.fail('timeContainer "par"', "seq")
        if not attributes:  # as <br/> and most spans
            timed = name == "span" and around.timed and around.name == "span"
            self._open.append(_Element(name, *around[1:3], timed, *around[4:]))
            self._began(name)
            return
        begin, end, length = map(attributes.get, ("begin", "end", "dur"))
        start_s, end_s = around.start_s, around.end_s
        first_s = 0.0 if self._from_zero else start_s
        if begin is not None:
            start_s = first_s + self._time(begin)
            self._compare(start_s, around)
        if end is not None:
            end_s = min(end_s, first_s + self._time(end))
        if length is not None:
            end_s = min(end_s, start_s + self._time(length))
        if _named(attributes, "}unit") == "word":
            self.data(" ")  # Apple writes none between words
        timed = begin is not None or end is not None or length is not None
        language = attributes.get(_LANG)
        self._open.append(
            _Element(
                name,
                start_s,
                end_s,
                timed or (name == "span" and around.timed and around.name == "span"),
                around.language if language is None else language,
                _named(attributes, "#metadata}agent") or around.speaker,
            )
        )
        self._began(name)

    def _compare(self, start_s: float, around: _Element) -> None:
        """Count elements that begin outside their parents, as none should."""
        if around.start_s > 0:
            self.nested += 1
            self.beyond += not around.start_s <= start_s + ROUNDED_S <= around.end_s + 2 * ROUNDED_S

    def _began(self, name: str) -> None:
        if name == "p":
            self._pieces, self._line = [], self.line
        elif name == "br":
            self.data("\n")

    def data(self, text: str) -> None:
        if self._name is not None:
            self._name.append(text)
        if self._pieces is None or self._passed_over:
            return
        around = self._open[-1]
        timed = around.name == "span" and around.timed
        if self._pieces:
            last = self._pieces[-1]
            same = last.start_s == around.start_s and last.end_s == around.end_s
            if same and last.timed == timed:
                last.texts.append(text)
                return
        self._pieces.append(Piece([text], around.start_s, around.end_s, timed))

    def end(self, tag: str) -> None:
        element = self._open.pop()
        if words := "".join(self._name or []).split():
            self._names[self._agent] = " ".join(words)
        self._name = None
        if tag.endswith("}agent"):
            self._agent = ""
        if self._passed_over:
            self._passed_over -= 1
        elif element.name == "p":
            pieces = whole_words(self._pieces or [])
            self._pieces = None
            if pieces:
                self._paragraph(element, pieces)

    def _paragraph(self, element: _Element, pieces: list[Piece]) -> None:
        if not any(one.timed for one in pieces):
            text = "".join([one.text for one in pieces])
            self._cue(element.start_s, self._end(element), text, element)
        elif all(one.timed and len(one.text.split()) == 1 for one in pieces):
            words = timed_words(pieces)
            last_s = max(word.end_s for word in words)
            self._cue(words[0].start_s, last_s, " ".join(w.token for w in words), element, words)
        else:
            for one in pieces:
                self._cue(one.start_s, self._end(one), one.text, element)

    def _cue(
        self,
        start_s: float,
        end_s: float,
        text: str,
        element: _Element,
        words: list[HypothesisWord] | None = None,
    ) -> None:
        speaker = self._names.get(element.speaker, element.speaker)
        cue = Cue(self._line, start_s, end_s, text, words or (), language=element.language)
        self.cues.append(cue._replace(speaker=speaker))

    def _end(self, one: "_Element | Piece") -> float:
        """The end; unknown for a start without an end: it lasts until the next."""
        if one.end_s < float("inf"):
            return one.end_s
        if not one.timed:
            self.fail(
                "a paragraph with times, or in an element with times", Unquoted("<p> without")
            )
        return UNKNOWN

    def _rates(self, attributes: Attributes) -> None:
        """Read the rates of frames and ticks; names differ in their namespaces only."""
        named = {key.rpartition("}")[2]: value for key, value in dict(attributes).items()}  # type: ignore[call-overload]  # lxml hands a mapping
        self._frame_rate = self._rate(named, "frameRate", 30.0)
        factors = re.split(r"[ :]", named.get("frameRateMultiplier", "1 1"))
        ratio = [parse_number(one) or 0.0 for one in factors]
        if len(ratio) != 2 or not all(0 < one < MAX_RATE for one in ratio):
            self.fail("frameRateMultiplier as 1000 1001", named["frameRateMultiplier"])
        self._frame_rate *= ratio[0] / ratio[1]
        self._tick_rate = self._rate(
            named, "tickRate", self._frame_rate if "frameRate" in named else 1.0
        )

    def _rate(self, named: dict[str, str], name: str, default: float) -> float:
        if name not in named:
            return default
        value = parse_number(named[name])
        if value is None or not 0 < value <= MAX_RATE:
            self.fail(f"{name} as a number above 0", named[name])
        return value

    def _time(self, written: str) -> float:
        written = written.strip()
        if clock := _CLOCK.match(written):
            hours, minutes, whole, decimals, frames = clock.groups()
            if len(hours or "") > 6:
                self.fail(EXPECTED, written)
            parts = float(f"0.{decimals or 0}") + (
                float(frames) / self._frame_rate if frames else 0.0
            )
            return 3600 * int(hours or 0) + 60 * int(minutes) + int(whole) + parts
        offset = _OFFSET.match(written)
        if offset is None or len(written) > 30:
            self.fail(EXPECTED, written)
        value, unit = float(offset[1]), offset[2]
        if unit in _SECONDS:
            return value * _SECONDS[unit]
        return value / (self._frame_rate if unit == "f" else self._tick_rate)


READER = FormatReader(
    name="ttml",
    title="TTML, DFXP",
    section="captions",
    content="captions; words with times, if the file has them",
    kinds=("text",),
    looks_like=has_root("tt"),
    parse=parse,
    sample=(
        b'<tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="0s" end="0.65s">Das '
        b"Haus.</p></div></body></tt>\n"
    ),
    words=("Das", "Haus"),
    extensions=("ttml", "dfxp"),
)
