"""Worker processes for recordings: each loads the recogniser once and takes one at a time.

    run             tasks, the longest first -> events, as they come
    RecordingWork   what a worker does: one recording, its words, its sound or both
    record_sound    one recording: audio file -> its frames only, without words

A worker reports its progress. If a worker dies, only its recording is unfinished; its output stays,
and the next run continues it. Workers that are told to stop finish their current block.
"""

import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, NamedTuple, cast

from recogniser import audio, folder
from recogniser.audio import cut
from recogniser.options import (
    RecognitionOptions,
    open_backend,
    settings,
    sound_settings,
    sound_writer,
)
from recogniser.protocol import Window
from recogniser.recording import (
    Progress,
    RecordingReport,
    Stop,
    StoppedError,
    Task,
    channels_of,
    doubt,
    recognise,
)
from recogniser.sound import SoundWriter, sound_file
from std.audio.samples import Damage
from std.errors import StdError
from std.execution.processes import follow_parent
from std.values import Recording

LEAVING_S = 5.0  # for a worker to end when no task is left
LOOK_S = 0.5  # between two checks whether to stop


class Progressed(NamedTuple):
    """Progress of a recording."""

    name: str
    seconds: float


class Failed(NamedTuple):
    """A recording could not be recognised."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class OutputSettings:
    """What determines the output, as JSON, by the names of the settings files."""

    values: dict[str, dict[str, Any]]


class Stopped(NamedTuple):
    """The user stopped a recording."""


Event = OutputSettings | Progressed | Failed | RecordingReport


@dataclass(slots=True)
class Stopping:
    """Whether to stop; signals set it."""

    wanted: bool = False

    def __call__(self) -> bool:
        return self.wanted


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    pipe: Connection
    gpu: int
    task: Task | None = None


def run(
    tasks: Sequence[Task], options: RecognitionOptions, jobs: int, stopping: Stopping
) -> Iterator[Event]:
    """Recognise recordings in other processes.

    Args:
        tasks: in the order in which they are begun.
        options: the options of all of them.
        jobs: worker processes; with GPUs, one each.
        stopping: when true, no further task begins, and running tasks end soon.

    Yields:
        First the settings, before any task begins; then events of the recordings.

    Raises:
        StdError: a worker cannot load the recogniser.
        StoppedError: the run was stopped before all tasks were done.
    """
    waiting, gpus = list(reversed(tasks)), _gpus(options)
    pool: list[_Worker] = []
    try:
        pool.append(_started(options, 0))
        yield from _events(pool[0], waiting)  # one alone: it may have to fetch the model
        pool += [
            _started(options, number % gpus if gpus else 0)
            for number in range(1, min(gpus or jobs, len(tasks)))
        ]
        if stopping():
            raise StoppedError
        for worker in pool:
            _give(worker, waiting)
        while busy := [worker for worker in pool if worker.task]:
            if stopping():
                waiting.clear()
                _tell_to_stop(busy)
            for pipe in wait([worker.pipe for worker in busy], timeout=LOOK_S):
                worker = next(one for one in busy if one.pipe is pipe)
                yield from _events(worker, waiting)
                if worker.task is None and waiting:  # it died
                    pool[pool.index(worker)] = again = _started(options, worker.gpu)
                    _give(again, waiting)
        if stopping():
            raise StoppedError
    except StdError:
        if stopping():  # the signal ended a process that was still starting
            raise StoppedError from None
        raise
    finally:
        for worker in pool:
            _ended(worker)


def _gpus(options: RecognitionOptions) -> int:
    if options.backend != "whisper" or options.device == "cpu":
        return 0
    from recogniser.whisper.engine import gpus

    return gpus()


def _started(options: RecognitionOptions, gpu: int) -> _Worker:
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs, options, gpu), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours, gpu)


def _ended(worker: _Worker) -> None:
    with suppress(OSError):
        worker.pipe.send(None)
    worker.pipe.close()
    worker.process.join(LEAVING_S)
    if worker.process.is_alive():
        worker.process.kill()
        worker.process.join()


def _tell_to_stop(workers: Sequence[_Worker]) -> None:
    for worker in workers:
        if worker.process.pid and worker.process.is_alive():
            os.kill(worker.process.pid, signal.SIGTERM)


def _give(worker: _Worker, waiting: list[Task]) -> None:
    worker.task = waiting.pop() if waiting else None
    if worker.task:
        with suppress(OSError):  # it died: its pipe says so next
            worker.pipe.send(worker.task)


def _events(worker: _Worker, waiting: list[Task]) -> Iterator[Event]:
    """Receive a worker's events; give it the next task when it has finished one."""
    try:
        message = worker.pipe.recv()
    except (EOFError, OSError):
        task, worker.task = worker.task, None
        worker.process.join()
        code = worker.process.exitcode
        cause = f"signal {-code}" if code is not None and code < 0 else f"status {code}"
        if task is None:
            raise StdError(f"the recogniser's process ended with {cause}") from None
        yield Failed(task.name, f"{task.path}: its process ended with {cause}")
        return
    if isinstance(message, StdError):  # at the start: the recogniser cannot be loaded
        raise message
    if isinstance(message, Stopped):
        worker.task = None
        return
    if isinstance(message, OutputSettings) and worker.task:  # of a further worker: the same
        return
    yield message
    if not isinstance(message, Progressed | OutputSettings):
        _give(worker, waiting)


def _work(pipe: Connection, options: RecognitionOptions, gpu: int) -> None:
    """A worker process: tasks from the pipe, events into it."""
    follow_parent()  # at once: the next command writes to the same files
    stopping = Stopping()

    def stop(*_: Any) -> None:
        stopping.wanted = True

    signal.signal(signal.SIGTERM, stop)
    try:
        work = RecordingWork(options, gpu)
        pipe.send(OutputSettings(work.settings()))
        while (task := pipe.recv()) is not None:
            pipe.send(_done(task, work, pipe, stopping))
    except StdError as error:
        pipe.send(error)
    except (EOFError, BrokenPipeError):  # the command was killed
        os._exit(1)


class RecordingWork:
    """A worker's part of a recording: words, sound or both."""

    def __init__(self, options: RecognitionOptions, gpu: int) -> None:
        """Load the recogniser and the encoder that the options name.

        Args:
            gpu: the number of the GPU, if there is one.

        Raises:
            StdError: it cannot be loaded.
        """
        self._options = options
        self._recogniser = open_backend(options, gpu) if options.words else None
        self._writer = sound_writer(options, self._recogniser, gpu)

    def settings(self) -> dict[str, dict[str, Any]]:
        """What determines the output, by the names of the settings files."""
        found = {}
        if self._recogniser:
            found[folder.SETTINGS] = settings(self._options, self._recogniser)
        if self._writer:
            found[folder.SOUND_SETTINGS] = sound_settings(self._options, self._writer)
        return found

    def __call__(self, task: Task, progress: Progress, stopping: Stop) -> RecordingReport:
        """Write the output that is missing.

        If the recogniser gives no frames, a second pass makes them, because the encoder's windows
        are longer.
        """
        words: RecordingReport | None = None
        if self._recogniser and not folder.finished(task.output, task.name).exists():
            shared = self._writer if self._options.shares_encoder else None
            words = recognise(task, self._recogniser, progress, stopping, shared)
        if self._writer is None:
            return cast("RecordingReport", words)
        sound = record_sound(task, self._writer, progress, stopping)
        if words:
            words.cpu_s = round(words.cpu_s + sound.cpu_s, 3)
        return words or sound


def _done(task: Task, work: RecordingWork, pipe: Connection, stopping: Stopping) -> Any:
    """Process a recording; an error becomes an event."""
    if stopping():  # told before it began
        return Stopped()
    try:
        return work(task, lambda seconds: pipe.send(Progressed(task.name, seconds)), stopping)
    except StdError as error:
        return Failed(task.name, str(error))
    except StoppedError:
        return Stopped()


def record_sound(
    task: Task,
    writer: SoundWriter,
    progress: Progress = lambda seconds: None,
    stop: Stop = lambda: False,
) -> RecordingReport:
    """Write the frames of a recording, or the rest of them.

    Windows are cut as for recognition by the same model, so the bytes are the same. Frames that are
    already written stay.

    Raises:
        InputError: the file has no audio, or the output cannot be written.
        StoppedError: ``stop`` returned true; written frames are kept.
    """
    started = time.process_time()
    damage, report = Damage(), RecordingReport(task.name, has_words=False)
    found, channels = channels_of(task)
    encoder = writer.encoder
    longest_s = min(task.longest_s or encoder.longest_window_s, encoder.longest_window_s)
    done_s = missing_s = 0.0
    for channel in channels:
        recording = Recording(task.name, channel)
        if sound_file(task.output, recording).exists():
            continue
        split = channel if task.channels == "split" else None
        windows = cut(
            audio.decode(task.path, split, damage), encoder.speech_probabilities, longest_s
        )
        window: Window | None = None
        with writer.sink(task.output, recording) as sink:
            report.resumed_windows += sink.there > 0
            for window in windows:
                written = sink.add(window)
                report.windows += 1
                report.silent += window.silent
                progress(done_s + window.end_ms / 1000)
                if written and stop():
                    raise StoppedError
        end_s = window.end_ms / 1000 if window else 0.0
        done_s, missing_s = done_s + end_s, audio.stated_s(task.path) - end_s
    report.seconds, report.damaged_packets = round(done_s, 3), damage.packets
    report.warning = doubt(report, (found, audio.tracks(task.path)), damage, missing_s)
    report.cpu_s = round(time.process_time() - started, 3)
    return report
