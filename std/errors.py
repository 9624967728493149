"""The exception tree. Every command catches its root, prints one line and exits with status 2.

    StdError            the user can correct it: usage, input, configuration, a store's state
    ├── InputError      a file says something we cannot accept; names file, line, expected, got
    │   └── ForeignFileError   a file is of another kind than the reader expects
    ├── QueryError      a query or a condition on recordings cannot be read
    ├── ClosedIndexError   an index is used after it was closed; a ValueError, too
    ├── ConfigError     a configuration key or value that does not exist or does not fit
    └── StoreError      a store cannot be opened, read or written
        └── StoreBusyError   somebody else is writing to it

Anything else that escapes is our own fault: a traceback and exit status 1.
`quoted`, `Unquoted` and `meant` write parts of messages: a given value, a value in our own words,
and the nearest known name. `require_kind` and `require_choice` refuse arguments of Python calls.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from types import UnionType
from typing import TypeVar

T = TypeVar("T")
LOG10_2 = 0.30103
MAX_EXPECTED = 400  # of the expected form, which may contain a name of the user's
MAX_QUOTED = 80  # characters of the invalid text that a message repeats
STANDARD_STREAM = Path("-")  # standard input for reading, standard output for writing

MOST_KNOWN = 10_000  # names to compare; this many take about 0.1 s
SIMILARITY = 0.6  # of the letters, as `difflib` counts them


def cut(text: str, longest: int = MAX_QUOTED) -> str:
    """The beginning of a text, for a message."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def named(path: Path | str) -> str:
    """A file's name in messages: the user's path, or ``-`` in words."""
    return "standard input" if str(path) == str(STANDARD_STREAM) else str(path)


class Unquoted(str):
    """What was found, in our words rather than the file's: `quoted` adds no quotation marks."""

    __slots__ = ()


NONE, EMPTY_FILE = Unquoted("none"), Unquoted("an empty file")
NOT_THERE = Unquoted("nothing of that name")  # at a path


def quoted(value: object) -> str:
    r"""A value for a message: its ``repr``, shortened, with single backslashes.

    >>> print(quoted("C:\\talk"), quoted("a\tb"), quoted("it's"), quoted(Unquoted("none")))
    'C:\talk' 'a\tb' "it's" none
    """
    if isinstance(value, int) and value.bit_length() > MAX_QUOTED * 3:
        return f"a whole number of about {round(value.bit_length() * LOG10_2)} digits"
    if isinstance(value, str):  # an escaped letter has up to ten letters
        written = repr(cut(value)).replace(r"\\", "\\")
        return written[1:-1] if isinstance(value, Unquoted) else written
    try:
        return cut(repr(value)).replace(r"\\", "\\")
    except (RecursionError, ValueError):  # deeply nested lists, or a huge number
        return f"{type(value).__name__} with too much in it to show"


class StdError(Exception):
    """Root of the tree: an error that the user can correct."""


class InputError(StdError):
    """Names the place, the expected form, and the text found instead.

    ``line`` is 1-based; 0 stands for the whole file. ``hint`` says what to do.
    """

    def __init__(
        self, path: Path | str, line: int, expected: str, got: str, hint: str = ""
    ) -> None:
        place = f"{named(path)}:{line}" if line else named(path)
        wanted = cut(expected, MAX_EXPECTED)
        advice = f"; {hint}" if hint else ""
        super().__init__(f"{place}: expected {wanted}, got {quoted(got)}{advice}")
        self.path, self.line, self.expected, self.got = path, line, expected, got
        self.hint = hint

    def __reduce__(self) -> tuple[type, tuple[Path | str, int, str, str, str]]:
        """Pickle the parts, because workers raise these errors across processes."""
        return type(self), (self.path, self.line, self.expected, self.got, self.hint)


class ForeignFileError(InputError):
    """A file of an unknown kind; in a folder, such a file is skipped."""


class QueryError(StdError):
    """A query or a condition on recordings is invalid, or names nothing that exists."""


class ClosedIndexError(StdError, ValueError):
    """An index is used after it was closed."""


class ConfigError(StdError):
    """A configuration key or value that does not exist or does not fit."""


class StoreError(StdError):
    """A store cannot be opened, read or written."""


class NoIndexError(StoreError):
    """A store is not there, or empty: an index can be made in it."""


class StoreBusyError(StoreError):
    """Somebody else is writing to this store."""


class StoreWarning(UserWarning):
    """A store can be used, but with a warning."""


class OldNameWarning(FutureWarning):
    """A setting has a new name; the old one is read for one more version."""


def require_kind(name: str, value: T, kind: type | UnionType, expected: str) -> T:
    """Return an argument of a call, after checking its class.

    Args:
        name: the name of the argument.
        value: its value.
        kind: the permitted classes.
        expected: the same in words.

    Raises:
        TypeError: the value has another class.
    """
    if not isinstance(value, kind):
        raise TypeError(f"{name}: expected {expected}, got {quoted(value)}")
    return value


def require_choice(name: str, value: object, choices: Iterable[object]) -> None:
    """Refuse an argument of a call unless it is one of some values.

    Args:
        choices: the values; None is a default without a name.

    Raises:
        ValueError: it is none of them.
    """
    allowed = [*choices]
    if value not in allowed:
        names = " or ".join(str(one) for one in allowed if one is not None)
        raise ValueError(f"{name}: expected {names}, got {quoted(value)}")


def meant(name: str, known: Iterable[str], most: int = 1) -> str:
    """A question with the nearest known names; empty if no name is near.

    Args:
        most: the largest number of names in the question.

    >>> meant("--treshold", ["--threshold", "--limit"]), meant("--store", ["--json"])
    ("; is '--threshold' meant?", '')
    >>> meant("Kaldi", ["mesh", "kaldi-lattice"])
    "; is 'kaldi-lattice' meant?"
    """
    by_lower = {one.lower(): one for one in islice(known, MOST_KNOWN)}
    begun = name.lower()
    near = [one for one in by_lower if begun and one.startswith(begun)][:most]
    if not near:  # the dashes of options say nothing
        bare = {one.lstrip("-"): one for one in by_lower}
        near = [bare[one] for one in get_close_matches(begun.lstrip("-"), bare, most, SIMILARITY)]
    return f"; is {' or '.join(repr(by_lower[one]) for one in near)} meant?" if near else ""
