import csv
import json
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from scoring import det_figure
from scoring.cli import main
from std.errors import ConfigError
from std.files import open_input

NIST = Path(__file__).parents[1] / "data" / "nist"


def arguments(name, **replaced):
    folder = NIST / name
    files = {
        "hits": folder / "kwslist.xml.gz",
        "ecf": folder / "ecf.xml",
        "rttm": folder / "ref.rttm.gz",
        "terms": folder / "kwlist.xml",
    } | replaced
    options = [f"--{key}={value}" for key, value in files.items() if key != "hits"]
    return [str(files["hits"]), *options]


def table(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_json_is_one_document_and_keeps_the_contract(capsys):
    assert main([*arguments("s9"), "--json", "--quiet"]) == 0
    out = capsys.readouterr()
    result = json.loads(out.out)
    assert out.err == ""
    assert (result["speech_seconds"], result["trials"]) == (pytest.approx(695.3085), 695)
    assert result["beta"] == pytest.approx(999.9)
    assert result["ignored"]["hits_outside_ecf"] == 74
    assert result["ignored"]["references_outside_ecf"] == 52
    whole = result["groups"][0]
    assert whole["name"] == "all"
    # The reference program's table for s9.
    assert whole["counts"] == {
        "terms": 40, "scored_terms": 31, "targets": 547, "corr": 263, "fa": 79, "miss": 284,
        "corr_nondet": 253,
    }  # fmt: skip
    for name in ("ATWV", "MTWV", "MTWV_threshold", "OTWV", "STWV", "P_miss", "P_fa"):
        assert isinstance(whole["measures"][name], float)
    first = result["terms"][0]
    assert (first["term_id"], first["targets"], first["corr"]) == ("KW-00001", 25, 15)
    assert (first["fa"], first["miss"], first["twv"]) == (6, 10, pytest.approx(-8.3543, abs=5e-5))


def test_undefined_measures_are_null_with_a_warning(capsys):
    assert main([*arguments("s6"), "--json", "--quiet"]) == 0
    out = capsys.readouterr()
    assert json.loads(out.out)["groups"][0]["measures"]["decision_threshold"] is None
    assert "std-score: warning: all: undefined: decision_threshold\n" in out.err


@pytest.mark.parametrize("form", ["--json", "--nl", "--csv", "--fmt=github"])
def test_a_form_is_printed_without_the_summary_beside_it(form, capsys):
    assert main([*arguments("s9"), form]) == 0
    out = capsys.readouterr()
    assert out.out
    assert out.err == ""


def test_the_summary_is_the_result_when_nothing_else_is_asked_for(capsys):
    assert main(arguments("s9")) == 0
    out = capsys.readouterr()
    assert "-3.2004" in out.out
    assert "74 hits outside ecf" in out.out
    assert out.err == ""


def test_output_folder(tmp_path, capsys):
    folder = tmp_path / "new" / "scores"
    assert main([*arguments("s1"), f"--output={folder}"]) == 0
    assert capsys.readouterr().out == ""
    names = {one.name for one in folder.iterdir()}
    assert names == {
        "summary.txt", "summary.json", "terms.csv", "alignment.csv", "ignored.csv", "det.csv",
        "det.svg", "det.png", "thresholds.svg", "tables.html", "iso_ratios.csv", "report.html",
    }  # fmt: skip
    assert (folder / "det.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "det.svg").read_text().count("TWV") >= 3
    rows = table(folder / "alignment.csv")
    # Lines of the reference program's alignment, less its header: counted with wc.
    assert len(rows) == 299
    assert len(table(folder / "ignored.csv")) == 36 + 22
    assert len(table(folder / "det.csv")) == 215
    assert len(table(folder / "terms.csv")) == 20


def test_a_comma_in_a_term_does_not_shift_columns(tmp_path):
    # The reference program writes its alignment unquoted.
    terms = (NIST / "s1" / "kwlist.xml").read_text().replace("metafelo", "metafelo,")
    path = tmp_path / "terms.xml"
    path.write_text(terms)
    assert main([*arguments("s1", terms=path), f"--output={tmp_path}", "--quiet"]) == 0
    rows = table(tmp_path / "alignment.csv")
    assert all(None not in row and None not in row.values() for row in rows)
    assert "metafelo," in {row["term"] for row in rows}


@pytest.mark.parametrize("broken", ["hits", "ecf", "rttm", "terms"])
@pytest.mark.parametrize("content", [b"", b"\x00\xff\xfe", b"<a><b></a>", b"1 2 3\n", b"\x1f\x8bx"])
def test_broken_input_is_one_line_and_status_2(broken, content, tmp_path, capsys):
    path = tmp_path / "broken"
    path.write_bytes(content)
    output = tmp_path / "scores"
    assert main([*arguments("s1", **{broken: path}), f"--output={output}"]) == 2
    out = capsys.readouterr()
    assert out.out == ""
    assert out.err.count("\n") == 1
    named = str(path) in out.err or (broken == "rttm" and not content)
    assert out.err.startswith("std-score: ")
    assert named
    assert not output.exists()


def test_missing_file_and_unknown_term(tmp_path, capsys):
    assert main(arguments("s1", ecf=tmp_path / "none.xml")) == 2
    assert "none.xml: expected a readable file" in capsys.readouterr().err


def test_terms_that_the_list_lacks_are_told_of(tmp_path, capsys):
    few = tmp_path / "few.csv"
    few.write_text("id,text\nKW-00001,metafelo\n")
    assert main(arguments("s1", terms=few)) == 0
    out = capsys.readouterr()
    assert "std-score: warning: left out: 18 terms not in the term list, with " in out.err
    assert "hits of terms not in the term list" in out.out
    hits = str(NIST / "s1" / "kwslist.xml.gz")
    assert main(["--validate", hits, f"--terms={few}"]) == 0
    assert "19 terms, 18 not in the term list (KW-00002, " in capsys.readouterr().out


@pytest.mark.parametrize("encoding", ["gbk", "gb2312", "big5", "utf-16", "utf-16-le", "utf-8-sig"])
def test_a_transcript_in_a_named_encoding(encoding, tmp_path, capsys):
    rttm = "\n".join(f"LEXEME a 1 {i} 0.5 {word} lex s <NA>" for i, word in enumerate("中文好的"))
    (tmp_path / "ref.rttm").write_bytes(f"{rttm}\n".encode(encoding))
    (tmp_path / "terms.csv").write_text("id,text\nT1,中\nT2,好 的\n")
    (tmp_path / "ecf.xml").write_text(
        '<ecf><excerpt audio_filename="a" channel="1" tbeg="0" dur="99" source_type="cts"/></ecf>'
    )
    (tmp_path / "hits.xml").write_text(
        '<kwslist><detected_kwlist kwid="T1"><kw file="a" channel="1" tbeg="0" dur=".5" score="1" '
        'decision="YES"/></detected_kwlist></kwslist>'
    )
    files = [f"--{name}={tmp_path / file}" for name, file in
             (("rttm", "ref.rttm"), ("terms", "terms.csv"), ("ecf", "ecf.xml"))]  # fmt: skip
    given = [str(tmp_path / "hits.xml"), *files, f"--encoding={encoding}"]
    assert main([*given, "--json"]) == 0
    counts = json.loads(capsys.readouterr().out)["groups"][0]["counts"]
    assert (counts["targets"], counts["corr"]) == (2, 1)
    assert main([*given, "--validate"]) == 0
    assert "valid transcript, 4 words" in capsys.readouterr().out
    if encoding not in ("utf-8-sig", "utf-16", "utf-16-le"):
        assert main(given[:-1]) == 2
        assert "--encoding NAME says what it is in" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["klingon", "base64", "undefined"])
def test_an_encoding_that_nobody_knows(name, capsys):
    with pytest.raises(SystemExit, match="2"):
        main([*arguments("s1"), f"--encoding={name}"])
    assert f"expected an encoding, got '{name}'" in capsys.readouterr().err


def test_output_that_is_a_file_is_refused(tmp_path, capsys):
    path = tmp_path / "file"
    path.write_text("")
    assert main([*arguments("s1"), f"--output={path}"]) == 2
    assert "expected a folder to write to" in capsys.readouterr().err


def test_config_sets_beta(tmp_path, capsys):
    path = tmp_path / "c.toml"
    path.write_text("[decision]\nbeta = 66.6\n")
    assert main([*arguments("s1"), "--json", "--quiet", f"--config={path}"]) == 0
    assert json.loads(capsys.readouterr().out)["beta"] == pytest.approx(66.6)


def test_help_loads_nothing_heavy():
    code = (
        "import sys\n"
        "from scoring.cli import parser\n"
        "parser().format_help()\n"
        "heavy = {'numpy', 'scipy', 'matplotlib', 'sklearn', 'lxml', 'numba'} & set(sys.modules)\n"
        "sys.exit(f'{heavy}' if heavy else 0)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def scored(capsys, *extra):
    assert main([*arguments("s9"), "--json", "--quiet", *extra]) == 0
    return json.loads(capsys.readouterr().out)


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


def test_scores_that_cannot_be_probabilities_are_refused(tmp_path, capsys):
    path = tmp_path / "hits.xml"
    with open_input(NIST / "s1" / "kwslist.xml.gz") as stream:
        path.write_bytes(stream.read().replace(b'score="0.112"', b'score="-3"'))
    assert main([*arguments("s1", hits=path), "--scores=probability"]) == 2
    assert "expected scores from 0 to 1, got '-3 to" in capsys.readouterr().err
    assert main([*arguments("s1", hits=path), "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["scores"] == "llr"


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


def test_plots_with_every_option(tmp_path):
    options = ["--articulated", "--standard-errors", "--iso-ratio=100", "--group-by=oov"]
    assert main([*arguments("s9"), *options, f"--output={tmp_path}", "--quiet"]) == 0
    corners = table(tmp_path / "det.csv")
    assert {row["group"] for row in corners} == {"all", "IV", "OOV"}
    assert len([row for row in corners if row["group"] == "all"]) < 438
    for row in table(tmp_path / "iso_ratios.csv"):
        assert float(row["p_miss"]) == pytest.approx(100 * float(row["p_fa"]))
    page = (tmp_path / "tables.html").read_text()
    assert "<th scope=" in page
    assert "KW-00040" in page


def test_validate(tmp_path, capsys):
    assert main([*arguments("s9"), "--validate"]) == 0
    out = capsys.readouterr().out
    assert "kwlist.xml: valid term list, 40 terms" in out
    assert "ecf.xml: valid ECF, 9 excerpts of 6 recordings" in out
    assert "ref.rttm.gz: valid transcript, 2,164 words in 6 recordings" in out
    assert "kwslist.xml.gz: valid hit list, 800 hits of 39 terms" in out
    broken = tmp_path / "broken.xml"
    broken.write_text("<ecf><excerpt/></ecf>")
    assert main(["--validate", f"--ecf={broken}", "--json", str(NIST / "s9/kwslist.xml.gz")]) == 2
    out = capsys.readouterr()
    assert [one["valid"] for one in json.loads(out.out)["files"]] == [False, True]
    assert out.err == f"std-score: {broken}:1: expected an attribute audio_filename, got 'none'\n"


USAGE = [
    ["--json"],
    ["hits.xml", "--ecf=e.xml"],
    ["--validate"],
    ["--resources"],
    [*arguments("s9"), "--bootstrap=-1"],
    [*arguments("s9"), "--confidence=1"],
    [*arguments("s9"), "--gap=-1"],
    [*arguments("s9"), "--prior=2"],
    [*arguments("s9"), "--cost-fa=-1"],
    [*arguments("s9"), "--tolerance=nan"],
    [*arguments("s9"), "--trials-per-second=0"],
    [*arguments("s9"), "--operating-point=nist2099"],
]


@pytest.mark.parametrize("wrong", USAGE, ids=lambda one: one[-1])
def test_usage_errors(wrong, capsys):
    with pytest.raises(SystemExit) as caught:
        main(wrong)
    assert caught.value.code == 2
    assert "expected" in capsys.readouterr().err or wrong[-1].startswith("--operating")


UNFIT = [
    (["--group-by=colour"], "expected one of attribute"),
    (["--recordings=nowhere"], "--recordings: expected a regular expression that is found in"),
    (["--recordings=bnews", "--recordings=nowhere"], "(bnews_000/1, "),
    (["--group-by=recording:A=nowhere"], "--group-by: expected a regular expression that is found"),
    (
        ["--prior=0.9", "--cost-miss=1e6", "--cost-fa=1e-6"],
        "operating point: beta: expected a number from",
    ),
    (["--operating-point=sws2012", "--cost-fa=2"], "name a --prior too"),
    (["--bootstrap=9", "--pooled"], "expected means over terms with references"),
]


@pytest.mark.parametrize(("options", "message"), UNFIT)
def test_options_that_do_not_fit(options, message, tmp_path, capsys):
    output = tmp_path / "scores"
    assert main([*arguments("s9"), *options, f"--output={output}"]) == 2
    assert message in capsys.readouterr().err
    assert not output.exists()


@pytest.mark.parametrize("compressed", [True, False])
def test_reading_a_long_hit_list_moves_a_bar(compressed, tmp_path, monkeypatch, capsys):
    path = NIST / "s1" / "kwslist.xml.gz"
    with open_input(path) as stream:
        content = stream.read()
    if not compressed:
        path = tmp_path / "hits.xml"
        path.write_bytes(content)
    bars = []

    @contextmanager
    def bar(label, total, *, quiet):
        bars.append((label, total, quiet))
        yield lambda amount: bars.append(amount)

    monkeypatch.setattr("scoring.run.progress_bar", bar)
    monkeypatch.setattr("scoring.files.MIN_PROGRESS_BYTES", 0)
    monkeypatch.setattr("scoring.files.PROGRESS_STEP_BYTES", 1000)
    assert main([*arguments("s1", hits=path), "--json"]) == 0
    assert bars[0] == (path.name, len(content), False)
    assert 0 < sum(bars[1:]) <= len(content)


def test_without_matplotlib_everything_but_the_plots_is_written(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main([*arguments("s1"), f"--output={tmp_path}"]) == 0
    told = capsys.readouterr().err
    assert (
        "std-score: warning: no plots (det.svg, det.png, thresholds.svg): "
        "expected the extra 'plots' (pip install 'spoken-terms[plots]')\n" in told
    )
    assert "DET plot" not in told
    assert {path.name for path in tmp_path.iterdir()} == {
        "summary.txt", "summary.json", "tables.html", "report.html",
        "terms.csv", "alignment.csv", "ignored.csv", "det.csv", "iso_ratios.csv",
    }  # fmt: skip
    assert "<svg" in (tmp_path / "report.html").read_text()  # its own drawings


def test_a_figure_without_matplotlib_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ConfigError, match=r"expected the extra 'plots' \(pip install 'spoken-"):
        det_figure([], 999.9)


def test_scoring_loads_no_scipy(tmp_path):
    code = (
        "import sys\n"
        "sys.modules['scipy'] = sys.modules['matplotlib'] = None\n"
        "from scoring.cli import main\n"
        f"sys.exit(main({[*arguments('s1'), f'--output={tmp_path}', '--bootstrap=20']!r}))\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
