"""Damaged input of all four kinds is scored or refused in one line; nothing else may happen."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoring.cli import main

ECF = """<?xml version="1.0" encoding="UTF-8"?>
<ecf source_signal_duration="60" language="de" version="1">
<excerpt audio_filename="a/f.sph" channel="1" tbeg="0" dur="60" source_type="bnews"/>
</ecf>
"""
RTTM = """;; reference
SPEAKER f 1 0 60 <NA> <NA> anna <NA>
LEXEME f 1 1.0 0.5 grüner lex anna <NA>
LEXEME f 1 1.5 0.5 Baum lex anna <NA>
"""
TERMS = """<kwlist ecf_filename="e" language="de" encoding="UTF-8" compareNormalize="" version="1">
<kw kwid="T1"><kwtext>grüner Baum</kwtext><kwinfo><attr><name>n</name><value>2</value></attr>
</kwinfo></kw><kw kwid="T2"><kwtext>Baum</kwtext></kw></kwlist>
"""
HITS = """<stdlist termlist_filename="t" indexing_time="1" index_size="1" system_id="s">
<detected_termlist termid="T1" term_search_time="1" oov_term_count="NA">
<term file="f" channel="1" tbeg="1.1" dur="0.8" score="0.9" decision="YES"/>
<term file="f" channel="1" tbeg="9" dur="0.8" score="-INF" decision="NO"/>
</detected_termlist></stdlist>
"""
SOUND = {"ecf": ECF, "rttm": RTTM, "terms": TERMS, "hits": HITS}
PIECES = [
    b"", b"\x00", b"\xff", b"<", b">", b'"', b"&", b"&#0;", b"&lt;", b"\n", b" ", b"NaN", b"-1",
    b"1e400", b"<!DOCTYPE x>", b"<!--", b"]]>", b"T1", b"f", b"\xef\xbb\xbf", b"9" * 400, b"YES",
]  # fmt: skip
damages = st.lists(
    st.tuples(st.integers(0, 700), st.integers(0, 30), st.sampled_from(PIECES)),
    min_size=1,
    max_size=3,
)


def run(folder, capsys, **replaced):
    for name, text in SOUND.items():
        content = replaced.get(name, text.encode())
        (folder / name).write_bytes(content)
    options = [f"--{name}={folder / name}" for name in ("ecf", "rttm", "terms")]
    status = main([str(folder / "hits"), *options, "--json", "--quiet"])
    return status, capsys.readouterr()


def test_the_sound_files_score(tmp_path, capsys):
    status, out = run(tmp_path, capsys)
    assert status == 0
    assert '"corr": 1' in out.out


@pytest.mark.parametrize("kind", sorted(SOUND))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(damages=damages)
def test_damaged(kind, damages, tmp_path, capsys):
    content = SOUND[kind].encode()
    for at, length, piece in damages:
        content = content[:at] + piece + content[at + length :]
    status, out = run(tmp_path, capsys, **{kind: content})
    if status == 0:
        assert out.out.count("\n") == 1
    else:
        assert status == 2
        assert out.out == ""
        assert out.err.count("\n") == 1
        assert out.err.startswith("std-score: ")


@pytest.mark.parametrize("kind", sorted(SOUND))
def test_cut_anywhere(kind, tmp_path, capsys):
    content = SOUND[kind].encode()
    for at in range(0, len(content), 7):
        status, out = run(tmp_path, capsys, **{kind: content[:at]})
        assert status in (0, 2)
        assert status == 0 or out.err.count("\n") == 1
    assert {one.name for one in Path(tmp_path).iterdir()} == set(SOUND)
