"""Transcripts of linguists as XML: Transcriber (.trs), EXMARaLDA (.exb), FOLKER (.fln, .flk).

    Transcriber   <Trans audio_filename="x"> <Speakers> <Speaker id="spk1" name="Anna"/> ...
                  <Turn speaker="spk1" startTime="0" endTime="5"> <Sync time="0"/> text
                      <Sync time="2.1"/> text; <Who nb="2"/> the second of two speakers at once
    EXMARaLDA     <basic-transcription> <speaker id="SPK0"><abbreviation>A</abbreviation> ...
                  <tli id="T0" time="0.5"/>; one without a time lies between its neighbours
                  <tier speaker="SPK0" type="t"> <event start="T0" end="T1">text</event>
    FOLKER        <folker-transcription> <speaker speaker-id="A"><name>Anna</name> ...
                  <timepoint timepoint-id="TLI_0" absolute-time="0.5"/>
                  <contribution speaker-reference="A" start-reference="TLI_0" end-reference="TLI_2">
                      <segment ...>text</segment>, or <unparsed>text <time timepoint-reference=
                      "TLI_1"/> text</unparsed>, or <w>text</w>

All three are texts between points of time. Each is a cue; tiers that are no transcription (type
``t``), or whose category is one of notes (``pos``), are skipped. A word divided by a point of time
stays whole; remarks in double parentheses and pauses are left out. If a file names several
recordings, the first one with sound is used.

Source: Transcriber's trans-14.dtd; EXMARaLDA's basic-transcription.dtd; FOLKER's data model.
"""

import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from indexer.formats.shared.cues import Cue
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions, has_root
from indexer.formats.shared.speaker_names import utterances_of_captions
from indexer.formats.shared.tiers import Tier
from indexer.networks.utterances import Utterances
from std.errors import NONE, InputError
from std.files import content_of
from std.nist.audio_names import AUDIO_EXTENSION
from std.nist.xml import Attributes, Reader, feed, parse_number, refuse_entities
from std.ranges import MAX_UTTERANCE_BYTES

ROOTS = ("Trans", "basic-transcription", "folker-transcription")
POINTS = {"tli": ("id", "time"), "timepoint": ("timepoint-id", "absolute-time")}
MEDIA = {"Trans": "audio_filename", "referenced-file": "url", "recording": "path"}
_REMARK = re.compile(  # pauses, breath, unintelligible speech, in HIAT and GAT
    r"\(\([^()]*\)\)|\(\d*(?:[.,]\d*)?s?\)|\([.-]+\)|(?<!\w)(\u00b0h+|h+\u00b0|\++)(?!\w)|[\u02d9\u2022]"
)
VIDEO = re.compile(r"(?i)\.(mp4|m4v|mov|avi|mkv|webm|mpe?g|wmv)$")


class _Point(NamedTuple):
    """A point of time; one that is placed between others has the times of these."""

    time_s: float
    earliest_s: float
    latest_s: float

    @property
    def is_placed(self) -> bool:
        """Whether its time is an estimate."""
        return self.earliest_s < self.latest_s


class _Span(NamedTuple):
    """A text between two points of time."""

    line: int
    first: str
    last: str
    speaker: str
    texts: list[str]


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the texts of the transcript as utterances, in order.

    Raises:
        InputError: the file is not well formed, declares entities, or a text has no times.
    """
    content = content_of(stream, path, MAX_UTTERANCE_BYTES)
    refuse_entities(content, path)
    reader = _Transcript(path)
    feed(BytesIO(content), reader)
    times_s = reader.times_s()
    spans = [span for span in reader.spans if "".join(span.texts).strip()]
    if spans and not times_s:
        raise InputError(path, spans[0].line, "a timeline with times", NONE)
    for span in spans:
        if span.first not in times_s or span.last not in times_s:
            raise InputError(path, span.line, "a point of time that exists", span.first or NONE)
    cues = [
        Cue(
            span.line,
            first.time_s,
            last.time_s,
            " ".join(_REMARK.sub(" ", "".join(span.texts)).split()),
            speaker=reader.speakers.get(span.speaker, span.speaker),
            error_s=max(0.0, last.time_s - first.earliest_s, last.latest_s - first.time_s)
            if first.is_placed or last.is_placed
            else 0.0,
        )
        for span in spans
        for first, last in [(times_s[span.first], times_s[span.last])]
    ]
    cues.sort(key=lambda cue: cue.start_s)
    yield from utterances_of_captions(cues, path, options, reader.media)


class _Transcript(Reader):
    """Collects points of time, speakers and the texts between points."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(path)
        self.spans: list[_Span] = []
        self.speakers: dict[str, str] = {}
        self.media, self._of_sound = "", False
        self._points: dict[str, float] = {}
        self._open: _Span | None = None
        self._who: list[str] = []  # of a turn of several
        self._first = 0  # text of the tier
        self._tier = ("", False)  # its speaker, and whether it is a transcription
        self._speaker = ""  # whose name is read
        self._name: list[str] | None = None
        self._in_word = False
        self._later = ""  # a point of time within a word, which stays whole

    def doctype(self, name: str, public_id: str | None, system_id: str | None) -> None:
        """Transcriber's files name its DTD; nothing of it is read."""

    def start(self, tag: str, attributes: Attributes) -> None:
        if tag in MEDIA and (media := attributes.get(MEDIA[tag])):
            of_sound = bool(AUDIO_EXTENSION.search(media) and not VIDEO.search(media))
            if not self.media or (of_sound and not self._of_sound):  # a film's name may differ
                self.media, self._of_sound = media, of_sound
        if tag in POINTS:
            name, time = (attributes.get(key) for key in POINTS[tag])
            self._points[name or ""] = self._seconds(time) if time else np.nan
        elif tag in ("Speaker", "speaker"):
            self._speaker = attributes.get("id") or attributes.get("speaker-id") or ""
            self.speakers[self._speaker] = attributes.get("name") or ""
        elif tag in ("abbreviation", "name"):
            self._name = [] if self._speaker else None
        elif tag == "tier":
            of_notes = Tier(attributes.get("category") or "").of_notes
            of_speech = attributes.get("type") == "t" and not of_notes
            self._tier = attributes.get("speaker") or "", of_speech
            self._first = len(self.spans)
        else:
            self._text(tag, attributes)

    def _text(self, tag: str, attributes: Attributes) -> None:
        """Begin or divide a text."""
        get = attributes.get
        if tag == "event" and self._tier[1]:
            self._begin(get("start"), get("end"), self._tier[0])
        elif tag == "Turn":
            self._who = (get("speaker") or "").split()
            who = self._who[0] if self._who else ""
            self._begin(self._at(get("startTime")), self._at(get("endTime")), who)
        elif tag == "contribution":
            who = get("speaker-reference") or ""
            self._begin(get("start-reference"), get("end-reference"), who)
        elif self._open is None:
            return
        elif tag == "segment":
            self._begin(get("start-reference"), get("end-reference"), self._open.speaker)
        elif tag == "Sync":
            self._divide(self._at(get("time")), self._who[0] if self._who else "")
        elif tag == "w":
            self._in_word = True
        elif tag == "time" and self._in_word:
            self._later = get("timepoint-reference") or ""
        elif tag == "time":
            self._divide(get("timepoint-reference") or "", self._open.speaker)
        elif tag == "Who":
            number = int(parse_number(get("nb") or "") or 1)
            speaker = self._who[number - 1] if 0 < number <= len(self._who) else ""
            self._begin(self._open.first, self._open.last, speaker)

    def data(self, text: str) -> None:
        if self._name is not None:
            self._name.append(text)
        elif self._open is not None:
            self._open.texts.append(text)

    def end(self, tag: str) -> None:
        if self._name is not None:
            name = self.speakers[self._speaker] + "".join(self._name)
            self.speakers[self._speaker], self._name = name.strip(), None
        if tag in ("speaker", "Speaker"):
            self.speakers[self._speaker] = self.speakers[self._speaker] or self._speaker
            self._speaker = ""
        elif tag in ("event", "Turn", "contribution"):
            self._close()
        elif tag == "w":
            self.data(" ")
            self._in_word = False
            if self._later and self._open is not None:
                self._divide(self._later, self._open.speaker)
            self._later = ""
        elif tag == "tier":
            self.spans[self._first :] = _whole_words(self.spans[self._first :])

    def times_s(self) -> dict[str, _Point]:
        """Points of time in seconds; unaligned points are placed between aligned ones."""
        values = np.array([*self._points.values()], dtype=np.float64)
        known = np.flatnonzero(~np.isnan(values))
        if not len(known):
            return {}
        rows = np.arange(len(values))
        before = np.clip(np.searchsorted(known, rows, "right") - 1, 0, None)
        after = np.clip(np.searchsorted(known, rows), None, len(known) - 1)
        placed = np.interp(rows, known, values[known])
        points = zip(
            placed.tolist(),
            np.where(rows < known[0], 0.0, values[known[before]]).tolist(),
            values[known[after]].tolist(),
            strict=True,
        )
        return dict(zip(self._points, map(_Point._make, points), strict=True))

    def _seconds(self, written: str) -> float:
        value = parse_number(written)
        if value is None:
            self.fail("a time in seconds", written)
        return value

    def _at(self, written: str | None) -> str:
        """The point of time written as seconds."""
        if written:
            self._points[written] = self._seconds(written)
        return written or ""

    def _begin(self, first: str | None, last: str | None, speaker: str) -> None:
        self._close()
        self._open = _Span(self.line, first or "", last or "", speaker, [])

    def _divide(self, point: str, speaker: str) -> None:
        """End the text at a point of time, and begin another there."""
        if self._open is None:
            return
        first, last = self._open.first, self._open.last
        self._close()
        for at in range(len(self.spans) - 1, -1, -1):  # of all who speak at once
            span = self.spans[at]
            if point == last or (span.first, span.last) != (first, last):
                break
            self.spans[at] = span._replace(last=point)
        self._open = _Span(self.line, point, last, speaker, [])

    def _close(self) -> None:
        if self._open is not None:
            self.spans.append(self._open)
            self._open = None


def _whole_words(spans: Sequence[_Span]) -> list[_Span]:
    """Join texts of a tier at borders within words, if most texts end with a blank."""
    joined: list[_Span] = []
    texts = ["".join(span.texts) for span in spans]
    meet = [one.last == other.first for one, other in pairwise(spans)]
    blanks = [text[-1:].isspace() for text in texts]
    ended = sum(blank for blank, meets in zip(blanks, meet, strict=False) if meets)
    divides = 2 * ended > sum(meet)
    for at, span in enumerate(spans):
        before = texts[at - 1][-1:] if at and meet[at - 1] else ""
        if divides and before.isalnum() and texts[at][:1].isalnum():
            joined[-1] = joined[-1]._replace(last=span.last, texts=[*joined[-1].texts, *span.texts])
        else:
            joined.append(span)
    return joined


READER = FormatReader(
    name="timeline-xml",
    title="Transcriber, EXMARaLDA, FOLKER",
    section="annotations",
    content="utterances",
    kinds=("text",),
    looks_like=has_root(*ROOTS),
    parse=parse,
    sample=(
        b'<Trans audio_filename="x"><Episode><Section type="report" startTime="0" endTime="1">'
        b'<Turn startTime="0" endTime="0.65"><Sync time="0"/>das haus</Turn></Section></Episode>'
        b"</Trans>\n"
    ),
    words=("das", "haus"),
    extensions=("trs", "exb"),
)
