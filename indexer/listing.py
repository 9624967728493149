"""What an index holds, recording by recording: `std-store list`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from indexer.shards import contents
from std.recordings import IndexRecording, chosen, index_recordings
from std.store import Segment, Store
from std.store.columns import KEY_SHIFT
from std.values import Recording


@dataclass(frozen=True, slots=True)
class ListedRecording:
    """A recording of an index, and how many words the recogniser wrote in it."""

    about: IndexRecording
    words: int  # of the one-best

    @property
    def speakers(self) -> list[str]:
        """Who is named as a speaker, those with most words first."""
        named = {name: n for name, n in self.about.speakers.items() if name}
        return sorted(named, key=lambda name: (-named[name], name))

    def document(self) -> dict[str, Any]:
        """The recording as `std-store list --json` writes it."""
        about = self.about
        return {
            "file": about.recording.file,
            "channel": about.recording.channel,
            "speech_s": about.speech_ms / 1000,
            "language": about.language or None,
            "words": self.words,
            "utterances": about.utterances,
            "times_estimated": about.times_estimated,
            "speakers": self.speakers,
            "inputs": list(about.inputs),
            "metadata": dict(about.metadata),
        }


def list_recordings(
    stores: Sequence[Store], where: str | None = None, patterns: Sequence[str] = ()
) -> list[ListedRecording]:
    """The recordings of an index, ascending.

    Args:
        stores: its shards.
        where, patterns: which recordings, see `std.recordings.chosen`.
    """
    segments, metadata = contents(stores)
    wanted = chosen(
        index_recordings(segments, metadata, with_speakers=True), metadata, where, patterns
    )
    words: Counter[Recording] = Counter()
    for segment in segments:
        words.update(dict(_one_best_words(segment, {one.recording for one in wanted})))
    return [ListedRecording(one, words[one.recording]) for one in wanted]


def _one_best_words(segment: Segment, wanted: set[Recording]) -> Iterator[tuple[Recording, int]]:
    """How many slots of each live recording have a word that is likelier than none."""
    rows = [
        row
        for row, one in enumerate(segment.recordings)
        if row not in segment.deleted and one.recording in wanted
    ]
    if not rows:
        return
    slots = segment.slots(rows)
    recording = (slots.key[slots.word >= 0] >> KEY_SHIFT).astype(np.int64)
    counts = np.bincount(recording, minlength=len(segment.recordings))
    yield from ((segment.recordings[row].recording, int(counts[row])) for row in rows)
