"""The search pipeline: terms and a prepared index in, decided detections out.

search
    find_terms           the candidates of each language          (`searcher.found_terms`)
        search_language      words and phones                    (`searcher.language_search`)
            find_by_words        variants, look-up in every segment, join, ECF filter
            find_by_phones       phones, seeds, alignment
            calibrate            probabilities, if a term occurs
    judge                which terms occur; candidates of all languages, without duplicates
    decide               probabilities -> scores on one scale, YES from 0.5 on
                         (`searcher.decisions`)
        reported             copies of a recording get its candidates
                             (`searcher.results.search_result`)
"""

import time
from collections.abc import Callable, Sequence

from searcher.decisions import expected_occurrences, rule_for, score_without_hit
from searcher.found_terms import find_terms, judge
from searcher.index.searched_speech import SearchedSpeech
from searcher.prepared import PreparedIndex
from searcher.results.expected import missed_share
from searcher.results.search_result import SearchResult, TermCandidates
from std.config import Config, DecisionConfig
from std.execution.workers import IN_PROCESS, Executor
from std.spoken_queries import SpokenQuery
from std.values import Bools, Float64s, SearchMode, Term


def search(
    terms: Sequence[Term],
    index: PreparedIndex,
    speech: SearchedSpeech,
    *,
    mode: SearchMode = "list",
    spoken: Sequence[SpokenQuery] = (),
    workers: Executor = IN_PROCESS,
    advance: Callable[[float], None] = lambda share: None,
) -> SearchResult:
    """Search every term in every segment and decide.

    Args:
        terms, index, speech, mode, spoken, workers, advance:
            see `searcher.found_terms.find_terms`.
    """
    found = find_terms(
        terms, index, speech, mode=mode, spoken=spoken, workers=workers, advance=advance
    )
    (judged,) = judge([found], index, mode)
    return decide(judged, index.config, mode)


def decide(found: TermCandidates, config: Config, mode: SearchMode = "list") -> SearchResult:
    """Decide on candidates: rescale their probabilities, leave out the least probable.

    Copies have the decisions of their originals.

    Args:
        found: candidates of all terms.
        config: the decision rule and the least probability.
        mode: ``adhoc`` or ``list``; terms of ``adhoc`` searches may not occur.
    """
    begin = time.perf_counter()
    candidates, n_terms, speech_s = found.candidates, len(found.terms), found.speech.seconds
    probability, if_occurring = found.probability, candidates.probability
    judged, of_any = if_occurring, if_occurring * found.occurs[candidates.term]
    if mode == "adhoc" or config.decision.terms == "any":
        judged = of_any = probability
    rule = rule_for(config.decision, calibrated=found.is_calibrated)
    score = rule(candidates.term, judged, n_terms, speech_s, config.decision)
    listed = probability >= config.search.min_score
    unlisted = {
        "missed_share": missed_share(probability, listed, n_terms, speech_s),
        "default_score": _default_score(of_any, listed, n_terms, speech_s, config.decision),
    }
    row, recording = found.reported()
    candidates = candidates.rows(row)._replace(recording=recording)
    probability = probability[row]
    kept = probability >= config.search.min_score
    decided = unlisted | {
        "candidates": candidates.rows(kept),
        "probability": probability[kept],
        "decision_score": score[row][kept],
        "n_true": expected_occurrences(
            candidates.term, probability, n_terms, config.decision.n_true_scale
        ),
        "seconds": found.seconds + time.perf_counter() - begin,
    }
    return SearchResult(**vars(found) | decided)


def _default_score(
    probability: Float64s, listed: Bools, n_terms: int, speech_s: float, config: DecisionConfig
) -> float | None:
    """The score of a place without a hit; None: unknown.

    Args:
        probability: (n,) of each candidate, as used for scores.
        listed: (n,) which of them are hits.
        n_terms: number of terms.
        speech_s: trials of each.
        config: which decision rule.
    """
    share = missed_share(probability, listed, n_terms, speech_s)
    if share is None:
        return None
    return score_without_hit(share, float(probability.sum()) / n_terms, speech_s, config)
