"""std-index's command line: the parser, and the options of the inputs."""

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from indexer import FORMAT_NAMES, installed_formats
from std.command import (
    encoding_argument,
    file_argument,
    folder_argument,
    number,
    text_argument,
)
from std.errors import meant, quoted
from std.options import (
    QUIET,
    add_config_options,
    add_jobs_option,
    add_progress_option,
    add_row_options,
    add_scheduler_option,
    add_store_option,
)
from std.parser import Parser
from std.ranges import Range

if TYPE_CHECKING:
    from indexer import InputOptions  # --help does not load an array library

FRAME_S = number(Range(0.0001, 10))
CHUNK_S = Range(0.1, 1_000_000)
OFFSET_S = Range(-1_000_000, 1_000_000)
SCALE = number(Range(0, 1000))
EXAMPLE = """\
examples:
  std-index networks/*.mesh --store INDEX --ecf ecf.xml
  std-index interviews/*.json --store INDEX --language Danish
  std-index azure --store INDEX --name-by path
  std-index networks --store INDEX --metadata recordings.csv
  std-index networks --dry-run
  std-index discs.ctm --store INDEX --chunks 4440
  std-index --store INDEX --watch incoming --metadata recordings.csv
  std-index query_networks --queries-to queries.json
  std-index networks --store SHARD_1 --store SHARD_2 --scheduler tcp://host:8786
"""
NUMBER = re.compile(r"[-+]?[\d.]+(?:[eE][-+]?\d+)?")
MOVED = {  # options of 1.0.0
    "--list": "std-store list INDEX",
    "--where": "std-store list INDEX --where CONDITION",
    "--recording": "std-store list INDEX --recording PATTERN",
    "--delete": "std-store delete INDEX RECORDING (or, beside its new INPUT, --replace RECORDING)",
    "--merge": "std-store merge INDEX",
    "--verify": "std-store verify INDEX",
    "--clean-up": "std-store clean-up INDEX",
}


def parser() -> Parser:
    """The options in the order in which ``--help`` lists them."""
    parse = Parser(
        prog="std-index",
        description="Index a recogniser's output, so that std-search can find spoken terms in it.",
        epilog=EXAMPLE,
        moved=MOVED,
    )
    parse.add_argument(
        "input", nargs="*", type=file_argument, metavar="INPUT", help="files or folders"
    )
    add_store_option(parse, required=False)
    add_recording_options(parse)
    _add_modes(parse)
    add_jobs_option(parse)
    parse.add_argument("--keep-going", action="store_true", help="skip files that cannot be read")
    parse.add_argument("--quiet", action="store_true", help=QUIET)
    parse.add_argument(
        "--verbose", action="store_true", help="name all files that are skipped or hold no word"
    )
    add_reading_options(parse)
    _add_query_options(parse.further("spoken queries"))
    settings = parse.further("settings")
    add_config_options(settings)
    add_scheduler_option(settings)
    add_progress_option(settings)
    add_row_options(parse, "--dry-run", "everything else", further=True)
    return parse


def add_reading_options(parse: Parser) -> None:
    """The options of inputs and audio."""
    _add_audio_options(parse.further("audio and sound of the recordings"))
    _add_text_options(parse.further("how texts are read"))
    _add_kaldi_options(parse.further("files and frames of Kaldi and others"))
    _add_lattice_options(parse.further("how lattices become slots"))


def format_argument(text: str) -> str:
    """The name of a format."""
    if text not in ("auto", *FORMAT_NAMES) and text not in (others := installed_formats()):
        near = meant(text, (*FORMAT_NAMES, *others), most=3)
        raise argparse.ArgumentTypeError(f"expected a format, got {quoted(text)}{near}")
    return text


def chunks_argument(text: str) -> Path | float:
    """The starts of the parts of recordings: a length in seconds, or a file."""
    return _number_or_file(text, CHUNK_S)


def offset_argument(text: str) -> Path | float:
    """The delay of words after their sound: seconds, or a file."""
    return _number_or_file(text, OFFSET_S)


def _number_or_file(text: str, allowed: Range) -> Path | float:
    try:
        return allowed.read(text)
    except ValueError as error:
        if NUMBER.fullmatch(text.lstrip("-")):
            raise argparse.ArgumentTypeError(str(error)) from error
        return file_argument(text)


def add_recording_options(parse: Parser) -> None:
    """The options of names and metadata."""
    add = parse.add_argument
    add(
        "--name-by",
        choices=["stem", "path", "content"],
        help="name recordings after the file's name, its path, or its content (Azure's source, "
        "AWS's job name); default: the content if it has a name, else the file's stem",
    )
    add(
        "--format", default="auto", type=format_argument,
        help="format of the input: auto (detect it for each file), a format that another package "
        f"reads, or one of {', '.join(FORMAT_NAMES)}",
    )  # fmt: skip
    add(
        "--metadata",
        type=file_argument,
        metavar="FILE",
        help="CSV or JSON with title, date, speaker, language, audio, ... of recordings, also of "
        "those that are indexed already",
    )
    add(
        "--language",
        type=text_argument,
        metavar="NAME",
        help="language of all these recordings: German, de, deu; default: from metadata, ECF, "
        "input or words",
    )
    add(
        "--ecf",
        type=file_argument,
        metavar="XML",
        help="durations and languages of the recordings",
    )
    add(
        "--speakers",
        type=file_argument,
        metavar="RTTM",
        help="who spoke when (a diarisation); a word belongs to the speaker whose turn it is in",
    )


def _add_audio_options(group: "argparse._ArgumentGroup") -> None:
    """The options of audio files and of the phone layer."""
    group.add_argument(
        "--learn-phones",
        choices=["auto", "no"],
        default="auto",
        help="recognise phones where recordings have sound (NAME.sound beside INPUT), by a layer "
        "learned from their words; default: auto",
    )
    group.add_argument(
        "--audio",
        type=folder_argument,
        metavar="FOLDER",
        help="the folder of all audio files: each recording keeps which is its own; without INPUT, "
        "all recordings of the index",
    )


def _add_modes(parse: Parser) -> None:
    """The options of replacing, and of actions other than indexing."""
    add = parse.add_argument
    add(
        "--replace",
        nargs="+",
        action="extend",
        type=text_argument,
        default=[],
        metavar="RECORDING",
        help="delete these recordings first, because INPUT replaces them; their metadata stay",
    )
    modes = parse.add_mutually_exclusive_group()
    modes.add_argument(
        "--dry-run",
        action="store_true",
        help="read INPUT, list format, utterances and recordings of each file, write nothing",
    )
    modes.add_argument(
        "--watch",
        type=folder_argument,
        metavar="FOLDER",
        help="index files that appear in a folder, until stopped",
    )
    modes.add_argument(
        "--queries-to",
        type=file_argument,
        metavar="JSON",
        help="read INPUT as recogniser output of spoken queries, for std-search --queries; each "
        "recording is an example of a query (tomato, tomato.1, tomato_2: of one query)",
    )


def _add_text_options(group: "argparse._ArgumentGroup") -> None:
    """The options of texts and repairs."""
    add = group.add_argument
    add(
        "--chunks",
        type=chunks_argument,
        metavar="S|FILE",
        help="if times count from 0 in each part of a recording: the length of the parts, or a "
        "file with lines of RECORDING START START ...",
    )
    add(
        "--clock-offset",
        type=offset_argument,
        metavar="S|FILE",
        help="how far words stand behind their sound, as std-store verify says; it is taken off "
        "their times; or a file with lines of RECORDING S",
    )
    add(
        "--encoding",
        type=encoding_argument,
        metavar="NAME",
        help="encoding of texts in an old code page: cp1250, mac_roman, shift_jis, ...; default: "
        "detected by their letters",
    )
    add(
        "--strict",
        action="store_true",
        help="refuse a file with an impossible value (an end before its start, a confidence of "
        "NaN, broken letters); default: repair it by rule, and report it",
    )
    add(
        "--keep-nonwords",
        action="store_true",
        help="index (laughs), [Music], %%HESITATION and the like as if they were words",
    )
    add(
        "--speaker-names",
        choices=["auto", "keep", "drop"],
        default="auto",
        help="names at the beginning of captions, as in Anna: hello: auto decides by the whole "
        "file whether they are speakers, keep indexes them as words, drop takes all that look like "
        "names as speakers",
    )
    add(
        "--tier",
        action="append",
        default=[],
        type=text_argument,
        metavar="NAME",
        help="read these tiers of ELAN and Praat files, * stands for any letters; "
        "default: tiers that look like speech; the summary names them",
    )


def _add_kaldi_options(group: "argparse._ArgumentGroup") -> None:
    """The options of further files of an input."""
    add = group.add_argument
    add(
        "--sound",
        type=folder_argument,
        metavar="FOLDER",
        help="files of frames of std-recognise (NAME.sound); without it those beside INPUT",
    )
    add(
        "--segments",
        type=file_argument,
        help="recording and times of utterances (Kaldi, or utts.tsv)",
    )
    add("--words", type=file_argument, help="Kaldi's words.txt")
    add("--times", type=file_argument, help="slot times of Kaldi sausages")
    add("--one-best", type=file_argument, metavar="CTM", help="times for meshes without times")
    add("--frame-shift", type=FRAME_S, default=0.01, metavar="S", help="0.01; chain models: 0.03")


def _add_lattice_options(group: "argparse._ArgumentGroup") -> None:
    """The options of lattices."""
    add = group.add_argument
    add("--acoustic-scale", type=SCALE, help="scale for lattices, instead of the file's")
    add("--lm-scale", type=SCALE, help="scale for lattices, instead of the file's")
    add(
        "--word-on",
        choices=["auto", "link", "source", "target"],
        default="auto",
        help="where HTK lattices have their words",
    )
    add(
        "--lattice-method",
        choices=["mbr", "pivot"],
        default="mbr",
        help="minimum Bayes risk, or the faster and rougher pivot alignment",
    )


def _add_query_options(group: "argparse._ArgumentGroup") -> None:
    """The options of spoken queries."""
    add = group.add_argument
    add(
        "--query-examples",
        type=file_argument,
        metavar="CSV",
        help="query,recording[,start_s,end_s]: recordings, or parts of them, of each query",
    )
    add(
        "--query-recognition",
        type=file_argument,
        action="append",
        default=[],
        metavar="JSON",
        help="output of std-recognise --json for the queries: its CPU time is added to the "
        "search's; repeatable",
    )


def require_each_once(args: argparse.Namespace) -> None:
    """Refuse a pipe that would be read twice."""
    from std.distinct import require_distinct

    named_files = {"INPUT": args.input, "--segments": args.segments, "--words": args.words}
    named_files |= {"--times": args.times, "--one-best": args.one_best, "--ecf": args.ecf}
    named_files["--speakers"] = args.speakers
    for name, value in (("--chunks", args.chunks), ("--clock-offset", args.clock_offset)):
        named_files[name] = value if isinstance(value, Path) else None
    require_distinct(
        named_files | {"--config": args.config, "--metadata": args.metadata}, {}, args.store or ()
    )


def input_options(args: argparse.Namespace) -> "InputOptions":
    """The options of inputs from a command line."""
    from indexer import InputOptions

    return InputOptions(
        input_format=args.format,
        name_by=args.name_by,
        segments=args.segments,
        words=args.words,
        times=args.times,
        one_best=args.one_best,
        frame_shift_s=args.frame_shift,
        acoustic_scale=args.acoustic_scale,
        lm_scale=args.lm_scale,
        word_on=args.word_on,
        lattice_method=args.lattice_method,
        keep_nonwords=args.keep_nonwords,
        speaker_names=args.speaker_names,
        speakers=args.speakers,
        learn_phones=args.learn_phones == "auto",
        strict=args.strict,
        chunks=args.chunks,
        clock_offset=args.clock_offset,
        sound=args.sound,
        encoding=args.encoding,
        tiers=tuple(args.tier),
    )
