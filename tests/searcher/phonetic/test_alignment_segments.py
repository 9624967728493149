"""A large archive, cut into segments and shards in every way: the same hits."""

import math
from dataclasses import replace

import numpy as np
import pytest

import searcher.phonetic.alignment
import searcher.phonetic.indexes
import searcher.phonetic.search
import searcher.phonetic.seeds
from indexer.file_columns import shard_of
from indexer.segments.invert import invert
from indexer.segments.merge import merged
from indexer.segments.phone_columns import phone_columns
from searcher.phonetic.alignment import (
    PATH_WEIGHT,
    WINDOWS_PER_HIT,
    align_extensions,
    align_windows,
    best_hits,
)
from searcher.phonetic.alignment_kernels import best_scores
from searcher.phonetic.index import open_phonetic_index
from searcher.phonetic.layout import SCORE
from searcher.phonetic.ratios import MAX_HITS, HitLimit, confusion_log_ratios, perfect_score
from searcher.phonetic.search import all_segments_of, query_in, search_phones
from searcher.phonetic.seeds import Cutoff, cutoff_of, extend_seeds, find_seeds, windows_of
from std.config import Config
from std.execution.processes import executor
from std.phonetics.confusion import empty
from std.phonetics.lexicon import Lexicon
from std.store import open_store
from std.store.resident import ResidentSegment
from std.text import Normalisation

pytestmark = pytest.mark.slow

COMMON, RARE, GONE = "abcdefghijklmnopqrstuvwx", "yzäöüß", "012345"
NORMAL = Normalisation()


class Letters:
    def __init__(self, name="letters:xx"):
        self.name = name

    def pronounce(self, words):
        return [tuple(word) for word in words]


def with_sounds(columns, who="letters:xx"):
    return replace(columns, extra=phone_columns(columns, Lexicon(Letters(who))))


def syllables_of(letters, n, random):
    """Three letters each, every letter equally often: then three make a seed."""
    rows = [
        random.permutation(list(letters)).reshape(-1, 3) for _ in range(-(-3 * n // len(letters)))
    ]
    return ["".join(row) for row in np.concatenate(rows)[:n]]


def speech(network, recordings, slots, rare=RARE, seed=1):
    """Networks of pseudo-words of two syllables; some occur in the last recordings only."""
    random = np.random.default_rng(seed)
    syllables = syllables_of(COMMON, 50, random) + syllables_of(rare, 6, random)
    networks = []
    for i in range(recordings):
        n = 56 if i > recordings - 4 else 50
        pairs = random.integers(0, n, (slots, 3, 2))
        rows = [
            [(word, share) for word, share in zip(
                dict.fromkeys(syllables[a] + syllables[b] for a, b in slot), (0.5, 0.3, 0.1),
                strict=False,
            )]
            for slot in pairs.tolist()
        ]  # fmt: skip
        lengths = random.integers(20, 60, slots) * 10
        ends = np.cumsum(lengths)
        spans = list(zip((ends - lengths).tolist(), ends.tolist(), strict=True))
        names = {"file": f"tape{i * 7 % recordings:03d}{rare[0]}", "channel": 1 + i % 2}
        networks.append(network(*rows, spans_ms=spans, **names))
    return syllables, networks


RARE_SHARE = 0.55  # of a perfect score: some queries have more such hits than `MAX_HITS`


def told(hits, indexes):
    """Hits in a way that says nothing about segments."""
    rows = []
    for i, (segment, row) in enumerate(zip(hits.segment, hits.recording, strict=True)):
        index = indexes[segment]
        rows.append(
            (
                index.columns.recordings[row].recording,
                int(hits.start_ms[i]),
                int(hits.end_ms[i]),
                hits.measures[i].tobytes(),
                [index.words[w] for w in hits.paths[i] if w >= 0],
                [index.inventory[p] if p >= 0 else "" for p in hits.observed[i]],
                [index.inventory[p] for p in hits.inserted[i] if p >= 0],
            )
        )
    return rows


def hits_of(segments, queries, workers=None):
    indexes = [open_phonetic_index(one) for one in segments]
    confusion = confusion_log_ratios(empty([]), indexes, queries)
    more = {} if workers is None else {"workers": workers}
    more["limits"] = {
        query: HitLimit(number, RARE_SHARE * perfect_score(query, confusion))
        for query, number in zip(queries, (60, 60, 60, 60, 60, 100), strict=False)
    }
    return [
        told(hits, indexes) for hits in search_phones(queries, indexes, confusion, **more).values()
    ]


def stored(folder, parts):
    """The segments of a store with these parts of the speech."""
    store = open_store(str(folder), create=True)
    with store.writing():
        for part in parts:
            store.commit([with_sounds(invert(part))], normalisation=NORMAL)
    return store


@pytest.fixture(scope="module")
def large(network):
    """Above the limit, as it is; and queries: OOV words, a frequent one, a rare letter's."""
    syllables, networks = speech(network, recordings=32, slots=700)
    assert sum(len(one.words) for one in networks) > searcher.phonetic.search.FULL_SCAN_ARCS
    x = syllables
    queries = ["".join(x[:3]), x[5] + x[6][:2] + x[8], x[3] + x[4], x[7], x[50] + x[1], x[55]]
    return [tuple(one) for one in queries], networks


@pytest.fixture(scope="module")
def whole(large, tmp_path_factory):
    queries, networks = large
    return hits_of(stored(tmp_path_factory.mktemp("whole") / "s", [networks]).segments(), queries)


def tighten(monkeypatch):
    """Less work than there are seeds and windows, so that both must be chosen."""
    monkeypatch.setattr(searcher.phonetic.seeds, "MIN_SEEDS", 1_000)
    monkeypatch.setattr(searcher.phonetic.seeds, "MIN_WINDOWS", 200)


def test_the_choice_is_not_trivial(large, monkeypatch):
    """Of seeds and of windows only a share of the last bin is taken: ties are broken."""
    tighten(monkeypatch)
    queries, networks = large
    index = open_phonetic_index(ResidentSegment("s", with_sounds(invert(networks))))
    all_segments = all_segments_of([index], confusion_log_ratios(empty([]), [index], queries))
    shares = []
    for query in queries:
        seeds = find_seeds(query_in(query, HitLimit(), index, all_segments), index)
        cutoff = cutoff_of(seeds.histogram, all_segments.limits.seeds)
        extensions = extend_seeds(seeds, cutoff, index)
        shares += [cutoff.share, cutoff_of(extensions.histogram, all_segments.limits.windows).share]
    assert sum(0 < share < 1 for share in shares) > len(queries)


@pytest.mark.parametrize("number", [60, 150])
@pytest.mark.parametrize("share", [math.inf, RARE_SHARE, 0.2])
def test_windows_whose_paths_are_not_sought_change_nothing(large, monkeypatch, share, number):
    queries, networks = large
    index = open_phonetic_index(ResidentSegment("s", with_sounds(invert(networks))))
    all_segments = all_segments_of([index], confusion_log_ratios(empty([]), [index], queries))
    fewer = 0
    for phones in queries:
        limit = HitLimit(number, share * perfect_score(phones, all_segments.confusion))
        query = query_in(phones, limit, index, all_segments)
        extensions = extend_seeds(find_seeds(query, index), Cutoff(-1, 0.0), index)
        windows = windows_of(extensions, Cutoff(-1, 0.0), index)
        every = align_windows(query.ratios, index, windows, query.min_score)
        expected = best_hits(every, limit)
        fewer += len(windows) > 3 * MAX_HITS and len(expected.recording) >= number
        for first in (0.1, 1, WINDOWS_PER_HIT):
            monkeypatch.setattr(searcher.phonetic.alignment, "WINDOWS_PER_HIT", first)
            found = align_extensions(extensions, Cutoff(-1, 0.0), index)
            for column, same in zip(found, expected, strict=True):
                np.testing.assert_array_equal(column, same)
        scores = best_scores(query.ratios, windows, index.phonetic_columns, np.float32(PATH_WEIGHT))
        for window, score in zip(windows[:50], scores[:50], strict=False):
            hits = align_windows(query.ratios, index, window[None], -100.0)
            assert score == hits.measures[:, SCORE].max()
    assert fewer


@pytest.mark.parametrize("tight", [False, True])
@pytest.mark.parametrize("segments", [1, 3, 8])
def test_segments_change_nothing(large, whole, tmp_path, monkeypatch, segments, tight):
    queries, networks = large
    expected = whole
    if tight:
        tighten(monkeypatch)
        expected = hits_of([ResidentSegment("s", with_sounds(invert(networks)))], queries)
        assert expected != whole
    parts = [networks[i::segments] for i in reversed(range(segments))]
    found = hits_of(stored(tmp_path / "s", parts).segments(), queries)
    assert found == expected
    assert min(map(len, found)) >= MAX_HITS < max(map(len, found))
    assert len(found[-1]) >= 100  # its limit


@pytest.mark.parametrize("shards", [2, 3])
def test_shards_and_processes_change_nothing(large, whole, tmp_path, monkeypatch, shards):
    queries, networks = large
    parts = [
        [one for one in networks if shard_of(one.recording.file, shards) == i]
        for i in range(shards)
    ]
    stores = [stored(tmp_path / str(i), [part[::2], part[1::2]]) for i, part in enumerate(parts)]
    segments = [one for store in stores for one in store.segments()]
    assert hits_of(segments, queries) == whole
    with executor(2) as workers:
        assert hits_of(segments, queries, workers) == whole
        tighten(monkeypatch)
        assert hits_of(segments, queries, workers) == hits_of(segments[::-1], queries) != whole


@pytest.mark.parametrize("recordings", [8, 30])  # below the limit without the deleted, and above
def test_a_deleted_recording_leaves_no_trace(network, tmp_path, monkeypatch, recordings):
    """It would count in the totals, in the background, and as seeds; it has phones of its own."""
    tighten(monkeypatch)
    syllables, networks = speech(network, recordings, slots=750)
    _, more = speech(network, 32 - recordings, 750, GONE, seed=2)
    gone = [*more, network([(syllables[0] + syllables[1], 0.9)], file="zz")]
    queries = [tuple("".join(syllables[i : i + 3])) for i in (0, 5, 50)]
    store = stored(tmp_path / "s", [networks[::2] + gone[::2], networks[1::2] + gone[1::2]])
    with store.writing():
        store.commit(normalisation=NORMAL, delete_files=[one.recording.file for one in gone])
    unmerged = store.segments()
    assert all(one.deleted for one in unmerged)
    united = merged(unmerged, lambda columns: phone_columns(columns, Lexicon(Letters())))
    expected = hits_of([ResidentSegment("s", united)], queries)
    assert hits_of(unmerged, queries) == expected
    assert all(expected)


def test_below_the_limit_segments_change_nothing_either(network):
    """A phone may be the likeliest that occurs at all, and yet not stand in this segment."""
    syllables, networks = speech(network, recordings=9, slots=200)
    queries = [tuple(syllables[50] + syllables[1]), tuple(syllables[51] + syllables[52])]
    segments = [ResidentSegment("s", with_sounds(invert(networks[i : i + 3]))) for i in (0, 3, 6)]
    inventories = {open_phonetic_index(one).inventory for one in segments}
    assert len(inventories) > 1
    assert hits_of(segments, queries) == hits_of(
        [ResidentSegment("s", with_sounds(invert(networks)))], queries
    )


def test_who_pronounced_most_of_the_speech_counts_and_not_most_segments(network, monkeypatch):
    monkeypatch.setattr(
        searcher.phonetic.indexes, "lexicon_of", lambda pronouncer, *config: Lexicon(Letters())
    )
    segments = [
        ResidentSegment(
            name, with_sounds(invert([network(*[[("abc", 0.9)]] * slots, file=name)]), who)
        )
        for name, slots, who in (("a", 2, "few:xx"), ("b", 2, "few:xx"), ("c", 5, "letters:xx"))
    ]
    segments.append(replace(segments[2], id="d", deleted=frozenset({0})))
    place_of = {one.recordings[0].recording: i for i, one in enumerate(segments[:3])}
    found, others = searcher.phonetic.indexes.open_phonetic_indexes(
        segments, place_of, Config(), None
    )
    assert [one.pronouncer for one in found.indexes] == ["letters:xx"]
    assert [one.id for one in others] == ["a", "b"]
