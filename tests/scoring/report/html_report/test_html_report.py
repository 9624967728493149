"""The HTML report: its numbers against the evaluation, its text inert, its structure sound."""

import base64
import hashlib
import json
import re
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.cli import main
from scoring.evaluate import evaluate
from scoring.measures.det import DET
from scoring.options import ScoringOptions
from scoring.report.det_axes import thin
from scoring.report.html_report import detection_errors, render, tables
from scoring.report.html_report import views as page_views
from scoring.report.html_report.views import loss_by_unit, views
from scoring.statistics.significance import compare_systems
from std.values import (
    ECF,
    Detections,
    Excerpt,
    Lexemes,
    Recording,
    STDList,
    Term,
    TermList,
    TermSearch,
)
from tests.scoring.nist_sets import NIST, evaluated

pytestmark = pytest.mark.slow

HOSTILE = (
    "</script><script>alert(1)</script><!-- \u2028 & \"quoted\" 'x' <img src=x onerror=alert(2)>"
)
VOID = {"meta", "link", "input", "img", "br"}


def small(hits=(), words=("alpha", "beta", "alpha"), terms=("alpha", "beta"), file="news"):
    """Words of 1 s at 10, 20, 30, ... s of 1000 s; hits are (term, start_s, score, yes)."""
    where = Recording(file, 1)
    n, index = len(words), {term: i for i, term in enumerate(terms)}
    lexemes = Lexemes(
        *((where,), ("speaker",), np.zeros(n, np.int32), np.zeros(n, np.int32)),
        *(np.arange(1, n + 1) * 10.0, np.ones(n), tuple(words), ("lex",) * n),
    )
    term_list = TermList(tuple(Term(f"T-{i}", term) for i, term in enumerate(terms)))
    table = tuple(one.term_id for one in term_list.terms)
    rows = [(index[term], start_s, score, yes) for term, start_s, score, yes in hits]
    term, start_s, score, yes = zip(*rows, strict=True) if rows else ((), (), (), ())
    found = Detections(
        *(table, (where,), np.array(term, np.int32), np.zeros(len(rows), np.int32)),
        *(np.array(start_s, float), np.full(len(rows), 1.0)),
        *(np.array(score, float), np.array(yes, bool)),
    )
    searches = tuple(TermSearch() for _ in table)
    return (
        ECF((Excerpt(where, 0, 1000),)),
        lexemes,
        term_list,
        STDList(found, searches, system_id="small"),
    )


HITS = (
    ("alpha", 10.1, 0.9, True),  # correct
    ("alpha", 10.3, 0.4, True),  # a second detection of the same
    ("alpha", 30.0, 0.3, False),  # decided NO
    ("beta", 50.0, 0.8, True),  # 29 s after the occurrence
)


class Page(HTMLParser):
    """Elements with their attributes, and the text of each script."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.scripts, self.open = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, text):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += text

    @property
    def numbers(self):
        return json.loads(self.scripts[0])

    def attributes(self, name):
        return [attributes[name] for _, attributes in self.elements if name in attributes]


@lru_cache
def page(name):
    return Page(render([evaluated(name)]))


@pytest.mark.parametrize("name", ["s1", "s2", "s6", "s9"])
def test_counts_are_those_of_the_evaluation(name):
    group, (view,) = evaluated(name).groups[0], page(name).numbers["views"]
    totals = group.counts.totals(group.counted)
    assert view["targets"] == totals.targets
    assert view["misses"]["total"] == totals.miss
    assert view["alarms"]["total"] == totals.fa
    assert view["terms"]["total"] == len(group.units)
    columns = view["terms"]["columns"]
    assert sum(columns["targets"]) == group.counts.targets.sum()
    assert sum(columns["correct"]) == group.counts.corr.sum()


@pytest.mark.parametrize("name", ["s1", "s2", "s6", "s9"])
def test_slider_values_are_points_of_the_curve(name):
    group, (view,) = evaluated(name).groups[0], page(name).numbers["views"]
    curve, det = view["curve"], group.det
    place = {f"{one:.9g}": i for i, one in enumerate(det.threshold.tolist())}
    rows = [place[f"{one:.9g}"] for one in curve["threshold"]]
    assert rows == sorted(rows)
    assert [rows[0], rows[-1]] == [0, len(det) - 1]
    for key, column in (("p_miss", det.p_miss), ("p_fa", det.p_fa), ("twv", det.twv)):
        assert curve[key] == pytest.approx(column[rows].tolist(), rel=1e-5, abs=1e-12)
    assert curve["threshold"][view["best"]] == pytest.approx(group.measures["MTWV_threshold"])
    # Counted one by one, the slow way.
    paired = group.alignment.occurrence_of >= 0
    for i in (0, len(rows) // 3, view["best"], len(rows) - 1):
        accepted = group.counted[group.hits.term] & (group.hits.score >= det.threshold[rows[i]])
        assert curve["correct"][i] == (accepted & paired).sum()
        assert curve["alarms"][i] == (accepted & ~paired).sum()


MODES = [
    ScoringOptions(),
    ScoringOptions(pooled=True),
    ScoringOptions(all_terms=True),
    ScoringOptions(tolerance_s=1.0),
]


@pytest.mark.parametrize("options", MODES, ids=["default", "pooled", "all terms", "tolerance"])
@pytest.mark.parametrize("name", ["s1", "s9"])
def test_costs_add_up_to_what_is_lost(name, options):
    evaluation = evaluated(name, options)
    (view,) = views([evaluation], ["x"])
    loss = loss_by_unit(view.group)
    assert np.nansum(loss) == pytest.approx(1 - view.group.measures["ATWV"], abs=1e-9)
    many = 1 << 30
    missed, wrong = detection_errors.misses(view, many), detection_errors.false_alarms(view, many)
    cost = sum(missed.columns["loss"]) + sum(wrong.columns["loss"])
    assert cost == pytest.approx(1 - view.group.measures["ATWV"], rel=1e-5)
    Page(render([evaluation]))


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


def test_std_score_writes_it(tmp_path, capsys):
    folder = NIST / "s9"
    arguments = [str(folder / "kwslist.xml.gz"), "--ecf", str(folder / "ecf.xml"), "--quiet"]
    arguments += ["--rttm", str(folder / "ref.rttm.gz"), "--terms", str(folder / "kwlist.xml")]
    assert main([*arguments, "--output", str(tmp_path)]) == 0
    got = Page((tmp_path / "report.html").read_text("utf-8"))
    assert got.numbers == page("s9").numbers
    capsys.readouterr()


def test_same_input_same_bytes():
    assert render([evaluated("s9")]) == render([evaluated("s9")])


def test_groups_of_one_system_are_views():
    options = ScoringOptions(group_by=("source-type", "has-references"))
    text = render([evaluated("s9", options)])
    labels = [view["label"] for view in Page(text).numbers["views"]]
    assert labels[1:] == [group.name for group in evaluated("s9", options).groups[1:]]
    assert len(labels) > 2
    assert "HasTargets" in text


def test_more_groups_than_can_be_told_apart(monkeypatch):
    monkeypatch.setattr(page_views, "MAX_VIEWS", 2)
    monkeypatch.setattr("scoring.report.html_report.document.MAX_VIEWS", 2)
    text = render([evaluated("s9")] * 3, names=["one", "two", "three"])
    assert [view["label"] for view in Page(text).numbers["views"]] == ["one", "two"]
    assert "the first 2 of 3" in text


def test_resampling_of_two_systems():
    options = ScoringOptions(group_by=("length",))
    both = [evaluated("s9", options), evaluated("s9", options)]
    statistics = compare_systems(both, replicates=20)
    text = render(both, names=["one", "two"], statistics=statistics)
    for group in statistics.groups:
        for name in ("ATWV", "Cnxe"):
            low, high = group.systems[0]["terms"][name]
            assert f"{low:.4f} to {high:.4f}".replace("-", "\N{MINUS SIGN}") in text
    assert "one \N{MINUS SIGN} two" in text
    Page(text)


@pytest.mark.parametrize(
    "hits",
    [(), [("alpha", 10.0, -3.5, True), ("beta", 20.0, 7.25, True)], [("alpha", 10.0, 2.0, False)]],
    ids=["no hits", "log-likelihood ratios", "one score"],
)
def test_scores_that_are_no_probabilities(hits):
    text = render([evaluate(*small(hits))])
    (view,) = Page(text).numbers["views"]
    assert "No calibration" in text
    assert "expected" not in view["terms"]["columns"]
    assert len(view["curve"]["threshold"]) == len(hits)
    assert view["best"] == -1 if not hits else view["best"] >= 0


def test_infinite_scores():
    infinite = float("inf")
    hits = [("alpha", 10, infinite, True), ("beta", 20, 3, True), ("beta", 50, -infinite, False)]
    (view,) = Page(render([evaluate(*small(hits))])).numbers["views"]
    assert view["curve"]["threshold"] == [None, 3, None]


def test_one_name_for_each():
    with pytest.raises(ValueError, match="1 evaluations, 2 names"):
        render([evaluated("s1")], names=["a", "b"])
    with pytest.raises(ValueError, match="0 evaluations"):
        render([])


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
