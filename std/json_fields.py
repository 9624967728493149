"""Parts of a JSON document with their positions, for readers of recognisers' JSON.

documents    every JSON value of a file: one, a list, one per line, or several in a row
read_json    the one JSON document of a file of std, read strictly
whole        joins letters whose bytes a recogniser has split
Part         a value with its position; reading it as another type raises InputError
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from std.errors import MAX_QUOTED, InputError, Unquoted, quoted
from std.files import content_of, decode, read_text
from std.ranges import MAX_CHANNEL, MAX_DOCUMENT_BYTES, MAX_TIME_S, MAX_UTTERANCE_BYTES, Range
from std.repairs import (
    BEFORE_ZERO,
    CONTROL,
    NO_LETTER,
    NO_TIME,
    REFUSED,
    TOO_LATE,
    Repairs,
    confidence,
)

_BLANK = re.compile(r"[\s\x1e]*")  # and the record separator of JSON text sequences


def _refuse(constant: str) -> float:
    raise ValueError(f"a finite number, got {constant}")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"each key once, got {twice} again")
    return members


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"a finite number, got {text[:MAX_QUOTED]}")
    return value


DECODER = json.JSONDecoder(parse_constant=_refuse)
STRICT = json.JSONDecoder(object_pairs_hook=_distinct, parse_constant=_refuse, parse_float=_finite)
# Recognisers write NaN for unknown values; `Part.number` refuses it.
LENIENT = json.JSONDecoder(object_pairs_hook=_distinct)
RAW = json.JSONDecoder(object_pairs_hook=_distinct, strict=False)  # with control characters
_CONTROL = re.compile(r"[\x00-\x1f]")


def documents(
    stream: BinaryIO, path: Path | str, *, split_letters: bool = False, repairs: Repairs = REFUSED
) -> Iterator["Part"]:
    """Yield the JSON values of a file; the elements of a list count as values.

    Args:
        stream: the file, UTF-8.
        split_letters: whether a text may have a part of a letter's bytes; they become lone
            surrogates, which `whole` joins to letters.
        repairs: counts the repairs, here and in the values.

    Raises:
        InputError: the file is not JSON, or is empty.
    """
    content = content_of(stream, path, MAX_UTTERANCE_BYTES)
    if split_letters:
        text = content.decode("utf-8-sig", "surrogateescape")
    else:
        text = _decoded(content, path, repairs)
    at, line, empty = 0, 1, True
    while (start := _BLANK.match(text, at).end()) < len(text):  # type: ignore[union-attr]  # matches
        line += text.count("\n", at, start)
        try:
            value, at = _raw_decoded(text, start, path, line, repairs)
        except (ValueError, RecursionError) as error:  # JSONDecodeError is a ValueError
            wrong = line + text.count("\n", start, getattr(error, "pos", start))
            what = getattr(error, "msg", str(error))
            raise InputError(path, wrong, f"JSON ({what})", text[start : start + 99]) from error
        for element in value if isinstance(value, list) else [value]:
            empty = False
            yield Part(path, line, element, repairs=repairs)
        line += text.count("\n", start, at)
    if empty:
        got = Unquoted("an empty list" if text.strip() else "an empty file")
        raise InputError(path, 0, "a JSON document", got)


def _decoded(content: bytes, path: Path | str, repairs: Repairs) -> str:
    """Decode JSON; bytes that are no UTF-8 become U+FFFD."""
    try:
        return decode(content, path)
    except InputError as error:
        text = content.decode("utf-8-sig", "replace")
        repairs.note(NO_LETTER, error, text.count("\ufffd"))
        return text


def _raw_decoded(
    text: str, start: int, path: Path | str, line: int, repairs: Repairs
) -> tuple[Any, int]:
    """Decode the JSON value at a position; return its end."""
    try:
        return LENIENT.raw_decode(text, start)
    except json.JSONDecodeError as error:
        if not _CONTROL.match(text, error.pos) or "control character" not in error.msg:
            raise
        wrong = line + text.count("\n", start, error.pos)
        expected = f"JSON ({error.msg})"
        problem = InputError(path, wrong, expected, text[error.pos : error.pos + MAX_QUOTED])
        repairs.note(CONTROL, problem)
        return RAW.raw_decode(text, start)


def read_json(path: Path) -> "Part":
    """Return the document of a file: UTF-8, each key once, finite numbers, whole letters.

    Raises:
        InputError: the file cannot be read, or is not such a document.
    """
    text = read_text(path, MAX_DOCUMENT_BYTES)
    try:
        value = STRICT.decode(text)
        if "\\u" in text:  # an escape may be half a letter
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise InputError(
            path, 0, "JSON of whole letters", Unquoted("half a surrogate pair")
        ) from error
    except json.JSONDecodeError as error:
        rest = text[error.pos :][:MAX_QUOTED] or Unquoted("the end")
        raise InputError(path, error.lineno, f"JSON ({error.msg})", rest) from error
    except ValueError as error:  # of a number or a key; of a number of 5,000 digits
        expected, _, got = str(error).rpartition(", got ")
        wanted = f"JSON with {expected}" if expected else "JSON"
        raise InputError(path, 0, wanted, Unquoted(got)) from error
    except RecursionError as error:
        raise InputError(path, 0, "JSON", Unquoted("objects or lists nested too deeply")) from error
    return Part(path, 0, value)


def whole(text: str) -> str:
    """Join letters whose bytes are in several texts (``split_letters``)."""
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a pair of escapes, which `Part.text` refuses
        return text


class Part:
    """A JSON value, the line in which its document begins, and its path within the document."""

    __slots__ = ("line", "path", "repairs", "value", "where")

    def __init__(
        self, path: Path | str, line: int, value: Any, where: str = "", repairs: Repairs = REFUSED
    ) -> None:
        self.path, self.line, self.value, self.where = path, line, value, where
        self.repairs = repairs  # of its values

    def error(self, expected: str) -> InputError:
        """Return the error that this value is of another type."""
        place = f" at {self.where}" if self.where else ""
        try:
            got = json.dumps(self.value, ensure_ascii=False)
        except (RecursionError, ValueError):
            got = quoted(self.value)
        return InputError(self.path, self.line, f"{expected}{place}", got)

    def has(self, key: str) -> bool:
        """Whether this is an object with a value under a key."""
        return isinstance(self.value, dict) and self.value.get(key) is not None

    def __getitem__(self, key: str) -> "Part":
        if not isinstance(self.value, dict):
            raise self.error("a JSON object")
        where = f"{self.where}.{key}" if self.where else key
        return Part(self.path, self.line, self.value.get(key), where, self.repairs)

    def __iter__(self) -> Iterator["Part"]:
        if not isinstance(self.value, list):
            raise self.error("a list")
        for i, element in enumerate(self.value):
            yield Part(self.path, self.line, element, f"{self.where}[{i}]", self.repairs)

    def each(self, key: str) -> Iterator["Part"]:
        """Yield the elements of the list under a key; nothing if this object has no such key."""
        part = self[key]
        return iter(()) if part.value is None else iter(part)

    def first(self, keys: Iterable[str]) -> "Part | None":
        """Return the value under the first existing key of several."""
        return next((self[key] for key in keys if self.has(key)), None)

    def name(self, keys: Iterable[str]) -> str:
        """Return the first text that is not empty under several keys; "" if there is none."""
        named = (self[key] for key in keys if self.has(key))
        return next(
            (part.text() for part in named if isinstance(part.value, str) and part.value), ""
        )

    def text(self) -> str:
        """Return a string.

        Raises:
            InputError: the value is not a string, or it holds half a surrogate pair.
        """
        if not isinstance(self.value, str):
            raise self.error("text")
        try:
            self.value.encode()
        except UnicodeEncodeError:
            lost = self.value.encode("utf-8", "replace").decode()
            self.repairs.note(NO_LETTER, self.error("UTF-8 text"), lost.count("?"))
            return re.sub("[\ud800-\udfff]+", "\ufffd", self.value)
        return self.value

    def cell(self) -> str:
        """Return a text, number or truth value as the cell of a table has it; null is empty.

        Raises:
            InputError: the value is a list or an object.
        """
        if self.value is None:
            return ""
        if isinstance(self.value, str):
            return self.text()
        if isinstance(self.value, bool | int | float):
            return json.dumps(self.value)
        raise self.error("text or a number")

    def number(self) -> float:
        """Return a finite number; one in quotes counts.

        Raises:
            InputError: the value is not a finite number.
        """
        value = math.nan
        if isinstance(self.value, int | float | str) and not isinstance(self.value, bool):
            try:
                value = float(self.value)
            except (ValueError, OverflowError):
                value = math.nan
        if not math.isfinite(value):
            raise self.error("a number")
        return value

    def within(self, span: Range) -> float:
        """Return a number of a range, not in quotes.

        Raises:
            InputError: the value is not such a number.
        """
        try:
            return span.require(self.value)
        except ValueError as error:
            raise self.error(span.described) from error

    def items(self) -> Iterator[tuple[str, "Part"]]:
        """Yield the keys and values of an object.

        Raises:
            InputError: the value is not an object.
        """
        if not isinstance(self.value, dict):
            raise self.error("a JSON object")
        return ((key, self[key]) for key in self.value)

    def seconds(self, per_second: float = 1.0) -> float:
        """Return a time in seconds; ``1.5``, ``"1.5"`` and ``"1.5s"`` are the same.

        Args:
            per_second: units of the number in a second.

        Raises:
            InputError: the value is not a number, or below 0 or too large and must not be repaired.
        """
        bare = self.value
        if isinstance(bare, float) and 0 <= bare / per_second <= MAX_TIME_S:
            return bare / per_second  # as nearly always
        if isinstance(bare, str):
            bare = bare.removesuffix("s")
        if isinstance(bare, float) and not math.isfinite(bare):
            self.repairs.note(NO_TIME, self.error("a number"))
            return math.nan
        value = Part(self.path, self.line, bare, self.where).number() / per_second
        if 0 <= value <= MAX_TIME_S:
            return value
        kind = BEFORE_ZERO if value < 0 else TOO_LATE
        self.repairs.note(kind, self.error(f"seconds from 0 to {MAX_TIME_S}"))
        return 0.0 if value < 0 else math.nan

    def probability(self) -> float:
        """Return a number from 0 to 1; one just outside by rounding is clipped.

        Raises:
            InputError: the value is not such a number, and must not be repaired.
        """
        if isinstance(self.value, float) and 0 <= self.value <= 1:
            return self.value  # as nearly always
        if isinstance(self.value, float) and not math.isfinite(self.value):
            return confidence(math.nan, self.error("a number"), self.repairs)
        return confidence(self.number(), self.error("a number from 0 to 1"), self.repairs)

    def log_probability(self) -> float:
        """Return the exponential of a number, a probability.

        Raises:
            InputError: the value is not such a number, and must not be repaired.
        """
        return math.exp(min(0.0, self.number()))

    def channel(self) -> int:
        """Return the number of a channel.

        Raises:
            InputError: the value is not a channel.
        """
        value = self.number()
        if value != int(value) or not 0 <= value < MAX_CHANNEL:
            raise self.error("a channel number")
        return int(value)
