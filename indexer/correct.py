"""Correct a recording of an index by words at a time or by a transcript; undo corrections.

correct     new corrections of a recording -> a commit
undo        undone corrections -> a commit
listed      the corrections of an index
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from indexer.corrections.align import said_at, said_in_all, said_instead
from indexer.corrections.read import SaidWord, TableRow
from indexer.corrections.rewrite import Replacement, rewritten
from indexer.corrections.slots import SpokenWord, corrected, spoken_words, uncorrected
from indexer.segments.merge import merged
from indexer.segments.phone_columns import PhoneColumnBuilder
from indexer.shards import contents
from std.corrections import CorrectedWord, Correction, Layer, layers_of, with_layer
from std.errors import NONE, InputError, Unquoted
from std.languages.detection import of_segment
from std.metadata.table import of_rows
from std.store import CommittedSegment, Store
from std.store.columns import Int64s, SegmentColumns
from std.text import Normalisation
from std.values import Recording

LEAST_SAME = 0.3  # share of a transcript's words that must be in the recording
BEYOND_MS = 10_000  # after the last word; a correction stands beside it
AROUND_MS = 1000  # words within this time before and after a transcript may belong to it


class RecordingCorrection(NamedTuple):
    """A correction and its recording."""

    recording: Recording
    correction: Correction


class _Spoken(NamedTuple):
    """The content of a recording in an index."""

    columns: SegmentColumns
    row: int
    language: str
    words: list[SpokenWord]
    middles: Int64s


def at_time(
    recording: Recording,
    said: Sequence[str],
    span_ms: tuple[int, int | None],
    stores: Sequence[Store],
    phone_builder: PhoneColumnBuilder,
) -> list[Correction]:
    """The correction that puts words at a time.

    Raises:
        InputError: the index has no such recording, or its words end long before.
    """
    spoken = _spoken(recording, stores)
    last_ms = int(spoken.middles[-1]) if len(spoken.middles) else span_ms[0]
    if span_ms[0] > last_ms + BEYOND_MS:
        url = ", ".join(store.url for store in stores)
        expected = f"a time in {recording.file}, whose words end at {last_ms / 1000:.1f} s"
        raise InputError(url, 0, expected, Unquoted(f"{span_ms[0] / 1000:g} s"))
    sounds = partial(phone_builder.sounds, language=spoken.language)
    found = said_at(spoken.words, spoken.middles, said, span_ms, sounds)
    return [found._replace(channel=recording.channel)]


def by_transcript(
    recording: Recording, said: Sequence[SaidWord], path: Path, stores: Sequence[Store]
) -> list[Correction]:
    """The corrections that make a recording equal to a transcript.

    Raises:
        InputError: the index has no such recording, or the transcript is of another one.
    """
    spoken = _spoken(recording, stores)
    times = [time for one in said for time in (one.start_ms, one.end_ms) if time is not None]
    inside = [
        i
        for i, one in enumerate(spoken.words)
        if not times or min(times) - AROUND_MS <= one.start_ms <= max(times) + AROUND_MS
    ]
    part = slice(inside[0], inside[-1] + 1) if inside else slice(0, 0)
    words = [one.word for one in said]
    found, same = said_in_all(spoken.words, spoken.middles, words, part)
    if same < LEAST_SAME:
        expected = f"a transcript of {recording.file}"
        raise InputError(path, 0, expected, Unquoted(f"one with {same:.0%} of its words"))
    return [one._replace(channel=recording.channel) for one in found]


def by_table(
    file: str, rows: Sequence[TableRow], path: Path, text: Normalisation, stores: Sequence[Store]
) -> list[Correction]:
    """The corrections of an audio file in a table; rows that an earlier run has made are left out.

    Raises:
        InputError: the words that a row replaces are not at its place.
    """
    known: dict[int, _Spoken] = {}
    made = layers_of(contents(stores)[1]).get(file, ())
    corrections = []
    for row in rows:
        if any(map(row.is_made, made)):
            continue
        channel = row.recording.channel
        if channel not in known:
            known[channel] = _spoken(Recording(file, channel), stores)
        spoken = known[channel]
        said = text.phrase(row.after) if row.after else ()
        written = text.phrase(row.before.replace("?", " ")) if row.before else ()
        one = said_instead(spoken.words, spoken.middles, written, said, row.start_ms)
        if one is None:
            expected = f"{row.before!r} in {file} at {row.start_ms / 1000:.3f} s"
            raise InputError(path, row.line, expected, Unquoted("other words"))
        corrections.append(one._replace(channel=channel, written=row.after))
    return corrections


def _spoken(recording: Recording, stores: Sequence[Store]) -> _Spoken:
    for store in stores:
        for segment, columns in held(store, recording.file):
            for row, one in enumerate(columns.recordings):
                if one.recording == recording:
                    words, middles = spoken_words(columns, row)
                    return _Spoken(columns, row, of_segment(segment), words, middles)
    url = ", ".join(store.url for store in stores)
    expected = f"a channel of {recording.file}"
    raise InputError(url, 0, expected, str(recording.channel), "--channel says which")


def correct(
    file: str,
    corrections: Sequence[Correction],
    stores: Sequence[Store],
    phone_builder: PhoneColumnBuilder,
    *,
    dry_run: bool = False,
) -> Layer:
    """Add corrections to those of an audio file, in stores that are being written to.

    Returns:
        the new ones, with what they replace.
    """
    if dry_run:
        layer = {file: tuple(corrections)}
        for store in stores:
            for _, columns in held(store, file):
                layer = corrected(columns, layer)[1]
        return layer[file]
    before = layers_of(contents(stores)[1]).get(file, ())
    after = recorrect(stores, file, (*before, *corrections), phone_builder)
    return after[len(before) :]


def undo(
    file: str,
    span_ms: tuple[int, int | None] | None,
    stores: Sequence[Store],
    phone_builder: PhoneColumnBuilder,
    *,
    channel: int | None = None,
    dry_run: bool = False,
) -> Layer:
    """Undo corrections, in stores that are being written to.

    Args:
        span_ms: a time, or start and end, in a correction; None: all corrections of the file.
        channel: of the audio file; None: all.

    Returns:
        the undone corrections.

    Raises:
        InputError: there are no such corrections.
    """
    before = layers_of(contents(stores)[1]).get(file, ())
    gone = asked = tuple(one for one in before if channel in (None, one.channel))
    if span_ms is not None:
        gone = tuple(one for one in asked if _is_at(one, *span_ms))
        # A stretch may begin after its first word does: where the slots before it end.
        gone = gone or tuple(
            one for one in asked if any(_is_at(word, *span_ms) for word in one.words)
        )
    if not gone:
        url = ", ".join(store.url for store in stores)
        of = file if channel in (None, 1) else f"channel {channel} of {file}"
        where = "" if span_ms is None else f" at {span_ms[0] / 1000:.3f} s"
        raise InputError(url, 0, f"a correction of {of}{where}", NONE)
    if not dry_run:
        recorrect(stores, file, tuple(one for one in before if one not in gone), phone_builder)
    return gone


def _is_at(one: Correction | CorrectedWord, start_ms: int, end_ms: int | None) -> bool:
    """Whether a correction, or a word of it, covers a time, or a part of a stretch."""
    last_ms = start_ms + 1 if end_ms is None else end_ms
    return one.start_ms < last_ms and start_ms < one.end_ms


def rewritten_file(
    content: bytes, recording: Recording, text: Normalisation, stores: Sequence[Store]
) -> tuple[bytes, Layer, list[int], list[int]]:
    """A transcript of a recording with its corrections and no other change.

    Returns:
        the file; the corrections of the recording; how often each was made; and how often not.

    Raises:
        InputError: the index has no such recording.
    """
    layers = layers_of(contents(stores)[1])
    layer = tuple(one for one in layers.get(recording.file, ()) if one.channel == recording.channel)
    spoken = _spoken(recording, stores)
    before = uncorrected(spoken.columns, {recording.file: layers.get(recording.file, ())})
    words, middles = spoken_words(before, spoken.row)
    replacements = []
    for one in layer:
        inside = [
            i for i, word in enumerate(words) if one.start_ms <= middles[word.slot] < one.end_ms
        ]
        span = (inside[0], inside[-1] + 1) if inside else (0, 0)
        replacements.append(Replacement(*span, one.written or one.text))
    written = [word.word for word in words]
    new, done, kept = rewritten(content, written, replacements, text)
    return new, layer, done, kept


def listed(stores: Sequence[Store], files: Sequence[str] = ()) -> list[RecordingCorrection]:
    """The corrections of an index, recording by recording, by time.

    Args:
        files: audio files, as the index names them; none: all.
    """
    return sorted(
        (
            RecordingCorrection(Recording(file, one.channel), one)
            for file, layer in layers_of(contents(stores)[1]).items()
            if not files or file in files
            for one in layer
        ),
        key=lambda one: (one.recording, one.correction.start_ms),
    )


def held(store: Store, file: str) -> list[tuple[CommittedSegment, SegmentColumns]]:
    """The segments with an audio file, and their columns of it, without phone columns."""
    found = []
    for segment in store.segments():
        others = {row for row, one in enumerate(segment.recordings) if one.recording.file != file}
        alone = segment.without(others)
        if len(alone.deleted) < len(segment.recordings):
            found.append((segment, merged([alone])))
    return found


def recorrect(
    stores: Sequence[Store], file: str, layer: Layer, phone_builder: PhoneColumnBuilder
) -> Layer:
    """Replace the corrections of an audio file.

    Args:
        layer: all its new corrections.

    Returns:
        the corrections, with what they replaced.
    """
    for store in stores:
        normalisation = store.normalisation()
        parts = held(store, file)
        if not parts or normalisation is None:
            continue
        metadata = store.metadata()
        before = layers_of(metadata.of([file]))
        add = []
        for segment, columns in parts:
            columns, noted = corrected(uncorrected(columns, before), {file: layer})
            layer = noted[file]
            phones = phone_builder.of(columns, of_segment(segment))
            add.append(replace(columns, extra={**columns.extra, **phones}))
        values = with_layer(metadata.values(file), layer)
        store.commit(
            add, normalisation=normalisation, delete_files={file}, metadata=of_rows({file: values})
        )
    return layer
