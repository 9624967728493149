"""What was found -> files that evaluations read: hit list, and probabilities of its hits."""

from dataclasses import replace
from os import PathLike
from pathlib import Path

from searcher.output.std_list import hit_list, probability_list
from searcher.results.search_result import SearchResult
from std.errors import StdError
from std.nist import std_list
from std.nist.term_list import Dialect
from std.nist.xml import CONTROL_CHARACTERS
from std.outputs import open_output
from std.values import TermList


def write_hits(
    found: SearchResult,
    path: str | PathLike[str],
    *,
    terms: TermList,
    terms_filename: str = "",
    probabilities: str | PathLike[str] | None = None,
    system_id: str = "std",
    dialect: Dialect = "std2006",
    cpu_s: float | None = None,
    default_score: bool = True,
) -> None:
    """Write a hit list for `scoring.score_files`, in the encoding of the term list.

    Args:
        found: what `Index.search_terms` returned.
        path: the hit list; a name that ends in ``.gz`` is compressed, ``-`` is standard output.
        terms: the term list that was searched.
        terms_filename: its name, as the hit list repeats it.
        probabilities: a second list, of the same hits with their probabilities as scores.
        system_id: name of the system.
        dialect: ``std2006`` or ``kws2013``.
        cpu_s: CPU time of the search, which NIST asks for; None: the time that passed.
        default_score: whether a list of the dialect ``kws2013`` says what a place without a hit is
            worth, which NIST's schema does not know.

    Raises:
        InputError: a file cannot be written; it is then as before.
        StdError: ``system_id`` has characters that XML cannot hold.
    """
    if CONTROL_CHARACTERS.search(system_id):
        raise StdError(f"system_id: expected text that XML can hold, got {system_id!r}")
    if not default_score:
        found = replace(found, default_score=None, missed_share=None)
    hits = hit_list(found, terms, terms_filename, system_id, cpu_s)
    encoding = "GB2312" if terms.encoding.lower().startswith("gb") else "UTF-8"
    with open_output(Path(path)) as sink:
        std_list.dump(hits, sink, dialect, encoding)
    if probabilities is not None:
        with open_output(Path(probabilities)) as sink:
            std_list.dump(probability_list(hits, found), sink, dialect, encoding)
