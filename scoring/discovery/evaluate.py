"""All measures of one class file, in one of three profiles.

    zrc2017      equal to zerospeech-tde 2.0.3 wherever that gives a number (the leaderboard's)
    zrc2015      equal to bootphon tde 0.2.1, with its folds
    definition   the published text to the letter; each open choice is named by its function

Each profile is a module with one function ``score``. Every point where they differ is one function,
named in this table and shown in docs/discovery.md:

                    zrc2017                  zrc2015                   definition
    transcription   inclusive                two_sided                 literal
    pairs           pairs.listed             pairs.distinct, B1        pairs.distinct
    coverage        phones_covered           seconds_covered           shared_ticks
    boundary        snapped                  close                     indexed
    token, type     by_symbols               within_30_ms              literal_sets
    grouping        by_flat_sets, merged     by_pair_counts            by_flat_sets
    matching        by_flat_sets             by_pair_counts            by_flat_sets

zerospeech-tde has no matching: in zrc2017 it follows the text, with that tool's transcription,
SIL and SPN as symbols like any other, and pairs that share any time excluded.

Scopes: ``within`` counts only pairs of one talker, ``cross`` only pairs of two. Measures without
pairs (coverage, token, type, boundary) then see only the fragments that are in such a pair. For
the recall of grouping and matching the gold pairs are restricted in the same way.
"""

from collections.abc import Callable, Sequence

from scoring.discovery import definition, folds, zrc2015, zrc2017
from scoring.discovery.case import Case
from scoring.discovery.corpus import Corpus, Discovery
from scoring.discovery.formats import Folds
from scoring.discovery.partners import TalkerScope
from scoring.discovery.scores import DiscoveryEvaluation, ProfileName, Scores

Progress = Callable[[int, int], None]
Recipe = Callable[[Case, Sequence[TalkerScope]], dict[TalkerScope, Scores]]

RECIPES: dict[ProfileName, Recipe] = {
    "zrc2017": zrc2017.score,
    "zrc2015": zrc2015.score,
    "definition": definition.score,
}
TALKER_SCOPES: tuple[TalkerScope, ...] = ("all", "within", "cross")


def evaluate(
    corpus: Corpus,
    discovery: Discovery,
    profile: ProfileName = "zrc2017",
    parts: Folds | None = None,
    progress: Progress | None = None,
) -> DiscoveryEvaluation:
    """Score a discovery, on the whole corpus, by talker if talkers are known, and on each fold.

    Args:
        corpus, discovery: the gold annotation and a system's classes.
        profile: whose numbers; see the table above.
        parts: folds to score one by one.
        progress: called with (steps done, steps in all).
    """
    score = RECIPES[profile]
    scopes = TALKER_SCOPES if len(corpus.talkers) > 1 else TALKER_SCOPES[:1]
    levels = zrc2015.repeated(corpus.phones) if profile == "zrc2015" else None
    scores = score(Case.whole(corpus, discovery, levels), scopes)
    if parts is None:
        return DiscoveryEvaluation(profile, scores)
    fold_scores: list[Scores] = []
    for fold in folds.intervals(parts, corpus):
        if progress:
            progress(len(fold_scores) + 1, parts.count + 1)
        case = Case.part(corpus, discovery, levels, fold)
        fold_scores.append(score(case, scopes[:1])["all"])
    return DiscoveryEvaluation(
        profile, scores, tuple(fold_scores), folds.spread(fold_scores, profile)
    )
