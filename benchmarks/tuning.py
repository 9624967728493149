"""Measure what std-tune brings on other recordings, and how strongly it should stay near the prior.

    python -m benchmarks.tuning DATA

The sets are those of `benchmarks.calibration`. One half of a set's recordings (every second file)
is searched with what was learned from the other half's transcript, and the other way round; the
weights before are those of the sets of other languages. Printed is minus the log likelihood of the
labels of each half's own examples, nats per right place, mean of both halves, of out-of-vocabulary
(OOV) and of in-vocabulary (IV) words and phrases:

    prior         nothing tuned
    confusions    phone confusions counted in the other half
    ridge N       and weights, with a penalty of N on their change; std-tune has 100
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.ablation import loss
from benchmarks.calibration import SEED, SETS, Material, examples, learned_elsewhere, material
from benchmarks.german import indexed
from searcher.calibration.model import Model
from searcher.calibration.weights import together
from searcher.phonetic.indexes import PhoneticIndexes, open_phonetic_indexes
from searcher.tuning.confusion import learn_confusion
from searcher.tuning.development_set import lexical_candidates
from searcher.tuning.examples import (
    JudgedSpeech,
    KindsOfExamples,
    by_transcript,
    decoy_examples,
    examples_of_phrases,
)
from searcher.tuning.labels import TuningTranscript, make_transcript
from searcher.tuning.learning import learn, queries, with_few_absent
from std.phonetics.confusion import Counts

RIDGES = (3, 10, 30, 100, 300)
COLUMNS = ("prior", "confusions", *(f"ridge {ridge}" for ridge in RIDGES))


class Half:
    """Some recordings of a set."""

    def __init__(self, one: Material, files: set[str]) -> None:
        networks = [network for network in one.data.networks if network.recording.file in files]
        self.segment = indexed(networks, one.config)
        self.one = one
        self.recordings = tuple(found.recording for found in self.segment.recordings)
        self.transcript: TuningTranscript = make_transcript(
            one.data.lexemes, self.recordings, one.config.text
        )
        rows = {recording: i for i, recording in enumerate(self.recordings)}
        indexes, _ = open_phonetic_indexes([self.segment], rows, one.config, None)
        assert indexes is not None
        self.indexes: PhoneticIndexes = indexes

    def confusion(self) -> Counts:
        """Its phone confusions, counted with its transcript."""
        return learn_confusion(self.transcript, self.indexes)

    def examples(self, prior: Model, confusion: Counts | None = None) -> KindsOfExamples:
        """Its labelled candidates, searched with confusions of some speech, or with none."""
        one, indexes = self.one, self.indexes
        if confusion is not None:
            model = replace(prior, pronouncer=indexes.pronouncer, confusion=confusion)
            indexes = replace(indexes, model=model)
        speech = JudgedSpeech(
            indexes,
            partial(lexical_candidates, segments=[self.segment], config=one.config),
            self.recordings,
            one.excerpts,
        )
        terms = [one.config.text.phrase(term.text) for term in one.data.terms.terms]
        oov, in_vocabulary = (
            with_few_absent(asked, self.transcript, SEED)
            for asked in queries(self.transcript, indexes, terms, SEED)
        )
        found = examples_of_phrases(by_transcript(self.transcript), speech, oov, in_vocabulary)
        return found._replace(oov=together([found.oov, decoy_examples(found.oov.n_terms, speech)]))


def losses(prior: Model, learned_from: Half, measured: Half) -> tuple[list[float], list[float]]:
    """Of OOV and of IV examples, in the order of `COLUMNS`."""
    confusion = learned_from.confusion()
    source = learned_from.examples(prior, confusion)
    before, after = measured.examples(prior), measured.examples(prior, confusion)
    kinds = list(zip(before, after, strict=True))
    columns = [[loss(prior.weights, one)[0] for one in both] for both in kinds]
    for ridge in RIDGES:
        weights = learn([source], prior, ridge)
        for column, one in zip(columns, after, strict=True):
            column.append(loss(weights, one)[0])
    return columns[0], columns[1]


def lines(one: Material, prior: Model) -> Iterator[str]:
    """The lines of the table for one set."""
    files = sorted({network.recording.file for network in one.data.networks})
    halves = Half(one, set(files[::2])), Half(one, set(files[1::2]))
    both = np.mean([losses(prior, *halves), losses(prior, *halves[::-1])], axis=0)
    for kind, values in zip(("OOV", "IV"), both, strict=True):
        cells = " | ".join(f"{value:.3f}" for value in values)
        yield f"| {one.name.rpartition('/')[0]} | {kind} | {cells} |"


def main() -> None:
    """Print the table."""
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("data", type=Path)
    args = parse.parse_args()
    sets = [material(args.data, name, language) for name, language in SETS.items()]
    of_sets = [examples(one) for one in sets]
    print(f"| set | words | {' | '.join(COLUMNS)} |\n|{(2 + len(COLUMNS)) * '---|'}", flush=True)
    of_others = learned_elsewhere(sets, of_sets)
    for one in sets:
        for row in lines(one, of_others[one.language]):
            print(row, flush=True)


if __name__ == "__main__":
    main()
