"""How fast people speak in an archive and how sure its recogniser is, however it is cut."""

import json
import os
from dataclasses import replace

import pytest

from indexer import index_files
from indexer.segments.invert import invert
from indexer.segments.phone_columns import phone_columns
from searcher.phonetic import archive as archives
from searcher.phonetic.archive import (
    FILE,
    KEPT_STATISTICS,
    LEAST_HIGHEST,
    TYPICAL_PHONE_MS,
    archive_of,
    live_slots,
    mean_phone_ms,
)
from searcher.phonetic.index import open_phonetic_index
from searcher.phonetic.indexes import open_phonetic_indexes
from searcher.tuning.confusion import nothing_counted
from std.config import Config
from std.phonetics.lexicon import Lexicon
from std.store import open_store
from std.store.resident import ResidentSegment


class Letters:
    name = "letters:xx"

    def pronounce(self, words):
        return [tuple(word) for word in words]


def index_of(*networks, deleted=()):
    columns = invert(networks)
    columns = replace(columns, extra=phone_columns(columns, Lexicon(Letters())))
    return open_phonetic_index(ResidentSegment("s", columns, frozenset(deleted)))


@pytest.fixture
def slow(network):
    sure, unsure = [("haus", 0.95)], [("hund", 0.5), ("mund", 0.5)]
    return network(sure, unsure, spans_ms=[(0, 400), (400, 500)], file="slow")


@pytest.fixture
def fast(network):
    return network([("da", 1.0)], [("so", 0.9)], spans_ms=[(0, 100), (100, 200)], file="fast")


def test_the_words_that_the_recogniser_is_sure_of_count(slow, fast):
    assert mean_phone_ms([index_of(slow)]) == 400 / 4
    assert mean_phone_ms([index_of(slow, fast)]) == (400 + 100 + 100) / (4 + 2 + 2)


def test_neither_the_cut_nor_deleted_recordings_matter(slow, fast):
    assert mean_phone_ms([index_of(slow), index_of(fast)]) == mean_phone_ms([index_of(slow, fast)])
    first = [one.recording.file for one in index_of(slow, fast).columns.recordings].index("fast")
    assert mean_phone_ms([index_of(slow, fast, deleted=[first])]) == 100


def test_without_such_words_it_is_typical(network):
    assert mean_phone_ms([]) == TYPICAL_PHONE_MS
    assert mean_phone_ms([index_of(network([("hund", 0.5), ("mund", 0.5)]))]) == TYPICAL_PHONE_MS


def test_the_highest_posterior_of_live_recordings(slow, fast):
    def highest(*indexes):
        return live_slots(indexes)[1]

    assert highest(index_of(slow)) == pytest.approx(0.95)
    assert highest(index_of(slow), index_of(fast)) == highest(index_of(slow, fast)) == 1
    first = [one.recording.file for one in index_of(slow, fast).columns.recordings].index("fast")
    slots, most = live_slots([index_of(slow, fast, deleted=[first])])
    assert (slots, most) == (2, pytest.approx(0.95))


def test_a_recogniser_that_is_nowhere_sure_is_not_taken_for_a_modest_one(network):
    assert live_slots([index_of(network([("hund", 0.5), ("mund", 0.5)]))])[1] == LEAST_HIGHEST
    assert live_slots([]) == (0, LEAST_HIGHEST)


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
