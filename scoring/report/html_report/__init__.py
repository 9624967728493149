"""The HTML report: one self-contained file that needs no server and no network.

    views             Evaluations -> the numbers shown of each system: curve, terms, calibration
    detection_errors  misses and false alarms, each with the nearest hit or occurrence
    charts            drawings as inline SVG: DET, measures by threshold, calibration
    tables            tables written as HTML: scores, resampling, what is not scored
    document          calibration, and all of it in one text: `report.html`, with its CSS and script

Without JavaScript everything is shown except the sortable tables and the threshold slider, which
read their numbers from one JSON element. Text from the inputs is always data: escaped in HTML, with
``<`` as an escape in JSON, and the content security policy lets no other script run and nothing be
fetched.
"""

from scoring.report.html_report.document import render

__all__ = ["render"]
