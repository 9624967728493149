"""An index made before ``text.punctuation`` was a key is searched and extended as it was made."""

import json

import pytest

from indexer.cli import main as index
from indexer.formats.readers import jsonl
from searcher.commands.search import main as search
from spoken_terms.start import std_query as query
from std.store.manifest import _digest


@pytest.fixture
def old_index(network, tmp_path):
    """A folder whose manifest does not have the key."""
    with (tmp_path / "in.jsonl").open("wb") as stream:
        jsonl.dump([network([("foto’s", 0.9)], [("foto's", 0.7)])], stream)
    config = tmp_path / "keep.toml"
    config.write_text('[text]\npunctuation = "keep"\n')
    store = tmp_path / "index"
    arguments = [str(tmp_path / "in.jsonl"), "--store", str(store), "--config", str(config)]
    assert index([*arguments, "--quiet"]) == 0
    (path,) = [one for one in store.iterdir() if one.name.startswith("manifest")]
    document = json.loads(path.read_text())
    del document["digest"], document["normalisation"]["punctuation"]
    path.write_text(json.dumps(document | {"digest": _digest(document)}))
    return store


def hits(store, term, capsys):
    assert search(["--store", str(store), term, "--json"]) in (0, 1)
    return [hit["searched"] for hit in json.loads(capsys.readouterr().out)]


def test_it_is_searched_as_it_was_made(old_index, capsys):
    assert "foto’s" in hits(old_index, "foto’s", capsys)
    assert "foto's" in hits(old_index, "foto's", capsys)
    assert query(["--store", str(old_index), "foto’s", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["words"][0]["in_vocabulary"]


def test_it_is_extended_as_it_was_made_and_says_so(old_index, network, tmp_path, capsys):
    with (tmp_path / "more.jsonl").open("wb") as stream:
        jsonl.dump([network([("auto’s", 0.9)], file="more")], stream)
    assert index([str(tmp_path / "more.jsonl"), "--store", str(old_index)]) == 0
    assert "text.punctuation = 'keep'" in capsys.readouterr().err
    assert "auto’s" in hits(old_index, "auto’s", capsys)


def test_a_new_index_finds_either_way_of_writing(network, tmp_path, capsys):
    with (tmp_path / "in.jsonl").open("wb") as stream:
        jsonl.dump([network([("foto’s", 0.9)], [("dollar—maybe", 0.7)])], stream)
    store = tmp_path / "index"
    assert index([str(tmp_path / "in.jsonl"), "--store", str(store), "--quiet"]) == 0
    for term in ("foto's", "foto’s", "dollar maybe", "dollar—maybe"):
        assert hits(store, term, capsys)


def test_it_finds_words_with_full_stops_either_way(old_index, network, tmp_path, capsys):
    with (tmp_path / "more.jsonl").open("wb") as stream:
        jsonl.dump([network([("u.s.", 0.9)], [("p.m", 0.9)], [("people.", 0.9)], file="m")], stream)
    assert index([str(tmp_path / "more.jsonl"), "--store", str(old_index), "--quiet"]) == 0
    for term, word in (("U.S.", "u.s."), ("u.s", "u.s."), ("P.M.", "p.m"), ("people", "people.")):
        assert hits(old_index, term, capsys)[0] == word
