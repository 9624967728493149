"""Corrections of an index from Python: make, list, undo, write into a transcript."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
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
    undo,
)
from indexer.corrections.read import TableRow, read_corrections, read_words
from indexer.index_run import ProgressBar, no_bar, writing
from indexer.segments.phone_columns import PhoneColumnBuilder
from indexer.shards import Stores, config_of, open_stores, stored_names, urls_of
from std.config import Config
from std.distinct import require_outside
from std.files import AnyPath, content_of, open_input
from std.outputs import open_output
from std.store import Store
from std.text import Normalisation
from std.values import Recording

Time = float | tuple[float, float]  # a time, or start and end; seconds


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
    """Correct words of a recording, as ``std-store correct`` does.

    Corrected words have posterior 1. Corrections stay when the recording is indexed again, and can
    be undone (`undo_corrections`).

    Args:
        recording: its name.
        store: the index.
        words: the words said at ``at_s``, which replace the most similar ones by phones; empty:
            nothing was said.
        at_s: a time in the recording, or start and end, in seconds.
        transcript: a correct transcript of the recording, in any format that `index_files` reads,
            or a text; words that differ from the index are corrected.
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
    with _opened(store, dry_run=dry_run) as stores:
        (file,) = stored_names([recording], stores)
        one, text = Recording(file, channel), _text(stores)
        if transcript is not None:
            path = Path(transcript)
            found = by_transcript(one, read_words(path, one, text), path, stores)
        else:
            said = text.phrase(words) if words else ()
            found = at_time(one, said, _span_ms(at_s or 0.0), stores, phone_builder)
            found = [some._replace(written=(words or "").strip()) for some in found]
        layer = correct({file: found}, stores, phone_builder, dry_run=dry_run)[file]
    return [RecordingCorrection(one, correction) for correction in layer]


def correct_by_table(
    table: AnyPath,
    store: Stores,
    *,
    dry_run: bool = False,
    config: Config | AnyPath | None = None,
    progress: ProgressBar = no_bar,
) -> list[RecordingCorrection]:
    """Make the corrections of a table, as ``std-store correct --table`` does.

    ``std-search --corrections`` writes such a table of misspelt names; rows that a person marks
    with no are left out, and so are those that are made already.

    Args:
        table: CSV or a workbook (`indexer.corrections.read`).
        store: the index.
        dry_run: write nothing.
        config: see `index_files`.
        progress: makes a progress bar; called with its length.

    Returns:
        the corrections, with what they replace.

    Raises:
        InputError: the file is not such a table, or the words of a row are not in the index; then
            nothing is corrected.
    """
    path, phone_builder = Path(table), PhoneColumnBuilder(config_of(config))
    with open_input(path) as stream:
        rows = read_corrections(content_of(stream, path), path)
    with _opened(store, dry_run=dry_run) as stores:
        text = _text(stores)
        with progress(2 * len(rows)) as advance:  # they are found, then made
            found = by_table(_by_name(rows, stores), path, text, stores, advance)
            new = {file: some for file, some in found.items() if some}
            layers = correct(new, stores, phone_builder, dry_run=dry_run) if new else {}
            advance(len(rows))
    return [
        RecordingCorrection(Recording(file, one.channel), one)
        for file, layer in layers.items()
        for one in layer
    ]


class RewriteReport(NamedTuple):
    """The corrections of a recording that were written into a transcript."""

    made: tuple[RecordingCorrection, ...]
    not_found: tuple[RecordingCorrection, ...]  # corrections whose words are not in the file
    partly: tuple[RecordingCorrection, ...] = ()  # of those made: elsewhere the words stand apart


def rewrite_transcript(
    transcript: AnyPath, recording: str, store: Stores, output: AnyPath, *, channel: int = 1
) -> RewriteReport:
    """Write the corrections of a recording into a transcript and change nothing else.

    Args:
        transcript: the indexed file: captions, a text, a service's JSON, a Word document.
        recording: its name in the index.
        store: the index.
        output: the file to write; may be the same.
        channel: the channel of the audio file.

    Raises:
        InputError: a file cannot be read or written, or the index has no such recording.
    """
    path = Path(transcript)
    require_outside(Path(output), urls_of(store))
    with open_input(path) as stream:
        content = content_of(stream, path)
    with open_stores(store, apart=True) as stores:
        (file,) = stored_names([recording], stores)
        one = Recording(file, channel)
        new, layer, done, kept = rewritten_file(content, one, _text(stores), stores)
    with open_output(Path(output)) as sink:
        sink.write(new)
    found = [RecordingCorrection(one, correction) for correction in layer]
    return RewriteReport(
        made=tuple(c for c, n in zip(found, done, strict=True) if n),
        not_found=tuple(c for c, n in zip(found, done, strict=True) if not n),
        partly=tuple(c for c, n, m in zip(found, done, kept, strict=True) if n and m),
    )


def undo_corrections(
    recording: str,
    store: Stores,
    *,
    at_s: Time | None = None,
    channel: int | None = None,
    dry_run: bool = False,
    config: Config | AnyPath | None = None,
) -> list[RecordingCorrection]:
    """Undo corrections of a recording, as ``std-store correct --undo`` does.

    Args:
        recording: its name.
        store: the index.
        at_s: a time in a correction, or start and end; None: all corrections.
        channel: the channel of the audio file; None: all channels.
        dry_run: write nothing.
        config: see `index_files`.

    Returns:
        the undone corrections.

    Raises:
        InputError: the index has no such recording or correction.
    """
    phone_builder = PhoneColumnBuilder(config_of(config))
    span_ms = None if at_s is None else _span_ms(at_s)
    with _opened(store, dry_run=dry_run) as stores:
        (file,) = stored_names([recording], stores)
        layer = undo(file, span_ms, stores, phone_builder, channel=channel, dry_run=dry_run)
    return [RecordingCorrection(Recording(file, one.channel), one) for one in layer]


def list_corrections(store: Stores, *, recordings: Sequence[str] = ()) -> list[RecordingCorrection]:
    """The corrections of an index, by recording and time.

    Args:
        store: the index.
        recordings: their names; none: all.

    Raises:
        InputError: the index has no such recording.
    """
    with open_stores(store, apart=True) as stores:
        return listed(stores, stored_names(recordings, stores))


@contextmanager
def _opened(store: Stores, *, dry_run: bool) -> Iterator[list[Store]]:
    """The stores of an index, open for writing unless nothing is to be written."""
    with open_stores(store, apart=True) as stores, nullcontext() if dry_run else writing(stores):
        yield stores


def _text(stores: Sequence[Store]) -> Normalisation:
    """The normalisation of an index."""
    found = (store.normalisation() for store in stores)
    return next((one for one in found if one is not None), Normalisation())


def _span_ms(at_s: Time) -> tuple[int, int | None]:
    if isinstance(at_s, tuple):
        return round(1000 * at_s[0]), round(1000 * at_s[1])
    return round(1000 * at_s), None


def _by_name(rows: Sequence[TableRow], stores: Sequence[Store]) -> dict[str, list[TableRow]]:
    """The rows of each audio file, by its name in the index; a table may spell it otherwise."""
    files = [*dict.fromkeys(row.recording.file for row in rows)]
    names = dict(zip(files, stored_names(files, stores), strict=True))
    found: dict[str, list[TableRow]] = {}
    for row in rows:
        found.setdefault(names[row.recording.file], []).append(row)
    return found
