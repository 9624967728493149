"""A row of JSON: an object with a start and a text, or a list such as ``[0.5, 0.9, "das"]``.

    Row              a row as written, and its surroundings
    row_of           an object -> the row that it is
    alike            objects that all have the same keys -> rows, at once
    listed           lists -> rows
    without_start    an object with a text and no start -> a row
    with_best        an object -> the same with the text of its best hypothesis
    settled          rows of a file -> the same, with the meaning of the numbers in lists
    turns_beside     turns of speakers beside the words, with_speakers: words with their names
    paired           a text with a list of the times of its words -> rows

`indexer.formats.shared.columns_of_cues` gives the meaning of its keys.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, count, repeat
from typing import Any, NamedTuple

import numpy as np

from indexer.formats.shared.columns_of_cues import Column, columns_of, is_complete
from std.repairs import UNKNOWN
from std.values import Float64s

NOT_SAID = {"punctuation", "punct", "spacing", "silence", "pause", "background_event"}
FINAL = ("is_final", "isFinal", "final")
NESTING = frozenset((dict, list))
_TELLING = frozenset((*FINAL, "IsPartial", "type"))
PAIRS = ("timestamp", "timestamps")  # of a start and an end, one for each word of the text
NO_TIMES = (None, "", [None, None])  # written in place of times
ELEMENTS_EXAMINED = 50  # of a list
IDEOGRAMS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_UNIT = re.compile(rf"[{IDEOGRAMS}]|[^\W_{IDEOGRAMS}]+(?:['\u2019-][^\W_{IDEOGRAMS}]+)*")
_TAG = re.compile(r"<\|[^<>|]*\|>")  # of SenseVoice: language, emotion, event

LARGEST_NUMBER = 1e300  # larger numbers are replaced by it


class Around(NamedTuple):
    """What the objects around a row say about it."""

    line: int = 1
    where: str = ""
    parent: int = 0  # rows of one parent are said one after the other
    start: tuple[Any, Column] | None = None  # of the parent, as written
    end: tuple[Any, Column] | None = None
    said: Mapping[str, Any] = {}  # speaker, language, file, channel as written


class Row(NamedTuple):
    """A row as written: an object or a list, and its surroundings."""

    value: Mapping[str, Any]
    fields: Mapping[str, tuple[str, Column]]
    around: Around
    at: int = -1  # in the list around it

    @property
    def where(self) -> str:
        """Its place in its document."""
        return self.around.where if self.at < 0 else f"{self.around.where}[{self.at}]"

    def get(self, what: str) -> Any:
        """A value of the row itself, or else of the objects around it."""
        if what in self.fields:
            value = self.value[self.fields[what][0]]
            if value is not None:
                return value
        return self.around.said.get(what)

    @property
    def has_start(self) -> bool:
        """Whether a start is written, readable or not."""
        return self.value[self.fields["start"][0]] not in NO_TIMES

    @property
    def text(self) -> str | None:
        """The text as written, with its lines joined; None without one."""
        at = self.fields.get(self.text_at)
        text = self.value[at[0]] if at else None
        if isinstance(text, str):
            return text
        if isinstance(text, list) and all(isinstance(line, str) for line in text):
            return " ".join(text)
        return str(text) if type(text) in (int, float) else None

    @property
    def text_key(self) -> str:
        """The key of its text."""
        return self.fields[self.text_at][0]

    @property
    def text_at(self) -> str:
        """Whether the text is a ``text`` or a ``word``."""
        return "text" if "text" in self.fields else "word"


@lru_cache(maxsize=1 << 10)
def fields_of(keys: tuple[str, ...]) -> Mapping[str, tuple[str, Column]]:
    """The keys of a row and their kinds, by content."""
    return {what: (keys[place], column) for what, (place, column) in columns_of(keys).items()}


IN_LISTS = ("word", "start", "end", "confidence")
_LISTED = {**fields_of(IN_LISTS[:3])}  # of lists, before `settled`


class _Shape(NamedTuple):
    """The meaning of a row's keys."""

    fields: Mapping[str, tuple[str, Column]]
    text: str  # the keys of the text and the start
    start: str
    telling: bool  # whether a key may mark a row as silent


@lru_cache(maxsize=1 << 10)
def _shape(keys: tuple[str, ...]) -> _Shape | None:
    fields = fields_of(keys)
    if not is_complete(fields):
        return None
    text = fields.get("text") or fields["word"]
    return _Shape(fields, text[0], fields["start"][0], not _TELLING.isdisjoint(keys))


def alike(values: Sequence[Any], around: Around, lines: Sequence[int]) -> list[Row]:
    """Objects as rows, if all have the same keys and no objects or lists inside; else none."""
    if not values or {*map(type, values)} != {dict} or {*lines} - {*lines[:1]}:
        return []
    keys = tuple(values[0])
    shape = _shape(keys)
    if shape is None or shape.telling or {*map(tuple, values)} != {keys}:
        return []
    if not NESTING.isdisjoint(map(type, chain.from_iterable(map(dict.values, values)))):
        return []
    if bool in {type(value[shape.start]) for value in values} or not {
        type(value[shape.text]) for value in values
    } <= {str, type(None)}:
        return []
    inner = around._replace(line=lines[0]) if lines else around
    return list(map(Row, values, repeat(shape.fields), repeat(inner), count()))


def row_of(value: Mapping[str, Any], around: Around, at: int = -1) -> Row | None:
    """An object as a row, if it is one."""
    shape = _shape(tuple(value))
    if shape is None or type(value[shape.start]) is bool or not _may_be_text(value[shape.text]):
        return None
    if shape.telling and not is_said(value):
        return None
    return Row(value, shape.fields, around, at)


def without_start(value: Mapping[str, Any], around: Around, at: int) -> Row | None:
    """An object that has a text and no start as a row, if its text is speech."""
    fields = fields_of(tuple(value))
    if "start" in fields or not {"text", "word"} & {*fields}:
        return None
    row = Row({**value, "start": None}, fields_of((*value, "start")), around, at)
    text = row.value[row.text_key]
    is_speech = isinstance(text, str) and any(map(str.isalnum, text)) and is_said(value)
    return row if is_speech else None


def with_best(value: Mapping[str, Any], hypotheses: Iterable[str]) -> Mapping[str, Any]:
    """An object with times, with the text of its best hypothesis, which has none.

    AWS's items are such: ``{"start_time", "end_time", "alternatives": [{"content", ...}]}``.
    """
    lists = (value[key] for key in hypotheses if isinstance(value.get(key), list))
    best = next((one[0] for one in lists if one and isinstance(one[0], dict)), None)
    if best is None or "start" in fields_of(tuple(best)):
        return value
    return {**value, **best}


def _may_be_text(value: Any) -> bool:
    return isinstance(value, str | None) or (
        isinstance(value, list) and all(isinstance(line, str) for line in value)
    )


def is_said(value: Mapping[str, Any]) -> bool:
    """Whether an object is final, and neither a pause nor a mark."""
    if _TELLING.isdisjoint(value):
        return True
    kind = value.get("type")
    return is_final(value) and not (isinstance(kind, str) and kind.lower() in NOT_SAID)


def is_final(value: Mapping[str, Any]) -> bool:
    """Whether a stream's message does not say that a later one revises it."""
    return value.get("IsPartial") is not True and all(value.get(key) is not False for key in FINAL)


def is_row_list(values: list[Any]) -> bool:
    """Whether these are lists such as ``[0.5, 0.9, "das"]`` or ``["das", 0.5, 0.9]``."""
    return bool(values) and all(
        isinstance(one, list)
        and 3 <= len(one) <= 5
        and sum(isinstance(cell, str) for cell in one) == 1
        and sum(type(cell) in (int, float) for cell in one) >= 2
        for one in values[:ELEMENTS_EXAMINED]
    )


def listed(values: list[Any], around: Around) -> list[Row]:
    """Make objects of lists: the text, with the numbers as start, end, confidence."""
    rows = []
    for one in values:
        if not isinstance(one, list):
            continue
        text = next((cell for cell in one if isinstance(cell, str)), None)
        numbers = [cell for cell in one if type(cell) in (int, float)]
        if text is not None and len(numbers) >= 2:
            cells = (text, *numbers[:3])
            rows.append(Row(dict(zip(IN_LISTS, cells, strict=False)), _LISTED, around))
    return rows


def within_float(value: float) -> float:
    """A number of JSON, which may be of any size, as the nearest float.

    >>> within_float(10**400), within_float(-(10**400)), within_float(2)
    (1e+300, -1e+300, 2.0)
    """
    return float(min(max(value, -LARGEST_NUMBER), LARGEST_NUMBER))


def settled(rows: list[Row]) -> list[Row]:
    """Name the numbers in rows that are lists, judging by all such rows of a file.

    They are a start and an end or a duration, and perhaps a confidence after or before them.
    """
    own = [row for row in rows if row.fields is _LISTED]
    if not own:
        return rows
    numbers = np.array(
        [[within_float(row.value.get(key, UNKNOWN)) for key in IN_LISTS[1:]] for row in own]
    )
    three = numbers[np.isfinite(numbers[:, 2])]
    keys: tuple[str, ...] = IN_LISTS
    if not _is_start_and_end(three) and _is_behind_confidence(three):
        keys = ("word", "confidence", "start", "end")
    elif (numbers[:, 1] < numbers[:, 0]).any():
        keys = ("word", "start", "duration", "confidence")
    return [
        row._replace(value=(value := _named(row, keys)), fields=fields_of(tuple(value)))
        if row.fields is _LISTED
        else row
        for row in rows
    ]


def _is_start_and_end(numbers: Float64s) -> bool:
    starts, ends, _ = numbers.T
    return bool((starts <= ends).all() and (np.diff(starts) >= 0).all())


def _is_behind_confidence(numbers: Float64s) -> bool:
    """Whether a confidence, a start and an end fit better than a start and a duration."""
    first, starts, ends = numbers.T
    if not len(numbers) or not ((first >= 0) & (first <= 1) & (starts <= ends)).all():
        return False
    return bool((starts <= 0).any() or (np.diff(first) < 0).any())


def _named(row: Row, keys: Sequence[str]) -> Mapping[str, Any]:
    named = dict(zip(keys, row.value.values(), strict=False))
    sure = named.get("confidence")
    return named if sure is None or 0 <= sure <= 1 else {**named, "confidence": 1.0}


def paired(
    value: Mapping[str, Any], fields: Mapping[str, tuple[str, Column]], around: Around
) -> list[Row]:
    """Make rows of a text and a list of times, as FunASR writes them: one for each word, mostly."""
    pairs = next((value[key] for key in PAIRS if isinstance(value.get(key), list)), None)
    at = fields.get("text")
    if not pairs or at is None or not isinstance(value[at[0]], str):
        return []
    if not all(
        isinstance(pair, list) and len(pair) == 2 and all(type(t) in (int, float) for t in pair)
        for pair in pairs
    ):
        return []
    said = _TAG.sub(" ", value[at[0]])
    units = _UNIT.findall(said)
    if len(units) != len(pairs):
        keys = ("text", "start", "end")
        spoken = dict(zip(keys, (said, pairs[0][0], pairs[-1][1]), strict=True))
        return [Row(spoken, fields_of(keys), around)]
    keys = ("word", "start", "end")
    return [
        Row(dict(zip(keys, (unit, *pair), strict=True)), fields_of(keys), around)
        for unit, pair in zip(units, pairs, strict=True)
    ]


def turns_beside(value: Mapping[str, Any]) -> list[Row]:
    """Turns of speakers beside the words, perhaps in an object: rows with a start and no text."""
    turns = []
    beside = (child.values() if isinstance(child, dict) else [child] for child in value.values())
    for child in chain.from_iterable(beside):
        for one in child if isinstance(child, list) else ():
            fields = fields_of(tuple(one)) if isinstance(one, dict) else {}
            if {"start", "speaker"} <= {*fields} and "text" not in fields:
                turns.append(Row(one, fields, Around()))
    return turns


def with_speakers(words: list[Row], turns: Sequence[Row]) -> list[Row]:
    """Give words the speaker of the turn in which they begin."""
    named = [(row, row.get("speaker")) for row in turns]
    timed = [
        (start, speaker)
        for row, speaker in named
        if isinstance(start := row.get("start"), int | float) and speaker is not None
    ]
    timed.sort(key=lambda pair: pair[0])
    if not timed:
        return words
    found, at = [], 0
    for row in words:
        start = row.get("start")
        while at + 1 < len(timed) and isinstance(start, int | float) and timed[at + 1][0] <= start:
            at += 1
        said = {**row.around.said, "speaker": timed[at][1]}
        found.append(row._replace(around=row.around._replace(said=said)))
    return found


def name_speakers(rows: Sequence[Row]) -> bool:
    """Whether any row names its speaker."""
    return any(row.get("speaker") is not None for row in rows)


def with_times(
    around: Around, value: Mapping[str, Any], fields: Mapping[str, tuple[str, Column]]
) -> Around:
    """Set the start and the end of an object as written, for what is inside."""
    start, end = (
        (value[fields[what][0]], fields[what][1]) if what in fields else None
        for what in ("start", "end")
    )
    return around._replace(start=start, end=end)
