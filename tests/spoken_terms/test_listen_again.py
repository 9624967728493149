"""std-listen-again: search, recognise where it matters, index; each step is a command."""

import json
import shutil
from pathlib import Path

import pytest

from indexer import index_files
from recogniser import read_stretches
from searcher import open_index
from spoken_terms import demo, listen_again, start

EXAMPLE = Path(__file__).parents[2] / "examples" / "english" / "whisper" / "kathleen.jsonl"
SETTINGS = {"channels": "split", "language": "en", "backend": "whisper", "window_s": 20, "vad": 0}
TOLD = {"s": 8.0, "e": 8.5, "eps": 0.5, "w": [["whittemore", 0.5, 8.0, 8.5]]}


@pytest.fixture
def given(tmp_path):
    """Arguments of the command; beside the talk is another one, in which nothing is found."""
    earlier = tmp_path / "networks"
    earlier.mkdir()
    shutil.copy(EXAMPLE, earlier)
    line = {"utt": "other-1", "file": "other", "channel": 1, "start": 0, "end": 20, "slots": []}
    (earlier / "other.jsonl").write_text(json.dumps(line) + "\n")
    (earlier / "recognise.json").write_text(json.dumps(SETTINGS))
    index_files([earlier], str(tmp_path / "index"))
    (tmp_path / "terms.txt").write_text("whittemore\nof the\n")
    options = {"store": "index", "terms": "terms.txt", "earlier": "networks", "output": "again"}
    paths = [part for key, name in options.items() for part in (f"--{key}", str(tmp_path / name))]
    return ["audio", *paths, "--model", "tiny", "--jobs", "1"]


def recognised(monkeypatch, status=0, *, is_given=True):
    """Stand in for std-recognise: one word more in the talk; the command lines."""
    seen = []

    def run(command, words):
        seen.append([command, *words])
        if command != "std-recognise":
            return start.start(command, words)
        if not is_given:  # among the audio: std-recognise warns of it
            return status
        output = Path(words[words.index("--output") + 1])
        first, *others = EXAMPLE.read_text().splitlines()
        line = json.loads(first)
        line["slots"].append(TOLD)
        (output / EXAMPLE.name).write_text("\n".join([json.dumps(line), *others]) + "\n")
        return status

    monkeypatch.setattr(listen_again, "step", lambda what, words: run(words[0], words[1:]))
    return seen


def test_the_places_of_unknown_words_are_recognised_again_and_indexed(
    given, tmp_path, monkeypatch, capfd
):
    seen = recognised(monkeypatch)
    assert listen_again.main(given) == 0
    assert [line[0] for line in seen] == ["std-search", "std-recognise", "std-index"]
    stretches = tmp_path / "again" / "again.csv"
    assert {one.words for one in read_stretches(stretches)} == {("whittemore",)}
    of_recogniser = " ".join(seen[1])
    assert "std-recognise audio --listen-again" in of_recogniser
    for option in ("--channels split", "--language en", "--window 20", "--no-vad", "--model tiny"):
        assert option in of_recogniser
    assert seen[2][-2:] == ["--replace", "kathleen"]  # the other one stays
    index = open_index(str(tmp_path / "index"))
    assert {one.recording.file for one in index.recordings()} == {"kathleen", "other"}
    assert "whittemore" in index.vocabulary
    assert "what is found now" in capfd.readouterr().err


def test_nothing_is_recognised_if_all_words_are_known(given, tmp_path, monkeypatch, capfd):
    seen = recognised(monkeypatch)
    (tmp_path / "terms.txt").write_text("of the\n")
    assert listen_again.main(given) == 0
    assert [line[0] for line in seen] == ["std-search"]
    assert "no word is unknown" in capfd.readouterr().err


def test_a_step_that_fails_is_the_last(given, tmp_path, monkeypatch):
    seen = recognised(monkeypatch, status=3)
    assert listen_again.main(given) == 3
    assert seen[-1][0] == "std-recognise"
    (tmp_path / "terms.txt").unlink()
    assert listen_again.main(given) == 2
    assert seen[-1][0] == "std-search"


def test_recordings_that_are_not_given_stay_as_they_were(given, tmp_path, monkeypatch):
    seen = recognised(monkeypatch, is_given=False)
    assert listen_again.main(given) == 0
    assert [line[0] for line in seen] == ["std-search", "std-recognise"]


def test_networks_of_others_are_refused(given, tmp_path, capfd):
    (tmp_path / "networks" / "recognise.json").write_text("{}")
    assert listen_again.main(given) == 2
    assert "recognise.json" in capfd.readouterr().err


def test_the_earlier_networks_stay_as_they_are(given, tmp_path, capfd):
    given[given.index("--output") + 1] = str(tmp_path / "again" / ".." / "networks")
    assert listen_again.main(given) == 2
    assert "--output: expected another folder" in capfd.readouterr().err
    names = {path.name for path in (tmp_path / "networks").iterdir()}
    assert names == {"kathleen.jsonl", "other.jsonl", "recognise.json"}


def test_each_step_is_shown(capfd):
    assert demo.step("the version", ["std-config", "list"]) == 0
    assert "$ std-config list" in capfd.readouterr().err
