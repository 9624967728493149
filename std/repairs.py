"""Repairs of damaged files, counted by kind: a reader repairs a bad value and keeps the file.

One bad value must not make a recording unreadable: each rule below says how it is repaired.
`REFUSED`, the default of readers, raises an error instead of a repair, and so does ``--strict``.

    Repairs          the repairs of one reading: kind, number, and the first line
    Repairs.rows     rows of which some cannot be read are skipped, unless most of them are
    mended           the repairs of several files, by kind
    span_s           times of an utterance or a word, repaired
    confidence       a confidence; 1 if the value is invalid
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

from std.errors import InputError, named
from std.ranges import MAX_TIME_S, POSTERIOR_TOLERANCE

Row = TypeVar("Row")
Read = TypeVar("Read")

# Kinds, as reports name them: the fault, and its repair.
BEFORE_ZERO = "time below 0, taken as 0"
BACKWARDS = "end before its start, estimated"
TOO_LONG = "word longer than 65.535 s, cut"
TOO_LATE = "time beyond 298 h, estimated"
NO_TIME = "time that is no number, estimated"
NO_END = "missing end, estimated"
NO_START = "missing start, estimated"
OUT_OF_ORDER = "slot before the one before it, moved"
GOES_BACK = "link that goes back by up to 0.05 s, its end moved"
NO_CONFIDENCE = "confidence that cannot be one, taken as unknown"
TOO_MUCH = "posteriors that sum to more than 1, scaled"
NO_LETTER = "bytes that are no letter, written as \ufffd"
CONTROL = "control character in a text, taken as a blank"
NO_TEXT = "row without a text, skipped"
BAD_ROW = "row that cannot be read, skipped"
OTHER_LANGUAGE = "caption in another language than most, left out"
UNREAD = "recording without a transcript in its batch, left out"
# Doubts: values that are possible, but suggest another kind of file. Nothing is changed.
CLOCK_GOES_BACK = (
    "times that go back to the beginning: parts with clocks of their own, see --chunks"
)
AT_ONE_TIME = "words of one speaker at the same times: several recordings or channels in one file"
SEVERAL_RECORDINGS = "most utterances begin at 0 s: several recordings in one file"
IMPLAUSIBLE_RATE = "speech beyond 20 to 400 words a minute: times in another unit, or chapters"
DOUBTS = frozenset((CLOCK_GOES_BACK, SEVERAL_RECORDINGS, AT_ONE_TIME, IMPLAUSIBLE_RATE))

UNKNOWN = math.nan
MOST_ROWS = 0.5  # largest share of skipped rows; with more, the file has another format


class Repair(NamedTuple):
    """Number of repairs of one kind in a file, and the line of the first (1-based; 0: unknown)."""

    times: int
    line: int


class Repairs:
    """The repairs of one reading."""

    __slots__ = ("found", "refused", "strict")

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict  # nothing is mended
        self.refused: InputError | None = None  # the first fault, where no repair is allowed
        self.found: dict[str, Repair] = {}

    def note(self, kind: str, problem: InputError, count: int = 1) -> None:
        """Count a repair.

        Raises:
            InputError: repairs are not allowed.
        """
        if self.strict:
            self.refused = problem
            raise problem
        self.doubt(kind, problem.line, count)

    def doubt(self, kind: str, line: int, count: int = 1) -> None:
        """Count a doubtful value, which is not changed; this is never an error."""
        before = self.found.get(kind, Repair(0, line))
        self.found[kind] = Repair(before.times + count, before.line)

    def add(self, other: "Repairs") -> None:
        """Add the repairs of another reading of the same file."""
        for kind, (count, line) in other.found.items():
            self.doubt(kind, line, count)

    def rows(self, rows: Iterable[Row], read: Callable[[Row], Read]) -> Iterator[Read]:
        """Yield the value read from each row; rows that cannot be read are skipped.

        Raises:
            InputError: most rows cannot be read, or repairs are not allowed: the error of the first
                such row.
        """
        good, problems = 0, []
        for row in rows:
            try:
                result = read(row)
            except InputError as error:
                if self.strict:
                    self.refused = error
                    raise
                problems.append(error)
            else:
                good += 1
                yield result
        if len(problems) > MOST_ROWS * (good + len(problems)):
            raise problems[0]
        for problem in problems:
            self.note(BAD_ROW, problem)


REFUSED = Repairs(strict=True)  # of whoever mends nothing


class Mended(NamedTuple):
    """The number of repairs of one kind in all inputs, and the place of the first."""

    times: int
    path: Path
    line: int  # 1-based; 0: anywhere

    @property
    def place(self) -> str:
        """The first place as messages name it."""
        return f"{named(self.path)}:{self.line}" if self.line else named(self.path)


def mended(files: Iterable[tuple[Path, Mapping[str, Repair]]]) -> dict[str, Mended]:
    """The repairs of several files, by kind."""
    found: dict[str, Mended] = {}
    for path, repairs in files:
        for kind, (times, line) in repairs.items():
            before = found.get(kind, Mended(0, path, line))
            found[kind] = before._replace(times=before.times + times)
    return found


def repair_lines(repairs: Mapping[str, Mended]) -> Iterator[str]:
    """The number of repairs of each kind, and the place of the first."""
    for kind, one in repairs.items():
        what = "in doubt" if kind in DOUBTS else "repaired"
        yield f"{what}: {kind} ({one.times}, first {one.place})"


class RepairedSpan(NamedTuple):
    """Start and end in seconds; NaN where one is not known."""

    start_s: float
    end_s: float


def span_s(
    start_s: float, end_s: float, longest_s: float, place: tuple[Path | str, int], repairs: Repairs
) -> RepairedSpan:
    """Return times that an index can hold: none below 0 or too large, no end before its start.

    Args:
        start_s, end_s: as written, in seconds; NaN = unknown (the end alone, or both).
        longest_s: the longest duration; longer ones are cut.
        place: path and line, for messages.

    Returns:
        start and end; the end is NaN if it must be estimated, and both are if no time is known.

    Raises:
        InputError: repairs are not allowed.
    """
    if 0 <= start_s <= end_s <= MAX_TIME_S and end_s - start_s <= longest_s:
        return RepairedSpan(start_s, end_s)
    if math.isnan(start_s):
        return RepairedSpan(UNKNOWN, UNKNOWN)
    path, line = place
    got = f"{start_s:.3f} to {end_s:.3f}"
    if max(start_s, end_s) > MAX_TIME_S:
        repairs.note(TOO_LATE, InputError(path, line, f"times up to {MAX_TIME_S} s", got))
        return RepairedSpan(start_s if 0 <= start_s <= MAX_TIME_S else UNKNOWN, UNKNOWN)
    wrong = InputError(path, line, "0 <= start <= end in seconds", got)
    if start_s < 0:
        repairs.note(BEFORE_ZERO, wrong)
        start_s, end_s = 0.0, max(end_s, 0.0)
    if end_s < start_s:
        repairs.note(BACKWARDS, wrong)
        end_s = UNKNOWN
    elif end_s - start_s > longest_s:
        expected = f"a word of at most {longest_s} s"
        repairs.note(TOO_LONG, InputError(path, line, expected, got))
        end_s = start_s + longest_s
    return RepairedSpan(start_s, end_s)


def confidence(value: float, problem: InputError, repairs: Repairs) -> float:
    """Return a confidence from 0 to 1; one just outside by rounding is clipped, any other is 1.

    Raises:
        InputError: the confidence is invalid, and repairs are not allowed.
    """
    if -POSTERIOR_TOLERANCE <= value <= 1 + POSTERIOR_TOLERANCE:
        return min(max(value, 0.0), 1.0)
    repairs.note(NO_CONFIDENCE, problem)
    return 1.0
