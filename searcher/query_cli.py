"""std-query: what a term becomes. Arguments in, splits and expansions out."""

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from std.command import Parser, print_json, run, warn
from std.errors import ConfigError, InputError

if TYPE_CHECKING:
    from searcher.query import Expansion
    from searcher.variants import Builder
    from std.config import Config
    from std.text import Normalisation
    from std.vocabulary import Vocabulary

T = TypeVar("T")

METHODS = ("trie", "bktree", "linear", "rules", "primitive")
RANKINGS = ("weighted", "geometric")
EXAMPLE = """\
examples:
  std-query --vocabulary words.tsv burganlagen "die burganlagen von"
  std-query --store INDEX --json polizeigewalt
  std-query --vocabulary words.tsv -K 2 -R 0.4 --ranking geometric museenverwaltung
"""


def parser() -> argparse.ArgumentParser:
    """Build the argument parser."""
    parse = Parser(
        prog="std-query",
        description="Show what a term becomes: splits and expansions, without searching.",
        epilog=EXAMPLE,
    )
    parse.add_argument("term", nargs="+", metavar="TERM", help="a word or a phrase")
    words = parse.add_mutually_exclusive_group(required=True)
    words.add_argument("--store", help="folder, memory: or couchdb://[user@]host[:port]/database")
    words.add_argument(
        "--vocabulary", type=Path, metavar="FILE", help="lines of word[<TAB>count], UTF-8"
    )
    split = parse.add_argument_group("splitting")
    split.add_argument("--split-method", choices=METHODS, help="trie unless configured")
    split.add_argument("-K", type=int, help="most edits of a part (2)")
    split.add_argument("-R", type=float, help="most edits per letter of a part (0.2)")
    split.add_argument("--min-part-length", type=int, metavar="N", help="letters of a part (2)")
    split.add_argument("--ranking", choices=RANKINGS, help="weighted unless configured")
    split.add_argument("--nbest", type=int, metavar="N", help="splits of a word (25)")
    split.add_argument("--all-matches", action="store_true", help="every match of every segment")
    split.add_argument("--bktree", type=Path, metavar="FOLDER", help="keep the BK-tree here")
    parse.add_argument("--candidates", type=int, metavar="N", help="words of each expansion")
    parse.add_argument("--all-words", action="store_true", help="known words as well")
    parse.add_argument("--config", type=Path, metavar="TOML", help="see configs/default.toml")
    parse.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parse.add_argument("--quiet", action="store_true", help="nothing on stderr but errors")
    return parse


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status: 0 done, 2 the user can mend it (usage, input, config)."""
    args = parser().parse_args(argv)
    return run("std-query", lambda: describe(args))


def describe(args: argparse.Namespace) -> None:
    """Describe all terms and print them."""
    from searcher.query import Options, query, words_of
    from searcher.query_table import print_queries
    from searcher.splitting import make_splitter
    from searcher.splitting.matches import Limits, check_length
    from std.config import load

    config = load(args.config)
    split = config.splitting
    nbest = given(args.nbest, split.nbest)
    candidates = given(args.candidates, config.expansion.candidates)
    for name, number in (("nbest", nbest), ("candidates", candidates)):
        if number < 0:
            raise ConfigError(f"--{name}: expected a number >= 0, got {number}")
    try:
        limits = Limits(
            given(args.K, split.max_edits),
            given(args.R, split.max_ratio),
            given(args.min_part_length, split.min_part_letters),
        )
    except ValueError as error:
        raise ConfigError(str(error)) from error
    vocabulary, normalisation = opened(args, config.text)
    for term in args.term:  # refuse a bad one before any work
        for word in words_of(term, normalisation):
            check_length(word)
    splitter = make_splitter(
        vocabulary,
        given(args.split_method, split.method),
        limits,
        given(args.ranking, split.ranking),
        args.bktree,
    )
    splitter.warm_up()
    options = Options(
        nbest, candidates, args.all_words, args.all_matches, expansions(vocabulary, config)
    )
    described = [query(term, splitter, normalisation, options) for term in args.term]
    if args.json:
        print_json(described)
    else:
        print_queries(described)


def expansions(vocabulary: "Vocabulary", config: "Config") -> "dict[str, Expansion]":
    """The expansions by name; each is built when the first word is asked for."""
    from searcher.variants import EXPANDERS

    return {name: _lazy(name, build, vocabulary, config) for name, build in EXPANDERS.items()}


def _lazy(name: str, build: "Builder", vocabulary: "Vocabulary", config: "Config") -> "Expansion":
    """An expansion; it finds nothing where it has nothing to compare or to pronounce with."""
    made: list[Expansion] = []

    def similar(words: Sequence[str], n: int) -> list[list[tuple[str, float]]]:
        from std.lexicon import NoLanguageError

        if not made:
            made.append(none_similar)
            try:
                made[0] = build(vocabulary, config).similar
            except (ValueError, NoLanguageError):
                pass  # no word that could be compared, or nobody to pronounce them
            except ConfigError as error:
                warn("std-query", f"no expansion by {name}: {error}")
        return made[0](words, n)

    return similar


def none_similar(words: Sequence[str], n: int) -> list[list[tuple[str, float]]]:
    """Answer of an expansion that does not exist for this vocabulary."""
    return [[] for _ in words]


def given(value: T | None, configured: T) -> T:
    """An option of the command line, or else what is configured."""
    return configured if value is None else value


def opened(args: argparse.Namespace, text: "Normalisation") -> "tuple[Vocabulary, Normalisation]":
    """The vocabulary, of a file or of a store, and how its words are normalised."""
    from std import vocabulary
    from std.text import as_indexed, require_same

    if args.vocabulary:
        return vocabulary.read(args.vocabulary, text), text
    from std.store import open_store, vocabulary_counts

    with closing(open_store(args.store)) as store:
        normalisation = store.normalisation()
        counts = vocabulary_counts(store.segments())
        if normalisation is None or not counts:
            raise InputError(args.store, 0, "an index with recordings", "an empty one")
        if args.config:
            require_same(as_indexed(text, normalisation), normalisation, args.store)
        return vocabulary.of_counts(counts), normalisation


if __name__ == "__main__":
    sys.exit(main())
