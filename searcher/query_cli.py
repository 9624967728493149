"""std-query: what a term becomes. Arguments in, splits and expansions out."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from std.command import (
    file_argument,
    folder_argument,
    number,
    print_json,
    run,
    text_argument,
    warn,
)
from std.config import range_of
from std.display.rows import JSON, TABLE, form_of, print_rows
from std.options import add_config_options, add_row_options, add_store_option, configuration_of
from std.parser import Parser

if TYPE_CHECKING:
    from std.config import Config

T = TypeVar("T")

METHODS = ("trie", "bktree", "linear", "rules", "primitive")
RANKINGS = ("weighted", "geometric")
EXAMPLE = """\
examples:
  std-query --vocabulary words.tsv burganlagen "die burganlagen von"
  std-query --store INDEX --json polizeigewalt "robo*"
  std-query --store INDEX --terms words.txt --csv
  std-query --vocabulary words.tsv -K 2 -R 0.4 --ranking geometric museenverwaltung
"""


def parser() -> argparse.ArgumentParser:
    """Build the argument parser."""
    parse = Parser(
        prog="std-query",
        description="Show what a term becomes: splits and expansions, without searching.",
        epilog=EXAMPLE,
    )
    parse.add_argument(
        "term",
        nargs="*",
        type=text_argument,
        metavar="TERM",
        help="a word or a phrase; * stands for any letters of a word",
    )
    parse.add_argument(
        "--terms",
        type=file_argument,
        metavar="FILE",
        help="term list: XML, a term a line, or CSV with id,text",
    )
    words = parse.add_mutually_exclusive_group(required=True)
    add_store_option(words, several=False)
    words.add_argument(
        "--vocabulary", type=file_argument, metavar="FILE", help="lines of word[<TAB>count], UTF-8"
    )
    split = parse.further("splitting")
    split.add_argument("--split-method", choices=METHODS, help="trie unless configured")
    split.add_argument("-K", type=setting("splitting.max_edits"), help="most edits of a part (2)")
    split.add_argument(
        "-R", type=setting("splitting.max_ratio"), help="most edits per letter of a part (0.2)"
    )
    letters = setting("splitting.min_part_letters")
    split.add_argument("--min-part-length", type=letters, metavar="N", help="letters of a part (2)")
    split.add_argument("--ranking", choices=RANKINGS, help="weighted unless configured")
    nbest = setting("splitting.nbest")
    split.add_argument("--nbest", type=nbest, metavar="N", help="splits of a word (25)")
    split.add_argument("--all-matches", action="store_true", help="every match of every segment")
    split.add_argument(
        "--bktree", type=folder_argument, metavar="FOLDER", help="keep the BK-tree here"
    )
    similar = setting("expansion.candidates")
    parse.add_argument("--candidates", type=similar, metavar="N", help="words of each expansion")
    parse.add_argument("--all-words", action="store_true", help="known words as well")
    add_config_options(parse)
    add_row_options(parse, "splits and expansions")
    parse.add_argument("--quiet", action="store_true", help="nothing on stderr but errors")
    return parse


def setting(name: str) -> Callable[[str], float]:
    """The type of an option that says otherwise than a key of the configuration."""
    return number(range_of(name))


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status: 0 done, 2 the user can mend it (usage, input, config)."""
    args = parser().parse_args(argv)
    if bool(args.term) == bool(args.terms):
        got = "both" if args.term else "neither"
        parser().error(f"expected at least one TERM or --terms FILE, got {got}")
    return run("std-query", lambda: describe(args))


def describe(args: argparse.Namespace) -> None:
    """Describe all terms and print them."""
    from searcher import query_terms
    from std.distinct import require_distinct
    from std.files import read
    from std.nist import term_file

    inputs = {"--vocabulary": args.vocabulary, "--config": args.config, "--terms": args.terms}
    require_distinct(inputs, {})
    terms = args.term or [term.text for term in read(term_file.parse, args.terms).terms]
    says_text = args.config or any(setting.startswith("text.") for setting in args.set)
    descriptions = query_terms(
        terms,
        store=args.store,
        vocabulary=args.vocabulary,
        config=configuration(args),
        adopt_text=not says_text,
        all_words=args.all_words,
        all_matches=args.all_matches,
        tree_folder=args.bktree,
        report=partial(warn, "std-query"),
    )
    show(descriptions, form_of(args, piped=TABLE))


def show(descriptions: "Sequence[Mapping[str, Any]]", form: str) -> None:
    """Print the descriptions of terms in a form."""
    from searcher.output.query_table import print_queries, query_rows

    if form == JSON:
        print_json(descriptions)
    elif form == TABLE:
        print_queries(descriptions)
    else:
        print_rows(query_rows(descriptions), form)


def configuration(args: argparse.Namespace) -> "Config":
    """The configuration file, with the options of the command line in its place."""
    config = configuration_of(args)
    split, expand = config.splitting, config.expansion
    split = replace(
        split,
        max_edits=given(args.K, split.max_edits),
        max_ratio=given(args.R, split.max_ratio),
        min_part_letters=given(args.min_part_length, split.min_part_letters),
        method=given(args.split_method, split.method),
        ranking=given(args.ranking, split.ranking),
        nbest=given(args.nbest, split.nbest),
    )
    expand = replace(expand, candidates=given(args.candidates, expand.candidates))
    return replace(config, splitting=split, expansion=expand)


def given(value: T | None, configured: T) -> T:
    """An option of the command line, or else what is configured."""
    return configured if value is None else value


if __name__ == "__main__":
    sys.exit(main())
