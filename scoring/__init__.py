"""Scoring: what a hit list is worth, against a reference transcript.

    hit list, ECF, RTTM, term list --evaluate--> Evaluation --> report, csv_tables, plot, page
        occurrences              where the terms are said
        align, segments          who is paired with whom
        counts, twv, det         what that is worth, at the decisions and at every threshold
        cnxe, calibration        what the scores tell
        bootstrap, significance  and how much of it is chance
    discovery                    the measures of unsupervised term discovery

Start with `scoring.evaluate`: the whole way on one screen. For notebooks there are functions that
take lists or arrays and give plain results; everything named here can be imported from `scoring`:

    >>> from scoring import term_weighted_value
    >>> term_weighted_value(correct=[2, 1], false_alarms=[0, 0], targets=[2, 1], trials=100)
    1.0
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scoring.api import (
        average_precisions,
        detection_curve,
        normalised_cross_entropy,
        pair_hits,
        score_files,
        term_weighted_value,
        terms_table,
    )
    from scoring.evaluate import Evaluation
    from scoring.group import Group
    from scoring.measures.det import maximum
    from scoring.measures.twv import OperatingPoint
    from scoring.options import Options
    from scoring.report.plot import det_figure
    from scoring.statistics.significance import permutation_p_value, statistics

__all__ = [
    "Evaluation",
    "Group",
    "OperatingPoint",
    "Options",
    "average_precisions",
    "det_figure",
    "detection_curve",
    "maximum",
    "normalised_cross_entropy",
    "pair_hits",
    "permutation_p_value",
    "score_files",
    "statistics",
    "term_weighted_value",
    "terms_table",
]

# A command that only prints its help must not load numpy: names are looked up when asked for.
_HOME = {
    "Evaluation": "evaluate",
    "Group": "group",
    "OperatingPoint": "measures.twv",
    "Options": "options",
    "det_figure": "report.plot",
    "maximum": "measures.det",
    "permutation_p_value": "statistics.significance",
    "statistics": "statistics.significance",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'scoring' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"scoring.{_HOME.get(name, 'api')}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
