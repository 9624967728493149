"""JSON of rows with times and texts, as scripts and most services write them.

    [{"start": 0.5, "end": 2.1, "text": "hello there"}, ...]       a list, or one object per line
    {"captions": [{"startMs": 500, "endMs": 2100, "text": ...}, ...]}     under any key
    [{"text": ..., "start": 0.5, "duration": 1.6}, ...]            youtube-transcript-api
    [{"timestamp": "0:05", "text": ...}, ...]                      starts only, as Gemini does
    [{"word": "hello", "start": 0.5, "end": 0.9}, ...]             words with times
    {"segments": [{"start", "end", "words": [[0.5, 0.9, "hello"], ...]}]}     words inside rows
    {"tokens": [{"text": " hel", "start_ms": 500, "end_ms": 700}, ...]}       pieces of words

`indexer.formats.shared.json_rows` finds the rows by the meaning of their keys
(`indexer.formats.shared.columns_of_cues`), `indexer.formats.shared.json_cues` reads them. Other
keys are passed over.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from indexer.formats.shared.columns_of_cues import columns_of, is_complete
from indexer.formats.shared.cues import utterances_of_cues
from indexer.formats.shared.json_cues import cues_of, speakers_of
from indexer.formats.shared.json_rows import rows_in
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions
from indexer.formats.shared.recordings import recording_for
from indexer.formats.shared.speaker_names import spoken_cues
from indexer.formats.shared.stated import stated_language
from indexer.networks.utterances import Utterances
from std.json_fields import documents

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
EXPECTED = "rows with a start and a text"


def looks_like(head: bytes) -> bool:
    """Whether JSON with this beginning has rows of cues."""
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
        InputError: the file is not JSON, has no such rows, or most cannot be read.
    """
    values, lines, first = [], [], None
    for part in documents(stream, path, repairs=options.repairs):
        first = first or part
        values.append(part.value)
        lines.append(part.line)
    assert first is not None  # `documents` refuses a file without any
    rows = rows_in(values, lines)
    if not rows:
        raise first.error(EXPECTED)
    alone = len(values) == 1
    language = stated_language(first) if alone else ""
    recording = recording_for(path, options)
    cues = cues_of(rows, path, recording, options)
    names = speakers_of(first.value) if alone else {}
    if language or names:
        cues = [
            cue._replace(
                language=cue.language or language, speaker=names.get(cue.speaker, cue.speaker)
            )
            for cue in cues
        ]
    spoken = spoken_cues(cues, options.speaker_names)
    yield from utterances_of_cues(spoken, path, recording, options)


READER = FormatReader(
    name="timed-text",
    title="plain JSON",
    section="tables-and-plain-json",
    content="captions, or words with times",
    kinds=("json",),
    looks_like=looks_like,
    parse=parse,
    sample=b'[{"start": 0.0, "end": 0.65, "text": "Das Haus."}]',
    words=("Das", "Haus"),
    keys=(
        "start end text",
        "start duration text",
        "start end word",
    ),
)
