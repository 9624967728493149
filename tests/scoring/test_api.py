from pathlib import Path

import numpy as np
import pytest

import scoring
from scoring import (
    average_precisions,
    detection_curve,
    maximum,
    normalised_cross_entropy,
    pair_hits,
    score_files,
    term_weighted_value,
    terms_table,
)

S9 = Path(__file__).parents[1] / "data" / "nist" / "s9"


def s9(**options):
    return score_files(
        S9 / "kwslist.xml.gz",
        ecf_path=S9 / "ecf.xml",
        rttm_path=S9 / "ref.rttm.gz",
        terms_path=S9 / "kwlist.xml",
        **options,
    )


def test_every_name_is_there():
    for name in scoring.__all__:
        assert getattr(scoring, name) is not None
    assert set(scoring.__all__) <= set(dir(scoring))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = scoring.nothing


def test_files_and_options():
    # The reference program's tables: plain, S1, seg.
    assert s9().groups[0].measures["ATWV"] == pytest.approx(-3.2004, abs=5e-5)
    assert s9(tolerance_s=1.0).groups[0].measures["ATWV"] == pytest.approx(-2.5927, abs=5e-5)
    assert s9(segments=True).groups[0].trials == 273


def test_from_counts_and_from_hits_it_is_the_same():
    whole = s9().groups[0]
    counts = whole.counts
    value = term_weighted_value(
        correct=counts.corr, false_alarms=counts.fa, targets=counts.targets, trials=whole.trials
    )
    assert value == pytest.approx(whole.measures["ATWV"], abs=1e-9)
    ids = [unit.term_id for unit in whole.units]
    columns = {
        "terms": [ids[i] for i in whole.hits.term],
        "scores": whole.hits.score.tolist(),
        "correct": (whole.alignment.occurrence_of >= 0).tolist(),
        "targets": dict(zip(ids, counts.targets.tolist(), strict=True)),
    }
    curve = detection_curve(**columns, trials=whole.trials)
    assert maximum(curve).twv == pytest.approx(whole.measures["MTWV"], abs=1e-12)
    averages = np.array(list(average_precisions(**columns).values()))
    assert np.nanmean(averages) == pytest.approx(whole.measures["MAP"], abs=1e-12)


def test_pairs():
    hits = [("a", "f", 1.0, 1.4, 0.2), ("a", "f", 1.1, 1.5, 0.8), ("a", "g", 1.0, 1.4, 0.9)]
    assert pair_hits(hits, [("a", "f", 1.0, 1.5)]) == [(1, 0), (0, None), (2, None)]
    assert pair_hits([], [("a", "f", 1.0, 1.5)]) == [(None, 0)]


def test_table_has_a_row_per_term():
    columns = terms_table(s9())
    assert {len(column) for column in columns.values()} == {40}
    assert columns["term_id"][0] == "KW-00001"


def test_table_has_numbers():
    whole, columns = s9().groups[0], terms_table(s9())
    assert columns["twv"] == pytest.approx(whole.twv.tolist(), abs=0, nan_ok=True)
    assert np.mean([one for one in columns["p_miss"] if not np.isnan(one)]) == pytest.approx(
        whole.measures["P_miss"], abs=1e-12
    )
    kinds = {name: {type(one) for one in column} for name, column in columns.items()}
    text, whole_numbers = ("group", "term_id", "term"), ("targets", "corr", "fa", "miss", "omitted")
    assert all(kinds[name] == {str} for name in text)
    assert all(kinds[name] == {int} for name in whole_numbers)
    assert all(kinds[name] == {float} for name in ("p_miss", "p_fa", "twv", "optimum_threshold"))


def test_counts_may_be_expected_ones():
    value = term_weighted_value(correct=[0.5], false_alarms=[0.25], targets=[1], trials=101, beta=2)
    assert value == pytest.approx(0.5 - 2 * 0.25 / 100)
    with pytest.raises(ValueError, match="more correct hits than targets"):
        term_weighted_value(correct=[2], false_alarms=[0], targets=[1], trials=9)


def test_a_score_that_is_no_number_is_refused():
    hits = {"terms": ["a", "a"], "scores": [np.nan, 1.0], "correct": [True, False]}
    with pytest.raises(ValueError, match="a score is NaN"):
        detection_curve(**hits, targets={"a": 1}, trials=9)
    with pytest.raises(ValueError, match="a score is NaN"):
        average_precisions(**hits, targets={"a": 1})


def test_refused():
    with pytest.raises(ValueError, match="none of the terms occurs"):
        term_weighted_value(correct=[0], false_alarms=[1], targets=[0], trials=9)
    with pytest.raises(ValueError, match="no non-target trial"):
        term_weighted_value(correct=[0], false_alarms=[1], targets=[9], trials=9)
    with pytest.raises(ValueError, match="no targets are given for the term 'b'"):
        detection_curve(terms=["b"], scores=[1], correct=[True], targets={"a": 1}, trials=9)
    with pytest.raises(ValueError, match="effective prior"):
        normalised_cross_entropy(llr=[1], correct=[True], targets=1, trials=9, prior=1.0)


def test_cross_entropy_with_a_score_of_trials_without_a_hit():
    """As with one more hit of that score, which is no target."""
    given = {"targets": 2, "trials": 99}
    default = normalised_cross_entropy(llr=[3, 1], correct=[True, False], default=-7.0, **given)
    listed = normalised_cross_entropy(llr=[3, 1, -7], correct=[True, False, False], **given)
    assert default.actual == pytest.approx(listed.actual)
    assert default.minimum == pytest.approx(listed.minimum)
