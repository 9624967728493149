"""The search pipeline: terms and a prepared index in, decided detections out.

search               the two below in a row
    find_candidates      terms -> candidates with probabilities
        find_terms           what each language has of them          (`searcher.found_terms`)
            search_language      words and phones                    (`searcher.language_search`)
                find_by_words        variants, look-up in every segment, join, ECF filter
                find_by_phones       phones, seeds, alignment
                calibrate            probabilities, if a term occurs
        judge                which terms occur; candidates of all languages, without duplicates
    decide               probabilities -> scores on one scale, YES from 0.5 on
                         (`searcher.decisions`)
        reported             copies of a recording get its candidates
                             (`searcher.results.copied_hits`)
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from searcher.decisions import rule_for, score_without_hit
from searcher.decisions.miller import expected_occurrences
from searcher.found_terms import find_terms, judge
from searcher.index.spoken_by import SpokenBy
from searcher.prepared import PreparedIndex
from searcher.results.expected import missed_share
from searcher.results.search_result import SearchResult, TermCandidates
from std.config import Config, DecisionConfig
from std.execution.workers import IN_PROCESS, Executor
from std.spoken_queries import SpokenQuery
from std.values import Bools, Excerpt, Float64s, Term


def search(
    terms: Sequence[Term],
    index: PreparedIndex,
    *,
    speech_s: float,
    excerpts: Sequence[Excerpt] | None = None,
    workers: Executor = IN_PROCESS,
    single_terms: bool = False,
    spoken: Sequence[SpokenQuery] = (),
    advance: Callable[[float], None] = lambda share: None,
    spoken_by: SpokenBy | None = None,
) -> SearchResult:
    """Search every term in every segment and decide.

    Args:
        speech_s: see `decide`.
        terms, index, excerpts, workers, single_terms, spoken, advance,
            spoken_by: see `find_candidates`.
    """
    found = find_candidates(
        terms, index, excerpts=excerpts, workers=workers, single_terms=single_terms, spoken=spoken,
        advance=advance, spoken_by=spoken_by,
    )  # fmt: skip
    config = for_single_terms(index.config) if single_terms else index.config
    return decide(found, config, speech_s)


def find_candidates(
    terms: Sequence[Term],
    index: PreparedIndex,
    *,
    excerpts: Sequence[Excerpt] | None = None,
    workers: Executor = IN_PROCESS,
    single_terms: bool = False,
    spoken: Sequence[SpokenQuery] = (),
    advance: Callable[[float], None] = lambda share: None,
    spoken_by: SpokenBy | None = None,
) -> TermCandidates:
    """Find the candidates of every term, with their probabilities.

    Args:
        terms, index, excerpts, workers, spoken, advance,
            spoken_by: see `searcher.found_terms.find_terms`.
        single_terms: whether a person asks for the terms, one by one: its ``wildcards``, and the
            terms are no list for `searcher.found_terms.judge`.
    """
    found = find_terms(
        terms, index, excerpts=excerpts, workers=workers, wildcards=single_terms, spoken=spoken,
        advance=advance, spoken_by=spoken_by,
    )  # fmt: skip
    return judge([found], index, single_terms=single_terms)[0]


def for_single_terms(config: Config) -> Config:
    """How decisions are made on terms that a person asks for, one by one: they may not occur."""
    return replace(config, decision=replace(config.decision, terms="any"))


def decide(found: TermCandidates, config: Config, speech_s: float) -> SearchResult:
    """Decide on candidates: rescale their probabilities, leave out the least probable.

    Copies have the decisions of their originals.

    Args:
        found: candidates of all terms.
        config: which decision rule, and from which probability on.
        speech_s: seconds of searched speech, copies left out = number of trials.
    """
    begin = time.perf_counter()
    candidates, n_terms = found.candidates, len(found.terms)
    probability, if_occurring = found.probability, candidates.score
    judged, of_any = if_occurring, if_occurring * found.occurs[candidates.term]
    if config.decision.terms == "any":
        judged = of_any = probability
    rule = rule_for(config.decision, calibrated=found.is_calibrated)
    score = rule(candidates.term, judged, n_terms, speech_s, config.decision)
    listed = probability >= config.search.min_score
    unlisted = {
        "missed_share": missed_share(probability, listed, n_terms, speech_s),
        "default_score": _default_score(of_any, listed, n_terms, speech_s, config.decision),
    }
    row, recording = found.reported()
    candidates = candidates._replace(score=score).rows(row)._replace(recording=recording)
    probability = probability[row]
    kept = probability >= config.search.min_score
    decided = unlisted | {
        "candidates": candidates.rows(kept),
        "probability": probability[kept],
        "n_true": expected_occurrences(
            candidates.term, probability, n_terms, config.decision.n_true_scale
        ),
        "seconds": found.seconds + time.perf_counter() - begin,
    }
    return SearchResult(**vars(found) | decided)


def _default_score(
    probability: Float64s, listed: Bools, n_terms: int, speech_s: float, config: DecisionConfig
) -> float | None:
    """The score of a place without a hit; None: not known.

    Args:
        probability: (n,) of each candidate, without what scores do not depend on.
        listed: (n,) which of them are hits.
        n_terms, speech_s, config: see `decide`.
    """
    share = missed_share(probability, listed, n_terms, speech_s)
    if share is None:
        return None
    return score_without_hit(share, float(probability.sum()) / n_terms, speech_s, config)
