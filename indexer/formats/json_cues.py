"""Rows of JSON -> cues: times in seconds, words joined of their pieces, who spoke.

    cues_of     `indexer.formats.json_rows.Row` -> `indexer.formats.cues.Cue`

Times may be numbers, texts (``"1.5s"``, ``0:01:02.5``, ``PT1.5S``) or objects (``relative``, or
``seconds`` and ``nanos``). Their unit is that of the key's name, else of the declaration, else by
the rate of speech (`indexer.formats.units`). Words whose times count from the start of what they
stand in are moved there. Rows of a single word each, or of pieces of words, are words with times of
their own; those of one parent are an utterance, others are cut at pauses.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from indexer.formats.caption_text import spoken_part
from indexer.formats.columns_of_cues import Column, time_s
from indexer.formats.cues import Cue, timed_cues
from indexer.formats.json_rows import Row
from indexer.formats.pieces import MARK, joined
from indexer.formats.reader_options import ReaderOptions
from indexer.formats.units import unit_s
from indexer.networks.hypotheses import HypothesisWord
from std.json_fields import Part
from std.limits import MAX_CHANNEL, MAX_TIME_S
from std.nist.audio_names import recording_name
from std.repairs import NO_TEXT, UNKNOWN
from std.values import Recording

Place = Callable[[Row], Recording | None]
WORDS = 0.8  # of rows with a single word, in a list of words
WITHIN_S = 0.5  # that words may begin before what they stand in, and count from the recording
NAMES = ("name", "label", "display_name", "displayName", "id", "speaker")  # of a speaker's object
MOST_UNITS = 1e18  # in a number of a time
LOOKED_AT = 10_000  # rows that tell the unit of times
IDS = ("id", "spkid", "speaker_id", "speakerId", "label")
_ISO = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?")
_PIECE = re.compile(rf"^(?:\s|{MARK}|##)|@@$")


class _Timed(NamedTuple):
    row: Row
    start_s: float
    end_s: float
    text: str


def cues_of(
    rows: Sequence[Row],
    path: Path | str,
    recording: Recording,
    options: ReaderOptions,
    unit: float = 0.0,
) -> list[Cue]:
    """Make cues of rows, in their order.

    Args:
        rows: as found.
        path: for messages.
        recording: of the rows that name none.
        options: what becomes of noises and of what cannot be.
        unit: seconds of times whose key has no unit; 0: by the rate of speech.

    Raises:
        InputError: most rows cannot be read.
    """
    unit = unit or _unit_s(rows)
    read = options.repairs.rows(rows, lambda row: _timed(row, path, unit, options))
    timed = _placed([one for one in read if one is not None], unit)
    if not timed:
        return []
    place = _places([one.row for one in timed], recording, options)
    if _are_words(timed):
        return list(_of_words(timed, path, options, place))
    rows = [one.row for one in timed]
    languages, speakers = _names(rows, "language"), _names(rows, "speaker")
    return [
        Cue(
            row.around.line,
            start_s,
            end_s,
            text,
            (),
            place(row),
            language,
            speaker,
        )
        for (row, start_s, end_s, text), language, speaker in zip(
            timed, languages, speakers, strict=True
        )
    ]


def _say(rows: Sequence[Row], what: str) -> bool:
    """Tell whether any row, or what stands around it, says something."""
    fields = {id(row.fields): row.fields for row in rows}.values()
    around = {id(row.around): row.around.said for row in rows}.values()
    return any(what in one for one in (*fields, *around))


def _names(rows: Sequence[Row], what: str) -> list[str]:
    return [_name(row.get(what)) for row in rows] if _say(rows, what) else [""] * len(rows)


def _unit_s(rows: Sequence[Row]) -> float:
    """The unit of the times that have none."""
    bare = []
    for row in rows[:LOOKED_AT]:
        if row.fields["start"][1].unit_s:
            return 1.0
        start = _number(row.get("start"))
        end = _number(row.get("end"))
        duration = _number(row.get("duration"))
        if start is not None:
            last = end if end is not None else start + duration if duration is not None else None
            bare.append((start, last, len(row.text or "")))
    starts = [start for start, _, _ in bare]
    filled = [
        (start, following if last is None else last, letters)
        for (start, last, letters), following in zip(bare, [*starts[1:], UNKNOWN], strict=False)
    ]
    return unit_s(one for one in filled if one[1] == one[1])


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return float(value) if type(value) in (int, float) and abs(value) < 1e300 else None


def _timed(row: Row, path: Path | str, unit: float, options: ReaderOptions) -> _Timed | None:
    """Read the times and the text of a row; None for one that says nothing."""
    text = row.text
    if text is None:
        part = Part(path, row.around.line, dict(row.value), row.where)
        options.repairs.note(NO_TEXT, part.error("a text"))
        return None
    if not text.isascii():  # half a letter may be in it
        text = Part(path, row.around.line, text, row.where, options.repairs).text()
    start_s = _time(row, "start", path, unit, options)
    end_s = _time(row, "end", path, unit, options)
    if end_s != end_s:
        end_s = start_s + _time(row, "duration", path, unit, options)
    return _Timed(row, start_s, end_s, text)


def _time(row: Row, what: str, path: Path | str, unit: float, options: ReaderOptions) -> float:
    """Read a time in seconds; NaN where there is none."""
    if what not in row.fields:
        return UNKNOWN
    key, column = row.fields[what]
    value = row.value[key]
    if value is None or value == "":
        return UNKNOWN
    if type(value) in (int, float) and 0 <= value < MOST_UNITS:  # as nearly always
        whole_s = float(value * (column.unit_s or unit))
        if whole_s <= MAX_TIME_S:
            return whole_s
    where = f"{row.where}.{key}".strip(".")
    part = Part(path, row.around.line, value, where, options.repairs)
    if type(value) in (int, float):
        return part.seconds(1 / (column.unit_s or unit))
    try:
        return seconds_of(value, column, unit)
    except (ValueError, TypeError, OverflowError) as error:
        raise part.error("a time, in numbers or as 0:01:02.5,") from error


def seconds_of(value: Any, column: Column, unit: float) -> float:
    """Read a time as people write it.

    Raises:
        ValueError, TypeError: it is none.

    >>> [seconds_of(v, Column("start"), 1.0) for v in ("PT1.5S", "1.5s", {"relative": 1.5})]
    [1.5, 1.5, 1.5]
    """
    if isinstance(value, dict):
        if "relative" in value:
            return float(value["relative"])
        if "seconds" in value or "nanos" in value:
            return float(value.get("seconds") or 0) + 1e-9 * float(value.get("nanos") or 0)
    if isinstance(value, list) and value:
        return seconds_of(value[0 if column.what == "start" else -1], column, unit)
    if isinstance(value, str):
        if (iso := _ISO.fullmatch(value)) and value != "PT":
            hours, minutes, whole = (float(part or 0) for part in iso.groups())
            return 3600 * hours + 60 * minutes + whole
        return time_s(value, column.unit_s or unit)
    if type(value) in (int, float) and math.isfinite(value):
        return float(value) * (column.unit_s or unit)
    raise ValueError(value)


def _placed(timed: list[_Timed], unit: float) -> list[_Timed]:
    """Move rows that count from the start of what they stand in."""
    starts = [_parent_s(one.row, unit) for one in timed]
    inner = [(one, start) for one, start in zip(timed, starts, strict=True) if start > 2 * WITHIN_S]
    early = sum(one.start_s < start - WITHIN_S for one, start in inner)
    if not inner or early < WORDS * len(inner):
        return timed
    return [
        one._replace(start_s=one.start_s + start, end_s=one.end_s + start) if start else one
        for one, start in zip(timed, starts, strict=True)
    ]


def _parent_s(row: Row, unit: float) -> float:
    if row.around.start is None:
        return 0.0
    try:
        return seconds_of(*row.around.start, unit)
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _are_words(timed: Sequence[_Timed]) -> bool:
    """Tell whether rows are words, or pieces of words."""
    single = sum(len(one.text.split()) <= 1 for one in timed)
    return single >= WORDS * len(timed) and (
        len(timed) > 1 or timed[0].row.text_at == "word" or timed[0].end_s == timed[0].end_s
    )


def _of_words(
    timed: Sequence[_Timed], path: Path | str, options: ReaderOptions, place: Place
) -> Iterator[Cue]:
    """Yield cues of words: those of one parent and speaker together, cut at pauses."""
    followers = [*(one.start_s for one in timed[1:]), UNKNOWN]
    words = [
        _word(one, following, path, options)
        for one, following in zip(timed, followers, strict=True)
    ]
    pieces = sum(bool(_PIECE.search(one.text)) for one in timed)
    together = 0 < pieces < len(timed)

    def key(at: int) -> tuple[Any, ...]:
        row = timed[at].row
        spoken_by = _name(row.get("speaker"))
        return place(row), spoken_by, row.around.parent

    for (where, _, _), run in groupby(range(len(timed)), key):
        rows = list(run)
        language = _most(_name(timed[at].row.get("language")) for at in rows)
        line = timed[rows[0]].row.around.line
        own = [words[at] for at in rows]
        said = joined(own) if together else [w._replace(token=w.token.strip()) for w in own]
        for cue in timed_cues((line, word) for word in said):
            yield cue._replace(recording=where, language=language)


def _word(
    one: _Timed, following: float, path: Path | str, options: ReaderOptions
) -> HypothesisWord:
    end_s = one.end_s
    if end_s != end_s:  # it lasts until the next, at most as long as its letters take
        longest = one.start_s + 0.07 * max(1, len(one.text.strip()))
        end_s = min(longest, following) if following > one.start_s else longest
    text = spoken_part(one.text)
    sure = _confidence(one.row, path, options)
    return HypothesisWord(text, sure, one.start_s, end_s, _name(one.row.get("speaker")))


def _confidence(row: Row, path: Path | str, options: ReaderOptions) -> float:
    for what in ("confidence", "log"):
        if what in row.fields and (value := row.value[row.fields[what][0]]) is not None:
            part = Part(path, row.around.line, value, row.where, options.repairs)
            return part.probability() if what == "confidence" else part.log_probability()
    return 1.0


def _most(names: Iterable[str]) -> str:
    """The most frequent name; empty if there is none."""
    counts = Counter(name for name in names if name)
    return counts.most_common(1)[0][0] if counts else ""


def _name(value: Any) -> str:
    """A name as it is written: a text, a number, or an object with one."""
    if value is None:
        return ""
    if isinstance(value, dict):
        value = next((value[key] for key in NAMES if value.get(key) not in (None, "")), "")
    return str(value).strip() if isinstance(value, str | int) and value is not True else ""


def _places(rows: Sequence[Row], recording: Recording, options: ReaderOptions) -> Place:
    """How to tell the recording of a row: as it names it, with its channel.

    What is around a row names it only where that names several. Channels that count from 0 are ours
    less one.
    """
    arounds = {id(row.around): row.around for row in rows}.values()
    several = len({_name(around.said.get("file")) for around in arounds}) > 1
    first = 1 if any(row.get("channel") in (0, "0") for row in rows) else 0

    if not several and not _say(rows, "file") and not _say(rows, "channel"):
        return lambda row: None

    def place(row: Row) -> Recording | None:
        named = "file" in row.fields or several
        file = _name(row.get("file")) if named and options.names != "file" else ""
        channel = row.get("channel")
        if not file and channel is None:
            return None
        is_number = type(channel) is int or (isinstance(channel, str) and channel.isdecimal())
        number = int(channel) + first if is_number and int(channel) < MAX_CHANNEL else 0
        name = recording_name(file) if file else recording.file
        return Recording(name, number or recording.channel)

    return place


def speakers_of(document: Any) -> Mapping[str, str]:
    """Names of speakers by their ids, where a document lists them."""
    if not isinstance(document, dict):
        return {}
    named = document.get("speaker_names")
    if isinstance(named, dict):
        return {name: _name(value) for name, value in named.items()}
    listed = document.get("speakers")
    if not isinstance(listed, list):
        return {}
    return {
        str(one[key]): _name(one)
        for one in listed
        if isinstance(one, dict)
        for key in IDS
        if one.get(key) not in (None, "")
    }
