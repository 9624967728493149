"""std-discover, from an index to classes, files and pages."""

import json

import numpy as np
import pytest

from indexer import index_files, rename_recording
from scoring.discovery.formats import parse_classes
from searcher import open_index
from searcher.commands.discover import main
from std.audio.samples import sound_file
from std.errors import StdError
from std.sound import files
from std.sound.columns import Encoder, Sound
from std.values import Recording

RANDOM = np.random.default_rng(11)
WORD = RANDOM.integers(0, 256, (40, 32)).astype(np.uint8)  # .8 s
AT_S = {"a": 4.0, "b": 10.0, "c": 16.0}


def nearly(stored):
    return stored ^ np.packbits(RANDOM.random((len(stored), 256)) < 0.15, axis=1)


def write_sound(folder, file, stored):
    sound = Sound(Recording(file, 1), Encoder("whisper", "aa"), stored)
    (folder / files.sound_name(sound.recording)).write_bytes(files.header(sound) + stored.tobytes())


@pytest.fixture
def store(tmp_path):
    """Three recordings of 20 s in each of which a word is said; a and b have words."""
    folder = tmp_path / "networks"
    folder.mkdir()
    for file, at_s in AT_S.items():
        frames = RANDOM.integers(0, 256, (1000, 32)).astype(np.uint8)
        frames[round(50 * at_s) :][: len(WORD)] = nearly(WORD)
        write_sound(folder, file, frames)
    for file, word in (("a", "arizona"), ("b", "harrison")):
        s, e = AT_S[file], AT_S[file] + 0.8
        slot = {"s": s, "e": e, "eps": 0.1, "w": [[word, 0.9, s, e]]}
        line = {"utt": "1", "file": file, "channel": 1, "start": 0, "end": 20, "slots": [slot]}
        (folder / f"{file}.jsonl").write_text(json.dumps(line) + "\n")
    index_files(folder, tmp_path / "i", language="de", learn_phones=False)
    return tmp_path / "i"


def test_what_recurs_is_a_class_with_what_was_written(store):
    with open_index(store) as index:
        found = index.discover()
    (one,) = found.classes
    assert {part.recording.file for part in one.fragments} == {*AT_S}
    for part in one.fragments:
        at_s = AT_S[part.recording.file]
        assert (part.start_s, part.end_s) == pytest.approx((at_s, at_s + 0.8), abs=0.05)
    written = {part.recording.file: part.written for part in one.fragments}
    assert written == {"a": "arizona", "b": "harrison", "c": ""}
    assert (one.explained, one.by_chance, found.by_chance) == (0.0, 0.0, 0.0)
    assert found.seconds == 60
    assert "1 class, 3 fragments in 0.02 h of sound; 3 pairs, 0.0% of them by" in found.summary


def test_a_class_whose_words_agree_is_explained(store):
    line = {"utt": "1", "file": "b", "channel": 1, "start": 0, "end": 20, "slots": [
        {"s": 10.0, "e": 10.8, "eps": 0.1, "w": [["arizona", 0.9, 10.0, 10.8]]}]}  # fmt: skip
    networks = store.parent / "networks"
    (networks / "b.jsonl").write_text(json.dumps(line) + "\n")
    index_files(networks, store, language="de", learn_phones=False)
    with open_index(store) as index:
        assert index.discover().classes[0].explained == pytest.approx(2 / 3, abs=0.05)
        assert not index.discover(unexplained=True).classes
        assert not index.discover(recordings=["a"]).classes


def test_the_command_writes_a_class_file_a_page_and_rows(store, tmp_path, capsys, monkeypatch):
    audio = tmp_path / "audio"
    audio.mkdir()
    noise = RANDOM.normal(0, 0.1, 20 * 16_000).astype(np.float32)
    (audio / "a.wav").write_bytes(sound_file(noise, "wav"))
    assert sound_file(noise[:4800], "ogg") == sound_file(noise[:4800], "ogg")  # the page, too
    out, page = tmp_path / "found.class", tmp_path / "classes.html"
    argv = ["--store", str(store), "--jobs", "1"]
    outputs = ["--output", str(out), "--page", str(page), "--audio", str(audio)]
    assert main([*argv, *outputs, "--json"]) == 0
    text, told = capsys.readouterr()
    assert f"{page} has no sound of 2 recordings (b ...): no audio in {audio}" in told
    (one,) = json.loads(text)["classes"]
    assert {part["file"] for part in one["fragments"]} == {*AT_S}
    assert "1 class" in told
    with out.open("rb") as stream:
        classes = parse_classes(stream, out)
    assert sorted(classes.spans.files) == [*AT_S]
    html = page.read_text()
    assert html.count("<audio") == html.count("data:audio/ogg;base64,") == 1
    assert "arizona" in html
    assert "http" not in html.replace("http-equiv", "")
    assert main([*argv, "--csv", "--unexplained", "--quiet"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 4
    assert main([*argv, "--fmt", "table", "--quiet"]) == 0
    assert "harrison" in capsys.readouterr().out
    assert main([*argv, "--least-score", "100000", "--quiet"]) == 1
    assert main([*argv, "--audio", str(audio)]) == 2
    assert "expected --audio with --page" in capsys.readouterr().err
    monkeypatch.setattr("searcher.Index.discover", lambda *_, **__: pytest.fail("compared"))
    assert main([*argv, "--page", str(page), "--audio", "nowhere"]) == 2
    assert "nowhere: expected a folder with audio files" in capsys.readouterr().err


def test_a_name_that_no_class_file_can_have_costs_no_other_output(store, tmp_path, capsys):
    rename_recording("a", "an interview", store)
    page = tmp_path / "classes.html"
    argv = ["--store", str(store), "--csv", "--quiet", "--page", str(page), "--output", "x.class"]
    assert main(argv) == 2
    rows, told = capsys.readouterr()
    assert len(rows.splitlines()) == 4
    assert page.exists()
    assert "class files separate by blanks" in told


def test_names_without_phones_heard_are_refused_before_the_work(store, capsys, monkeypatch):
    monkeypatch.setattr("searcher.Index.discover", lambda *_, **__: pytest.fail("compared"))
    assert main(["--store", str(store), "--unexplained", "--names", "names.txt"]) == 2
    assert "--names: expected phones heard in the index" in capsys.readouterr().err


def test_jobs_change_nothing(store, capsys):
    texts = []
    for jobs in ("1", "2"):
        assert main(["--store", str(store), "--jobs", jobs, "--csv", "--quiet"]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]


def test_an_index_without_sound_or_phones_says_so(store, tmp_path):
    with open_index(store) as index, pytest.raises(StdError, match="no phones heard in its sound"):
        index.discover(by="phones")
    index_files("examples/german/mesh/KERSTIN_00.mesh", tmp_path / "mute", language="de")
    with open_index(tmp_path / "mute") as index, pytest.raises(StdError, match="no sound"):
        index.discover()
