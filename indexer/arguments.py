"""std-index's command line: the parser, what does not go together, what it says of the inputs."""

import argparse
from typing import TYPE_CHECKING

from indexer import FORMAT_NAMES
from std.command import (
    encoding_argument,
    file_argument,
    folder_argument,
    number,
    text_argument,
)
from std.errors import quoted
from std.nearest import meant
from std.options import (
    add_config_options,
    add_jobs_option,
    add_progress_options,
    add_row_options,
    add_scheduler_option,
    add_store_option,
)
from std.parser import Parser
from std.ranges import Range

if TYPE_CHECKING:
    from indexer import InputOptions  # --help loads no array library

FRAME_S = number(Range(0.0001, 10))
SCALE = number(Range(0, 1000))
EXAMPLE = """\
examples:
  std-index networks/*.mesh --store INDEX --ecf ecf.xml
  std-index interviews/*.json --store INDEX --language Danish
  std-index azure --store INDEX --name-by path
  std-index networks --store INDEX --metadata recordings.csv
  std-index networks --dry-run
  std-index --store INDEX --watch incoming --metadata recordings.csv
  std-index query_networks --queries-to queries.json
  std-index networks --store SHARD_1 --store SHARD_2 --scheduler tcp://host:8786
"""
MOVED = {  # options of 1.0.0
    "--list": "std-store list INDEX",
    "--where": "std-store list INDEX --where CONDITION",
    "--recording": "std-store list INDEX --recording PATTERN",
    "--delete": "std-store delete INDEX RECORDING (or, beside its new INPUT, --replace RECORDING)",
    "--merge": "std-store merge INDEX",
    "--verify": "std-store verify INDEX",
    "--clean-up": "std-store clean-up INDEX",
}


def parser() -> argparse.ArgumentParser:
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
    add_format_options(parse)
    add_lattice_options(parse)
    add_recording_options(parse)
    add_run_options(parse)
    add_output_options(parse)
    return parse


def format_argument(text: str) -> str:
    """The name of a format."""
    if text not in ("auto", *FORMAT_NAMES):
        near = meant(text, FORMAT_NAMES, most=3)
        raise argparse.ArgumentTypeError(f"expected a format, got {quoted(text)}{near}")
    return text


def add_format_options(parse: argparse.ArgumentParser) -> None:
    """What names recordings, and what an input needs beside itself to be read."""
    parse.add_argument(
        "--name-by",
        choices=["stem", "path", "content"],
        help="what names recordings: the file's name, its path, or its content (Azure's source, "
        "AWS's job name); default: the content, and where it names none the file's stem",
    )
    parse.add_argument(
        "--format", default="auto", type=format_argument,
        help=f"of the input; auto, which looks into each file, or one of {', '.join(FORMAT_NAMES)}",
    )  # fmt: skip
    parse.add_argument(
        "--encoding",
        type=encoding_argument,
        metavar="NAME",
        help="of texts that are in an old code page: cp1250, mac_roman, shift_jis, ...; default: "
        "told by their letters",
    )
    parse.add_argument(
        "--segments", type=file_argument, help="where utterances lie (Kaldi, or utts.tsv)"
    )
    parse.add_argument("--words", type=file_argument, help="Kaldi's words.txt")
    parse.add_argument("--times", type=file_argument, help="slot times of Kaldi sausages")
    parse.add_argument(
        "--one-best", type=file_argument, metavar="CTM", help="times for meshes that have none"
    )
    parse.add_argument(
        "--frame-shift", type=FRAME_S, default=0.01, metavar="S", help="0.03 for chain models"
    )


def add_lattice_options(parse: argparse.ArgumentParser) -> None:
    """How lattices become slots."""
    parse.add_argument("--acoustic-scale", type=SCALE, help="of lattices, instead of the file's")
    parse.add_argument("--lm-scale", type=SCALE, help="of lattices, instead of the file's")
    parse.add_argument(
        "--word-on",
        choices=["auto", "link", "source", "target"],
        default="auto",
        help="where the words of HTK lattices stand",
    )
    parse.add_argument(
        "--lattice-method",
        choices=["mbr", "pivot"],
        default="mbr",
        help="minimum Bayes risk, or the faster and rougher pivot alignment",
    )


def add_recording_options(parse: argparse.ArgumentParser) -> None:
    """Which words count, and what is known of the recordings."""
    parse.add_argument(
        "--keep-nonwords",
        action="store_true",
        help="index (laughs), [Music], %%HESITATION and the like as if they were words",
    )
    parse.add_argument(
        "--speaker-names",
        choices=["auto", "keep", "drop"],
        default="auto",
        help="names before what captions say, as in Anna: hello, are speakers: auto tells them "
        "from speech by the whole file; keep indexes them as words, drop takes all that look like "
        "a name",
    )
    parse.add_argument(
        "--speakers",
        type=file_argument,
        metavar="RTTM",
        help="who spoke when (a diarisation): words are said by whose turn they are in",
    )
    parse.add_argument(
        "--tier",
        action="append",
        default=[],
        type=text_argument,
        metavar="NAME",
        help="read these tiers of ELAN and Praat files, * stands for any letters; "
        "default: those that can be speech, which the summary names",
    )
    parse.add_argument(
        "--ecf",
        type=file_argument,
        metavar="XML",
        help="the recordings' true durations, and languages",
    )
    parse.add_argument(
        "--metadata",
        type=file_argument,
        metavar="FILE",
        help="CSV or JSON with title, date, speaker, language, audio, ... of recordings, also of "
        "those that are indexed already",
    )
    parse.add_argument(
        "--language",
        type=text_argument,
        metavar="NAME",
        help="of all these recordings: German, de, deu; else by metadata, ECF, input, words",
    )


def add_run_options(parse: argparse.ArgumentParser) -> None:
    """Where the work is done, and what is done instead of indexing INPUT."""
    add_jobs_option(parse)
    add_scheduler_option(parse)
    parse.add_argument(
        "--replace",
        nargs="+",
        action="extend",
        type=text_argument,
        default=[],
        metavar="RECORDING",
        help="take these recordings out first, because INPUT has them now; their metadata stay",
    )
    modes = parse.add_mutually_exclusive_group()
    modes.add_argument(
        "--dry-run",
        action="store_true",
        help="read INPUT, name format, utterances and recordings of each file, write nothing",
    )
    modes.add_argument(
        "--watch",
        type=folder_argument,
        metavar="FOLDER",
        help="index what appears in a folder, until stopped",
    )
    add_query_options(parse, modes)


def add_query_options(
    parse: argparse.ArgumentParser, modes: "argparse._MutuallyExclusiveGroup"
) -> None:
    """Spoken queries, which are read and not indexed."""
    modes.add_argument(
        "--queries-to",
        type=file_argument,
        metavar="JSON",
        help="read INPUT as recogniser output of spoken queries, for std-search --queries; a "
        "recording is an example of the query of its name (tomato, tomato.1, tomato_2: one query)",
    )
    parse.add_argument(
        "--query-examples",
        type=file_argument,
        metavar="CSV",
        help="query,recording[,start_s,end_s]: which recordings, or parts, are which query",
    )
    parse.add_argument(
        "--query-recognition",
        type=file_argument,
        action="append",
        default=[],
        metavar="JSON",
        help="what std-recognise --json printed of the queries: its CPU time is part of the "
        "search's; repeatable",
    )


def add_output_options(parse: argparse.ArgumentParser) -> None:
    """What happens on errors, the configuration, and what is printed."""
    parse.add_argument("--keep-going", action="store_true", help="index what can be read")
    parse.add_argument(
        "--strict",
        action="store_true",
        help="refuse a file with a value that cannot be (an end before its start, a confidence of "
        "NaN, broken letters); default: repair it by rule, and report it",
    )
    add_config_options(parse)
    add_row_options(parse, "--dry-run", "everything else")
    add_progress_options(parse)
    parse.add_argument(
        "--verbose", action="store_true", help="name all files that are skipped or hold no word"
    )


def misuse(args: argparse.Namespace) -> str:
    """What is wrong with a combination of options; empty if nothing is."""
    instead = args.dry_run or args.watch or args.queries_to
    wrong = {
        "--query-examples needs --queries-to": args.query_examples and not args.queries_to,
        "--query-recognition needs --queries-to": args.query_recognition and not args.queries_to,
        "--queries-to needs INPUT files and no --store: nothing is indexed": (
            args.queries_to and (args.store or not args.input)
        ),
        "--dry-run needs INPUT files": args.dry_run and not args.input,
        "--watch takes its files from its folder: expected no INPUT": args.watch and args.input,
        "--replace needs INPUT files that are indexed": (
            args.replace and (instead or not args.input)
        ),
        "--csv, --nl and --fmt are forms of --dry-run": (
            (args.csv or args.nl or args.fmt) and not args.dry_run
        ),
        "the following arguments are required: --store": (
            not args.store and not (args.dry_run or args.queries_to)
        ),
        "expected INPUT files, --metadata or --watch": (
            not (args.input or args.metadata or args.watch)
        ),
    }
    return next((message for message, holds in wrong.items() if holds), "")


def require_each_once(args: argparse.Namespace) -> None:
    """Refuse a pipe that would be read twice."""
    from std.distinct import require_distinct

    named_files = {"INPUT": args.input, "--segments": args.segments, "--words": args.words}
    named_files |= {"--times": args.times, "--one-best": args.one_best, "--ecf": args.ecf}
    named_files["--speakers"] = args.speakers
    require_distinct(
        named_files | {"--config": args.config, "--metadata": args.metadata}, {}, args.store or ()
    )


def input_options(args: argparse.Namespace) -> "InputOptions":
    """How inputs are read, as the command line says."""
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
        strict=args.strict,
        encoding=args.encoding,
        tiers=tuple(args.tier),
    )
