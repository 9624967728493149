"""Statistics beside an index: read again, of several searches; damaged ones are learned again."""

import json
import os
from dataclasses import replace

import pytest

from indexer import index_files
from searcher.phonetic import archive as archives
from searcher.phonetic.archive import FILE, KEPT_STATISTICS, archive_of
from searcher.phonetic.index import open_phonetic_index
from searcher.phonetic.indexes import open_phonetic_indexes
from searcher.tuning.confusion import nothing_counted
from std.config import Config
from std.store import open_store


@pytest.fixture(scope="module")
def phonetic(german, tmp_path_factory):
    store = str(tmp_path_factory.mktemp("known") / "index")
    index_files(sorted((german / "mesh").glob("*.mesh"))[:2], store)
    segments = open_store(store).segments()
    rows = {one.recording: i for i, one in enumerate(segments[0].recordings)}
    found, _ = open_phonetic_indexes(segments, rows, Config(), None)
    return found


@pytest.fixture
def learned(monkeypatch):
    """How often statistics were learned; nothing is known in memory."""
    calls = []
    really = archives.learn_archive

    def learn(indexes, counts, workers):
        calls.append(counts)
        return really(indexes, counts, workers)

    monkeypatch.setattr(archives, "learn_archive", learn)
    forget()
    return calls


def forget():
    archives._known.clear()


def archive(phonetic, folder, counts=None):
    forget()
    return archive_of(phonetic.indexes, counts or nothing_counted(phonetic), folder)


def models(phonetic, n):
    """Confusion counts of several models."""
    nothing = nothing_counted(phonetic)
    return [replace(nothing, inserted=nothing.inserted + i) for i in range(n)]


def test_statistics_of_several_models_are_kept(phonetic, learned, tmp_path):
    found = [archive(phonetic, tmp_path, counts) for counts in models(phonetic, 3)]
    again = [archive(phonetic, tmp_path, counts) for counts in models(phonetic, 3)]
    assert len(learned) == 3
    for one, other in zip(found, again, strict=True):
        assert one.null.coefficients.tolist() == other.null.coefficients.tolist()
        assert (one.slots, one.phone_ms) == (other.slots, other.phone_ms)


def test_old_ones_go(phonetic, learned, tmp_path):
    for counts in models(phonetic, KEPT_STATISTICS + 1):
        archive(phonetic, tmp_path, counts)
    assert len(json.loads((tmp_path / FILE).read_text())["archives"]) == KEPT_STATISTICS
    archive(phonetic, tmp_path, models(phonetic, 1)[0])
    assert len(learned) == KEPT_STATISTICS + 2


def test_those_of_a_new_snapshot_replace_the_old_ones(phonetic, learned, tmp_path):
    archive(phonetic, tmp_path)
    (index,) = phonetic.indexes
    smaller = replace(phonetic, indexes=(open_phonetic_index(index.segment.without([0])),))
    assert archive(smaller, tmp_path).slots < archive(phonetic, tmp_path).slots
    assert len(learned) == 3
    assert len(json.loads((tmp_path / FILE).read_text())["archives"]) == 1


@pytest.mark.parametrize("damage", [
    lambda text: text.replace('"slots": ', '"slots": 1'),
    lambda text: text.replace('"highest_posterior": 1.0', '"highest_posterior": 0.95'),
    lambda text: text[: len(text) // 2],
    lambda text: text.replace("archive 7", "archive 6"),
    lambda text: "[]",
    lambda text: "",
])  # fmt: skip
def test_what_is_damaged_is_learned_again(phonetic, learned, tmp_path, damage):
    expected = archive(phonetic, tmp_path)
    path = tmp_path / FILE
    path.write_text(damage(path.read_text()))
    found = archive(phonetic, tmp_path)
    assert len(learned) == 2
    assert (found.slots, found.highest_posterior) == (expected.slots, expected.highest_posterior)
    archive(phonetic, tmp_path)
    assert len(learned) == 2


def test_a_pipe_in_its_place_keeps_nobody_waiting(phonetic, learned, tmp_path):
    os.mkfifo(tmp_path / FILE)
    assert archive(phonetic, tmp_path).slots > 0
    assert len(learned) == 1


@pytest.mark.parametrize("content", ["mine", None])
def test_a_link_in_its_place_is_not_followed(phonetic, learned, tmp_path, content):
    mine, index = tmp_path / "mine", tmp_path / "index"
    index.mkdir()
    if content:
        mine.write_text(content)
    (index / FILE).symlink_to(mine)
    archive(phonetic, index)
    assert (index / FILE).is_symlink()
    assert mine.exists() == bool(content)
    assert not content or mine.read_text() == content
    assert len(learned) == 1
