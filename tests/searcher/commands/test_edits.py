"""std-search --timeline, --markers: hits for editing programs."""

import pytest
from lxml import etree

from searcher.commands.search import main
from std.audio.facts import facts_of


def test_hits_as_a_timeline_and_as_markers(german_store, german, tmp_path, capsys):
    argv = ["schloss", "burg", "--store", str(german_store), "--limit", "5", "--quiet"]
    audio = ["--audio", str(german / "audio")]
    path = tmp_path / "cut.fcpxml"
    assert main([*argv, *audio, "--timeline", str(path), "--markers", str(tmp_path / "m")]) == 0
    shown = capsys.readouterr().out.splitlines()
    root = etree.fromstring(path.read_bytes())
    clips = [*root.iter("asset-clip")]
    assert [one.get("name") for one in clips] == [line.split("\t")[0] for line in shown]
    assert {one.get("src").rpartition("/")[0] for one in root.iter("asset")} == {
        (german / "audio").as_uri()
    }
    for one in root.iter("asset"):  # the whole file, so that clips can be made longer
        frames = facts_of(german / "audio" / one.get("name")).duration_s * 25
        assert one.get("duration") == f"{round(frames)}/25s"
    files = {line.split("\t")[1] for line in shown}
    assert {one.name for one in (tmp_path / "m").iterdir()} == {f"{file}.csv" for file in files}
    assert main([*argv, "--timeline", str(tmp_path / "cut.edl")]) == 0  # needs no audio
    assert (tmp_path / "cut.edl").read_text().count("* FROM CLIP NAME: KERSTIN") == len(shown)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("--timeline cut.fcpxml", "expected audio of KERSTIN"),
        ("--timeline cut.edl --first-timecode 1:00", "--first-timecode: expected a time code as"),
    ],
)
def test_what_is_refused(german_store, tmp_path, monkeypatch, capsys, options, told):
    monkeypatch.chdir(tmp_path)
    assert main(["schloss", "--store", str(german_store), *options.split()]) == 2
    assert told in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]


def test_a_timeline_is_named_after_its_format(german_store, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["schloss", "--store", str(german_store), "--timeline", "cut.xml"])
    assert "expected a name that ends in .edl or .fcpxml" in capsys.readouterr().err
