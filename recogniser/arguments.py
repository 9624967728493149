"""std-recognise's command line: the parser, and the options that it asks for."""

import argparse
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from std.command import JOBS, file_argument, folder_argument, number, text_argument
from std.errors import ConfigError
from std.options import (
    add_jobs_option,
    add_json_option,
    add_progress_options,
    add_scheduler_option,
)
from std.parser import Parser
from std.ranges import Range

if TYPE_CHECKING:  # --help loads no array library
    from recogniser import RecognitionOptions

COMMAND = "std-recognise"
WINDOW_S = number(Range(5, 29))
FRAME_SHIFT_S = number(Range(0.001, 1))
COUNT = number(Range(0, 100, whole=True))
BEAM = number(Range(1, 100, whole=True))
EXAMPLE = """\
examples:
  std-recognise interviews/*.mp3 --output NETWORKS --model small.en
  std-recognise radio --output NETWORKS --model large-v3 --language de --jobs 4
  std-recognise /shared/radio --output /shared/NETWORKS --scheduler tcp://host:8786
  std-recognise call.wav --output NETWORKS --channels split --hotwords names.txt
  std-recognise radio --output NETWORKS_2 --listen-again again.csv --earlier NETWORKS
  std-recognise village --output NETWORKS --sound-only --encoder small
  std-recognise frames/ --output NETWORKS --frames 0.02 --encoder hubert-9
  std-index NETWORKS --store INDEX --ecf NETWORKS/ecf.xml

The same command continues after an interruption. Exit status 1: some recordings could not be read
(one line each); the others are complete.
"""


def parser() -> argparse.ArgumentParser:
    """The options in the order in which ``--help`` lists them."""
    parse = Parser(
        prog=COMMAND,
        description="Recognise recordings and write confusion networks (the likeliest words and "
        "their alternatives), which std-index indexes.",
        epilog=EXAMPLE,
    )
    parse.add_argument(
        "audio", nargs="+", type=file_argument, metavar="AUDIO", help="files (audio, video) or "
        "folders"
    )  # fmt: skip
    parse.add_argument(
        "--output",
        required=True,
        type=folder_argument,
        metavar="NETWORKS",
        help="folder for the networks",
    )
    _add_usual_options(parse)
    _add_sound(parse.further("sound: for query by example, phones heard, and term discovery"))
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
        help="words that may occur, one a line, as std-search --oov-lexicon writes them; adds a "
        "beam search",
    )
    parse.add_argument(
        "--channels",
        choices=["mix", "split"],
        default="mix",
        help="split: recognise each channel separately, as in telephone calls",
    )
    parse.add_argument(
        "--name-by",
        choices=["stem", "path"],
        default="stem",
        help="name recordings after the name or the path of the file",
    )
    add_jobs_option(parse, meaning="recordings at once")
    add_scheduler_option(parse)
    parse.add_argument(
        "--ecf", type=file_argument, metavar="XML", help="file for the ECF (NETWORKS/ecf.xml)"
    )
    parse.add_argument(
        "--text", action="store_true", help="also write NAME.txt and NAME.json (Whisper's form)"
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
        help="also write NAME.sound, the frames of Whisper's encoder: their signs (5.8 MB an hour; "
        "default), or exact numbers",
    )
    group.add_argument(
        "--sound-only", action="store_true", help="sound without words: any language"
    )
    group.add_argument(
        "--encoder",
        default="",
        metavar="NAME|FOLDER",
        help="Whisper model that makes the frames (default: --model), or hama (phones, extra "
        "hama); with --frames the name of the encoder that made them",
    )
    group.add_argument(
        "--frames",
        type=FRAME_SHIFT_S,
        metavar="S",
        help="AUDIO are frames or probabilities of phones that another program made, S seconds "
        "apart: .npz, .npy, Kaldi's archives as text; needs --encoder",
    )


def _add_again(group: "argparse._ArgumentGroup") -> None:
    """The options for listening again."""
    group.add_argument(
        "--listen-again",
        type=file_argument,
        metavar="CSV",
        help="recognise again only the windows of these stretches, with the words that were "
        "searched there (std-search --listen-again writes them); copy all others from --earlier",
    )
    group.add_argument(
        "--earlier",
        type=folder_argument,
        metavar="NETWORKS",
        help="folder of the earlier networks; it is not changed",
    )


def _add_details(details: "argparse._ArgumentGroup") -> None:
    """How a recording is cut and decoded."""
    details.add_argument(
        "--samples", type=COUNT, default=15, metavar="N", help="number of sampled transcripts (15)"
    )
    details.add_argument("--beam", type=BEAM, default=5, metavar="N", help="beam size (5)")
    details.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    details.add_argument(
        "--compute", default="default", metavar="TYPE", help="int8, float32, float16 ..."
    )
    details.add_argument(
        "--window",
        dest="longest_s",
        type=WINDOW_S,
        default=0.0,
        metavar="S",
        help="longest window in seconds (default: the longest that the recogniser takes; "
        "Whisper: 28)",
    )
    details.add_argument(
        "--vad",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="find pauses by voice activity detection, or (--no-vad) by loudness",
    )
    details.add_argument(
        "--threads", type=JOBS, default=1, help="CPU threads per recording (changes the output)"
    )


def options_of(args: argparse.Namespace) -> "RecognitionOptions":
    """The options that determine the output."""
    from recogniser import Again, RecognitionOptions, read_hotwords, read_stretches

    if bool(args.listen_again) != bool(args.earlier):
        raise ConfigError("--listen-again and --earlier go together")
    if args.sound_only and not args.sound:
        args.sound = "signs"
    if args.encoder and not args.sound:
        raise ConfigError("--encoder: expected --sound or --sound-only beside it")
    names = [one.name for one in fields(RecognitionOptions)]
    given: dict[str, Any] = {name: getattr(args, name, None) for name in names}
    given["words"] = not args.sound_only
    given["again"] = (
        Again(args.earlier, read_stretches(args.listen_again)) if args.earlier else None
    )
    given["hotwords"] = read_hotwords(args.hotwords) if args.hotwords else ()
    return RecognitionOptions(**given)
