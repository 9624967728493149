"""References in other files than RTTM: the same words at the same times give the same measures."""

import json
from pathlib import Path

import numpy as np
import pytest

import scoring
import spoken_terms.start
from indexer import read_transcript
from scoring import (
    check_files,
    read_reference,
    score_files,
    score_hits,
    speech_of,
    system_names,
    write_reference,
    write_report,
)
from std.errors import InputError, StdError
from std.files import read
from std.nist import ecf, rttm
from std.nist.rttm import Transcript
from std.values import Recording

NIST = Path(__file__).parents[1] / "data" / "nist" / "s1"
TURN = "SPEAKER a 1 0 4 <NA> <NA> anna <NA>\n"
RTTM = """\
LEXEME a 1 0.50 0.50 die lex anna <NA>
LEXEME a 1 1.00 0.50 rote lex anna <NA>
LEXEME a 1 1.50 0.50 Fahne lex anna <NA>
LEXEME a 1 2.75 0.25 rote lex anna <NA>
"""
WORDS = [("die", 0.5, 1.0), ("rote", 1.0, 1.5), ("Fahne,", 1.5, 2.0), ("rote", 2.75, 3.0)]
CTM = "".join(f"a 1 {begin} {end - begin} {word}\n" for word, begin, end in WORDS)
INTERVALS = [(0.0, 0.5, ""), *((b, e, w) for w, b, e in WORDS[:3]), (2.0, 2.75, "")]
INTERVALS += [(2.75, 3.0, "rote")]
TEXTGRID = f"""\
File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 3
tiers? <exists>
size = 1
item []:
    item [1]:
        class = "IntervalTier"
        name = "words"
        xmin = 0
        xmax = 3
        intervals: size = {len(INTERVALS)}
""" + "".join(
    f"        intervals [{i}]:\n            xmin = {b}\n            xmax = {e}\n"
    f'            text = "{w}"\n'
    for i, (b, e, w) in enumerate(INTERVALS, 1)
)
WHISPER = json.dumps(
    {
        "text": "die rote Fahne, rote",
        "segments": [
            {
                "id": 0, "start": 0.5, "end": 3.0, "text": "die rote Fahne, rote",
                "words": [{"word": f" {w}", "start": b, "end": e, "probability": 0.4}
                          for w, b, e in WORDS],
            }
        ],
        "language": "de",
    }
)  # fmt: skip
STM = "a 1 anna 0.5 2.0 die rote Fahne,\na 1 anna 2.75 3.0 rote\n"
FILES = {"a.rttm": RTTM, "a.ctm": CTM, "a.TextGrid": TEXTGRID, "a.json": WHISPER, "a.stm": STM}
TERMS = "id,text\nT1,rote\nT2,rote Fahne\nT3,blau\n"
HITS = """\
<kwslist><detected_kwlist kwid="T1">
<kw file="a" channel="1" tbeg="1.0" dur="0.5" score="0.9" decision="YES"/>
<kw file="a" channel="1" tbeg="2.75" dur="0.3" score="0.6" decision="NO"/>
</detected_kwlist><detected_kwlist kwid="T2">
<kw file="a" channel="1" tbeg="1.0" dur="1.0" score="0.8" decision="YES"/>
</detected_kwlist></kwslist>
"""


def std_score(*argv):
    return spoken_terms.start.start("std-score", [*map(str, argv)])


@pytest.fixture
def folder(tmp_path):
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    (tmp_path / "terms.csv").write_text(TERMS)
    (tmp_path / "hits.xml").write_text(HITS)
    return tmp_path


@pytest.mark.parametrize("name", FILES)
def test_the_words_of_any_file_are_a_reference(name, folder, capsys):
    given = [folder / "hits.xml", "--reference", folder / name, "--terms", folder / "terms.csv"]
    assert std_score(*given, "--json") == 0
    out = capsys.readouterr()
    whole = json.loads(out.out)["groups"][0]
    assert whole["counts"]["targets"] == 3
    assert (whole["counts"]["corr"], whole["counts"]["miss"]) == (2, 1)
    assert (whole["speech_seconds"], whole["measures"]["STWV"]) == (3.5, 1.0)
    assert (
        "std-score: no --ecf: the speech is that of the reference, 1 recording, each from 0 s to "
        "0.5 s after its last word, 3.5 s\n"
    ) in out.err
    assert ("times of 4 of 4 words" in out.err) == (name == "a.stm")
    assert std_score("--validate", *given[1:]) == 0
    assert "valid transcript, 4 words in 1 recording" in capsys.readouterr().out


def test_a_reference_becomes_the_files_of_nist(folder, capsys):
    """Written from CTM, they give what the CTM gives."""
    paths = [folder / "new.rttm", folder / "new.xml"]
    options = ["--rttm-to", paths[0], "--ecf-to", paths[1]]
    assert std_score("--reference", folder / "a.ctm", *options) == 0
    assert "4 words in 1 recording -> " in capsys.readouterr().err
    written = read(rttm.parse, paths[0])
    assert written.words == ("die", "rote", "fahne", "rote")
    assert written.start_s.tolist() == [0.5, 1.0, 1.5, 2.75]
    assert written.duration_s.tolist() == [0.5, 0.5, 0.5, 0.25]
    (excerpt,) = read(ecf.parse, paths[1]).excerpts
    assert (excerpt.recording, excerpt.start_s, excerpt.duration_s) == (Recording("a", 1), 0.0, 3.5)
    turns = read(rttm.parse_turns, paths[0])
    assert (turns.start_s.tolist(), turns.duration_s.tolist()) == ([0.5, 2.75], [1.5, 0.25])


def test_several_references_are_one(folder, capsys):
    (folder / "b.rttm").write_text(RTTM.replace(" a ", " b ").replace("anna", "bob"))
    given = [folder / "hits.xml", "--terms", folder / "terms.csv", "--json"]
    both = ["--reference", folder / "a.ctm", "--rttm", folder / "b.rttm"]
    assert std_score(*given, *both) == 0
    whole = json.loads(capsys.readouterr().out)["groups"][0]
    assert (whole["counts"]["targets"], whole["speech_seconds"]) == (6, 7.0)


def test_a_recording_in_two_references_is_refused(folder, capsys):
    """Else all its words would count twice."""
    given = [folder / "hits.xml", "--terms", folder / "terms.csv"]
    both = ["--reference", folder / "a.ctm", "--reference", folder / "a.rttm"]
    assert std_score(*given, *both) == 2
    assert "expected each recording in one file of words, got a/1 in two" in capsys.readouterr().err


def test_terms_meet_normalised_words(folder):
    (folder / "a.ctm").write_text("a 1 0 1 U.S.A.\na 1 1 1 Fahne,\na 1 2 1 (die)\n")
    (folder / "terms.csv").write_text("id,text\nT1,U.S.A.\nT2,Fahne\nT3,„die“\n")
    transcript = read_transcript(folder / "a.ctm")
    reference = read_reference(None, transcript, folder / "terms.csv")
    counts = score_hits(folder / "hits.xml", reference).groups[0].counts
    assert counts.targets.tolist()[:2] == [1, 1]


def test_the_python_interface(folder):
    terms, hits = folder / "terms.csv", folder / "hits.xml"
    transcript = read_transcript(folder / "a.TextGrid")
    evaluation = score_files(hits, reference=transcript, terms_path=terms)
    same = score_files(hits, rttm_path=folder / "a.rttm", terms_path=terms)
    assert evaluation.groups[0].measures == pytest.approx(same.groups[0].measures, nan_ok=True)
    for given in ({}, {"reference": transcript, "rttm_path": folder / "a.rttm"}):
        with pytest.raises(StdError, match="expected rttm_path or reference, got both or neither"):
            score_files(hits, terms_path=terms, **given)


def test_paths_may_be_text(folder, monkeypatch):
    monkeypatch.chdir(folder)
    reference = read_reference(None, "a.rttm", "terms.csv")
    evaluation = score_hits("hits.xml", reference, probabilities_path="hits.xml")
    checked = check_files(hits="hits.xml", rttm_path="a.rttm", terms_path="terms.csv")
    assert [one.error for one in checked] == [None, None, None]
    write_reference(scoring.read_transcript("a.rttm"), rttm_path="b.rttm", ecf_path="b.xml")
    write_report({"x": evaluation}, "report", read_files={"HITS": "hits.xml", "REF": ["a.rttm"]})
    assert system_names(["a/hits.xml", "b/hits.xml"], ["", ""]) == ["a/hits", "b/hits"]
    assert (folder / "report" / "summary.json").is_file()
    assert (folder / "b.rttm").is_file()


def test_of_competing_words_the_likeliest(folder):
    ctm = "a 1 * * <ALT_BEGIN>\na 1 0 1 rot .3\na 1 * * <ALT>\na 1 0 1 rote .6\na 1 * * <ALT_END>\n"
    (folder / "a.ctm").write_text(f"{ctm}a 1 1 1 Fahne .1\n")
    assert read_transcript(folder / "a.ctm").lexemes.words == ("rote",)
    (folder / "a.ctm").write_text("a 1 1 1 Fahne .1\n")  # one-best, however sure
    assert read_transcript(folder / "a.ctm").lexemes.words == ("fahne",)


def test_speech_of_turns_and_words():
    words = rttm.parse(_stream(RTTM))
    turns = rttm.parse_turns(_stream(TURN))
    (excerpt,) = speech_of(Transcript(words, turns, np.zeros(4))).excerpts
    assert excerpt.duration_s == 4.5
    empty = rttm.parse(_stream(""))
    with pytest.raises(StdError, match="give the speech with --ecf"):
        speech_of(Transcript(empty, rttm.NO_TURNS, np.zeros(0)))


def _stream(text):
    import io

    return io.BytesIO(text.encode())


REFUSED = [
    ("speakers", TURN * 2, "expected words with their times, LEXEME records, got 'SPEAKER records"),
    ("prose", "no times at all\n", "expected recogniser output"),
    ("json", '{"a": 1}', "expected "),
]


@pytest.mark.parametrize(("name", "content", "message"), REFUSED, ids=[row[0] for row in REFUSED])
def test_what_is_no_reference(name, content, message, folder, capsys):
    (folder / name).write_text(content)
    given = ["--reference", folder / name, "--terms", folder / "terms.csv"]
    assert std_score(folder / "hits.xml", *given) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"std-score: {folder / name}")
    assert message in err
    assert err.count("\n") == 1


def test_a_name_with_spaces_cannot_be_rttm(folder, capsys):
    (folder / "my talk.TextGrid").write_text(TEXTGRID)
    given = ["--reference", folder / "my talk.TextGrid", "--rttm-to", folder / "new.rttm"]
    assert std_score(*given) == 2
    assert "names and words without spaces, as RTTM has, got 'my talk'" in capsys.readouterr().err
    assert not (folder / "new.rttm").exists()


@pytest.mark.parametrize("options", [["--rttm-to", "x"], ["hits.xml", "--reference", "a.ctm"]])
def test_what_does_not_go_together(options, capsys):
    with pytest.raises(SystemExit, match="2"):
        std_score(*options)
    assert "expected" in capsys.readouterr().err


def test_two_files_with_one_recording_are_refused(folder):
    (folder / "more").mkdir()
    (folder / "more" / "a.ctm").write_text(CTM)
    with pytest.raises(InputError, match=r"recordings that .*a\.ctm does not hold, got 'a'"):
        read_transcript([folder / "a.ctm", folder / "more" / "a.ctm"])


def test_a_folder_of_references_of_any_kind(folder, capsys):
    """RTTM and others, and what is no reference at all, which is passed over as std-index does."""
    inside = folder / "references"
    (inside / "more").mkdir(parents=True)
    (inside / "a.rttm").write_text(RTTM)
    (inside / "more" / "b.ctm").write_text(CTM.replace("a 1", "b 1"))
    (inside / "README").write_text("no words with times\n")
    (inside / ".hidden.rttm").write_text("SPEAKER\n")
    given = [folder / "hits.xml", "--terms", folder / "terms.csv", "--json"]
    assert std_score(*given, "--reference", inside) == 0
    out = capsys.readouterr()
    whole = json.loads(out.out)["groups"][0]
    assert (whole["counts"]["targets"], whole["speech_seconds"]) == (6, 7.0)
    assert f"std-score: 1 file passed over, no transcript: {inside / 'README'}\n" in out.err
    (inside / "more" / "b.ctm").unlink()
    assert std_score(*given, "--reference", inside) == 0  # RTTM only
    assert json.loads(capsys.readouterr().out)["groups"][0]["counts"]["targets"] == 3
    (inside / "a.rttm").unlink()
    assert std_score(*given, "--reference", inside) == 2
    assert f"{inside}: expected a transcript: words with their times" in capsys.readouterr().err
