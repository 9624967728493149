"""Outputs: regular files whole or not at all, everything else written through."""

import gzip
import os
import stat
import threading
from pathlib import Path

import pytest

from std.errors import InputError
from std.outputs import open_output

ROOT = os.geteuid() == 0


def write(path, content=b"new"):
    with open_output(Path(path)) as stream:
        stream.write(content)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_device_stays_a_device(tmp_path):
    if not ROOT:
        pytest.skip("only root makes devices")
    for name, device in (("null", os.makedev(1, 3)), ("full", os.makedev(1, 7))):
        os.mknod(tmp_path / name, 0o666 | stat.S_IFCHR, device)
    try:
        write(tmp_path / "null")
    except InputError as error:  # a container's folder may forbid devices
        pytest.skip(str(error))
    with pytest.raises(InputError, match=r"full: expected .*, got No space left on device"):
        write(tmp_path / "full")
    assert names(tmp_path) == ["full", "null"]
    assert all(stat.S_ISCHR(path.stat().st_mode) for path in tmp_path.iterdir())


def test_the_systems_own_devices_are_written_to():
    write("/dev/null")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    with pytest.raises(InputError, match=r"^/dev/full: .*got No space left on device"):
        write("/dev/full", b"x" * 10**6)


@pytest.mark.parametrize("name", ["out", "out.gz"])
def test_a_fifo_takes_everything(tmp_path, name):
    path = tmp_path / name
    os.mkfifo(path)
    got = []
    reader = threading.Thread(target=lambda: got.append(path.read_bytes()))
    reader.start()
    content = b"words " * 100_000
    write(path, content)
    reader.join()
    assert (gzip.decompress(got[0]) if name == "out.gz" else got[0]) == content
    assert names(tmp_path) == [name]
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_a_reader_that_goes_away_is_named(tmp_path):
    path = tmp_path / "fifo"
    os.mkfifo(path)

    def read_a_little():
        with path.open("rb") as stream:
            stream.read(1)

    reader = threading.Thread(target=read_a_little)
    reader.start()
    with pytest.raises(InputError, match=r"fifo: expected .*, got Broken pipe"):
        write(path, b"x" * 10**6)
    reader.join()


def test_a_link_stays_and_its_target_is_written(tmp_path):
    (tmp_path / "folder").mkdir()
    target, link, chain = tmp_path / "folder" / "x", tmp_path / "link", tmp_path / "chain"
    target.write_bytes(b"old")
    link.symlink_to("folder/x")
    chain.symlink_to(link)
    for path in (link, chain):
        write(path, path.name.encode())
        assert path.is_symlink()
        assert target.read_bytes() == path.name.encode()
        assert not target.is_symlink()
    assert names(tmp_path / "folder") == ["x"]


def test_a_dangling_link_makes_its_target(tmp_path):
    (tmp_path / "link").symlink_to("made")
    write(tmp_path / "link")
    assert (tmp_path / "made").read_bytes() == b"new"
    assert (tmp_path / "link").is_symlink()


def test_what_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "nowhere").symlink_to("none/x")
    (tmp_path / "file").write_bytes(b"")
    for path, message in (
        (tmp_path / "loop", "loop: expected a file that can be written"),
        (tmp_path / "nowhere", "nowhere: expected a writable folder"),
        (tmp_path, "expected a file to write, got a folder"),
        (tmp_path / "file" / "x", "file/x: expected"),
        (tmp_path / ("x" * 300), r"expected .* got File name too long"),
        (Path("/dev/fd/987"), r"/dev/fd/987: expected .* got Bad file descriptor"),
    ):
        with pytest.raises(InputError, match=message):
            write(path)
    assert names(tmp_path) == ["file", "loop", "nowhere"]


def test_a_long_name_is_no_reason(tmp_path):
    write(tmp_path / ("ä" * 127))
    assert names(tmp_path) == ["ä" * 127]


def test_a_replaced_file_keeps_its_permissions(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"old")
    path.chmod(0o640)
    if ROOT:
        os.chown(path, 65534, 65534)
    write(path)
    status = path.stat()
    assert stat.S_IMODE(status.st_mode) == 0o640
    assert status.st_uid == (65534 if ROOT else os.getuid())
    mask = os.umask(0o027)
    try:
        write(tmp_path / "y")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "y").stat().st_mode) == 0o640


def test_another_hard_link_keeps_what_was_there(tmp_path):
    path, other = tmp_path / "x", tmp_path / "y"
    path.write_bytes(b"old")
    other.hardlink_to(path)
    write(path)
    assert (path.read_bytes(), other.read_bytes()) == (b"new", b"old")


def test_no_message_names_a_temporary_file(tmp_path, monkeypatch):
    def fail(self, target):
        raise OSError(16, "Device or resource busy", str(self), None, str(target))

    path = tmp_path / "hits.xml"
    path.write_bytes(b"old")
    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(InputError) as caught:
        write(path)
    expected = f"{path}: expected a file that can be replaced, got Device or resource busy"
    assert str(caught.value) == expected
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["hits.xml"]


def test_an_open_descriptor_is_written_where_it_stands(tmp_path):
    with (tmp_path / "log").open("ab", buffering=0) as log:
        log.write(b"before ")
        write(f"/dev/fd/{log.fileno()}")
        log.write(b" after")
    assert (tmp_path / "log").read_bytes() == b"before new after"
