"""Recordings on the workers of a Dask cluster, which have the same files as the command.

    run_there    tasks, the longest first -> events, in the order of the tasks

A worker keeps its recogniser for the next recording, and recognises one at a time. If the command
is stopped or killed, a worker ends after its current block of windows. Its output stays, and the
next run continues it, as in a run without a cluster.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from threading import Lock
from typing import Any

from recogniser.options import RecognitionOptions
from recogniser.processes import Event, Failed, OutputSettings, RecordingWork, Stopping
from recogniser.recording import RecordingReport, StoppedError, Task
from std.errors import StdError
from std.execution.processes import cluster
from std.execution.stop import check_stop, stopped_by

Settings = Mapping[str, Mapping[str, Any]]  # by the names of their files
ONE_AT_A_TIME = Lock()  # a recogniser works for one recording at a time


def run_there(
    tasks: Sequence[Task], options: RecognitionOptions, scheduler: str, stopping: Stopping
) -> Iterator[Event]:
    """Recognise recordings on the workers of a cluster.

    Args:
        tasks: in the order in which they are begun. Workers have their files under the same paths.
        options: the options of all of them.
        scheduler: its address, as ``tcp://host:8786``.
        stopping: when true, running tasks end soon.

    Yields:
        First the settings, before any task begins; then what became of each recording.

    Raises:
        StdError: no such cluster, its workers are lost, or one of them cannot load the recogniser
            or loads another one.
        StoppedError: the run was stopped before all tasks were done.
    """

    def stop() -> None:
        if stopping():
            raise StoppedError

    def died(task: Task, reason: str) -> Event:
        return Failed(task.name, f"{task.path}: no worker finished it: {reason}")

    there = [
        replace(task, path=task.path.absolute(), output=task.output.absolute()) for task in tasks
    ]
    options = _with_absolute_paths(options)
    with cluster(scheduler) as workers, stopped_by(stop):
        (settings,) = workers.map(_settings, [options])
        yield OutputSettings(settings)
        yield from workers.map(partial(_recognised, options, settings), there, died)


def _with_absolute_paths(options: RecognitionOptions) -> RecognitionOptions:
    """The options for processes in other folders."""
    again = options.again
    if again:
        again = replace(again, networks=Path(again.networks).absolute())
    model, encoder = (
        str(Path(name).absolute()) if name and Path(name).exists() else name
        for name in (options.model, options.encoder)
    )
    return replace(options, again=again, model=model, encoder=encoder)


@lru_cache(maxsize=1)
def _work(options: RecognitionOptions) -> RecordingWork:
    """In a worker: its recogniser, loaded once for all recordings of a run."""
    return RecordingWork(options, gpu=0)  # of the GPUs that this worker was started with


def _settings(options: RecognitionOptions) -> dict[str, dict[str, Any]]:
    """In a worker: the settings that determine the output."""
    with ONE_AT_A_TIME:
        return _work(options).settings()


def _recognised(
    options: RecognitionOptions, settings: Settings, task: Task
) -> RecordingReport | Failed:
    """In a worker: one recording, unless this worker would write other output than the first one.

    Raises:
        StdError: the recogniser cannot be loaded, or is another one.
    """
    with ONE_AT_A_TIME:
        work = _work(options)
        if (found := work.settings()) != settings:
            raise StdError(
                "--scheduler: expected workers with the same recogniser, "
                f"{json.dumps(settings)}, got {json.dumps(found)}"
            )
        try:
            return work(task, lambda seconds: None, _stopped)
        except StdError as error:
            return Failed(task.name, str(error))


def _stopped() -> bool:
    """In a worker: false.

    Raises:
        CancelledError: nobody waits for the recording any more.
    """
    check_stop()
    return False
