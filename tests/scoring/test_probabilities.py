"""Two numbers per hit: a score that decides and a probability that Cnxe and calibration judge."""

import io
import json
from dataclasses import replace

import numpy as np
import pytest

from scoring import score_files
from scoring.cli import main
from scoring.evaluate import evaluate
from scoring.options import ScoringOptions
from scoring.report.intervals import group_reliability, reliability_document
from scoring.selection import with_probabilities
from scoring.statistics.significance import compare_systems
from std.errors import InputError, StdError
from std.nist import std_list
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

NEWS, TALK = Recording("news", 1), Recording("talk", 2)
# term, recording, start_s, score, yes, probability; the words stand at 10, 20, ... s of NEWS
ROWS = [
    ("A", NEWS, 10.0, 0.60, True, 0.95),  # correct
    ("A", NEWS, 20.0, 0.55, True, 0.85),  # correct
    ("A", NEWS, 70.0, 0.10, False, 0.15),
    ("B", NEWS, 30.0, 0.52, True, 0.15),  # correct
    ("B", NEWS, 80.0, 0.70, True, 0.95),  # a false alarm
    ("B", NEWS, 90.0, 0.20, False, 0.05),
]
WORDS = ("alpha", "alpha", "beta")
SPEECH = (
    ECF((Excerpt(NEWS, 0, 1000),)),
    Lexemes(
        *((NEWS,), ("speaker",), np.zeros(3, np.int32), np.zeros(3, np.int32)),
        *(np.array([10.0, 20.0, 30.0]), np.ones(3), WORDS, ("lex",) * 3),
    ),
    TermList((Term("A", "alpha"), Term("B", "beta"))),
)


def hit_list(rows, column, *, probabilities=False):
    """A hit list whose score is a column of the rows."""
    terms = tuple(dict.fromkeys(row[0] for row in rows))
    recordings = tuple(dict.fromkeys(row[1] for row in rows))
    found = Detections(
        *(terms, recordings),
        np.array([terms.index(row[0]) for row in rows], np.int32),
        np.array([recordings.index(row[1]) for row in rows], np.int32),
        *(np.array([row[2] for row in rows]), np.ones(len(rows))),
        np.array([row[column] for row in rows], np.float64),
        np.array([row[4] for row in rows], np.bool_),
        np.array([row[5] for row in rows]) if probabilities else None,
    )
    return STDList(found, (TermSearch(),) * len(terms), system_id="s")


SCORES, PROBABILITIES = hit_list(ROWS, 3), hit_list(ROWS, 5)
BOTH = hit_list(ROWS, 3, probabilities=True)


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4, 5], [5, 3, 1, 0, 2, 4]])
def test_hits_are_matched_by_place_in_any_order(order):
    second = hit_list([ROWS[i] for i in order], 5)
    joined = with_probabilities(SCORES, second, "p.xml").detections
    assert joined.probability.tolist() == [row[5] for row in ROWS]
    assert joined.score.tolist() == [row[3] for row in ROWS]


def test_hits_at_one_place_keep_their_order():
    rows = [ROWS[0], ("A", NEWS, 10.0, 0.3, False, 0.4)]
    joined = with_probabilities(hit_list(rows, 3), hit_list(rows, 5), "p.xml").detections
    assert joined.probability.tolist() == [0.95, 0.4]


def test_hits_at_one_place_are_told_apart_by_their_decisions():
    rows = [ROWS[0], ("A", NEWS, 10.0, 0.3, False, 0.4)]
    second = hit_list(rows[::-1], 5)
    joined = with_probabilities(hit_list(rows, 3), second, "p.xml").detections
    assert joined.probability.tolist() == [0.95, 0.4]


def test_hits_at_one_place_with_one_decision_are_told_apart_by_their_scores():
    rows = [ROWS[0], (*ROWS[0][:3], 0.99 * ROWS[0][3], ROWS[0][4], 0.2)]
    second = hit_list(rows[::-1], 5)
    joined = with_probabilities(hit_list(rows, 3), second, "p.xml").detections
    assert joined.probability.tolist() == [0.95, 0.2]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            ROWS[:5],
            "p.xml: expected the same hits as the hit list, B in news/1 at 90 s, got no more",
        ),
        ([*ROWS, ("B", TALK, 5.0, 0, False, 0.1)], "no more, got B in talk/2 at 5 s"),
        ([("A", NEWS, 10.5, 0, True, 0.9), *ROWS[1:]], "A in news/1 at 10 s, got A in news/1 at"),
        ([("C", NEWS, 10.0, 0, True, 0.9), *ROWS[1:]], "A in news/1 at 10 s, got A in news/1 at"),
        ([*ROWS[:3], (*ROWS[3][:4], False, 0.15), *ROWS[4:]], "YES of B in news/1 at 30 s, got"),
        ([(*ROWS[5][:4], True, 0.05), *ROWS[:5]], "NO of B in news/1 at 90 s, got 'YES'"),
        ([(*ROWS[0][:4], False, 0.95), *ROWS[1:5]], "expected the same hits as the hit list, B in"),
        ([(*ROWS[0][:5], 1.5), *ROWS[1:]], "p.xml: expected probabilities from 0 to 1, got '1.5'"),
        ([(*ROWS[0][:5], -np.inf), *ROWS[1:]], "expected probabilities from 0 to 1, got '-inf'"),
    ],
    ids=[
        *("fewer", "more", "elsewhere", "another term", "NO for YES", "YES for NO"),
        *("fewer, and NO for YES", "above 1", "infinite"),
    ],
)
def test_another_lists_hits_are_refused(rows, message):
    with pytest.raises(InputError) as caught:
        with_probabilities(SCORES, hit_list(rows, 5), "p.xml")
    assert message in str(caught.value)


def measured(hits, **options):
    return evaluate(*SPEECH, hits, ScoringOptions(**options)).groups[0].measures


def test_places_without_a_hit_are_worth_what_the_judged_list_says():
    """As if the list had one more NO of that score: the places that no hit stands for share it."""
    no = ("A", NEWS, 500.0, 1e-5, False, 2e-5)
    scores, both = (
        replace(SCORES, default_score=1e-5),
        replace(BOTH, default_score=1e-5, default_probability=2e-5),
    )
    by_score, by_probability = hit_list([*ROWS, no], 3), hit_list([*ROWS, no], 5)
    for hits, options, same in (
        (scores, {}, by_score),
        (both, {}, by_probability),
        (both, {"number": "score"}, by_score),
        (both, {"number": "probability"}, by_probability),
        (replace(BOTH, default_score=1e-5), {}, PROBABILITIES),  # equation 42
    ):
        expected = measured(same)
        found = measured(hits, **options)
        assert {name: found[name] for name in ENTROPIES} == pytest.approx(
            {name: expected[name] for name in ENTROPIES}
        )


def test_groups_have_the_default_score_of_the_whole():
    options = ScoringOptions(group_by=("attribute:Kind",))
    excerpts, lexemes, terms = SPEECH
    kinds = replace(
        terms, terms=tuple(replace(t, attributes={"Kind": t.term_id}) for t in terms.terms)
    )
    hits = replace(SCORES, default_score=1e-5)
    evaluation = evaluate(excerpts, lexemes, kinds, hits, options)
    assert evaluation.default_score == 1e-5
    assert len({group.unlisted_llr for group in evaluation.groups}) == 1
    assert len(evaluation.groups) == 3


def test_a_default_score_that_is_no_probability():
    with pytest.raises(
        InputError, match=r"p.xml: expected default_score as a probability, got '-5'"
    ):
        with_probabilities(SCORES, replace(PROBABILITIES, default_score=-5.0), "p.xml")
    evaluation = evaluate(*SPEECH, replace(SCORES, default_score=-5.0))
    assert evaluation.scores == "llr"  # though all hits could be probabilities


THRESHOLDS = ("MTWV", "MTWV_threshold", "OTWV", "MAP", "decision_threshold")
ENTROPIES = ("Cnxe", "Cnxe_min", "Cnxe_isotonic", "calibration_loss")


def test_each_measure_takes_its_number():
    """As if each list had been scored alone: thresholds by the one, Cnxe by the other."""
    by_score, by_probability = measured(SCORES), measured(PROBABILITIES)
    assert all(by_score[name] != by_probability[name] for name in ("MTWV_threshold", "Cnxe"))
    both = measured(BOTH)
    for name in THRESHOLDS:
        assert both[name] == pytest.approx(by_score[name], nan_ok=True)
    for name in ENTROPIES:
        assert both[name] == by_probability[name]
    for name in ("ATWV", "P_miss", "P_fa", "STWV"):
        assert both[name] == by_score[name] == by_probability[name]
    assert measured(BOTH, number="score") == pytest.approx(by_score, nan_ok=True)
    assert measured(BOTH, number="probability") == pytest.approx(by_probability, nan_ok=True)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (None, {"thresholds": "score", "calibration": "probability"}),
        ("score", {"thresholds": "score", "calibration": "score"}),
        ("probability", {"thresholds": "probability", "calibration": "probability"}),
    ],
)
def test_an_evaluation_says_which_number_it_took(number, expected):
    evaluation = evaluate(*SPEECH, BOTH, ScoringOptions(number=number))
    assert evaluation.numbers == expected


def test_old_lists_have_one_number():
    evaluation = evaluate(*SPEECH, SCORES)
    assert evaluation.numbers == {"thresholds": "score", "calibration": "score"}
    with pytest.raises(StdError, match="--number probability: expected --probabilities"):
        measured(SCORES, number="probability")


def test_log_likelihood_ratios_may_have_probabilities_beside_them():
    rows = [(*row[:3], 10 * row[3] - 5, *row[4:]) for row in ROWS]
    found = measured(hit_list(rows, 3, probabilities=True))
    assert found["Cnxe"] == measured(PROBABILITIES)["Cnxe"]


def test_resampled_entropy_is_of_the_probability():
    both, alone = (
        compare_systems([evaluate(*SPEECH, hits)], replicates=50, seed=3).systems[0]
        for hits in (BOTH, PROBABILITIES)
    )
    assert both["terms"]["Cnxe"] == alone["terms"]["Cnxe"]


def test_calibration_of_six_hits_by_hand():
    """Bins: .05 (1 hit, 0 correct), .15 (2, 1), .85 (1, 1), .95 (2, 1).

    ECE = (1 * .05 + 2 * |.15 - .5| + 1 * .15 + 2 * |.95 - .5|) / 6 = 1.8 / 6 = .3;
    Wilson's interval of 0 of 1 is 0 to z^2 / (1 + z^2), z = 1.96; of 1 of 2 it is .0945 to .9055.
    """
    evaluation = evaluate(*SPEECH, BOTH)
    document = reliability_document(group_reliability(evaluation, evaluation.groups[0]))
    assert (document["hits"], document["correct"]) == (6, 3)
    assert document["expected_correct"] == pytest.approx(3.1)
    assert document["ECE"] == pytest.approx(0.3)
    rows = [
        (one["from"], one["to"], one["hits"], one["correct"], one["share_correct"])
        for one in document["bins"]
    ]
    assert rows == [
        (0.0, 0.1, 1, 0, 0.0), (0.1, 0.2, 2, 1, 0.5), (0.8, 0.9, 1, 1, 1.0), (0.9, 1.0, 2, 1, 0.5)
    ]  # fmt: skip
    first, second = document["bins"][:2]
    assert (first["low"], first["high"]) == pytest.approx((0, 3.8415 / 4.8415), abs=1e-4)
    assert (second["low"], second["high"]) == pytest.approx((0.0945, 0.9055), abs=1e-4)
    assert second["mean_probability"] == pytest.approx(0.15)


@pytest.fixture
def files(tmp_path):
    """The example as files, and the arguments that score it."""
    (tmp_path / "ecf.xml").write_text(
        '<ecf source_signal_duration="1000" version="1" language="english"><excerpt '
        'audio_filename="news" channel="1" tbeg="0" dur="1000" source_type="bnews"/></ecf>'
    )
    (tmp_path / "terms.xml").write_text(
        '<kwlist ecf_filename="ecf.xml" version="1" language="english" encoding="UTF-8" '
        'compareNormalize=""><kw kwid="A"><kwtext>alpha</kwtext></kw>'
        '<kw kwid="B"><kwtext>beta</kwtext></kw></kwlist>'
    )
    lexemes = enumerate(WORDS, start=1)
    (tmp_path / "ref.rttm").write_text(
        "".join(f"LEXEME news 1 {10 * i} 1 {word} lex speaker <NA>\n" for i, word in lexemes)
    )
    for name, hits, dialect in (
        ("hits.xml", SCORES, "std2006"),
        ("probabilities.xml", PROBABILITIES, "kws2013"),
    ):
        with (tmp_path / name).open("wb") as sink:
            std_list.dump(hits, sink, dialect)
    given = (("ecf", "ecf.xml"), ("rttm", "ref.rttm"), ("terms", "terms.xml"))
    return tmp_path, [f"--{option}={tmp_path / name}" for option, name in given]


def test_the_command_and_the_function_read_both_lists(files, capsys):
    folder, options = files
    hits, second = str(folder / "hits.xml"), f"--probabilities={folder / 'probabilities.xml'}"
    assert main([hits, second, *options, "--json", "--quiet"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["numbers"] == {"thresholds": "score", "calibration": "probability"}
    assert document["groups"][0]["calibration"]["ECE"] == pytest.approx(0.3)
    by_function = score_files(
        hits,
        ecf_path=folder / "ecf.xml",
        rttm_path=folder / "ref.rttm",
        terms_path=folder / "terms.xml",
        probabilities=folder / "probabilities.xml",
    )
    measures = document["groups"][0]["measures"]
    assert measures["Cnxe"] == pytest.approx(by_function.groups[0].measures["Cnxe"], rel=1e-11)
    assert main([hits, second, *options, "--number=score", "--json", "--quiet"]) == 0
    alone = json.loads(capsys.readouterr().out)["groups"][0]["measures"]
    assert alone["Cnxe"] != measures["Cnxe"]
    assert main([hits, second, *options]) == 0
    assert "thresholds of the score, Cnxe of the probability" in capsys.readouterr().out


def test_a_list_of_probabilities_is_a_list_like_any_other(files, capsys):
    folder, options = files
    assert main([str(folder / "probabilities.xml"), *options, "--json", "--quiet"]) == 0
    measures = json.loads(capsys.readouterr().out)["groups"][0]["measures"]
    assert measures["Cnxe"] == pytest.approx(measured(PROBABILITIES)["Cnxe"], rel=1e-11)
    second = f"--probabilities={folder / 'probabilities.xml'}"
    assert main(["--validate", str(folder / "hits.xml"), second, *options]) == 0
    assert capsys.readouterr().out.count("valid hit list, 6 hits of 2 terms") == 2


def test_what_does_not_fit_is_one_line(files, capsys):
    folder, options = files
    hits, second = str(folder / "hits.xml"), f"--probabilities={folder / 'probabilities.xml'}"
    with pytest.raises(SystemExit, match="2"):
        main([hits, second, second, *options])
    assert "expected one for each of 1 hit lists, got 2" in capsys.readouterr().err
    assert main([hits, *options, "--number=probability"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    other = io.BytesIO()
    std_list.dump(hit_list(ROWS[:4], 5), other)
    (folder / "other.xml").write_bytes(other.getvalue())
    assert main([hits, f"--probabilities={folder / 'other.xml'}", *options]) == 2
    line = "other.xml: expected the same hits as the hit list, B in news/1 at 80 s, got no more"
    assert line in capsys.readouterr().err
    same = (folder / "probabilities.xml").read_text()
    (folder / "other.xml").write_text(same.replace('"YES"', '"NO"', 1))
    assert main([hits, f"--probabilities={folder / 'other.xml'}", *options]) == 2
    written = capsys.readouterr()
    line = "expected the same decisions as the hit list, YES of A in news/1 at 10 s, got 'NO'"
    assert written.err == f"std-score: {folder / 'other.xml'}: {line}\n"
    assert written.out == ""


def test_the_report_shows_both_numbers(files):
    folder, options = files
    second = f"--probabilities={folder / 'probabilities.xml'}"
    out = folder / "out"
    grouped = ["--group-by=terms:first=A", "--group-by=terms:second=B"]
    argv = [str(folder / "hits.xml"), second, *options, *grouped, f"--output={out}", "--quiet"]
    assert main(argv) == 0
    page = (out / "report.html").read_text()
    numbers = json.loads(page.split('id="numbers">')[1].split("</script>")[0])
    assert numbers["views"][0]["alarms"]["columns"]["probability"] == [0.95]
    assert numbers["views"][0]["alarms"]["columns"]["score"] == [0.7]
    section = page.split('<section id="calibration"')[1].split("</section>")[0]
    # .15 twice, one of them correct; Wilson as above
    row = '<th scope="row" dir="auto">0.1 to 0.2</th><td>2</td><td>0.150</td><td>0.500</td>'
    assert f"{row}<td>0.095 to 0.905</td>" in section
    assert "Expected calibration error (ECE) <strong>0.300</strong>" in section
    # By hand: term A has 3 hits, .95 + .85 + .15 expected, 2 correct, bins off by .05, .15, .15.
    by_group = section.split("Calibration by group")[-1]
    assert '<th scope="row" dir="auto">first</th><td>3</td><td>0.650</td><td>0.667</td>' in by_group
    assert "<td>1.9</td><td>2</td><td>0.117</td>" in by_group
    assert '<th scope="row" dir="auto">all</th><td>6</td>' in by_group
    lines = (out / "alignment.csv").read_text().splitlines()
    assert lines[0].endswith("sys_score,sys_decision,sys_probability,alignment")
    assert lines[1].endswith("0.6,YES,0.95,CORR")


def test_a_list_without_probabilities_says_so_in_the_report(files):
    folder, options = files
    out = folder / "out"
    assert main([str(folder / "hits.xml"), *options, f"--output={out}", "--quiet"]) == 0
    page = (out / "report.html").read_text()
    assert "std-score --probabilities reads the probabilities from a second list" in page
    assert "sys_probability" not in (out / "alignment.csv").read_text()


def test_selections_of_hits_keep_their_probabilities():
    outside = replace(BOTH.detections, start_s=BOTH.detections.start_s + 995 * (np.arange(6) == 0))
    evaluation = evaluate(*SPEECH, replace(BOTH, detections=outside))
    assert evaluation.hits_outside.probability.tolist() == [0.95]
    assert evaluation.groups[0].hits.probability.tolist() == [row[5] for row in ROWS[1:]]
