from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.evaluate import evaluate
from scoring.options import ScoringOptions
from scoring.statistics import bootstrap
from scoring.statistics.bootstrap import MEASURES, sample, weighed
from scoring.statistics.significance import compare_systems, permutation_p_value
from std.errors import StdError
from std.files import open_input
from std.nist import ecf, rttm, std_list, term_list
from std.values import Detections, STDList

NIST = Path(__file__).parents[2] / "data" / "nist"


@lru_cache
def inputs(name):
    values = []
    for module, file in (
        (ecf, "ecf.xml"),
        (rttm, "ref.rttm.gz"),
        (term_list, "kwlist.xml"),
        (std_list, "kwslist.xml.gz"),
    ):
        with open_input(NIST / name / file) as stream:
            values.append(module.parse(stream, file))
    with open_input(NIST / name / "ref.rttm.gz") as stream:
        turns = rttm.parse_turns(stream)
    return values, turns


def evaluated(name, options=None, change=None):
    values, turns = inputs(name)
    if change:
        values = change(*values)
    return evaluate(*values, options, turns=turns)


def sampled(evaluation):
    return sample(evaluation.groups[0], evaluation.options, evaluation.scores)


def ones(one):
    return np.ones(len(one.occurs)), np.ones(len(one.files))


@pytest.mark.parametrize("name", ["s1", "s2", "s6", "s9"])
@pytest.mark.parametrize(
    "options", [None, ScoringOptions(segments=True), ScoringOptions(scores="llr")]
)
def test_with_weights_of_one_it_is_the_evaluation(name, options):
    evaluation = evaluated(name, options)
    one = sampled(evaluation)
    expected = [evaluation.groups[0].measures[measure] for measure in MEASURES]
    assert weighed(one, *ones(one)) == pytest.approx(expected, abs=1e-10, nan_ok=True)


def test_a_term_left_out_is_a_term_of_weight_zero():
    evaluation = evaluated("s9")
    one = sampled(evaluation)
    term_weight, file_weight = ones(one)
    term_weight[3] = 0
    rest = evaluated("s9", ScoringOptions(group_by=("terms:REST=(?!KW-00004).*",))).groups[1]
    got = dict(zip(MEASURES, weighed(one, term_weight, file_weight), strict=True))
    for measure in ("ATWV", "STWV", "P_miss", "P_fa", "MAP"):
        assert got[measure] == pytest.approx(rest.measures[measure], abs=1e-12)


def test_files_drawn_are_files_scored():
    evaluation = evaluated("s9")
    one = sampled(evaluation)
    file_weight = np.array([float(file.startswith("cts")) for file in one.files])
    only = evaluated("s9", ScoringOptions(recordings=("^cts",))).groups[0]
    got = dict(zip(MEASURES, weighed(one, ones(one)[0], file_weight), strict=True))
    for measure in ("ATWV", "STWV", "P_miss", "P_fa", "MAP"):
        assert got[measure] == pytest.approx(only.measures[measure], abs=1e-12)


def louder(excerpts, lexemes, terms, hits):
    """A system that accepts less."""
    found = hits.detections
    better = Detections(
        found.terms, found.recordings, found.term, found.recording, found.start_s,
        found.duration_s, found.score, found.yes & (found.score > 0.8),
    )  # fmt: skip
    return excerpts, lexemes, terms, STDList(better, hits.searches)


def test_statistics_are_reproducible_and_see_a_real_difference():
    evaluations = [evaluated("s9"), evaluated("s9", change=louder)]
    first, again = (compare_systems(evaluations, replicates=100, seed=3) for _ in range(2))
    assert repr(first) == repr(again)
    other = compare_systems(evaluations, replicates=100, seed=4)
    assert repr(other) != repr(first)
    comparison = first.comparisons[0]
    difference = comparison.differences["ATWV"]
    expected = [one.groups[0].measures["ATWV"] for one in evaluations]
    assert difference.value == pytest.approx(expected[0] - expected[1], abs=1e-10)
    assert difference.value < 0
    assert difference.intervals["terms"].high < 0
    assert comparison.p_value < 0.05
    low, high = first.systems[0]["terms"]["ATWV"]
    assert low < expected[0] < high


def test_a_system_compared_with_itself():
    evaluation = evaluated("s1")
    comparison = compare_systems([evaluation] * 2, replicates=20).comparisons[0]
    assert comparison.p_value == 1.0
    for difference in comparison.differences.values():
        assert difference.value == 0
        assert all(one == (0, 0) for one in difference.intervals.values())


def test_intervals_match_the_normal_approximation():
    # Means over independent terms: the standard error is SD / sqrt(n).
    evaluation = evaluated("s2")
    one = sampled(evaluation)
    drawn = np.array([row[0] for row in bootstrap.draws([one], "terms", 400, 1)])
    twv = evaluation.groups[0].twv[one.occurs]
    expected = twv.std(ddof=0) / np.sqrt(len(twv))
    assert drawn[:, 0].std() == pytest.approx(expected, rel=0.15)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=8))
def test_permutation_against_all_sign_changes(differences):
    values = np.array(differences)
    n = len(values)
    signs = np.array([[1 - 2 * (i >> j & 1) for j in range(n)] for i in range(2**n)])
    exact = (np.abs(signs @ values) >= abs(values.sum()) * (1 - 1e-12)).mean()
    found = permutation_p_value(values, replicates=2000)
    assert found == pytest.approx(exact, abs=0.06)


def test_what_cannot_be_resampled_is_refused():
    for options in (ScoringOptions(pooled=True), ScoringOptions(all_terms=True)):
        with pytest.raises(StdError, match="expected means over terms"):
            sampled(evaluated("s1", options))
    one, two = sampled(evaluated("s1")), sampled(evaluated("s2"))
    with pytest.raises(StdError, match="same terms and recordings"):
        next(bootstrap.draws([one, two], "terms", 1, 1))


def test_nothing_left_is_undefined():
    one = sampled(evaluated("s1"))
    assert np.isnan(weighed(one, np.zeros(len(one.occurs)), np.ones(len(one.files)))).all()
