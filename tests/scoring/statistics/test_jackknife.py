from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.coverage import coverage
from scoring.evaluate import evaluate
from scoring.measures import WEIGHED, Measure
from scoring.options import ScoringOptions
from scoring.statistics import jackknife
from scoring.statistics.jackknife import (
    P_FA,
    STEP,
    Deviations,
    LoneTerms,
    deviations,
    intervals,
    standard_errors,
)
from scoring.statistics.sample import sample
from scoring.statistics.significance import compare_systems, permutation_p_value
from scoring.statistics.weighed import UnitWeights, weighed
from std.errors import StdError
from std.files import open_input
from std.nist import rttm
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
from tests.scoring.nist_sets import NIST, inputs

pytestmark = pytest.mark.slow


@lru_cache
def turns_of(name):
    with open_input(NIST / name / "ref.rttm.gz") as stream:
        return rttm.parse_turns(stream)


def evaluated(name, options=None, change=None):
    values = inputs(name)
    if change:
        values = change(*values)
    return evaluate(*values, options, turns=turns_of(name))


def sampled(evaluation):
    return sample(evaluation.groups[0], evaluation.options, evaluation.scores)


def ones(one):
    return UnitWeights(np.ones((1, len(one.counted))), np.ones((1, len(one.files))))


@pytest.mark.parametrize("name", ["s1", "s2", "s6", "s9"])
@pytest.mark.parametrize(
    "options", [None, ScoringOptions(segments=True), ScoringOptions(scores="llr")]
)
def test_with_weights_of_one_it_is_the_evaluation(name, options):
    evaluation = evaluated(name, options)
    one = sampled(evaluation)
    expected = [evaluation.groups[0].measures[measure] for measure in WEIGHED]
    assert weighed(one, ones(one))[0] == pytest.approx(expected, abs=1e-10, nan_ok=True)


def test_a_term_left_out_is_a_term_of_weight_zero():
    evaluation = evaluated("s9")
    one = sampled(evaluation)
    weights = ones(one)
    weights.term[0, 3] = 0
    rest = evaluated("s9", ScoringOptions(group_by=("terms:REST=(?!KW-00004).*",))).groups[1]
    got = dict(zip(WEIGHED, weighed(one, weights)[0], strict=True))
    for measure in ("ATWV", "STWV", "P_miss", "P_fa", "MAP"):
        assert got[measure] == pytest.approx(rest.measures[measure], abs=1e-12)


def test_files_drawn_are_files_scored():
    evaluation = evaluated("s9")
    one = sampled(evaluation)
    weights = ones(one)
    weights.file[0] = [file.startswith("cts") for file in one.files]
    only = evaluated("s9", ScoringOptions(recordings=("^cts",))).groups[0]
    one = replace(one, rounding=only.trials / sum(only.trials_by_file.values()))
    got = dict(zip(WEIGHED, weighed(one, weights)[0], strict=True))
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


def test_over_terms_it_is_the_standard_error_of_a_mean():
    evaluation = evaluated("s2")
    twv = evaluation.groups[0].twv[evaluation.groups[0].counted]
    found = standard_errors(deviations(sampled(evaluation), "terms", 10_000, 1))
    expected = twv.std(ddof=1) / np.sqrt(len(twv))
    assert found[[*WEIGHED].index("ATWV")] == pytest.approx(expected, rel=0.01)


def test_parts_of_many_terms():
    one = sampled(evaluated("s2"))
    whole, parts = (standard_errors(deviations(one, "terms", n, 1))[2] for n in (10_000, 60))
    assert parts == pytest.approx(whole, rel=0.3)


@given(
    st.lists(st.floats(-30, 30), min_size=1, max_size=5),
    st.integers(1, 300),
    st.sampled_from((0.5, 0.8, 0.95, 0.99)),
)
def test_students_t_against_scipy(values, freedom, confidence):
    t = np.array(values)
    expected = 2 * scipy.stats.t.sf(np.abs(t), freedom)
    assert jackknife.two_sided(t, freedom) == pytest.approx(
        expected, abs=1e-8
    )  # that is off by as much
    quantile = scipy.stats.t.ppf((1 + confidence) / 2, freedom)
    assert jackknife.quantile(confidence, freedom) == pytest.approx(quantile, rel=1e-9)


@pytest.mark.parametrize(("files", "occurrences"), [(5, 40.0), (10, 5.0), (30, 1.0)])
def test_what_intervals_over_recordings_cover(files, occurrences):
    """Of 300 corpora; each measure of a system and of a difference, rare and frequent terms.

    docs/scoring.md has the table; with 300 corpora a share of .95 has a standard error of .013.
    """
    found = coverage(files, occurrences, corpora=300)
    assert (found > 0.91).all(), found
    assert (found < 0.985).all(), found


def test_an_interval_has_its_own_estimate_whatever_terms_are_said_once():
    """Words said in one recording only, found in some: a bootstrap would leave them out."""
    evaluation = evaluated("s9")
    for unit in ("terms", "recordings"):
        found = deviations(sampled(evaluation), unit, 1000, 1)
        for name, (low, high) in intervals(found, 0.95, dict.fromkeys(WEIGHED, Measure())).items():
            assert low <= evaluation.groups[0].measures[name] <= high


def test_a_term_of_one_file_leaves_with_its_file():
    """By hand: A is said in x and found, B in y and missed; C in both, found in x."""
    words = [("x", 1, "a"), ("y", 1, "b"), ("x", 5, "c"), ("y", 5, "c")]
    evaluation = small(words, [("A", "x", 1), ("C", "x", 5)])
    found = deviations(sampled(evaluation), "recordings", 1000, 1)
    p_miss = [*WEIGHED].index("P_miss")
    assert found.values[p_miss] == pytest.approx(0.5)
    less = 1 - STEP
    without_x = (0 * less + 1 + 1 / (1 + less)) / (2 + less)
    assert found.moved[0, p_miss] * STEP == pytest.approx(without_x - 0.5, abs=1e-11)
    assert found.moved[1, p_miss] * STEP == pytest.approx(0.5 - without_x, abs=1e-11)


def small(words, hits):
    """An evaluation of two recordings of 10 s, x and y."""
    recordings = (Recording("x", 1), Recording("y", 1))
    index = {"x": 0, "y": 1}
    terms = TermList(tuple(Term(name, name.lower()) for name in "ABC"))
    lexemes = Lexemes(
        recordings=recordings,
        speakers=("s",),
        recording=np.array([index[file] for file, _, _ in words], np.int32),
        speaker=np.zeros(len(words), np.int32),
        start_s=np.array([float(at) for _, at, _ in words]),
        duration_s=np.full(len(words), 0.2),
        words=tuple(word for _, _, word in words),
        subtypes=("lex",) * len(words),
    )
    found = Detections(
        ("A", "B", "C"),
        recordings,
        np.array(["ABC".index(term) for term, _, _ in hits], np.int32),
        np.array([index[file] for _, file, _ in hits], np.int32),
        np.array([float(at) for _, _, at in hits]),
        np.full(len(hits), 0.2),
        np.full(len(hits), 0.9),
        np.ones(len(hits), np.bool_),
    )
    excerpts = tuple(Excerpt(recording, 0.0, 10.0) for recording in recordings)
    return evaluate(ECF(excerpts), lexemes, terms, STDList(found, (TermSearch(0.0, 0),) * 3))


def test_groups_have_intervals_and_comparisons_of_their_own():
    options = ScoringOptions(group_by=("length", "recording"))
    evaluations = [evaluated("s9", options), evaluated("s9", options, change=louder)]
    statistics = compare_systems(evaluations, replicates=50)
    assert [group.name for group in statistics.groups] == [g.name for g in evaluations[0].groups]
    for number, group in enumerate(statistics.groups):
        for system, units in enumerate(group.systems):
            measures = evaluations[system].groups[number].measures
            for of_unit in units.values():
                assert all(low <= measures[name] <= high for name, (low, high) in of_unit.items())
        (pair,) = group.comparisons
        for difference in pair.differences.values():
            for unit, (low, high) in difference.intervals.items():
                assert (low <= 0 <= high) == (difference.p_values[unit] >= 0.05)
    one_recording = statistics.groups[-1]
    assert not one_recording.systems[0]["recordings"]  # nothing to compare it with
    assert one_recording.systems[0]["terms"]


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
    with pytest.raises(StdError, match="same terms and recordings"):
        compare_systems([evaluated("s1"), evaluated("s2")])


def test_nothing_left_is_undefined():
    one = sampled(evaluated("s1"))
    weights = ones(one)
    weights.term[:] = 0
    assert np.isnan(weighed(one, weights)).all()


def test_the_interval_of_a_share_is_that_of_its_odds_and_that_of_a_loss_of_its_root():
    moved = np.array([[0.01], [-0.01], [0.02], [-0.02], [0.0]])
    found = Deviations(np.array([0.02]), moved)
    (plain,) = intervals(found, 0.95, {"x": Measure()}).values()
    (skewed,) = intervals(found, 0.95, {"x": Measure(scale="odds")}).values()
    log_odds = np.log(0.02 / 0.98)
    reach = (plain.high - 0.02) / (0.02 * 0.98)
    expected = [1 / (1 + np.exp(-log_odds - sign * reach)) for sign in (-1, 1)]
    assert skewed == pytest.approx(tuple(expected))
    assert plain.low < 0 < skewed.low
    (value,) = intervals(
        Deviations(np.array([0.98]), moved), 0.95, {"x": Measure(scale="root")}
    ).values()
    root = np.sqrt(0.02)
    assert value.low == pytest.approx(1 - (root + (plain.high - 0.02) / (2 * root)) ** 2)
    assert value.high == 1  # nothing is lost
    still = Deviations(np.zeros(1), np.zeros((5, 1)))
    for scale in ("odds", "root"):
        assert intervals(still, 0.95, {"x": Measure(scale=scale)}) == {"x": (0.0, 0.0)}


def test_terms_of_one_recording_in_the_rate_of_false_alarms():
    """By hand: A is said in x, B in y, C in both; A has a false alarm in each, B one in y."""
    words = [("x", 1, "a"), ("y", 1, "b"), ("x", 5, "c"), ("y", 5, "c")]
    alarms = [("A", "x", 8), ("A", "y", 8), ("B", "y", 8)]
    evaluation = small(words, alarms)
    found = deviations(sampled(evaluation), "recordings", 1000, 1)
    mean = (2 / 19 + 1 / 19) / 3
    assert found.values[P_FA] == pytest.approx(mean)
    less = 1 - STEP
    others = 10 * (1 + less)  # trials; of A without x: less one, of B, C
    without_x = ((1 + less) / (others - less) + 1 / (others - 1)) / 3
    assert found.moved[0, P_FA] * STEP == pytest.approx(without_x - mean, abs=1e-11)
    both = (less * (1 + less) / (others - less) + 1 / (others - 1)) / (2 + less)
    assert found.lone.moved[0] * STEP == pytest.approx(both - without_x, abs=1e-11)
    assert found.lone.said_again == pytest.approx(1 - np.exp(-1))  # two of one part, one of two
    assert found.lone.rates == pytest.approx(np.array([[1, 1], [0, 1]]) / 19)
    assert found.lone.counted(mean) == pytest.approx(np.sqrt(1 - np.exp(-1)) * found.lone.moved)
    assert np.isfinite(standard_errors(found)).all()
    same = found.minus(found)
    assert not same.lone.counted(0.0).any()
    assert not standard_errors(same)[P_FA]


def test_chance_is_taken_off_the_terms_of_a_difference():
    """Terms that differ as much as their parts do by chance do not count; others count whole."""
    rates = np.array([[1.0, -1, 0, 0], [0, 0, 1, -1], [1, -1, 1, -1]])
    moved = np.array([1.0, 2, -2, -1])
    assert not LoneTerms(moved, 1.0, rates, is_difference=True).counted(0.0).any()
    steady = np.array([[1.0, 1, 1, 1], [-1, -1, -1, -1]])
    counted = LoneTerms(moved, 0.64, steady, is_difference=True).counted(0.0)
    assert counted == pytest.approx(0.8 * moved)


@pytest.mark.parametrize("seed", range(4))
def test_the_permutation_test_is_that_of_scipy(seed):
    """scipy lists all 2^9 changes of sign; ours draws 40,000 of them."""
    differences = np.random.default_rng(seed).normal(0.3, 0.6, 9)
    exact = scipy.stats.permutation_test(
        (differences,), np.sum, permutation_type="samples", n_resamples=np.inf
    ).pvalue
    drawn = permutation_p_value(differences, replicates=40_000, seed=seed)
    assert drawn == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 40_000))
