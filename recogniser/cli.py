"""std-recognise: audio in, confusion networks out, for std-index."""

import argparse
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from std.command import (
    JOBS,
    file_argument,
    folder_argument,
    number,
    peak_memory_gb,
    print_json,
    run,
    say,
    tell,
    text_argument,
    warn,
)
from std.display.numbers import counted
from std.errors import ConfigError
from std.execution.cost import Cost, Stopwatch
from std.options import add_jobs_option, add_json_option, add_progress_options
from std.parser import Parser
from std.ranges import Range

if TYPE_CHECKING:  # --help loads no array library
    from recogniser import RecogniseReport, RecognitionOptions, RecordingReport, Watcher

COMMAND = "std-recognise"
WINDOW_S = number(Range(5, 29))
FRAME_SHIFT_S = number(Range(0.001, 1))
COUNT = number(Range(0, 100, whole=True))
BEAM = number(Range(1, 100, whole=True))
SOME_FAILED, STOPPED = 1, 130
EXAMPLE = """\
examples:
  std-recognise interviews/*.mp3 --output NETWORKS --model small.en
  std-recognise radio --output NETWORKS --model large-v3 --language de --jobs 4
  std-recognise call.wav --output NETWORKS --channels split --hotwords names.txt
  std-recognise radio --output NETWORKS_2 --listen-again again.csv --earlier NETWORKS
  std-recognise village --output NETWORKS --sound-only --encoder small
  std-recognise frames/ --output NETWORKS --frames 0.02 --encoder hubert-9
  std-index NETWORKS --store INDEX --ecf NETWORKS/ecf.xml

The same command goes on where it was stopped, or killed. Exit status 1: some recordings could not
be read, one line each; the others are there.
"""


def parser() -> argparse.ArgumentParser:
    """The options in the order in which ``--help`` lists them."""
    parse = Parser(
        prog=COMMAND,
        description="Turn recordings into confusion networks: what was said, and what else may "
        "have been. std-index indexes them.",
        epilog=EXAMPLE,
    )
    parse.add_argument(
        "audio", nargs="+", type=file_argument, metavar="AUDIO", help="files (audio, video) or "
        "folders"
    )  # fmt: skip
    parse.add_argument(
        "--output", required=True, type=folder_argument, metavar="NETWORKS", help="folder"
    )
    _add_usual_options(parse)
    _add_sound(parse.further("sound: what std-search --by sound needs"))
    _add_again(parse.further("listening again"))
    _add_details(parse.further("details of recognition"))
    return parse


def _add_usual_options(parse: Parser) -> None:
    """The recogniser, and what it writes."""
    parse.add_argument(
        "--backend", choices=["whisper", "pocketsphinx"], default="whisper", help="recogniser"
    )
    parse.add_argument(
        "--model",
        default="",
        metavar="NAME|FOLDER",
        help="model of faster-whisper: tiny ... large-v3 (default: small.en; downloaded to "
        "~/.cache/huggingface unless HF_HUB_OFFLINE=1), or a folder with a model of CTranslate2",
    )
    parse.add_argument(
        "--language",
        default="auto",
        type=text_argument,
        metavar="CODE",
        help="en, de ...; auto: detect it in the first windows with speech of each recording",
    )
    parse.add_argument(
        "--hotwords",
        type=file_argument,
        metavar="FILE",
        help="words that may occur, one a line (std-search --oov-lexicon writes some); adds a "
        "beam search",
    )
    parse.add_argument(
        "--channels",
        choices=["mix", "split"],
        default="mix",
        help="split: recognise each channel by itself, as for telephone calls",
    )
    parse.add_argument(
        "--name-by", choices=["stem", "path"], default="stem", help="name recordings after this"
    )
    add_jobs_option(parse, meaning="recordings at once")
    parse.add_argument("--ecf", type=file_argument, metavar="XML", help="default: NETWORKS/ecf.xml")
    parse.add_argument(
        "--text", action="store_true", help="also NAME.txt and NAME.json (Whisper's form)"
    )
    parse.add_argument(
        "--keep-going", action="store_true", help="no effect: broken files are always skipped"
    )
    add_json_option(parse)
    add_progress_options(parse)


def _add_sound(group: "argparse._ArgumentGroup") -> None:
    """The options of the encoder's frames."""
    group.add_argument(
        "--sound",
        nargs="?",
        const="signs",
        choices=["signs", "exact"],
        help="also NAME.sound, the frames of Whisper's encoder: their signs (5.8 MB an hour; "
        "default), or exact numbers",
    )
    group.add_argument("--sound-only", action="store_true", help="no words: speech of any language")
    group.add_argument(
        "--encoder",
        default="",
        metavar="NAME|FOLDER",
        help="Whisper model that makes the frames (default: --model); with --frames any name",
    )
    group.add_argument(
        "--frames",
        type=FRAME_SHIFT_S,
        metavar="S",
        help="AUDIO are frames or probabilities of phones that another program made, S seconds "
        "apart: .npz, .npy, Kaldi's archives as text; --encoder names what made them",
    )


def _add_again(group: "argparse._ArgumentGroup") -> None:
    """The options for listening again."""
    group.add_argument(
        "--listen-again",
        type=file_argument,
        metavar="CSV",
        help="listen only to the windows of these stretches, told of the words that are searched "
        "there (std-search --listen-again writes them); the rest is taken from --earlier",
    )
    group.add_argument(
        "--earlier",
        type=folder_argument,
        metavar="NETWORKS",
        help="folder of the earlier networks, which stays as it is",
    )


def _add_details(details: "argparse._ArgumentGroup") -> None:
    """How a recording is cut and decoded."""
    details.add_argument("--samples", type=COUNT, default=15, metavar="N", help="number of draws")
    details.add_argument("--beam", type=BEAM, default=5, metavar="N", help="beam size")
    details.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    details.add_argument(
        "--compute", default="default", metavar="TYPE", help="int8, float32, float16 ..."
    )
    details.add_argument(
        "--window",
        type=WINDOW_S,
        default=0.0,
        metavar="S",
        help="longest window (default: the longest that the recogniser takes, Whisper 28)",
    )
    details.add_argument(
        "--vad",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="cut by voice activity detection; without: by loudness",
    )
    details.add_argument(
        "--threads", type=JOBS, default=1, help="CPU threads per recording (changes the output)"
    )


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
                name_by=args.name_by,
                ecf=args.ecf,
                with_text=args.text,
                watcher=watcher,
                stopping=stopping,
            )
        except StoppedError:
            say(COMMAND, "stopped; the same command goes on there")
            return STOPPED
    if args.json:
        print_json(figures(report, started.cost(), args.jobs))
    if not args.quiet:
        tell_summary(report, started.cost(), args)
    return SOME_FAILED if report.failures else 0


def keep(args: argparse.Namespace) -> int:
    """Store frames that another program made and report."""
    started = Stopwatch()
    from recogniser import keep_frames

    if not args.encoder:
        raise ConfigError("--frames: expected --encoder with a name for what made them, got none")
    report = keep_frames(
        args.audio,
        args.output,
        encoder=args.encoder,
        frame_shift_s=args.frames,
        kept=args.sound or "signs",
        ecf=args.ecf,
    )
    if args.json:
        print_json(figures(report, started.cost(), jobs=1))
    if not args.quiet:
        tell_summary(report, started.cost(), args)
    return 0


def options_of(args: argparse.Namespace) -> "RecognitionOptions":
    """The options that determine the output."""
    from recogniser import Again, RecognitionOptions, read_hotwords, read_stretches

    if bool(args.listen_again) != bool(args.earlier):
        raise ConfigError("--listen-again and --earlier go together")
    if args.sound_only and not args.sound:
        args.sound = "signs"
    if args.encoder and not args.sound:
        raise ConfigError("--encoder: expected --sound or --sound-only beside it")
    return RecognitionOptions(
        words=not args.sound_only,
        sound=args.sound,
        encoder=args.encoder,
        backend=args.backend,
        model=args.model,
        language=args.language,
        samples=args.samples,
        beam=args.beam,
        longest_s=args.window,
        vad=args.vad,
        device=args.device,
        compute=args.compute,
        threads=args.threads,
        channels=args.channels,
        again=Again(args.earlier, read_stretches(args.listen_again)) if args.earlier else None,
        hotwords=read_hotwords(args.hotwords) if args.hotwords else (),
    )


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


@contextmanager
def _watched(args: argparse.Namespace) -> Iterator["Watcher"]:
    """Lines about recordings, and on a terminal a bar with the time left."""
    from recogniser import Watcher
    from recogniser.progress import recognition_bar

    def done(report: "RecordingReport") -> None:
        bar.finish_one()
        if report.warning:
            warn(COMMAND, f"{report.file}: {report.warning}")
        if not args.quiet:
            tell(line_of(report))

    def failed(reason: str) -> None:
        bar.finish_one()
        say(COMMAND, reason)

    with recognition_bar(quiet=args.quiet) as bar:
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
        "audio_seconds": round(audio_s, 3),
        **cost._asdict(),
        "times_real_time": audio_s / cost.seconds if cost.seconds else None,
        "ecf": str(report.ecf),
        "peak_memory_gb": peak_memory_gb(workers=jobs),
    }


def tell_summary(report: "RecogniseReport", cost: Cost, args: argparse.Namespace) -> None:
    """The summary, and the next command."""
    audio_s = sum(one.seconds for one in report.recordings)
    already = f", {len(report.already)} finished before" if report.already else ""
    failed = f", {len(report.failures)} failed" if report.failures else ""
    speed = audio_s / cost.seconds if cost.seconds else 0.0
    tell(
        f"{counted(len(report.recordings), 'recording')}{already}{failed}; "
        f"{audio_s / 60:.1f} min of audio in {cost}, {speed:.1f} times real time, "
        f"peak memory {peak_memory_gb(workers=args.jobs):.2f} GB -> {args.output}"
    )
    if not report.failures and Path(report.ecf).exists():
        tell(f"next: std-index {args.output} --store INDEX --ecf {report.ecf}")


if __name__ == "__main__":
    sys.exit(main())
