"""Sets made larger by what decoys hit in them, to learn the shipped weights from.

    with_false_alarms          examples of OOV phrases, and what is learned from decoys beside them
        find_false_alarms          what decoys of some lengths hit
        in_larger_archive       the examples as an archive many times larger would give them

Sets with transcripts have minutes of speech, archives hundreds of hours. A weight learned in
minutes depends on the evidence that decides there; in hours stronger evidence decides, and minutes
have no strong false alarms. A decoy's hits are what a term of its length hits by chance in as much
speech, so those of many decoys are what it hits in many times as much: false alarms of real
recognisers, in any language, without simulated speech.

Source: target-decoy search (Elias and Gygi 2007), several decoys for each target.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from searcher.calibration.weights import Evidence, Examples, Features, examples_of, together
from searcher.phonetic.null_distribution import LENGTHS
from searcher.phonetic.ratios import MAX_HITS, pronounced
from searcher.tuning.examples import JudgedSpeech, decoy_evidence, decoy_examples
from searcher.tuning.labels import Phrase
from std.values import Float64s

TIMES_LARGER = 40  # false alarms of so many archives are added to a term's own

FalseAlarms = Mapping[int, Sequence[Evidence]]  # of decoys with so many phones, each one's hits


def with_false_alarms(
    examples: Examples, phrases: Sequence[Phrase], speech: JudgedSpeech
) -> Examples:
    """The examples, the same in a larger archive, and terms that nobody said.

    Args:
        examples: of OOV phrases (`searcher.tuning.examples.labelled`).
        phrases: what they were asked for; those that cannot be pronounced have no examples.
        speech: that was searched.
    """
    ways_of = [ways for ways in pronounced(phrases, speech.indexes.lexicon) if ways]
    phones = np.array([np.mean([len(way) for way in ways]) for ways in ways_of])
    return together(
        [
            examples,
            in_larger_archive(
                examples, phones, find_false_alarms(speech), speech.searched().log_chances
            ),
            decoy_examples(examples.n_terms, speech),
        ]
    )


def find_false_alarms(speech: JudgedSpeech) -> FalseAlarms:
    """Search decoys, so many for each length."""
    found: dict[int, list[Evidence]] = {length: [] for length in LENGTHS}
    for phones, evidence in decoy_evidence(TIMES_LARGER, speech):
        found[min(LENGTHS, key=lambda length: abs(length - phones))].append(evidence)
    return found


def in_larger_archive(
    examples: Examples, phones: Float64s, false_alarms: FalseAlarms, log_chances: float
) -> Examples:
    """The examples as an archive larger by so many times as there are decoys would give them.

    To the places of each term those of the decoys of about its length are added, and the best of
    all remain. Decoys have no splits, so here the words of a split are no evidence; and they bring
    chance alone, no words that resemble a term (`searcher.calibration.resembling_words`).

    Args:
        examples: of OOV phrases.
        phones: (terms,) of each, the mean of its pronunciations.
        false_alarms: of decoys.
        log_chances: of the searched speech; there words neither explain a place nor tell of it.
    """
    lengths = np.array([length for length, some in false_alarms.items() if some])
    if not len(lengths) or not examples.n_terms:
        return examples_of([], [])
    names = list(examples.features)  # a decoy's are among them
    own, by_rate = _table(examples.features, names), names.index("log_e_rate")
    of_length = {
        length: np.concatenate([_table(one.features, names) for one in false_alarms[length]])
        for length in lengths.tolist()
    }
    nearest = lengths[np.abs(lengths - phones[:, None]).argmin(axis=1)]
    bounds = np.searchsorted(examples.term, np.arange(examples.n_terms + 1))
    evidence, is_right, enlarged = [], [], []
    for term, length in enumerate(nearest.tolist()):
        rows, others = slice(bounds[term], bounds[term + 1]), of_length[length]
        table = np.concatenate([own[rows], others])
        right = np.concatenate([examples.is_right[rows], np.zeros(len(others), bool)])
        best = np.argsort(table[:, by_rate], kind="stable")[:MAX_HITS]
        features = dict(zip(names, table[best].T, strict=True)) | {"split": np.zeros(len(best))}
        more = np.full(len(best), np.log1p(len(false_alarms[length])))
        by_phones = np.ones(len(best), dtype=bool)
        offset = -log_chances - more
        evidence.append(Evidence(features, offset, by_phones=by_phones, is_expected=False))
        is_right.append(right[best])
        enlarged.append(more)
    return examples_of(evidence, is_right)._replace(enlarged=np.concatenate(enlarged))


def _table(features: Features, names: Sequence[str]) -> Float64s:
    """(n, names) the features side by side."""
    return np.stack([features[name] for name in names], axis=1)
