"""Lines of transcripts with times: the place of the time in a line, and the text it applies to.

    with_clocks    times in seconds, with frames or between # -> clock times
    timed_lines    a text -> its lines with times, each with the lines without that belong to it

A line is read in the first of three ways in which the text makes sense (`is_plausible`):

    0:05 hello, [0:05] Anna: hello, Anna Smith  0:05      the time first, or set off from a name
    Anna 0:05, [Anna] 0:05, Anna - 0:05 - 0:09            the time right after a name
    Anna: hello [0:09]                                    the time last

A time after the text is its end, as in transcription programs; it is the start if the first one is
0, or if that fits the lengths of the texts better.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from indexer.formats.shared.clock import frames_as_decimals, seconds_of
from indexer.formats.shared.speaker_shapes import is_label, is_name
from indexer.networks.raw import SECONDS_PER_LETTER
from std.repairs import UNKNOWN
from std.values import Float64s

TIME = r"(?:\d{1,3}:)?\d{1,2}:\d{2}(?:[.,]\d{1,9})?"
_RANGE = rf"({TIME})(?:\s*(?:--?>|[-\u2013\u2014,])\s*({TIME}))?"
_BOTH = re.compile(
    rf"\s*+(?:[\[(]\s*)?({TIME})\s*(?:--?>|[-\u2013\u2014,]|\s,\s)\s*({TIME})\s*[\])]?(.*)"
)
_FIRST = re.compile(rf"\s*((?:[\[(]\s*{TIME}\s*[\])]\s*)+|(?>{TIME})(?=[\s:\u2013-]|$))(.*)")
_NAMED = re.compile(
    rf"\s*([^\W\d_][^\t\n:\[\]()]{{0,60}}?)[\s,]*+"
    rf"(?:[\[(]\s*({TIME})\s*[\])]\s*:?(.*)|(?:(?<=\s\s)|(?<=[\t,])|(?<=,\s))({TIME})\s*)"
)
_BEHIND_NAME = re.compile(
    rf"\s*\[?([^\W\d_][^\t\n:\[\]()|@]{{0,60}}?)\]?[\s:,|@\u2013\u2014-]++"
    rf"(?:[\[(]\s*)?{_RANGE}\s*[\])]?(?=[\s:]|$)[\s:]*(.*)"
)
_LAST = re.compile(rf"(?:\s*[\[(]\s*|\s+)({TIME})\s*[\])]?\s*$")
_BULLET = re.compile(r"^\s*(?:[*\u2022\u2013-]|\d{1,4}[.)])\s+(?=[\d\[(*])")  # of lists
_MARKDOWN = re.compile(r"(?m)^[ \t]*#{1,6}\s+|\*\*(?=[^*\n]{1,80}\*\*)|(?<=[^\s*])\*\*")
_SECONDS = re.compile(r"(?m)^[ \t]*\[(\d{1,6})\.(\d{1,3})s?\s*-+>\s*(\d{1,6})\.(\d{1,3})s?\]")
_HASHES = re.compile(r"#(\d{1,3}:\d\d:\d\d)-(\d)#")  # of transcription programs: tenths
_ANGLES = re.compile(rf"(?m)^([ \t]*)<({TIME})>")
_PARTS = re.compile(
    r"(?m)^([ \t]*[\[({]?)(?:(\d{1,3})h\s?)?(\d{1,3})m\s?(\d{1,2})(?:[.,](\d{1,9}))?s\b"
)
_DOTTED = re.compile(r"(?m)^([ \t]*[\[({]?)(\d{1,2})\.([0-5]\d)\.([0-5]\d)()(?=[\])}\s:]|$)")
_CLOCKS = re.compile(rf"(?m)^[ \t]*[\[(]?{TIME}")
_BRACES = re.compile(rf"(?m)^([ \t]*)\{{({TIME})\}}")
LEAST_ALONE = 2  # lines with times in another form, if none has a clock time
_STAMP = re.compile(TIME)
_ROW = re.compile(rf"\s*{TIME}\t(?:\d+(?:[.,]\d+)?|{TIME})\t")
_LEADING = re.compile(r"^[\s:,\u2013\u2014|-]+")
_FOOTER = re.compile(r"(?i)\s*(transcribed|transcript|generated|created) (by|with|at) \S+")
LATEST_FIRST_S = 1800.0  # a transcript begins near the beginning of its recording
LEAST_TIMED = 0.2  # of lines
LONGEST_LAST = 60  # letters of a time at the end of a line
LEAST_LAST = 0.5  # of lines, if times are last
LEAST_RISING = 0.9
LEAST_ALIKE = 0.7  # of lines have a time and a text after a name
LEAST_FITTED = 6  # lines needed to decide whether times are starts


class TimedLine(NamedTuple):
    """A line with a time: its place and its text."""

    line: int
    start_s: float
    end_s: float
    text: str
    speaker: str = ""
    below: tuple[str, ...] = ()  # lines without a time that follow
    above: str = ""  # the one before it


def with_clocks(text: str) -> str:
    """Write times in seconds, with frames or tenths as clock times, and remove Markdown.

    >>> with_clocks("[0.00s -> 64.50s] hello"), with_clocks("**Anna:** hello #00:00:05-3#")
    ('[0:00.00 -> 1:04.50] hello', 'Anna: hello [00:00:05.3]')
    """
    text = _HASHES.sub(r"[\1.\2]", text) if "#" in text else text
    text = _MARKDOWN.sub("", text) if "**" in text or "# " in text else text
    text = _ANGLES.sub(r"\1[\2]", text) if "<" in text else text
    text = _with_parts(text)
    return frames_as_decimals(_SECONDS.sub(_clock, text))


def _with_parts(text: str) -> str:
    """Write 0h1m2s and 00.01.02 at the beginnings of lines as clock times, if there are none yet.

    >>> _with_parts("0h0m5s hello\\n0h1m2.5s there"), _with_parts("{00.00.05} a\\n{00.00.09} b")
    ('0:00:05 hello\\n0:01:02.5 there', '[0:00:05] a\\n[0:00:09] b')
    """
    for pattern, mark in ((_PARTS, "m"), (_DOTTED, ".")):
        if mark in text and not _CLOCKS.search(text) and len(pattern.findall(text)) >= LEAST_ALONE:
            text = pattern.sub(_whole_clock, text)
    return _BRACES.sub(r"\1[\2]", text) if "{" in text else text


def _whole_clock(parts: re.Match[str]) -> str:
    before, hours, minutes, whole, rest = parts.groups()
    total_min = 60 * int(hours or 0) + int(minutes)
    decimals = f".{rest}" if rest else ""
    return f"{before}{total_min // 60}:{total_min % 60:02}:{int(whole):02}{decimals}"


def _clock(times: re.Match[str]) -> str:
    first, last = (f"{int(s) // 60}:{int(s) % 60:02}.{rest}" for s, rest in
                   ((times[1], times[2]), (times[3], times[4])))  # fmt: skip
    return f"[{first} -> {last}]"


def timed_lines(text: str) -> list[TimedLine]:
    """Find the lines with times of a text with clock times; none if it is implausible."""
    lines = text.split("\n")
    written = sum(bool(line.strip()) for line in lines)
    first = list(_with_those_below(lines, _timed))
    if len({one.line for one in first}) < len(first):  # lyrics: a line is sung several times
        first.sort(key=lambda one: one.start_s)
    if is_plausible(first, written):
        return first
    named = list(_with_those_below(lines, _behind_name))
    with_text = sum(bool(one.text) for one in named)
    alike = with_text == 0 or with_text == len(named) >= LEAST_ALIKE * written
    if alike and len(named) > 1 and is_plausible(named, written):
        return named
    last = list(_with_times_last(lines))
    if len(last) > 1 and is_plausible(last, written, LEAST_LAST):
        return _starts_or_ends(last)
    return first


def is_plausible(found: Sequence[TimedLine], written: int, least: float = LEAST_TIMED) -> bool:
    """Whether lines are a transcript's: many, in order, with texts.

    Args:
        found: with times.
        written: the number of lines that are not blank.
        least: share of these that have times.
    """
    if not found or len(found) < least * written or found[0].start_s > LATEST_FIRST_S:
        return False
    starts = [one.start_s for one in found]
    rising = sum(a <= b for a, b in pairwise(starts))
    said = sum(bool(one.text or one.below) for one in found)
    has_text = any(letter.isalpha() for one in found for letter in one.text + "".join(one.below))
    return has_text and rising >= LEAST_RISING * (len(starts) - 1) and 2 * said > len(found)


def _with_those_below(
    lines: Sequence[str], timed: Callable[[int, str], list[TimedLine]]
) -> Iterator[TimedLine]:
    """Yield the lines with times, each with the lines without below it."""
    waiting: list[TimedLine] = []
    below: list[str] = []
    for at, line in enumerate(lines, start=1):
        found = timed(at, _BULLET.sub("", line)) if ":" in line else []
        if found:
            yield from (one._replace(below=tuple(below)) for one in waiting)
            above = below[-1] if below else ""
            waiting, below = [one._replace(above=above) for one in found], []
        elif line.strip() and not _FOOTER.match(line):
            below.append(line.strip())
    yield from (one._replace(below=tuple(below)) for one in waiting)


def _timed(at: int, line: str) -> list[TimedLine]:
    """Read the times of a line; one of lyrics may have several, a row of a table has columns."""
    if _ROW.match(line):
        return []
    if both := _BOTH.match(line):
        start_s, end_s = seconds_of(both[1]), seconds_of(both[2])
        if end_s >= start_s or not both[3].strip():  # an end before its start is repaired
            return [TimedLine(at, start_s, end_s, _LEADING.sub("", both[3]).replace("|", "\n"))]
    if first := _FIRST.match(line):
        text = _LEADING.sub("", first[2])
        return [
            TimedLine(at, seconds_of(stamp), UNKNOWN, text) for stamp in _STAMP.findall(first[1])
        ]
    if (named := _NAMED.fullmatch(line)) and (named[2] or named[4]):
        speaker = named[1].strip(" *#,-\u2013")
        return [TimedLine(at, seconds_of(named[2] or named[4]), UNKNOWN, named[3] or "", speaker)]
    return []


def _behind_name(at: int, line: str) -> list[TimedLine]:
    """Read a line of a name and times."""
    found = _BEHIND_NAME.fullmatch(line)
    if not found or not (is_name(found[1]) or is_label(found[1])):
        return []
    start_s, end_s = seconds_of(found[2]), seconds_of(found[3]) if found[3] else UNKNOWN
    return [] if end_s < start_s else [TimedLine(at, start_s, end_s, found[4], found[1])]


def _with_times_last(lines: Sequence[str]) -> Iterator[TimedLine]:
    """Yield lines that end with their times, each with the lines without above it."""
    above: list[str] = []
    for at, line in enumerate(lines, start=1):
        end = line[-LONGEST_LAST:]  # fast: a line may be as long as a file
        found = _LAST.search(end) if ":" in end else None
        said = line[: len(line) - len(end) + found.start()].strip() if found else ""
        if found and any(map(str.isalpha, said)):
            time_s = seconds_of(found[1])
            yield TimedLine(at - len(above), time_s, time_s, "\n".join([*above, said]))
            above = []
        elif line.strip():
            above.append(line.strip())


def _starts_or_ends(lines: Sequence[TimedLine]) -> list[TimedLine]:
    """Use times after texts as ends, or as starts if they cannot be ends."""
    times_s = np.array([one.start_s for one in lines])
    letters = np.array([len(one.text) for one in lines], np.float64)
    fits = len(lines) >= LEAST_FITTED and _spread(letters[1:-1], np.diff(times_s)[1:]) < _spread(
        letters[1:-1], np.diff(times_s)[:-1]
    )
    if times_s[0] < 1.0 or fits:
        return [one._replace(end_s=UNKNOWN) for one in lines]
    before_s = np.concatenate(
        [[max(0.0, times_s[0] - 2 * SECONDS_PER_LETTER * letters[0])], times_s[:-1]]
    )
    return [
        one._replace(start_s=min(start_s, one.end_s))
        for one, start_s in zip(lines, before_s.tolist(), strict=True)
    ]


def _spread(letters: Float64s, lengths_s: Float64s) -> float:
    """The spread of rates of speech: the median of the distances from their median, as logs."""
    rates = np.log(letters + 1) - np.log(np.maximum(lengths_s, 0.1))
    return float(np.median(np.abs(rates - np.median(rates))))
