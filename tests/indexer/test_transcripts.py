"""std-store transcripts: what an index holds as files that std-index reads again."""

import json

import pytest

from indexer import export, export_transcripts, index_files, read_transcript
from indexer.store_cli import main
from indexer.transcripts import transcript_cues
from std.store import open_store
from std.values import Recording


@pytest.fixture(scope="module")
def index(german, tmp_path_factory):
    store = tmp_path_factory.mktemp("store") / "index"
    meshes = [german / "mesh" / f"KERSTIN_0{i}.mesh" for i in (0, 4)]
    index_files(meshes, store, language="de")
    return store


@pytest.mark.parametrize("form", ["vtt", "srt", "txt", "json"])
def test_every_form_is_read_again(index, german, tmp_path, form):
    paths = export_transcripts(index, tmp_path, form=form)
    assert [path.name for path in paths] == [f"KERSTIN_00.{form}", f"KERSTIN_04.{form}"]
    source = read_transcript([german / "mesh" / f"KERSTIN_0{i}.mesh" for i in (0, 4)])
    again = read_transcript(paths)
    assert again.lexemes.recordings == source.lexemes.recordings

    def words(transcript, number):
        rows = transcript.lexemes.recording == number
        return [word for word, row in zip(transcript.lexemes.words, rows, strict=True) if row]

    for number in (0, 1):
        assert words(again, number) == words(source, number)
    if form == "json":
        assert abs(again.lexemes.start_s - source.lexemes.start_s).max() < 0.002


def test_cues_are_short_and_end_in_pauses_and_with_their_speaker(index):
    from indexer.export import index_networks

    (segment,) = open_store(str(index)).segments()
    cues = [*transcript_cues(index_networks([segment], {Recording("KERSTIN_00", 1)}))]
    assert len(cues) > 10
    for one in cues:
        assert len(one.text) <= 84
        assert one.span_ms[1] - one.span_ms[0] <= 7000 or len(one.words) == 1
        gaps = [b.start_ms - a.end_ms for a, b in zip(one.words, one.words[1:], strict=False)]
        assert max(gaps, default=0) <= 800


def test_speakers_are_named(tmp_path):
    captions = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ada>guten morgen\n\n"
    captions += "00:02.000 --> 00:03.000\n<v Bo>guten abend\n"
    (tmp_path / "talk.vtt").write_text(captions)
    index_files(tmp_path / "talk.vtt", tmp_path / "index", language="de")
    (path,) = export_transcripts(tmp_path / "index", tmp_path / "out", form="txt")
    assert path.read_text() == "[00:00:01.000] Ada: guten morgen\n[00:00:02.000] Bo: guten abend\n"
    (path,) = export_transcripts(tmp_path / "index", tmp_path / "out", form="json")
    segments = json.loads(path.read_text())["segments"]
    assert [one["speaker"] for one in segments] == ["Ada", "Bo"]


def test_the_command(index, tmp_path, capsys):
    argv = ["transcripts", str(index), str(tmp_path), "--recording", "KERSTIN_04", "--json"]
    assert main(argv) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["files"] == [str(tmp_path / "KERSTIN_04.vtt")]
    assert "1 transcript ->" in err
    assert main(["transcripts", str(index), str(index / "x")]) == 2


def test_each_segment_is_read_once(index, tmp_path, monkeypatch):
    read = []
    verified = export.verified_columns
    monkeypatch.setattr(export, "verified_columns", lambda one: read.append(one) or verified(one))
    assert len(export_transcripts(index, tmp_path)) == 2
    assert len(read) == 1


def test_a_file_has_the_same_name_however_few_are_written(tmp_path):
    for name in ("News", "news"):  # one file where case does not count
        (tmp_path / f"{name}.srt").write_text(f"1\n00:00:01,000 --> 00:00:02,000\n{name} eins\n")
        index_files(tmp_path / f"{name}.srt", tmp_path / "index")
    whole = export_transcripts(tmp_path / "index", tmp_path / "all")
    (one,) = export_transcripts(tmp_path / "index", tmp_path / "one", recordings=["news"])
    assert [path.name for path in whole] == ["News.vtt", "news-2.vtt"]
    assert one.name == "news-2.vtt"
