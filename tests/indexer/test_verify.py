"""``std-index --verify`` names what is damaged and changes nothing."""

import json
from pathlib import Path

import pytest

from indexer.cli import main
from indexer.segments.invert import invert
from std.store import open_store
from std.text import Normalisation


@pytest.fixture
def shards(tmp_path, network):
    urls = [str(tmp_path / name) for name in ("one", "two")]
    for url in urls:
        store = open_store(url, create=True)
        with store.writing():
            columns = invert([network([("a", 0.5), ("b", 0.25)], file=url[-3:])])
            store.commit([columns], normalisation=Normalisation())
    return urls


COSTS = ("seconds", "cpu_seconds", "compile_seconds")


def arguments(urls, *more: str) -> list[str]:
    return ["--verify", *(part for url in urls for part in ("--store", url)), *more]


def test_sound(shards, capsys):
    assert main(arguments(shards)) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [f"{url}: 1 segment, no damage" for url in shards]
    assert main(arguments(shards, "--quiet")) == 0
    assert capsys.readouterr() == ("", "")
    assert main(arguments(shards, "--quiet", "--json")) == 0
    unknown = {"language": None, "pronouncer": None, "recordings": 1}
    document = json.loads(capsys.readouterr().out)
    assert all(document.pop(cost) >= 0 for cost in COSTS)
    assert document == {
        "damage": {url: [] for url in shards},
        "inputs": {url: {url[-3:]: []} for url in shards},
        "languages": {url: [unknown] for url in shards},
    }


def test_damaged(shards, capsys):
    (path,) = Path(shards[0]).glob("segments/*/posting_start_ms.npy")
    content = path.read_bytes()
    path.write_bytes(content[:-1] + b"x")
    assert main(arguments(shards)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        f"std-index: {path}: expected the file that was committed, got another checksum",
        f"{shards[1]}: 1 segment, no damage",
    ]


@pytest.mark.parametrize("name", ["posting_posterior", "posting_slot", "slot_word", "vocabulary"])
def test_damage_is_not_merged_into_a_sound_index(shards, capsys, name):
    """New segments have new checksums: what is damaged must not get into one."""
    (path,) = Path(shards[0]).glob(f"segments/*/{name}.npy")
    content = path.read_bytes()
    path.write_bytes(content[:-2] + bytes([content[-2] ^ 0x55]) + content[-1:])
    store = open_store(shards[0])
    with store.writing():  # something to merge with
        normalisation = store.normalisation()
        store.commit([open_store(shards[1]).segments()[0].columns()], normalisation=normalisation)
    assert main(["--store", shards[0], "--merge"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "expected" in line or "does not exist" in line
    assert "--verify names all damage" in line or "UTF-8" in line
    assert main(arguments(shards[:1])) == 2


def test_no_index_there(tmp_path, capsys):
    assert main(arguments([str(tmp_path / "nowhere")])) == 2
    assert "expected an index" in capsys.readouterr().err
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("what", [["--merge"], ["--delete", "one"]])
def test_nothing_is_made_where_there_is_nothing_to_keep_up(tmp_path, capsys, what):
    assert main(["--store", str(tmp_path / "nowhere"), *what]) == 2
    assert "expected an index" in capsys.readouterr().err
    assert not (tmp_path / "nowhere").exists()


def test_a_deletion_that_was_killed_before_it_merged(shards, capsys):
    url = shards[0]
    store = open_store(url)
    with store.writing():
        store.commit([open_store(shards[1]).segments()[0].columns()], normalisation=Normalisation())
    assert main(["--store", url, "--delete", "audio/one.wav", "one"]) == 0  # one name, twice
    assert "1 file deleted" in capsys.readouterr().err
    assert main(["--store", url, "--delete", "one", "--merge"]) == 2
    assert "name of an indexed audio file" in capsys.readouterr().err
    (segment,) = open_store(url).segments()
    assert [one.recording.file for one in segment.recordings] == ["two"]


def test_verifying_and_writing_do_not_mix(shards, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(arguments(shards, "--merge"))
    assert "or else --watch, --dry-run, --list or --verify" in capsys.readouterr().err
