"""Times as captions write them, the lines that have two of them, and the unit of bare numbers.

    CLOCK                           the pattern of a time; hours may be missing, decimals follow a
                                    comma or a point
    seconds, seconds_of             the groups of a match, a time -> seconds
    frames_as_decimals              times with frames -> times with decimals
    time_lines, require_times       a text -> its lines of times, or an error for a damaged one
    codes_of                        a text -> its code points
    note_restarts                   times that go back to the beginning
    unit_s                          times and letters of a whole file -> seconds of their unit
    plausible, speech_is_plausible  whether people speak at such a rate

Hours have up to four digits, as recordings of weeks have.

Names of columns and keys mostly say the unit; if not, the rate of speech decides. People say
between 20 and 400 words a minute, about 2 to 40 letters a second. Seconds are taken unless only
another unit gives such a rate, so that a file of a few words stays as it is.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from indexer.networks.chunks import BACK_S
from indexer.networks.utterances import Utterances
from std.errors import InputError
from std.fields import shown
from std.repairs import BAD_ROW, CLOCK_GOES_BACK, REFUSED, Repairs
from std.values import Float64s

CLOCK = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[,.](\d{1,9}))?"
FRAME_RATES = (25, 30, 50, 60)
_FRAMES = re.compile(r"[:;](\d{2})(?!\d|[.:]\d)(?<=\b\d\d:\d\d:\d\d[:;]\d\d)")  # fast: a mark first
_BARE = re.sub(r"\((?!\?)", "(?:", CLOCK)  # without groups
_CLOCK = re.compile(CLOCK)
_IN_LINE = rf"({_BARE}|\d{{1,2}}[,.]\d{{1,9}})"  # of the first minute perhaps seconds only
TIME_LINE = re.compile(rf"(?m)^[ \t\ufeff]*{_IN_LINE}[ \t]*-+>[ \t]*{_IN_LINE}(?=[ \t]|$).*$")
_ARROW = re.compile(r"(?mi)^[ \t]*(?:-?\d|[+-]?(?:nan|inf(?:inity)?)\b).*-->.*$")
_USUAL = len("00:00:00,000")
_UNITS_S = np.array([36000, 3600, 0, 600, 60, 0, 10, 1, 0, 0.1, 0.01, 0.001])
_DIGITS = np.flatnonzero(_UNITS_S)
_LINE = "00:00:00.000 --> 00:00:00.000"
_LINE_CODES = np.array(list(map(ord, _LINE)))
_LINE_DIGITS = [column for column, letter in enumerate(_LINE) if letter == "0"]
_MARKS = [column for column, letter in enumerate(_LINE) if letter != "0"]


class TimeLine(NamedTuple):
    """A line of times: its place in the text, and its values."""

    begin: int
    end: int
    line: int  # 1-based
    start_s: float
    end_s: float


def seconds(hours: str | None, minutes: str, whole: str, decimals: str | None) -> float:
    """Return the seconds of a time that was matched by `CLOCK`.

    >>> seconds(None, "01", "02", "5"), seconds("1", "00", "00", "000")
    (62.5, 3600.0)
    """
    total = 60 * int(minutes) + int(whole) + (3600 * int(hours) if hours else 0)
    return total + int(decimals) / 10 ** len(decimals) if decimals else float(total)


def seconds_of(written: str) -> float:
    """Return the seconds of a time that `CLOCK` matches.

    Raises:
        ValueError: it does not match.

    >>> seconds_of("1:02.5")
    62.5
    """
    match = _CLOCK.fullmatch(written)
    if match is None:
        raise ValueError(written)
    return seconds(*match.groups())


def frames_as_decimals(text: str) -> str:
    """Write times with frames, ``00:00:01:12`` or ``00:00:01;12``, with decimals.

    The frame rate is the lowest of `FRAME_RATES` that the largest frame number allows. To confuse
    25 with 30, or 50 with 60, moves a time by less than a fifth of a second.

    >>> frames_as_decimals("00:00:01:12 --> 00:00:02;20"), frames_as_decimals("0:00:01.5")
    ('00:00:01.480 --> 00:00:02.800', '0:00:01.5')
    """
    largest = max((int(frame) for frame in _FRAMES.findall(text)), default=-1)
    if largest < 0:
        return text
    rate = next((rate for rate in FRAME_RATES if largest < rate), largest + 1)
    return _FRAMES.sub(lambda match: f".{round(1000 * int(match[1]) / rate):03d}", text)


def time_lines(text: str) -> list[TimeLine]:
    """Find the lines of times of a text, in order."""
    usual = _usual_time_lines(text)
    return _any_time_lines(text) if usual is None else usual


def _any_time_lines(text: str) -> list[TimeLine]:
    found = list(TIME_LINE.finditer(text))
    starts_s, ends_s = (_all_seconds([one[group] for one in found]) for group in (1, 2))
    lines, line, at = [], 1, 0
    for one, start_s, end_s in zip(found, starts_s.tolist(), ends_s.tolist(), strict=True):
        begin, end = one.span()
        line, at = line + text.count("\n", at, begin), begin
        lines.append(TimeLine(begin, end, line, start_s, end_s))
    return lines


def _usual_time_lines(text: str) -> list[TimeLine] | None:
    """All lines at once, if each arrow is in a line such as 00:00:01,500 --> 00:00:02,500."""
    codes = codes_of(text + "\n")
    begins = np.flatnonzero((codes[:-1] == ord("-")) & (codes[1:] == ord(">"))) - _LINE.index("->")
    if len(begins) == 0 or begins[0] < 0 or begins[-1] + len(_LINE) > len(text):
        return None
    newlines = np.flatnonzero(codes == ord("\n"))
    number = np.searchsorted(newlines, begins)
    line_begins = np.concatenate([[0], newlines + 1])[number]
    ends, after = newlines[number], codes[begins + len(_LINE)]
    lines = codes[begins[:, None] + np.arange(len(_LINE))]
    marks = np.where(lines == ord(","), ord("."), lines)[:, _MARKS]
    digits = lines[:, _LINE_DIGITS].astype(np.int64) - ord("0")
    if not (
        (line_begins == begins).all()
        and np.isin(after, list(map(ord, "\n \t"))).all()
        and (marks == _LINE_CODES[_MARKS]).all()
        and ((digits >= 0) & (digits <= 9)).all()
    ):
        return None
    starts_s, ends_s = map(_seconds_of, np.split(digits, 2, axis=1))
    columns = (begins, ends, number + 1, starts_s, ends_s)
    return list(map(TimeLine, *(column.tolist() for column in columns)))


def codes_of(text: str) -> npt.NDArray[np.unsignedinteger]:
    """(n,) code points of a text, in as few bytes as they need."""
    if text.isascii():
        return np.frombuffer(text.encode(), np.uint8)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _seconds_of(digits: npt.NDArray[Any]) -> Float64s:
    """(n,) seconds of the digits of times of the usual length."""
    seconds: Float64s = np.rint(1000 * (digits @ _UNITS_S[_DIGITS])) / 1000
    return seconds


def note_restarts(
    starts_s: Sequence[float] | Float64s, lines: Sequence[int], repairs: Repairs
) -> None:
    """Note places where the times of one recording go back to the beginning, before sorting."""
    starts = np.array(starts_s, np.float64)
    back = np.flatnonzero((starts[1:] < BACK_S) & (starts[1:] < starts[:-1] - BACK_S)) + 1
    if len(back):
        repairs.doubt(CLOCK_GOES_BACK, lines[back[0]], len(back))


def require_times(text: str, path: Path | str, expected: str, repairs: Repairs = REFUSED) -> bool:
    """Note lines with an arrow that begin with a number but have no times; return if there are any.

    Raises:
        InputError: there is such a line, and repairs are not allowed.
    """
    found = False
    for arrow in _ARROW.finditer(text):
        if not TIME_LINE.match(arrow[0]):
            line = text.count("\n", 0, arrow.start()) + 1
            problem = InputError(path, line, expected, shown(arrow[0].strip().encode()))
            repairs.note(BAD_ROW, problem)
            found = True
    return found


def before_arrow(body: str) -> str:
    """Return the text before a line with an arrow: that of the caption before."""
    return _ARROW.split(body, maxsplit=1)[0]


def _all_seconds(times: Sequence[str]) -> Float64s:
    """(n,) seconds of times that `CLOCK` matches; in one pass if they have the usual length."""
    usual = np.array([len(time) == _USUAL for time in times], dtype=bool)
    values = np.zeros(len(times))
    some = "".join([time for time in times if len(time) == _USUAL])
    if some.isascii():
        letters = np.frombuffer(some.encode(), np.uint8).reshape(-1, _USUAL)
        digits = letters[:, _DIGITS].astype(np.float64) - ord("0")
        plain = ((digits >= 0) & (digits <= 9)).all(axis=1)
        rows = np.flatnonzero(usual)
        values[rows] = _seconds_of(digits)
        usual[rows[~plain]] = False
    else:
        usual[:] = False
    for row in np.flatnonzero(~usual).tolist():
        match = _CLOCK.fullmatch(times[row])
        values[row] = seconds(*match.groups()) if match else float(times[row].replace(",", "."))
    return values


SLOWEST, FASTEST = 1.8, 40.0  # letters a second: 20 and 400 words a minute, of 5.5 and 6 letters
FEW_LETTERS = 20
UNITS_S = (1.0, 0.001, 0.01, 1e-7, 1e-6, 1e-9)  # the likelier ones first


def plausible(letters: float, length_s: float) -> bool:
    """Whether a number of letters may be said in a number of seconds."""
    return SLOWEST * length_s <= letters <= FASTEST * length_s


def speech_is_plausible(blocks: Sequence[Utterances]) -> bool:
    """Whether people speak at the rate of a file's utterances.

    Any rate is plausible for fewer letters than in a few words.
    """
    letters = sum(n_letters(block) for block in blocks)
    length_s = sum(float(np.diff(block.spans_ms).sum()) for block in blocks) / 1000
    return letters < FEW_LETTERS or plausible(letters, length_s)


def n_letters(block: Utterances) -> float:
    """Letters of the words of utterances."""
    return float(np.array([*map(len, block.vocabulary), 0])[block.words].sum())


def unit_s(starts: Float64s, ends: Float64s, letters: float) -> float:
    """Find the unit of times.

    Args:
        starts, ends: (n,) of stretches of speech, in the unknown unit.
        letters: the letters of all of them.

    Returns:
        seconds of the unit; 1 if no unit gives a plausible rate.

    >>> starts, ends = np.array([0.0, 2100.0]), np.array([2100.0, 4000.0])
    >>> unit_s(starts, ends, 31), unit_s(starts / 1000, ends / 1000, 31), unit_s(starts, ends, 0)
    (0.001, 1.0, 1.0)
    """
    known = np.isfinite(starts) & np.isfinite(ends)
    starts, ends = starts[known], ends[known]
    length = float(np.maximum(0.0, ends - starts).sum())
    whole = bool((starts == np.trunc(starts)).all() and (ends == np.trunc(ends)).all())
    units = UNITS_S if whole else (1.0, 0.001)
    return next((unit for unit in units if plausible(letters, length * unit)), 1.0)
