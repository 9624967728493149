"""An index as confusion networks, which `std-store export` writes and `std-index` reads.

    export_index     an index -> files
    index_networks   segments -> the networks of their recordings
    utterance_spans  slots of a recording -> borders and times of its utterances

An index has no borders of utterances, only their number and total duration. So a recording is cut
where its speaker changes and in its longest pauses, into the same number of utterances (or more, if
speakers change more often) with the same total duration. An index has only the middles of slots;
the borders of a slot enclose the times of its words. All data of a search stay the same: words,
times, posteriors, slots, speakers, language, amount of speech.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from indexer.networks.nonwords import is_noise
from indexer.shards import Stores, contents, open_stores, urls_of
from std.csv_files import write_csv
from std.distinct import require_outside
from std.files import AnyPath
from std.languages.detection import of_segment
from std.metadata.table import Metadata
from std.networks import dump
from std.outputs import open_output
from std.recordings import chosen, index_recordings
from std.sound.columns import segment_sound
from std.store import Segment
from std.store.columns import (
    SLOT_ERROR,
    TIME_MASK,
    IndexedRecording,
    SegmentColumns,
    live_recordings,
    unpack_vocabulary,
)
from std.store.protocol import verified_columns
from std.store.speakers import Speakers
from std.values import ConfusionNetwork, Int64s, Recording


@dataclass(frozen=True, slots=True)
class ExportReport:
    """The written content, and content that the files cannot express."""

    recordings: int
    utterances: int
    estimated: tuple[Recording, ...]  # estimated times; an older index has no errors of them
    noises: tuple[str, ...]  # words that are only read again with ``keep_nonwords``
    with_sound: tuple[Recording, ...]  # networks have no frames: ``NAME.sound`` has them


def export_index(
    store: Stores,
    networks: AnyPath,
    *,
    metadata: AnyPath | None = None,
    where: str | None = None,
    recordings: Sequence[str] = (),
) -> ExportReport:
    """Write an index as networks that `index_files` reads, as ``std-store export`` does.

    Args:
        store: the index.
        networks: the file of the networks, our JSON lines; ``-`` is standard output.
        metadata: the file of the metadata, CSV; None: they are not written.
        where: conditions on the recordings' metadata (`std.query`).
        recordings: patterns of names; none: all.

    Raises:
        StdError: ``where`` is not a condition, a pattern fits no recording, the index is damaged,
            or a file cannot be written or would be inside the index.
    """
    require_outside(Path(networks), urls_of(store))
    if metadata:
        require_outside(Path(metadata), urls_of(store))
    utterances: list[int] = []
    noises: set[str] = set()
    told: set[Recording] = set()  # recordings marked as having estimated times

    def noted(network: ConfusionNetwork) -> ConfusionNetwork:
        utterances.append(1)
        noises.update(filter(is_noise, network.words))
        if network.slot_errors_ms is not None and network.slot_errors_ms.any():
            told.add(network.recording)
        return network

    with open_stores(store, apart=True) as stores:
        segments, known = contents(stores)
        listed = chosen(index_recordings(segments, known), known, where, recordings)
        wanted = {one.recording for one in listed}
        with open_output(Path(networks)) as sink:
            dump(map(noted, index_networks(segments, wanted)), sink)
        if metadata:
            with open_output(Path(metadata)) as sink:
                _write_metadata(known, sorted({one.file for one in wanted}), sink)
        with_sound = tuple(sorted(wanted & {*chain.from_iterable(map(_with_sound, segments))}))
    estimated = tuple(
        one.recording for one in listed if one.times_estimated and one.recording not in told
    )
    return ExportReport(len(listed), len(utterances), estimated, tuple(sorted(noises)), with_sound)


def _with_sound(segment: Segment) -> Iterator[Recording]:
    """The live recordings that have frames of sound."""
    if sound := segment_sound(segment, whole=False):
        frames = np.diff(sound.offsets)
        yield from (one.recording for row, one in live_recordings(segment) if frames[row])


def _write_metadata(metadata: Metadata, files: Sequence[str], sink: BinaryIO) -> None:
    names = metadata.names
    rows = ((file, metadata.values(file)) for file in files)
    write_csv(
        sink,
        ["recording", *names],
        ([file, *(values.get(name, "") for name in names)] for file, values in rows if values),
    )


class _BySlot(NamedTuple):
    """The postings of a segment in the order of its slots; within a slot the likeliest first."""

    offsets: Int64s  # (n + 1,) slot i has the postings offsets[i]:offsets[i + 1]
    rows: Int64s  # (m,) of the posting columns
    words: list[str]
    word: Int64s  # (m,) of each posting, in the order of the posting columns


def index_networks(
    segments: Iterable[Segment], wanted: Collection[Recording]
) -> Iterator[ConfusionNetwork]:
    """The networks of live recordings, utterance by utterance.

    Raises:
        StoreError: a segment is damaged.
    """
    for segment in segments:
        rows = [row for row, one in live_recordings(segment) if one.recording in wanted]
        if not rows:
            continue
        columns = verified_columns(segment)
        by_slot, language = _by_slot(columns), of_segment(segment)
        speakers = Speakers.read(columns.extra)
        speaker = speakers.in_all(len(columns.slot_key))
        for row in rows:
            yield from _networks(columns, by_slot, row, language, speakers.names, speaker)


def _by_slot(columns: SegmentColumns) -> _BySlot:
    words = unpack_vocabulary(columns.vocabulary)
    word = np.repeat(np.arange(len(words)), np.diff(columns.posting_offsets))
    rows = np.lexsort((-columns.posting_posterior, columns.posting_slot))
    counts = np.bincount(columns.posting_slot, minlength=len(columns.slot_key))
    return _BySlot(np.concatenate([[0], np.cumsum(counts)]), rows, words, word)


def _networks(
    columns: SegmentColumns,
    by_slot: _BySlot,
    row: int,
    language: str,
    names: tuple[str, ...],
    speaker: np.ndarray,
) -> Iterator[ConfusionNetwork]:
    """The utterances of one recording of a segment."""
    indexed = columns.recordings[row]
    first, end = columns.slot_offsets[row : row + 2].tolist()
    begin, last = by_slot.offsets[[first, end]].tolist()
    postings = by_slot.rows[begin:last]
    offsets = by_slot.offsets[first : end + 1] - begin
    starts = columns.posting_start_ms[postings].astype(np.int64)
    spans = np.stack([starts, starts + columns.posting_duration_ms[postings]], axis=1)
    slots = _slot_spans((columns.slot_key[first:end] & TIME_MASK).astype(np.int64), offsets, spans)
    errors = columns.extra[SLOT_ERROR][first:end] if SLOT_ERROR in columns.extra else None
    bounds, utterances = utterance_spans(slots, speaker[first:end], indexed)
    for number, (start_ms, end_ms) in enumerate(utterances.tolist()):
        a, b = bounds[number : number + 2].tolist()
        here = slice(offsets[a], offsets[b])
        yield ConfusionNetwork(
            recording=indexed.recording,
            utterance=f"{number + 1:06}",
            start_ms=start_ms,
            end_ms=end_ms,
            slot_spans_ms=slots[a:b].astype(np.int32),
            epsilons=columns.slot_epsilon[first + a : first + b],
            offsets=(offsets[a : b + 1] - offsets[a]).astype(np.int32),
            words=tuple(by_slot.words[i] for i in by_slot.word[postings[here]].tolist()),
            posteriors=columns.posting_posterior[postings[here]],
            spans_ms=spans[here].astype(np.int32),
            language=language,
            slot_errors_ms=None if errors is None else errors[a:b].astype(np.int32),
            speaker=names[speaker[first + a]] if a < b else "",
        )


def _slot_spans(middle_ms: Int64s, offsets: Int64s, spans_ms: Int64s) -> Int64s:
    """(n, 2) start and end of slots: around their words, without overlap, with these middles.

    Args:
        middle_ms: (n,) ascending.
        offsets: (n + 1,) words of each slot.
        spans_ms: (m, 2) start and end of each word.
    """
    slot = np.repeat(np.arange(len(middle_ms)), np.diff(offsets))
    reach = np.zeros(len(middle_ms), np.int64)
    np.maximum.at(reach, slot, np.abs(spans_ms - middle_ms[slot][:, None]).max(axis=1, initial=0))
    gaps = np.diff(middle_ms) // 2
    before = np.concatenate([middle_ms[:1], gaps])
    after = np.concatenate([gaps, reach[-1:]])
    half = np.minimum(reach, np.minimum(before, after))
    return np.stack([middle_ms - half, middle_ms + half], axis=1)


def utterance_spans(
    slots_ms: Int64s, speaker: np.ndarray, indexed: IndexedRecording
) -> tuple[Int64s, Int64s]:
    """Cut the slots of a recording into utterances.

    Args:
        slots_ms: (n, 2) start and end of each slot.
        speaker: (n,) the speaker of each.
        indexed: the number and total duration of its utterances.

    Returns:
        (u + 1,) the first slot of each utterance, and (u, 2) its start and end in ms.
    """
    n = len(slots_ms)
    turns = np.flatnonzero(np.diff(speaker)) + 1
    pauses = slots_ms[1:, 0] - slots_ms[:-1, 1]
    pauses[turns - 1] = -1
    most = min(max(indexed.utterances - 1 - len(turns), 0), n - 1 - len(turns) if n else 0)
    cuts = np.sort(np.concatenate([turns, np.argsort(-pauses, kind="stable")[:most] + 1]))
    filled = np.concatenate([[0], cuts, [n]]) if n else np.zeros(1, np.int64)
    empty = max(indexed.utterances - (len(filled) - 1), 0)
    bounds = np.concatenate([filled, np.full(empty, n)]).astype(np.int64)
    starts = np.append(slots_ms[:, 0], slots_ms[-1:, 1].max(initial=0))[bounds[:-1]]
    ends = np.append(slots_ms[:, 1], 0)[np.maximum(bounds[1:] - 1, 0)] if n else starts
    lengths = _fitted(np.maximum(ends - starts, 0), starts, indexed.speech_ms)
    return bounds, np.stack([starts, starts + lengths], axis=1)


def _fitted(lengths: Int64s, starts: Int64s, total_ms: int) -> Int64s:
    """Durations of utterances with a given sum: shortened or extended, the first ones first.

    Only the last one is extended beyond the start of the next.
    """
    if not len(lengths):
        return lengths
    excess = int(lengths.sum()) - total_ms
    if excess > 0:
        kept = np.minimum(np.cumsum(lengths), total_ms)
        shortened: Int64s = np.diff(kept, prepend=0)
        return shortened
    room = np.maximum(np.append(np.diff(starts), 0) - lengths, 0)
    added = np.diff(np.minimum(np.cumsum(room), -excess), prepend=0)
    added[-1] += -excess - added.sum()
    prolonged: Int64s = lengths + added
    return prolonged
