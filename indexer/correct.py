"""Correct a recording of an index by words at a time or by a transcript; undo corrections.

correct     new corrections of a recording -> a commit
undo        undone corrections -> a commit
listed      the corrections of an index
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

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
from std.store.columns import SegmentColumns
from std.text import Normalisation
from std.values import Int64s, Recording

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
    given: Mapping[str, Sequence[TableRow]],
    path: Path,
    text: Normalisation,
    stores: Sequence[Store],
    advance: Callable[[float], None],
) -> dict[str, list[Correction]]:
    """The corrections of a table; rows that an earlier run has made are left out.

    Args:
        given: the rows of each audio file.
        advance: called with the number of rows that are done.

    Raises:
        InputError: the words that a row replaces are not at its place.
    """
    layers = layers_of(contents(stores)[1].of({*given}))
    wanted = [
        Recording(file, one.recording.channel) for file, rows in given.items() for one in rows
    ]
    known = _spoken_in({*wanted}, stores)
    found: dict[str, list[Correction]] = {}
    for file, rows in given.items():
        made: dict[str, list[Correction]] = {}
        for one in layers.get(file, ()):
            made.setdefault(one.written, []).append(one)
        new = [row for row in rows if not any(map(row.is_made, made.get(row.after, ())))]
        starts_ms: dict[int, Int64s] = {}
        found[file] = []
        for row in new:
            channel = row.recording.channel
            spoken = _of(known, Recording(file, channel), stores)
            if channel not in starts_ms:
                starts_ms[channel] = np.array([one.start_ms for one in spoken.words], np.int64)
            said = text.phrase(row.after) if row.after else ()
            written = text.phrase(row.before.replace("?", " ")) if row.before else ()
            place = spoken.words, spoken.middles, starts_ms[channel]
            correction = said_instead(*place, written, said, row.start_ms)
            if correction is None:
                expected = f"{row.before!r} in {file} at {row.start_ms / 1000:.3f} s"
                raise InputError(path, row.line, expected, Unquoted("other words"))
            found[file].append(correction._replace(channel=channel, written=row.after))
            advance(1)
        advance(len(rows) - len(new))
    return found


def _spoken(recording: Recording, stores: Sequence[Store]) -> _Spoken:
    return _of(_spoken_in({recording}, stores), recording, stores)


def _spoken_in(recordings: set[Recording], stores: Sequence[Store]) -> dict[Recording, _Spoken]:
    """The content of recordings, as far as an index has them."""
    found: dict[Recording, _Spoken] = {}
    for store in stores:
        for segment, columns in held(store, {one.file for one in recordings}):
            of_row = {row: one.recording for row, one in enumerate(columns.recordings)}
            rows = [row for row, one in of_row.items() if one in recordings - found.keys()]
            for row, spoken in zip(rows, spoken_words(columns, rows), strict=True):
                found[of_row[row]] = _Spoken(columns, row, of_segment(segment), *spoken)
    return found


def _of(
    known: Mapping[Recording, _Spoken], recording: Recording, stores: Sequence[Store]
) -> _Spoken:
    if recording in known:
        return known[recording]
    url = ", ".join(store.url for store in stores)
    expected = f"a channel of {recording.file}"
    raise InputError(url, 0, expected, str(recording.channel), "choose one with --channel")


def _layer(file: str, stores: Sequence[Store]) -> Layer:
    """The corrections of an audio file."""
    return layers_of(contents(stores)[1].of([file])).get(file, ())


def correct(
    given: Mapping[str, Sequence[Correction]],
    stores: Sequence[Store],
    phone_builder: PhoneColumnBuilder,
    *,
    dry_run: bool = False,
) -> dict[str, Layer]:
    """Add corrections to those of audio files, in stores that are being written to.

    Returns:
        the new ones of each file, with what they replace.
    """
    if dry_run:
        layers = {file: tuple(some) for file, some in given.items()}
        for store in stores:
            for _, columns in held(store, layers.keys()):
                layers = corrected(columns, layers)[1]
        return layers
    before = layers_of(contents(stores)[1].of({*given}))
    all_ = {file: (*before.get(file, ()), *some) for file, some in given.items()}
    after = recorrect(stores, all_, phone_builder)
    return {file: layer[len(before.get(file, ())) :] for file, layer in after.items()}


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
    before = _layer(file, stores)
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
        kept = tuple(one for one in before if one not in gone)
        recorrect(stores, {file: kept}, phone_builder)
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
    ((words, middles),) = spoken_words(before, [spoken.row])
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


def held(store: Store, files: Collection[str]) -> list[tuple[CommittedSegment, SegmentColumns]]:
    """The segments with some audio files, and the columns of these files, without phone columns."""
    found = []
    for segment in store.segments():
        named = enumerate(segment.recordings)
        others = {row for row, one in named if one.recording.file not in files}
        alone = segment.without(others)
        if len(alone.deleted) < len(segment.recordings):
            found.append((segment, merged([alone])))
    return found


def recorrect(
    stores: Sequence[Store], layers: Mapping[str, Layer], phone_builder: PhoneColumnBuilder
) -> dict[str, Layer]:
    """Replace the corrections of audio files, those of a store in one commit.

    Args:
        layers: all new corrections of each file.

    Returns:
        the corrections, with what they replaced.
    """
    layers = {**layers}
    for store in stores:
        normalisation = store.normalisation()
        parts = held(store, layers.keys())
        if not parts or normalisation is None:
            continue
        metadata = store.metadata()
        before = layers_of(metadata.of(layers.keys()))
        add, files = [], set[str]()
        for segment, columns in parts:
            columns, layers = corrected(uncorrected(columns, before), layers)
            phones = phone_builder.of(columns, of_segment(segment))
            add.append(replace(columns, extra={**columns.extra, **phones}))
            files |= {one.recording.file for one in columns.recordings}
        rows = {file: with_layer(metadata.values(file), layers[file]) for file in files}
        store.commit(add, normalisation=normalisation, delete_files=files, metadata=of_rows(rows))
    return layers
