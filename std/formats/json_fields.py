"""Parts of a JSON document that know where they stand, for readers of recognisers' JSON.

documents    every JSON value of a file: one, a list of them, one per line, or one after another
whole        letters whose bytes a recogniser has split
Part         a value with its place; asking it for what it is not raises InputError
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from std.errors import InputError
from std.formats.files import decode
from std.formats.limits import (
    MAX_CHANNEL,
    MAX_TIME_S,
    MAX_UTTERANCE_BYTES,
    POSTERIOR_TOLERANCE,
)

_BLANK = re.compile(r"[\s\x1e]*")  # and the record separator of JSON text sequences


def _refuse(constant: str) -> float:
    raise ValueError(f"a finite number, got {constant}")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"each key once, got {twice} again")
    return found


DECODER = json.JSONDecoder(parse_constant=_refuse)
# Recognisers write NaN where they know nothing: `Part.number` refuses it where it is asked for.
LENIENT = json.JSONDecoder(object_pairs_hook=_distinct)


def documents(content: bytes, path: Path | str, *, split_letters: bool = False) -> Iterator["Part"]:
    """Yield the JSON values of a file; the elements of a list count as values.

    Args:
        content: the file's bytes, UTF-8.
        path: its name, for messages.
        split_letters: a text may hold a part of a letter's bytes: they become lone surrogates,
            which `whole` makes letters again.

    Raises:
        InputError: something is no JSON, or there is nothing.
    """
    if len(content) > MAX_UTTERANCE_BYTES:
        raise InputError(
            path, 0, f"JSON of at most {MAX_UTTERANCE_BYTES} bytes", f"{len(content)} bytes"
        )
    if split_letters:
        text = content.decode("utf-8-sig", "surrogateescape")
    else:
        text = decode(content, path)
    at, line, empty = 0, 1, True
    while (start := _BLANK.match(text, at).end()) < len(text):  # type: ignore[union-attr]  # matches
        line += text.count("\n", at, start)
        try:
            value, at = LENIENT.raw_decode(text, start)
        except (ValueError, RecursionError) as error:  # JSONDecodeError is a ValueError
            wrong = line + text.count("\n", start, getattr(error, "pos", start))
            what = getattr(error, "msg", str(error))
            raise InputError(path, wrong, f"JSON ({what})", text[start : start + 99]) from error
        for one in value if isinstance(value, list) else [value]:
            empty = False
            yield Part(path, line, one)
        line += text.count("\n", start, at)
    if empty:
        raise InputError(path, 0, "a JSON document", "an empty file")


def whole(text: str) -> str:
    """Put together letters whose bytes stood in several texts (``split_letters``)."""
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a pair of escapes, which `Part.text` refuses
        return text


class Part:
    """A JSON value, the line its document begins in, and the way to it within the document."""

    __slots__ = ("line", "path", "value", "where")

    def __init__(self, path: Path | str, line: int, value: Any, where: str = "") -> None:
        self.path, self.line, self.value, self.where = path, line, value, where

    def error(self, expected: str) -> InputError:
        """Return the error that something else stands here."""
        place = f" at {self.where}" if self.where else ""
        try:
            shown = json.dumps(self.value, ensure_ascii=False)
        except RecursionError:
            shown = "something nested too deeply"
        return InputError(self.path, self.line, f"{expected}{place}", shown)

    def has(self, key: str) -> bool:
        """Tell whether this is an object with something under a key."""
        return isinstance(self.value, dict) and self.value.get(key) is not None

    def __getitem__(self, key: str) -> "Part":
        if not isinstance(self.value, dict):
            raise self.error("a JSON object")
        where = f"{self.where}.{key}" if self.where else key
        return Part(self.path, self.line, self.value.get(key), where)

    def __iter__(self) -> Iterator["Part"]:
        if not isinstance(self.value, list):
            raise self.error("a list")
        for i, one in enumerate(self.value):
            yield Part(self.path, self.line, one, f"{self.where}[{i}]")

    def each(self, key: str) -> Iterator["Part"]:
        """Yield the elements of a list under a key; nothing where there is no such key."""
        return iter(self[key]) if self.has(key) else iter(())

    def first(self, keys: Iterable[str]) -> "Part | None":
        """Return what stands under the first of some keys that is there."""
        return next((self[key] for key in keys if self.has(key)), None)

    def name(self, keys: Iterable[str]) -> str:
        """Return the first text under some keys that says anything; "" where none does."""
        named = (self[key] for key in keys if self.has(key))
        return next((one.text() for one in named if isinstance(one.value, str) and one.value), "")

    def text(self) -> str:
        """Return a string.

        Raises:
            InputError: it is none, or holds half a surrogate pair.
        """
        if not isinstance(self.value, str):
            raise self.error("text")
        try:
            self.value.encode()
        except UnicodeEncodeError as error:
            raise self.error("UTF-8 text") from error
        return self.value

    def number(self) -> float:
        """Return a finite number; one in quotes counts.

        Raises:
            InputError: it is none.
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

    def seconds(self, per_second: float = 1.0) -> float:
        """Return a time in seconds; ``1.5``, ``"1.5"`` and ``"1.5s"`` are the same.

        Args:
            per_second: units of the number in a second.

        Raises:
            InputError: it is no number, or below 0, or too large.
        """
        bare = self.value
        if isinstance(bare, str):
            bare = bare.removesuffix("s")
        value = Part(self.path, self.line, bare, self.where).number() / per_second
        if not 0 <= value <= MAX_TIME_S:
            raise self.error(f"seconds from 0 to {MAX_TIME_S}")
        return value

    def probability(self) -> float:
        """Return a number between 0 and 1; one that rounding has put just outside is clipped.

        Raises:
            InputError: it is none.
        """
        value = self.number()
        if not -POSTERIOR_TOLERANCE <= value <= 1 + POSTERIOR_TOLERANCE:
            raise self.error("a number from 0 to 1")
        return min(max(value, 0.0), 1.0)

    def channel(self) -> int:
        """Return the number of a channel.

        Raises:
            InputError: it is none.
        """
        value = self.number()
        if value != int(value) or not 0 <= value < MAX_CHANNEL:
            raise self.error("a channel number")
        return int(value)
