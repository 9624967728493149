"""Corrections of an index from Python: made, listed, taken back, written into a transcript."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from indexer.correct import (
    RecordingCorrection,
    at_time,
    by_table,
    by_transcript,
    correct,
    listed,
    rewritten_file,
    stored_name,
    take_back,
)
from indexer.corrections.table import by_file, read_corrections
from indexer.corrections.transcript import read_words
from indexer.index_run import writing
from indexer.opening import AnyPath, Stores, config_of, open_stores, urls_of
from indexer.segments.phone_columns import PhoneColumnBuilder
from std.config import Config
from std.distinct import require_outside
from std.files import content_of, open_input
from std.outputs import open_output
from std.store import Store
from std.text import Normalisation
from std.values import Recording

Time = float | tuple[float, float]  # s; or from when to when


def correct_recording(
    recording: str,
    store: Stores,
    *,
    words: str | None = None,
    at_s: Time | None = None,
    transcript: AnyPath | None = None,
    channel: int = 1,
    dry_run: bool = False,
    config: Config | AnyPath | None = None,
) -> list[RecordingCorrection]:
    """Correct what a recording says, as ``std-store correct`` does.

    The corrected words are certain: their posterior is 1. Corrections stay when the recording is
    indexed again, and can be taken back (`undo_corrections`).

    Args:
        recording: its name.
        store: the index.
        words: what was said at ``at_s``, in place of the words that sound most like it; empty:
            nothing was said.
        at_s: a time in it; or from when to when.
        transcript: a file with what was said in all of it, of any format that `index_files` reads,
            or a text: where it differs from the index, it is right.
        channel: the channel of the audio file.
        dry_run: write nothing.
        config: see `index_files`.

    Returns:
        the corrections, with what they replace.

    Raises:
        InputError: the index has no such recording, or the transcript is of another one.
        ValueError: neither words with a time nor a transcript, or both.
    """
    if (transcript is None) == (words is None or at_s is None):
        raise ValueError("expected words and at_s, or a transcript")
    phone_builder = PhoneColumnBuilder(config_of(config))
    with open_stores(store) as stores, writing(stores):
        file = stored_name(recording, stores)
        one, text = Recording(file, channel), _text(stores)
        if transcript is not None:
            path = Path(transcript)
            found = by_transcript(one, read_words(path, one, text), path, stores)
        else:
            said = text.phrase(words) if words else ()
            found = at_time(one, said, _span_ms(at_s or 0.0), stores, phone_builder)
            found = [some._replace(written=words or "") for some in found]
        layer = correct(file, found, stores, phone_builder, dry_run=dry_run)
    return [RecordingCorrection(one, correction) for correction in layer]


def correct_by_table(
    table: AnyPath,
    store: Stores,
    *,
    dry_run: bool = False,
    config: Config | AnyPath | None = None,
) -> list[RecordingCorrection]:
    """Make the corrections of a table, as ``std-store correct --table`` does.

    ``std-search --corrections`` writes such a table of names of a list that the recogniser wrote
    otherwise; rows that a person marks with no are left out.

    Args:
        table: CSV or a workbook (`indexer.corrections.table`).
        store: the index.
        dry_run: write nothing.
        config: see `index_files`.

    Returns:
        the corrections, with what they replace.

    Raises:
        InputError: it is no such table, or what a row replaces is not in the index; then nothing
            is corrected.
    """
    path, phone_builder = Path(table), PhoneColumnBuilder(config_of(config))
    with open_input(path) as stream:
        rows = by_file(read_corrections(content_of(stream, path), path))
    done = []
    with open_stores(store) as stores, writing(stores):
        text = _text(stores)
        found = {file: stored_name(file, stores) for file in rows}
        given = {
            name: by_table(name, rows[file], path, text, stores) for file, name in found.items()
        }
        for file, some in given.items():
            layer = correct(file, some, stores, phone_builder, dry_run=dry_run)
            done += [RecordingCorrection(Recording(file, one.channel), one) for one in layer]
    return done


class RewriteReport(NamedTuple):
    """What was written of a recording's corrections into a transcript."""

    made: tuple[RecordingCorrection, ...]
    not_found: tuple[RecordingCorrection, ...]  # what they replace is not in the file


def rewrite_transcript(
    transcript: AnyPath, recording: str, store: Stores, output: AnyPath, *, channel: int = 1
) -> RewriteReport:
    """Write a transcript of a recording again, with its corrections and nothing else changed.

    Args:
        transcript: captions, a text, a service's JSON, a Word document: what was indexed.
        recording: its name in the index.
        store: the index.
        output: the file to write; it may be the same.
        channel: the channel of the audio file.

    Raises:
        InputError: a file cannot be read or written, or the index has no such recording.
    """
    path = Path(transcript)
    require_outside(Path(output), urls_of(store))
    with open_input(path) as stream:
        content = content_of(stream, path)
    with open_stores(store) as stores:
        one = Recording(stored_name(recording, stores), channel)
        new, layer, done = rewritten_file(content, one, _text(stores), stores)
    with open_output(Path(output)) as sink:
        sink.write(new)
    made = [RecordingCorrection(one, c) for c, n in zip(layer, done, strict=True) if n]
    missing = [RecordingCorrection(one, c) for c, n in zip(layer, done, strict=True) if not n]
    return RewriteReport(tuple(made), tuple(missing))


def undo_corrections(
    recording: str,
    store: Stores,
    *,
    at_s: Time | None = None,
    dry_run: bool = False,
    config: Config | AnyPath | None = None,
) -> list[RecordingCorrection]:
    """Take corrections of a recording back, as ``std-store correct --undo`` does.

    Args:
        recording: its name; of all its channels.
        store: the index.
        at_s: a time in a correction, or from when to when; None: all of them.
        dry_run: write nothing.
        config: see `index_files`.

    Returns:
        those that were taken back.

    Raises:
        InputError: the index has no such recording, or no such correction of it.
    """
    phone_builder = PhoneColumnBuilder(config_of(config))
    span_ms = None if at_s is None else _span_ms(at_s)
    with open_stores(store) as stores, writing(stores):
        file = stored_name(recording, stores)
        layer = take_back(file, span_ms, stores, phone_builder, dry_run=dry_run)
    return [RecordingCorrection(Recording(file, one.channel), one) for one in layer]


def list_corrections(store: Stores, *, recordings: Sequence[str] = ()) -> list[RecordingCorrection]:
    """What people have corrected in an index, by recording and time.

    Args:
        store: the index.
        recordings: their names; none: all.

    Raises:
        InputError: the index has no such recording.
    """
    with open_stores(store) as stores:
        return listed(stores, [stored_name(one, stores) for one in recordings])


def _text(stores: Sequence[Store]) -> Normalisation:
    """How an index writes words."""
    found = (store.normalisation() for store in stores)
    return next((one for one in found if one is not None), Normalisation())


def _span_ms(at_s: Time) -> tuple[int, int | None]:
    if isinstance(at_s, tuple):
        return round(1000 * at_s[0]), round(1000 * at_s[1])
    return round(1000 * at_s), None
