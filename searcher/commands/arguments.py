"""std-search's command line: the parser, and the configuration."""

import argparse

from searcher.commands.output_arguments import (
    add_hit_options,
    add_list_options,
    add_media_options,
    add_word_options,
)
from std.command import ROWS, file_argument, folder_argument, number, text_argument
from std.config import PROBABILITY, SHOWN_FROM
from std.options import (
    QUIET,
    add_config_options,
    add_jobs_option,
    add_progress_option,
    add_row_options,
    add_scheduler_option,
    add_selection_options,
    add_store_option,
)
from std.parser import Parser

PHONES = ("words", "sound", "both")
EXAMPLE = """\
examples:
  std-search --store INDEX "polizei gewalt" burganlagen "*arbeit"
  std-search --store INDEX --inflections haus
  std-search --store INDEX --terms terms.xml --ecf ecf.xml --output hits.xml
  std-search --store INDEX --terms terms.xml --ecf ecf.xml --output hits.xml \\
             --probabilities probabilities.xml
  std-search --store POCKETSPHINX --store WHISPER --fuse "polizei gewalt"
  std-search --store INDEX --where 'date >= 2024-01 and speaker = "Ada"' haushalt
  std-search --store INDEX --unit recording 'polizei AND NOT gewalt date:2013..2015'
  std-search --store INDEX --terms words.txt --csv > hits.csv
  std-search --store INDEX --since LAST --alerts names.xlsx
  std-search --store INDEX haushalt | grep -v KERSTIN_04 | cut -f 2-4
  std-search --store INDEX haushalt --clips clips --audio recordings --srt subtitles
  std-search --store INDEX --phones sound "aurora borealis"
  std-search --store INDEX --like interview@12.3-13.1
  std-search --store INDEX spreewald --like interview@12.3-13.1
  std-search --store INDEX --queries queries.json --ecf ecf.xml --output hits.xml \\
             --examples query_networks
  std-search --store INDEX --explain-query polizeigewalt "robo*"
  std-search --vocabulary words.tsv --set splitting.max_edits=2 --explain-query museenverwaltung
  std-search --store SHARD_1 --store SHARD_2 --scheduler tcp://host:8786 --terms terms.xml ...

exit status: 0 a list was searched, or a TERM was found; 1 no hit of a TERM, or no new hit, has
at least --min-probability (as with grep); 2 an error in options or input, in one line
"""
MOVED = {  # options that std-query had
    "-K": "--set splitting.max_edits=N",
    "-R": "--set splitting.max_ratio=R",
    "--split-method": "--set splitting.method=METHOD",
    "--min-part-length": "--set splitting.min_part_letters=N",
    "--ranking": "--set splitting.ranking=RANKING",
    "--nbest": "--set splitting.nbest=N",
    "--candidates": "--set expansion.candidates=N",
}


def parser() -> Parser:
    """Build the argument parser."""
    parse = Parser(
        prog="std-search",
        description="Find spoken terms in an index made by std-index.",
        epilog=EXAMPLE,
        moved=MOVED,
    )
    _add_input(parse)
    _add_selection(parse)
    add_row_options(parse, "hits")
    add_word_options(parse.further("related forms, and terms inside other words"))
    _add_explaining(parse.further("which words a term is searched as (--explain-query)"))
    _add_example_options(parse.further("audio as a query"))
    _add_query_options(parse.further("spoken queries"))
    add_list_options(parse.further("hit lists, and new hits"))
    add_hit_options(parse.further("recordings, decisions, tables, explanations"))
    add_media_options(parse.further("sound and subtitles of hits (rejected hits are left out)"))
    _add_settings(parse.further("settings and workers"))
    return parse


def _add_input(parse: Parser) -> None:
    """The options of terms and stores."""
    add = parse.add_argument
    add(
        "term",
        nargs="*",
        type=text_argument,
        metavar="TERM",
        help="words to search; the most probable hits come first. * stands for any letters of a "
        "word: robo*, *arbeit, r*t. Or a query: 'polizei AND NOT gewalt', "
        "'\"burg\" NEAR/5s anlage', 'haus speaker:anna date:2013..2015' (docs: search, the query "
        "language)",
    )
    add_store_option(parse, required=False)
    add(
        "--fuse",
        action="store_true",
        help="each --store is another recogniser's index of the same speech: hits at the same "
        "place are combined",
    )
    add(
        "--terms",
        type=file_argument,
        metavar="FILE",
        help="term list to search: XML, a term a line, or a table (CSV, TSV, XLSX) with a column "
        "called term, name, keyword, Begriff or the like",
    )
    add(
        "--ecf",
        type=file_argument,
        metavar="XML",
        help="speech in which a list is searched (default: all of the index)",
    )
    add(
        "--output",
        type=file_argument,
        metavar="XML",
        help="file for the hit list of a term list (default: the hits go to stdout)",
    )


def _add_selection(parse: Parser) -> None:
    """The options of recordings and shown hits."""
    add = parse.add_argument
    add_selection_options(parse, ", and speech of speakers that the index names", verb="search ")
    add(
        "--min-probability",
        type=number(PROBABILITY),
        metavar="P",
        help=f"least probability of a hit ({SHOWN_FROM:g} with a TERM, 0 with a list, "
        "0.5 with --alerts)",
    )
    add(
        "--limit",
        type=ROWS,
        metavar="N",
        help="at most N hits in a table (50), in other forms, clips and subtitles (all); 0 = all",
    )
    add(
        "--explain-query",
        action="store_true",
        help="do not search; show the splits of a TERM and similar words (std-query)",
    )
    add("--quiet", action="store_true", help=QUIET)


def _add_explaining(group: "argparse._ArgumentGroup") -> None:
    """The options of --explain-query."""
    add = group.add_argument
    add(
        "--vocabulary",
        type=file_argument,
        metavar="FILE",
        help="use the words of this file instead of a --store: lines of word[<TAB>count], UTF-8",
    )
    add("--all-words", action="store_true", help="split and expand known words as well")
    add("--all-matches", action="store_true", help="list every match of every part of a word")
    add(
        "--bktree",
        type=folder_argument,
        metavar="FOLDER",
        help="folder in which the BK-tree is stored",
    )


def _add_example_options(group: "argparse._ArgumentGroup") -> None:
    """The options of query by example; several examples belong to one term."""
    add = group.add_argument
    add(
        "--like",
        type=text_argument,
        action="append",
        default=[],
        metavar="RECORDING@BEGIN-END",
        help="find what sounds like this stretch of a recording, for example a hit; in seconds "
        "(in channel 2: RECORDING/2@...). With a TERM, search its words, too",
    )
    add(
        "--query-audio",
        type=file_argument,
        action="append",
        default=[],
        metavar="FILE[@BEGIN-END]",
        help="find what sounds like this audio file, or like a file of frames (NAME.sound)",
    )
    add(
        "--encoder",
        type=text_argument,
        default="",
        metavar="NAME|FOLDER",
        help="with --query-audio: the encoder that made the sound of the index",
    )
    add(
        "--examples",
        type=file_argument,
        metavar="FILE|FOLDER",
        help="a list of examples to search: a table (CSV, TSV) with the columns term and example; "
        "an example is written as for --like or --query-audio. With --terms or --queries: examples "
        "of their terms, which are then searched by words and by sound; with --queries also a "
        "FOLDER with the sound of the queries (std-recognise --sound)",
    )
    add("--by", choices=["sound"], default="sound", help="how --query-audio is compared")


def _add_query_options(group: "argparse._ArgumentGroup") -> None:
    """The options of spoken queries."""
    add = group.add_argument
    add(
        "--queries",
        type=file_argument,
        metavar="JSON",
        help="spoken queries to search as a list; std-index NETWORKS --queries-to JSON writes them",
    )
    add(
        "--term-list",
        type=file_argument,
        metavar="XML",
        help="file for a term list of --queries: ids, and the likeliest words",
    )


def _add_settings(group: "argparse._ArgumentGroup") -> None:
    """The options of methods and processes."""
    add_config_options(group)
    group.add_argument(
        "--phones",
        choices=PHONES,
        help="phones of phonetic search: those of the recogniser's words, those heard in the sound "
        "(if the index has them), or both (both)",
    )
    group.add_argument(
        "--model",
        action="append",
        default=[],
        type=file_argument,
        metavar="JSON",
        help="model that std-tune learned; with --fuse one for all, or one for each --store",
    )
    add_jobs_option(group, default=1)
    add_scheduler_option(group)
    add_progress_option(group)
