"""The HTML report as a page: its text inert, nothing fetched, its structure and colours sound."""

import base64
import hashlib
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from scoring.evaluate import evaluate
from scoring.report.html_report import render
from scoring.report.html_report import views as page_views
from std.values import (
    Lexemes,
    Term,
    TermList,
)
from tests.scoring.nist_sets import evaluated
from tests.scoring.report.html_report.pages import Page, small

pytestmark = pytest.mark.slow

HOSTILE = (
    "</script><script>alert(1)</script><!-- \u2028 & \"quoted\" 'x' <img src=x onerror=alert(2)>"
)


def test_text_is_inert():
    hits = [(HOSTILE, 10.1, 0.9, True), (HOSTILE, 500.0, 0.8, True), (HOSTILE, 3000.0, 0.8, True)]
    given_ = small(hits, words=("said",), terms=(HOSTILE,), file=HOSTILE)
    lexemes = replace(given_[1], words=(HOSTILE,))
    terms = TermList((Term("T-0", HOSTILE),))
    # A term is compared word by word; this one is said as such a row of words.
    words = HOSTILE.split()
    n = len(words)
    lexemes = Lexemes(
        *(lexemes.recordings, ("s",), np.zeros(n, np.int32), np.zeros(n, np.int32)),
        *(10 + 0.1 * np.arange(n), np.full(n, 0.1), tuple(words), ("lex",) * n),
    )
    evaluation = evaluate(given_[0], lexemes, terms, replace(given_[3], system_id=HOSTILE))
    text = render([evaluation], inputs={HOSTILE: HOSTILE})
    got = Page(text)
    assert [tag for tag, _ in got.elements].count("script") == 2
    assert not [tag for tag, _ in got.elements if tag == "img"]
    assert not [name for _, attributes in got.elements for name in attributes if name[:2] == "on"]
    (view,) = got.numbers["views"]
    assert view["label"] == HOSTILE
    assert view["terms"]["columns"]["text"] == [HOSTILE]
    assert view["alarms"]["columns"]["file"] == [HOSTILE]


@pytest.mark.parametrize("names", [("s1",), ("s1", "s9", "s6")])
def test_nothing_is_fetched_and_only_our_own_script_runs(names):
    text = render([evaluated(name) for name in names], names=names)
    assert "http:" not in text
    assert "https:" not in text
    got = Page(text)
    (policy,) = [one["content"] for tag, one in got.elements if one.get("http-equiv")]
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
    for name, source in (("style-src", style), ("script-src", got.scripts[1])):
        digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        assert f"{name} 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';")
    assert not got.attributes("style")  # the policy would refuse them


@pytest.mark.parametrize("names", [("s1",), ("s1", "s9", "s6")])
def test_structure_for_those_who_listen(names):
    got = Page(render([evaluated(name) for name in names], names=names))
    tags = Counter(tag for tag, _ in got.elements)
    assert not got.open
    assert [tags[one] for one in ("main", "header", "nav", "footer", "h1")] == [1] * 5
    ids = got.attributes("id")
    assert len(ids) == len(set(ids))
    references = " ".join(got.attributes("aria-labelledby") + got.attributes("for")).split()
    references += [one[1:] for one in got.attributes("href") if one.startswith("#")]
    assert set(references) <= set(ids)
    assert all("scope" in one for tag, one in got.elements if tag == "th")
    drawings = [one for tag, one in got.elements if tag == "svg"]
    assert all(one.get("role") == "img" or one.get("aria-hidden") for one in drawings)
    labelled = set(got.attributes("for"))
    fields = [one["id"] for tag, one in got.elements if tag in ("input", "select")]
    assert fields
    assert set(fields) <= labelled


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def test_colours_stand_out():
    """WCAG 2: text at 4.5 to 1, drawings at 3 to 1, in light, dark and print."""
    style = (Path(page_views.__file__).parent / "report.css").read_text()
    palettes = [dict(re.findall(r"--(\w+): (#\w{6})", one)) for one in style.split(":root {")[1:]]
    assert len(palettes) == 3
    for palette in palettes:
        for name, colour in palette.items():
            pair = sorted((luminance(palette["paper"]), luminance(colour)), reverse=True)
            contrast = (pair[0] + 0.05) / (pair[1] + 0.05)
            least = {"paper": 1, "shade": 1, "rule": 1, "grid": 1}.get(name)
            least = least or (4.5 if name in ("ink", "soft", "link") else 3)
            assert contrast >= least, (name, colour, contrast)
