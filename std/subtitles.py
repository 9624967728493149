"""Subtitles: texts with start and end, as SRT or WebVTT.

WebVTT: https://www.w3.org/TR/webvtt1/; SRT has no standard and is the same with commas.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal, NamedTuple

from std.errors import STANDARD_STREAM


class SubtitleCue(NamedTuple):
    """A text and when it is shown."""

    start_s: float
    end_s: float
    text: str


def subtitle_file(cues: Iterable[SubtitleCue], kind: Literal["srt", "vtt"]) -> bytes:
    """Cues in the order of time as a file."""
    lines = ["WEBVTT", ""] if kind == "vtt" else []
    point = "." if kind == "vtt" else ","
    for number, cue in enumerate(sorted(cues, key=lambda cue: cue.start_s), start=1):
        times = f"{clock(cue.start_s, point)} --> {clock(cue.end_s, point)}"
        lines += [str(number), times, _text(cue.text, kind), ""]
    return "\n".join([*lines, ""]).encode()


def is_subtitle_file(path: Path) -> bool:
    """Whether a path names one file of subtitles, and no folder for several."""
    return path == STANDARD_STREAM or path.suffix.lower() == ".srt"


def _text(text: str, kind: str) -> str:
    """A text in one line that is no markup."""
    text = " ".join(text.split()).replace("-->", "→")
    if kind == "vtt":
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("<", "‹").replace(">", "›")


def clock(seconds: float, point: str) -> str:
    """Seconds as hh:mm:ss.mmm.

    >>> clock(3675.25, ",")
    '01:01:15,250'
    """
    whole, ms = divmod(round(1000 * seconds), 1000)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}{point}{ms:03d}"
