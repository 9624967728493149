"""Stores that hold the same recording are not taken for shards of one index, as in searching."""

import pytest

from indexer import index_files
from indexer.store_cli import main


@pytest.fixture
def both(tmp_path):
    """The arguments of two stores with one recording."""
    for store, words in (("a", "eins zwei"), ("b", "drei")):
        lines = (f"talk 1 {t} 0.5 {word}\n" for t, word in enumerate(words.split()))
        (tmp_path / "talk.ctm").write_text("".join(lines))
        index_files(tmp_path / "talk.ctm", tmp_path / store)
    return str(tmp_path / "a"), "--shard", str(tmp_path / "b")


@pytest.mark.parametrize(
    "command",
    [
        "list",
        "show",
        "corrections",
        "export OUTPUT",
        "transcripts OUTPUT",
        "correct talk --at 0.2 --words vier",
        "correct talk --undo",
    ],
)
def test_they_are_refused(both, tmp_path, capsys, command):
    name, *rest = command.replace("OUTPUT", str(tmp_path / "output")).split()
    assert main([name, both[0], *rest, *both[1:]]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{tmp_path}/b: expected recordings that no other store has, got 'talk'" in line
    assert line.endswith("std-store delete removes one")
    assert not (tmp_path / "output").exists()


def test_one_can_be_deleted(both, tmp_path, capsys):
    assert main(["verify", *both, "--quiet"]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line == f"std-store: warning: {tmp_path}/b: talk is in {tmp_path}/a, too"
    assert main(["delete", both[2], "talk", "--quiet"]) == 0
    assert main(["list", *both, "--csv"]) == 0
    assert "talk,1,1.5" in capsys.readouterr().out
