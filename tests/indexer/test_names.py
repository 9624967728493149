"""Names of recordings: from our networks, on the command line, longer than names of files."""

import json

import pytest

from indexer import index_files, list_recordings, rename_recording
from indexer.formats.readers.jsonl import parse_strictly
from indexer.segments.invert import invert
from indexer.store_cli import main
from std.errors import InputError
from std.metadata.table import of_rows
from std.store import open_store
from std.text import Normalisation
from std.values import Recording


def networks(path, *files, **more):
    lines = (
        {"utt": f"u{n}", "file": file, "channel": 1, "start": 0.0, "end": 2.0, "slots": []} | more
        for n, file in enumerate(files)
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def names(store):
    return [one.about.recording.file for one in list_recordings(store)]


def test_our_networks_name_recordings_as_every_format_does(tmp_path):
    given = ["audio/news.wav", " talk ", "C:\\calls\\Anruf 1.mp3", "o\u0308"]
    described = of_rows({"news": {"title": "News"}})
    index_files(networks(tmp_path / "a.jsonl", *given), tmp_path / "i", metadata=described)
    assert names(tmp_path / "i") == ["Anruf 1", "news", "talk", "\u00f6"]
    index_files(networks(tmp_path / "b.jsonl", *given, start=0), tmp_path / "j")  # line by line
    assert names(tmp_path / "j") == names(tmp_path / "i")


@pytest.mark.parametrize("name", ["  ", "/", "calls/"])
def test_a_name_of_nothing_but_folders_is_refused(tmp_path, name):
    path = networks(tmp_path / "a.jsonl", name)
    with pytest.raises(InputError, match=r"a\.jsonl:1: expected text as file"):
        index_files(path, tmp_path / "i")
    with pytest.raises(InputError, match="expected text as file"):
        parse_strictly([(1, path.read_bytes())], path, Recording("a", 1))


def test_a_recording_is_found_by_the_name_that_the_index_has(tmp_path, network):
    store = open_store(str(tmp_path / "i"), create=True)  # as older versions named recordings
    old = ["audio/news.wav", "x.wav", "x"]
    with store.writing():
        columns = invert([network([("haus", 1.0)], file=file) for file in sorted(old)])
        store.commit([columns], normalisation=Normalisation())
    url = store.url
    assert rename_recording("x.wav", "y", url) == "y"
    assert main(["correct", url, "audio/news.wav", "--at", "0.1", "--words", "baum"]) == 0
    assert main(["delete", url, "audio/news.wav", "x.flac", "--quiet"]) == 0
    assert names(url) == ["y"]


def test_a_name_may_be_longer_than_a_file_name(tmp_path):
    index_files(networks(tmp_path / "a.jsonl", "x" * 300), tmp_path / "i")
    assert names(tmp_path / "i") == ["x" * 300]


def test_a_new_name_is_one_line(tmp_path):
    index_files(networks(tmp_path / "a.jsonl", "a"), tmp_path / "i")
    with pytest.raises(InputError, match="a name without control characters"):
        rename_recording("a", "two\nlines", tmp_path / "i")
    assert rename_recording(
        "a", "Zürich, \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", tmp_path / "i"
    )


def test_times_that_are_too_late_are_named(tmp_path):
    (tmp_path / "a.ctm").write_text("a 1 0.0 0.5 haus\na 1 90000000.0 500 haus\n")  # ms?
    with pytest.raises(InputError, match=r"a\.ctm:2: expected times up to 1073741\.823 s, got"):
        index_files(tmp_path / "a.ctm", tmp_path / "i")
