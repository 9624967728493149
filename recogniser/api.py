"""Recognition from Python: what std-recognise does, as a function that returns values.

recognise_files      audio files -> a folder of confusion networks, and an ECF
audio_files          files and folders -> audio files, by the names of their recordings
common_root          the folder that contains all inputs; audio paths are stored relative to it
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

from recogniser import folder
from recogniser.audio import estimated_s
from recogniser.cluster import run_there
from recogniser.options import RecognitionOptions
from recogniser.processes import Event, Failed, OutputSettings, Progressed, Stopping, run
from recogniser.recording import RecogniseReport, RecordingReport, Task, channels_of, report_of
from recogniser.sound import excerpts_of, sound_file
from std.audio.facts import HASH, NOTES, facts_of, file_digest, read_notes, write_notes
from std.command import UNWRITABLE
from std.errors import NOT_THERE, InputError, Unquoted, require_choice
from std.execution.cost import Stopwatch
from std.files import AnyPath, paths_of, refuse_folder
from std.nist.audio_names import AUDIO_EXTENSION, recording_name
from std.values import Excerpt, Recording

MAX_NAME = 255 - len(".ch99.sound.part")  # bytes; a file system allows 255


@dataclass(slots=True)
class Watcher:
    """Receives progress for a person who waits; this one does nothing."""

    planned: Callable[[int, float], None] = lambda recordings, seconds: None
    advanced: Callable[[float], None] = lambda seconds: None
    done: Callable[[RecordingReport], None] = lambda report: None
    failed: Callable[[str], None] = lambda reason: None


def recognise_files(
    audio: AnyPath | Sequence[AnyPath],
    output: AnyPath,
    options: RecognitionOptions | None = None,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    name_by: str = "stem",
    ecf: AnyPath | None = None,
    with_text: bool = False,
    watcher: Watcher | None = None,
    stopping: Stopping | None = None,
) -> RecogniseReport:
    """Recognise audio files; recordings that are finished in the folder already are skipped.

    Args:
        audio: files and folders.
        output: a folder, made if it is not there.
        options: how to recognise.
        jobs: worker processes; with GPUs, one each.
        scheduler: address of a Dask scheduler (`recogniser.cluster`); ``jobs`` is not used then.
        name_by: name recordings by the ``stem`` or the ``path`` of their files.
        ecf: where to write the ECF; default: ``ecf.xml`` in the folder.
        with_text: also write each recording's text, see `recogniser.folder`.
        watcher: receives progress.
        stopping: tells the run to stop.

    Raises:
        InputError: a file does not exist, the folder was begun with other settings, or the text of
            a recording would have the name of another file.
        ConfigError: the recogniser cannot be loaded.
        StoppedError: the run was stopped; written output stays, and the next run continues it.
    """
    started, given, target = Stopwatch(), paths_of(audio), Path(output)
    options, watcher = options or RecognitionOptions(), watcher or Watcher()
    files = audio_files(given, name_by)
    _require_free(files if with_text else {})
    lengths_s = {name: estimated_s(path) for name, path in files.items()}
    longest_first = sorted(lengths_s, key=lambda name: -lengths_s[name])
    named = [_task(files[name], name, target, options) for name in longest_first]
    tasks, others = _without_others(named, read_notes(target / NOTES))
    report = RecogniseReport(failures=others, ecf=Path(ecf) if ecf else target / folder.ECF_NAME)
    left = [task for task in tasks if not _done(task, options)]
    report.not_given = _not_given(options, files)
    watcher.planned(len(left) + len(others), sum(lengths_s[task.name] for task in left))
    for reason in others:
        watcher.failed(reason)
    results = _Results(target, report, watcher, lengths_s, with_text, files, common_root(given))
    begun = left or tasks[:1]  # a worker starts in any case: its settings must be the folder's
    if scheduler is not None:
        events = run_there(begun, options, scheduler, stopping or Stopping())
    else:
        events = run(begun, options, jobs, stopping or Stopping())
    results.follow(events, tasks, left)
    report.seconds, report.cpu_seconds, report.compile_seconds = started.cost()
    return report


@dataclass(slots=True)
class _Results:
    """The output of a run: the report, the ECF, notes of audio files, texts, progress."""

    output: Path
    report: RecogniseReport
    watcher: Watcher
    lengths_s: Mapping[str, float]
    with_text: bool
    files: Mapping[str, Path]
    root: Path  # of all audio files
    notes: dict[str, dict[str, str]] = field(default_factory=dict)
    excerpts: list[Excerpt] = field(default_factory=list)
    done_s: dict[str, float] = field(default_factory=dict)

    def follow(self, events: Iterator[Event], tasks: Sequence[Task], left: Sequence[Task]) -> None:
        """Take all events of a run; the settings come first."""
        with ExitStack() as stack:
            for event in events:
                if isinstance(event, OutputSettings):
                    stack.enter_context(folder.opened(self.output, event.values))
                    self.begin(tasks, left)
                    if not left:
                        break
                else:
                    self.take(event)

    def begin(self, tasks: Sequence[Task], left: Sequence[Task]) -> None:
        """Read what the folder already contains, for this command's recordings and others.

        Some channels of a recording that is left may have their sound.
        """
        given, unfinished = ({task.name for task in some} for some in (tasks, left))
        for path in sorted(self.output.glob(f"*{folder.FINISHED}")):
            name = path.name.removesuffix(folder.FINISHED)
            lines = self._lines(path)
            if name in given:
                self.report.already.append(report_of(name, lines))
        for name, excerpts in excerpts_of(self.output).items():
            if not folder.finished(self.output, name).exists() and name not in unfinished:
                self.excerpts += excerpts
                seconds = sum(one.duration_s for one in excerpts)
                if name in given:
                    self.report.already.append(RecordingReport(name, seconds, has_words=False))
        folder.write_ecf(self.report.ecf, self.excerpts)
        self.watcher.advanced(0.0)  # the recogniser is loaded
        self.notes = read_notes(self.output / NOTES)
        self._note(one.file for one in self.report.already if one.file not in self.notes)

    def take(self, event: Progressed | Failed | RecordingReport) -> None:
        """Take an event of a recording."""
        if isinstance(event, Progressed):
            self.advance(event)
        elif isinstance(event, Failed):
            self.fail(event)
        else:
            self.finish(event)

    def advance(self, event: Progressed) -> None:
        self.watcher.advanced(event.seconds - self.done_s.get(event.name, 0.0))
        self.done_s[event.name] = event.seconds

    def fail(self, event: Failed) -> None:
        self.report.failures.append(event.reason)
        self.advance(Progressed(event.name, self.lengths_s[event.name]))
        self.watcher.failed(event.reason)

    def finish(self, event: RecordingReport) -> None:
        self.report.recordings.append(event)
        finished = folder.finished(self.output, event.file)
        if event.has_words:
            if self.with_text:
                folder.write_texts(finished)  # also over those of other audio
            self._lines(finished)
        elif not finished.exists():
            self.excerpts += excerpts_of(self.output, event.file).get(event.file, [])
        folder.write_ecf(self.report.ecf, self.excerpts)
        self._note([event.file])
        self.watcher.done(event)

    def _note(self, names: Iterable[str]) -> None:
        """Write the audio file of each recording; a file that no longer exists is left out."""
        before = dict(self.notes)
        for name in names:
            path = self.files[name]
            place = Path(os.path.normpath(path.absolute())).relative_to(self.root).as_posix()
            with suppress(InputError):
                self.notes[name] = facts_of(path).columns(place)
        if self.notes != before:
            write_notes(self.output / NOTES, self.notes)

    def _lines(self, path: Path) -> list[folder.Line]:
        """The lines of a finished recording, which is added to the ECF."""
        lines = folder.read_lines(path)
        self.excerpts += folder.excerpts_of(lines)
        if self.with_text and not path.with_suffix(".txt").exists():
            folder.write_texts(path)
        return lines


def _not_given(options: RecognitionOptions, files: Mapping[str, Path]) -> list[str]:
    """The recordings to listen to again that are not among the audio."""
    stretches = options.again.stretches if options.again else ()
    return sorted({one.recording.file for one in stretches} - files.keys())


def _task(path: Path, name: str, output: Path, options: RecognitionOptions) -> Task:
    return Task(
        path, name, output, options.channels, options.language, options.longest_s, options.again
    )


def _done(task: Task, options: RecognitionOptions) -> bool:
    """Whether all requested output of a recording is finished."""
    words = folder.finished(task.output, task.name)
    return (not options.words or words.exists()) and (not options.sound or _has_sound(task))


def _require_free(files: Mapping[str, Path]) -> None:
    """Refuse recordings whose transcript would have the name of a file of the folder itself.

    Raises:
        InputError: names the first of them.
    """
    own = {folder.SETTINGS, folder.SOUND_SETTINGS, NOTES}
    for name, path in files.items():
        if f"{name}.json" in own:
            expected = f"another name, as the folder has a {name}.json of its own (--text)"
            raise InputError(path, 0, expected, name, "--name-by path adds its folders")


def _without_others(
    tasks: Sequence[Task], notes: Mapping[str, Mapping[str, str]]
) -> tuple[list[Task], list[str]]:
    """The tasks whose names can be used, and for the others the reason why they cannot."""
    reasons = {task.name: _no_text(task) or _other_audio(task, notes) for task in tasks}
    return [task for task in tasks if not reasons[task.name]], [*filter(None, reasons.values())]


def _no_text(task: Task) -> str:
    """Why no file of the output can have or contain the name of a recording; empty: they can."""
    if UNWRITABLE.search(task.name):
        expected = "a name in UTF-8, without control characters"
    elif len(os.fsencode(task.name)) > MAX_NAME:
        expected = f"a name of at most {MAX_NAME} bytes, as the output adds to it"
    else:
        return ""
    return str(InputError(task.path, 0, expected, task.path.name, "rename the file"))


def _other_audio(task: Task, notes: Mapping[str, Mapping[str, str]]) -> str:
    """Why the finished output of a recording is that of another audio file; empty if it is not."""
    digest = notes.get(task.name, {}).get(HASH)
    finished = folder.finished(task.output, task.name)
    written = finished.exists() or sound_file(task.output, Recording(task.name, 1)).exists()
    if not digest or not written:
        return ""
    with suppress(OSError):  # the run says what is wrong with the file
        if file_digest(task.path) != digest:
            expected = f"the audio that {finished} was recognised from"
            hint = (
                "--name-by path, or another output folder, keeps both; to recognise only this "
                "file, delete the earlier output"
            )
            return str(
                InputError(task.path, 0, expected, Unquoted("another file of its name"), hint)
            )
    return ""


def _has_sound(task: Task) -> bool:
    """Whether the sound of all channels that become recordings is written."""

    def is_written(channel: int) -> bool:
        return sound_file(task.output, Recording(task.name, channel)).exists()

    if task.channels != "split" or not is_written(1):
        return is_written(1)
    with suppress(InputError):
        return all(map(is_written, channels_of(task)[1]))
    return False  # the run says what is wrong with the file


def audio_files(given: Sequence[Path], name_by: str = "stem") -> dict[str, Path]:
    """The given files, and the audio files in the given folders, by recording name.

    Args:
        given: files and folders.
        name_by: what names a recording: its file's stem, or its path as the user wrote it.

    Raises:
        InputError: a path does not exist, a folder has no audio, or two recordings have one name.
        ValueError: nothing is given.
    """
    require_choice("name_by", name_by, ("stem", "path"))
    if not given:
        raise ValueError("audio: expected at least one file or folder, got none")
    files: dict[str, Path] = {}
    for one in given:
        if one.is_dir():
            found = sorted(_audio_in(one))
            if not found:
                raise InputError(
                    one, 0, "a folder with audio files", Unquoted("a folder without any")
                )
        elif one.exists():
            found = [one]
        else:
            raise InputError(one, 0, "an audio file or a folder", NOT_THERE)
        for path in found:
            name = _name(path, name_by)
            other = files.setdefault(name, path)
            if os.path.realpath(other) != os.path.realpath(path):
                raise InputError(
                    path, 0, "recordings of different names", f"{name}, as {other}",
                    "--name-by path names them by their folders, too",
                )  # fmt: skip
    return files


def common_root(given: Sequence[Path]) -> Path:
    """The deepest folder that contains all given files and folders."""
    folders = [str((one if one.is_dir() else one.parent).absolute()) for one in given]
    return Path(os.path.normpath(os.path.commonpath(folders)))


def _name(path: Path, name_by: str) -> str:
    if name_by == "stem":
        return recording_name(path.name)
    folders = [part for part in path.parent.parts if part not in ("..", path.anchor)]
    return "_".join([*folders, recording_name(path.name)])


def _audio_in(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder, onerror=refuse_folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            if AUDIO_EXTENSION.search(name) and not name.startswith("."):
                yield Path(place, name)
