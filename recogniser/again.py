"""Listening again: recognise stretches of recordings once more, with likely words for each.

    read_stretches   the table of std-search --listen-again -> stretches
    Again            the stretches, and the folder of the earlier networks
        earlier          the lines of a recording, by the spans of their windows
        within           the stretches in a window; without any, its line stays as it is
        asks             whether any are in a recording; otherwise its file is copied
    with_told        adds a hypothesis to a window's line: what is recognised with these words

Each window that contains part of a stretch is recognised again, and the recogniser is told the
words that are searched there. Its words around the stretch are added to the earlier line
(`with_told`); nothing else changes. Windows are cut as before, so they match the earlier lines.

    recording,channel,start_s,end_s,words
    news_01,1,61.500,62.400,Emmanuel Macron; Brigitte Macron
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from recogniser import folder
from recogniser.protocol import Window
from std.errors import InputError, Unquoted
from std.files import AnyPath, content_of, read
from std.ranges import MAX_CHANNEL, TIME_S, Range
from std.tables import read_table
from std.values import Recording

COLUMNS = ("recording", "channel", "start_s", "end_s", "words")
BETWEEN = ";"  # words of a stretch
NEAR_S = 1.0  # between a slot and a place where words are searched
ADDED = ("words", "last")  # to the line of a window, by its place in the file
CHANNEL = Range(1, MAX_CHANNEL, whole=True)

Span = tuple[int, int]  # of a window, in ms


class AskedStretch(NamedTuple):
    """A stretch of a recording, and words that may be said there."""

    recording: Recording
    start_ms: int
    end_ms: int
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Again:
    """The stretches to recognise again, and the earlier networks."""

    networks: AnyPath  # folder of the earlier networks
    stretches: tuple[AskedStretch, ...]

    @property
    def digest(self) -> str:
        """A digest of the stretches and of the settings of the earlier networks."""
        settings = read(content_of, Path(self.networks) / folder.SETTINGS)
        return hashlib.sha256(settings + repr(self.stretches).encode()).hexdigest()

    def earlier(self, recording: Recording) -> dict[Span, dict[str, Any]]:
        """The lines of a recording, in order.

        Raises:
            InputError: it was not recognised before, or its file cannot be read.
        """
        lines = folder.read_lines(folder.finished(Path(self.networks), recording.file), slots=True)
        return {
            span_of(line): {k: line[k] for k in line if k not in ADDED}
            for line in lines
            if line["channel"] == recording.channel
        }

    def asks(self, name: str) -> bool:
        """Whether a recording has a stretch to recognise again, in any channel."""
        return any(one.recording.file == name for one in self.stretches)

    def within(self, recording: Recording, window: Window) -> list[AskedStretch]:
        """The stretches that overlap a window."""
        return [
            one
            for one in self.stretches
            if one.recording == recording
            and one.start_ms < window.end_ms
            and window.start_ms < one.end_ms
        ]


def read_stretches(path: AnyPath) -> tuple[AskedStretch, ...]:
    """Read a table of stretches.

    Args:
        path: the path of the table: CSV, or a workbook.

    Raises:
        InputError: it cannot be read, lacks a column, or has an invalid value.
    """
    path = Path(path)
    table = read_table(read(content_of, path), path, COLUMNS.__contains__)
    if missing := [name for name in COLUMNS if name not in table.columns]:
        raise InputError(path, table.line, f"a column {missing[0]}", ", ".join(table.columns))
    at = [table.columns.index(name) for name in COLUMNS]
    found = []
    for line, cells in table.rows:
        file, channel, start, end, words = (cells[i].strip() for i in at)
        start_ms, end_ms = (_ms(_number(one, TIME_S, line, path)) for one in (start, end))
        if end_ms < start_ms:
            raise InputError(path, line, "an end behind the start", Unquoted(f"{start} to {end}"))
        said = tuple(word.strip() for word in words.split(BETWEEN) if word.strip())
        recording = Recording(file, int(_number(channel, CHANNEL, line, path)))
        end_ms = max(end_ms, start_ms + 1)  # some words have no duration
        found.append(AskedStretch(recording, start_ms, end_ms, said))
    return tuple(found)


def with_told(
    line: Mapping[str, Any],
    words: Sequence[str],
    weight: float,
    places: Sequence[tuple[float, float]],
) -> dict[str, Any]:
    """The line of a network with one more hypothesis, aligned with its likeliest words.

    Args:
        line: the earlier line.
        words: the words of the hypothesis; without any, the line stays as it is.
        weight: the hypothesis's weight; the line's own alternatives share the rest.
        places: start and end in seconds; only slots near a place change.
    """
    if not words:
        return dict(line)
    slots = [{**slot, "w": [list(word) for word in slot["w"]]} for slot in line["slots"]]
    most = max((word[1] for slot in slots for word in slot["w"]), default=1.0)
    in_slots, between = _aligned(slots, words, (line["start"], line["end"]), places)
    for number, slot in enumerate(slots):
        if _is_near(slot["s"], slot["e"], places):
            _add(slot, in_slots.get(number), weight, most)
    for told in between:
        if _is_near(*told[1:], places):
            word = [told.word, weight, *told[1:]]
            slots.append({"s": told[1], "e": told[2], "eps": 1 - weight, "w": [word]})
    return {**line, "slots": sorted(slots, key=itemgetter("s", "e"))}


class _Told(NamedTuple):
    word: str
    start_s: float
    end_s: float


def _aligned(
    slots: Sequence[Mapping[str, Any]],
    words: Sequence[str],
    window_s: tuple[float, float],
    places: Sequence[tuple[float, float]],
) -> tuple[dict[int, _Told], list[_Told]]:
    """The words of each slot, by its number, and the words that belong to no slot.

    The hypothesis is aligned with the likeliest words. Words that replace others share their time;
    words where nothing was written share that of the places there, or of the gap.
    """
    best = [max(slot["w"], key=itemgetter(1)) for slot in slots]
    rows = [row for row, slot in enumerate(slots) if best[row][1] >= slot["eps"]]
    known = [best[row][0].casefold() for row in rows]
    matcher = SequenceMatcher(None, known, [word.casefold() for word in words], autojunk=False)
    in_slots: dict[int, _Told] = {}
    between: list[_Told] = []
    for _, first, last, begin, end in matcher.get_opcodes():
        if first < last:
            from_s, to_s = slots[rows[first]]["s"], slots[rows[last - 1]]["e"]
        else:
            from_s = slots[rows[first - 1]]["e"] if first else window_s[0]
            to_s = max(from_s, slots[rows[first]]["s"] if first < len(rows) else window_s[1])
            if near := [one for one in places if _is_near(from_s, to_s, [one])]:
                from_s = min(max(from_s, min(one[0] for one in near)), to_s)
                to_s = max(min(to_s, max(one[1] for one in near)), from_s)
        n = end - begin
        for i, word in enumerate(words[begin:end]):
            times = (round(from_s + (to_s - from_s) * j / n, 3) for j in (i, i + 1))
            at = first + (last - first) * i // n
            if first < last and rows[at] not in in_slots:
                in_slots[rows[at]] = _Told(word, *times)
            else:
                between.append(_Told(word, *times))
    return in_slots, between


def _is_near(start_s: float, end_s: float, places: Sequence[tuple[float, float]]) -> bool:
    return any(first < end_s + NEAR_S and start_s < last + NEAR_S for first, last in places)


def _add(slot: dict[str, Any], told: _Told | None, weight: float, most: float) -> None:
    """Give a word its weight in a slot, or 'no word' where the hypothesis has none.

    No posterior exceeds the recogniser's highest, because searches compare posteriors with it.
    """
    slot["eps"] *= 1 - weight
    for word in slot["w"]:
        word[1] *= 1 - weight
    same = [word for word in slot["w"] if told and word[0].casefold() == told.word.casefold()]
    if told is None:
        slot["eps"] += weight
    elif same:
        total = same[0][1] + weight
        same[0][1] = min(total, most)
        slot["eps"] += total - same[0][1]
    else:
        slot["w"].append([told.word, weight, *told[1:]])
    slot["w"].sort(key=lambda word: -word[1])


def _number(text: str, allowed: Range, line: int, path: Path) -> float:
    try:
        return allowed.read(text)
    except ValueError as error:
        raise InputError(path, line, allowed.described, text) from error


def span_of(line: Mapping[str, Any]) -> Span:
    """The span of the window that a line describes."""
    return _ms(line["start"]), _ms(line["end"])


def _ms(seconds: float) -> int:
    return round(1000 * seconds)
