"""The mistakes that the HTML report lists: why, and how many of them."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.evaluate import evaluate
from scoring.measures.det import DET
from scoring.report.det_axes import thin
from scoring.report.html_report import detection_errors, render, tables
from scoring.report.html_report.views import views
from std.values import (
    ECF,
    Detections,
    Excerpt,
    Recording,
)
from tests.scoring.nist_sets import evaluated
from tests.scoring.report.html_report.pages import HITS, Page, small

pytestmark = pytest.mark.slow


def test_every_mistake_says_why():
    (view,) = Page(render([evaluate(*small(HITS))])).numbers["views"]
    misses, alarms = view["misses"]["columns"], view["alarms"]["columns"]
    rows = zip(*(misses[key] for key in ("text", "start", "score", "why")), strict=True)
    assert list(rows) == [
        ("beta", 20, None, "nearest detection 29.00 s away: 50.00 to 51.00 s, score 0.8"),
        ("alpha", 30, 0.3, "detected, but decided NO"),
    ]
    assert list(zip(alarms["text"], alarms["start"], alarms["why"], strict=True)) == [
        ("beta", 50, "nearest occurrence 29.50 s away: 20.00 to 21.00 s"),
        ("alpha", 10.3, "a second detection of the occurrence at 10.00 to 11.00 s, already paired"),
    ]
    assert misses["loss"] == [0.5, 0.25]  # of two terms: all of one, half of the other


def test_false_alarms_inside_other_words_say_so():
    ecf, lexemes, terms, hits = small([("alpha", 10, 0.9, True), ("alpha", 20, 0.8, True)])
    words = tuple({"beta": "Alphabetes"}.get(word, word) for word in lexemes.words)
    found = evaluate(ecf, replace(lexemes, words=words), terms, hits)
    (view,) = Page(render([found])).numbers["views"]
    (why,) = view["alarms"]["columns"]["why"]
    assert why.endswith("; inside “Alphabetes”")


def test_reasons_without_anything_near():
    evaluation = evaluate(
        *small([("alpha", 10.0, 0.9, True)], ("alpha", "beta"), ("alpha", "beta"))
    )
    (view,) = Page(render([evaluation])).numbers["views"]
    assert view["misses"]["columns"]["why"] == ["no detection in this recording"]
    two = small([("alpha", 10, 0.9, True), ("alpha", 10.2, 0.1, True)])
    moved = Recording("other", 1)
    found = replace(
        two[3].detections,
        recordings=(Recording("news", 1), moved),
        recording=np.array([0, 1], np.int32),
    )
    speech = ECF((*two[0].excerpts, Excerpt(moved, 0, 100)))
    evaluation = evaluate(speech, *two[1:3], replace(two[3], detections=found))
    (view,) = Page(render([evaluation])).numbers["views"]
    assert view["alarms"]["columns"]["why"] == ["no occurrence in this recording"]


@pytest.mark.parametrize("name", ["s1", "s9"])
def test_nearest_is_nearest(name):
    """Against every pair, one by one."""
    (view,) = views([evaluated(name)], ["x"])
    group = view.group
    columns = detection_errors.false_alarms(view, 50).columns
    spans = Counter()
    for i in range(len(group.occurrences)):
        where = group.occurrences.recordings[group.occurrences.recording[i]]
        key = (
            view.evaluation.terms.terms[group.occurrences.term[i]].text,
            where.file,
            where.channel,
        )
        span = (float(group.occurrences.start_s[i]), float(group.occurrences.end_s[i]))
        spans[(*key, *span)] += 1
    for text, file, channel, start_s, end_s, why in zip(
        *(columns[key] for key in ("text", "file", "channel", "start", "end", "why")), strict=True
    ):
        middle = (start_s + end_s) / 2
        apart = [
            max(one[3] - middle, middle - one[4], 0)
            for one in spans
            if one[:3] == (text, file, channel)
        ]
        if not apart:
            assert why == "no occurrence in this recording"
        elif min(apart) > 0.5:
            assert why.startswith(f"nearest occurrence {min(apart):.2f} s away")
        else:
            assert why.startswith("a second detection")


def test_long_lists_are_cut_and_say_so(monkeypatch):
    monkeypatch.setattr("scoring.report.html_report.document.MAX_ERRORS", 150)
    monkeypatch.setattr(tables, "MAX_IGNORED", 2)
    outside = [("alpha", 2000.0 + i, 0.5, True) for i in range(5)]
    text = render([evaluated("s2"), evaluate(*small([*HITS, *outside]))])
    view, _ = Page(text).numbers["views"]
    assert view["misses"]["total"] > len(view["misses"]["columns"]["why"]) == 100
    assert "Show the detections (first 2 of 5; all in ignored.csv)" in text


probabilities = st.lists(st.floats(0, 1), min_size=1, max_size=60)


@settings(max_examples=50)
@given(probabilities, st.integers(3, 20))
def test_thinning_keeps_ends_and_maximum(p_miss, limit):
    n = len(p_miss)
    falling = np.sort(np.array(p_miss))
    p_fa = np.linspace(0.1, 0, n)
    twv = 1 - falling - 5 * p_fa
    none = np.full(n, np.nan)
    whole = DET(np.arange(n) / n, falling, p_fa, twv, none, none, none, 3)
    kept = thin(whole, limit)
    assert len(kept) <= max(limit, 3)
    assert (np.diff(kept) > 0).all()
    assert {0, n - 1, int(np.argmax(twv >= twv.max() - 1e-12))} <= set(kept.tolist())


def test_of_many_points_few_are_kept_and_the_page_stays_small(monkeypatch):
    draw = np.random.default_rng(3)
    n, terms = 60_000, 10_000
    texts = tuple(f"term{i}" for i in range(terms))
    given_ = small((), words=texts, terms=texts)
    found = Detections(
        given_[3].detections.terms,
        (Recording("news", 1),),
        draw.integers(0, terms, n).astype(np.int32),
        np.zeros(n, np.int32),
        draw.uniform(0, 99_000, n),
        np.full(n, 0.5),
        draw.random(n),
        draw.random(n) > 0.5,
    )
    speech = ECF((Excerpt(Recording("news", 1), 0, 101_000),))
    evaluation = evaluate(speech, *given_[1:3], replace(given_[3], detections=found))
    text = render([evaluation])
    (view,) = Page(text).numbers["views"]
    assert len(view["curve"]["threshold"]) <= 1000
    assert len(view["terms"]["columns"]["id"]) == terms
    monkeypatch.setattr("scoring.report.html_report.document.MAX_TERMS", 0)
    (least,) = Page(render([evaluation])).numbers["views"]
    assert least["terms"]["total"] == terms > len(least["terms"]["columns"]["id"]) == 1000
    assert least["terms"]["columns"]["loss"] == view["terms"]["columns"]["loss"][:1000]
    assert len(view["alarms"]["columns"]["why"]) == 2000 < view["alarms"]["total"]
    assert len(text) < 2_500_000
