"""Ranges of numbers, for settings, options and fields of files, and the limits of readers.

A `Range` describes itself by `str` ("0 to 1", "above 0, up to 1000000"), checks a number
(`Range.require`) and reads a number from text (`Range.read`). NaN and the infinities
lie in no range. Limits and tolerances are those of recogniser output, of NIST's files and of
ZeroSpeech's.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Annotated, Any, get_origin, get_type_hints

from std.errors import quoted

MAX_DIGITS = 400  # of a number in text: the largest double has 309, Python reads 4,300
_NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
_WHOLE = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Range:
    """Finite numbers from ``lowest`` to ``highest``, both included unless ``above`` or ``below``.

    >>> str(Range(0, 1)), str(Range(0, 1000, above=True)), str(Range(0, 1, above=True, below=True))
    ('0 to 1', 'above 0, up to 1000', 'above 0, below 1')
    >>> 0.5 in Range(0, 1), float("nan") in Range(0, 1), 0.5 in Range(0, 9, whole=True)
    (True, False, False)
    """

    lowest: float
    highest: float
    whole: bool = False  # whole numbers only
    above: bool = False  # without ``lowest`` itself
    below: bool = False  # without ``highest`` itself

    def __str__(self) -> str:
        if not (self.above or self.below):
            return f"{_plain(self.lowest)} to {_plain(self.highest)}"
        low = "above" if self.above else "from"
        high = "below" if self.below else "up to"
        return f"{low} {_plain(self.lowest)}, {high} {_plain(self.highest)}"

    def __contains__(self, value: Any) -> bool:
        kind: type[Any] = Integral if self.whole else Real
        if isinstance(value, bool) or not isinstance(value, kind):
            return False
        low = value > self.lowest if self.above else value >= self.lowest  # NaN is neither
        return bool(low and (value < self.highest if self.below else value <= self.highest))

    @property
    def described(self) -> str:
        """The range in words, for messages."""
        kind = "a whole number" if self.whole else "a number"
        return f"{kind} {self}" if self.above or self.below else f"{kind} from {self}"

    def require(self, value: Any) -> float:
        """The value, a number of this range.

        Raises:
            ValueError: the value is not a number of the range.
        """
        if value in self:
            return int(value) if self.whole else float(value)
        raise ValueError(f"expected {self.described}, got {quoted(value)}")

    def argument(self, name: str, value: Any) -> float:
        """An argument of a call.

        Raises:
            ValueError: as `require`, with the name of the argument.
        """
        try:
            return self.require(value)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None

    def read(self, text: str) -> float:
        """A number of this range from decimal text.

        >>> Range(0, 15, whole=True).read("3"), Range(0, 1).read("1e-1")
        (3, 0.1)

        Raises:
            ValueError: as `require`.
        """
        pattern = _WHOLE if self.whole else _NUMBER
        if len(text) > MAX_DIGITS or not pattern.fullmatch(text):
            raise ValueError(f"expected {self.described}, got {quoted(text)}")
        value = int(text) if self.whole else float(text)
        if value not in self:
            raise ValueError(f"expected {self.described}, got {quoted(text)}")
        return value


def _plain(number: float) -> str:
    """A number as a person writes it: without exponent, and without needless digits or point.

    >>> _plain(1073741.823), _plain(0.000001), _plain(3.0)
    ('1073741.823', '0.000001', '3')
    """
    if not isinstance(number, float):
        return str(number)
    places = 12 if abs(number) < 1 else 6
    return f"{number:.{places}f}".rstrip("0").rstrip(".")


POSTERIOR_TOLERANCE = 1e-3  # beyond [0, 1] by at most this much: clipped
SUM_TOLERANCE = 1e-2  # a slot's sum beyond 1: scaled to 1
MAX_WORD_S = 65.535  # a store keeps word durations in 16 bits of milliseconds
MAX_TIME_S = (2**30 - 1) / 1000  # and times in 31; half of them for an utterance's offset
MAX_LINKS = 1_000_000  # of one lattice; real ones have thousands
MAX_UTTERANCE_BYTES = 1 << 28  # of one mesh or one line, and of one JSON document
MAX_DOCUMENT_BYTES = 1 << 26  # of a model, and of what our own commands printed
MAX_CHANNEL = 9999
PROCESSES = Range(1, 1000, whole=True)  # of a command on this machine
CHANNEL = Range(0, MAX_CHANNEL, whole=True)
TIME_S = Range(0, MAX_TIME_S)

# And readers of NIST's files and of ZeroSpeech's.
SECONDS = Range(0, 1_000_000_000)  # 31 years
COUNT = Range(0, 1_000_000_000, whole=True)
BYTES = Range(0, 1_000_000_000_000_000_000)
MAX_SCORE = 1e100  # its square is finite; infinite scores are permitted


def ranges(section: type) -> Mapping[str, Range]:
    """The range of each number of a dataclass, from its annotation."""
    hints = get_type_hints(section, include_extras=True)
    return {
        key: hint.__metadata__[0] for key, hint in hints.items() if get_origin(hint) is Annotated
    }
