"""No output is an input or another output, however the two are named."""

import os
from pathlib import Path

import pytest

from std import distinct
from std.distinct import require_distinct
from std.errors import InputError, StdError

STREAM = Path("-")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Names of one file: x, sub/../x, link, hard; and of another, y."""
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    Path("x").write_bytes(b"content")
    Path("y").write_bytes(b"other")
    Path("link").symlink_to("x")
    Path("hard").hardlink_to("x")
    Path("to_new").symlink_to("new")
    os.mkfifo("fifo")
    return tmp_path


def same_file(folder):
    return [Path("x"), Path("sub/../x"), folder / "x", Path("link"), Path("hard")]


def test_an_output_is_no_input(folder):
    for one in same_file(folder):
        for other in same_file(folder):
            with pytest.raises(StdError, match=r"^--output: expected a file .* got that of --ecf"):
                require_distinct({"--ecf": one}, {"--output": other})
    require_distinct({"--ecf": Path("x"), "--terms": None}, {"--output": Path("y")})
    require_distinct({"INPUT": Path("x")}, {}, stores=[""])  # opening the store refuses ""
    assert Path("x").read_bytes() == b"content"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x", "hard"),
        ("new", "new"),
        ("new", "sub/../new"),
        ("new", "to_new"),
        ("fifo", "fifo"),
        ("-", "-"),
        ("-", "/dev/stdout"),
    ],
)
def test_two_outputs_are_two(folder, one, other):
    with pytest.raises(StdError, match=r"^--explain: expected a file .* got that of --output"):
        require_distinct({}, {"--output": Path(one), "--explain": Path(other)})
    assert not Path("new").exists()


def test_outputs_that_differ(folder):
    for one, other in (("x", "y"), ("new", "newer"), ("new", "sub/new"), ("new", "NEW")):
        require_distinct({}, {"--output": Path(one), "--explain": Path(other)})
    require_distinct({}, {"--output": Path("/dev/null"), "--explain": Path("/dev/null")})
    require_distinct({"--ecf": Path("/dev/null")}, {"--output": Path("/dev/null")})
    assert sorted(path.name for path in folder.iterdir()) == [
        "fifo",
        "hard",
        "link",
        "sub",
        "to_new",
        "x",
        "y",
    ]


def test_case_counts_where_the_file_system_says_so(folder, monkeypatch):
    monkeypatch.setattr(distinct, "_folds_case", lambda folder: True)
    with pytest.raises(StdError, match="expected a file of its own"):
        require_distinct({}, {"--output": Path("Straße"), "--explain": Path("STRASSE")})


def test_what_cannot_be_written_is_known_before(folder):
    for path in ("sub", "none/x", "x/y"):
        with pytest.raises(InputError, match=f"^{path}: expected"):
            require_distinct({}, {"--output": Path(path)})


def test_the_files_of_an_index_are_no_outputs(folder):
    Path("index").symlink_to("sub")
    Path("sub/segments").mkdir()
    for path in ("sub/manifest.json", "index/segments/x", "index/lock"):
        with pytest.raises(StdError, match="--output: expected a file other than the index's own"):
            require_distinct({}, {"--output": Path(path)}, ["sub"])
    require_distinct({}, {"--output": Path("sub/hits.xml")}, ["sub", "couchdb://host/db"])


def test_no_input_lies_in_the_index_that_is_used(folder):
    """Neither its own files, nor one of the user's there; another index's are only its own."""
    Path("index").symlink_to("sub")
    Path("sub/segments").mkdir()
    Path("sub/notes.csv").write_text("recording,title\n")
    Path("from_outside").symlink_to("sub/notes.csv")
    for path in ("sub/notes.csv", "index/notes.csv", "from_outside", "sub/segments/x", "sub"):
        for store in ("sub", "index"):
            with pytest.raises(StdError, match="--metadata: expected an input outside of the in"):
                require_distinct({"--metadata": Path(path)}, {}, [store])
    require_distinct({"--metadata": Path("sub/notes.csv")}, {}, ["x", "couchdb://host/sub"])
    require_distinct({"--metadata": Path("sub/notes.csv")}, {})


def test_a_pipe_is_read_once(folder):
    with pytest.raises(StdError, match=r"^--terms: expected a file .* that of --ecf \(standard in"):
        require_distinct({"--ecf": STREAM, "--terms": STREAM}, {})
    with pytest.raises(StdError, match="that of another"):
        require_distinct({"INPUT": [Path("fifo"), Path("x"), folder / "fifo"]}, {})
    require_distinct({"INPUT": [Path("x"), Path("x")], "--ecf": STREAM}, {})
