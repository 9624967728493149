"""std-store: each of its commands, and what it refuses."""

import json
import shutil

import pytest

from indexer import describe_index, index_files, list_recordings
from indexer.store_cli import main
from std.metadata.table import of_rows
from std.store import open_store
from tools.parsers import parsers, subcommands

FILES = ["KERSTIN_00", "KERSTIN_04", "KERSTIN_07"]
COMMANDS = subcommands(parsers()["std-store"])


@pytest.fixture(scope="module")
def index(german, tmp_path_factory):
    store = tmp_path_factory.mktemp("store") / "index"
    rows = {"KERSTIN_00": {"speaker": "Ada", "date": "2024-01-31"}, "KERSTIN_04": {"date": "2023"}}
    meshes = [german / "mesh" / f"{name}.mesh" for name in FILES]
    index_files(meshes[:2], store, metadata=of_rows(rows))
    index_files(meshes[2], store)
    return store


@pytest.fixture
def copy(index, tmp_path):
    return str(shutil.copytree(index, tmp_path / "copy"))


def files(store):
    return [one.about.recording.file for one in list_recordings(store)]


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_an_example(name, capsys):
    with pytest.raises(SystemExit) as end:
        main([name, "--help"])
    assert end.value.code == 0
    out, _ = capsys.readouterr()
    assert f"example:\n  std-store {name} " in out
    assert "--version" not in out


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", "std-store: the following arguments are required: COMMAND"),
        ("lst x", "std-store: expected one of list, show,"),
        ("lst x", "; is 'list' meant?"),
        ("list", "std-store list: the following arguments are required: INDEX"),
        ("list x --wheer y", "std-store list: there is no option --wheer; is '--where' meant?"),
        ("delete x", "std-store delete: the following arguments are required: RECORDING"),
        ("delete x -y", "RECORDING; a name that begins with a dash goes behind --: -- -y ("),
        ("show x -y", "arguments: -y; a name that begins with a dash goes behind --: -- -y ("),
        ("list --json --csv x", "std-store list: argument --csv: not allowed with"),
    ],
)
def test_one_line_says_what_is_wrong(line, told, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(line.split())
    (said,) = capsys.readouterr().err.splitlines()
    assert told in said


@pytest.mark.parametrize("line", ["--at 1 --words y -- -z", "--at=1 --word y z"])
def test_the_name_of_a_recording_may_stand_behind_options(line, index, capsys):
    words = line.split()
    assert main(["correct", str(index), *words]) == 2
    assert f"got '{words[-1]}'" in capsys.readouterr().err


def test_the_index_is_shown_as_a_whole(index, capsys):
    assert main(["show", str(index), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    described = describe_index(index)
    assert document == json.loads(json.dumps(described.document()))
    listed = list_recordings(index)
    assert described.recordings == len(listed) == 3
    assert described.speech_s == sum(one.about.speech_ms for one in listed) / 1000
    assert (described.metadata, described.speakers) == (("date", "speaker"), ())
    assert described.languages[0]["language"] == "de"
    segments = open_store(str(index)).segments()
    assert described.segments == {str(index): len(segments)}
    assert described.words == len({word for one in segments for word in one.words()})
    assert main(["show", str(index)]) == 0
    out, _ = capsys.readouterr()
    assert f"stores (segments)\t{index} ({len(segments)})\n" in out
    assert "\nmetadata\tdate, speaker\n" in out


def test_a_recording_is_shown_with_all_that_is_known(index, capsys):
    assert main(["show", str(index), "KERSTIN_00", "--json"]) == 0
    (document,) = json.loads(capsys.readouterr().out)
    assert document == list_recordings(index)[0].document()
    assert main(["show", str(index), "KERSTIN_0[04]", "--fmt", "lines"]) == 0
    out, _ = capsys.readouterr()
    assert "KERSTIN_00\tspeaker\tAda\n" in out
    assert "KERSTIN_04\tdate\t2023\n" in out
    assert main(["show", str(index), "KERSTIN_1"]) == 2
    assert "is 'KERSTIN_0" in capsys.readouterr().err


def test_recordings_are_deleted_and_segments_merged(copy, capsys):
    assert main(["delete", copy, "audio/KERSTIN_00.wav", "KERSTIN_00"]) == 0  # one name, twice
    assert capsys.readouterr().err == f"1 file deleted from {copy}\n"
    assert files(copy) == FILES[1:]
    assert main(["delete", copy, "KERSTIN_04", "KERSTIN_00"]) == 2
    assert "expected the name of an indexed audio file, got 'KERSTIN_00'" in capsys.readouterr().err
    assert files(copy) == FILES[1:]
    assert main(["merge", copy, "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["unmerged"] == []
    assert len(open_store(copy).segments()) == 1
    assert main(["verify", copy, "--quiet"]) == 0
    assert main(["clean-up", copy, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["removed_segments"] == {copy: 0}


ARGUMENTS = {
    "delete": ["x"],
    "rename": ["x", "y"],
    "export": ["/dev/null"],
    "transcripts": ["captions"],
    "correct": ["x", "--at", "1", "--words", "y"],
    "rewrite": ["x", __file__, "--output", "y"],
    "relink": ["."],
    "move-audio": ["."],
}


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "sync"])  # it makes one
def test_nothing_is_made_where_there_is_nothing_to_look_after(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([name, str(tmp_path / "nowhere"), *ARGUMENTS.get(name, [])]) == 2
    assert "expected an index" in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]


def test_shards_are_one_index(german, tmp_path, capsys):
    shards = [str(tmp_path / name) for name in ("one", "two")]
    meshes = [german / "mesh" / f"{name}.mesh" for name in FILES]
    index_files(meshes, shards)
    given = [shards[0], "--shard", shards[1]]
    assert main(["list", *given, "--json"]) == 0
    assert [one["file"] for one in json.loads(capsys.readouterr().out)] == FILES
    assert main(["delete", *given, "KERSTIN_04", "--quiet"]) == 0
    assert main(["merge", *given, "--jobs", "1"]) == 0
    assert main(["verify", *given]) == 0
    err = capsys.readouterr().err
    assert [line for line in err.splitlines() if "no damage" in line] == [
        f"{url}: 1 segment, no damage" for url in shards
    ]
    assert main(["verify", shards[0], "--shard", shards[0]]) == 2
    assert "expected each index once" in capsys.readouterr().err
