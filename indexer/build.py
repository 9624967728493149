"""The indexing pipeline on one screen: files in, committed segments out.

    for each file, by any worker:   parse -> separate -> prune -> invert, one part for each shard
    in this process, shard by shard:   merge what has come in -> a segment per language -> commit

An index is one store or several, its shards; an audio file's name says which shard has it.
Memory holds a batch of postings and the files under way, never all the speech. A recording that
was indexed before is replaced in the same commit that brings its new postings, so a search finds
the old one or the new one, never both and never neither. (Only where the number of shards has
changed the old one may be in another shard; it leaves that in a commit of its own.)
"""

import gc
import time
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np

from indexer.formats.detect import foreign
from indexer.formats.reader_options import DEFAULT, ReaderOptions
from indexer.inputs import Input
from indexer.languages.pronounce import Pronouncer, undecided
from indexer.networks.nonwords import Nonwords
from indexer.networks.utterance_spans import SEGMENTS_HINT
from indexer.networks.utterances import Utterances, concatenated
from indexer.origins import Origins, origins
from indexer.read import utterances_in
from indexer.segments.invert import invert
from indexer.segments.merge import merged
from indexer.segments.prune import prune
from indexer.segments.separate import separated
from std.config import Config
from std.errors import InputError, StdError
from std.execution.workers import IN_PROCESS, Executor
from std.files import is_regular, size_bytes
from std.store import Segment, Store
from std.store.columns import SegmentColumns, unpack_vocabulary
from std.store.resident import ResidentSegment
from std.values import Recording

MIN_PIECES = 20  # recordings of one utterance each, which rather are pieces of recordings
MIN_POOL_BYTES = 8_000_000  # below, starting worker processes costs more than it saves

Progress = Callable[[Path, int], None]  # called after each file with its size in bytes


@dataclass(frozen=True, slots=True)
class FileColumns:
    """What one input file holds."""

    source: Input
    size_bytes: int
    shards: Mapping[int, SegmentColumns]  # by number of the shard that it goes to
    utterances: Mapping[Recording, tuple[str, ...]]
    nonwords: Counter[str]  # noises that were dropped
    languages: Mapping[Recording, str]  # of those where the file says one


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file found in a folder that is something else than recogniser output."""

    path: Path
    what: str


@dataclass(slots=True)
class BuildReport:
    """What one run of the indexer did."""

    utterances: int = 0
    slots: int = 0
    postings: int = 0
    speech_s: float = 0.0
    seconds: float = 0.0
    words: set[str] = field(default_factory=set)
    recordings: set[Recording] = field(default_factory=set)
    failures: list[StdError] = field(default_factory=list)
    wordless: list[Path] = field(default_factory=list)  # inputs that hold no word
    skipped: list[Skipped] = field(default_factory=list)
    nonwords: Counter[str] = field(default_factory=Counter)  # noises that were dropped
    warnings: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Shard:
    """A store while it is being added to."""

    store: Store
    held: set[str]  # audio files it had before this run
    batch: list[SegmentColumns] = field(default_factory=list)
    postings: int = 0  # in the batch
    added: set[str] = field(default_factory=set)  # audio files committed in this run


def build(
    inputs: Sequence[Path | Input],
    stores: Sequence[Store],
    config: Config,
    *,
    input_format: str = "auto",
    options: ReaderOptions = DEFAULT,
    workers: Executor = IN_PROCESS,
    keep_going: bool = False,
    progress: Progress = lambda path, size: None,
    pronouncer: Pronouncer | None = None,
) -> BuildReport:
    """Index files into stores that are being written to (``with store.writing()``).

    With ``keep_going``, files that cannot be read end up in ``report.failures`` and the others
    are indexed; without, the first one ends the run at the last commit. ``pronouncer`` tells the
    recordings' languages and makes the phone columns of each segment.

    Raises:
        InputError: a file cannot be read, or holds a recording that another input holds, too.
        StoreError: a store cannot be written.
    """
    begin = time.perf_counter()
    report = BuildReport()
    files = [one if isinstance(one, Input) else Input(one) for one in inputs]
    known = Origins(files, origins(stores), options.segments is not None)
    shards = [Shard(store, audio_files(store)) for store in stores]
    work = partial(
        index_file,
        config=config,
        input_format=input_format,
        options=options,
        shards=len(shards),
    )
    pipes = [one for one in files if not is_regular(one.path)]  # only this process can read them
    regular = [one for one in files if is_regular(one.path)]
    for indexed in chain(map(work, pipes), workers.map(work, regular)):
        result = _unless_taken(indexed, known)
        if isinstance(result, StdError):
            if not keep_going:
                raise result
            report.failures.append(result)
            continue
        if isinstance(result, Skipped):
            report.skipped.append(result)
            continue
        _count(result, report)
        if pronouncer:
            pronouncer.told.by_input.update(result.languages)
        progress(result.source.path, result.size_bytes)
        for number, columns in result.shards.items():
            shards[number].batch.append(columns)
            shards[number].postings += len(columns.posting_start_ms)
        sizes = [shard.postings for shard in shards]
        if sum(sizes) >= config.index.segment_postings:  # the fullest first: few, large segments
            fullest = sizes.index(max(sizes))
            gathered = _gathered(shards[fullest])
            add = pronouncer.segments(gathered.columns) if pronouncer else [gathered.columns]
            _commit(fullest, gathered, add, shards, config, report)
    _require_some(len(files), report.skipped)
    rest = [i for i, shard in enumerate(shards) if shard.batch or not report.failures]
    _commit_last(rest, shards, config, report, pronouncer)
    report.warnings += known.doubts()
    if options.segments is None and report.utterances == len(report.recordings) >= MIN_PIECES:
        report.warnings.append(
            f"{len(report.recordings)} recordings of one utterance each; if they are pieces of "
            f"longer recordings, {SEGMENTS_HINT}"
        )
    report.seconds = time.perf_counter() - begin
    return report


def index_file(
    source: Input, config: Config, input_format: str, options: ReaderOptions, shards: int
) -> FileColumns | Skipped | StdError:
    """Parse, prune and invert one file; runs in a worker, so errors come back as values."""
    path = source.path
    nonwords = Nonwords(options.nonwords.keep)
    options = replace(options, file=source.name or options.file, nonwords=nonwords)
    collecting = gc.isenabled()
    gc.disable()  # parsing makes many objects and no cycles: up to a third of the time
    try:
        utterances = concatenated(
            [
                prune(separated(block, config.text), config.index)
                for block in utterances_in(path, input_format, options)
            ]
        )
        names = _names(utterances, path)
        return FileColumns(
            source=source,
            size_bytes=size_bytes(path),
            shards={
                number: _from(source, invert(utterances.take(rows), config.text))
                for number, rows in _rows_by_shard(utterances, shards).items()
            },
            utterances=names,
            nonwords=nonwords.dropped,
            languages=_languages(utterances),
        )
    except ValueError as error:
        return InputError(path, 0, "networks that can be indexed", str(error))
    except InputError as error:
        other = foreign(path, error, input_format, options)
        if other and source.in_folder:
            return Skipped(path, other.got)
        return other if other and not other.line else error  # rather than show its bytes
    except StdError as error:
        return error
    finally:
        if collecting:
            gc.enable()


def _names(utterances: Utterances, path: Path) -> dict[Recording, tuple[str, ...]]:
    """The names of each recording's utterances.

    Raises:
        InputError: two of a recording have the same name.
    """
    names: dict[Recording, list[str]] = {}
    for recording, name in zip(utterances.recordings, utterances.names, strict=True):
        names.setdefault(recording, []).append(name)
    for recording, own in names.items():
        if len(set(own)) < len(own):
            twice = next(name for name in own if own.count(name) > 1)
            raise InputError(path, 0, "each utterance once", f"{twice} of {recording.file} twice")
    return {recording: tuple(own) for recording, own in names.items()}


def _rows_by_shard(utterances: Utterances, shards: int) -> dict[int, list[int]]:
    """Rows of the utterances that go to each shard."""
    shard = {one: shard_of(one.file, shards) for one in dict.fromkeys(utterances.recordings)}
    rows: dict[int, list[int]] = {}
    for row, recording in enumerate(utterances.recordings):
        rows.setdefault(shard[recording], []).append(row)
    return rows


def _from(source: Input, columns: SegmentColumns) -> SegmentColumns:
    """The same columns, whose recordings know where they come from."""
    inputs = (source.origin,)
    return replace(
        columns, recordings=tuple(one._replace(inputs=inputs) for one in columns.recordings)
    )


def shard_of(audio_file: str, shards: int) -> int:
    """Which of so many shards an audio file belongs to."""
    return zlib.crc32(audio_file.encode()) % shards


def audio_files(store: Store) -> set[str]:
    """The audio files that a store has."""
    return {
        one.recording.file
        for segment in store.segments()
        for row, one in enumerate(segment.recordings)
        if row not in segment.deleted
    }


def worthwhile_jobs(paths: Sequence[Path], jobs: int) -> int:
    """No more worker processes than pay for being started."""
    size = sum(map(size_bytes, paths))
    return min(jobs, len(paths)) if size >= MIN_POOL_BYTES else 1


def _require_some(files: int, skipped: Sequence[Skipped]) -> None:
    """Refuse folders in which there is nothing for us."""
    if skipped and len(skipped) == files:
        first = skipped[0]
        more = f" and {files - 1} more such files" if files > 1 else ""
        raise InputError(
            first.path.parent,
            0,
            "a folder with recogniser output",
            f"{first.path.name} ({first.what}){more}",
            "name a file by itself to see what is wrong with it",
        )


def _unless_taken(
    result: FileColumns | Skipped | StdError, known: Origins
) -> FileColumns | Skipped | StdError:
    """Refuse an input that holds what another input holds: it would replace it, or count twice."""
    if not isinstance(result, FileColumns):
        return result
    return known.admit(result.source, result.utterances) or result


def _count(result: FileColumns, report: BuildReport) -> None:
    report.recordings |= result.utterances.keys()
    report.nonwords += result.nonwords
    report.utterances += sum(map(len, result.utterances.values()))
    if not any(len(columns.posting_start_ms) for columns in result.shards.values()):
        report.wordless.append(result.source.path)
    for columns in result.shards.values():
        report.slots += len(columns.slot_key)
        report.postings += len(columns.posting_start_ms)
        report.speech_s += sum(one.speech_ms for one in columns.recordings) / 1000


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """What a shard's next commit is about."""

    columns: SegmentColumns  # of the batch and of earlier segments, without phone columns
    earlier: tuple[str, ...]  # ids of the segments that leave for it
    files: frozenset[str]  # audio files that it brings


def _gathered(shard: Shard) -> Gathered:
    """Merge a shard's batch to one segment.

    An audio file whose utterances are spread over several batches of this run must end up in one
    commit, because it is replaced as a whole and phrases are joined within a segment: earlier
    segments of this run that hold a part of it are merged in.
    """
    fresh = frozenset(one.recording.file for columns in shard.batch for one in columns.recordings)
    again = fresh & shard.added
    earlier = [
        segment
        for segment in (shard.store.segments() if again else ())
        if again & {one.recording.file for one in segment.recordings}
    ]
    pieces: list[Segment] = [*earlier, *(ResidentSegment(None, columns) for columns in shard.batch)]
    shard.batch, shard.postings = [], 0
    return Gathered(merged(pieces), tuple(one.id for one in earlier), fresh)


def _commit(
    number: int,
    gathered: Gathered,
    add: Sequence[SegmentColumns],
    shards: Sequence[Shard],
    config: Config,
    report: BuildReport,
) -> None:
    """Commit what was gathered; an audio file that another shard had leaves that one."""
    shard = shards[number]
    add = [one for one in add if one.recordings]
    shard.store.commit(
        add,
        normalisation=config.text,
        replace=gathered.earlier,
        delete_files=gathered.files,
    )
    for other in shards:
        if other is not shard and (moved := gathered.files & other.held):
            other.store.commit(normalisation=config.text, delete_files=moved)
            other.held -= moved
    shard.added |= gathered.files
    report.words.update(*(unpack_vocabulary(one.vocabulary) for one in add))


def _commit_last(
    numbers: Sequence[int],
    shards: Sequence[Shard],
    config: Config,
    report: BuildReport,
    pronouncer: Pronouncer | None,
) -> None:
    """Commit the last batches, and what waited for them: recordings whose language is in doubt."""
    gathered = [_gathered(shards[number]) for number in numbers]
    last = [one.columns for one in gathered]
    if pronouncer is None:
        for number, one in zip(numbers, gathered, strict=True):
            _commit(number, one, [one.columns], shards, config, report)
        return
    leaving = {id_ for one in gathered for id_ in one.earlier}
    index = [(s.store, one) for s in shards for one in s.store.segments() if one.id not in leaving]
    waiting = [
        (store, one)
        for store, one in index
        if pronouncer.found and undecided(one, pronouncer.found)
    ]
    columns = [*last, *(merged([one]) for _, one in waiting)]
    parts = pronouncer.last_segments(columns, [one for _, one in index])
    for number, one, add in zip(numbers, gathered, parts, strict=False):
        _commit(number, one, add, shards, config, report)
    for (store, segment), add in zip(waiting, parts[len(last) :], strict=True):
        store.commit(add, normalisation=config.text, replace=[segment.id])


def _languages(utterances: Utterances) -> dict[Recording, str]:
    """What the file says of its recordings' languages; of several, that of most speech."""
    speech: dict[Recording, Counter[str]] = {}
    lengths_ms = np.diff(utterances.spans_ms).ravel().tolist()
    for recording, language, length_ms in zip(
        utterances.recordings, utterances.languages, lengths_ms, strict=True
    ):
        if language:
            speech.setdefault(recording, Counter())[language] += length_ms
    return {
        recording: min(lengths, key=lambda name: (-lengths[name], name))
        for recording, lengths in speech.items()
    }
