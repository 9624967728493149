"""The report that people look at: one HTML file that needs neither network nor server.

    views      Evaluations -> what is shown of each system: a thinned curve, terms, calibration
    mistakes   misses and false alarms, each with what was nearest to it, and why
    charts     the same as drawings: DET, measures by threshold, calibration (inline SVG)
    tables     what stands in the HTML itself: scores, calibration, chance, what is left out
    document   all of it and `page.html`, `page.css`, `page.js` in one text

The page is whole without JavaScript but for the tables and the slider, which read their numbers
from one JSON element. Text from the inputs enters as text only: escaped in HTML, with ``<`` as an
escape in JSON, and the page's own policy lets no other script run and nothing be fetched.
"""

from scoring.report.page.document import render

__all__ = ["render"]
