"""Evidence for the places of a term: features, weighted into a log likelihood ratio.

    hit_features         how well the phones of a phonetic hit fit, how often chance fits as well,
                         and which words stand there: for every term, known, unknown or spoken
    iv_features          of candidates that were found by their words
    Paired               places found by words, by phones, or by both
        oov_evidence         of a term with a word that the index lacks
        iv_evidence          of a term whose words the index has
        spoken_evidence      of a spoken query that is none of its alternatives

    log likelihood ratio = offset + weighed * (intercept + sum of weight * feature)

is that of the term having been said there, against chance (`searcher.calibration.weights`;
docs/calibration.md has the weights). All terms share one weight of each feature.
`searcher.calibration.occurrence_rate` makes probabilities of all places of a term. Features that
depend on the size of the archive are per slot or per expected occurrence, so weights learned on one
archive serve another.

Names of features are keys of ``model.json``, which users keep: other names make another version
of the model.
"""

from collections.abc import Sequence
from math import exp
from typing import NamedTuple

import numpy as np

from searcher.calibration.weights import Evidence, Features
from searcher.phonetic import layout
from searcher.phonetic.archive import Archive, SearchedArchive
from searcher.phonetic.layout import PhoneticHits
from searcher.phonetic.path_words import Paths, spelling, together
from searcher.phonetic.ratios import MAX_HITS
from std.store.columns import Int64s
from std.values import Float64s

SLOWEST = 0.5  # log of a hit's duration over that of its phones, from which on it is too slow
LEAST_POSTERIOR = 1e-3  # added to posteriors, so that the log of 0 is finite
LEAST_EXPECTED = 0.1  # occurrences of a term, beside those that its posteriors expect
LEARNED_FROM_S = 3600.0  # speech up to which learned weights of words count in full
FADING = 0.25  # power of the speech beyond that, by which they count less
UNLIKELY_LOGIT = -2.0  # of a posterior, below which alternatives are seldom right

REJECTED = 0.75  # share that the evidence of a known term's phones has where other words stand
STEEPNESS = 2.0  # nats that a place found by phones loses for each nat that words explain it
FEATURES = frozenset(  # that a model may weigh; docs/calibration.md says what each means
    {"log_e_rate", "common", "relative", "path", "longest", "slowness", "spelling"}  # phones
    | {"split", "known", "expected"}  # of unknown terms; of known ones
    | {"words", "logit", "surplus", "unlikely_surplus", "length"}  # words
    | {"spoken"}  # of spoken queries
)


def hit_features(
    words: Sequence[str], hits: PhoneticHits, paths: Paths, searched: SearchedArchive
) -> Features:
    """Evidence of the phones, and of the words that stand there, for each hit.

    Args:
        words: the words of the query as it is spelt; none if it was spoken.
        hits: n of a term, best first.
        searched: where they were found, with what decoys hit there.

    Returns:
        name -> (n,):

    log_e_rate      log of the false alarms expected to score as high, per slot
    common          log of the term's false alarms over those of decoys of its length; places that
                    always stand at the same words are not counted (`together`)
    relative        the score's share of a perfect match
    path            log posteriors of the words on the path, summed
    longest         phones of the longest one-best word that the hit cuts, times its posterior
    slowness        log of the duration over the usual duration of so many phones in this archive;
                    beyond `SLOWEST` it falls again: such words are far apart or have wrong times
    spelling        share of letters that the words on the path have in common with the term
    """
    archive, measures = searched.archive, hits.measures.astype(np.float64)
    score = measures[:, layout.SCORE]
    pronunciations = hits.pronunciations
    phones = np.array([max(1, len(one.phones)) for one in pronunciations])[hits.found_by]
    perfect = np.array([max(one.perfect, 1e-9) for one in pronunciations])[hits.found_by]
    duration_ms = np.maximum(hits.end_ms - hits.start_ms, 1)
    slowness = np.log(duration_ms / (phones * archive.phone_ms))
    is_unit = together(paths, searched.words, exp(archive.log_slots)) > 0
    return {
        "log_e_rate": archive.null.log_e_value(score, pronunciations) - archive.log_slots,
        "common": np.full(len(score), archive.null.term_shift(score[~is_unit], pronunciations)),
        "relative": score / perfect,
        "path": measures[:, layout.PATH_LOG_POSTERIOR],
        "longest": measures[:, layout.ONE_BEST_CUT_PHONES],
        "slowness": np.minimum(slowness, 2 * SLOWEST - slowness),
        "spelling": spelling(words, paths),
    }


def no_hit(name: str, archive: Archive) -> float:
    """The value of a hit's feature where there is no hit: at least `MAX_HITS` others fit better."""
    return float(np.log(MAX_HITS)) - archive.log_slots if name == "log_e_rate" else 0.0


def iv_features(
    posterior: Float64s,
    words: int,
    letters: int,
    highest_posterior: float = 1.0,
    speech_s: float = LEARNED_FROM_S,
) -> Evidence:
    """Evidence for the candidates of a term that were found by its words.

    Args:
        posterior: (n,) of the words, above 0.
        highest_posterior: the highest posterior that the recogniser gives a word. If all of 15
            draws have the word, one recogniser writes .97; another writes 1. Both mean certainty.

    Returns:
        words            1
        logit            log odds of the posterior
        surplus          log of the candidates for each occurrence that the posteriors expect
        unlikely_surplus the same, times how far the log odds lie below -2: one of many weak
                         candidates is as likely as its posterior says; a single one may be a rare
                         word that the recogniser missed
        length           letters: longer words are confused less often
        and an offset    the posterior's own log odds by what the weights do not count
                         (`_learned_share`), minus the log of the occurrences that the posteriors
                         expect: the occurrence rate multiplies the odds of all places and must not
                         count them twice
    """
    # What `searcher.lexical.join` makes of a phrase of such words, with its default exponent.
    posterior = np.minimum(posterior / highest_posterior ** ((words + 1) / 2), 1.0)
    odds, n = logit(posterior), len(posterior)
    expected = float(posterior.sum())
    unlikely = np.minimum(odds - UNLIKELY_LOGIT, 0.0)
    surplus = np.log((n + 1) / (expected + 1))
    own = 1 - _learned_share(n, speech_s)
    return Evidence(
        {
            "words": np.ones(n),
            "logit": odds,
            "surplus": np.full(n, surplus),
            "unlikely_surplus": surplus * unlikely,
            "length": np.full(n, float(letters)),
        },
        own * odds - np.log(expected + LEAST_EXPECTED),
        weighed=np.full(n, 1 - own),
    )


def _learned_share(n: int, speech_s: float) -> float:
    """The share that learned weights have beside the posteriors' own log odds.

    Posteriors of words that are frequent here are right, and the weights were learned from minutes
    of speech, where a term has few poor candidates by chance. With as many candidates as
    phonetic search keeps hits, the share is one half.
    """
    share: float = MAX_HITS / (n + MAX_HITS)
    return share * float(min(1.0, LEARNED_FROM_S / max(speech_s, 1.0)) ** FADING)


def logit(posterior: Float64s) -> Float64s:
    """(n,) log odds of posteriors; finite for 0 and 1, too."""
    odds: Float64s = np.log(posterior + LEAST_POSTERIOR) - np.log(1 - posterior + LEAST_POSTERIOR)
    return odds


class Paired(NamedTuple):
    """Lexical candidates, each with its hit if there is one; then the hits without a candidate."""

    posterior: Float64s  # (n,) of the candidate; 0 where there is none
    score: Float64s  # (n,) of the hit, nats; `pairing.NO_HIT_SCORE` where there is none
    features: Features  # each (n,), `hit_features` of the hit, `no_hit` without one
    explained: Float64s  # (n,) see `path_words.explained`
    unpaired: Int64s  # rows of the hits inside the searched speech without a candidate
    highest_posterior: float  # see `Archive`
    log_chances: float  # see `SearchedArchive`

    def oov_evidence(self) -> Evidence:
        """For a term with a word that the index lacks: the phones, with

        split        1 where splits or similar words of the term stand
        """
        return self._by_phones({"split": (self.posterior > 0).astype(float)})

    def spoken_evidence(self) -> Evidence:
        """For a spoken query that is none of its alternatives, found by phones alone, with

        spoken       1 (its spelling is 0, as nobody wrote it)
        """
        return self._by_phones({"spoken": np.ones(len(self.explained))})

    def iv_evidence(self, words: int, letters: int, speech_s: float) -> Evidence:
        """For a term whose words the index has.

        Candidates found by their words have the evidence of `iv_features`. Other places have that
        of the phones, which counts less than for a term that the recogniser does not know: it heard
        the same sounds and wrote other words, often related to the term.

        Returns:
            at the other places, beside the phones,

            known        1
            expected     log of the number of occurrences that the posteriors expect elsewhere: if
                         the words of a phrase are found nowhere, it was probably misrecognised
                         somewhere
        """
        written = self.posterior > 0
        found = self.posterior[written], words, letters, self.highest_posterior, speech_s
        lexical, heard = iv_features(*found), (~written).astype(float)
        expected = np.log(self.posterior.sum() + LEAST_POSTERIOR)
        explained = self.explained * heard

        def joined(of_written: Float64s | float, of_heard: Float64s | float) -> Float64s:
            column = np.full(len(written), of_heard)
            column[written] = of_written
            return column

        by_phones = {**self.features, "known": 1.0, "expected": expected}
        return Evidence(
            {name: heard * column for name, column in by_phones.items()}
            | {name: joined(column, 0.0) for name, column in lexical.features.items()},
            joined(lexical.offset, -self.log_chances - STEEPNESS * explained),
            explained,
            joined(lexical.weighed, REJECTED),
            ~written,
        )

    def _by_phones(self, more: Features) -> Evidence:
        """For places that the recogniser's words do not expect."""
        return Evidence(
            {**self.features, **more},
            -self.log_chances - STEEPNESS * self.explained,
            self.explained,
            by_phones=np.ones(len(self.explained), dtype=bool),
            is_expected=False,
        )
