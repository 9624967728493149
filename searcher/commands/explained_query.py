"""std-search --explain-query: explain a term without a search.

explain_query    describe terms, print them
print_queries    tables for a person
query_rows       rows for programs
"""

import argparse
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from std.command import print_json, tell, warn
from std.display.numbers import counted
from std.display.rows import JSON, TABLE, Rows, form_of, print_rows
from std.display.tables import PrintedColumn, print_columns
from std.options import configuration_of
from std.terminal import bold, printable

SHOWN = 10  # of variants and of similar words


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
    show(descriptions, form_of(args, piped=TABLE))


def show(descriptions: "Sequence[Mapping[str, Any]]", form: str) -> None:
    """Print the descriptions of terms in a form."""
    from searcher.commands.explained_query import print_queries, query_rows

    if form == JSON:
        print_json(descriptions)
    elif form == TABLE:
        print_queries(descriptions)
    else:
        print_rows(query_rows(descriptions), form)


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


ROW_HEADER = ("term", "unknown_words", "word", "looked_up_as", "similarity", "method", "how")


def query_rows(queries: Sequence[Mapping[str, Any]]) -> Rows:
    """One row for each variant, similar word and match; one row for a term without these."""
    return Rows(
        header=ROW_HEADER,
        cells=[row for query in queries for row in _rows_of(query)],
        documents=queries,
    )


def _rows_of(query: Mapping[str, Any]) -> list[tuple[object, ...]]:
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
