"""One input file -> segment columns, one part for each shard; runs in a worker.

    index_file    parse -> separate -> prune -> invert
    doubts_of     suspicious properties, which give warnings and change nothing

People say between 20 and 400 words a minute; other rates mean that times are in another unit. In
the speech of one speaker time does not go back to the beginning, unless the file has several parts
with separate clocks. If most utterances begin near 0, they belong to several recordings.
"""

import gc
import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np

from indexer.formats.detect import foreign
from indexer.formats.shared.clock import SLOWEST, plausible
from indexer.formats.shared.reader import ReaderOptions
from indexer.formats.shared.tiers import Tiers
from indexer.index_report import IndexedInput, Skipped
from indexer.inputs import Input, utterances_in
from indexer.networks.chunks import BACK_S
from indexer.networks.columns import NEEDED_TIMES
from indexer.networks.nonwords import Nonwords
from indexer.networks.turns import spoken_by
from indexer.networks.utterances import Utterances, concatenated
from indexer.segments.invert import invert
from indexer.segments.merge import merged
from indexer.segments.separate import prune, separated
from indexer.segments.sound import (
    alone,
    channels_without_words,
    recordings_with_sound,
    with_sound,
)
from std.characters import has_characters
from std.config import Config
from std.errors import InputError, StdError, Unquoted
from std.files import is_nameless, size_bytes
from std.ranges import MAX_TIME_S
from std.repairs import (
    AT_ONE_TIME,
    CLOCK_GOES_BACK,
    IMPLAUSIBLE_RATE,
    SEVERAL_RECORDINGS,
    TOO_LATE,
    Repair,
    Repairs,
)
from std.store.columns import SegmentColumns
from std.store.resident import ResidentSegment
from std.store.speakers import Speakers
from std.values import Int64s, Recording

LEAST_LETTERS = 200  # said, or expected in the time: with fewer the rate is not judged
BACK_MS = round(1000 * BACK_S)
NEAR_ZERO_MS = 1000
LEAST_UTTERANCES = 5  # of a recording that may be several
LEAST_AT_ONE_TIME = 10  # words
MOST = 0.5  # share of these that start near 0


@dataclass(frozen=True, slots=True)
class FileColumns:
    """The result of one input file."""

    source: Input
    size_bytes: int
    shards: Mapping[int, SegmentColumns]  # by number of the shard
    utterances: Mapping[Recording, tuple[str, ...]]  # names of each recording's utterances
    languages: Mapping[Recording, str]  # of recordings whose language is in the file
    indexed: IndexedInput


def index_file(
    source: Input, config: Config, input_format: str, options: ReaderOptions, shards: int
) -> FileColumns | Skipped | StdError:
    """Parse, prune and invert one file; runs in a worker, so errors come back as values.

    Args:
        shards: number of stores that recordings are distributed to.
    """
    path = source.path
    options = replace(
        options,
        file=source.name or options.file,
        characters=config.text.unspaced == "characters",
        nonwords=Nonwords(options.nonwords.keep),
        tiers=Tiers(options.tiers.wanted),
        repairs=Repairs(strict=options.repairs.strict),
    )
    collecting = gc.isenabled()
    gc.disable()  # takes up to a third of the time: parsing makes many objects, but no cycles
    try:
        return _columns(source, config, input_format, options, shards)
    except ValueError as error:
        return _refused(path, error)
    except InputError as error:
        other = foreign(path, error, input_format, options)
        if other and source.in_folder:
            return Skipped(path, other.got)
        error = _of_times(error, options.repairs)
        return other if other and not other.line else error  # bytes of another kind are not shown
    except StdError as error:
        return error
    finally:
        if collecting:
            gc.enable()


def _columns(
    source: Input, config: Config, input_format: str, options: ReaderOptions, shards: int
) -> FileColumns:
    """The columns of one file, with messages about it.

    Raises:
        StdError: the file cannot be read.
        ValueError: it has networks that cannot be indexed.
    """
    path = source.path
    utterances = concatenated(
        [
            prune(separated(_named(block, options), config.text), config.index)
            for block in utterances_in(path, input_format, options)
        ]
    )
    columns = {
        number: _from(source, invert(utterances.take(rows), config.text), options)
        for number, rows in _rows_by_shard(utterances, shards).items()
    }
    silent = (one.recording for part in columns.values() for one in part.recordings)
    names = {**dict.fromkeys(silent, ()), **_names(utterances, path)}
    uncut = config.text.unspaced == "keep" and has_characters("".join(utterances.vocabulary))
    indexed = replace(
        indexed_input(path, names, [*columns.values()]),
        nonwords=options.nonwords.dropped,
        tiers=options.tiers,
        repairs={**doubts_of(utterances, len(options.tiers.read)), **options.repairs.found},
        is_uncut=uncut,
    )
    size = size_bytes(path)
    return FileColumns(source, size, columns, names, _languages(utterances), indexed)


def _of_times(error: InputError, repairs: Repairs) -> InputError:
    """An error; if times are missing because they are too late, one that says so."""
    late = repairs.found.get(TOO_LATE)
    if late is None or error.expected != NEEDED_TIMES:
        return error
    return InputError(error.path, late.line, f"times up to {MAX_TIME_S} s", Unquoted("later ones"))


def _refused(path: Path, error: ValueError) -> InputError:
    if isinstance(error, UnicodeEncodeError):  # readers never leave such letters
        return InputError(path, 0, "a recording's name in UTF-8 (rename the file)", error.object)
    return InputError(path, 0, "networks that can be indexed", Unquoted(str(error)))


def _named(utterances: Utterances, options: ReaderOptions) -> Utterances:
    return spoken_by(utterances, options.turns) if options.turns else utterances


def _names(utterances: Utterances, path: Path) -> dict[Recording, tuple[str, ...]]:
    """The names of each recording's utterances.

    Raises:
        InputError: two of a recording have the same name.
    """
    several = dict.fromkeys(utterances.recordings)
    if len(several) == 1 and len(set(utterances.names)) == len(utterances):
        return dict.fromkeys(several, tuple(utterances.names))  # as nearly always
    names: dict[Recording, list[str]] = {}
    for recording, name in zip(utterances.recordings, utterances.names, strict=True):
        names.setdefault(recording, []).append(name)
    for recording, own in names.items():
        if len(set(own)) < len(own):
            twice = next(name for name in own if own.count(name) > 1)
            raise InputError(path, 0, "each utterance once", f"{twice} of {recording.file} twice")
    return {recording: tuple(own) for recording, own in names.items()}


def _rows_by_shard(utterances: Utterances, shards: int) -> Mapping[int, Sequence[int]]:
    """Rows of the utterances that go to each shard."""
    shard = {one: shard_of(one.file, shards) for one in dict.fromkeys(utterances.recordings)}
    if len(set(shard.values())) == 1:
        return dict.fromkeys(shard.values(), range(len(utterances)))
    rows: dict[int, list[int]] = {}
    for row, recording in enumerate(utterances.recordings):
        rows.setdefault(shard[recording], []).append(row)
    return rows


def indexed_input(
    path: Path, names: Mapping[Recording, Sequence[str]], parts: Sequence[SegmentColumns]
) -> IndexedInput:
    """The content of a file's columns."""
    recordings = [one for columns in parts for one in columns.recordings]
    speakers = Counter[str]()
    for columns in parts:
        own = Speakers.read(columns.extra).of_recordings(columns.slot_offsets)
        speakers.update(filter(None, chain.from_iterable(own)))
    return IndexedInput(
        path,
        {recording: len(own) for recording, own in names.items()},
        slots=sum(len(columns.slot_key) for columns in parts),
        postings=sum(len(columns.posting_start_ms) for columns in parts),
        speech_ms=sum(one.speech_ms for one in recordings),
        speakers=speakers,
        estimated=tuple(one.recording for one in recordings if one.times_estimated),
        with_sound=tuple(one for columns in parts for one in recordings_with_sound(columns)),
    )


def _from(source: Input, columns: SegmentColumns, options: ReaderOptions) -> SegmentColumns:
    """The columns with the inputs and the sound of the recordings."""
    inputs = (source.origin,)
    columns = replace(
        columns, recordings=tuple(one._replace(inputs=inputs) for one in columns.recordings)
    )
    beside = [] if is_nameless(source.path) else [source.path.parent]
    folders = [*options.sound_folders, *beside]
    others = [
        alone(path, source.origin, recording)
        for recording, path in channels_without_words(columns, folders)
    ]
    columns = with_sound(columns, folders)
    parts = [ResidentSegment(None, one) for one in (columns, *others)]
    return merged(parts) if others else columns


def shard_of(audio_file: str, shards: int) -> int:
    """The shard of an audio file."""
    return zlib.crc32(audio_file.encode()) % shards


def _languages(utterances: Utterances) -> dict[Recording, str]:
    """The languages of recordings in the file; of several, that of most speech."""
    speech: defaultdict[Recording, Counter[str]] = defaultdict(Counter)
    lengths_ms = np.diff(utterances.spans_ms).ravel().tolist()
    for recording, language, length_ms in zip(
        utterances.recordings, utterances.languages, lengths_ms, strict=True
    ):
        if language:
            speech[recording][language] += length_ms
    return {
        recording: min(lengths, key=lambda name: (-lengths[name], name))
        for recording, lengths in speech.items()
    }


def doubts_of(utterances: Utterances, n_tiers: int) -> Mapping[str, Repair]:
    """Counts of suspicious properties, by kind.

    Args:
        utterances: the utterances of one file, in its order.
        n_tiers: the number of tiers of annotations that were read one after the other: so often
            time begins again.
    """
    found: dict[str, Repair] = {}
    if not len(utterances):
        return found
    recordings = _numbered(utterances.recordings)
    if n := _implausible(utterances, recordings):
        found[IMPLAUSIBLE_RATE] = Repair(n, 0)
    starts_ms = utterances.spans_ms[:, 0]
    per_recording = np.bincount(recordings)
    near_zero = np.bincount(recordings, starts_ms < NEAR_ZERO_MS)
    several = (per_recording >= LEAST_UTTERANCES) & (near_zero > MOST * per_recording)
    if several.any():
        found[SEVERAL_RECORDINGS] = Repair(int(several.sum()), 0)
    elif n_tiers <= 1 and (n := _restarts(utterances, starts_ms)):
        found[CLOCK_GOES_BACK] = Repair(n, 0)
    elif n_tiers <= 1 and (n := _at_one_time(utterances)):
        found[AT_ONE_TIME] = Repair(n, 0)
    return found


def _numbered(keys: Sequence[object]) -> Int64s:
    """(u,) a number for each different key."""
    if len(set(map(id, keys))) == 1:  # as mostly, and fast
        return np.zeros(len(keys), np.int64)
    ids: dict[object, int] = {}
    return np.array([ids.setdefault(key, len(ids)) for key in keys], np.int64)


def _implausible(utterances: Utterances, recordings: Int64s) -> int:
    """Recordings with impossible speaking rates."""
    utterance_of = np.repeat(np.arange(len(utterances)), np.diff(utterances.bounds))
    slot_of = np.repeat(np.arange(len(utterances.epsilons)), np.diff(utterances.offsets))
    recording_of = recordings[utterance_of[slot_of]]
    lengths = np.array([*map(len, utterances.vocabulary), 0])[utterances.words]
    letters = np.bincount(recording_of, utterances.posteriors * lengths)
    spans_s = np.diff(utterances.word_spans_ms)[:, 0] / 1000
    spoken_s = np.bincount(recording_of, utterances.posteriors * spans_s)
    return sum(
        max(count, SLOWEST * length_s) >= LEAST_LETTERS and not plausible(count, length_s)
        for count, length_s in zip(letters.tolist(), spoken_s.tolist(), strict=True)
    )


def _restarts(utterances: Utterances, starts_ms: Int64s) -> int:
    """The number of times that time goes back to the beginning within one speaker's speech."""
    latest = np.maximum.accumulate(starts_ms)
    if not ((starts_ms < BACK_MS) & (starts_ms < latest - BACK_MS)).any():
        return 0  # as nearly always
    speakers = _numbered(list(zip(utterances.recordings, utterances.speakers, strict=True)))
    order = np.argsort(speakers, kind="stable")
    starts, own = starts_ms[order], speakers[order]
    back = (starts[1:] < BACK_MS) & (starts[1:] < starts[:-1] - BACK_MS) & (own[1:] == own[:-1])
    return int(back.sum())


def _at_one_time(utterances: Utterances) -> int:
    """The number of words of a speaker at the time of others, if most words are."""
    utterance_of = np.repeat(np.arange(len(utterances)), np.diff(utterances.bounds))
    speakers = _numbered(list(zip(utterances.recordings, utterances.speakers, strict=True)))
    starts, ends = utterances.slot_spans_ms.T.astype(np.int64)
    shift = int(ends.max(initial=0)) + 1  # each speaker has a time of its own
    offset = speakers[utterance_of] * shift
    order = np.argsort(starts + offset, kind="stable")
    starts, ends, said = (starts + offset)[order], (ends + offset)[order], utterance_of[order]
    latest = np.maximum.accumulate(ends)[:-1]
    both = np.minimum(ends[1:], latest) - starts[1:]
    shared = (2 * both > ends[1:] - starts[1:]) & (both > 0) & (said[1:] != said[:-1])
    n = int(shared.sum())
    return n if n >= LEAST_AT_ONE_TIME and 2 * n > MOST * len(starts) else 0
