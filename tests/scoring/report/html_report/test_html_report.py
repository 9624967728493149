"""The numbers of the HTML report against the evaluation."""

import dataclasses

import numpy as np
import pytest

from scoring.cli import main
from scoring.evaluate import evaluate
from scoring.options import ScoringOptions
from scoring.report.html_report import detection_errors, render
from scoring.report.html_report import views as page_views
from scoring.report.html_report.document import all_views
from scoring.report.html_report.views import loss_by_unit, views
from scoring.statistics.significance import compare_systems
from tests.scoring.nist_sets import NIST, evaluated
from tests.scoring.report.html_report.pages import Page, page, small

pytestmark = pytest.mark.slow


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


@pytest.mark.parametrize(
    "scores", [[7.0], [-1e99], [1e20], [3e9, 3e9 + 1e-6], [-np.inf, -1e99, np.inf], [np.inf]]
)
def test_any_scores_can_be_drawn(scores):
    """A list may have one finite score, such as the lowest number that a program knows."""
    hits = [("alpha", 10.0 * i, score, True) for i, score in enumerate(scores, start=1)]
    assert 'id="thresholds-0"' in render([evaluate(*small(hits))])


def test_systems_of_one_name_are_told_apart_in_every_table():
    """Two runs of one system have its id in common; their files' names are the labels."""
    two = [evaluated("s1"), dataclasses.replace(evaluated("s1"))]
    table = all_views(views(two, ["first", "second"]))
    assert [row[0] for row in table.rows] == ["first", "second"]
    assert table.columns[0].name == "system"


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
