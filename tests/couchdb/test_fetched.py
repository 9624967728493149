"""Which documents a search fetches: only those that it needs, in few requests."""

from dataclasses import replace

import numpy as np
import pytest

from indexer.segments.invert import invert
from searcher.found_terms import prepare
from searcher.index.copies import find_copies
from searcher.index.searched_speech import SearchedSpeech
from searcher.search import search
from std.config import Config, PhoneticSearchConfig, SplittingConfig
from std.store.couchdb.store import open_couchdb
from std.store.resident import ResidentSegment
from std.text import Normalisation
from std.values import Term

pytestmark = pytest.mark.slow
PLAIN = Normalisation()
WORDS_ALONE = Config(
    splitting=SplittingConfig(words="none"), phonetic_search=PhoneticSearchConfig(words="none")
)
couchdb = pytest.mark.couchdb


@couchdb
def test_only_slots_that_are_needed_are_fetched(couchdb_url, opened, network, commit):
    networks = [
        network(*[[(word, 0.5)] for word in "abcdefgh"], file=f"file{number}")
        for number in range(9)
    ]
    columns = invert(networks)
    store = opened(couchdb_url)
    commit(store, columns)
    (segment,) = store.segments()
    before = store.round_trips
    assert len(segment.slots([]).key) == 0
    assert store.round_trips == before
    some, rows = segment.slots([2, 7]), np.arange(len(columns.slot_key))
    assert some.offsets is None  # not of all recordings
    assert len(some.key) < len(columns.slot_key)
    for recording in (2, 7):
        mine = columns.slot_key >> np.uint64(32) == recording
        got = some.key >> np.uint64(32) == recording
        for ours, theirs in zip(
            (some.key, some.epsilon, some.word, some.row),
            (columns.slot_key, columns.slot_epsilon, columns.slot_word, rows),
            strict=True,
        ):
            np.testing.assert_array_equal(ours[got], theirs[mine])
        positions = some.positions(np.flatnonzero(mine))
        np.testing.assert_array_equal(positions, np.flatnonzero(got))
    segment.slots([2])
    assert store.round_trips == before + 1
    assert len(segment.slots(range(9)).key) == len(columns.slot_key)


@couchdb
def test_only_rows_of_an_extra_column_that_are_needed_are_fetched(
    couchdb_url, opened, speech, commit
):
    column = np.arange(100, dtype="<u8")  # four in a document
    commit(opened(couchdb_url), replace(speech(1), extra={"signs": column}))
    store = opened(couchdb_url)
    (segment,) = store.segments()
    asked = []
    rows_of = store._database.rows

    def noted(path, **options):
        asked.extend(options["keys"])
        return rows_of(path, **options)

    store._database.rows = noted
    for rows in ([5, 98, 6], [99, 7]):
        np.testing.assert_array_equal(segment.extra_rows("signs", np.array(rows)), rows)
    parts = [name.rpartition("|")[2] for name in asked]
    assert parts == ["signs.1", "signs.24"]


@couchdb
def test_phrases_fetch_the_slots_that_they_skip(couchdb_url, opened, network, commit):
    """And say what they say where all slots are at hand."""
    random = np.random.default_rng(5)
    slots = [
        [(word, 0.3) for word in random.choice(list("abcdef"), 2, replace=False)]
        for _ in range(300)
    ]
    slots[100:103] = [[("rare", 0.9)], [("a", 0.1)], [("find", 0.9)]]
    slots[200:202] = [[("rare", 0.9)], [("find", 0.9)]]
    columns = invert([network(*slots)])
    store = opened(couchdb_url)
    commit(store, columns)
    resident = ResidentSegment(columns.digest()[:32], columns)
    for phrase, most in [("rare find", 2), ("find rare", 0), ("a b c d", 99)]:
        (segment,) = opened(couchdb_url).segments()
        fetched, real = [], segment._remote.slot_parts
        segment._remote.slot_parts = lambda wanted, to=fetched, real=real: (
            to.extend(wanted) or real(wanted)
        )
        there, here = (
            search(
                [Term("1", phrase)], prepare([one], WORDS_ALONE), SearchedSpeech(None, 60.0)
            ).candidates
            for one in (segment, resident)
        )
        assert len(here.probability) or not most
        for ours, theirs in zip(there, here, strict=True):
            np.testing.assert_array_equal(ours, theirs)
        assert len(fetched) <= most
        assert bool(fetched) == bool(most)


@couchdb
def test_copies_are_found_by_the_slots_of_recordings_that_may_be_some(
    couchdb_url, opened, network, commit
):
    """And the search without them finds what it finds where all columns are at hand."""
    random = np.random.default_rng(6)
    networks = []
    for i, n in enumerate([9, 2000, 9, 2500, 3000]):  # slots: only the first and the third agree
        words = random.choice(list("abcdef"), n) if i != 2 else networks[0].words
        networks.append(network(*([(word, 0.8)] for word in words), file=f"file {i}"))
    columns = invert(networks)
    store = opened(couchdb_url)
    commit(store, columns)
    resident = ResidentSegment(columns.digest()[:32], columns)
    (segment,) = opened(couchdb_url).segments()
    fetched, real = [], segment._remote.slot_parts
    segment._remote.slot_parts = lambda wanted: fetched.extend(wanted) or real(wanted)
    copies = find_copies([segment])
    assert copies.originals == find_copies([resident]).originals != {}
    assert len({*fetched}) < len(segment._remote.layout.slot_starts)
    there, here = (
        search(
            [Term("1", "a b")], prepare([one], WORDS_ALONE), SearchedSpeech(None, 60.0)
        ).candidates
        for one in (segment, resident)
    )
    assert len(here.probability)
    for ours, theirs in zip(there, here, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@couchdb
def test_round_trips_are_few(couchdb_url, opened, speech, commit):
    """One for the manifest, one for the vocabulary, one for any number of words."""
    writer = open_couchdb(couchdb_url, create=True)
    commit(writer, speech(1, slots=500))
    writer.close()
    store = opened(couchdb_url)
    before = store.round_trips
    (segment,) = store.segments()
    assert len(segment.postings([chr(97 + i) for i in range(26)])) > 10
    assert store.round_trips - before == 3
    segment.postings(["a"])
    assert store.round_trips - before == 3, "what was read is kept"
