"""What a person is told who misspells a name: the one that may be meant."""

from pathlib import Path

import pytest

import indexer.cli
import searcher.commands.search
import std.config_cli
from indexer import index_files

NETWORKS = str(Path(__file__).parent.parent / "examples" / "german" / "mesh")


@pytest.fixture(scope="module")
def store(german, tmp_path_factory):
    url = str(tmp_path_factory.mktemp("misspelt") / "index")
    index_files(german / "mesh" / "KERSTIN_00.mesh", url)
    return url


@pytest.mark.parametrize(
    ("command", "arguments", "told"),
    [
        (indexer.cli, ["--stroe=x"], "there is no option --stroe; is '--store' meant?"),
        (
            searcher.commands.search,
            ["und", "--limt", "3"],
            "there is no option --limt; is '--limit' meant?",
        ),
        (searcher.commands.search, ["und", "--xyzzy"], "there is no option --xyzzy ("),
        (indexer.cli, ["x", "--format=kaldi"], "got 'kaldi'; is 'kaldi-lattice' meant?"),
        (
            indexer.cli,
            [NETWORKS, "--replace=KRESTIN_00"],
            "got 'KRESTIN_00'; is 'KERSTIN_00' meant?",
        ),
        (
            searcher.commands.search,
            ["und", "--recording=KERSTN"],
            "got 'KERSTN'; is 'KERSTIN_00' meant?",
        ),
        (
            searcher.commands.search,
            ["und", "--where=langage=de"],
            "got 'langage'; is 'language' meant?",
        ),
        (
            searcher.commands.search,
            ["und", "--set=serach.min_score=0"],
            "got 'serach'; is 'search' meant?",
        ),
        (searcher.commands.search, ["und", "--set=search.min_scor=0"], "is 'min_score' meant?"),
    ],
)
def test_the_nearest_name_is_asked_for(command, arguments, told, store, capsys):
    try:
        status = command.main([*arguments, "--store", store])
    except SystemExit as end:
        status = end.code
    (line,) = capsys.readouterr().err.splitlines()
    assert status == 2
    assert told in line


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [(["show", "serach"], "search"), (["path", "thesi"], "thesis"), (["show", "xyzzy"], "")],
)
def test_std_config(arguments, meant, capsys):
    assert std.config_cli.main(arguments) == 2
    told = capsys.readouterr().err
    assert f"; is '{meant}' meant?\n" in told if meant else "meant" not in told


@pytest.mark.parametrize(
    ("text", "got"),
    [("<termlist/>", "XML"), ('{"search": {}}', "JSON"), ("<a>" + "x" * 70_000, "XML")],
)
def test_a_configuration_that_is_no_toml(text, got, store, tmp_path, capsys):
    path = tmp_path / "terms.xml"
    path.write_text(text)
    assert searcher.commands.search.main(["und", "--store", store, "--config", str(path)]) == 2
    expected = f"{path}:1: expected a configuration in TOML, got {got!r}\n"
    assert capsys.readouterr().err == f"std-search: {expected}"
