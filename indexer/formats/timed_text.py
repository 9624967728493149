"""Plain JSON of cues: rows of start, end and text, as scripts write them.

    [{"start": 0.5, "end": 2.1, "text": "hello there"}, ...]       a list, or one object per line
    {"captions": [{"startMs": 500, "endMs": 2100, "text": ...}, ...]}     a list under some key
    [{"text": ..., "start": 0.5, "duration": 1.6}, ...]            youtube-transcript-api
    [{"word": "hello", "start": 0.5, "end": 0.9}, ...]             words with times of their own
    {"meeting": {..., "sentences": [{"start_time": 0.5, "end_time": 2.1, "text": ...}]}}  Fireflies
    {..., "speech_segments": [{"start_ts": 0.5, "end_ts": 2.1, "transcript": ...}]}       Otter
    {..., "transcript": [{"start_time": 0.5, "end_time": 2.1, "words_str": ...}]}         Sembly

Names and units of the keys are those of `indexer.formats.columns_of_cues`, where the times may be
clock times, too; other keys are passed over. Rows with lists inside are of recognisers, which have
readers of their own. The services' shapes are those that TranscriptX's fixtures have.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
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
MEETING_ROWS = ("speech_segments", "sentences", "transcript")
_MEETING_ROW = re.compile(
    rb'"(?:' + "|".join(MEETING_ROWS).encode() + rb')"\s*:\s*\[\s*(\{[^{}\[\]]*\})'
)
_KEY = re.compile(rb'"([^"\\]{1,40})"\s*:')
RECOGNISERS = {  # keys of rows that other readers know better
    "avg_logprob", "no_speech_prob", "timestamp", "offsets", "conf", "punctuated_word",
    "alternatives", "words", "segments", "word_segments",
}  # fmt: skip
MAX_WHOLE = 2**53  # up to it, every whole number is a float
Fields = Mapping[str, tuple[str, Column]]  # by what it holds, the key and kind of each of a row
EXPECTED = "a start, an end or a duration, and a text"


def looks_like(head: bytes) -> bool:
    """Tell whether JSON that begins like this has rows of cues."""
    first = _FIRST_ROW.match(head)
    around, keys = map(_keys, first.groups()) if first else (set[str](), set[str]())
    if RECOGNISERS & {*around, *keys} or is_complete(columns_of(around)):
        return False
    if is_complete(columns_of(keys)):
        return True
    row = _MEETING_ROW.search(head) if head.lstrip()[:1] == b"{" else None
    keys = _keys(row[1] if row else b"")
    return not RECOGNISERS & keys and is_complete(columns_of(keys))


def _keys(part: bytes | None) -> set[str]:
    return {key.decode("utf-8", "replace") for key in _KEY.findall(part or b"")}


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's rows as utterances, in order; words with times as one until a pause.

    Raises:
        InputError: the file is no JSON, or a row lacks something.
    """
    ones = list(documents(stream, path, repairs=options.repairs))
    language = ""
    if len(ones) == 1 and (inside := _rows_in(ones[0])) is not None:
        language, ones = stated_language(ones[0]), inside
    rows = [(row, _fields(tuple(row.value) if isinstance(row.value, dict) else ())) for row in ones]
    unit = _unit_s(rows)
    read = partial(_cue, unit=unit, language=language, options=options)
    cues = list(options.repairs.rows(rows, lambda row: read(*row)))
    recording = recording_for(path, options)
    if all(cue.words for cue in cues):
        cues = list(timed_cues((cue.line, word) for cue in cues for word in cue.words))
        cues = [cue._replace(language=language) for cue in cues]
    yield from utterances_of_cues(cues, path, recording, options)


def _rows_in(document: Part) -> list[Part] | None:
    """Return the rows under a meeting's key, or the one key that holds a list of objects."""
    if not isinstance(document.value, dict) or is_complete(columns_of(document.value)):
        return None
    for around in (document, document["meeting"]) if document.has("meeting") else (document,):
        for key in MEETING_ROWS:
            if isinstance(around.value, dict) and isinstance(around.value.get(key), list):
                return list(around[key])
    lists = [
        key
        for key, value in document.value.items()
        if isinstance(value, list) and value and isinstance(value[0], dict)
    ]
    return list(document[lists[0]]) if len(lists) == 1 else None


@lru_cache(maxsize=1 << 10)
def _fields(keys: tuple[str, ...]) -> Fields:
    return {what: (keys[place], column) for what, (place, column) in columns_of(keys).items()}


def _unit_s(rows: Sequence[tuple[Part, Fields]]) -> float:
    if any("end" not in one or one["end"][1].unit_s or "start" not in one for _, one in rows):
        return 1.0
    return unit_s(_start_end_text(row, fields) for row, fields in rows)


def _start_end_text(row: Part, fields: Fields) -> tuple[str, str, str]:
    text = fields.get("text", fields.get("word"))
    start, end = (_written(row.value[fields[what][0]]) for what in ("start", "end"))
    return start, end, str(row.value[text[0]]) if text else ""


def _cue(
    row: Part,
    fields: Fields,
    unit: float,
    language: str,
    options: ReaderOptions,
) -> Cue:
    if not is_complete(fields):
        raise row.error(EXPECTED)
    start_s = _time(row, fields["start"], unit)
    end_s = _time(row, fields.get("end") or fields["duration"], unit)
    if "end" not in fields:
        end_s += start_s
    said = fields.get("text") or fields["word"]
    text = spoken_part(row[said[0]].text(), options.nonwords)
    cue = Cue(row.line, start_s, end_s, text, language=language or stated_language(row))
    if "text" in fields:
        return cue
    at = fields.get("confidence")
    confidence = row[at[0]].probability() if at else 1.0
    return cue._replace(words=[HypothesisWord(text, confidence, start_s, end_s)])


def _time(row: Part, field: tuple[str, Column], unit: float) -> float:
    key, column = field
    value, unit_s = row.value[key], column.unit_s or unit
    if type(value) in (int, float) and 0 < value <= MAX_WHOLE:
        return float(value) * unit_s  # what is written would be read as
    try:
        return time_s(_written(value), unit_s)
    except ValueError as error:
        raise row[key].error("a time, in numbers or as 0:01:02.5,") from error


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
