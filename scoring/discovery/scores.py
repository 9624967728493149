"""The values of one evaluation, and why any of them is undefined (NaN)."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from scoring.discovery.partners import TalkerScope


class Rates(NamedTuple):
    """A precision and a recall; NaN where there is nothing to divide by."""

    precision: float
    recall: float

    @property
    def fscore(self) -> float:
        """2 P R / (P + R); 0 when both are 0 (zerospeech-tde 2 fails), NaN when one is undefined.

        >>> Rates(0.5, 1.0).fscore, Rates(0.0, 0.0).fscore
        (0.6666666666666666, 0.0)
        """
        if self.precision + self.recall == 0:
            return 0.0
        return 2 * self.precision * self.recall / (self.precision + self.recall)


def ratio(part: float, whole: float) -> float:
    """``part / whole``, NaN when the whole is empty."""
    return part / whole if whole else math.nan


ProfileName = Literal["zrc2017", "zrc2015", "definition"]

RATES = ("boundary", "token", "type", "grouping", "matching")  # in the order people print them
PARTS = ("precision", "recall", "fscore")


@dataclass(frozen=True, slots=True)
class Scores:
    """Every measure on one set of fragments; NaN where undefined."""

    boundary: Rates
    token: Rates
    type: Rates
    grouping: Rates
    matching: Rates
    coverage: float
    ned: float
    counts: Mapping[str, int] = field(default_factory=dict)  # sizes of the measures' inputs
    notes: Mapping[str, str] = field(default_factory=dict)  # remarks, by measure

    def __iter__(self) -> Iterator[tuple[str, str, float]]:
        """Yield (measure, part, value); coverage and ned have the part ''."""
        for measure in RATES:
            rates: Rates = getattr(self, measure)
            for part in PARTS:
                yield measure, part, getattr(rates, part)
        yield "coverage", "", self.coverage
        yield "ned", "", self.ned

    def reasons(self) -> dict[str, str]:
        """Why values are NaN, and where the published tool would have crashed."""
        why = {
            "precision": "nothing was discovered that could be right or wrong",
            "recall": "the gold annotation has nothing to find",
            "fscore": "precision or recall is undefined",
        }
        reasons = dict(self.notes)
        for measure, part, value in self:
            if math.isnan(value):
                name = f"{measure}.{part}" if part else measure
                reasons[name] = why.get(part) or UNDEFINED[measure]
            elif part == "fscore" and value == 0:
                reasons.setdefault(f"{measure}.fscore", "precision and recall are 0: taken as 0")
        return reasons


UNDEFINED = {
    "coverage": "the discovered or the discoverable part of the corpus is empty",
    "ned": "no two fragments form a pair",
}


@dataclass(frozen=True, slots=True)
class Spread:
    """A measure over folds; population standard deviation."""

    mean: float
    std: float
    min: float
    max: float


@dataclass(frozen=True, slots=True)
class DiscoveryEvaluation:
    """The scores of a class file in one profile."""

    profile: ProfileName
    scores: Mapping[TalkerScope, Scores]  # "all", and "within" and "cross" when talkers are known
    fold_scores: tuple[Scores, ...] = ()
    spread: Mapping[tuple[str, str], Spread] = field(default_factory=dict)  # (measure, part)
