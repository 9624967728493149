"""Phonetic search against a slow twin: every path of the network, aligned one by one."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import searcher.phonetic.alignment as module
from indexer.segments.invert import invert
from indexer.segments.phone_columns import phone_columns
from searcher.phonetic.alignment import tiles_of
from searcher.phonetic.index import open_phonetic_index
from searcher.phonetic.layout import ONE_BEST_CUT_PHONES, PATH_LOG_POSTERIOR, PHONES_BEFORE
from searcher.phonetic.ratios import background, confusion_log_ratios, perfect_score, ratios_in
from searcher.phonetic.search import search_phones
from std.errors import StoreError
from std.phonetics.confusion import empty
from std.phonetics.lexicon import Lexicon
from std.store.columns import pack_vocabulary
from std.store.resident import ResidentSegment

WORDS = st.text("abdt", min_size=1, max_size=4)


class Letters:
    name = "letters:xx"

    def pronounce(self, words):
        return [tuple(word.replace("-", "")) for word in words]


def segment(*networks, deleted=frozenset()):
    columns = invert(networks)
    extra = phone_columns(columns, Lexicon(Letters()))
    return ResidentSegment("s", replace(columns, extra=extra), deleted)


def indexed(*networks, query=(), **more):
    index = open_phonetic_index(segment(*networks, **more))
    return index, confusion_log_ratios(empty([]), [index], [tuple(query)])


def hits_of(phones, indexes, confusion):
    return search_phones([phones], indexes, confusion)[phones]


def all_hits(query, index, confusion, floor):
    ratios = ratios_in(tuple(query), index, confusion)
    return module.align_windows(ratios, index, tiles_of(index, 300), floor)


def best_by_enumeration(phones, index, confusion):
    """The best score of any path: a path is a list of arcs, each following the one before."""
    columns = index.columns
    row = {phone: i for i, phone in enumerate(confusion.inventory)}
    match = [[confusion.match[row[a], row[b]] for b in index.inventory] for a in phones]
    deletion = [confusion.deletion[row[a]] for a in phones]
    insertion = [confusion.insertion[row[b]] for b in index.inventory]
    arcs = []
    word_of = np.repeat(np.arange(len(index.words)), np.diff(columns.posting_offsets))
    keys = columns.posting_keys(slice(None))
    for at in index.arc_rows.tolist():
        word = word_of[at]
        first, last = index.word_phone_offsets[word : word + 2]
        start = int(keys[at])
        arcs.append(
            (
                start,
                start + int(columns.posting_duration_ms[at]),
                int(columns.posting_slot[at]),
                module.PATH_WEIGHT * np.log(max(float(columns.posting_posterior[at]), 1e-4)),
                index.word_phones[first:last].tolist(),
            )
        )
    arcs = [arc for arc in arcs if arc[4]]

    def follows(b, a):
        gap = a[0] - b[1]
        near = abs(gap) <= 60 or (b[2] == a[2] - 1 and -100 <= gap <= 500)
        return (b[0] < a[0] or (b[0] == a[0] and b[2] < a[2])) and near

    q, best = len(phones), -np.inf

    def walk(path):
        nonlocal best
        cells = []  # (q,) per phone of the path
        for arc in path:
            for z, phone in enumerate(arc[4]):
                before, enter = (cells[-1] if cells else None), arc[3] if z == 0 else 0.0
                now = [-np.inf] * q
                for k in range(q):
                    ways = []
                    if k == 0:
                        ways.append(match[0][phone] + arc[3])
                    if k == 1:
                        ways.append(match[1][phone] + arc[3] + deletion[0])
                    if before and k > 0:
                        ways.append(before[k - 1] + match[k][phone] + enter)
                    if before and k < q - 1:
                        ways.append(before[k] + insertion[phone] + enter)
                    if k > 0:
                        ways.append(now[k - 1] + deletion[k])
                    now[k] = max(ways)
                cells.append(now)
        best = max([best, *(cell[q - 1] for cell in cells)])
        for arc in arcs:
            if follows(path[-1], arc):
                walk([*path, arc])

    for arc in arcs:
        walk([arc])
    return best


@settings(max_examples=60)
@given(
    st.lists(st.lists(WORDS, min_size=1, max_size=2, unique=True), min_size=1, max_size=4),
    WORDS,
    st.integers(0, 400),
    st.sampled_from([0, 100]),
)
def test_the_best_score_is_that_of_the_best_path(network, slots, query, gap, length):
    spans = [(i * (length + gap), i * (length + gap) + length) for i in range(len(slots))]
    shares = [[(word, 0.9 / len(slot)) for word in slot] for slot in slots]
    index, confusion = indexed(network(*shares, spans_ms=spans), query=query)
    hits = all_hits(query, index, confusion, -1e6)
    expected = best_by_enumeration(tuple(query), index, confusion)
    assert hits.measures[:, 0].max() == pytest.approx(expected, abs=1e-3)


def test_a_word_is_found_across_two_others_with_its_measures(network):
    index, confusion = indexed(
        network([("bad", 1.0)], [("dab", 0.5), ("tab", 0.4)], [("tad", 1.0)], [("bbb", 1.0)]),
        query="tabtad",
    )
    phones = tuple("tabtad")
    hits = hits_of(phones, [index], confusion)
    m = hits.measures[0]
    assert (hits.start_ms[0], hits.end_ms[0]) == (100, 300)
    assert [index.words[w] for w in hits.paths[0] if w >= 0] == ["tab", "tad"]
    perfect = perfect_score(phones, confusion)
    assert m[0] == pytest.approx(perfect + 0.5 * np.log(0.4), abs=1e-3)
    assert m[[PHONES_BEFORE, PATH_LOG_POSTERIOR]].tolist() == pytest.approx([0, np.log(0.4)])
    assert [index.inventory[p] for p in hits.observed[0]] == list("tabtad")


def test_a_word_is_found_across_words_that_take_no_time(network):
    index, confusion = indexed(
        network(
            [("bbb", 1.0)], [("tab", 1.0)], [("tad", 1.0)], [("dab", 1.0)],
            spans_ms=[(0, 300), (300, 300), (300, 300), (300, 600)],
        ),
        query="tabtaddab",
    )  # fmt: skip
    for query, end_ms, words in (("tabtad", 300, ["tab", "tad"]), ("taddab", 600, ["tad", "dab"])):
        hits = hits_of(tuple(query), [index], confusion)
        assert (hits.start_ms[0], hits.end_ms[0]) == (300, end_ms)
        assert [index.words[w] for w in hits.paths[0] if w >= 0] == words
        assert hits.measures[0, 0] == pytest.approx(
            perfect_score(tuple(query), confusion), abs=1e-3
        )
        assert hits.last_slot[0] - hits.first_slot[0] == 1


def test_a_hit_inside_a_word_says_what_it_cuts(network):
    index, confusion = indexed(network([("abdtab", 1.0)]), query="bdt")
    hits = hits_of(tuple("bdt"), [index], confusion)
    assert hits.measures[0, PHONES_BEFORE] == 1  # a
    assert (hits.start_ms[0], hits.end_ms[0]) == (100 // 6, 400 // 6)
    assert hits.measures[0, ONE_BEST_CUT_PHONES] == 6  # a long sure word


def test_insertions_and_deletions_are_recorded(network):
    index, confusion = indexed(network([("abxdt", 1.0)]), query="abddt")
    (best, *_) = all_hits("abdt", index, confusion, -50).inserted.tolist()
    assert [index.inventory[p] for p in best if p >= 0] == ["x"]
    (first, *_) = all_hits("abxddt", index, confusion, -50).observed.tolist()
    assert -1 in first


def test_deleted_recordings_and_hits_of_two_windows_are_left_out(network):
    networks = [network([("tabtad", 1.0)], file=file) for file in ("a", "b")]
    index, confusion = indexed(*networks, query="tabtad", deleted=frozenset({0}))
    hits = hits_of(tuple("tabtad"), [index], confusion)
    assert hits.recording.tolist() == [1]
    assert tiles_of(index, 300).tolist() == [[1, 2]]
    ratios = ratios_in(tuple("tabtad"), index, confusion)
    for slot in (0, 1):
        inside = module.align_windows(ratios, index, np.array([[slot, slot + 1]]), 0.0)
        assert set(inside.recording.tolist()) == ({1} if slot else set())
    both, confusion = indexed(*networks, query="tabtad")
    assert sorted(hits_of(tuple("tabtad"), [both, both], confusion).segment.tolist()) == [
        0,
        0,
        1,
        1,
    ]


def test_hits_do_not_depend_on_how_many_windows_share_the_room(network, monkeypatch):
    words = [("abdt" if i % 3 else "tttt", 1.0) for i in range(30)]
    networks = [network([one], [one], file=f"{i:02d}") for i, one in enumerate(words)]
    index, confusion = indexed(*networks, query="abdt")
    expected = all_hits("abdt", index, confusion, 0.0)
    assert len(expected.start_ms) == 20
    for windows in (1, 7):
        monkeypatch.setattr(module, "WINDOWS_AT_ONCE", windows)
        for column, same in zip(all_hits("abdt", index, confusion, 0.0), expected, strict=True):
            np.testing.assert_array_equal(column, same)


def test_background_counts_phones_of_all_occurrences(network):
    index, _ = indexed(network([("ab", 0.5), ("b", 0.4)], [("ab", 1.0)]))
    assert background([index], ["a", "b", "z"]).tolist() == [2, 3, 0]


def test_a_segment_without_phones_is_told_from_a_damaged_one(network):
    plain = ResidentSegment("s", invert([network([("ab", 1.0)])]))
    assert open_phonetic_index(plain) is None
    whole = segment(network([("abd", 0.5), ("tab", 0.5)], [("tad", 1.0)]))
    for name, column in whole.columns().extra.items():
        if name in ("phone_maker", "phone_inventory"):
            continue
        for wrong in (column[:-1], column.astype(np.float32), column + column.dtype.type(200)):
            damaged = replace(whole.columns(), extra=whole.columns().extra | {name: wrong})
            with pytest.raises(StoreError, match="phone columns do not fit"):
                open_phonetic_index(ResidentSegment("s", damaged))
    for name, more in (("posting_slot", 200), ("slot_word", 200), ("slot_key", 2**32)):
        column = getattr(whole.columns(), name)
        wrong = column + column.dtype.type(more)
        damaged = replace(whole.columns(), **{name: wrong})
        with pytest.raises(StoreError, match="phone columns do not fit"):
            open_phonetic_index(ResidentSegment("s", damaged))
    step = np.uint64(2**64 // 3) * np.arange(4, dtype=np.uint64)  # ascends only if it may wrap
    wrapped = np.append(step.view(np.int64)[:3], whole.columns().extra["word_phone_offsets"][-1])
    inventory = pack_vocabulary([chr(i) for i in range(300, 600)])
    for name, wrong in (("word_phone_offsets", wrapped), ("phone_inventory", inventory)):
        damaged = replace(whole.columns(), extra=whole.columns().extra | {name: wrong})
        with pytest.raises(StoreError, match="phone columns do not fit"):
            open_phonetic_index(ResidentSegment("s", damaged))


def test_times_that_end_too_late_stay_in_their_recording(network):
    index, confusion = indexed(network([("tab", 0.5), ("dab", 0.5)], [("dat", 1.0)]), query="ab")
    late = np.full_like(index.columns.posting_start_ms, 2**32 - 1)
    forged = replace(index, columns=replace(index.columns, posting_start_ms=late))
    hits = hits_of(tuple("ab"), [forged], confusion)  # begins inside a word
    assert len(hits.recording) > 0
    assert set(hits.recording.tolist()) == {0}


@pytest.mark.parametrize(("given", "taken"), [(np.inf, 1), (-np.inf, 0), (np.nan, 0), (-1, 0)])
def test_posteriors_that_are_none_send_nothing_astray(network, given, taken):
    index, confusion = indexed(
        network([("tab", 0.5), ("dab", 0.5)], [("dat", 1.0)]), query="tabdat"
    )
    found = []
    for posterior in (given, taken):
        column = np.full_like(index.columns.posting_posterior, posterior)
        forged = replace(index, columns=replace(index.columns, posting_posterior=column))
        found.append(hits_of(tuple("tabdat"), [forged], confusion))
    for column, same in zip(*found, strict=True):
        np.testing.assert_array_equal(column, same)
