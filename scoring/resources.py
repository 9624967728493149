"""Computational resources: speed factors, peak memory, and the processing load that combines them.

    ISF = indexing CPU time / duration of the audio                              (no unit)
    SSF = searching CPU time / (duration of the queries * duration of the audio) (per second)
    PL  = lambda * ISF * PMU_indexing + (1 - lambda) * SSF * PMU_searching

PMU is the peak memory of a phase in GB. SSF has the dimension of one over time: `std-search`
states it per second, counting one second per query, since a written query has no duration.

Source: MediaEval 2013 SWS performance measures, section 4.3, equations 46-48. (The example there,
48 h / (0.25 h * 300 h) = 0.8 per hour, is a slip: the formula gives 0.64.)
"""

from pathlib import Path
from typing import NamedTuple

from std.json_fields import Part, read_json
from std.ranges import Range

MAX_BYTES = 1 << 26  # of a file with figures
LAMBDA = 0.1  # the weight of indexing that the source suggests
FIGURE = Range(0, 1_000_000_000)  # any of them


class Resources(NamedTuple):
    """Costs of both phases."""

    isf: float
    ssf_per_second: float
    indexing_peak_memory_gb: float
    searching_peak_memory_gb: float

    def processing_load(self, weight: float = LAMBDA) -> float:
        """PL, equation 48.

        >>> round(Resources(0.7467, 0.64, 2.0, 4.0).processing_load(), 6)
        2.45334
        """
        indexing = self.isf * self.indexing_peak_memory_gb
        searching = self.ssf_per_second * self.searching_peak_memory_gb
        return weight * indexing + (1 - weight) * searching


def read_resources(indexing: Path, searching: Path) -> Resources:
    """Read the figures that ``std-index --json`` and ``std-search --json`` printed.

    Raises:
        InputError: a file is not such a document, or a figure is missing.
    """
    index, search = read_json(indexing), read_json(searching)
    return Resources(
        _figure(index, "isf"),
        _figure(search, "ssf"),
        _figure(index, "peak_memory_gb"),
        _figure(search, "peak_memory_gb"),
    )


def _figure(document: Part, name: str) -> float:
    return document[name].within(FIGURE)
