"""``std-index --verify`` names what is damaged and changes nothing."""

from pathlib import Path

import pytest

from indexer.cli import main
from indexer.invert import invert
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


def arguments(urls, *more: str) -> list[str]:
    return ["--verify", *(part for url in urls for part in ("--store", url)), *more]


def test_sound(shards, capsys):
    assert main(arguments(shards)) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [f"{url}: 1 segments, no damage" for url in shards]
    assert main(arguments(shards, "--quiet")) == 0
    assert capsys.readouterr() == ("", "")


def test_damaged(shards, capsys):
    (path,) = Path(shards[0]).glob("segments/*/posting_start_ms.npy")
    content = path.read_bytes()
    path.write_bytes(content[:-1] + b"x")
    assert main(arguments(shards)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        f"std-index: {path}: expected the file that was committed, got another checksum",
        f"{shards[1]}: 1 segments, no damage",
    ]


def test_no_index_there(tmp_path, capsys):
    assert main(arguments([str(tmp_path / "nowhere")])) == 2
    assert "expected an index" in capsys.readouterr().err
    assert not (tmp_path / "nowhere").exists()


def test_verifying_and_writing_do_not_mix(shards, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(arguments(shards, "--merge"))
    assert "or else --verify" in capsys.readouterr().err
