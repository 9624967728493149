"""Input and options that `std-score` refuses, in one line."""

import json

import pytest

from scoring.cli import main
from std.files import open_input
from tests.scoring.command import NIST, arguments


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


def test_segments_need_speech_turns(tmp_path, capsys):
    words = tmp_path / "words.rttm"
    with open_input(NIST / "s1" / "ref.rttm.gz") as stream:
        words.write_bytes(b"".join(line for line in stream if not line.startswith(b"SPEAKER")))
    assert main([*arguments("s1", rttm=words), "--segments"]) == 2
    assert "expected speech turns of the reference, got none" in capsys.readouterr().err


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
        assert "name its encoding with --encoding" in capsys.readouterr().err


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


def test_scores_that_cannot_be_probabilities_are_refused(tmp_path, capsys):
    path = tmp_path / "hits.xml"
    with open_input(NIST / "s1" / "kwslist.xml.gz") as stream:
        path.write_bytes(stream.read().replace(b'score="0.112"', b'score="-3"'))
    assert main([*arguments("s1", hits=path), "--scores=probability"]) == 2
    assert "expected scores from 0 to 1, got -3 to" in capsys.readouterr().err
    assert main([*arguments("s1", hits=path), "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["scores"] == "llr"


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
