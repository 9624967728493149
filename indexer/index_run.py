"""One run of `indexer.api.indexing.index_files` against open stores.

IndexRun    the tasks of a run
run_index   index, delete, describe, recognise phones, merge, while no other process writes
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from unicodedata import normalize
from warnings import warn

from indexer.build import build
from indexer.describe import describe, languages_in, own_columns_note, whole_rows
from indexer.formats.shared.reader import ReaderOptions
from indexer.index_report import HeardLanguage, IndexReport, RecordedAudio, doubts, found_languages
from indexer.inputs import Input
from indexer.languages.pronounce import Pronouncer
from indexer.maintain import delete, keep_few_segments, stored_spellings, upkeep, uses_workers
from indexer.phone_layer.sources import has_unheard
from indexer.recorded_audio import noted_audio, recorded_audio
from indexer.shards import audio_files
from indexer.sound import clock_doubts, clock_offsets, with_frames
from std.config import Config
from std.errors import StoreWarning
from std.execution.workers import Executor
from std.files import size_bytes
from std.metadata.cells import FileMetadata
from std.metadata.table import Metadata, updated
from std.numbers import counted, example
from std.store import Store
from std.text import as_indexed

ProgressBar = Callable[[float], AbstractContextManager[Callable[[float], None]]]


def no_bar(total: float) -> AbstractContextManager[Callable[[float], None]]:
    """No progress bar."""
    return nullcontext(lambda n_bytes: None)


@dataclass(frozen=True, slots=True)
class IndexRun:
    """The tasks of one run of `index_files`."""

    files: Sequence[Input]
    input_format: str
    reader_options: ReaderOptions
    config: Config
    pronouncer: Pronouncer
    metadata: Metadata
    delete: Sequence[str] = ()  # audio files that inputs replace, or that leave the index
    merge: bool = False
    keep_going: bool = False
    progress: ProgressBar = no_bar  # makes the bar of the files' bytes
    sounds: Sequence[Input] = ()  # files of frames
    learn_phones: bool = True  # recognise phones in recordings with sound
    audio: Path | None = None  # the folder of all audio

    @property
    def paths(self) -> list[Path]:
        return [file.path for file in (*self.files, *self.sounds)]


def run_index(run: IndexRun, stores: Sequence[Store], workers: Executor) -> IndexReport:
    """Index, delete, describe, recognise phones, merge: in this order.

    Recordings are deleted after all inputs have been read, because an input may have a new version
    of a deleted recording.
    """
    pronouncer = run.pronouncer
    with writing(stores):
        note = own_columns_note(run.metadata)
        run = replace(run, metadata=whole_rows(run.metadata, stores))
        pronouncer.told.by_metadata.update(languages_in(stores, run.metadata))
        metadata = run.metadata
        metadata = updated(metadata, noted_audio((*run.files, *run.sounds), stores, metadata))
        leaving = stored_spellings(run.delete, stores)
        config = run.config
        for store in stores:
            config = continued(config, store)
        report, sounding = IndexReport(), with_frames(stores) if run.paths else set()
        if run.paths:
            report = _built(run, stores, workers, config, metadata, leaving)
        held = set[str]().union(*map(audio_files, stores)) if leaving else set[str]()
        old = held.intersection(leaving) - {one.file for one in report.recordings}
        kept = sorted(old) if report.failures else []
        delete(sorted(old.difference(kept)), stores)
        described = describe(stores, run.metadata, pronouncer)
        heard = _heard(stores) if run.paths and run.learn_phones else []
        audio = _with_audio(run, stores, report)
        indexed = set(report.recordings)
        files = {one.file for one in indexed}
        lost = sorted(one for one in sounding.difference(report.with_sound) if one.file in files)
        clocks = clock_doubts(
            found for one in stores for found in clock_offsets(one.segments(), indexed)
        )
        unused = _unused_clocks(run.reader_options, stores) if run.paths else []
        later = uses_workers(stores, workers)
        if not later:  # merged now; the next writer waits
            for store in stores:
                keep_few_segments(
                    store, everything=run.merge, phone_builder=pronouncer.phone_builder
                )
    return replace(
        report,
        warnings=(*report.warnings, *note, *unused, *clocks),
        lost_sound=tuple(lost),
        deleted=len(leaving) - len(kept),
        kept=tuple(kept),
        described=described,
        heard=tuple(heard),
        audio=audio,
        unmerged=_merged_by_workers(stores, workers, run.merge, pronouncer) if later else (),
        languages=tuple(found_languages(pronouncer)),
        language_warnings=tuple(doubts(pronouncer)),
    )


def _unused_clocks(options: ReaderOptions, stores: Sequence[Store]) -> list[str]:
    """Warn of recordings whose clock an option corrects, and that no store has."""
    listed = {
        "--chunks": [*options.chunks.starts_s] if options.chunks else [],
        "--clock-offset": [*options.offsets.of_file] if options.offsets else [],
    }
    lines: list[str] = []
    if not any(listed.values()):
        return lines
    held = {normalize("NFC", file) for store in stores for file in audio_files(store)}
    for option, names in listed.items():
        if missing := [name for name in names if normalize("NFC", name) not in held]:
            n_missing = counted(len(missing), "recording")
            lines.append(f"{n_missing} of {option} not in the index: {example(missing)}")
    return lines


def _heard(stores: Sequence[Store]) -> list[HeardLanguage]:
    """Recognise the phones of recordings with sound that have none yet."""
    if not has_unheard(segment for store in stores for segment in store.segments()):
        return []
    from indexer.phone_layer.index_phones import recognise_phones  # loads compiled kernels

    return recognise_phones(stores)


def _with_audio(run: IndexRun, stores: Sequence[Store], report: IndexReport) -> RecordedAudio:
    """Note the audio of indexed recordings; of all recordings, if none were indexed."""
    if run.audio is None:
        return RecordedAudio()
    indexed = {recording.file for recording in report.recordings} if run.paths else None
    found, cells = recorded_audio(stores, run.audio, indexed)
    describe(stores, whole_rows(FileMetadata(cells=cells), stores), run.pronouncer)
    return found


def _built(
    run: IndexRun,
    stores: Sequence[Store],
    workers: Executor,
    config: Config,
    metadata: Metadata,
    leaving: Collection[str],
) -> IndexReport:
    """Index the files of a run, with its progress bar; recordings that leave may be replaced."""
    options = run.reader_options
    folders = {one.path.parent: None for one in run.sounds}  # may differ from those of the words
    options = replace(options, sound_folders=(*options.sound_folders, *folders))
    with run.progress(sum(map(size_bytes, run.paths))) as advance:
        report = build(
            run.files,
            stores,
            config,
            input_format=run.input_format,
            options=options,
            workers=workers,
            keep_going=run.keep_going,
            progress=lambda path, n_bytes: advance(n_bytes),
            pronouncer=run.pronouncer,
            metadata=metadata,
            sounds=run.sounds,
            replaceable=leaving,
        )
    uncut = [one.path for one in report.inputs if one.is_uncut]
    if not uncut or run.config.text.unspaced == "keep":
        return report
    return replace(report, warnings=(*report.warnings, _uncut(uncut, stores[0])))


def _merged_by_workers(
    stores: Sequence[Store], workers: Executor, merge: bool, pronouncer: Pronouncer
) -> tuple[str, ...]:
    """Merge shards by workers; return a line for each that another process writes to."""
    busy = upkeep(stores, workers, everything=merge, phone_builder=pronouncer.phone_builder)
    return tuple(f"{reason}; its segments were not merged, all else is done" for reason in busy)


def continued(config: Config, store: Store) -> Config:
    """The configuration for adding to a store, with a warning if it is an older one."""
    text = as_indexed(config.text, store.normalisation())
    if text == config.text:
        return config
    if text.punctuation != config.text.punctuation:
        message = (
            f"{store.url} was made with text.punctuation = 'keep' and keeps this setting: foto’s "
            "and foto's differ in it until its recordings are indexed into a new store"
        )
        warn(message, StoreWarning, stacklevel=4)
    return replace(config, text=text)


def _uncut(files: Sequence[Path], store: Store) -> str:
    """The warning about text without spaces in an index from before it was split."""
    more = f" and {counted(len(files) - 1, 'more file')}" if len(files) > 1 else ""
    return (
        f"text without spaces (Chinese, Japanese, Thai) in {files[0]}{more} is found by whole "
        f"words only: {store.url} was made with text.unspaced = 'keep' and keeps this setting; "
        "index its recordings into a new store to find it by characters"
    )


@contextmanager
def writing(stores: Sequence[Store]) -> Iterator[None]:
    """Hold all stores open for writing."""
    with ExitStack() as locks:
        for store in stores:
            locks.enter_context(store.writing())
        yield
