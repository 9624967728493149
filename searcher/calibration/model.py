"""A model of `std-tune`, and what is shipped; `searcher.evidence.model_file` is a model's file.

    WEIGHTS         of evidence by words and by phones, learned by `benchmarks.calibration`
    HEARD_WEIGHTS   of the phones heard, learned by `benchmarks.heard_evidence`

Both benchmarks write what they learned into this module: ``--write searcher/calibration/model.py``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from searcher.calibration.weights import Weights
from std.phonetics.confusion import Counts, empty

DOUBT = "spoken_doubt"  # a figure: how little of what was spoken the recogniser's networks have

WEIGHTS = Weights(
    -5.307,
    {
        "common": -1.3,
        "expected": -0.5205,
        "known": -2.099,
        "length": 0.18,
        "log_e_rate": -0.6715,
        "logit": 0.4883,
        "longest": -0.1346,
        "path": -0.08982,
        "relative": 3.907,
        "slowness": 1.178,
        "spelling": 5.709,
        "split": 3.64,
        "spoken": 3.339,
        "surplus": -0.1828,
        "unlikely_surplus": 0.2697,
        "words": 5.02,
    },
)
HEARD_WEIGHTS = Weights(
    -0.8342,
    {
        "alone": 2.949,
        "alone_fit": 1.33,
        "alone_phones": 2.505,
        "fit": 0.7928,
        "log_e_curve": -0.01855,
        "log_e_rate": -0.3755,
    },
)


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A phone confusion matrix and weights of evidence."""

    pronouncer: str  # of the index: ``espeak-ng:de``
    confusion: Counts
    weights: Weights
    tuned_on: Mapping[str, float] = field(default_factory=dict)

    @property
    def spoken_doubt(self) -> float | None:
        """One minus the mean posterior of the spoken words; None without a transcript."""
        return self.tuned_on.get(DOUBT)

    @property
    def language(self) -> str:
        """Language code, part of the pronouncer's name."""
        return self.pronouncer.rpartition(":")[2]


@cache
def default_model() -> Model:
    """The shipped weights, without confusions: learned on several sets, see docs/calibration.md."""
    return Model("", empty([]), WEIGHTS)
