"""The options of an evaluation: their ranges, the operating point, and all as one value.

Sources of the named points: NIST STD 2006 evaluation plan; MediaEval 2013 SWS performance measures,
section 3 and equation 21; the QUESST 2014 setting.
"""

from dataclasses import dataclass, field
from typing import Literal, get_args

from std.errors import StdError, require_choice
from std.ranges import Range

COST = Range(0.000001, 1_000_000)  # of a false alarm, of a miss
PRIOR = Range(0.000000000001, 1, below=True)  # probability that a trial is a target
BETA = Range(0.000000001, 1_000_000_000_000_000)  # what costs and prior come to
TRIALS_PER_SECOND = Range(0, 1_000_000, above=True)
SECONDS = Range(0, 1_000_000)  # between a hit and its reference, between two words
REPLICATES = Range(0, 1_000_000, whole=True)
CONFIDENCE = Range(0, 1, above=True, below=True)
ISO_RATIO = Range(0, 1_000_000_000, above=True)  # P_miss / P_fa

# By name: costs of false alarm and miss, prior; None where the prior depends on the reference.
NAMED_POINTS: dict[str, tuple[float, float, float | None]] = {
    "nist2006": (0.1, 1.0, 1e-4),
    "sws2012": (1.0, 1.0, None),
    "sws2013": (1.0, 100.0, 0.00015),
    "quesst2014": (1.0, 100.0, 0.0008),
}

ScoreKind = Literal["probability", "llr"]
Number = Literal["probability", "score"]  # of a hit


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """Costs of a false alarm and a miss, and the prior probability of a target.

    >>> round(OperatingPoint().beta, 6)
    999.9
    """

    cost: float = 0.1  # C, of a false alarm
    value: float = 1.0  # V, of a correct detection: the cost of a miss
    prior: float = 1e-4  # probability that a trial is a target

    def __post_init__(self) -> None:
        for name, span in (("cost", COST), ("value", COST), ("prior", PRIOR), ("beta", BETA)):
            try:
                span.require(getattr(self, name))
            except ValueError as error:
                raise StdError(f"operating point: {name}: {error}") from error

    @property
    def beta(self) -> float:
        """Weight of P_fa against P_miss: (C / V) (1 / prior - 1)."""
        return self.cost / self.value * (1 / self.prior - 1)


@dataclass(frozen=True, slots=True)
class ScoringOptions:
    """Options of an evaluation; the defaults are those of NIST's scorer."""

    point: OperatingPoint | None = field(default_factory=OperatingPoint)  # None: as of SWS 2012
    scores: ScoreKind | None = None  # what scores are; None: probabilities if all are in [0, 1]
    number: Number | None = (
        None  # that all measures take; None: Cnxe and calibration the probability
    )
    max_gap_s: float = 0.5  # between two words of a term
    tolerance_s: float = 0.5  # between a hit's middle and its occurrence
    trials_per_second: float = 1.0
    all_terms: bool = False  # count terms without references too: their false alarms matter
    searched_terms_only: bool = False  # leave out terms that the hit list does not mention
    pooled: bool = False  # one block of trials instead of means over terms
    segments: bool = False  # speech segments as trials instead of seconds
    characters: bool = False  # compare by characters
    keep_ascii: bool = False  # of these, leave runs of ASCII together
    delete_hyphens: bool = False  # before comparing by characters
    recordings: tuple[str, ...] = ()  # score only these: regular expressions found in file/channel
    group_by: tuple[str, ...] = ()  # see scoring.slicing

    def __post_init__(self) -> None:
        SECONDS.argument("max_gap_s", self.max_gap_s)
        SECONDS.argument("tolerance_s", self.tolerance_s)
        TRIALS_PER_SECOND.argument("trials_per_second", self.trials_per_second)
        require_choice("scores", self.scores, (None, *get_args(ScoreKind)))
        require_choice("number", self.number, (None, *get_args(Number)))
