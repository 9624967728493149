"""Stretches of recordings as files of players and editing programs: subtitles, edits, markers.

    subtitle_file    texts with start and end, as SRT or WebVTT
    edl              CMX 3600: the stretches one after another
    fcpxml           Final Cut's XML: the same, with a marker at each place
    markers          markers of one recording: Premiere's CSV, Resolve's EDL, Avid's text

CMX 3600 (SMPTE 258M) counts events from 001 to 999, names reels with eight letters (AX is a file)
and has the name of a file in a comment. An end is the first frame that is not shown. Time codes
count frames without dropping any: at 29.97 frames a second they are labels of 30. FCPXML has times
as fractions of a second; version 1.8 is the last that names files in ``asset``. WebVTT:
https://www.w3.org/TR/webvtt1/; SRT has no standard and is the same with commas.
"""

import io
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import quote

from std.csv_files import write_csv
from std.errors import STANDARD_STREAM, StdError

MarkersFor = Literal["premiere", "resolve", "avid"]
MARKER_ENDS: dict[MarkersFor, str] = {"premiere": ".csv", "resolve": ".edl", "avid": ".txt"}
FRAME_RATES = {
    "23.976": Fraction(24000, 1001),
    "24": Fraction(24),
    "25": Fraction(25),
    "29.97": Fraction(30000, 1001),
    "30": Fraction(30),
    "50": Fraction(50),
    "59.94": Fraction(60000, 1001),
    "60": Fraction(60),
}
MOST_EVENTS = 999
MOST_S = 360_000  # a time code has two digits for hours
VIDEO = (".mp4", ".mov", ".mkv", ".webm", ".avi", ".mpg", ".ts")
# Control characters: some programs take one for the end of a text, and XML cannot hold them.
UNSEEN = re.compile("[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
SRT_MARKUP = str.maketrans("<>{}", "‹›()")  # tags, and {\an8} of players, which is not shown
_TIMECODE = re.compile(r"(\d\d):([0-5]\d):([0-5]\d)[:;](\d\d)", re.ASCII)


class EditClip(NamedTuple):
    """A stretch of a recording, with a marked place in it."""

    source: str  # path or name of the recording's file
    start_s: float
    end_s: float
    at_s: float  # of the place
    name: str  # of the place
    note: str  # further text
    source_s: float | None = None  # duration of the file, if known


def timecode(frames: int, rate: Fraction) -> str:
    """The label of a frame.

    Raises:
        StdError: it is beyond 100 hours, for which a label has too few digits.

    >>> timecode(25 * 3675 + 7, Fraction(25))
    '01:01:15:07'
    """
    whole, frame = divmod(frames, round(rate))
    if whole >= MOST_S:
        raise StdError(f"expected places before 100:00:00:00, as time codes count, got {whole} s")
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}:{frame:02d}"


def frames_of(text: str, rate: Fraction) -> int:
    """The frame of a time code.

    Raises:
        ValueError: the text is not a time code.

    >>> frames_of("01:00:00:00", Fraction(30000, 1001))
    108000
    """
    match = _TIMECODE.fullmatch(text)
    if match is None or int(match[4]) >= round(rate):
        raise ValueError(f"expected a time code as 01:00:00:00, got {text!r}")
    hours, minutes, seconds, frame = map(int, match.groups())
    return (3600 * hours + 60 * minutes + seconds) * round(rate) + frame


def _frame(seconds: float, rate: Fraction) -> int:
    return round(Fraction(seconds).limit_denominator(1_000_000) * rate)


def _span(start_s: float, end_s: float, rate: Fraction) -> tuple[int, int]:
    """First frame of a stretch, and the first after it; at least one frame."""
    first = _frame(start_s, rate)
    return first, max(first + 1, _frame(end_s, rate))


def edl(clips: Sequence[EditClip], title: str, rate: Fraction, first_frame: int = 0) -> bytes:
    """Clips one after another as an edit decision list.

    Args:
        clips: in their order.
        rate: frames a second.
        first_frame: the first frame of the edit, as a time code has it.

    Raises:
        StdError: there are more events than the format can count, or two files have the same name,
            and the format stores only names.
    """
    files: dict[str, str] = {}
    for clip in clips:
        other = files.setdefault(Path(clip.source).name, clip.source)
        if other != clip.source:
            expected = f"expected audio files of different names for an EDL, got {other}"
            raise StdError(f"{expected} and {clip.source}; a file .fcpxml has their paths")
    if len(clips) > MOST_EVENTS:
        expected = f"expected at most {MOST_EVENTS} hits for an EDL, got {len(clips)}"
        raise StdError(f"{expected}; --limit or --min-probability leaves some out")
    lines = [f"TITLE: {_line(title)}", "FCM: NON-DROP FRAME", ""]
    record = first_frame
    for number, clip in enumerate(clips, 1):
        first, end = _span(clip.start_s, clip.end_s, rate)
        times = (first, end, record, record + end - first)
        track = "AA/V" if Path(clip.source).suffix.lower() in VIDEO else "AA"
        codes = " ".join(timecode(time, rate) for time in times)
        lines.append(f"{number:03d}  AX       {track:<5} C        {codes}")
        lines.append(f"* FROM CLIP NAME: {_line(Path(clip.source).name)}")
        lines.append(f"* COMMENT: {_line(clip.name)}: {_line(clip.note)}")
        record += end - first
    return "\r\n".join([*lines, ""]).encode()


def fcpxml(clips: Sequence[EditClip], title: str, rate: Fraction, first_frame: int = 0) -> bytes:
    """Clips one after another as Final Cut's XML, with a marker at the place of each.

    Args:
        clips: in their order; a relative path is one beside the XML.
        rate: frames a second.
        first_frame: the first frame of the edit, as a time code has it.
    """
    sources = {
        source: f"r{i}" for i, source in enumerate(dict.fromkeys(c.source for c in clips), 2)
    }
    spans = [_span(clip.start_s, clip.end_s, rate) for clip in clips]
    ends = {
        source: max(
            _frame(clip.source_s or 0.0, rate) or end
            for clip, (_, end) in zip(clips, spans, strict=True)
            if clip.source == source
        )
        for source in sources
    }
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<!DOCTYPE fcpxml>"]
    lines += ['<fcpxml version="1.8">', " <resources>"]
    lines.append(f'  <format id="r1" frameDuration="{_time(1, rate)}"/>')
    for source, name in sources.items():
        has_video = ' hasVideo="1" format="r1"' * (Path(source).suffix.lower() in VIDEO)
        called = f"name={_attribute(Path(source).name)} src={_attribute(_url(source))}"
        lines.append(
            f'  <asset id="{name}" {called} start="0s" duration="{_time(ends[source], rate)}"'
            f'{has_video} hasAudio="1" audioSources="1"/>'
        )
    total = sum(end - first for first, end in spans)
    lines += [" </resources>", " <library>", f"  <event name={_attribute(title)}>"]
    lines.append(f"   <project name={_attribute(title)}>")
    start = f'tcStart="{_time(first_frame, rate)}" tcFormat="NDF"'
    lines.append(f'    <sequence format="r1" duration="{_time(total, rate)}" {start}>')
    lines.append("     <spine>")
    offset = first_frame
    for clip, (first, end) in zip(clips, spans, strict=True):
        lines.append(
            f'      <asset-clip ref="{sources[clip.source]}" name={_attribute(clip.name)}'
            f' offset="{_time(offset, rate)}" start="{_time(first, rate)}"'
            f' duration="{_time(end - first, rate)}">'
        )
        at = min(max(_frame(clip.at_s, rate), first), end - 1)
        lines.append(
            f'       <marker start="{_time(at, rate)}" duration="{_time(1, rate)}"'
            f" value={_attribute(clip.name)} note={_attribute(clip.note)}/>"
        )
        lines.append("      </asset-clip>")
        offset += end - first
    lines += ["     </spine>", "    </sequence>", "   </project>", "  </event>", " </library>"]
    return "\n".join([*lines, "</fcpxml>", ""]).encode()


def markers(
    clips: Sequence[EditClip], kind: MarkersFor, title: str, rate: Fraction, first_frame: int = 0
) -> bytes:
    """Markers at the places of one recording.

    Args:
        clips: the clips whose places are marked.
        kind: the program that reads the file.
        rate: frames a second.
        first_frame: the first frame of the recording, as a time code has it.
    """
    placed = sorted((_span(clip.start_s, clip.end_s, rate), clip) for clip in clips)
    rows = [
        (
            timecode(first_frame + first, rate),
            timecode(first_frame + first + 1, rate),
            timecode(first_frame + end, rate),
            end - first,
            clip,
        )
        for (first, end), clip in placed
    ]
    if kind == "premiere":
        header = ["Marker Name", "Description", "In", "Out", "Duration", "Marker Type"]
        cells = [
            [_line(clip.name), _line(clip.note), start, end, timecode(length, rate), "Comment"]
            for start, _, end, length, clip in rows
        ]
        target = io.BytesIO()
        write_csv(target, header, cells)
        return target.getvalue()
    if kind == "avid":
        return "".join(
            f"std\t{start}\tA1\tred\t{_line(clip.name)}: {_line(clip.note)}\t{length}\r\n"
            for start, _, _, length, clip in rows
        ).encode()
    lines = [f"TITLE: {_line(title)}", "FCM: NON-DROP FRAME", ""]
    for number, (start, after, _, length, clip) in enumerate(rows, 1):
        lines.append(f"{number:03d}  001      V     C        {start} {after} {start} {after}")
        name = f"{_line(clip.name)}: {_line(clip.note)}".replace("|", "/")
        lines += [f" |C:ResolveColorBlue |M:{name} |D:{length}", ""]
    return "\r\n".join(lines).encode()


def _line(text: str) -> str:
    return UNSEEN.sub("\N{REPLACEMENT CHARACTER}", " ".join(text.split()))


def _time(frames: int, rate: Fraction) -> str:
    """A number of frames as FCPXML writes a time: a fraction of a second.

    Its denominator is that of the frame rate, because readers that compute with floats lose a frame
    if the fraction is reduced: OpenTimelineIO reads 23/5s as 114 frames of 1/25 s, not 115.

    >>> _time(115, Fraction(25)), _time(115, Fraction(24000, 1001)), _time(0, Fraction(25))
    ('115/25s', '115115/24000s', '0s')
    """
    return f"{frames * rate.denominator}/{rate.numerator}s" if frames else "0s"


def _attribute(text: str) -> str:
    from xml.sax.saxutils import quoteattr  # it loads an HTTP client

    return quoteattr(_line(text))


def _url(source: str) -> str:
    """The address of a file, relative if its path is relative."""
    path = Path(source)
    return path.as_uri() if path.is_absolute() else f"./{quote(source)}"


class SubtitleCue(NamedTuple):
    """A text and when it is shown."""

    start_s: float
    end_s: float
    text: str


def subtitle_file(cues: Iterable[SubtitleCue], kind: Literal["srt", "vtt"]) -> bytes:
    """Cues in the order of time as a file; each lasts at least a millisecond (a rule of WebVTT)."""
    lines = ["WEBVTT", ""] if kind == "vtt" else []
    point = "." if kind == "vtt" else ","
    for number, cue in enumerate(sorted(cues, key=lambda cue: cue.start_s), start=1):
        end_s = max(cue.end_s, cue.start_s + 0.001)
        times = f"{clock(cue.start_s, point)} --> {clock(end_s, point)}"
        lines += [str(number), times, _text(cue.text, kind), ""]
    return "\n".join([*lines, ""]).encode()


def is_subtitle_file(path: Path) -> bool:
    """Whether a path names one file of subtitles, not a folder for several."""
    return path == STANDARD_STREAM or path.suffix.lower() == ".srt"


def _text(text: str, kind: str) -> str:
    """A text in one line, without markup."""
    text = _line(text).replace("-->", "→")
    if kind == "vtt":
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.translate(SRT_MARKUP)


def clock(seconds: float, point: str) -> str:
    """Seconds as hh:mm:ss.mmm.

    >>> clock(3675.25, ",")
    '01:01:15,250'
    """
    whole, ms = divmod(round(1000 * seconds), 1000)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}{point}{ms:03d}"
