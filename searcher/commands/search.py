"""std-search: arguments in, hits out; or recordings, turns of speakers, an explained query.

interactive      terms, or examples of one, on the command line
search_units     ``--unit``: recordings, or turns of speakers
explain_query    ``--explain-query``: describe terms without a search
print_queries    tables for a person
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from searcher.commands.arguments import parser
from searcher.commands.batch import batch, tell_new_hits
from searcher.commands.command_line import (
    configuration,
    misuse,
    opened,
    outside_words,
    selection,
    warn_of_phones,
    write_oov_words,
)
from searcher.commands.examples import comparing, has_examples, single_term
from searcher.commands.hits import (
    TABLE_ROWS,
    is_decided,
    output_hits,
    tell_figures,
    tell_forms,
    tell_remarks,
)
from std.command import print_json, run, tell, warn
from std.display.rows import (
    JSON,
    LINES,
    TABLE,
    PrintedColumn,
    Rows,
    form_of,
    print_columns,
    print_rows,
)
from std.errors import StdError
from std.numbers import about, clock, counted, with_channel
from std.options import configuration_of
from std.terminal import bold, printable

if TYPE_CHECKING:
    from searcher import (
        FusedIndex,
        Hit,
        Index,
        SearchResult,
        UnitHits,
    )  # --help does not need these
    from std.values import Term

SHOWN = 10  # of variants and of similar words
ROW_HEADER = ("term", "unknown_words", "word", "looked_up_as", "similarity", "method", "how")


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status: 0 = done, 1 = no hit of a TERM or no new hit, 2 = a user's error."""
    parse = parser()
    args = parse.parse_args(argv)
    if problem := misuse(args, parse):
        parse.error(problem)
    return run("std-search", lambda: _work_of(args)(args))


def _work_of(args: argparse.Namespace) -> Callable[[argparse.Namespace], int | None]:
    if args.explain_query:
        return explain_query
    if args.alerts:
        return tell_new_hits
    if args.terms or args.queries or args.examples:
        return batch
    return interactive if args.unit == "place" else search_units


def interactive(args: argparse.Namespace) -> int:
    """Search the terms of the command line and show their hits; 1 if there are none."""
    from std.config import SHOWN_FROM
    from std.execution.processes import executor

    with opened(args, configuration(args)) as index:
        least = SHOWN_FROM if args.min_probability is None else args.min_probability
        forms = None
        if has_examples(args):
            with single_term(args) as term, comparing(args) as workers:
                settings = selection(args) | {"workers": workers, "mode": "adhoc"}
                settings["words"] = words_beside(args, index)
                found = cast("Index", index).find_examples([term], **settings).at_least(least)
        else:
            with executor(args.jobs, args.scheduler) as workers:
                settings = selection(args) | {"min_probability": least, "workers": workers}
                found = outside_words(index.find(*args.term, **settings), index, args)
                if args.inflections or not args.quiet:
                    forms = index.find_forms(*args.term, **settings)
        warn_of_phones(found)
        write_oov_words(args, found, index)
        hits = ranked_hits(found, index, args)
        has_hits = bool(hits)
        if forms and args.inflections:
            hits += ranked_hits(forms, index, args)
        if args.quiet or form_of(args, piped=LINES) == JSON:
            warn_of_cuts(found)
        else:
            tell_remarks(found, has_hits=has_hits, args=args)
        output_hits(args, found, hits, index)
    if not args.quiet:
        if has_hits:
            tell_figures(found)
        if forms:
            tell_forms(forms, args)
    return 0 if hits else 1


def words_beside(args: argparse.Namespace, index: "Index | FusedIndex") -> "list[Term] | None":
    """The TERM of which there are examples; None without one.

    Raises:
        StdError: it is a query.
    """
    from searcher import read_queries

    if not read_queries(args.term, index.columns).all_plain:
        raise StdError(f"{args.term[0]}: expected a word or a phrase beside examples, got a query")
    return index.adhoc_terms(args.term) or None


def ranked_hits(
    found: "SearchResult", index: "Index | FusedIndex", args: argparse.Namespace
) -> "list[Hit]":
    """Hits, the most probable first."""
    return sorted(index.hits(found, decided=is_decided(args)), key=lambda hit: -hit.probability)


def warn_of_cuts(found: "SearchResult") -> None:
    """Warn of terms that were not searched everywhere; for a person, the notes say it."""
    from searcher.output.notices import cut_terms, cut_wildcards

    for warning in (*cut_wildcards(found), *cut_terms(found)):
        warn("std-search", warning)


def search_units(args: argparse.Namespace) -> int:
    """Search one query and print the units; 1 if there are none.

    Raises:
        StdError: the text is not a query.
    """
    from searcher import UnitHits
    from std.config import SHOWN_FROM
    from std.execution.processes import executor

    (query,) = args.term
    least = SHOWN_FROM if args.min_probability is None else args.min_probability
    with opened(args, configuration(args)) as index, executor(args.jobs, args.scheduler) as workers:
        found = index.find_units(
            query, args.unit, where=args.where, recordings=args.recording,
            min_probability=least, workers=workers,
        )  # fmt: skip
    form = form_of(args, piped=LINES)
    if form != JSON and not args.quiet:
        for line in found.understood:
            tell(line)
    limit = TABLE_ROWS if form == TABLE and args.limit is None else args.limit
    shown = UnitHits(args.unit, found[: limit or len(found)], expected=found.expected)
    if form == JSON:
        print_json([one.document() for one in shown])
    else:
        print_rows(_rows_of_units(shown), "simple" if form == TABLE else form, header=False)
    if form == TABLE and len(found) > len(shown):
        tell(f"... and {len(found) - len(shown)} more; --limit 0 shows all")
    if not args.quiet and form != JSON:
        do = "do" if len(found) != 1 or found.less_likely else "does"
        fit = f"{about(found.expected.right + found.expected.right_below)} {do}"
        others = counted(found.less_likely, "less likely one")
        below = f", counting {others} that are not shown" if found.less_likely else ""
        tell(f"{counted(len(found), found.unit)} may fit; {fit}{below}")
    return 0 if found else 1


def _rows_of_units(found: "UnitHits") -> Rows:
    columns = sorted({name for one in found for name in one.metadata} - {"speaker"})
    return Rows(
        header=(
            *("file", "channel", "start_s", "end_s", "speaker", "probability", "places"),
            *columns,
        ),
        cells=[
            (
                *(one.file, one.channel, f"{one.start_s:.3f}", f"{one.end_s:.3f}", one.speaker),
                *(f"{one.probability:.4f}", _places(one.places)),
                *(one.metadata.get(name, "") for name in columns),
            )
            for one in found
        ],
        documents=(one.document() for one in found),
        brief_header=("file", "from", "to", "probability", "speaker", "places"),
        brief=[
            (
                with_channel(one.file, one.channel),
                *(clock(one.start_s), clock(one.end_s)),
                *(f"{one.probability:.3f}", one.speaker, _places(one.places)),
            )
            for one in found
        ],
    )


def _places(places: tuple[tuple[str, float, float, float], ...]) -> str:
    """The likeliest places in words: ``polizei 0:32.0, gewalt 1:10.2``."""
    return ", ".join(f"{term} {clock(start_s)}" for term, start_s, _, _ in places)


def explain_query(args: argparse.Namespace) -> None:
    """Describe all terms and print them.

    Raises:
        StdError: the words or the terms cannot be read, or a term is invalid.
    """
    from searcher import query_terms, read_queries
    from std.distinct import require_distinct
    from std.files import read
    from std.nist import term_file

    inputs = {"--vocabulary": args.vocabulary, "--config": args.config, "--terms": args.terms}
    require_distinct(inputs, {}, args.store or ())
    parse = partial(term_file.parse, column=args.term_column)
    terms = args.term or [term.text for term in read(parse, args.terms).terms]
    if args.term:
        asked = read_queries(terms, None, need_words=False)
        for line in asked.understood() if not asked.all_plain else ():
            tell(line)
        terms = asked.terms
    says_text = args.config or any(setting.startswith("text.") for setting in args.set)
    descriptions = query_terms(
        terms,
        store=args.store,
        vocabulary=args.vocabulary,
        config=configuration_of(args),
        adopt_text=not says_text,
        mode="adhoc" if args.terms is None else "list",
        all_words=args.all_words,
        all_matches=args.all_matches,
        tree_folder=args.bktree,
        report=partial(warn, "std-search"),
    )
    form = form_of(args, piped=TABLE)
    if form == JSON:
        print_json(descriptions)
    elif form == TABLE:
        print_queries(descriptions)
    else:
        cells = [row for query in descriptions for row in _rows_of_query(query)]
        print_rows(Rows(ROW_HEADER, cells, descriptions), form)


def print_queries(queries: Sequence[Mapping[str, Any]]) -> None:
    """Print each term: its looked-up words, and words that are spelt like its unknown words."""
    for query in queries:
        unknown = [word["word"] for word in query["words"] if not word["in_vocabulary"]]
        state = f"not in the vocabulary: {', '.join(unknown)}" if unknown else "all words known"
        print(f"{bold(printable(query['term']))}  ({printable(state)})")
        if query["variants"]:
            names = ("looked up as", "similarity", "method", "how")
            print_columns(
                [PrintedColumn(name, is_right=name == "similarity") for name in names],
                [
                    (
                        printable(" ".join(variant["words"])),
                        f"{variant['similarity']:.3f}",
                        variant["channel"],
                        printable(variant["how"]),
                    )
                    for variant in query["variants"][:SHOWN]
                ],
            )
            if len(query["variants"]) > SHOWN:
                print(f"... and {len(query['variants']) - SHOWN} more; --json shows all")
        else:
            print("no split")
        for word in query["words"]:
            if others := word.get("spellings"):
                shown = ", ".join(f"{other} ({times})" for other, times in others[:SHOWN])
                print(printable(f"spellings of {word['word']}: {shown}"))
            for name in ("levenshtein", "dice", "pronunciation"):
                if similar := word.get(name):
                    shown = ", ".join(f"{like} {value:.2f}" for like, value in similar[:SHOWN])
                    print(printable(f"{name} of {word['word']}: {shown}"))
            for start, end, like, distance in word.get("matches", []):
                segment = word["word"][start:end]
                print(printable(f"match {start}:{end} {segment} {like} {distance}"))
        print()


def _rows_of_query(query: Mapping[str, Any]) -> list[tuple[object, ...]]:
    """One row for each variant, similar word and match; one row for a term without these."""
    words = query["words"]
    unknown = " ".join(word["word"] for word in words if not word["in_vocabulary"])
    rows: list[tuple[object, ...]] = [
        (
            "",
            " ".join(variant["words"]),
            f"{variant['similarity']:.4f}",
            variant["channel"],
            variant["how"],
        )
        for variant in query["variants"]
    ]
    for word in words:
        rows += [
            (word["word"], other, "", "spelling", counted(times, "posting"))
            for other, times in word.get("spellings", ())
        ]
        for method in ("levenshtein", "dice", "pronunciation"):
            rows += [
                (word["word"], like, f"{similarity:.4f}", method, "")
                for like, similarity in word.get(method, ())
            ]
        for start, end, like, edits in word.get("matches", ()):
            how = f"{start}:{end} {word['word'][start:end]}, {edits} edits"
            rows.append((word["word"], like, "", "match", how))
    return [(query["term"], unknown, *row) for row in rows or [("", "", "", "", "")]]


if __name__ == "__main__":
    sys.exit(main())
