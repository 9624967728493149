"""The indexing pipeline on one screen: files in, committed segments out.

    for each file, in a worker:   parse -> prune -> invert
    in this process:              merge what has come in -> commit

Memory holds one batch of postings and the files under way, never all the speech. A recording
that was indexed before is replaced in the same commit that brings its new postings, so a search
finds the old one or the new one, never both and never neither.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from std.formats.detect import parse_file

from indexer.invert import invert
from indexer.merge import merged
from indexer.prune import prune
from std.config import Config
from std.errors import InputError, StdError
from std.store import Store
from std.store.columns import SegmentColumns
from std.store.resident import ResidentSegment
from std.values import Recording

WORTH_A_POOL_BYTES = 8_000_000  # below, starting worker processes costs more than it saves

Progress = Callable[[Path, int], None]  # called after each file with its size in bytes


@dataclass(frozen=True, slots=True)
class FileColumns:
    """What one input file holds."""

    path: Path
    columns: SegmentColumns
    utterances: frozenset[tuple[Recording, str]]


@dataclass(slots=True)
class BuildReport:
    """What one run of the indexer did."""

    files: int = 0
    utterances: int = 0
    slots: int = 0
    postings: int = 0
    speech_s: float = 0.0
    seconds: float = 0.0
    words: set[str] = field(default_factory=set)
    audio_files: set[str] = field(default_factory=set)
    failures: list[StdError] = field(default_factory=list)


def build(
    paths: Sequence[Path],
    store: Store,
    config: Config,
    *,
    input_format: str = "auto",
    jobs: int = 1,
    keep_going: bool = False,
    progress: Progress = lambda path, size: None,
) -> BuildReport:
    """Index files into a store that is being written to (``with store.writing()``).

    With ``keep_going``, files that cannot be read end up in ``report.failures`` and the others
    are indexed; without, the first one ends the run at the last commit.

    Raises:
        InputError: a file cannot be read, or two files hold the same utterance.
        StoreError: the store cannot be written.
    """
    begin = time.perf_counter()
    report = BuildReport()
    seen: dict[tuple[Recording, str], Path] = {}
    batch: list[SegmentColumns] = []
    for result in _each_file(paths, config, input_format, jobs):
        if isinstance(result, StdError):
            if not keep_going:
                raise result
            report.failures.append(result)
            continue
        _refuse_repeats(result, seen)
        _count(result, report)
        progress(result.path, result.path.stat().st_size)
        batch.append(result.columns)
        if sum(len(one.posting_key) for one in batch) >= config.index.segment_postings:
            _commit(batch, store, config, report)
            batch = []
    if batch or not report.failures:
        _commit(batch, store, config, report)
    report.seconds = time.perf_counter() - begin
    return report


def index_file(path: Path, config: Config, input_format: str) -> FileColumns | StdError:
    """Parse, prune and invert one file; runs in a worker, so errors come back as values."""
    try:
        networks = [prune(one, config.index) for one in parse_file(path, input_format)]
        utterances = [(one.recording, one.utterance) for one in networks]
        if len(set(utterances)) < len(utterances):
            twice = next(one for one in utterances if utterances.count(one) > 1)
            raise InputError(path, 0, "each utterance once", f"{twice[1]} of {twice[0].file} twice")
        return FileColumns(path, invert(networks, config.text), frozenset(utterances))
    except ValueError as error:
        return InputError(path, 0, "networks that can be indexed", str(error))
    except StdError as error:
        return error


def _each_file(
    paths: Sequence[Path], config: Config, input_format: str, jobs: int
) -> Iterator[FileColumns | StdError]:
    """Index files in order, in worker processes where that pays; few are under way at once."""
    size = sum(path.stat().st_size for path in paths if path.exists())
    if jobs == 1 or len(paths) == 1 or size < WORTH_A_POOL_BYTES:
        for path in paths:
            yield index_file(path, config, input_format)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("forkserver")) as pool:

        def submit(some: Iterable[Path]) -> list[Future[FileColumns | StdError]]:
            return [pool.submit(index_file, path, config, input_format) for path in some]

        waiting = iter(paths)
        running = submit(islice(waiting, 3 * jobs))
        while running:
            yield running.pop(0).result()
            running += submit(islice(waiting, 1))


def _refuse_repeats(result: FileColumns, seen: dict[tuple[Recording, str], Path]) -> None:
    """Two inputs with the same utterance would count its words twice."""
    for utterance in result.utterances:
        if utterance in seen:
            recording, name = utterance
            raise InputError(
                result.path,
                0,
                f"each utterance in one input file ({seen[utterance]} has it already)",
                f"{name} of {recording.file}",
            )
        seen[utterance] = result.path


def _count(result: FileColumns, report: BuildReport) -> None:
    columns = result.columns
    report.files += 1
    report.utterances += len(result.utterances)
    report.slots += len(columns.slot_key)
    report.postings += len(columns.posting_key)
    report.speech_s += sum(one.speech_ms for one in columns.recordings) / 1000
    report.words.update(ResidentSegment("", columns).words())


def _commit(
    batch: Sequence[SegmentColumns], store: Store, config: Config, report: BuildReport
) -> None:
    """Merge a batch to one segment and commit it.

    An audio file whose utterances are spread over several batches of this run must end up in one
    segment, because it is replaced as a whole and phrases are joined within a segment: earlier
    segments of this run that hold a part of it are merged in.
    """
    fresh = {one.recording.file for columns in batch for one in columns.recordings}
    again = fresh & report.audio_files
    earlier = [
        segment
        for segment in store.segments()
        if again & {one.recording.file for one in segment.recordings}
    ]
    pieces = [*earlier, *(ResidentSegment("", columns) for columns in batch)]
    add = [merged(pieces)] if any(len(one.recordings) for one in pieces) else []
    store.commit(
        add,
        normalisation=config.text,
        replace=[segment.id for segment in earlier],
        delete_files=fresh,
    )
    report.audio_files |= fresh
