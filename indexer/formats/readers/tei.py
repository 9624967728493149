"""TEI transcripts of speech (.xml, .tei): ISO 24624, EXMARaLDA's, and utterances with times.

    <TEI xmlns="http://www.tei-c.org/ns/1.0">
      <teiHeader> ... <recording type="audio"><media url="x.wav"/></recording> ...
      <text xml:lang="de">
        <timeline unit="s">                                or "ms", "min"
          <when xml:id="T0" [absolute="00:00:00"]/>        the origin
          <when xml:id="T1" interval="1.5" since="#T0"/>   no interval: not aligned
        <annotationBlock who="#A" start="#T0" end="#T2">   the times may be at <u> instead
          <u> <seg> <anchor synch="#T0"/> <w>word</w> <pc>.</pc> <anchor synch="#T1"/> <w>...

References may lack the ``#``; an interval may be a clock time. Anchors divide an utterance into
stretches with times. If each holds one word, or words have ``start`` and ``end``, these are the
words' times; otherwise each stretch is a cue whose words share its time. A stretch ends at the next
aligned anchor. An utterance without an end (ohd) lasts until the next one starts, the last one to
the end of the timeline. Punctuation, remarks, notes and everything outside ``u`` (annotations,
translations) are skipped.

Source: TEI P5, chapter 8 "Transcriptions of Speech"; ISO 24624:2016; what EXMARaLDA
(``ISO-TEI`` style sheets), the oral history portal ohd (oral-history-digital/ohd
``interviews/tei.xml.builder``) and TRJS write.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from itertools import takewhile
from math import isfinite
from pathlib import Path
from typing import BinaryIO, NamedTuple, NoReturn

from indexer.formats.shared.clock import CLOCK, seconds
from indexer.formats.shared.cues import Cue
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions, has_root
from indexer.formats.shared.speaker_names import utterances_of_captions
from indexer.networks.hypotheses import HypothesisWord
from indexer.networks.utterances import Utterances
from std.errors import NONE, InputError, Unquoted
from std.files import content_of
from std.nist.xml import Attributes, Reader, feed, parse_number
from std.ranges import MAX_TIME_S, MAX_UTTERANCE_BYTES

_XML = "{http://www.w3.org/XML/1998/namespace}"
_UNITS_S = {"s": 1.0, "ms": 0.001, "min": 60.0, "h": 3600.0}
PASSED_OVER = {"pc", "note", "desc", "incident", "kinesic", "vocal", "pause", "gap", "spanGrp",
               "span", "del", "sic", "orig", "fw"}  # fmt: skip


class _When(NamedTuple):
    interval_s: float | None
    since: str


class _Piece(NamedTuple):
    """A stretch of an utterance between two points of the timeline; empty if not named."""

    line: int
    first: str
    last: str
    words: tuple[str, ...]


@dataclass(slots=True)
class _Spoken:
    """An utterance that is being read."""

    line: int
    start: str
    end: str
    language: str
    who: str
    pieces: list[_Piece] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    at: str = ""  # the point where the words begin


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the stretches of a transcript's utterances as utterances, in order.

    Raises:
        InputError: the file is not well formed, no utterance has times, or one names a missing
            point of time.
    """
    reader = _Transcript(path)
    feed(BytesIO(content_of(stream, path, MAX_UTTERANCE_BYTES)), reader)
    reader.end_at_the_next()
    cues = [cue for utterance in reader.spoken for cue in reader.cues(utterance)]
    if not cues:
        raise InputError(path, 0, "<u> with the points of time at which they start and end", NONE)
    yield from utterances_of_captions(cues, path, options, reader.media)


class _Transcript(Reader):
    """Collects the timeline and the utterances."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(path)
        self.spoken: list[_Spoken] = []
        self.media = ""
        self._whens: dict[str, _When] = {}
        self._first = ""  # point of the timeline
        self._times_s: dict[str, float | None] = {}
        self._unit_s = 1.0
        self._languages = [""]  # of the elements around
        self._block = ("", "", "")  # start, end and speaker of the annotation block
        self._names: dict[str, str] = {}  # of persons, by their ids
        self._person = ""  # whose name is being read
        self._name: list[str] = []
        self._utterance: _Spoken | None = None
        self._passed_over = 0  # depth inside of skipped elements
        self._word: list[str] | None = None
        self._anchor = ""  # inside of a word: it counts at the word's end
        self._text: list[str] = []
        self._seen = False

    def start(self, tag: str, attributes: Attributes) -> None:
        name = tag.rpartition("}")[2]
        if not self._seen and name != "TEI":
            self.fail("a document <TEI>", f"<{name}>")
        self._seen = True
        if name == "person":
            self._person, self._name = attributes.get(f"{_XML}id") or "", []
        self._languages.append(attributes.get(f"{_XML}lang") or self._languages[-1])
        if self._utterance is not None and (self._passed_over or name in PASSED_OVER):
            self._passed_over += 1
        elif name == "timeline":
            self._unit_s = self._unit(attributes.get("unit"))
        elif name == "when":
            self._when(attributes)
        elif name == "media":
            self.media = self.media or (attributes.get("url") or "")
        elif name == "annotationBlock":
            start, end, who = (_reference(attributes, one) for one in ("start", "end", "who"))
            self._block = start, end, who
        elif name == "u":
            start = _reference(attributes, "start") or self._block[0]
            end = _reference(attributes, "end") or self._block[1]
            who = _reference(attributes, "who") or self._block[2]
            self._utterance = _Spoken(self.line, start, end, self._languages[-1], who, at=start)
            self._text = []
        elif self._utterance is not None:
            self._inside(name, attributes, self._utterance)

    def _inside(self, name: str, attributes: Attributes, utterance: _Spoken) -> None:
        """An element of an utterance begins."""
        if name == "anchor":
            point = _reference(attributes, "synch")
            if self._word is not None:
                self._anchor = point
            else:
                self._turn(utterance, point)
        elif name == "w":
            self._loose(utterance)
            self._word = []
            if first := _reference(attributes, "start") or _reference(attributes, "synch"):
                self._turn(utterance, first)
            self._anchor = _reference(attributes, "end")

    def data(self, text: str) -> None:
        if self._person:
            self._name.append(text)
        if self._utterance is None or self._passed_over:
            return
        (self._text if self._word is None else self._word).append(text)

    def end(self, tag: str) -> None:
        name, utterance = tag.rpartition("}")[2], self._utterance
        self._languages.pop()
        if self._person and name in ("persName", "person"):
            self._names[self._person] = " ".join("".join(self._name).split()) or self._person
            self._person = ""
        if self._passed_over:
            self._passed_over -= 1
        elif name == "annotationBlock":
            self._block = ("", "", "")
        elif utterance is None:
            return
        elif name == "w" and self._word is not None:
            utterance.words += "".join(self._word).split()
            self._word = None
            if self._anchor:
                self._turn(utterance, self._anchor)
                self._anchor = ""
        elif name == "u":
            self._turn(utterance, utterance.end)
            if utterance.pieces:
                self.spoken.append(utterance)
            self._utterance = None

    def _loose(self, utterance: _Spoken) -> None:
        """Text outside of ``w`` is words, too."""
        utterance.words += "".join(self._text).split()
        self._text = []

    def _turn(self, utterance: _Spoken, point: str) -> None:
        """End a stretch at a point of time; the next one begins there."""
        self._loose(utterance)
        if utterance.words:
            words = tuple(utterance.words)
            utterance.pieces.append(_Piece(self.line, utterance.at, point, words))
            utterance.words = []
        utterance.at = point

    def end_at_the_next(self) -> None:
        """End utterances that name a start only where the next one starts, or the timeline ends."""
        following = next(reversed(self._whens), "")
        for utterance in reversed(self.spoken):
            if utterance.start and not utterance.end:
                utterance.pieces[-1] = utterance.pieces[-1]._replace(last=following)
            following = utterance.start or following

    def cues(self, utterance: _Spoken) -> Iterator[Cue]:
        """Yield the stretches of an utterance with their times."""
        speaker = self._names.get(utterance.who, utterance.who)
        stretches: list[tuple[_Piece, float, float]] = []
        waiting: _Piece | None = None  # stretches whose end is not aligned
        for piece in utterance.pieces:
            if waiting:
                joined = (*waiting.words, *piece.words)
                piece = piece._replace(line=waiting.line, first=waiting.first, words=joined)
            start_s = self._aligned_s(piece.first, piece.line)
            if start_s is None:  # from where the stretch before ended
                start_s = stretches[-1][2] if stretches else self._before_s(utterance)
            end_s = self._aligned_s(piece.last, piece.line)
            waiting = piece if end_s is None else None
            if end_s is not None:
                stretches.append((piece, start_s, end_s))
        if waiting:
            self._fail_untimed(utterance)
        if stretches and all(len(piece.words) == 1 for piece, _, _ in stretches):
            words = [HypothesisWord(p.words[0], 1.0, start, end) for p, start, end in stretches]
            ends_s = max(word.end_s for word in words)
            text = " ".join(word.token for word in words)
            cue = Cue(utterance.line, words[0].start_s, ends_s, text, words)
            yield cue._replace(language=utterance.language, speaker=speaker)
            return
        for piece, start_s, end_s in stretches:
            text = " ".join(piece.words)
            cue = Cue(piece.line, start_s, end_s, text, language=utterance.language)
            yield cue._replace(speaker=speaker)

    def _fail_untimed(self, utterance: _Spoken) -> NoReturn:
        self.line = utterance.line
        self.fail(
            "<u> with the points of time at which it starts and ends", Unquoted("one without")
        )

    def _before_s(self, utterance: _Spoken) -> float:
        """The time of the last aligned point before the start of an utterance, 0 without one."""
        if utterance.start not in self._whens:
            self._fail_untimed(utterance)
        earlier = takewhile(lambda point: point != utterance.start, self._whens)
        times_s = (self._aligned_s(point, utterance.line) for point in earlier)
        return max((time_s for time_s in times_s if time_s is not None), default=0.0)

    def _aligned_s(self, point: str, line: int) -> float | None:
        """Return the time of a point; None if it is not named or not aligned."""
        if not point:
            return None
        if point not in self._whens:
            self.line = line
            self.fail("a point of the timeline", point)
        if point not in self._times_s:
            self._times_s[point] = self._since_origin(point)
        return self._times_s[point]

    def _since_origin(self, point: str) -> float | None:
        """Add up the intervals back to the origin, seconds; None if they do not lead to it."""
        total_s, visited = 0.0, set[str]()
        while (when := self._whens.get(point)) and point not in visited:
            if when.interval_s is None:
                is_origin = when.since in ("", point) and (visited or point == self._first)
                return total_s if is_origin else None
            visited.add(point)
            total_s += when.interval_s
            point = when.since
        return total_s

    def _when(self, attributes: Attributes) -> None:
        point = attributes.get(f"{_XML}id") or ""
        if not point or point in self._whens:
            self.fail("each point of the timeline with an xml:id of its own", point or NONE)
        written = attributes.get("interval")
        interval_s = self._interval_s(written) if written else None
        self._first = self._first or point
        self._whens[point] = _When(interval_s, _reference(attributes, "since"))

    def _interval_s(self, written: str) -> float | None:
        value = parse_number(written)
        if value is not None:
            value *= self._unit_s
        elif clock := re.fullmatch(CLOCK, written):
            value = seconds(*clock.groups())
        if value is None or not isfinite(value) or value > MAX_TIME_S:
            self.fail(f"an interval, a number up to {MAX_TIME_S} s or as 00:00:01.5", written)
        return value if value >= 0 else None  # -1: not aligned

    def _unit(self, unit: str | None) -> float:
        if (unit or "s") not in _UNITS_S:
            self.fail(f"a timeline's unit, one of {', '.join(_UNITS_S)}", unit or "")
        return _UNITS_S[unit or "s"]


def _reference(attributes: Attributes, name: str) -> str:
    """Return the id that an attribute points to; empty without one."""
    return (attributes.get(name) or "").removeprefix("#")


READER = FormatReader(
    name="tei",
    title="TEI transcripts",
    section="annotations",
    content="utterances; words with times, if the file has them",
    kinds=("text",),
    looks_like=has_root("TEI"),
    parse=parse,
    sample=(
        b'<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><timeline unit="s"><when xml:id="T0"/>'
        b'<when xml:id="T1" interval="0.65" since="#T0"/></timeline><body><u who="#A" '
        b'start="#T0" end="#T1">das haus</u></body></text></TEI>\n'
    ),
    words=("das", "haus"),
)
