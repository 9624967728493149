"""std-search --explain-query: what a term becomes, without a search."""

import argparse
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from std.command import print_json, tell, warn
from std.display.rows import JSON, TABLE, form_of, print_rows
from std.options import configuration_of


def explain_query(args: argparse.Namespace) -> None:
    """Describe all terms and print them.

    Raises:
        StdError: the words or the terms cannot be read, or a term is none.
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
    from searcher.output.query_table import print_queries, query_rows

    if form == JSON:
        print_json(descriptions)
    elif form == TABLE:
        print_queries(descriptions)
    else:
        print_rows(query_rows(descriptions), form)
