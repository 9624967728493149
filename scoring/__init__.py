"""Scoring of hit lists against a reference transcript, as NIST and MediaEval do.

    ECF, transcript, term list --read_reference--> Reference
    hit list, Reference        --score_hits-->     Evaluation --> report, statistics

    reference                 transcripts in RTTM, and in formats of a given reader
    files                     read a reference, score hit lists, check files
    evaluate, group, slicing  pair hits with occurrences, count, measure: the whole and its slices
    matching                  counts by term, segment-based and character-based scoring
    measures                  TWV, DET, Cnxe, precision, calibration
    statistics                confidence intervals and significance
    report                    summary, CSV and HTML tables, plots, the HTML report
    discovery                 the ZeroSpeech measures of unsupervised term discovery

Start with `scoring.evaluate`. Everything named in ``__all__`` can be imported from `scoring`; the
functions for notebooks take lists or arrays and give plain results:

    >>> from scoring import term_weighted_value
    >>> term_weighted_value(correct=[2, 1], false_alarms=[0, 0], targets=[2, 1], trials=100)
    1.0
"""

from typing import TYPE_CHECKING

from std.imports import lazy_names

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
    from scoring.files import CheckedFile, Reference, check_files, read_reference, score_hits
    from scoring.group import Group
    from scoring.measures.det import maximum
    from scoring.options import NAMED_POINTS, OperatingPoint, ScoringOptions
    from scoring.reference import Reader, read_transcript, remarks, speech_of, write_reference
    from scoring.report.csv_tables import evaluation_rows, system_names
    from scoring.report.plot import LabelledCurve, det_figure
    from scoring.report.summary import (
        resources_document,
        summary_document,
        summary_text,
        summary_warnings,
    )
    from scoring.report.write import Drawing, write_report
    from scoring.resources import Resources, read_resources
    from scoring.statistics.significance import Statistics, compare_systems, permutation_p_value

__all__ = [
    "NAMED_POINTS",
    "CheckedFile",
    "Drawing",
    "Evaluation",
    "Group",
    "LabelledCurve",
    "OperatingPoint",
    "Reader",
    "Reference",
    "Resources",
    "ScoringOptions",
    "Statistics",
    "average_precisions",
    "check_files",
    "compare_systems",
    "det_figure",
    "detection_curve",
    "evaluation_rows",
    "maximum",
    "normalised_cross_entropy",
    "pair_hits",
    "permutation_p_value",
    "read_reference",
    "read_resources",
    "read_transcript",
    "remarks",
    "resources_document",
    "score_files",
    "score_hits",
    "speech_of",
    "summary_document",
    "summary_text",
    "summary_warnings",
    "system_names",
    "term_weighted_value",
    "terms_table",
    "write_reference",
    "write_report",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "api": (
            "average_precisions detection_curve normalised_cross_entropy pair_hits "
            "score_files term_weighted_value terms_table"
        ),
        "evaluate": "Evaluation",
        "files": "CheckedFile Reference check_files read_reference score_hits",
        "group": "Group",
        "measures.det": "maximum",
        "options": "NAMED_POINTS OperatingPoint ScoringOptions",
        "reference": "Reader read_transcript remarks speech_of write_reference",
        "report.plot": "LabelledCurve det_figure",
        "report.csv_tables": "evaluation_rows system_names",
        "report.summary": "resources_document summary_document summary_text summary_warnings",
        "report.write": "Drawing write_report",
        "resources": "Resources read_resources",
        "statistics.significance": "Statistics compare_systems permutation_p_value",
    },
)
