"""What version 0.1.0 made (tests/data/v0_1_0) is read today, or refused by name."""

import json
import shutil
import urllib.request
import uuid
from pathlib import Path

import pytest

from indexer import index_files
from searcher import load_model, open_index
from std import InputError, OldNameWarning, Recording, StoreError, StoreWarning, load_config
from std.nist import std_list

OLD = Path(__file__).parent / "data" / "v0_1_0"
HITS = json.loads((OLD / "hits.json").read_text())


@pytest.fixture
def old_index(tmp_path):
    """A copy: a search keeps what it learned of an archive beside its index."""
    return shutil.copytree(OLD / "index", tmp_path / "index")


def places(hits, method=None):
    return [
        (hit["file"], hit["channel"], hit["start_s"], hit["duration_s"])
        for hit in sorted(hits, key=lambda hit: (hit["file"], hit["start_s"]))
        if method in (None, hit["method"])
    ]


def found(index, term):
    return [
        {
            "file": hit.file,
            "channel": hit.channel,
            "start_s": hit.start_s,
            "duration_s": hit.duration_s,
            "method": hit.method,
        }
        for hit in index.search(term, min_probability=0)
    ]


@pytest.mark.parametrize("term", ["sieben schwarze", "schwarze", "im"])
def test_words_are_found_where_0_1_found_them(old_index, term):
    before = [hit for hit in HITS if hit["term"] == term]
    with open_index(str(old_index)) as index:
        assert places(found(index, term)) == places(before)


@pytest.mark.parametrize(("before", "method"), [("split", "split"), ("sound", "phonetic")])
def test_other_ways_find_the_places_that_0_1_found(old_index, before, method):
    before = places([hit for hit in HITS if hit["term"] == "hahnenfedern"], before)
    assert len(before) == 1
    with open_index(str(old_index)) as index:
        today = found(index, "hahnenfedern")
    assert {*before} <= {*places(today, method)}


def test_a_deleted_recording_stays_deleted(old_index):
    with open_index(str(old_index)) as index:
        recordings = [one.recording for one in index.recordings()]
    assert recordings == [Recording("KERSTIN_00", 1), Recording("KERSTIN_10", 1)]


def test_an_old_index_is_extended(old_index, german):
    mesh = german / "mesh" / "KERSTIN_02.mesh"
    with pytest.warns(
        StoreWarning, match=r"made with text\.punctuation = 'keep' and keeps this setting"
    ):
        index_files([str(mesh)], store=str(old_index), ecf=str(german / "ecf.xml"))
    before = json.loads((OLD / "index" / "manifest.json").read_text())
    after = json.loads((old_index / "manifest.json").read_text())
    assert (before["version"], after["version"]) == (2, 3)
    with open_index(str(old_index)) as index:
        assert [one.recording.file for one in index.recordings()] == [
            "KERSTIN_00",
            "KERSTIN_02",
            "KERSTIN_10",
        ]
        assert places(found(index, "sieben schwarze")) == places(HITS[:1])


def test_an_old_database_is_read(pouchdb):
    server = f"http://127.0.0.1:{pouchdb.port}"

    def ask(method, path, document=None):
        content = None if document is None else json.dumps(document).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(server + path, content, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    database = f"v0-1-0-{uuid.uuid4().hex[:12]}"
    documents = json.loads((OLD / "couchdb.json").read_text())
    ask("PUT", f"/{database}")
    try:
        assert not ask("POST", f"/{database}/_bulk_docs", {"docs": documents, "new_edits": False})
        with open_index(f"couchdb://127.0.0.1:{pouchdb.port}/{database}") as index:
            assert [one.recording.file for one in index.recordings()] == ["KERSTIN_00"]
            assert places(found(index, "sieben schwarze")) == places(HITS[:1])
    finally:
        ask("DELETE", f"/{database}")


def test_a_model_of_version_1_is_refused_by_name():
    with pytest.raises(InputError, match=r"expected a model of version 8 .*, got version 1"):
        load_model(OLD / "model.json")


def test_an_index_of_another_version_is_refused_by_name(old_index):
    """The index that came before 0.1.0, and one that a later version might make."""
    manifest = old_index / "manifest.json"
    for version in (1, 99):
        document = json.loads(manifest.read_text()) | {"version": version}
        manifest.write_text(json.dumps(document))
        with pytest.raises(StoreError, match=f"index version 2 to 5, got {version};"):
            open_index(str(old_index))


def test_a_configuration_is_read():
    with pytest.warns(OldNameWarning, match="min_score: the old name is read"):
        config = load_config(OLD / "config.toml")
    assert config.decision.missing == 0.1  # as written; the default is another one today


def test_a_hit_list_is_read():
    with (OLD / "hits.xml").open("rb") as stream:
        hits = std_list.parse(stream, OLD / "hits.xml")
    assert hits.detections.yes.tolist() == [True, True, True, False]
