"""One recording: audio file -> its file of networks, resumed where an earlier run stopped.

Task             what to recognise, and the folder of the output
recognise        do it; reports its progress after each block
doubt            the warnings of a recording
RecordingReport  the outcome of a recording; RecogniseReport: of a run
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO

from recogniser import audio, folder
from recogniser.again import Again, Span, span_of, with_told
from recogniser.audio import cut
from recogniser.networks import network_of
from recogniser.protocol import Listener, Recogniser, Window
from recogniser.sound import SoundSink, SoundWriter, sound_file
from std.audio.samples import Damage
from std.errors import ConfigError, InputError, Unquoted
from std.files import content_of, read
from std.networks import network_line
from std.outputs import open_output
from std.values import Recording

VOTERS = 3  # windows with speech that decide on the language
MOST_WAITING = 40  # windows that are searched for them: a quarter of an hour
TOLD = 0.5  # weight of the new hypothesis where words are searched; the earlier ones share the rest
POOR_LOG_PROB = -1.0  # windows below are named
MISSING_S, MISSING = 2.0, 0.05  # less, or a smaller share, is rounding


@dataclass(frozen=True, slots=True)
class Task:
    """An audio file to recognise."""

    path: Path
    name: str  # of the recording
    output: Path  # folder
    channels: str = "mix"  # or split
    language: str = "auto"
    longest_s: float = 0.0  # of windows; 0 = as long as the recogniser takes
    again: Again | None = None  # the stretches to recognise again; None: everything


@dataclass(slots=True)
class RecordingReport:
    """The outcome of an audio file."""

    file: str
    seconds: float = 0.0  # of audio, all channels
    windows: int = 0
    silent: int = 0
    words: int = 0
    thrown_away: int = 0
    poor: list[float] = field(default_factory=list)  # starts of windows with low posteriors, s
    language: str = ""
    warning: str = ""
    damaged_packets: int = 0
    resumed_windows: int = 0
    cpu_s: float = 0.0
    has_words: bool = True  # False: only its sound was written


@dataclass(slots=True)
class RecogniseReport:
    """What one run of `recogniser.recognise_files` did."""

    recordings: list[RecordingReport] = field(default_factory=list)  # of this run
    already: list[RecordingReport] = field(default_factory=list)  # finished before this run
    failures: list[str] = field(default_factory=list)
    not_given: list[str] = field(default_factory=list)  # to be listened to again, without audio
    ecf: Path = Path(folder.ECF_NAME)
    seconds: float = 0.0  # elapsed time
    cpu_seconds: float = 0.0  # of all processes, without compiling kernels
    compile_seconds: float = 0.0  # CPU time of compiling them


class StoppedError(Exception):
    """The user stopped the run; written output stays."""


Progress = Callable[[float], None]  # takes the finished seconds of this recording
Stop = Callable[[], bool]


def recognise(
    task: Task,
    recogniser: Recogniser,
    progress: Progress = lambda seconds: None,
    stop: Stop = lambda: False,
    writer: SoundWriter | None = None,
) -> RecordingReport:
    """Recognise a recording, or its unfinished rest.

    Args:
        progress: called after each written block.
        stop: called after each block.
        writer: also writes the sound, from the frames that the recogniser gives.

    Raises:
        InputError: the file has no audio, or the output cannot be written.
        StoppedError: ``stop`` returned true; finished blocks are kept.
    """
    started = time.process_time()
    if task.again and not writer and not task.again.asks(task.name):
        return _copied(task, task.again)
    damage = Damage()
    split = task.channels == "split"
    found, channels = channels_of(task)
    block = recogniser.windows_at_once
    with folder.unfinished(task.output, task.name, block) as (stream, lines):
        resumed, done_s = len(lines), 0.0
        for channel in channels:
            recording = Recording(task.name, channel)
            old = [line for line in lines if line["channel"] == channel]
            if old and old[-1].get("last"):
                done_s += old[-1]["end"]
                continue
            samples = audio.decode(task.path, channel if split else None, damage)
            longest_s = longest_window_s(task.longest_s, recogniser)
            windows = cut(samples, recogniser.speech_probabilities, longest_s)
            with _sink(task, recording, writer) as sink:
                for written in _blocks(task, recogniser, windows, recording, old, sink):
                    _append(stream, written)
                    lines += [_without_slots(line) for line in written]
                    progress(done_s + written[-1]["end"])
                    if stop():
                        raise StoppedError
            if task.again and not writer:
                _copy_sound(task, task.again, recording)
            done_s += next((x["end"] for x in reversed(lines) if x["channel"] == channel), 0.0)
        folder.finish(task.output, task.name, stream)
    report = report_of(task.name, lines)
    report.damaged_packets, report.resumed_windows = damage.packets, resumed
    missing_s = audio.stated_s(task.path) - report.seconds / len(channels)
    report.warning = doubt(report, (found, audio.tracks(task.path)), damage, missing_s)
    report.cpu_s = round(time.process_time() - started, 3)
    return report


def _copied(task: Task, again: Again) -> RecordingReport:
    """Copy the earlier networks and frames of a recording without stretches to recognise again.

    Raises:
        InputError: it was not recognised before.
    """
    path = folder.finished(Path(again.networks), task.name)
    lines = folder.read_lines(path)
    for channel in sorted({line["channel"] for line in lines}):
        _copy_sound(task, again, Recording(task.name, channel))
    target = folder.finished(task.output, task.name)
    with open_output(target) as sink:
        sink.write(read(content_of, path))
    return report_of(task.name, lines)


def _copy_sound(task: Task, again: Again, recording: Recording) -> None:
    """Copy the frames of a recording, if there are any, beside its new networks."""
    path = sound_file(Path(again.networks), recording)
    if path.exists():
        with open_output(sound_file(task.output, recording)) as sink:
            sink.write(read(content_of, path))


def channels_of(task: Task) -> tuple[int, list[int]]:
    """The number of channels, and the channels that become recordings."""
    found = audio.channels(task.path)
    return found, [*range(1, found + 1)] if task.channels == "split" and found else [1]


def _sink(
    task: Task, recording: Recording, writer: SoundWriter | None
) -> AbstractContextManager[SoundSink | None]:
    """The writer of a recording's frames; None if they are not requested or already written."""
    if writer is None or sound_file(task.output, recording).exists():
        return nullcontext()
    return writer.sink(task.output, recording)


def longest_window_s(wanted_s: float, recogniser: Recogniser) -> float:
    """The longest window that the options (0 = any) and the recogniser allow."""
    return min(wanted_s or recogniser.longest_window_s, recogniser.longest_window_s)


def _blocks(
    task: Task,
    recogniser: Recogniser,
    windows: Iterator[Window],
    recording: Recording,
    old: Sequence[folder.Line],
    sink: SoundSink | None,
) -> Iterator[list[dict[str, Any]]]:
    """Yield the lines of each block that is not written yet, after writing its frames."""
    size = recogniser.windows_at_once
    earlier = task.again.earlier(recording) if task.again else {}
    known = old or [*earlier.values()]
    language = known[0]["language"] if known else task.language
    for line in old:  # cut again: cuts depend on all audio before them
        window = next(windows, None)
        if window is None or span_of(line) != (window.start_ms, window.end_ms):
            path = task.output / f"{task.name}{folder.UNFINISHED}"
            got = Unquoted(f"other ones from {line['start']:.3f} s in {task.path}")
            raise InputError(
                path, 0, "the windows of the same audio", got, "remove it to begin anew"
            )
        if sink:
            sink.add(window)  # needed only if the disk lost the frames
    held: list[Window] = []
    if language == "auto":
        for window in windows:
            held.append(window)
            voters = [one for one in held if not one.silent]
            if len(voters) == VOTERS or len(held) == MOST_WAITING:
                break
        language = recogniser.language_of([one for one in held if not one.silent][:VOTERS])
    number = len(old) // size
    following = chain(held, windows)
    waiting = list(islice(following, size))
    while True:
        upcoming = list(islice(following, size))
        if task.again:
            lines = _told(task.again, earlier, recording, recogniser, waiting, language)
        else:
            lines = []
            results = recogniser.recognise(number, waiting, language)
            for i, (window, found) in enumerate(zip(waiting, results, strict=True)):
                name = f"{recording.file}-{recording.channel}-{number * size + i + 1:05d}"
                network = network_of(window, found, recording, name, language)
                lines.append({**network_line(network), **found.notes})
                if sink:
                    sink.add(window, found.frames)
        if not waiting:  # no audio at all
            lines = [_nothing(recording, language)]
        if not upcoming:
            lines[-1]["last"] = True
        yield lines
        if not upcoming:
            return
        waiting, number = upcoming, number + 1


def _told(
    again: Again,
    earlier: Mapping[Span, dict[str, Any]],
    recording: Recording,
    recogniser: Recogniser,
    windows: Sequence[Window],
    language: str,
) -> list[dict[str, Any]]:
    """The earlier lines of windows, with the words recognised when the searched words are given.

    Raises:
        ConfigError: the recogniser takes no words.
        InputError: the earlier windows differ: the audio has changed, or was cut with other
        options.
    """
    if not isinstance(recogniser, Listener):
        raise ConfigError("--listen-again: expected a recogniser that takes hotwords, as whisper")
    lines = []
    for window in windows:
        line = earlier.get((window.start_ms, window.end_ms))
        if line is None:
            span = f"{window.start_ms / 1000:.3f} to {window.end_ms / 1000:.3f} s"
            path = folder.finished(Path(again.networks), recording.file)
            raise InputError(
                path, 0, "the windows of the same audio, cut alike", Unquoted(f"none from {span}")
            )
        asked = again.within(recording, window)
        if words := tuple(dict.fromkeys(word for one in asked for word in one.words)):
            (said,) = recogniser.told([replace(window, words=words)], language)
            places = [(one.start_ms / 1000, one.end_ms / 1000) for one in asked]
            line = {**with_told(line, said, TOLD, places), "told": " ".join(said)}
        lines.append(line)
    return lines


def _nothing(recording: Recording, language: str) -> dict[str, Any]:
    """The line of a recording without samples."""
    return {
        "utt": f"{recording.file}-{recording.channel}-00001",
        "file": recording.file,
        "channel": recording.channel,
        "start": 0.0,
        "end": 0.0,
        "language": language,
        "slots": [],
        "silent": True,
    }


def _append(stream: BinaryIO, lines: Sequence[dict[str, Any]]) -> None:
    for line in lines:
        stream.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
    stream.flush()


def _without_slots(line: dict[str, Any]) -> folder.Line:
    return {**{key: value for key, value in line.items() if key != "slots"},
            "words": len(line["slots"])}  # fmt: skip


def report_of(name: str, lines: Sequence[folder.Line]) -> RecordingReport:
    """The report of a finished recording, from its lines."""
    return RecordingReport(
        file=name,
        seconds=round(sum(one.duration_s for one in folder.excerpts_of(lines)), 3),
        windows=len(lines),
        silent=sum(bool(line.get("silent")) for line in lines),
        words=sum(line["words"] for line in lines),
        thrown_away=sum(line.get("thrown_away", 0) for line in lines),
        poor=[line["start"] for line in lines
              if not line.get("silent") and line.get("log_prob", 0.0) < POOR_LOG_PROB],
        language=lines[0].get("language", "") if lines else "",
    )  # fmt: skip


def doubt(report: RecordingReport, found: tuple[int, int], damage: Damage, missing_s: float) -> str:
    """Warnings for the user, if there are any.

    Args:
        damage: the packets that were skipped.
        missing_s: how much less sound the file has than it states.
    """
    channels, tracks = found
    if not channels:
        return "no audio stream in it"
    doubts = [f"the first of its {tracks} sound tracks is read"] if tracks > 1 else []
    if missing_s > max(MISSING_S, MISSING * report.seconds):
        doubts.append(f"{missing_s:.0f} s less sound than the file states: is it complete?")
    if damage.packets:
        skipped = f"{damage.packets} damaged packets of audio skipped"
        doubts.append(f"{skipped}: times after them may be early")
    elif report.has_words and not report.words:
        doubts.append("no word recognised in it")
    return "; ".join(doubts)
