"""std-recognise: audio in, confusion networks out, for std-index."""

import argparse
import shlex
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recogniser.arguments import COMMAND, options_of, parser
from std.command import peak_memory_gb, print_json, run, say, tell, warn
from std.display.progress import Progress, progress
from std.errors import ConfigError
from std.execution.cost import Cost, Stopwatch
from std.numbers import counted

if TYPE_CHECKING:  # --help loads no array library
    from recogniser import RecogniseReport, RecordingReport, Watcher

SOME_FAILED, STOPPED = 1, 130
NAMED = 3  # recordings to replace, in the advice after a second recognition


def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    return run(COMMAND, lambda: recognise(args))


def recognise(args: argparse.Namespace) -> int:
    """Recognise all unfinished recordings and report."""
    started = Stopwatch()
    from recogniser import StoppedError, Stopping, recognise_files
    from std.distinct import require_distinct

    require_distinct(
        {"--hotwords": args.hotwords, "--listen-again": args.listen_again}, {"--ecf": args.ecf}
    )
    if args.frames:
        return keep(args)
    stopping = Stopping()
    with _stopped_by_signals(stopping), _watched(args) as watcher:
        try:
            report = recognise_files(
                args.audio,
                args.output,
                options_of(args),
                jobs=args.jobs,
                scheduler=args.scheduler,
                name_by=args.name_by,
                ecf=args.ecf,
                with_text=args.text,
                watcher=watcher,
                stopping=stopping,
            )
        except StoppedError:
            say(COMMAND, "stopped; the same command continues there")
            return STOPPED
    if others := report.not_given:
        number = counted(len(others), "recording")
        warn(COMMAND, f"--listen-again: {number} not among the audio, as {others[0]}")
    conclude(args, report, started.cost(), args.jobs)
    return SOME_FAILED if report.failures else 0


def keep(args: argparse.Namespace) -> int:
    """Store frames that another program made and report."""
    started = Stopwatch()
    from recogniser import keep_frames

    if not args.encoder:
        raise ConfigError("--frames: expected --encoder with a name for what made them, got none")
    if args.scheduler is not None:
        raise ConfigError("--frames: expected no --scheduler, as nothing is recognised")
    report = keep_frames(
        args.audio,
        args.output,
        encoder=args.encoder,
        frame_shift_s=args.frames,
        kept=args.sound or "signs",
        ecf=args.ecf,
    )
    conclude(args, report, started.cost(), jobs=1)
    return 0


@contextmanager
def _stopped_by_signals(stopping: Any) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end the run after the current windows; a second one at once."""

    def stop(*_: Any) -> None:
        if stopping.wanted:
            raise KeyboardInterrupt
        stopping.wanted = True
        say(COMMAND, "stopping after the windows under way (again: at once)")

    before = {one: signal.signal(one, stop) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


class RecognitionBar:
    """Counts recordings and seconds, and shows them."""

    def __init__(self, shown: Progress | None = None) -> None:
        self._shown = shown or Progress("", None)
        self._started = time.perf_counter()
        self._recordings = self._finished = 0
        self._planned_s = self._done_s = 0.0

    def plan(self, recordings: int, seconds: float) -> None:
        self._recordings, self._planned_s = recordings, seconds
        self._started = time.perf_counter()

    def advance(self, seconds: float) -> None:
        """Count finished seconds of audio."""
        self._done_s += seconds
        self._show()

    def finish_one(self) -> None:
        self._finished += 1
        self._show()

    def _show(self) -> None:
        label = self.text(time.perf_counter() - self._started)
        self._shown.update(self._done_s, self._planned_s or None, label)

    def text(self, elapsed_s: float) -> str:
        """The text beside the bar."""
        speed = self._done_s / elapsed_s if elapsed_s else 0.0
        return (
            f"{self._finished}/{self._recordings} recordings, "
            f"{self._done_s / 60:.1f}/{self._planned_s / 60:.1f} min, {speed:.1f} x real time"
        )


@contextmanager
def _watched(args: argparse.Namespace) -> Iterator["Watcher"]:
    """Lines about recordings, and on a terminal a bar with the time left."""
    from recogniser import Watcher

    def done(report: "RecordingReport") -> None:
        bar.finish_one()
        if report.warning:
            warn(COMMAND, f"{report.file}: {report.warning}")
        if not args.quiet:
            tell(line_of(report))

    def failed(reason: str) -> None:
        bar.finish_one()
        say(COMMAND, reason)

    with progress("loading the recogniser", None, quiet=args.quiet) as shown:
        bar = RecognitionBar(shown)
        yield Watcher(planned=bar.plan, advanced=bar.advance, done=done, failed=failed)


def line_of(report: "RecordingReport") -> str:
    """One recording, for a person."""
    speed = report.seconds / report.cpu_s if report.cpu_s else 0.0
    if not report.has_words:
        return (
            f"{report.file}: {report.seconds:.1f} s of sound, {report.cpu_s:.1f} s CPU "
            f"({speed:.1f} times real time)"
        )
    parts = [
        f"{report.file}: {report.seconds:.1f} s, {counted(report.words, 'slot')}",
        counted(report.windows, "window") + (f" ({report.silent} silent)" if report.silent else ""),
        f"{report.language}, {report.cpu_s:.1f} s CPU ({speed:.1f} times real time)",
    ]
    if report.poor:
        parts.append(f"{counted(len(report.poor), 'window')} hardly understood")
    if report.resumed_windows:
        parts.append(f"{counted(report.resumed_windows, 'window')} from before")
    return ", ".join(parts)


def figures(report: "RecogniseReport", cost: Cost, jobs: int) -> dict[str, Any]:
    """What ``--json`` prints."""
    audio_s = sum(one.seconds for one in report.recordings)
    return {
        "recordings": [asdict(one) for one in report.recordings],
        "already_finished": [one.file for one in report.already],
        "failures": report.failures,
        "not_given": report.not_given,
        "audio_seconds": round(audio_s, 3),
        **cost._asdict(),
        "times_real_time": audio_s / cost.seconds if cost.seconds else None,
        "ecf": str(report.ecf),
        "peak_memory_gb": peak_memory_gb(workers=jobs),
    }


def conclude(args: argparse.Namespace, report: "RecogniseReport", cost: Cost, jobs: int) -> None:
    """Print the figures for programs, the summary and the next command for people."""
    if args.json:
        print_json(figures(report, cost, jobs))
    if args.quiet:
        return
    audio_s = sum(one.seconds for one in report.recordings)
    already = f", {len(report.already)} finished before" if report.already else ""
    failed = f", {len(report.failures)} failed" if report.failures else ""
    speed = audio_s / cost.seconds if cost.seconds else 0.0
    tell(
        f"{counted(len(report.recordings), 'recording')}{already}{failed}; "
        f"{audio_s / 60:.1f} min of audio in {cost}, {speed:.1f} times real time, "
        f"peak memory {peak_memory_gb(workers=jobs):.2f} GB -> {args.output}"
    )
    if not report.failures and Path(report.ecf).exists():
        every = (*report.already, *report.recordings) if args.listen_again else ()
        again = [shlex.quote(one.file) for one in every]
        replaced = f" --replace {' '.join(again[:NAMED])}" if again else ""
        more = " ..." if len(again) > NAMED else ""
        tell(f"next: std-index {args.output} --store INDEX --ecf {report.ecf}{replaced}{more}")


if __name__ == "__main__":
    sys.exit(main())
