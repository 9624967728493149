"""How fast people speak in an archive and how sure its recogniser is, however it is cut."""

from dataclasses import replace

import numpy as np
import pytest

from indexer.segments.invert import invert
from indexer.segments.phone_columns import phone_columns
from searcher.phonetic.archive import LEAST_HIGHEST, TYPICAL_PHONE_MS, mean_phone_ms, speech_quality
from searcher.phonetic.index import open_phonetic_index
from std.phonetics.lexicon import Lexicon
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
        return speech_quality(indexes)[1]

    assert highest(index_of(slow)) == pytest.approx(0.95)
    assert highest(index_of(slow), index_of(fast)) == highest(index_of(slow, fast)) == 1
    first = [one.recording.file for one in index_of(slow, fast).columns.recordings].index("fast")
    assert highest(index_of(slow, fast, deleted=[first])) == pytest.approx(0.95)


def test_a_recogniser_that_is_nowhere_sure_is_not_taken_for_a_modest_one(network):
    assert speech_quality([index_of(network([("hund", 0.5), ("mund", 0.5)]))])[1] == LEAST_HIGHEST
    assert speech_quality([])[1] == LEAST_HIGHEST


@pytest.mark.parametrize("deleted", [(), (0,), (1, 2)])
def test_speech_quality_is_that_of_the_slow_twin(network, deleted):
    rng = np.random.default_rng(4)

    def slot():
        words = rng.permutation(["da", "so", "haus"])[: rng.integers(0, 4)].tolist()
        return [(word, float(p)) for word, p in zip(words, rng.random(len(words)) / 3, strict=True)]

    said = {f"r{i}": [slot() for _ in range(int(rng.integers(1, 30)))] for i in range(4)}
    index = index_of(*(network(*slots, file=file) for file, slots in said.items()), deleted=deleted)
    best = {
        one.recording.file: [
            round(max((p for _, p in slot), default=0) * 2**20) for slot in said[one.recording.file]
        ]
        for row, one in enumerate(index.columns.recordings)
        if row not in deleted
    }
    every = [units for of_recording in best.values() for units in of_recording]
    mean = sum(every) / len(every)
    slots, _, (quality,) = speech_quality([index])
    assert slots == len(every)
    for row, one in enumerate(index.columns.recordings):
        units = best.get(one.recording.file)
        expected = (sum(units) / len(units) - mean) / 2**20 if units else 0.0
        assert quality[row] == pytest.approx(expected, abs=1e-6)
