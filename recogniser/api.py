"""Recognition from Python: what std-recognise does, as a function that returns values.

recognise_files      audio files -> a folder of confusion networks, and an ECF
RecogniseReport      what one run did
"""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from recogniser import folder, texts
from recogniser.audio import estimated_s
from recogniser.inputs import audio_files
from recogniser.options import RecognitionOptions
from recogniser.processes import Failed, Progressed, Settings, Stopping, run
from recogniser.recording import RecordingReport, Task, report_of
from std.values import Excerpt

AnyPath = str | PathLike[str]


@dataclass(slots=True)
class RecogniseReport:
    """What one run of `recognise_files` did."""

    recordings: list[RecordingReport] = field(default_factory=list)  # of this run
    already: list[RecordingReport] = field(default_factory=list)  # finished before it
    failures: list[str] = field(default_factory=list)
    ecf: Path = Path(folder.ECF_NAME)
    seconds: float = 0.0


@dataclass(slots=True)
class Watcher:
    """Is told what happens, for a person who waits; does nothing itself."""

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
    name_by: str = "stem",
    ecf: AnyPath | None = None,
    with_text: bool = False,
    watcher: Watcher | None = None,
    stopping: Stopping | None = None,
) -> RecogniseReport:
    """Recognise audio files; what is finished in the folder already is left alone.

    Args:
        audio: files and folders.
        output: a folder, made if it is not there.
        options: how to recognise.
        jobs: worker processes; with GPUs, one each.
        name_by: ``stem`` or ``path``, what names the recordings.
        ecf: where to write the ECF; default: ``ecf.xml`` in the folder.
        with_text: also write each recording's text, see `recogniser.texts`.
        watcher: is told what happens.
        stopping: says when to stop.

    Raises:
        InputError: no such files; the folder was begun with other settings.
        ConfigError: the recogniser cannot be loaded.
        StoppedError: stopped; what is written stays, and the next run goes on there.
    """
    started = time.perf_counter()
    options, watcher = options or RecognitionOptions(), watcher or Watcher()
    given = [audio] if isinstance(audio, str | PathLike) else [*audio]
    target = Path(output)
    ecf_path = Path(ecf) if ecf else target / folder.ECF_NAME
    report = RecogniseReport(ecf=ecf_path)
    files = audio_files([Path(one) for one in given], name_by)
    lengths_s = {name: estimated_s(path) for name, path in files.items()}
    tasks = [
        Task(path, name, target, options.channels, options.language, options.longest_s)
        for name, path in sorted(files.items(), key=lambda item: -lengths_s[item[0]])
    ]
    done_s = dict.fromkeys(files, 0.0)
    gpus = _gpus(options)
    with ExitStack() as stack:
        left = [task for task in tasks if not folder.finished(target, task.name).exists()]
        watcher.planned(len(left), sum(lengths_s[task.name] for task in left))
        excerpts: list[Excerpt] = []
        for event in run(left or tasks[:1], options, gpus or jobs, gpus, stopping or Stopping()):
            if isinstance(event, Settings):
                stack.enter_context(folder.opened(target, event.values))
                for task in tasks:
                    if task not in left:
                        lines = folder.read_lines(folder.finished(target, task.name))
                        report.already.append(report_of(task.name, lines))
                        excerpts += folder.excerpts_of(lines)
                folder.write_ecf(ecf_path, excerpts)
                if not left:
                    break
            elif isinstance(event, Progressed):
                watcher.advanced(event.seconds - done_s[event.name])
                done_s[event.name] = event.seconds
            elif isinstance(event, Failed):
                report.failures.append(event.reason)
                watcher.advanced(lengths_s[event.name] - done_s[event.name])
                watcher.failed(event.reason)
            else:
                report.recordings.append(event)
                path = folder.finished(target, event.file)
                lines = folder.read_lines(path)
                excerpts += folder.excerpts_of(lines)
                folder.write_ecf(ecf_path, excerpts)
                if with_text:
                    texts.write(path)
                watcher.done(event)
    report.seconds = time.perf_counter() - started
    return report


def _gpus(options: RecognitionOptions) -> int:
    if options.backend != "whisper" or options.device == "cpu":
        return 0
    from recogniser.whisper.opening import gpus

    return gpus()
