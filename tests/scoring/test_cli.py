"""What `std-score` prints and writes."""

import json
import subprocess
import sys
from contextlib import contextmanager

import pytest

from scoring import det_figure
from scoring.cli import main
from std.errors import ConfigError
from std.files import open_input
from tests.scoring.command import NIST, arguments, table


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
    assert out.err == f"std-score: {broken}:1: expected an attribute audio_filename, got none\n"


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
