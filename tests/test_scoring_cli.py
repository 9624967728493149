import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from scoring.cli import main

NIST = Path(__file__).parent / "data" / "nist"


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
    assert (first["termid"], first["targets"], first["corr"]) == ("KW-00001", 25, 15)
    assert (first["fa"], first["miss"], first["twv"]) == (6, 10, pytest.approx(-8.3543, abs=5e-5))


def test_undefined_measures_are_null_with_a_warning(capsys):
    assert main([*arguments("s6"), "--json", "--quiet"]) == 0
    out = capsys.readouterr()
    assert json.loads(out.out)["groups"][0]["measures"]["decision_threshold"] is None
    assert "std-score: warning: all: decision_threshold is undefined" in out.err


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
    assert main(arguments("s1", terms=NIST / "s1" / "kwlist.xml", hits=NIST / "s2/kwslist.xml.gz"))
    assert "expected a kwid of the term list" in capsys.readouterr().err


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
