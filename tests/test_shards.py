"""The commands on real speech: three shards and worker processes find what one store finds."""

import shutil

import pytest

import indexer.cli
import searcher.commands.search
import searcher.phonetic.search
import searcher.phonetic.seeds

pytestmark = pytest.mark.slow


def hits(path):
    """The hit list without its times."""
    return [line for line in path.read_text().splitlines() if "<term " in line]


@pytest.mark.parametrize("large", [False, True])
def test_shards_and_processes_change_nothing(german, tmp_path, capsys, monkeypatch, large):
    if large:  # as if the archive were large
        monkeypatch.setattr(searcher.phonetic.search, "FULL_SCAN_ARCS", 0)
        monkeypatch.setattr(searcher.phonetic.seeds, "MIN_SEEDS", 100)
        monkeypatch.setattr(searcher.phonetic.seeds, "MIN_WINDOWS", 20)
    whole = ["--store", f"{tmp_path}/whole"]
    shards = [f"--store={tmp_path}/shard{i}" for i in range(3)]
    for stores in (whole, shards):
        assert indexer.cli.main([str(german / "mesh"), *stores, "--quiet"]) == 0
    batch = ["--terms", str(german / "terms.xml"), "--ecf", str(german / "ecf.xml"), "--quiet"]
    for name, more in [("one", whole), ("several", shards), ("jobs", [*shards, "--jobs", "2"])]:
        assert searcher.commands.search.main([*batch, *more, "--output", str(tmp_path / name)]) == 0
    assert hits(tmp_path / "one") == hits(tmp_path / "several") == hits(tmp_path / "jobs")
    assert len(hits(tmp_path / "one")) > 300


def test_a_store_given_twice_is_refused(german, tmp_path, capsys):
    store = f"--store={tmp_path}/i"
    assert indexer.cli.main([str(german / "mesh/KERSTIN_00.mesh"), store, "--quiet"]) == 0
    (tmp_path / "link").symlink_to("i")
    for main, word in (
        (searcher.commands.search.main, "landkreis"),
        (indexer.cli.main, str(german / "mesh")),
    ):
        for again in (store, f"--store={tmp_path}/link"):
            assert main([store, again, word]) == 2
            assert "expected each index once, got it twice" in capsys.readouterr().err
    shutil.copytree(tmp_path / "i", tmp_path / "copy")
    assert searcher.commands.search.main([store, f"--store={tmp_path}/copy", "landkreis"]) == 2
    assert "expected recordings that no other --store has" in capsys.readouterr().err
