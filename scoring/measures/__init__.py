"""The measures, each a pure function of counts or scores.

    MEASURES    the properties of each measure for the summary, the intervals and the report
    WEIGHED     the measures with confidence intervals

`scoring.group.measure` computes the values, `scoring.statistics.weighed` computes them under
weights.
"""

from collections.abc import Mapping
from math import inf
from typing import Literal, NamedTuple

Scale = Literal["odds", "root"]


class Measure(NamedTuple):
    """A measure in the summary: how it is printed, and which confidence intervals it may have."""

    form: str = ".4f"  # of format()
    scale: Scale | None = None  # of intervals that are not as wide to both sides
    limits: tuple[float, float] | None = None  # of an interval; None: it has none
    heading: str = ""  # "": the name


MEASURES: Mapping[str, Measure] = {
    "P_miss": Measure(".3f", "odds", (0, 1)),
    "P_fa": Measure(".5f", "odds", (0, 1)),
    "ATWV": Measure(scale="root", limits=(-inf, 1)),
    "MTWV": Measure(scale="root", limits=(-inf, 1)),
    "MTWV_threshold": Measure(".3f", heading="thresh"),
    "OTWV": Measure(scale="root", limits=(-inf, 1)),
    "STWV": Measure(scale="odds", limits=(0, 1)),
    "MAP": Measure(scale="odds", limits=(0, 1)),
    "Cnxe": Measure(limits=(0, inf)),
    "Cnxe_min": Measure(limits=(0, 1)),
}
WEIGHED = {name: measure for name, measure in MEASURES.items() if measure.limits}
