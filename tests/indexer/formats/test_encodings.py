"""Encodings of texts of every format: told by their letters, or by the user; else the way out."""

import pytest

from indexer.formats.detect import is_json, parse_file
from indexer.formats.registry import FORMATS, readers
from indexer.formats.shared.reader import ReaderOptions
from std.errors import ForeignFileError, InputError
from std.repairs import Repairs
from tests.indexer.formats.test_readers import SAMPLES, options, said
from tests.networks import networks_in

GERMAN = "Für die Tür und das Haus über der Straße und für die schönen Bäume"
SRT = f"1\n00:00:00,000 --> 00:00:05,000\n{GERMAN}\n"
STM = f"x 1 anna 0.00 5.0 {GERMAN}\n"
CTM = "".join(f"x 1 {0.4 * at:.1f} 0.4 {word} 0.9\n" for at, word in enumerate(GERMAN.split()))
LINES = f"0:00 {GERMAN}\n0:05 Ja.\n"
TTML = (
    f'<tt xmlns="http://www.w3.org/ns/ttml"><body><p begin="0s" end="5s">{GERMAN}</p></body></tt>'
)
SAUSAGE = "x " + " ".join(f"[ {word} 1.0 ]" for word in GERMAN.split()) + "\n"
TEXTS = {"srt": SRT, "stm": STM, "ctm": CTM, "lines": LINES, "ttml": TTML, "sausage": SAUSAGE}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("page", ["cp1252", "utf-16", "utf-16-le", "utf-8"])
@pytest.mark.parametrize("given", [True, False])
def test_texts_are_read_in_any_encoding_that_can_be_told(tmp_path, name, told, page, given):
    path = tmp_path / "x"
    path.write_bytes(TEXTS[name].encode(page))
    own = options(name)
    own = ReaderOptions(segments=own.segments, encoding=page if given else None)
    found = list(said(parse_file(path, name if told else "auto", own)))
    assert found[: len(GERMAN.split())] == GERMAN.split()


TEXT_READERS = [reader for reader in readers("text") if not is_json(reader.sample)]


@pytest.mark.parametrize("reader", TEXT_READERS, ids=lambda reader: reader.name)
def test_one_whose_encoding_nobody_can_tell_is_refused_with_the_option(tmp_path, reader):
    path = tmp_path / "x"
    path.write_bytes(SAMPLES[reader.name].replace(b"aus", b"\xa4\xb6\xbc"))
    repairs = Repairs()
    own = ReaderOptions(segments=options(reader.name).segments, repairs=repairs)
    with pytest.raises(InputError, match="--encoding NAME"):
        list(said(parse_file(path, reader.name, own)))


def test_broken_letters_far_inside_are_refused_with_the_option(tmp_path):
    path = tmp_path / "x.ctm"
    row = b"x 1 0.0 0.1 das\n"
    path.write_bytes(row * ((1 << 22) // len(row) + 9) + b"x 1 0.0 0.1 T\xfcr\n")
    with pytest.raises(InputError, match="--encoding NAME"):
        list(parse_file(path))


@pytest.mark.parametrize("declared", [' encoding="UTF-8"', ""])
def test_xml_that_is_not_in_what_it_says_is_read_by_its_letters(tmp_path, declared):
    path = tmp_path / "x.ttml"
    path.write_bytes(f'<?xml version="1.0"{declared}?>{TTML}'.encode("cp1252"))
    assert list(said(parse_file(path))) == GERMAN.split()
    assert list(said(parse_file(path, options=ReaderOptions(encoding="cp1252")))) == GERMAN.split()


def test_the_encoding_that_xml_declares_loses_to_that_of_the_user(tmp_path):
    path = tmp_path / "x.ttml"
    path.write_bytes(f'<?xml version="1.0" encoding="cp1250"?>{TTML}'.encode("cp1252"))
    assert list(said(parse_file(path, options=ReaderOptions(encoding="cp1252")))) == GERMAN.split()


def test_other_texts_in_doubt_are_still_something_else(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_bytes("Grüße\n".encode("cp1252") * 3)
    with pytest.raises(ForeignFileError):
        list(parse_file(path))


def test_json_is_decoded_as_the_user_says(tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes('[{"start": 0, "end": 1, "text": "Für Gemüse"}]'.encode("cp1252"))
    for name in ("auto", "timed-text"):
        (network,) = networks_in(parse_file(path, name, ReaderOptions(encoding="cp1252")))
        assert network.words == ("Für", "Gemüse")


def test_every_reader_is_asked_for_its_kind():
    assert {kind for reader in FORMATS.values() for kind in reader.kinds} == {
        "binary",
        "text",
        "json",
    }


@pytest.mark.parametrize("name", ["srt", "stm", "ctm", "lines", "sausage"])
def test_lines_may_end_as_they_did_long_ago(tmp_path, name):
    path = tmp_path / "x"
    path.write_bytes(TEXTS[name].replace("\n", "\r").encode())
    own = ReaderOptions(segments=options(name).segments)
    assert list(said(parse_file(path, "auto", own)))[: len(GERMAN.split())] == GERMAN.split()
