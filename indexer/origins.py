"""The inputs and the names of recordings: an input replaces only its own recordings.

Two inputs may have the same name (``job1/transcription.json``, ``job2/transcription.json``). If the
second replaced the first, speech would silently leave the index.

    with_parts      some inputs -> these and all others of their recordings
    given_names     an index -> the names that people gave, by input and the name that it gives
    under_given     the recordings of a file, under these names
    found_below     inputs that have moved -> their places in a folder
    relink          these places -> commits

The metadata of a renamed recording keep its inputs' name for it. When the inputs are indexed again,
the recording keeps the given name.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypeVar
from unicodedata import normalize

from indexer.file_columns import FileColumns, shard_of
from indexer.inputs import Input
from indexer.segments.merge import merged
from indexer.segments.phone_columns import kept_phones
from indexer.shards import contents
from std.audio.files import common_end
from std.errors import InputError
from std.metadata.table import OWN_PREFIX
from std.numbers import with_channel
from std.sound.files import SUFFIX, is_beside
from std.store import CommittedSegment, Store
from std.store.columns import IndexedRecording, SegmentColumns, live_recordings
from std.store.protocol import verified_columns
from std.store.resident import ResidentSegment
from std.values import Recording

NAME_THEM = "--name-by path names recordings after their paths"


def origins(stores: Iterable[Store]) -> dict[str, set[str]]:
    """For each audio file of an index the inputs it was read from; none if they were not noted."""
    found: dict[str, set[str]] = {}
    for store in stores:
        for segment in store.segments():
            for _, one in live_recordings(segment):
                # Names in older indexes may have decomposed letters; names that are read have not.
                file = normalize("NFC", one.recording.file)
                found.setdefault(file, set()).update(one.inputs)
    return found


def with_parts(paths: Sequence[Path], stores: Iterable[Store]) -> list[Path]:
    """Some inputs, and the other inputs of their recordings, which an index replaces as a whole."""
    given = {Input(path).origin for path in paths}
    parts = [inputs for inputs in origins(stores).values() if len(inputs) > 1]
    others = set[str]().union(*(inputs for inputs in parts if inputs & given)) - given
    return [*paths, *(path for path in map(Path, sorted(others)) if path.is_file())]


class OtherInputError(InputError):
    """A recording of an input is in the index from other inputs; ``got`` names its audio file."""


@dataclass(slots=True)
class Origins:
    """Decides for each input of a run whether its recordings may join the index.

    Args:
        inputs: all of this run.
        indexed: the inputs of each audio file that was in the index before.
        has_segments: whether segments, not the inputs' names, name the recordings.
    """

    inputs: Sequence[Input]
    indexed: Mapping[str, set[str]]
    has_segments: bool = False
    _given: set[str] = field(init=False)
    _places: set[str] | None = None  # the same with links resolved; needed only in doubt
    _holders: dict[str, list[tuple[Input, Recording, frozenset[str]]]] = field(default_factory=dict)
    _admitted: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._given = {one.origin for one in self.inputs}

    def admit(
        self, source: Input, utterances: Mapping[Recording, Sequence[str]]
    ) -> InputError | None:
        """Note the recordings of an input; the error if another input has one of them."""
        for recording, names in utterances.items():
            problem = self._of_this_run(source, recording, frozenset(names))
            problem = problem or self._of_the_index(source, recording.file)
            if problem:
                return problem
        for recording, names in utterances.items():
            holders = self._holders.setdefault(recording.file, [])
            holders.append((source, recording, frozenset(names)))
        self._admitted.add(source.origin)
        return None

    def doubts(self) -> Iterator[str]:
        """Warnings after a run: speech that left the index, speech that is in it twice."""
        lost: dict[str, str] = {}
        stale: dict[str, str] = {}
        unread = {one.origin for one in self.inputs if one.path.suffix != SUFFIX} - self._admitted
        for file, before in sorted(self.indexed.items()):
            if file in self._holders:
                gone = {
                    one
                    for one in before
                    if not one.endswith(SUFFIX) and (one in unread or not self._is_given(one))
                }
                if gone:
                    lost[file] = min(gone)
            elif before and before <= self._admitted:
                stale[file] = min(before)
        for origin in list(lost.values())[:1]:
            yield (
                f"{_files(lost)}: what the index had of it from {origin} is gone: index all inputs "
                "of a recording together"
            )
        for file, origin in list(stale.items())[:1]:
            yield (
                f"{_files(stale)}: stays in the index, though {origin} does not hold it any more, "
                f"or under another name: std-store delete INDEX {file} forgets it"
            )

    def _of_this_run(
        self, source: Input, recording: Recording, names: frozenset[str]
    ) -> InputError | None:
        for other, held, before in self._holders.get(recording.file, ()):
            if source.path.suffix == SUFFIX:
                if held == recording:
                    expected = f"sound of another recording than that of {other.path}"
                    return InputError(source.path, 1, expected, with_channel(*recording))
            elif not self.has_segments and recording.file in (source.own_name, other.own_name):
                expected = f"a recording of another name than that of {other.path}"
                return InputError(source.path, 0, expected, recording.file, self._advice(source))
            elif held == recording and (twice := names & before):
                expected = f"each utterance in one input file ({other.path} has it already)"
                got = f"{min(twice)} of {recording.file}"
                return InputError(source.path, 0, expected, got, self._advice(source))
        return None

    def _of_the_index(self, source: Input, file: str) -> InputError | None:
        """Indexing one of its inputs again replaces an audio file as a whole.

        Words replace sound that is read with them; sound alone replaces no words.
        """
        before = self.indexed.get(file, set())
        again = {one for one in before if is_beside(one, source.origin) or self._is_given(one)}
        if source.path.suffix == SUFFIX:
            again = {one for one in again if one.endswith(SUFFIX)}
        if before and not again:
            expected = f"a recording of another name than what the index has from {min(before)}"
            replace_it = f"std-index --replace {file} puts the new input in its place"
            gone = any(
                Path(one).name == source.path.name and not os.path.lexists(one) for one in before
            )
            moved = "std-store relink stores the new paths of moved inputs" if gone else ""
            advice = [one for one in (self._advice(source), moved, replace_it) if one]
            return OtherInputError(source.path, 0, expected, file, "; ".join(advice))
        return None

    def _advice(self, source: Input) -> str:
        """Advice on naming the recording, if it would help; a file of sound names its recording."""
        if source.path.suffix == SUFFIX:
            return "give it together with the others of this recording"
        return "" if self.has_segments or source.name else NAME_THEM

    def _is_given(self, origin: str) -> bool:
        """Whether an input is of this run."""
        if origin in self._given:
            return True
        if self._places is None:
            self._places = {os.path.realpath(one.path) for one in self.inputs}
        return os.path.realpath(origin) in self._places


def _files(found: Mapping[str, str]) -> str:
    """The first audio file, and how many there are."""
    first = next(iter(found))
    return first if len(found) == 1 else f"{first} and {len(found) - 1} more"


T = TypeVar("T")
CALLED = f"{OWN_PREFIX}called"  # the name of a renamed recording in its inputs

GivenNames = Mapping[tuple[str, str], str]  # by input, and by the input's name


def given_names(stores: Sequence[Store]) -> dict[tuple[str, str], str]:
    """The names that people have given recordings."""
    called = contents(stores)[1].by_file(CALLED)
    inputs = origins(stores) if called else {}
    return {
        (origin, name): file for file, name in called.items() for origin in inputs.get(file, ())
    }


def under_given(found: FileColumns, names: GivenNames, shards: int) -> FileColumns:
    """The recordings of a file, under their given names.

    Args:
        shards: number of stores that recordings are distributed to.
    """
    origin = found.source.origin
    new = {
        one: Recording(names[origin, one.file], one.channel)
        for one in found.utterances
        if (origin, one.file) in names
    }
    if not new:
        return found
    parts: dict[int, list[SegmentColumns]] = {}
    for columns in found.shards.values():
        named = tuple(
            one._replace(recording=new.get(one.recording, one.recording))
            for one in columns.recordings
        )
        whole = ResidentSegment(None, replace(columns, recordings=named))
        for number in {shard_of(one.recording.file, shards) for one in named}:
            others = [
                row
                for row, one in enumerate(named)
                if shard_of(one.recording.file, shards) != number
            ]
            parts.setdefault(number, []).append(merged([whole.without(others)]))

    indexed = found.indexed
    return replace(
        found,
        shards={
            number: merged([ResidentSegment(None, one) for one in some])
            for number, some in parts.items()
        },
        utterances=_renamed(found.utterances, new),
        languages=_renamed(found.languages, new),
        indexed=replace(
            indexed,
            utterances=_renamed(indexed.utterances, new),
            estimated=tuple(new.get(one, one) for one in indexed.estimated),
            with_sound=tuple(new.get(one, one) for one in indexed.with_sound),
        ),
    )


def _renamed(
    of_recordings: Mapping[Recording, T], new: Mapping[Recording, Recording]
) -> dict[Recording, T]:
    return {new.get(one, one): value for one, value in of_recordings.items()}


class RelinkReport(NamedTuple):
    """The new places of moved inputs."""

    places: Mapping[str, str]  # new absolute path, by the old one
    missing: tuple[str, ...]  # inputs that were not found


def found_below(folder: Path, inputs: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Find moved inputs below a folder by the ends of their paths.

    A file that is already an input of the index is not the new place of another input, and no file
    is the new place of two inputs.

    Args:
        inputs: absolute paths of all inputs.

    Returns:
        the place of each input found, and the inputs not found.

    Raises:
        InputError: several files fit an input, or several inputs a file.
    """
    inputs = {*inputs}
    of_name: dict[str, list[Path]] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and Input(path).origin not in inputs:
            of_name.setdefault(path.name, []).append(path)
    fits: dict[str, list[tuple[int, str]]] = {}  # inputs, and how well each fits, by place
    missing = []
    for before in sorted(inputs):
        if Path(before).exists():
            continue
        candidates = of_name.get(Path(before).name, [])
        ends = [common_end(Path(before).parts, path.absolute().parts) for path in candidates]
        best = [path for path, n in zip(candidates, ends, strict=True) if n == max(ends)]
        if len(best) > 1:
            got = f"{best[0]} and {best[1]}"
            raise InputError(folder, 0, f"one file that was {before}", got)
        if best:
            fits.setdefault(Input(best[0]).origin, []).append((max(ends), before))
        else:
            missing.append(before)
    places = {}
    for place, found in fits.items():
        (n, before), *others = sorted(found, reverse=True)
        if others and others[0][0] == n:
            expected = f"a file each that was {others[0][1]} and {before}"
            raise InputError(folder, 0, expected, place)
        places[before] = place
        missing += [other for _, other in others]
    return places, sorted(missing)


def relink(stores: Sequence[Store], places: Mapping[str, str]) -> None:
    """Write the new places of inputs to stores that are open for writing.

    Args:
        places: new absolute path, by the old one.
    """
    for store in stores:
        normalisation = store.normalisation()
        for segment in store.segments():
            inputs = chain.from_iterable(one.inputs for _, one in live_recordings(segment))
            if normalisation is not None and not places.keys().isdisjoint(inputs):
                columns = with_recordings(segment, partial(_relinked, places))
                store.commit([columns], normalisation=normalisation, replace=[segment.id])


def _relinked(places: Mapping[str, str], one: IndexedRecording) -> IndexedRecording:
    return one._replace(inputs=tuple(sorted(places.get(origin, origin) for origin in one.inputs)))


def with_recordings(
    segment: CommittedSegment, changed: Callable[[IndexedRecording], IndexedRecording]
) -> SegmentColumns:
    """A segment with other names or inputs of its recordings, without the deleted ones."""
    columns = verified_columns(segment)
    other = replace(columns, recordings=tuple(map(changed, columns.recordings)))
    kept = ResidentSegment(None, other, segment.deleted)
    return merged([kept], partial(kept_phones, before=columns))
