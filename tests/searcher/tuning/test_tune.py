"""From index to model to search, on the German example: real speech, real recogniser output."""

import json
import re
import shutil

import numpy as np
import pytest

import indexer.cli
import searcher.commands.search
import searcher.commands.tune
import std.phonetics.g2p
from indexer import index_files
from searcher.calibration.model import default_model
from searcher.evidence.model_file import load
from searcher.tuning.gain import PULLS, Gain
from tests.searcher.tuning.conftest import FILES

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        std.phonetics.g2p.find_spec("espeakng_loader") is None,
        reason="espeakng-loader is not installed",
    ),
]


def options(folder, output):
    given = (("ecf", "ecf.xml"), ("rttm", "ref.rttm"), ("terms", "terms.xml"))
    return [f"--output={output}", *(f"--{one}={folder / name}" for one, name in given)]


def learned(store, folder, development, output):
    """The model of a store whose ECF and transcript are in a folder, and where it is saved."""
    model = searcher.tune(
        store,
        ecf_path=folder / "ecf.xml",
        rttm_path=str(folder / "ref.rttm"),
        terms_path=development / "terms.xml",
    )
    searcher.save_model(model, output)
    return model


@pytest.fixture(scope="module")
def model(store, development, made_once):
    def make(folder):
        given = options(development, folder / "model.json")
        assert searcher.commands.tune.main(["--store", store, *given, "--quiet"]) == 0

    return made_once("model", make) / "model.json"


@pytest.fixture
def model_of_few(few_words, store, development, made_once):
    def make(folder):
        learned(store, development, development, folder / "model.json")

    return made_once("model of few words", make) / "model.json"


def test_a_model_says_what_it_learned_from(model):
    learned = load(model)
    assert learned.pronouncer == "espeak-ng:de"
    assert (learned.tuned_on["recordings"], learned.tuned_on["without_words"]) == (3, 0)
    assert learned.tuned_on["unknown_right"] >= 30
    assert 0 < learned.tuned_on["terms_said"] < 265  # of the list
    assert 0.1 < learned.spoken_doubt < 0.5
    same = learned.confusion.substituted.trace()
    assert 0.6 < same / learned.tuned_on["phones_aligned"] < 0.95
    assert learned.weights.coefficients["log_e_rate"] < 0
    assert learned.weights.coefficients["logit"] > 0


def test_the_command_learns_what_tune_learns(store, development, model_of_few, tmp_path):
    given = options(development, tmp_path / "model.json")
    assert searcher.commands.tune.main(["--store", store, *given, "--quiet"]) == 0
    assert (tmp_path / "model.json").read_bytes() == model_of_few.read_bytes()


def test_weights_do_not_follow_the_number_of_terms_that_nobody_says(
    store, development, model_of_few, tmp_path
):
    """As many as are said teach what evidence is worth where a term does not occur, no more."""
    listed = (development / "terms.xml").read_text()
    invented = "".join(
        f'<term termid="X-{i}"><termtext>knorzel{i}ung</termtext></term>\n' for i in range(500)
    )
    (tmp_path / "terms.xml").write_text(listed.replace("</termlist>", f"{invented}</termlist>"))
    shares = []
    more = searcher.tune(
        store,
        ecf_path=development / "ecf.xml",
        rttm_path=development / "ref.rttm",
        terms_path=tmp_path / "terms.xml",
        advance=shares.append,
    ).tuned_on
    without = load(model_of_few).tuned_on  # the recordings say less than half of the list's terms
    for figure in ("terms_said", "unknown_queries", "unknown_right"):
        assert more[figure] == without[figure]
    assert all(share > 0 for share in shares)
    assert sum(shares) == pytest.approx(1.0)


@pytest.mark.parametrize("transcribed", ["copies", "copies and originals"])
def test_copies_teach_what_one_recording_does(
    german, development, model_of_few, tmp_path, transcribed
):
    meshes = tmp_path / "meshes"
    meshes.mkdir()
    for name in FILES:
        for copy in (name, f"{name}-again"):
            shutil.copy(german / "mesh" / f"{name}.mesh", meshes / f"{copy}.mesh")
    index_files([meshes], tmp_path / "index", language="German")
    for file in ("ecf.xml", "ref.rttm"):
        lines = (development / file).read_text().splitlines(keepends=True)
        every = [[re.sub(r"KERSTIN_\d\d", r"\g<0>-again", line)] for line in lines]
        if transcribed == "copies and originals":
            every = [dict.fromkeys([line, *more]) for line, more in zip(lines, every, strict=True)]
        (tmp_path / file).write_text("".join(line for some in every for line in some))
    tuned = learned(tmp_path / "index", tmp_path, development, tmp_path / "model.json")
    assert (tmp_path / "model.json").read_bytes() == model_of_few.read_bytes()
    read_back = searcher.load_model(model_of_few)
    assert (read_back.pronouncer, read_back.tuned_on) == (tuned.pronouncer, tuned.tuned_on)


def test_tune_needs_a_store():
    with pytest.raises(ValueError, match="at least one store"):
        searcher.tune(ecf_path="ecf.xml", rttm_path="ref.rttm", terms_path="terms.xml")


def first_hit(store, capsys, *argv):
    assert searcher.commands.search.main(["--store", store, "--json", "--decide", *argv]) == 0
    hits = json.loads(capsys.readouterr().out)
    return max(hits, key=lambda one: one["score"])


@pytest.mark.parametrize("tuned", [False, True])
def test_an_unknown_word_is_found_in_the_words_written_for_it(store, model, tuned, capsys):
    argv = ["hahnenfedern", *(["--model", str(model)] if tuned else [])]
    hit = first_hit(store, capsys, *argv)
    # the transcript has it from 10.448 to 11.38 s; the recogniser wrote "hand in vielen"
    assert (hit["file"], hit["decision"]) == ("KERSTIN_00", "YES")
    assert 10.3 < hit["start_s"] < 10.6
    assert "vielen" in " ".join(map(str, hit["context"])) or "federn" in hit["searched"]
    assert hit["how"]


def test_a_phrase_with_an_unknown_word_is_found(store, capsys):
    hit = first_hit(store, capsys, "schwarze hahnenfedern")
    assert (hit["file"], hit["decision"]) == ("KERSTIN_00", "YES")
    assert 9.8 < hit["start_s"] < 10.1


@pytest.mark.parametrize("term", ["-1", "hahnenfeder" * 460, "äöü"])
def test_hostile_terms_find_nothing_quickly(store, term, capsys):
    status = searcher.commands.search.main(["--store", store, "--json", "--decide", "--", term])
    hits = json.loads(capsys.readouterr().out)
    assert status == (0 if hits else 1)
    assert not [one for one in hits if one["decision"] == "YES"]


def test_unknown_words_are_written_for_the_recogniser(store, german, tmp_path):
    out, words = tmp_path / "hits.xml", tmp_path / "oov.txt"
    given = ["--terms", str(german / "terms.xml"), "--ecf", str(german / "ecf.xml")]
    more = ["--output", str(out), "--oov-lexicon", str(words), "--quiet"]
    assert searcher.commands.search.main(["--store", store, *given, *more]) == 0
    lines = words.read_text().splitlines()
    assert lines == sorted(lines)
    assert "hahnenfedern h ɑː n ə n f eː d ɜ n" in lines  # noqa: RUF001  # IPA is meant


def tune_on_a_beginning(store, development, tmp_path, letters):
    """Learn from the first words of the transcript."""
    rttm = tmp_path / "short.rttm"
    lines = (development / "ref.rttm").read_text().splitlines(keepends=True)
    rttm.write_text("".join(one for one in lines if "LEXEME" in one)[:letters].rsplit("\n", 1)[0])
    given = ["--ecf", str(development / "ecf.xml"), "--terms", str(development / "terms.xml")]
    argv = ["--store", store, *given, "--rttm", str(rttm), "--output", str(tmp_path / "m.json")]
    return searcher.commands.tune.main(argv)


def test_too_little_to_learn_from_is_said(store, development, tmp_path, capsys):
    assert tune_on_a_beginning(store, development, tmp_path, 600) == 2
    assert "expected at least 30 occurrences" in capsys.readouterr().err
    assert not (tmp_path / "m.json").exists()


def test_a_model_says_what_it_brings_on_other_speech(model):
    figures = load(model).tuned_on
    assert figures["gain_low"] < figures["gain"] < figures["gain_high"]
    assert figures["gain"] > 0
    assert figures["pull"] in PULLS


def test_a_model_that_is_expected_to_lose_is_refused_unless_it_is_wanted(
    store, development, tmp_path, capsys, monkeypatch
):
    gain = Gain(-0.05, -0.08, -0.02, PULLS[-1])
    monkeypatch.setattr("searcher.tuning.learning.gain_of_tuning", lambda *given: gain)
    given = [f"--{one}={development / name}" for one, name in (
        ("ecf", "ecf.xml"), ("rttm", "ref.rttm"), ("terms", "terms.xml"),
    )]  # fmt: skip
    path = tmp_path / "model.json"
    argv = ["--store", store, *given, "--output", str(path)]
    assert searcher.commands.tune.main(argv) == 2
    told = capsys.readouterr().err
    assert "one that loses 0.050 nats a right place (-0.080 to -0.020)" in told
    assert "--even-if-worse" in told
    assert not path.exists()
    assert searcher.commands.tune.main([*argv, "--even-if-worse"]) == 0
    assert "gain on other speech: -0.050 nats a right place" in capsys.readouterr().err
    assert load(path).tuned_on["gain"] == -0.05


def test_weights_stay_nearly_where_there_is_little_to_learn_from(
    store, development, tmp_path, capsys
):
    assert tune_on_a_beginning(store, development, tmp_path, 2000) == 0
    told = "2 of 3 recordings of the ECF have no word in the transcript: what was found there"
    assert told in capsys.readouterr().err
    learned, shipped = load(tmp_path / "m.json"), default_model()
    assert learned.tuned_on["unknown_right"] < 10 < learned.tuned_on["known_right"]
    for name, value in shipped.weights.coefficients.items():
        assert learned.weights.coefficients[name] == pytest.approx(value, abs=0.5)
    assert learned.weights != shipped.weights


def test_an_index_without_sounds_is_said(german, development, tmp_path, capsys, monkeypatch):
    config = tmp_path / "silent.toml"
    config.write_text('[phonetic_search]\nwords = "none"\n')
    store = str(tmp_path / "index")
    mesh = str(german / "mesh" / "KERSTIN_00.mesh")
    assert indexer.cli.main([mesh, "--store", store, "--config", str(config), "--quiet"]) == 0
    assert searcher.commands.search.main(["--store", store, "hahnenfedern"]) == 0
    assert "unknown words are not found by sound there" in capsys.readouterr().err
    given = ["--ecf", "ecf.xml", "--rttm", "ref.rttm", "--terms", "terms.xml"]
    argv = ["--store", store, *given, "--output", "m.json"]
    monkeypatch.chdir(development)
    assert searcher.commands.tune.main(argv) == 2
    assert "expected an index with sounds" in capsys.readouterr().err


def test_the_transcript_is_read_in_the_term_lists_encoding(store, tmp_path, capsys):
    (tmp_path / "r.rttm").write_bytes("LEXEME cn 1 0 1 天气 lex s <NA>\n".encode("gb18030"))
    (tmp_path / "t.xml").write_bytes(
        '<?xml version="1.0" encoding="GB2312"?><termlist ecf_filename="e.xml" language="m" '
        'encoding="GB2312" compareNormalize="lowercase" version="1"><term termid="M1">'
        "<termtext>天气</termtext></term></termlist>".encode("gb18030")
    )
    (tmp_path / "e.xml").write_text(
        '<ecf source_signal_duration="9" language="m" version="1"><excerpt audio_filename="cn" '
        'channel="1" tbeg="0" dur="9" source_type="bnews"/></ecf>'
    )
    given = [
        f"--{name}={tmp_path / path}"
        for name, path in [
            ("rttm", "r.rttm"),
            ("terms", "t.xml"),
            ("ecf", "e.xml"),
            ("output", "m.json"),
        ]
    ]
    assert searcher.commands.tune.main(["--store", store, *given]) == 2
    assert "expected words of the recordings in the ECF, got none" in capsys.readouterr().err


def test_words_of_a_transcript_beyond_what_an_index_can_hold():
    """They lie behind their recording's slots, not in those of another one."""
    from types import SimpleNamespace

    from searcher.tuning.confusion import _window

    key = np.array([0, 5, (1 << 32), (1 << 32) + 5, (2 << 32)], np.uint64)
    index = SimpleNamespace(columns=SimpleNamespace(slot_key=key))
    for ms in (2**32, 2**33 + 7, 10**12):
        token = SimpleNamespace(start_ms=ms, end_ms=ms + 100)
        assert _window(index, 1, token).tolist() == [[4, 4]]
