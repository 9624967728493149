"""What an index is, as a whole: `std-store show`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from indexer.languages.report import indexed_languages
from std.metadata.table import NO_METADATA, updated
from std.recordings import index_recordings
from std.store import Store


@dataclass(frozen=True, slots=True)
class IndexDescription:
    """What an index holds and how it was made."""

    segments: Mapping[str, int]  # by store
    recordings: int
    utterances: int
    speech_s: float
    words: int  # different ones, of all alternatives
    postings: int
    speakers: tuple[str, ...]  # who are named, ascending
    metadata: tuple[str, ...]  # names of columns, ascending
    languages: tuple[Mapping[str, Any], ...]  # language, pronouncer, recordings
    text: Mapping[str, str]  # how words are normalised, by rule

    def document(self) -> dict[str, Any]:
        """The description as `std-store show --json` writes it."""
        return asdict(self)


def describe_index(stores: Sequence[Store]) -> IndexDescription:
    """Describe an index; deleted recordings do not count, but in the number of postings and words.

    Args:
        stores: its shards.
    """
    of_store = {store.url: store.segments() for store in stores}
    segments = [segment for some in of_store.values() for segment in some]
    metadata = NO_METADATA
    for store in stores:
        metadata = updated(metadata, store.metadata())
    recordings = index_recordings(segments, metadata, with_speakers=True)
    normalisation = next(filter(None, (store.normalisation() for store in stores)), None)
    return IndexDescription(
        segments={url: len(some) for url, some in of_store.items()},
        recordings=len(recordings),
        utterances=sum(one.utterances for one in recordings),
        speech_s=sum(one.speech_ms for one in recordings) / 1000,
        words=len(set().union(*(segment.words() for segment in segments))),
        postings=sum(int(segment.counts().sum()) for segment in segments),
        speakers=tuple(sorted({name for one in recordings for name in one.speakers if name})),
        metadata=tuple(sorted(metadata.columns)),
        languages=tuple(indexed_languages(segments)),
        text=normalisation.rules() if normalisation else {},
    )
