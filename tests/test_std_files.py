import gzip
import pickle

import pytest

from std.errors import InputError
from std.formats.files import decode, open_input
from std.outputs import open_output


def test_gzip_is_known_by_content_not_by_name(tmp_path):
    path = tmp_path / "plain.txt"
    path.write_bytes(gzip.compress(b"some words"))
    with open_input(path) as stream:
        assert stream.read() == b"some words"


@pytest.mark.parametrize("cut", [5, 20])
def test_a_gzip_file_cut_short_is_refused(tmp_path, cut):
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(b"some words " * 99)[:cut])
    with (
        pytest.raises(InputError, match=r"cut\.gz: expected a whole gzip file"),
        open_input(path) as stream,
    ):
        stream.read()


def test_files_that_cannot_be_read_are_named(tmp_path):
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(InputError, match="expected a readable file"), open_input(path):
            pass


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "out.xml"
    path.write_bytes(b"old")
    with pytest.raises(TypeError), open_output(path) as stream:
        stream.write(b"half", "and then something goes wrong")
    assert path.read_bytes() == b"old"
    with open_output(path) as stream:
        stream.write(b"new")
    assert path.read_bytes() == b"new"
    assert [p.name for p in tmp_path.iterdir()] == ["out.xml"]


def test_gz_outputs_are_compressed_and_reproducible(tmp_path):
    for name in ("a.gz", "b.gz"):
        with open_output(tmp_path / name) as stream:
            stream.write(b"words")
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == b"words"
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    with (
        pytest.raises(InputError, match="expected a writable folder"),
        open_output(tmp_path / "none" / "out.xml"),
    ):
        pass


def test_wrong_encoding_names_the_line():
    with pytest.raises(InputError, match=r"f\.txt:2: expected utf-8 text"):
        decode(b"gut\nsch\xf6n", "f.txt")
    assert decode(b"\xef\xbb\xbfgut", "f.txt") == "gut"


def test_input_errors_survive_a_process_boundary():
    error = pickle.loads(pickle.dumps(InputError("a.ctm", 3, "a number", "x" * 200)))
    assert (error.path, error.line, error.expected) == ("a.ctm", 3, "a number")
    assert str(error).startswith("a.ctm:3: expected a number, got 'xxx")
    assert len(str(error)) < 120
