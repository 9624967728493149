"""A search result -> files for evaluations: a hit list, and the probabilities of its hits.

write_hits            the files
    hit_list          the score of a hit is rescaled, so that 0.5 decides
    probability_list  the same hits with their probabilities as scores

Each list has a score for places without a hit, on its own scale.
"""

from dataclasses import replace
from os import PathLike
from pathlib import Path

from searcher.results.search_result import SearchResult
from std.errors import StdError
from std.nist import std_list
from std.nist.term_list import Dialect
from std.nist.xml import CONTROL_CHARACTERS, writable
from std.outputs import open_output
from std.values import STDList, TermList, TermSearch


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
        found: the result of `Index.search_terms`.
        path: the hit list; a name that ends in ``.gz`` is compressed, ``-`` is standard output.
        terms: the term list that was searched.
        terms_filename: its name, as the hit list repeats it.
        probabilities: a second list, of the same hits with their probabilities as scores.
        system_id: name of the system.
        dialect: ``std2006`` or ``kws2013``.
        cpu_s: CPU time of the search, which NIST asks for; None: the time that passed.
        default_score: whether a list of the dialect ``kws2013`` has a score for places without a
            hit, which NIST's schema lacks.

    Raises:
        InputError: a file cannot be written; an existing file stays unchanged.
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


def hit_list(
    found: SearchResult,
    terms: TermList,
    terms_filename: str,
    system_id: str,
    cpu_s: float | None = None,
) -> STDList:
    """The hit list of a search; the search time is shared equally among the terms.

    Args:
        found: what the search returned.
        terms: the term list that was searched.
        terms_filename: the file name of the term list, as the hit list names it.
        system_id: name of the system.
        cpu_s: CPU time of the search, which NIST asks for; None: the time that passed.
    """
    each_s = (found.seconds if cpu_s is None else cpu_s) / max(1, len(found.terms))
    return STDList(
        detections=found.detections(),
        searches=tuple(TermSearch(each_s, len(one)) for one in found.oov_words),
        term_list_filename=writable(terms_filename),
        language=terms.language,
        system_id=system_id,
        default_score=found.default_score,
    )


def probability_list(hits: STDList, found: SearchResult) -> STDList:
    """The same hits and decisions, each with its probability as score.

    NIST's schemas (F4DE's ``KWSEval-stdlist.xsd``, ``KWSEval-kwslist.xsd``) allow a hit no
    attribute beside those it must have, so the second number of a hit needs a second list.

    Args:
        hits: from `hit_list`.
        found: the search that `hit_list` was made of.
    """
    detections = replace(hits.detections, score=found.probability)
    return replace(hits, detections=detections, default_score=found.missed_share)
