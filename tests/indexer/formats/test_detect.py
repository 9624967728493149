from pathlib import Path

import pytest

from indexer.formats import FORMAT_NAMES
from indexer.formats.detect import detect, parse_file
from indexer.formats.registry import FORMATS
from indexer.formats.shared.recordings import recording_of
from std.errors import InputError
from std.values import Recording
from tests.networks import networks_in

GERMAN = Path(__file__).parents[2] / "data" / "asr" / "german"

HEADS = [
    (b"name a\nnumaligns 3\n", "x", "mesh"),
    (b"numaligns 3\nposterior 1\n", "x.txt", "mesh"),
    (b'{"utt": "u", "slots"', "x", "jsonl"),
    (b"f 1 0 1 cat\n", "x", "ctm"),
    (b"# written by hand\nVERSION=1.0\nN=2 L=1\n", "x", "slf"),
    (b"N=2 L=1\n", "x", "slf"),
    (b"utt1 [ 0 0.98 7 0.02 ] [ 12 0.9 13 0.1 ] [ 0 1 ]\n", "x", "sausage"),
    (b"utt1 [ 0 0.98 7 0.02 ] [ 12 0.9 1", "x", "sausage"),
    (b";; comment\n", "x.ctm", "ctm"),
    (b"f 1 0 1 cat\nf 1 1.5 1 ca", "x", "ctm"),
]


@pytest.mark.parametrize(("head", "path", "expected"), HEADS)
def test_by_content(head, path, expected):
    assert detect(head, path) == expected


@pytest.mark.parametrize("head", [b"", b"\n\n", b"<kwlist/>", b"hello world\n", b"{}", b"\x00\x01"])
def test_unknown_formats_are_refused(head):
    with pytest.raises(InputError, match="expected recogniser output, got"):
        detect(head, "x.txt")


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ('{"colour": "red"}'.encode("utf-16"), "got JSON with the keys colour"),
        (b"utt1 \0B\x04\xff", r"Kaldi's text form \(ark,t:\), got its binary form"),
    ],
)
def test_common_mistakes_are_called_by_name(head, expected):
    with pytest.raises(InputError, match=expected):
        detect(head, "x")


def test_an_empty_file_of_a_known_name_is_left_to_its_reader():
    assert detect(b"", "x.mesh") == "mesh"


@pytest.mark.parametrize("name", ["KERSTIN_14.mesh", "networks.jsonl", "onebest.ctm"])
def test_every_example_is_recognised(name):
    assert next(networks_in(parse_file(GERMAN / name))).recording == Recording("KERSTIN_14", 1)


def test_the_format_can_be_said():
    with pytest.raises(InputError, match="expected JSON"):
        list(networks_in(parse_file(GERMAN / "KERSTIN_14.mesh", "jsonl")))


def test_no_such_file(tmp_path):
    with pytest.raises(InputError, match="a readable file"):
        list(networks_in(parse_file(tmp_path / "nothing.mesh")))


def test_no_such_format():
    assert "tape" not in FORMATS
    with pytest.raises(
        InputError, match="expected the name of a format, got 'tape'; is 'table' meant"
    ):
        list(networks_in(parse_file(GERMAN / "KERSTIN_14.mesh", "tape")))
    with pytest.raises(InputError, match="got 'mash'; is 'mesh' meant"):
        list(networks_in(parse_file(GERMAN / "KERSTIN_14.mesh", "mash")))


def test_the_command_line_knows_all_formats():
    assert tuple(FORMATS) == FORMAT_NAMES


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("a/b.mesh", "b"),
        ("b.v1.mesh.gz", "b.v1"),
        ("b.wav.jsonl", "b"),
        ("b.v1", "b.v1"),
        (".mesh", ".mesh"),
    ],
)
def test_recordings_are_named_after_files(path, file):
    assert recording_of(path) == Recording(file, 1)


@pytest.mark.parametrize("damage", ["cut", "flipped", "checksum"])
def test_damaged_gzip_is_refused(tmp_path, damage):
    content = bytearray((GERMAN.parent / "slf" / "de_rhasspy-0803.slf.gz").read_bytes())
    if damage == "cut":
        content = content[:3000]
    else:
        for i in (
            range(2000, 2050) if damage == "flipped" else range(len(content) - 8, len(content))
        ):
            content[i] ^= 0x5A
    path = tmp_path / "x.slf.gz"
    path.write_bytes(content)
    with pytest.raises(InputError, match="a whole gzip file"):
        list(networks_in(parse_file(path)))
