"""How fast people speak in an archive and how sure its recogniser is, however it is cut."""

from dataclasses import replace

import pytest

from indexer.segments.invert import invert
from indexer.segments.phone_columns import phone_columns
from searcher.phonetic.archive import LEAST_HIGHEST, TYPICAL_PHONE_MS, live_slots, mean_phone_ms
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
        return live_slots(indexes)[1]

    assert highest(index_of(slow)) == pytest.approx(0.95)
    assert highest(index_of(slow), index_of(fast)) == highest(index_of(slow, fast)) == 1
    first = [one.recording.file for one in index_of(slow, fast).columns.recordings].index("fast")
    slots, most = live_slots([index_of(slow, fast, deleted=[first])])
    assert (slots, most) == (2, pytest.approx(0.95))


def test_a_recogniser_that_is_nowhere_sure_is_not_taken_for_a_modest_one(network):
    assert live_slots([index_of(network([("hund", 0.5), ("mund", 0.5)]))])[1] == LEAST_HIGHEST
    assert live_slots([]) == (0, LEAST_HIGHEST)
