"""std-index's command line."""

import argparse

from indexer.reading_arguments import add_reading_options, add_recording_options
from std.command import (
    file_argument,
    folder_argument,
    text_argument,
)
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
        help="take these recordings out of the index, as INPUT replaces them; their metadata stay",
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
