"""Ways to score: groups, operating points, trials, several systems."""

import csv
import json

import pytest

from scoring.cli import main
from std.files import open_input
from tests.scoring.command import NIST, arguments, scored, table


def test_groups_are_listed_after_the_whole(capsys):
    result = scored(capsys, "--group-by=oov", "--group-by=attribute:NGram Order")
    names = [one["name"] for one in result["groups"]]
    assert names == ["all", "IV", "OOV"] + [f"NGram Order-{n}" for n in range(1, 5)]
    # The reference program's cond_w table.
    assert result["groups"][2]["counts"]["targets"] == 41


POINTS = [
    ([], 999.9),
    (["--operating-point=sws2013"], 66.6566666667),
    (["--operating-point=quesst2014"], 12.49),
    # Equation 18: (speech - targets) / targets.
    (["--operating-point=sws2012"], (695.3085 - 547) / 547),
    (["--cost-fa=1", "--cost-miss=10", "--prior=0.5"], 0.1),
    (["--operating-point=sws2012", "--prior=0.25"], 3.0),
]


@pytest.mark.parametrize(("options", "beta"), POINTS)
def test_operating_points(options, beta, capsys):
    assert scored(capsys, *options)["beta"] == pytest.approx(beta, abs=1e-9)


def test_trials_per_second_multiply(capsys):
    # The reference program divides; the MediaEval measures, equation 2, multiply.
    assert scored(capsys, "--trials-per-second=2")["trials"] == round(2 * 695.3085)


def test_scores_are_what_they_are_declared(capsys):
    guessed, declared = scored(capsys), scored(capsys, "--scores=llr")
    assert (guessed["scores"], declared["scores"]) == ("probability", "llr")
    cnxe = [one["groups"][0]["measures"]["Cnxe"] for one in (guessed, declared)]
    assert cnxe[0] != cnxe[1]


MODES = [
    # options, trials, targets; the first two as the reference program prints them
    (["--segments"], 273, 357),
    (["--pooled"], 695, 547),
    (["--recordings=bnews.*"], 215, 163),
    (["--recordings=NEWS_0"], 215, 163),
    (["--searched-terms-only"], 695, 397),
    (["--characters"], 695, None),
    (["--keep-ascii", "--delete-hyphens"], 695, None),
]


@pytest.mark.parametrize(("options", "trials", "targets"), MODES)
def test_modes(options, trials, targets, capsys):
    result = scored(capsys, *options)
    assert result["trials"] == trials
    if targets is not None:
        assert result["groups"][0]["counts"]["targets"] == targets


def test_several_systems_are_compared(tmp_path, capsys):
    with open_input(NIST / "s9" / "kwslist.xml.gz") as stream:
        other = stream.read().replace(b'decision="YES"', b'decision="NO"')
    (tmp_path / "other.xml").write_bytes(other)
    output = tmp_path / "scores"
    command = [*arguments("s9"), str(tmp_path / "other.xml"), "--bootstrap=50", "--json"]
    assert main([*command, f"--output={output}"]) == 0
    out = capsys.readouterr()
    result = json.loads(out.out)
    assert [one["name"] for one in result["systems"]] == ["kwslist", "other"]
    compared = result["statistics"]["comparisons"][0]
    # All NO: everything missed, TWV 0.
    assert compared["differences"]["ATWV"]["value"] == pytest.approx(-3.2004, abs=5e-5)
    assert compared["p_value_ATWV"] < 0.05
    assert len(result["statistics"]["intervals"]) == 2
    assert "kwslist - other: ATWV -3.2004" in (output / "summary.txt").read_text()
    (line,) = out.err.splitlines()
    assert line.startswith(f"report {output / 'report.html'}")
    assert {"kwslist", "other", "det.svg"} <= {one.name for one in output.iterdir()}
    rows = table(output / "other" / "iso_ratios.csv")
    assert {row["group"] for row in rows} == {"all"}
    again = [*arguments("s9"), str(tmp_path / "other.xml"), "--bootstrap=50", "--json", "--quiet"]
    assert main(again) == 0
    assert json.loads(capsys.readouterr().out) == result


def test_intervals_and_p_values_by_group_in_csv(tmp_path, capsys):
    with open_input(NIST / "s9" / "kwslist.xml.gz") as stream:
        other = stream.read().replace(b'decision="YES"', b'decision="NO"')
    (tmp_path / "other.xml").write_bytes(other)
    command = [*arguments("s9"), str(tmp_path / "other.xml"), "--bootstrap=50", "--csv"]
    assert main([*command, "--group-by=length"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    pairs = [row for row in rows if row["system"] == "kwslist - other"]
    groups = [row["group"] for row in rows if row["system"] == "kwslist"]
    assert groups == [row["group"] for row in pairs]
    assert len(groups) > 2
    for row in rows:
        low, value, high = (float(row[f"ATWV{end}"]) for end in ("_terms_low", "", "_terms_high"))
        assert low <= value <= high
    for row in pairs:
        contains = float(row["ATWV_terms_low"]) <= 0 <= float(row["ATWV_terms_high"])
        assert contains == (float(row["ATWV_terms_p"]) >= 0.05)


def test_the_same_file_twice_has_two_names(capsys):
    hits = str(NIST / "s9" / "kwslist.xml.gz")
    result = scored(capsys, hits)
    first, second = [one["name"] for one in result["systems"]]
    assert first.endswith("s9/kwslist")
    assert second == f"{first} (2)"
