"""Learn and recognise the phones of recordings with sound, and keep them in the index.

recognise_phones    stores -> segments with phones heard, committed

A layer is learned for each pronouncer and encoder, from at most `TRAINING_FRAMES` of speech, and
kept in the segments of the recordings that it was applied to. It is also applied to recordings that
are added later, until one could be learned from `ENOUGH` times as much speech; then a new one is
learned. Its weights are shrunk towards the earlier layer's, so that speech deleted since then still
counts. A layer that gets less than `LEAST_RIGHT` of held-out frames right is not
used. An index without sound is unchanged.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from indexer.index_report import HeardLanguage
from indexer.phone_layer.layer import PhoneLayer, by_folds
from indexer.phone_layer.learning import (
    JUDGED_MS,
    Learned,
    TrainingRecording,
    folds_of,
    learn,
    targets,
)
from indexer.phone_layer.slots import (
    LearnedFrom,
    digest_of,
    heard_of,
    kept_layer,
    layer_kept,
    name_of,
    slots_of,
)
from indexer.phone_layer.sources import Source, Sources, sources_of
from indexer.segments.merge import merged
from indexer.segments.phone_columns import kept_phones
from std.execution.stop import check_stop
from std.store import CommittedSegment, Store
from std.store.columns import live_recordings
from std.store.heard import HeardBy, HeardSlots, gathered
from std.store.protocol import verified_columns
from std.values import Int64s, Recording

TRAINING_FRAMES = 4 * 3600 * 50  # four hours
LEAST_FRAMES = 3000  # of words and pauses: a minute
LEAST_RIGHT = 0.5
ENOUGH = 2  # times the sound that a layer was learned from: then one is learned again
MOST_LAYERS = 100  # of a group: their number in a segment is a byte; then one replaces them all


def recognise_phones(stores: Sequence[Store]) -> list[HeardLanguage]:
    """Recognise the phones of recordings with sound that have none yet, and commit them.

    Args:
        stores: the shards of an index, open for writing.
    """
    segments = [(store, segment) for store in stores for segment in store.segments()]
    heard: dict[Recording, HeardSlots] = {}
    report = []
    for sources in sources_of(segment for _, segment in segments):
        if all(_fits(source.by, sources) for source in sources.recordings):
            continue
        outcome, of_recordings = _heard(sources)
        report.append(outcome)
        heard |= of_recordings
    for store, segment in segments:
        _commit(store, segment, heard)
    return report


def _fits(by: HeardBy | None, sources: Sources) -> bool:
    """Whether a layer has the pronouncer and the encoder of a group."""
    if by is None:
        return False
    layer, learned_from = layer_kept(by)
    return (learned_from.pronouncer, layer.encoder) == (sources.pronouncer, sources.encoder)


def _heard(sources: Sources) -> tuple[HeardLanguage, dict[Recording, HeardSlots]]:
    """The slots of a group's recordings that had none, or of all if a new layer is due.

    No layer is applied to a recording that it was learned from: if one is indexed again, a new
    layer is learned. If a layer is shrunk towards an earlier one, slots of the earlier one are
    kept: the earlier one may have been learned from these recordings.
    """
    new = [source for source in sources.recordings if not _fits(source.by, sources)]
    layers = {source.by.weights for source in sources.recordings if source.by}
    earlier = None if len(layers) >= MOST_LAYERS else _earlier(sources)
    is_due = earlier is None or _is_due(earlier, sources)
    if earlier is not None and not is_due and not _was_learned_from(earlier, new):
        layer, learned_from = layer_kept(earlier)
        slots = {one.recording: _by_whole(one, layer, earlier) for one in new}
        return _outcome(sources, slots, learned_from, learned=False), slots
    chosen = _training_sources(sources)
    phones = _phones_of(chosen)
    training = _training(chosen, phones)
    if not training:
        return HeardLanguage(sources.pronouncer, 0, 0.0, 0.0, learned=True), {}
    learned = learn(training, phones, sources.encoder)
    names = tuple(name_of(one.recording) for one in chosen)
    digests = tuple(digest_of(one.sound) for one in chosen)
    learned_from = LearnedFrom(sources.pronouncer, learned.frames, names, learned.right, digests)
    if learned.frames < LEAST_FRAMES or learned.right < LEAST_RIGHT:
        return _outcome(sources, {}, learned_from, learned=True), {}
    gone = _gone(earlier, sources)
    if earlier is not None and gone:
        old, _ = layer_kept(earlier)
        learned = learned.shrunk(old, gone / (gone + learned.frames))
    by = kept_layer(learned.whole, learned_from)
    folds = {
        one.recording: recording.folds for one, recording in zip(chosen, training, strict=True)
    }
    slots = {}
    for source in new if gone or not is_due else sources.recordings:
        check_stop()
        if source.recording in folds:
            slots[source.recording] = _by_folds(source, learned, folds[source.recording], by)
        else:
            slots[source.recording] = _by_whole(source, learned.whole, by)
    return _outcome(sources, slots, learned_from, learned=True), slots


def _outcome(
    sources: Sources,
    slots: Mapping[Recording, HeardSlots],
    learned_from: LearnedFrom,
    *,
    learned: bool,
) -> HeardLanguage:
    frame_s = sources.recordings[0].sound.frame_ms / 1000
    learned_from_s = learned_from.frames * frame_s
    return HeardLanguage(
        sources.pronouncer, len(slots), learned_from.right, learned_from_s, learned
    )


def _earlier(sources: Sources) -> HeardBy | None:
    """The group's layer that was learned from most speech."""
    kept = [one.by for one in sources.recordings if one.by and _fits(one.by, sources)]
    return max(kept, key=lambda by: layer_kept(by)[1].frames, default=None)


def _is_due(earlier: HeardBy, sources: Sources) -> bool:
    """Whether a new layer is due, because it could be learned from much more sound."""
    spoken = sum(len(one.sound) for one in sources.recordings if one.words.timed.any())
    return min(spoken, TRAINING_FRAMES) >= ENOUGH * layer_kept(earlier)[1].frames


def _was_learned_from(earlier: HeardBy, sources: Sequence[Source]) -> bool:
    """Whether a layer was learned from one of some recordings."""
    return any(map(_taught(layer_kept(earlier)[1]), sources))


def _taught(learned_from: LearnedFrom) -> Callable[[Source], bool]:
    """Tells whether a layer was learned from a recording, which may have another name now."""
    names, sounds = {*learned_from.recordings}, {*learned_from.sounds}
    return lambda one: name_of(one.recording) in names or digest_of(one.sound) in sounds


def _gone(earlier: HeardBy | None, sources: Sources) -> int:
    """How many of the frames that an earlier layer was learned from have left the index."""
    if earlier is None:
        return 0
    _, learned_from = layer_kept(earlier)
    there = sum(len(one.sound) for one in filter(_taught(learned_from), sources.recordings))
    return max(0, learned_from.frames - there)


def _training_sources(sources: Sources) -> list[Source]:
    """Recordings with words, spread over the group: at most `TRAINING_FRAMES`, at least one."""
    spoken = [one for one in sources.recordings if len(one.words.begin_ms)]
    total = sum(len(one.sound) for one in spoken)
    step = max(1.0, total / TRAINING_FRAMES)
    return [spoken[row] for row in np.arange(0, len(spoken), step).astype(int).tolist()]


def _phones_of(chosen: Sequence[Source]) -> tuple[str, ...]:
    """The phones of the words of some recordings; a class without frames would fit anywhere."""
    taught = {one.phones[row] for one in chosen for row in np.unique(one.words.phones).tolist()}
    return tuple(sorted(taught))


def _training(chosen: Sequence[Source], phones: Sequence[str]) -> list[TrainingRecording]:
    """Sources as recordings to learn from, with the phones of their words (`_phones_of`)."""
    if not chosen:
        return []
    row_of = {phone: row for row, phone in enumerate(phones)}
    folds = folds_of([len(one.sound) for one in chosen], chosen[0].sound.frame_ms)
    training = []
    for source, of_frames in zip(chosen, folds, strict=True):
        rows = np.array([row_of.get(phone, 0) for phone in source.phones], np.uint8)
        words = replace(source.words, phones=rows[source.words.phones])
        sound = source.sound
        clock = len(sound), sound.start_ms, sound.frame_ms
        states, judged = targets(words, *clock), targets(words, *clock, JUDGED_MS)
        training.append(TrainingRecording(source.reader, states, judged, of_frames))
    return training


def _by_whole(source: Source, layer: PhoneLayer, by: HeardBy) -> HeardSlots:
    """The slots of a recording that no layer was learned from."""
    slots = slots_of(layer.log_posteriors(source.reader), layer.shares)
    return heard_of(slots, by, layer.phones, (source.sound.start_ms, source.sound.frame_ms))


def _by_folds(source: Source, learned: Learned, folds: Int64s, by: HeardBy) -> HeardSlots:
    """The slots of a recording learned from; each frame by the layer that did not see it."""
    said = by_folds(learned.layers, folds, source.reader)
    shares = np.stack([layer.shares for layer in learned.layers])[folds]
    clock = source.sound.start_ms, source.sound.frame_ms
    return heard_of(slots_of(said, shares), by, learned.whole.phones, clock)


def _commit(store: Store, segment: CommittedSegment, heard: Mapping[Recording, HeardSlots]) -> None:
    """Put the slots of recordings into their segment; deleted recordings leave it."""
    normalisation = store.normalisation()
    is_heard = any(one.recording in heard for _, one in live_recordings(segment))
    if normalisation is None or not is_heard:
        return
    columns = verified_columns(segment)
    if segment.deleted:
        columns = merged([segment], partial(kept_phones, before=columns))
    before = HeardSlots.read(columns.extra)
    parts = [before] if before else []
    rows: list[tuple[int, int] | None] = []
    for row, one in enumerate(columns.recordings):
        if one.recording in heard:
            rows.append((len(parts), 0))
            parts.append(heard[one.recording])
        else:
            rows.append((0, row) if before else None)
    extra = {**columns.extra, **gathered(parts, rows).columns()}
    store.commit([replace(columns, extra=extra)], normalisation=normalisation, replace=[segment.id])
