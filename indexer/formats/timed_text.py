"""Plain JSON of cues: rows of start, end and text, as scripts write them.

    [{"start": 0.5, "end": 2.1, "text": "hello there"}, ...]       a list, or one object per line
    {"captions": [{"startMs": 500, "endMs": 2100, "text": ...}, ...]}     a list under some key
    [{"text": ..., "start": 0.5, "duration": 1.6}, ...]            youtube-transcript-api
    [{"word": "hello", "start": 0.5, "end": 0.9}, ...]             words with times of their own

Names and units of the keys are those of `indexer.formats.columns_of_cues`, where the times may be
clock times, too; other keys are passed over. Rows with lists inside are of recognisers, which have
readers of their own.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from indexer.formats.caption_text import spoken_part
from indexer.formats.columns_of_cues import Column, columns_of, is_complete, time_s, unit_s
from indexer.formats.cues import Cue, timed_cues, utterances_of_cues
from indexer.formats.reader_options import DEFAULT, ReaderOptions
from indexer.formats.recordings import recording_for
from indexer.formats.stated_language import stated_language
from indexer.networks.hypotheses import HypothesisWord
from indexer.networks.utterances import Utterances
from std.json_fields import Part, documents

_FIRST_ROW = re.compile(rb'\s*\[?\s*(\{[^{}\[\]]*"[^"]+"\s*:\s*\[\s*)?(\{[^{}\[\]]*\})')
_KEY = re.compile(rb'"([^"\\]{1,40})"\s*:')
RECOGNISERS = {  # keys of rows that other readers know better
    "avg_logprob", "no_speech_prob", "timestamp", "offsets", "conf", "punctuated_word",
    "alternatives", "words", "segments", "word_segments",
}  # fmt: skip
EXPECTED = "a start, an end or a duration, and a text"


def looks_like(head: bytes) -> bool:
    """Tell whether JSON that begins like this has rows of cues."""
    first = _FIRST_ROW.match(head)
    if first is None:
        return False
    around, keys = (
        [key.decode("utf-8", "replace") for key in _KEY.findall(part or b"")]
        for part in first.groups()
    )
    if RECOGNISERS & {*around, *keys} or is_complete(columns_of(around)):
        return False
    return is_complete(columns_of(keys))


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's rows as utterances, in order; words with times as one until a pause.

    Raises:
        InputError: the file is no JSON, or a row lacks something.
    """
    ones = list(documents(stream, path))
    language = ""
    if len(ones) == 1 and (inside := _rows_in(ones[0])) is not None:
        language, ones = stated_language(ones[0]), inside
    rows = [(row, columns_of(row.value if isinstance(row.value, dict) else ())) for row in ones]
    unit = _unit_s(rows)
    cues = [_cue(row, columns, unit, language, options) for row, columns in rows]
    recording = recording_for(path, options)
    if all(cue.words for cue in cues):
        cues = list(timed_cues((cue.line, word) for cue in cues for word in cue.words))
        cues = [cue._replace(language=language) for cue in cues]
    yield from utterances_of_cues(cues, path, recording, options)


def _rows_in(one: Part) -> list[Part] | None:
    """Return the rows under the one key of an object that holds a list of objects."""
    if not isinstance(one.value, dict) or is_complete(columns_of(one.value)):
        return None
    lists = [
        key
        for key, value in one.value.items()
        if isinstance(value, list) and value and isinstance(value[0], dict)
    ]
    return list(one[lists[0]]) if len(lists) == 1 else None


def _unit_s(rows: Sequence[tuple[Part, Mapping[str, tuple[int, Column]]]]) -> float:
    written = []
    for row, columns in rows:
        if "end" not in columns or columns["end"][1].unit_s or "start" not in columns:
            return 1.0
        keys = list(row.value)
        text = columns.get("text", columns.get("word"))
        start, end = (_written(row.value[keys[columns[what][0]]]) for what in ("start", "end"))
        written.append((start, end, str(row.value[keys[text[0]]]) if text else ""))
    return unit_s(written)


def _cue(
    row: Part,
    columns: Mapping[str, tuple[int, Column]],
    unit: float,
    language: str,
    options: ReaderOptions,
) -> Cue:
    if not is_complete(columns):
        raise row.error(EXPECTED)
    keys = list(row.value)
    start_s = _time(row[keys[columns["start"][0]]], columns["start"][1], unit)
    last = columns.get("end") or columns["duration"]
    end_s = _time(row[keys[last[0]]], last[1], unit) + (0.0 if "end" in columns else start_s)
    said = columns.get("text") or columns["word"]
    text = spoken_part(row[keys[said[0]]].text(), options.nonwords)
    cue = Cue(row.line, start_s, end_s, text, language=language or stated_language(row))
    if "text" in columns:
        return cue
    at = columns.get("confidence")
    confidence = row[keys[at[0]]].probability() if at else 1.0
    return cue._replace(words=[HypothesisWord(text, confidence, start_s, end_s)])


def _time(part: Part, column: Column, unit: float) -> float:
    try:
        return time_s(_written(part.value), column.unit_s or unit)
    except ValueError as error:
        raise part.error("a time, in numbers or as 0:01:02.5,") from error


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
