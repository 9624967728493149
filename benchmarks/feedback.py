"""Measure what people's marks bring: 50, 200, 1,000 hits of one half of a set, right or wrong.

    python -m benchmarks.feedback DATA [--sets german dutch ...] [--keep FOLDER]

The sets are those of `benchmarks.calibration`, or some of them. Marks are made in the recordings of
one half of a set (every second file), and probabilities are measured in the other half. Before the
marks, weights are those learned from the sets of other languages, so neither half was seen; they
are refitted as ``std-tune --feedback`` does, with the ridge that pulls to them.

Marks are simulated from the reference. A person takes terms of the list in random order, looks at
the hits from probability .05 up that the page shows (in-vocabulary terms by their words only), the
most probable ones first, ten of a term at most, and marks each truly, until there are as many marks
as wanted. ``right ones rather`` is a person who marks a wrong hit only three times in ten: the
choice then depends on the truth, which nothing corrects. Means over `DRAWS` orders of the terms.

    hits, sum, right   hits of probability .1 and more, the sum of it, how many are right
    ece                expected calibration error of these hits, ten bins
    loss               mean negative log probability of the truth, nats a hit, of all hits of which
                       the weights before say at least .01
    right at .5        right hits from probability .5 up
"""

import argparse
import pickle
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.calibration import (
    LEAST,
    SETS,
    Material,
    calibration_error,
    examples,
    learned,
    material,
)
from benchmarks.german import indexed
from searcher.calibration.model import Model
from searcher.calibration.occurrence_rate import log_evidence, rate_posterior
from searcher.calibration.occurring_terms import occurrence_probability
from searcher.calibration.weights import Evidence, Examples, Weights
from searcher.phonetic.indexes import open_phonetic_indexes
from searcher.tuning.development_set import lexical_candidates
from searcher.tuning.examples import (
    JudgedSpeech,
    KindsOfExamples,
    by_transcript,
    examples_of_phrases,
)
from searcher.tuning.labels import make_transcript
from searcher.tuning.learning import learn
from std.values import Bools, Float64s

MARKS = (50, 200, 1000)
SHOWN = 0.05  # probability of what the page shows
OF_TERM = 10  # hits of a term that a person marks at most
COUNTED = 0.01
DRAWS = 10
KEEN = 0.3  # share of wrong hits that are marked by who would rather mark right ones


def probabilities(half: KindsOfExamples, weights: Weights) -> tuple[Float64s, Float64s]:
    """Of all candidates of OOV and of IV terms."""
    return _probability(half.oov, weights), _probability(half.iv, weights)


def _probability(kind: Examples, weights: Weights) -> Float64s:
    """As a search of the list has them (`searcher.evidence.calibrate`)."""
    evidence = Evidence(kind.features, kind.offset, weighed=kind.weighed, by_phones=kind.by_phones)
    of_kind = kind.term, kind.n_terms, None, kind.is_expected
    against_chance = log_evidence(weights.against_chance(evidence), *of_kind)
    has_places = np.bincount(kind.term, minlength=kind.n_terms) > 0
    occurs = np.zeros(kind.n_terms)
    occurs[has_places] = occurrence_probability(against_chance[has_places])
    if_occurring = rate_posterior(
        weights.log_ratios(evidence).all_false_alarms, *of_kind
    ).probability
    return if_occurring * occurs[kind.term]


def halves(one: Material) -> tuple[KindsOfExamples, KindsOfExamples]:
    """The set in two: every second file."""
    files = sorted({network.recording.file for network in one.data.networks})
    return half(one, set(files[::2])), half(one, set(files[1::2]))


def half(one: Material, files: set[str]) -> KindsOfExamples:
    """All candidates of the term list in some files, with the truth."""
    networks = [network for network in one.data.networks if network.recording.file in files]
    segment = indexed(networks, one.config)
    recordings = tuple(found.recording for found in segment.recordings)
    rows = {recording: i for i, recording in enumerate(recordings)}
    indexes, _ = open_phonetic_indexes([segment], rows, one.config, None)
    assert indexes is not None
    transcript = make_transcript(one.data.lexemes, recordings, one.config.text)
    phrases = sorted({one.config.text.phrase(term.text) for term in one.data.terms.terms})
    vocabulary = {word for index in indexes.indexes for word in index.words}
    oov = [words for words in phrases if not vocabulary.issuperset(words)]
    in_vocabulary = [words for words in phrases if vocabulary.issuperset(words)]
    speech = JudgedSpeech(
        indexes,
        partial(lexical_candidates, segments=[segment], config=one.config),
        recordings,
        one.excerpts,
    )
    return examples_of_phrases(by_transcript(transcript), speech, oov, in_vocabulary)


def marked(
    made_in: KindsOfExamples, before: Model, wanted: int, keen: float, seed: int
) -> KindsOfExamples:
    """The half with the labels of marks only.

    Args:
        made_in: where somebody searches.
        before: the model whose probabilities are shown.
        wanted: number of marks.
        keen: share of the wrong hits looked at that are marked.
        seed: of the order of the terms, and of what is left out.
    """
    rng = np.random.default_rng(seed)
    kinds = made_in.oov, made_in.iv
    probability = probabilities(made_in, before.weights)
    shown = [p >= SHOWN for p in probability]
    shown[1] &= ~np.asarray(kinds[1].by_phones)
    known = [np.zeros(len(p), dtype=bool) for p in probability]
    terms = [(k, term) for k, kind in enumerate(kinds) for term in range(kind.n_terms)]
    left = wanted
    for at in rng.permutation(len(terms)).tolist():
        k, term = terms[at]
        rows = np.flatnonzero((kinds[k].term == term) & shown[k])
        rows = rows[np.argsort(-probability[k][rows], kind="stable")][:OF_TERM]
        is_marked = kinds[k].is_right[rows] | (rng.random(len(rows)) < keen)
        rows = rows[is_marked][:left]
        known[k][rows] = True
        left -= len(rows)
    oov, iv = (
        kind._replace(is_right=kind.is_right & mask, is_known=mask)
        for kind, mask in zip(kinds, known, strict=True)
    )
    return KindsOfExamples(oov, iv)


def figures(where: KindsOfExamples, weights: Weights, counted: Bools) -> Float64s:
    """hits, sum, right, ece, loss, right at .5."""
    probability = np.concatenate(probabilities(where, weights))
    right = np.concatenate([where.oov.is_right, where.iv.is_right])
    p, y = probability[probability >= LEAST], right[probability >= LEAST]
    truth = np.where(right, probability, 1 - probability)[counted]
    loss = -np.log(np.clip(truth, 1e-6, None)).mean()
    at_half = right[probability >= 0.5].sum()
    return np.array([len(p), p.sum(), y.sum(), calibration_error(p, y), loss, at_half])


def lines(path: str, both: tuple[KindsOfExamples, KindsOfExamples], before: Model) -> Iterator[str]:
    """The lines of the table for one set."""
    made_in, measured = both
    weights = before.weights
    counted = np.concatenate(probabilities(measured, weights)) >= COUNTED
    name = path.rpartition("/")[0]
    yield line(name, "", 0, 0, figures(measured, weights, counted))
    for people, keen in (("", 1.0), ("right ones rather", KEEN)):
        for wanted in MARKS:
            every, made, right = [], [], []
            for seed in range(DRAWS):
                some = marked(made_in, before, wanted, keen, seed)
                made.append(sum(int(kind.is_known.sum()) for kind in (some.oov, some.iv)))
                right.append(sum(int(kind.is_right.sum()) for kind in (some.oov, some.iv)))
                every.append(figures(measured, learn([some], before), counted))
            means = float(np.mean(made)), float(np.mean(right))
            yield line(name, people, *means, np.mean(every, axis=0))


def line(name: str, people: str, made: float, right: float, values: Float64s) -> str:
    """A line of the table."""
    hits, total, n_right, error, loss, at_half = values.tolist()
    return (
        f"| {name} | {people} | {made:.0f} | {right:.0f} | {hits:.0f} | {total:.1f} | "
        f"{n_right:.1f} | {total / n_right:.2f} | {error:.3f} | {loss:.3f} | {at_half:.1f} |"
    )


def kept(name: str, folder: Path | None, make: Callable[[], Any]) -> Any:
    """A value from a folder that only this script writes to, or made now."""
    path = folder / f"{name.replace('/', '_')}.pickle" if folder else None
    if path and path.exists():
        with path.open("rb") as stream:
            return pickle.load(stream)
    found = make()
    if path:
        with path.open("wb") as sink:
            pickle.dump(found, sink)
    return found


def main() -> None:
    """Print the table."""
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("data", type=Path)
    parse.add_argument("--sets", nargs="+", default=[""], help="beginnings of their names")
    parse.add_argument("--keep", type=Path, help="folder for examples, which take long to make")
    args = parse.parse_args()
    sets = [material(args.data, name, language) for name, language in SETS.items()]
    of_sets = {one.name: kept(one.name, args.keep, partial(examples, one)) for one in sets}
    print(
        "| set | people | marks | right marks | hits | sum | right | sum/right | ece | loss | .5 |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for one in sets:
        if not one.name.startswith(tuple(args.sets)):
            continue
        others = [of_sets[other.name] for other in sets if other.language != one.language]
        both = kept(f"{one.name} halves", args.keep, partial(halves, one))
        for row in lines(one.name, both, learned(others)):
            print(row, flush=True)


if __name__ == "__main__":
    main()
