"""What was found -> the STD lists that evaluations read.

hit_list          the score of a hit is rescaled, so that 0.5 decides
probability_list  the same hits with their probabilities as scores

Each says what a place without a hit is worth, in its own numbers.
"""

from dataclasses import replace

from searcher.results.search_result import SearchResult
from std.nist.xml import writable
from std.values import STDList, TermList, TermSearch


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
        terms_filename: of the term list, as the hit list names it.
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
