"""std-store list and std-index --dry-run against what an index and its inputs hold."""

import gzip
import json

import pytest

import indexer.cli
from indexer import index_files, list_recordings, preview_files
from indexer.store_cli import main as std_store
from std.metadata.table import of_rows
from std.store import open_store
from tests.networks import networks_of
from tools.parsers import parsers

FILES = ["KERSTIN_00", "KERSTIN_04", "KERSTIN_07"]


@pytest.fixture(scope="module")
def meshes(german):
    return [german / "mesh" / f"{name}.mesh" for name in FILES]


@pytest.fixture(scope="module")
def store(meshes, tmp_path_factory):
    store = tmp_path_factory.mktemp("listing") / "index"
    rows = {"KERSTIN_00": {"speaker": "Ada", "date": "2024-01-31"}, "KERSTIN_04": {"date": "2023"}}
    index_files(meshes[:2], store, metadata=of_rows(rows))
    index_files(meshes[2], store)
    return str(store)


def likeliest_words(path):
    """How many slots have a word that is likelier than none; by the file itself."""
    networks = list(networks_of(path))
    slots = [slot for network in networks for slot in network]
    return sum(
        max((one.posterior for one in slot.alternatives), default=0) > slot.epsilon
        for slot in slots
    )


def test_listed_as_in_the_files(store, meshes):
    listed = list_recordings(store)
    assert [one.about.recording.file for one in listed] == FILES
    for one, mesh in zip(listed, meshes, strict=True):
        networks = list(networks_of(mesh))
        assert one.about.utterances == len(networks)
        assert one.about.speech_ms == sum(n.end_ms - n.start_ms for n in networks)
        assert one.about.inputs == (str(mesh),)
        assert one.about.language == "de"
        assert abs(one.words - likeliest_words(mesh)) <= 2  # the index prunes, and breaks ties


def test_the_command_lists(store, capsys):
    assert std_store(["list", store, "--json"]) == 0
    documents = json.loads(capsys.readouterr().out)
    assert documents == [one.document() for one in list_recordings(store)]
    assert documents[0]["metadata"] == {"date": "2024-01-31", "speaker": "Ada"}
    assert documents[0]["file"] == "KERSTIN_00"
    assert std_store(["list", store]) == 0
    out, err = capsys.readouterr()
    header, *rows = out.splitlines()
    assert header.split() == [
        *("recording", "speech", "language", "words", "date", "speaker", "source")
    ]
    assert [row.split()[0] for row in rows if not row.startswith(" ")] == FILES
    assert err.startswith("3 recordings, 0.07 h of speech, ")


@pytest.mark.parametrize(
    ("options", "files"),
    [
        (["--where", "date >= 2024"], ["KERSTIN_00"]),
        (["--where", "speaker != Ada", "--recording", "*_0[0-4]"], ["KERSTIN_04"]),
        (["--recording", "mesh/*"], FILES),
        (["--where", "date > 2025"], []),
    ],
)
def test_the_command_lists_some(store, capsys, options, files):
    assert std_store(["list", store, "--json", *options]) == 0
    assert [one["file"] for one in json.loads(capsys.readouterr().out)] == files


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "expected INPUT files, --metadata, --audio or --watch"),
        (["--replace", "x"], "--replace needs INPUT files"),
        (["x", "--dry-run", "--replace", "y"], "--replace needs INPUT files"),
        (["x", "--csv"], "--csv, --nl and --fmt are forms of --dry-run"),
        (["x", "--query-examples", "y"], "--query-examples needs --queries-to"),
        (["x", "--queries-to", "y"], "--queries-to needs INPUT files and no --store"),
        (["--dry-run"], "--dry-run needs INPUT files"),
        (["--dry-run", "x", "--watch", "y"], "--watch: not allowed with argument --dry-run"),
        (["--watch", "x", "y"], "--watch takes its files from its folder"),
    ],
)
def test_options_that_do_not_go_together(store, capsys, options, message):
    with pytest.raises(SystemExit) as caught:
        indexer.cli.main(["--store", store, *options])
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(("option", "now"), indexer.cli.MOVED.items())
def test_options_that_are_commands_now(store, option, now, capsys):
    for written in (option, option[:6], f"{option}=x"):
        with pytest.raises(SystemExit, match="2"):
            indexer.cli.main(["--store", store, written])
        (line,) = capsys.readouterr().err.splitlines()
        assert line == f"std-index {option} is now: {now}"
    parsers()["std-store"].parse_args(now.partition(" (")[0].split()[1:])


@pytest.fixture
def folder(meshes, tmp_path):
    """Inputs of several kinds, and what is none."""
    inputs = tmp_path / "in"
    inputs.mkdir()
    (inputs / "a.mesh").write_bytes(meshes[0].read_bytes())
    (inputs / "b.mesh.gz").write_bytes(gzip.compress(meshes[1].read_bytes()))
    (inputs / "c.ctm").write_text("c 1 0.0 0.5 hallo 0.9\nd 2 0.0 0.5 welt 0.9\n")
    (inputs / "notes.txt").write_text("hello\n")
    (inputs / ".hidden").write_text("x")
    return inputs


def test_a_dry_run_says_what_indexing_does(folder, tmp_path):
    previews = list(preview_files(folder))
    assert {one.path.name: one.format for one in previews} == {
        **{"a.mesh": "mesh", "b.mesh.gz": "mesh", "c.ctm": "ctm"},
        **{"notes.txt": "", ".hidden": ""},
    }
    assert {one.path.name: bool(one.skipped) for one in previews if one.skipped} == {
        **{"notes.txt": True, ".hidden": True}
    }
    assert not any(tmp_path.glob("index*"))
    report = index_files(folder, tmp_path / "index")
    found = {recording for one in previews for recording in one.recordings}
    assert found == set(report.recordings)
    assert sum(one.utterances for one in previews) == report.utterances
    assert sum(one.postings for one in previews) == report.postings


def test_a_dry_run_finds_what_would_be_refused(folder, tmp_path, capsys):
    store = tmp_path / "index"
    index_files(folder, store)
    before = (store / "manifest.json").read_bytes()
    (folder / "bad.json").write_text('{"text": 3')
    (tmp_path / "a.mesh").write_bytes((folder / "a.mesh").read_bytes())
    given = [str(folder), str(tmp_path / "a.mesh"), "--dry-run", "--store", str(store), "--json"]
    assert indexer.cli.main(given) == 2
    out, err = capsys.readouterr()
    problems = {one["path"]: one["problem"] for one in json.loads(out) if one["problem"]}
    assert set(problems) == {str(folder / "bad.json"), str(tmp_path / "a.mesh")}
    for problem in problems.values():
        assert f"std-index: {problem}\n" in err
    assert "3 files, 4 recordings, 42 utterances; 2 skipped, 2 refused; nothing was written" in err
    assert (store / "manifest.json").read_bytes() == before
    assert len(open_store(str(store)).segments()) == 1


def test_a_dry_run_names_what_would_be_repaired(tmp_path, capsys):
    (path := tmp_path / "a.ctm").write_text("x 1 0.1 0.2 a\n" * 10 + "x 1 zero 0.2 b\n")
    assert indexer.cli.main([str(path), "--dry-run", "--json"]) == 0
    out, err = capsys.readouterr()
    assert f"repaired: row that cannot be read, skipped (1, first {path}:11)" in err
    (found,) = json.loads(out)
    assert [*found["repairs"].values()] == [{"count": 1, "first": f"{path}:11"}]


def test_a_dry_run_before_the_index_is_made(folder, tmp_path, capsys):
    new = tmp_path / "new"
    assert indexer.cli.main([str(folder), "--dry-run", "--store", str(new), "--quiet"]) == 0
    with_store = capsys.readouterr()
    assert not new.exists()
    assert indexer.cli.main([str(folder), "--dry-run", "--quiet"]) == 0
    assert capsys.readouterr() == with_store
    no_index = tmp_path / "file"
    no_index.touch()
    assert indexer.cli.main([str(folder), "--dry-run", "--store", str(no_index)]) == 2
    assert "expected an index" in capsys.readouterr().err


def test_a_dry_run_needs_no_store(folder, capsys):
    assert indexer.cli.main([str(folder), "--dry-run"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0].split() == ["file", "format", "utterances", "postings", "recordings"]
    assert len(rows) == 4
    assert rows[3].split()[-2:] == ["c,", "d"]
    table = folder.parent / "table.csv"
    table.write_text("file,title\na,A\nz,Z\n")
    given = [str(folder), "--dry-run", "--metadata", str(table), "--verbose", "--quiet"]
    assert indexer.cli.main(given) == 0
    out, err = capsys.readouterr()
    assert "skipped: text" in out
    assert err == f"std-index: warning: 1 recording of {table} not in the inputs: z\n"
