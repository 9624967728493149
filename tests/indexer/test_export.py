"""std-store export: what is written is indexed again as the index that it came from."""

import json
import uuid
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer import delete_recordings, export_index, index_files, list_recordings
from indexer.export import utterance_spans
from indexer.store_cli import main
from std.errors import StdError
from std.metadata.table import of_rows
from std.sound.columns import Encoder, Sound
from std.sound.files import header
from std.store import open_store
from std.store.columns import IndexedRecording
from std.text import Normalisation
from std.values import Recording

DATA = Path(__file__).parent.parent / "data"
CAPTIONS = DATA / "captions"
FILES = ["KERSTIN_00", "KERSTIN_04", "KERSTIN_07"]


def columns_of(url):
    with closing(open_store(url)) as store:
        assert not [*store.damage()]
        return sorted((one.columns() for one in store.segments()), key=lambda one: one.recordings)


def again(url, tmp_path, **options):
    """The index of what is exported of an index."""
    folder = tmp_path / uuid.uuid4().hex
    folder.mkdir()
    report = export_index(url, folder / "networks.jsonl", **options)
    other = str(folder / "index")
    index_files(folder / "networks.jsonl", other)
    return report, other


@pytest.fixture(params=["memory", "folder", "couchdb"])
def url(request, tmp_path):
    """Where no store is yet."""
    if request.param == "couchdb":
        return str(request.getfixturevalue("couchdb_url"))
    return f"memory:{uuid.uuid4().hex}" if request.param == "memory" else str(tmp_path / "index")


def test_networks_are_the_same_index_again(german, tmp_path, url):
    meshes = [german / "mesh" / f"{name}.mesh" for name in FILES]
    index_files(meshes, url)
    report, other = again(url, tmp_path)
    (one,), (two,) = columns_of(url), columns_of(other)
    assert one.digest() == two.digest()
    listed = list_recordings(url)
    assert (report.recordings, report.estimated, report.noises) == (3, (), ())
    assert report.utterances == sum(entry.about.utterances for entry in listed)


@pytest.mark.parametrize("path", sorted([
    *(one for one in CAPTIONS.iterdir() if one.suffix != ".md"),
    *(DATA / "asr" / "json").iterdir(), *(DATA / "asr" / "rows").iterdir(),
]), ids=lambda path: path.name)  # fmt: skip
def test_captions_estimates_and_speakers_are_the_same_again(path, tmp_path):
    store = str(tmp_path / "index")
    index_files(path, store)
    report, other = again(store, tmp_path)
    one, two = columns_of(store), columns_of(other)
    if path.name == "shapes.json":  # of documents at one time: speakers change more than utterances
        (before,), (after,) = one, two
        pairs = zip(before.recordings, after.recordings, strict=True)
        assert [b.utterances - a.utterances for a, b in pairs] == [0, 3, 0]
        two = [replace(after, recordings=before.recordings)]
    assert [columns.digest() for columns in one] == [columns.digest() for columns in two]
    assert report.estimated == ()


def test_some_recordings_without_those_deleted(german, tmp_path):
    store = str(tmp_path / "index")
    meshes = [german / "mesh" / f"{name}.mesh" for name in FILES]
    rows = {FILES[0]: {"title": "=x", "date": "2024"}, FILES[1]: {"title": "y"}}
    index_files(meshes, store, metadata=of_rows(rows))
    with closing(open_store(store)) as opened, opened.writing():
        opened.commit(normalisation=opened.normalisation(), delete_files={FILES[2]})
    table = tmp_path / "m.csv"
    report, other = again(store, tmp_path, metadata=table)
    assert report.recordings == 2
    index_files((), other, metadata=table)
    delete_recordings([], store)
    described = [(one.about.recording, one.about.metadata) for one in list_recordings(store)]
    assert described == [
        (one.about.recording, one.about.metadata) for one in list_recordings(other)
    ]
    report, other = again(store, tmp_path, where="date = 2024")
    assert [one.about.recording.file for one in list_recordings(other)] == FILES[:1]
    with pytest.raises(StdError, match="expected the name of one of"):
        export_index(store, tmp_path / "x", recordings=["nobody"])
    assert not (tmp_path / "x").exists()


def test_the_command(german, tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shards = ["one", "two"]
    index_files([german / "mesh" / f"{name}.mesh" for name in FILES], shards)
    given = ["export", "one", "--shard", "two"]
    assert main([*given, "n.jsonl", "--recording", "KERSTIN_00", "--json"]) == 0
    out, err = capfd.readouterr()
    assert json.loads(out)["recordings"] == 1
    assert err == "1 recording, 20 utterances -> n.jsonl\n"
    assert main([*given, "-", "--quiet"]) == 0
    out, err = capfd.readouterr()
    assert {json.loads(line)["file"] for line in out.splitlines()} == {*FILES}
    assert err == ""
    Path("link").symlink_to("two")
    for wrong in (
        ["-", "--json"],
        ["one/manifest.json"],
        ["n", "--metadata-to", "n"],
        ["one/n"],
        ["link/n"],
        ["n", "--metadata-to", "one/n"],
    ):
        assert main([*given, *wrong]) == 2
        assert len(capfd.readouterr().err.splitlines()) == 1
    assert not Path("one/n").exists()
    assert not Path("two/n").exists()
    assert main(["verify", "one", "--quiet"]) == 0


def test_what_the_networks_do_not_say_is_said(tmp_path, capsys):
    slots = [{"w": [["hello", 0.9]]}, {"w": [["(laughs)", 0.9]]}]
    line = json.dumps({"utt": "u", "start": 1.0, "end": 3.0, "slots": slots})
    (tmp_path / "a.jsonl").write_text(f"{line}\n")
    made, store = str(tmp_path / "made"), str(tmp_path / "index")
    index_files(tmp_path / "a.jsonl", made, keep_nonwords=True)
    (columns,) = columns_of(made)
    with closing(open_store(store, create=True)) as older, older.writing():
        older.commit([replace(columns, extra={})], normalisation=Normalisation())
    assert main(["export", store, str(tmp_path / "n.jsonl"), "--quiet"]) == 0
    sound = Sound(Recording("village", 1), Encoder("whisper", "aa"), np.zeros((9, 32), np.uint8))
    (tmp_path / "village.sound").write_bytes(header(sound) + sound.stored.tobytes())
    index_files(tmp_path / "village.sound", tmp_path / "sound")
    assert main(["export", str(tmp_path / "sound"), str(tmp_path / "n.jsonl"), "--quiet"]) == 0
    assert [line.partition("warning: ")[2] for line in capsys.readouterr().err.splitlines()] == [
        "times of words are estimates in 1 recording (a): the networks do not say so",
        "only std-index --keep-nonwords indexes 1 word again (such as (laughs))",
        "the networks lack the sound of 1 recording (such as village): index it, too",
    ]


@given(
    slots=st.lists(
        st.tuples(st.integers(0, 50), st.integers(0, 20), st.integers(0, 2)), max_size=12
    ),
    utterances=st.integers(1, 8),
    speech_ms=st.integers(0, 1500),
)
def test_any_slots_are_cut_into_as_many_utterances_that_last_as_long(slots, utterances, speech_ms):
    edges = np.cumsum([part for gap, length, _ in slots for part in (gap, length)], dtype=np.int64)
    spans = edges.reshape(-1, 2)
    speaker = np.array([who for *_, who in slots], np.int32)
    indexed = IndexedRecording(Recording("a", 1), speech_ms, utterances)
    bounds, found = utterance_spans(spans, speaker, indexed)
    turns = int((np.diff(speaker) != 0).sum()) + 1
    assert len(found) == max(utterances, turns)
    assert (bounds[0], bounds[-1]) == (0, len(spans))
    assert (np.diff(bounds) >= 0).all()
    assert all(len({*speaker[a:b].tolist()}) <= 1 for a, b in pairwise(bounds))
    assert int(np.diff(found, axis=1).sum()) == speech_ms
    assert (found[:, 1] >= found[:, 0]).all()
    assert (np.diff(found[:, 0]) >= 0).all()
