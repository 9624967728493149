"""Files of frames among the inputs of a run: with words, or as recordings without words.

    EncoderGuard    refuses frames of another encoder than the index has
    sounds_alone    the recordings with frames, but no words

A worker adds a file of frames beside an input to its words (`indexer.segments.sound`).
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from indexer.file_columns import FileColumns, indexed_input, shard_of
from indexer.inputs import Input
from indexer.segments.sound import alone
from std.errors import InputError
from std.files import size_bytes
from std.sound.columns import Encoder, SegmentSound, segment_sound
from std.sound.files import read_sound
from std.store import Store
from std.values import Recording


@dataclass(slots=True)
class EncoderGuard:
    """Refuses frames of a second encoder, because frames of two encoders cannot be compared."""

    stores: Sequence[Store]
    _encoder: Encoder | None = None

    def refused(self, file: FileColumns) -> InputError | None:
        """The error if the sound of a file is not of the index's encoder."""
        for columns in file.shards.values():
            sound = SegmentSound.read(columns.extra)
            if sound is None:
                continue
            self._encoder = self._encoder or self._of_the_index() or sound.encoder
            if sound.encoder != self._encoder:
                return InputError(
                    file.source.path,
                    0,
                    f"sound of the index's encoder ({' '.join(self._encoder)})",
                    " ".join(sound.encoder),
                    "write it again with that one, or take another index",
                )
        return None

    def _of_the_index(self) -> Encoder | None:
        for store in self.stores:
            for segment in store.segments():
                if len(segment.deleted) < len(segment.recordings) and (
                    sound := segment_sound(segment)
                ):
                    return sound.encoder
        return None


def sounds_alone(
    sounds: Sequence[Input], with_words: Collection[Recording], shards: int
) -> Iterator[FileColumns | InputError]:
    """Yield the recordings without words; none of a file with some.

    Args:
        sounds: files of frames.
        with_words: recordings of the other inputs; complete when the first item is asked for.
        shards: number of stores that recordings are distributed to.
    """
    files = {one.file for one in with_words}
    channels: dict[str, list[Input]] = {}
    for source in sounds:
        try:
            file = read_sound(source.path).recording.file
        except InputError as error:
            yield error
            continue
        if file not in files:
            channels.setdefault(file, []).append(source)
    for file, sources in channels.items():
        first = sources[0]
        try:
            columns = alone([one.path for one in sources], first.origin)
        except InputError as error:
            yield error
            continue
        names = {one.recording: () for one in columns.recordings}
        indexed = replace(indexed_input(first.path, names, [columns]), has_words=False)
        size = sum(size_bytes(one.path) for one in sources)
        yield FileColumns(first, size, {shard_of(file, shards): columns}, names, {}, indexed)
