"""The indexing pipeline on one screen: files in, committed segments out.

    each file, by any worker (`indexer.file_columns`):
        parse -> separate -> prune -> invert, one part for each shard
    each shard, in this process (`indexer.shards`):
        merge its batch -> a segment for each language -> commit

An index is one store or several, its shards; an audio file's name says which shard has it.
Memory holds a batch of postings and the files under way, never all the speech. A recording that
was indexed before is replaced in the same commit that brings its new postings, so a search finds
the old one or the new one, never both and never neither. (Only where the number of shards has
changed the old one may be in another shard; it leaves that in a commit of its own.)
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from indexer.file_columns import FileColumns, Skipped, index_file
from indexer.formats.shared.reader_options import DEFAULT, ReaderOptions
from indexer.formats.shared.tiers import Tiers
from indexer.inputs import Input
from indexer.languages.pronounce import Pronouncer
from indexer.networks.utterance_spans import SEGMENTS_HINT
from indexer.origins import Origins, origins
from indexer.segments.sound import FRAMES_PER_POSTING
from indexer.shards import Shard, audio_files, commit, commit_last, gathered_batch
from indexer.sound_inputs import EncoderGuard, sounds_alone
from std.config import Config
from std.display.numbers import counted
from std.errors import InputError, StdError, named
from std.execution.workers import IN_PROCESS, Executor
from std.files import is_regular, size_bytes
from std.metadata.table import NO_METADATA, Metadata
from std.sound.columns import SIGNS, WORDS
from std.store import Store
from std.store.speakers import Speakers
from std.values import Recording

MIN_PIECES = 20  # recordings of one utterance each, which rather are pieces of recordings
MIN_POOL_BYTES = 8_000_000  # below, starting worker processes costs more than it saves

Progress = Callable[[Path, int], None]  # called after each file with its size in bytes


class IndexedInput(NamedTuple):
    """An input file that was indexed."""

    path: Path
    utterances: Mapping[Recording, int]


class Mended(NamedTuple):
    """How often a kind of value was mended in all inputs, and where first."""

    times: int
    path: Path
    line: int  # 1-based; 0: anywhere

    @property
    def place(self) -> str:
        """The first place as messages name it."""
        return f"{named(self.path)}:{self.line}" if self.line else named(self.path)


@dataclass(slots=True)
class BuildReport:
    """What one run of the indexer did."""

    utterances: int = 0
    slots: int = 0
    postings: int = 0
    speech_s: float = 0.0
    words: set[str] = field(default_factory=set)
    recordings: set[Recording] = field(default_factory=set)
    inputs: list[IndexedInput] = field(default_factory=list)
    failures: list[StdError] = field(default_factory=list)
    wordless: list[Path] = field(default_factory=list)  # inputs that hold no word
    skipped: list[Skipped] = field(default_factory=list)
    nonwords: Counter[str] = field(default_factory=Counter)  # noises that were dropped
    speakers: Counter[str] = field(default_factory=Counter)  # recordings in which each speaks
    tiers: Tiers = field(default_factory=Tiers)  # of annotations: read and left out
    repairs: dict[str, Mended] = field(default_factory=dict)  # by kind
    estimated: set[Recording] = field(default_factory=set)  # recordings with estimated word times
    with_sound: set[Recording] = field(default_factory=set)  # recordings that have sound
    uncut: list[Path] = field(default_factory=list)  # inputs with text without spaces, not cut
    warnings: list[str] = field(default_factory=list)


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
    metadata: Metadata = NO_METADATA,
    sounds: Sequence[Input] = (),
) -> BuildReport:
    """Index files into stores that are being written to (``with store.writing()``).

    Args:
        inputs: files; folders were looked through before.
        stores: one, or the shards.
        config: how words are normalised, pruned and pronounced.
        input_format: ``auto`` looks into each file.
        options: what readers need beside the file.
        workers: who parse the files.
        keep_going: files that cannot be read go to ``report.failures``; else the first one ends
            the run at the last commit.
        progress: told of each file that is done: path, size in bytes.
        pronouncer: tells the recordings' languages, makes phone columns; None = no phones.
        metadata: of recordings; committed with their words.
        sounds: files of frames, also of recordings without words.

    Raises:
        InputError: a file cannot be read, or holds a recording that another input holds, too.
        StoreError: a store cannot be written.
    """
    report = BuildReport()
    files = [file if isinstance(file, Input) else Input(file) for file in inputs]
    admission = Origins([*files, *sounds], origins(stores), options.segments is not None)
    guard = EncoderGuard(stores, report.with_sound)
    shards = [Shard(store, audio_files(store), metadata=metadata) for store in stores]
    n = len(shards)
    work = partial(index_file, config=config, input_format=input_format, options=options, shards=n)
    alone = sounds_alone(sounds, report.recordings, n)
    for one in chain(_each_indexed(files, work, workers), alone):
        result = _unless_taken(one, admission, guard)
        if isinstance(result, StdError | Skipped):
            _note_unread(result, report, keep_going=keep_going)
            continue
        _count(result, report)
        if pronouncer:
            pronouncer.told.by_input.update(result.languages)
        progress(result.source.path, result.size_bytes)
        _add(result, shards)
        if sum(shard.postings for shard in shards) >= config.index.segment_postings:
            _commit_fullest(shards, config, report, pronouncer)
    _require_some(len(files) + len(sounds), report.skipped)
    rest = [i for i, shard in enumerate(shards) if shard.batch or not report.failures]
    commit_last(rest, shards, config, report.words, pronouncer)
    report.warnings += admission.doubts()
    _doubt_pieces(report, options)
    return report


def _note_unread(file: StdError | Skipped, report: BuildReport, *, keep_going: bool) -> None:
    """Note a file of which nothing is indexed.

    Raises:
        StdError: it cannot be read, and the run does not go on without it.
    """
    if isinstance(file, Skipped):
        report.skipped.append(file)
    elif keep_going:
        report.failures.append(file)
    else:
        raise file


def worthwhile_jobs(paths: Sequence[Path], jobs: int) -> int:
    """No more worker processes than pay for being started."""
    size = sum(map(size_bytes, paths))
    return min(jobs, len(paths)) if size >= MIN_POOL_BYTES else 1


def _each_indexed(
    files: Sequence[Input],
    work: Callable[[Input], FileColumns | Skipped | StdError],
    workers: Executor,
) -> Iterator[FileColumns | Skipped | StdError]:
    """Index each file: pipes first and here, as only this process can read them."""
    pipes = [file for file in files if not is_regular(file.path)]
    regular = [file for file in files if is_regular(file.path)]
    return chain(map(work, pipes), workers.map(work, regular))


def _doubt_pieces(report: BuildReport, options: ReaderOptions) -> None:
    """Warn of recordings of one utterance each, which may be pieces of longer ones."""
    alone = report.utterances == len(report.recordings) >= MIN_PIECES
    if alone and options.segments is None:
        report.warnings.append(
            f"{len(report.recordings)} recordings of one utterance each; if they are pieces of "
            f"longer recordings, {SEGMENTS_HINT}"
        )


def _add(result: FileColumns, shards: Sequence[Shard]) -> None:
    """Put each part of a file into its shard's batch."""
    for number, columns in result.shards.items():
        shards[number].batch.append(columns)
        frames = len(columns.extra.get(SIGNS, ())) // WORDS
        shards[number].postings += len(columns.posting_start_ms) + frames // FRAMES_PER_POSTING


def _commit_fullest(
    shards: Sequence[Shard], config: Config, report: BuildReport, pronouncer: Pronouncer | None
) -> None:
    """Commit the largest batch, so that segments are few and large."""
    fullest = max(range(len(shards)), key=lambda number: shards[number].postings)
    gathered = gathered_batch(shards[fullest])
    add = pronouncer.segments(gathered.columns) if pronouncer else [gathered.columns]
    commit(fullest, gathered, add, shards, config, report.words)


def _require_some(files: int, skipped: Sequence[Skipped]) -> None:
    """Refuse folders in which there is nothing for us."""
    if skipped and len(skipped) == files:
        first = skipped[0]
        more = f" and {counted(files - 1, 'more such file')}" if files > 1 else ""
        raise InputError(
            first.path.parent,
            0,
            "a folder with recogniser output",
            f"{first.path.name} ({first.what}){more}",
            "name a file by itself to see what is wrong with it",
        )


def _unless_taken(
    result: FileColumns | Skipped | StdError, admission: Origins, guard: EncoderGuard
) -> FileColumns | Skipped | StdError:
    """Refuse an input that holds what another input holds: it would replace it, or count twice.

    Sound of another encoder than the index has is refused, too.
    """
    if not isinstance(result, FileColumns):
        return result
    return admission.admit(result.source, result.utterances) or guard.refused(result) or result


def _count(result: FileColumns, report: BuildReport) -> None:
    report.recordings.update(result.utterances)
    utterances = {recording: len(names) for recording, names in result.utterances.items()}
    report.inputs.append(IndexedInput(result.source.path, utterances))
    report.nonwords += result.nonwords
    report.tiers.read += result.tiers.read
    report.tiers.left_out += result.tiers.left_out
    for kind, (count, line) in result.repairs.items():
        before = report.repairs.get(kind, Mended(0, result.source.path, line))
        report.repairs[kind] = before._replace(times=before.times + count)
    report.utterances += sum(map(len, result.utterances.values()))
    said = any(len(columns.posting_start_ms) for columns in result.shards.values())
    if result.has_words and not said:
        report.wordless.append(result.source.path)
    if result.uncut:
        report.uncut.append(result.source.path)
    for columns in result.shards.values():
        speakers = Speakers.read(columns.extra).of_recordings(columns.slot_offsets)
        report.speakers.update(filter(None, chain.from_iterable(speakers)))
        report.slots += len(columns.slot_key)
        report.postings += len(columns.posting_start_ms)
        report.speech_s += sum(one.speech_ms for one in columns.recordings) / 1000
        report.estimated |= {one.recording for one in columns.recordings if one.times_estimated}
