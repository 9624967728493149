"""The content of an index: totals (`std-store show`) and recordings (`std-store list`).

describe_index     the totals of the index
list_recordings    a value for each recording
verify_index       its damage (`std-store verify`)
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from indexer.index_report import Language, indexed_languages, pronounced_wrongly
from indexer.origins import origins
from indexer.shards import Stores, contents, open_stores, recordings_in, urls_of
from indexer.sound import clock_doubts, clock_offsets
from std.recordings import IndexRecording, chosen, index_recordings
from std.store import Segment, open_store, require_different
from std.store.columns import KEY_SHIFT, live_recordings
from std.store.heard import quality
from std.values import Recording


@dataclass(frozen=True, slots=True)
class ListedRecording:
    """A recording of an index, with the number of its words."""

    about: IndexRecording
    words: int  # of the one-best
    heard: float | None = None  # share of held-out frames with the right phone

    @property
    def speakers(self) -> list[str]:
        """The names of speakers, those with most words first."""
        named = {name: n for name, n in self.about.speakers.items() if name}
        return sorted(named, key=lambda name: (-named[name], name))

    def document(self) -> dict[str, Any]:
        """The recording as `std-store list --json` writes it."""
        about = self.about
        heard = {} if self.heard is None else {"phones_heard": self.heard}
        return {
            "file": about.recording.file,
            "channel": about.recording.channel,
            "speech_s": about.speech_ms / 1000,
            "language": about.language or None,
            "words": self.words,
            "utterances": about.utterances,
            "times_estimated": about.times_estimated,
            "speakers": self.speakers,
            **heard,
            "inputs": list(about.inputs),
            "metadata": dict(about.metadata),
        }


def list_recordings(
    store: Stores, *, where: str | None = None, recordings: Sequence[str] = ()
) -> list[ListedRecording]:
    """The recordings of an index, ascending.

    Args:
        store: the index.
        where: conditions on their metadata, as ``date >= 2024-01`` (`std.query`).
        recordings: patterns of names; none: all.

    Raises:
        StdError: ``where`` is not a condition, or a pattern fits no recording.
    """
    words: Counter[Recording] = Counter()
    with open_stores(store, apart=True) as stores:
        segments, metadata = contents(stores)
        held = index_recordings(segments, metadata, with_speakers=True)
        wanted = chosen(held, metadata, where, recordings)
        for segment in segments:
            words.update(dict(_one_best_words(segment, {one.recording for one in wanted})))
        heard = dict(chain.from_iterable(map(_phones_heard, segments)))
    return [ListedRecording(one, words[one.recording], heard.get(one.recording)) for one in wanted]


def _phones_heard(segment: Segment) -> Iterator[tuple[Recording, float | None]]:
    """The quality of each live recording's phones heard; None without phones heard."""
    by, layer = segment.extra("heard_by"), segment.extra("heard_layer")
    if by is None or layer is None:
        return
    right = quality(by, layer)
    yield from ((one.recording, right[row]) for row, one in live_recordings(segment))


def _one_best_words(segment: Segment, wanted: set[Recording]) -> Iterator[tuple[Recording, int]]:
    """The number of slots of each live recording with a word that is likelier than silence."""
    rows = [row for row, one in live_recordings(segment) if one.recording in wanted]
    if not rows:
        return
    slots = segment.slots(rows)
    recording = (slots.key[slots.word >= 0] >> KEY_SHIFT).astype(np.int64)
    counts = np.bincount(recording, minlength=len(segment.recordings))
    yield from ((segment.recordings[row].recording, int(counts[row])) for row in rows)


@dataclass(frozen=True, slots=True)
class IndexDescription:
    """The totals and settings of an index."""

    segments: Mapping[str, int]  # by store
    recordings: int
    utterances: int
    speech_s: float
    words: int  # distinct words of all alternatives
    postings: int
    speakers: tuple[str, ...]  # names, ascending
    metadata: tuple[str, ...]  # names of columns, ascending
    languages: tuple[Mapping[str, Any], ...]  # language, pronouncer, recordings
    text: Mapping[str, str]  # normalisation of words, by rule

    def document(self) -> dict[str, Any]:
        """The description as `std-store show --json` writes it."""
        return asdict(self)


def describe_index(store: Stores) -> IndexDescription:
    """The totals of an index, as ``std-store show`` prints them.

    Deleted recordings count in the number of postings and words only.

    Args:
        store: the index.
    """
    with open_stores(store, apart=True) as stores:
        segments, metadata = contents(stores)
        recordings = index_recordings(segments, metadata, with_speakers=True)
        normalisation = next(filter(None, (store.normalisation() for store in stores)), None)
        return IndexDescription(
            segments={store.url: len(store.segments()) for store in stores},
            recordings=len(recordings),
            utterances=sum(one.utterances for one in recordings),
            speech_s=sum(one.speech_ms for one in recordings) / 1000,
            words=len(set().union(*(segment.words() for segment in segments))),
            postings=sum(int(segment.counts().sum()) for segment in segments),
            speakers=tuple(sorted({name for one in recordings for name in one.speakers if name})),
            metadata=tuple(metadata.names),
            languages=tuple(indexed_languages(segments)),
            text=normalisation.rules() if normalisation else {},
        )


@dataclass(frozen=True, slots=True)
class IndexCheck:
    """The result of `verify_index` for one store."""

    store: str
    damage: tuple[str, ...]  # one line each; with damage the other fields are empty
    segments: int = 0
    inputs: Mapping[str, Sequence[str]] | None = None  # of each audio file
    languages: tuple[Language, ...] = ()
    warnings: tuple[str, ...] = ()
    clock_offsets: Mapping[str, float] = field(default_factory=dict)  # of words behind sound, s
    # Of recordings without one offset: times and their offsets, s.
    clock_changes: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)


def verify_index(store: Stores) -> Iterator[IndexCheck]:
    """Read all of an index; yield the damage of each store, or its contents.

    Args:
        store: the index, or its shards.
    """
    urls = urls_of(store)
    require_different(urls)
    holders: dict[Recording, str] = {}
    for url in urls:
        with closing(open_store(url)) as opened:
            damage = tuple(opened.damage())
            if damage:
                yield IndexCheck(url, damage)
                continue
            segments = opened.segments()
            clocks = [*clock_offsets(segments)]
            here = recordings_in(segments)
            twice = [
                f"{url}: {one.file} is in {holders[one]}, too" for one in sorted(here & {*holders})
            ]
            holders |= dict.fromkeys(here, url)
            yield IndexCheck(
                store=url,
                damage=(),
                segments=len(segments),
                inputs={file: sorted(of) for file, of in sorted(origins([opened]).items())},
                languages=tuple(indexed_languages(segments)),
                warnings=(*twice, *pronounced_wrongly(segments), *clock_doubts(clocks)),
                clock_offsets={one.recording.file: one.late_s for one in clocks if not one.changes},
                clock_changes={one.recording.file: one.changes for one in clocks if one.changes},
            )
