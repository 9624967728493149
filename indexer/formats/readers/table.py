"""Tables: Whisper's .tsv, and what people keep in .csv files, mostly with headings.

    start<TAB>end<TAB>text                Whisper's tools: whole milliseconds
    start,end,text                        whisper.cpp -ocsv: the same, the text in quotation marks
    file;begin (s);dur;transcript         any order, further columns; , ; tab or | between them
    0.500<TAB>2.100<TAB>hello there       Audacity's labels: no headings, two times and a text

Names of columns are those of `indexer.formats.shared.columns_of_cues`, small or capital letters.
A table needs a start, an end or a duration, and a text; or a word, which then has these times.
``file`` (and ``channel``) name the recording, ``language`` its language, ``confidence`` a word's
posterior. Times are clock times or seconds; another unit if the name says so ("start_ms"), or if
only that gives a plausible rate of speech.

Source: openai-whisper ``utils.WriteTSV``; whisper.cpp ``output_csv``; RFC 4180.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from indexer.formats.shared.caption_text import spoken_part
from indexer.formats.shared.clock import frames_as_decimals, note_restarts
from indexer.formats.shared.columns_of_cues import Column, time_s, times_s
from indexer.formats.shared.cues import Cue, all_single, timed_cues, utterances_of_cues
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions, whole_text
from indexer.formats.shared.recordings import recording_for
from indexer.formats.shared.speaker_names import utterances_of_captions
from indexer.formats.shared.table_rows import (
    Columns,
    Numbered,
    guessed_unit_s,
    rows_in,
    table_in,
    with_ends,
)
from indexer.formats.shared.tiers import Tier, chosen
from indexer.networks.hypotheses import HypothesisWord
from indexer.networks.utterances import Utterances
from std.characters import has_characters
from std.errors import InputError
from std.fields import shown
from std.nist.audio_names import recording_name
from std.ranges import CHANNEL
from std.repairs import NO_CONFIDENCE, NO_END, UNKNOWN, Repairs
from std.values import Recording

LEAST_WORDS = 2  # rows of one word each that are an aligner's: one row may be a caption
EXPECTED = "columns start, end and text"
_LINE_END = re.compile("\r\n?")
LONG = 1 << 10  # bytes of a beginning, which may end within a line


def looks_like(head: bytes) -> bool:
    """Whether a file with this beginning has columns of cues."""
    text = _LINE_END.sub("\n", head.decode("utf-8", "replace")).lstrip()
    return table_in(frames_as_decimals(text), cut=len(head) >= LONG) is not None


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's rows as utterances, in order; words with times as one until a pause.

    Raises:
        InputError: the header lacks a column, a row a field, or a time is invalid.
    """
    text = frames_as_decimals(whole_text(stream, path, options)).lstrip()
    table = table_in(text)
    if table is None:
        raise InputError(path, 1, EXPECTED, shown(text.partition("\n")[0].encode()))
    columns = table.columns
    rows: Sequence[Numbered] = list(rows_in(text, table, path, options.repairs))
    rows = _of_speech(rows, columns, path, options)
    rows, columns = with_ends(rows, columns)
    if "word" not in columns and _are_words(rows, columns):
        columns = {"word" if what == "text" else what: at for what, at in columns.items()}
    cues = list(_cues(rows, columns, path, options))
    if "word" in columns and "text" not in columns:
        words = list(_words(cues, options))
        yield from utterances_of_cues(words, path, recording_for(path, options), options)
    else:
        yield from utterances_of_captions(cues, path, options)


def _cues(
    rows: Sequence[Numbered], columns: Columns, path: Path | str, options: ReaderOptions
) -> Iterator[Cue]:
    text_at = columns["text" if "text" in columns else "word"]
    timed = _timed(rows, columns, text_at, path, options.repairs)
    if columns.keys() <= {"start", "end", "duration", "text"}:  # as mostly
        yield from (
            Cue(line, start_s, end_s, row[text_at[0]]) for line, row, start_s, end_s in timed
        )
        return
    language_at, confidence_at = columns.get("language"), columns.get("confidence")
    speaker_at = columns.get("speaker")
    for line, row, start_s, end_s in timed:
        text = row[text_at[0]]
        recording = _recording(row, line, columns, path, options.names != "file")
        cue = Cue(line, start_s, end_s, text, recording=recording)
        if speaker_at:
            cue = cue._replace(speaker=row[speaker_at[0]].strip())
        if language_at:
            cue = cue._replace(language=row[language_at[0]].strip())
        if "word" in columns and "text" not in columns:
            sure = _confidence(row, line, confidence_at, path, options.repairs)
            cue = cue._replace(
                words=[HypothesisWord(spoken_part(text), sure, start_s, end_s, cue.speaker)]
            )
        yield cue


def _are_words(rows: Sequence[Numbered], columns: Columns) -> bool:
    """Whether each row is one word with times of its own, as aligners write them."""
    if len(rows) < LEAST_WORDS or ("end" not in columns and "duration" not in columns):
        return False
    at = columns["text"][0]
    if not all_single(row[at] for _, row in rows):
        return False
    return not has_characters("".join(row[at] for _, row in rows))


def _of_speech(
    rows: Sequence[Numbered], columns: Columns, path: Path | str, options: ReaderOptions
) -> Sequence[Numbered]:
    """Leave out the rows of phones and notes if a column says which rows have words."""
    if "tier" not in columns:
        return rows
    place = columns["tier"][0]
    tiers = [Tier(name) for name in dict.fromkeys(row[place].strip() for _, row in rows)]
    if not (options.tiers.wanted or any(tier.of_words for tier in tiers)):
        return rows
    read = {tiers[at].name for at in chosen(tiers, options.tiers, path)}
    return [one for one in rows if one[1][place].strip() in read]


def _timed(
    rows: Sequence[Numbered],
    columns: Columns,
    text_at: tuple[int, Column],
    path: Path | str,
    repairs: Repairs,
) -> Iterator[tuple[int, list[str], float, float]]:
    """Yield each row's line, fields, start and end in seconds; the end NaN without one."""
    start_at = columns["start"]
    end_at = columns.get("end", columns.get("duration"))
    from_start = "end" not in columns
    guessed = 1.0
    if end_at and not (from_start or start_at[1].unit_s or end_at[1].unit_s):
        guessed = guessed_unit_s(rows, start_at[0], end_at[0], text_at[0])

    def time_in(row: Sequence[str], line: int, at: tuple[int, Column] | None) -> float:
        if at is None:
            return UNKNOWN
        written = row[at[0]]
        if at is end_at and not written.strip():
            problem = InputError(path, line, f"a time as {at[1].what}", written)
            repairs.note(NO_END, problem)
            return UNKNOWN
        try:
            return time_s(written, at[1].unit_s or guessed)
        except ValueError as error:
            found = shown(written.encode())
            raise InputError(path, line, f"a time as {at[1].what}", found) from error

    def times_in(numbered: Numbered) -> tuple[int, list[str], float, float]:
        line, row = numbered
        start_s, end_s = time_in(row, line, start_at), time_in(row, line, end_at)
        return line, row, start_s, start_s + end_s if from_start else end_s

    if end_at is None:
        return repairs.rows(rows, times_in)
    try:
        starts_s, ends_s = (
            times_s([row[place] for _, row in rows], column.unit_s or guessed)
            for place, column in (start_at, end_at)
        )
    except ValueError:
        return repairs.rows(rows, times_in)
    return (
        (line, row, start_s, start_s + end_s if from_start else end_s)
        for (line, row), start_s, end_s in zip(rows, starts_s, ends_s, strict=True)
    )


def _confidence(
    row: Sequence[str], line: int, at: tuple[int, Column] | None, path: Path | str, repairs: Repairs
) -> float:
    written = row[at[0]].strip() if at else ""
    if not re.fullmatch(r"(0?\.\d+|[01](\.\d*)?)?", written):
        problem = InputError(path, line, "a confidence from 0 to 1", shown(written.encode()))
        repairs.note(NO_CONFIDENCE, problem)
        return 1.0
    return min(1.0, float(written)) if written else 1.0


def _words(cues: Sequence[Cue], options: ReaderOptions) -> Iterator[Cue]:
    """Put words of one recording together until a pause."""
    by_recording: dict[tuple[Recording | None, str], list[Cue]] = {}
    for cue in cues:
        by_recording.setdefault((cue.recording, cue.language), []).append(cue)
    for (recording, language), some in by_recording.items():
        if len({cue.speaker for cue in some}) < 2:
            starts_s, lines = [cue.start_s for cue in some], [cue.line for cue in some]
            note_restarts(starts_s, lines, options.repairs)
        words = [(cue.line, word) for cue in some for word in cue.words]
        for cue in timed_cues(words, in_parts=options.chunks is not None):
            yield cue._replace(recording=recording, language=language)


def _recording(
    row: Sequence[str], line: int, columns: Columns, path: Path | str, by_content: bool
) -> Recording | None:
    file = row[columns["file"][0]].strip() if "file" in columns and by_content else ""
    channel = row[columns["channel"][0]].strip() if "channel" in columns else ""
    if not file:
        return None
    try:
        return Recording(recording_name(file), int(CHANNEL.read(channel or "1")))
    except ValueError as error:
        expected = f"a channel, a number from {CHANNEL}"
        raise InputError(path, line, expected, shown(channel.encode())) from error


READER = FormatReader(
    name="table",
    title="tables: Whisper's TSV, CSV",
    section="tables-and-plain-json",
    content="captions, or words with times",
    kinds=("text",),
    looks_like=looks_like,
    parse=parse,
    sample=(b"start\tend\ttext\n0\t650\tdas haus\n"),
    words=("das", "haus"),
)
