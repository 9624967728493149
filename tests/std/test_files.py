import gzip
import os
import pickle
import threading
import tracemalloc
from pathlib import Path

import pytest

from std import files
from std.errors import InputError
from std.files import content_bytes, decode, open_input, read_text, read_twice, rewound, size_bytes
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


def fifo(folder, content, name="pipe"):
    """A named pipe that somebody writes to."""
    path = folder / name
    os.mkfifo(path)
    threading.Thread(target=path.write_bytes, args=(content,), daemon=True).start()
    return path


@pytest.mark.parametrize("compressed", [False, True])
def test_a_pipe_is_read_like_a_file(tmp_path, compressed):
    content = b"some words\n" * 99_999
    path = fifo(tmp_path, gzip.compress(content) if compressed else content)
    with open_input(path) as stream:
        head = stream.read(70_000)
        again = rewound(stream, head)
        assert [again.readline(), again.read(4)] == [b"some words\n", b"some"]
        assert again.read() == content[15:]


def test_an_empty_pipe_is_empty(tmp_path):
    for name, content in (("a", b""), ("b", b"x"), ("c", b"\x1f")):
        with open_input(fifo(tmp_path, content, name)) as stream:
            assert stream.read() == content


def first_line(stream, path):
    return stream.readline()


def everything(stream, path):
    return stream.read()


@pytest.mark.parametrize("compressed", [False, True])
def test_two_parsers_read_one_pipe(tmp_path, compressed, monkeypatch):
    monkeypatch.setattr(files, "KEPT_IN_MEMORY_BYTES", 1000)
    content = b"one\ntwo\n" * 9999
    written = gzip.compress(content) if compressed else content
    (tmp_path / "file").write_bytes(written)
    for path in (tmp_path / "file", fifo(tmp_path, written)):
        assert read_twice(first_line, everything, path) == (b"one\n", content)


def test_no_room_for_a_pipe_names_the_pipe(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", "/tmp/tmpabc")

    monkeypatch.setattr(files.shutil, "copyfileobj", full)
    with pytest.raises(InputError) as caught:
        read_twice(first_line, everything, fifo(tmp_path, b"x"))
    expected = f"{tmp_path}/pipe: expected room to keep what it holds, got No space left on device"
    assert str(caught.value) == expected


def test_a_bomb_is_refused_long_before_it_is_large(tmp_path):
    path = tmp_path / "bomb.gz"
    with gzip.open(path, "wb", 1) as stream:
        for _ in range(256):
            stream.write(bytes(1 << 20))
    with (
        open_input(path) as stream,
        pytest.raises(InputError, match=r"bomb\.gz: expected gzip content of at most 200 times"),
    ):
        stream.read()
    tracemalloc.start()
    with pytest.raises(InputError), open_input(path) as stream:
        stream.read(1 << 28)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < (1 << 28) + 3 * files.EXPANSION_FROM_BYTES  # what was asked for, and a little


def test_text_that_repeats_itself_is_no_bomb(tmp_path):
    path = tmp_path / "text.gz"
    lines = b"".join(b'<kw file="a" tbeg="%d.%d"/>\n' % (i, i * i % 997) for i in range(4_000_000))
    path.write_bytes(gzip.compress(lines, 1))
    assert len(lines) > files.EXPANSION_FROM_BYTES
    with open_input(path) as stream:
        assert stream.read() == lines


def test_texts_have_an_end(tmp_path):
    path = tmp_path / "c.toml"
    path.write_bytes(b"x" * 100)
    assert len(read_text(path, 100)) == 100
    with pytest.raises(InputError, match=r"c\.toml: expected at most 99 bytes, got more"):
        read_text(path, 99)


def test_what_cannot_be_read_names_the_path():
    for path in ("/proc/self/mem", "\0", "/dev/fd/987"):
        with pytest.raises(InputError, match=f"^{path}: expected"), open_input(Path(path)) as one:
            one.read()


def test_sizes_are_known_of_files_only(tmp_path):
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(b"words" * 99))
    assert (size_bytes(path), content_bytes(path)) == (path.stat().st_size, 495)
    os.mkfifo(tmp_path / "fifo")
    for one in (tmp_path / "fifo", Path("-"), Path("/dev/null")):
        assert (size_bytes(one), content_bytes(one)) == (0, 0)
    with pytest.raises(InputError, match="none: expected a readable file"):
        size_bytes(tmp_path / "none")
