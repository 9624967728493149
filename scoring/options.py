"""The options of an evaluation, as one value."""

from dataclasses import dataclass, field
from typing import Literal

from scoring.measures.twv import OperatingPoint

ScoreKind = Literal["probability", "llr"]
Number = Literal["probability", "score"]  # of a hit


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
