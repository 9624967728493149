"""A model of `std-tune`, and the shipped model; `searcher.evidence.model_file` is its file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from searcher.calibration.default_weights import WEIGHTS
from searcher.calibration.weights import Weights
from std.phonetics.confusion import Counts, empty

DOUBT = "spoken_doubt"  # a figure: how little of what was spoken the recogniser's networks have


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
