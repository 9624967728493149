"""How well the articulatory prior foretells which phones are heard for others.

    python -m benchmarks.confusions DATA

Where words were missed, the phones of the transcript are aligned with those recognised
(`searcher.tuning.confusion`). Printed for each set of `benchmarks.calibration`, and as their mean,
is the cross entropy, nats, of the phones heard for other ones under the prior, for several
`DECAY` and `FREQUENT` of `std.phonetics.confusion`.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import numpy as np

from benchmarks.calibration import SETS, Material, material
from searcher.phonetic.indexes import open_phonetic_indexes
from searcher.tuning.confusion import learn_confusion
from searcher.tuning.labels import make_transcript
from std.phonetics import confusion
from std.phonetics.confusion import Counts

DECAYS = (0.2, 0.25, 0.275, 0.3, 0.35, 0.45)
POWERS = (0.25, 0.5, 0.75, 1.0)


def counted(one: Material) -> Counts:
    """The confusions of missed words of one set."""
    recordings = tuple(indexed.recording for indexed in one.segment.recordings)
    rows = {recording: i for i, recording in enumerate(recordings)}
    indexes, _ = open_phonetic_indexes([one.segment], rows, one.config, None)
    assert indexes is not None
    return learn_confusion(make_transcript(one.data.lexemes, recordings, one.config.text), indexes)


def cross_entropy(counts: Counts) -> float:
    """Mean negative log probability of the phone heard, where it was another one than said."""
    nothing = Counts(
        counts.inventory,
        np.zeros_like(counts.substituted),
        np.zeros_like(counts.deleted),
        np.zeros_like(counts.inserted),
        counts.background,
    )
    prior, _ = confusion.probabilities(nothing)
    np.fill_diagonal(prior, 0.0)
    prior /= prior.sum(axis=1, keepdims=True)
    others = counts.substituted - np.diag(np.diag(counts.substituted))
    seen = others > 0
    return float(-(others[seen] * np.log(prior[seen])).sum() / others.sum())


def lines(of_sets: list[Counts]) -> Iterator[str]:
    """A line for each pair of values."""
    for decay in DECAYS:
        for power in POWERS:
            with mock.patch.multiple(confusion, DECAY=decay, FREQUENT=power):
                values = [cross_entropy(counts) for counts in of_sets]
            cells = " | ".join(f"{value:.3f}" for value in (*values, np.mean(values)))
            yield f"| {decay} | {power} | {cells} |"


def main() -> None:
    """Print the table."""
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("data", type=Path)
    args = parse.parse_args()
    print(f"| decay | power | {' | '.join(SETS)} | mean |\n|{'---|' * (len(SETS) + 3)}")
    of_sets = [counted(material(args.data, name, language)) for name, language in SETS.items()]
    for line in lines(of_sets):
        print(line)


if __name__ == "__main__":
    main()
