"""std-recognise on the command line, without a model."""

import json
import subprocess
import sys
from types import SimpleNamespace

import pytest

from indexer.cli import main as index
from recogniser.cli import RecognitionBar, conclude, line_of, main
from recogniser.processes import OutputSettings
from recogniser.recording import RecogniseReport, RecordingReport
from std.execution.cost import Cost


def test_help_loads_no_array_library():
    code = (
        "import sys; from recogniser.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: print('numpy' in sys.modules, 'av' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "std-recognise interviews/*.mp3 --output NETWORKS" in told.stdout
    assert told.stdout.endswith("False False\n")


def test_without_the_extra_one_line_names_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "av", None)
    audio = tmp_path / "x.wav"
    audio.write_bytes(b"RIFF")
    assert main([str(audio), "--output", str(tmp_path / "out")]) == 2
    told = capsys.readouterr().err
    assert (
        "std-recognise: expected the extra 'whisper' (pip install 'spoken-terms[whisper]')" in told
    )
    assert told.count("\n") == 1


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("enormous", "expected a folder or one of tiny.en, tiny,"),
        (".", "got a folder without model.bin"),
    ],
)
def test_a_model_that_is_none_is_named(tmp_path, capsys, model, told, monkeypatch):
    pytest.importorskip("faster_whisper", reason="needs the extra 'whisper'")
    monkeypatch.chdir(tmp_path)
    audio = tmp_path / "x.wav"
    audio.write_bytes(b"RIFF")
    assert main([str(audio), "--output", str(tmp_path / "out"), "--model", model]) == 2
    assert told in capsys.readouterr().err


def test_a_model_that_is_not_here_is_not_fetched_offline(tmp_path, capsys, monkeypatch):
    pytest.importorskip("faster_whisper", reason="needs the extra 'whisper'")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    audio = tmp_path / "x.wav"
    audio.write_bytes(b"RIFF")
    assert main([str(audio), "--output", str(tmp_path / "out"), "--model", "tiny"]) == 2
    told = capsys.readouterr().err
    assert "HF_HUB_OFFLINE=1 forbids it" in told
    assert str(tmp_path / "hub") in told


def test_std_index_says_what_to_run_first(tmp_path, capsys):
    audio = tmp_path / "x.wav"
    audio.write_bytes(b"RIFF\0\0\0\0WAVEfmt ")
    assert index([str(audio), "--store", "memory:"]) == 2
    told = capsys.readouterr().err
    assert "std-recognise AUDIO --output NETWORKS, then std-index NETWORKS" in told
    assert told.count("\n") == 1


def test_one_line_tells_of_a_recording():
    report = RecordingReport("x", 61.0, 3, 1, 120, 2, [30.0], "en", cpu_s=12.2)
    assert line_of(report) == (
        "x: 61.0 s, 120 slots, 3 windows (1 silent), en, 12.2 s CPU (5.0 times real time), "
        "1 window hardly understood"
    )


def test_the_bar_counts_recordings_and_minutes():
    bar = RecognitionBar()
    bar.plan(3, 600.0)
    bar.advance(90.0)
    bar.finish_one()
    assert bar.text(9.0) == "1/3 recordings, 1.5/10.0 min, 10.0 x real time"


def test_recordings_to_listen_to_again_that_are_not_given_are_told(tmp_path, capsys, monkeypatch):
    audio, table, networks = tmp_path / "x.wav", tmp_path / "again.csv", tmp_path / "networks"
    audio.write_bytes(b"RIFF\0\0\0\0WAVEfmt ")
    table.write_text("recording,channel,start_s,end_s,words\nx,1,1,2,Ada\ntalk,1,1,2,Ada\n")
    networks.mkdir()
    (networks / "recognise.json").write_text("{}")
    monkeypatch.setattr("recogniser.api.run", lambda *_: iter([OutputSettings({})]))
    argv = [str(audio), "--output", str(tmp_path / "out"), "--listen-again", str(table)]
    assert main([*argv, "--earlier", str(networks), "--json", "--quiet"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["not_given"] == ["talk"]
    assert "warning: --listen-again: 1 recording not among the audio, as talk" in told.err


def test_after_a_second_recognition_the_advice_replaces_the_recordings(tmp_path, capsys):
    report = RecogniseReport(recordings=[RecordingReport("a b"), RecordingReport("c")])
    report.ecf = tmp_path / "ecf.xml"
    report.ecf.touch()
    for listen_again, advice in ((None, "ecf.xml\n"), (tmp_path, "ecf.xml --replace 'a b' c\n")):
        args = SimpleNamespace(json=False, quiet=False, output="out", listen_again=listen_again)
        conclude(args, report, Cost(1.0, 1.0, 0.0), 1)
        assert capsys.readouterr().err.endswith(advice)
