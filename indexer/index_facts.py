"""What an index is, as a whole: `std-store show`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from indexer.languages.report import indexed_languages
from indexer.shards import contents
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
        metadata=tuple(sorted(metadata.columns)),
        languages=tuple(indexed_languages(segments)),
        text=normalisation.rules() if normalisation else {},
    )
