"""``std-store verify`` names what is damaged and changes nothing."""

import json
from pathlib import Path

import pytest

from indexer.segments.invert import invert
from indexer.store_cli import main
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
    return ["verify", urls[0], *(f"--shard={url}" for url in urls[1:]), *more]


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
        "clock_offsets": {url: {} for url in shards},
        "clock_changes": {url: {} for url in shards},
    }


def test_damaged(shards, capsys):
    (path,) = Path(shards[0]).glob("segments/*/posting_start_ms.npy")
    content = path.read_bytes()
    path.write_bytes(content[:-1] + b"x")
    assert main(arguments(shards)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        f"std-store: {path}: expected the file that was committed, got another checksum",
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
    assert main(["merge", shards[0]]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "expected" in line or "does not exist" in line
    assert "std-store verify INDEX names all damage" in line or "UTF-8" in line
    assert main(arguments(shards[:1])) == 2


def test_no_index_there(tmp_path, capsys):
    assert main(arguments([str(tmp_path / "nowhere")])) == 2
    assert "expected an index" in capsys.readouterr().err
    assert not (tmp_path / "nowhere").exists()
