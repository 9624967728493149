"""Which windows of a large archive are aligned, against a slow twin that sees all of it at once."""

from dataclasses import replace
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import searcher.phonetic.search
import searcher.phonetic.seeds as module
from indexer.segments.invert import invert
from indexer.segments.phone_columns import phone_columns
from searcher.phonetic.index import open_phonetic_index
from searcher.phonetic.layout import MAX_WORD_SPAN_MS, MOST_BESIDE, SILENT, LikeliestPhones
from searcher.phonetic.ratios import HitLimit, Query, confusion_log_ratios, ratios_in
from searcher.phonetic.search import search_phones
from searcher.phonetic.seed_kernels import (
    SEED_LANES,
    extension_scores,
    likeliest_phones,
    local_fits,
)
from searcher.phonetic.seeds import (
    BINS_PER_NAT,
    MIN_SEED_SCORE,
    MIN_TRIGRAM_SCORE,
    Cutoff,
    SeedLimits,
    add_histograms,
    bins_of,
    cutoff_of,
    extend_seeds,
    find_seeds,
    is_taken,
    seed_words,
    windows_of,
)
from std.phonetics.confusion import empty
from std.phonetics.lexicon import Lexicon
from std.store.resident import ResidentSegment

WORDS = st.text("abdt", min_size=1, max_size=4)
LETTERS = [chr(ord("a") + i) for i in range(26)]  # phones are told apart best among many


class Letters:
    name = "letters:xx"

    def pronounce(self, words):
        return [tuple(word) for word in words]


def indexed(*networks, query, deleted=frozenset()):
    columns = invert(networks)
    extra = phone_columns(columns, Lexicon(Letters()))
    index = open_phonetic_index(ResidentSegment("s", replace(columns, extra=extra), deleted))
    return index, confusion_log_ratios(empty([]), [index], [tuple(query)])


def chosen_windows(ratios, index, limits):
    """The windows of a single segment, and the two cut-offs."""
    seeds = find_seeds(Query(ratios, 0.0), index)
    first = cutoff_of(seeds.histogram, limits[0])
    extensions = extend_seeds(seeds, first, index)
    second = cutoff_of(extensions.histogram, limits[1])
    return windows_of(extensions, second, index), [first, second]


@settings(max_examples=30)
@given(st.lists(WORDS, min_size=2, max_size=12), st.text("abdt", min_size=4, max_size=7))
def test_seeds_are_all_words_with_three_likely_phones(network, words, query):
    index, confusion = indexed(network(*[[(word, 1.0)] for word in words]), query=query)
    match = ratios_in(tuple(query), index, confusion).match
    expected = set()
    for i, word in enumerate(index.words):
        said = index.word_phones[index.word_phone_offsets[i] : index.word_phone_offsets[i + 1]]
        for z in range(len(said) - 2):
            for k in range(len(query) - 2):
                ratios = [match[k + j, said[z + j]] for j in range(3)]
                if sum(ratios) >= MIN_TRIGRAM_SCORE and min(ratios) > -1:
                    expected.add(i)
        assert word
    assert set(seed_words(match, index).tolist()) == expected


def test_columns_of_any_store_have_the_types_that_kernels_are_compiled_for(network):
    index, _ = indexed(network([("haus", 1.0)]), query="haus")
    columns = index.phonetic_columns
    assert not columns.slot_arc_offsets.flags.writeable
    assert not columns.arc_rows.flags.writeable


@pytest.mark.slow
def test_a_large_archive_is_searched_around_its_seeds(network, monkeypatch):
    random = np.random.default_rng(7)
    words = ["".join(random.choice(LETTERS, 6)) for _ in range(400)]
    words[123], words[124] = "hahnen", "federn"
    index, confusion = indexed(network(*[[(word, 1.0)] for word in words]), query="hahnenfedern")
    phones = tuple("hahnenfedern")
    ratios = ratios_in(phones, index, confusion)
    windows, _ = chosen_windows(ratios, index, (20_000, 1_500))
    assert any(first <= 123 and last >= 125 for first, last in windows.tolist())
    assert np.diff(windows, axis=1).sum() < 300
    whole = search_phones([phones], [index], confusion)[phones]
    monkeypatch.setattr(searcher.phonetic.search, "FULL_SCAN_ARCS", 0)
    seeded = search_phones([phones], [index], confusion)[phones]
    assert seeded.start_ms[0] == whole.start_ms[0] == 12300
    assert seeded.measures[0].tolist() == whole.measures[0].tolist()
    assert len(chosen_windows(ratios, index, (2, 1))[0]) <= 1


def often_said(network, cut):
    """A query, an archive in one or more parts that has something like it 60 times, confusions."""
    random = np.random.default_rng(8)
    others = ["".join(random.choice(LETTERS, 6)) for _ in range(400)]
    said = [other if i % 20 else "hahnenfeder" for i, other in enumerate(others)]
    networks = [network(*[[(word, 1.0)] for word in said], file=f"{i}") for i in range(3)]
    query = tuple("hahnenfedern")
    index, confusion = indexed(*networks, query=query)
    parts = [indexed(one, query=query)[0] for one in networks] if cut > 1 else [index]
    return query, parts, confusion


@pytest.mark.parametrize("cut", [1, 3])
def test_what_is_said_very_often_is_found_as_often(network, monkeypatch, cut):
    """As long as many windows hold a rare hit, more are aligned, however the archive is cut."""
    query, parts, confusion = often_said(network, cut)
    monkeypatch.setattr(searcher.phonetic.search, "FULL_SCAN_ARCS", 0)
    monkeypatch.setattr(searcher.phonetic.search, "limits_of", lambda _: SeedLimits(20_000, 10))
    usual = search_phones([query], parts, confusion, limits={query: HitLimit(60)})[query]
    assert len(usual.start_ms) < 20
    rare = HitLimit(60, rare_score=10.0)
    found = search_phones([query], parts, confusion, limits={query: rare})[query]
    assert len(found.start_ms) == 60


@pytest.mark.parametrize("cut", [1, 3])
@pytest.mark.parametrize(("written", "is_all"), [(60, False), (2, True)])
def test_a_term_that_words_find_is_searched_less(network, monkeypatch, cut, written, is_all):
    """Unless phones find many more places than words do; what sounds like it is said 60 times."""
    query, parts, confusion = often_said(network, cut)
    monkeypatch.setattr(searcher.phonetic.search, "FULL_SCAN_ARCS", 0)
    monkeypatch.setattr(searcher.phonetic.search, "limits_of", lambda _: SeedLimits(20_000, 40))
    limits = {query: HitLimit(60, 10.0, written)}
    found = search_phones([query], parts, confusion, limits=limits)[query]
    assert len(found.start_ms) == 60 if is_all else 9 < len(found.start_ms) < 20


def selected_slowly(members, most):
    """Rows of (level, lot) that are taken: the best levels whole, of the next one a fair share."""
    rows = []
    for level in sorted({level for level, _ in members}, reverse=True):
        group = [i for i, one in enumerate(members) if one[0] == level]
        if len(rows) + len(group) > most:
            share = (most - len(rows)) / len(group)
            return rows + [i for i in group if members[i][1] < share]
        rows += group
    return rows


class Drawn:
    """Lots of slots, drawn beforehand."""

    def __init__(self, lots):
        self._lots = np.array(lots)

    def tie_breaks(self, slots, salt):
        return self._lots[slots]


LOTS = st.integers(0, 99).map(lambda n: n / 100)


@given(st.lists(st.lists(st.tuples(st.integers(0, 5), LOTS))), st.integers(0, 20))
def test_segments_take_what_all_of_them_together_would(segments, most):
    cut = cutoff_of(
        add_histograms([np.bincount([level for level, _ in one]) for one in segments]), most
    )
    found = []
    for one in segments:
        level = np.array([level for level, _ in one], np.int64)
        rows = is_taken(level, np.arange(len(one)), cut, Drawn([lot for _, lot in one]), 1)
        found += [one[i] for i in np.flatnonzero(rows)]
    members = [member for one in segments for member in one]
    assert sorted(found) == sorted(members[i] for i in selected_slowly(members, most))


def test_what_fits_is_taken_whole():
    assert cutoff_of(np.array([0, 3, 0, 2]), 5) == Cutoff(-1, 0.0)
    assert cutoff_of(np.array([0, 3, 0, 2]), 4) == Cutoff(1, 2 / 3)
    assert cutoff_of(np.array([0, 3, 0, 2]), 2) == Cutoff(1, 0.0)
    assert cutoff_of(add_histograms([]), 0) == Cutoff(-1, 0.0)


def lot_slowly(recording, middle_ms, draw):
    """SplitMix64 in Python's own integers."""
    state = (crc32(f"{recording.channel} {recording.file}".encode()) << 32) | middle_ms
    state = (state + draw * 0x9E3779B97F4A7C15) % 2**64
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    state = (state ^ (state >> 27)) * 0x94D049BB133111EB % 2**64
    return (state >> 11) / 2**53


def slots_slowly(ratios, index, most):
    """The slots in reach of the chosen seeds, one occurrence after the other."""
    columns, n = index.columns, len(index.columns.slot_key)
    pronounced = index.word_phone_offsets, index.word_phones
    slot_key = columns.slot_key.astype(np.int64)
    seeds = []
    for word in seed_words(ratios.match, index).tolist():
        fit = local_fits(*ratios, np.array([word]), *pronounced)
        for row in range(*columns.posting_offsets[word : word + 2].tolist()):
            slot = int(columns.posting_slot[row])
            if fit[0][0] >= MIN_SEED_SCORE and slot_key[slot] >> 32 not in index.left_out:
                seeds.append((word, *fit, slot))

    def place(slot, draw):
        key = int(slot_key[slot])
        return lot_slowly(columns.recordings[key >> 32].recording, key & 0xFFFFFFFF, draw)

    def chosen(scores, budget, draw):
        members = [
            (int(score * BINS_PER_NAT), place(one[-1], draw))
            for score, one in zip(scores, seeds, strict=True)
        ]
        return [seeds[i] for i in selected_slowly(members, budget)]

    seeds = chosen([score[0] for _, score, *_ in seeds], most[0], module.SEED_SALT)
    promises = [
        extension_scores(
            *ratios, np.array([word]), score, where, np.zeros(1, np.int64), np.array([slot]),
            index.likeliest_phones, *pronounced,
        )[0]
        for word, score, where, slot in seeds
    ]  # fmt: skip
    reached = set()
    for _, _, where, slot in chosen(promises, most[1], module.WINDOW_SALT):
        before = where[0, 0] * module.SLOW_PHONE_MS + module.REACH_MS
        after = (len(ratios.deletion) - where[0, 1]) * module.SLOW_PHONE_MS + module.REACH_MS
        reached |= {
            i for i in range(n)
            if slot_key[slot] - before <= slot_key[i] <= slot_key[slot] + after
        }  # fmt: skip
    return reached


@pytest.mark.parametrize("most", [(10_000, 10_000), (100, 10_000), (10_000, 20), (100, 40)])
def test_windows_are_those_of_the_slow_twin(network, most):
    random = np.random.default_rng(3)
    syllables = ["".join(random.choice(LETTERS, 3)) for _ in range(12)]
    words = [one + other for one in syllables for other in syllables]
    networks = [
        network(
            *[[(word, 0.4), (other, 0.3)] for word, other in random.choice(words, (60, 2))
              if word != other],
            file=f"{i}", channel=1 + i % 2,
        )
        for i in range(8)
    ]  # fmt: skip
    query = "".join(syllables[:4])
    index, confusion = indexed(*networks, query=query, deleted=frozenset({2, 5}))
    ratios = ratios_in(tuple(query), index, confusion)
    windows, cuts = chosen_windows(ratios, index, most)
    assert [0 < cut.share < 1 for cut in cuts] == [budget < 10_000 for budget in most]
    covered = {slot for first, last in windows.tolist() for slot in range(first, last)}
    assert covered == slots_slowly(ratios, index, most)
    assert covered
    recording = index.columns.slot_key >> np.uint64(32)
    assert (recording[windows[:, 0]] == recording[windows[:, 1] - 1]).all()


def phones_beside_slowly(index, slot_word, slot, step, own, most):
    """The phones away from a seed: the rest of its word, then the likeliest word of each slot."""
    columns, offsets = index.columns, index.word_phone_offsets
    key = columns.slot_key.astype(np.int64)
    phones, left, at = list(own[:most]), most - len(own[:most]), slot + step
    while left > 0 and 0 <= at < len(key) and abs(key[at] - key[slot]) <= MAX_WORD_SPAN_MS:
        word = slot_word[at]
        here = index.word_phones[offsets[word] : offsets[word + 1]][::step] if word >= 0 else []
        phones += list(here[:left])
        left -= max(1, len(here))
        at += step
    return phones


def gain_slowly(ratios, rest, phones):
    """What phones add for the rest of a query, whose phones are named in order from the seed."""
    row = [np.float32(0)] + [np.float32(-1e9)] * len(rest)
    gain = np.float32(0)
    for phone in phones:
        before, row = row, [row[0] + ratios.insertion[phone]]
        for k, asked in enumerate(rest):
            matched = before[k] + ratios.match[asked, phone]
            inserted = before[k + 1] + ratios.insertion[phone]
            row.append(max(matched, inserted, row[k] + ratios.deletion[asked]))
        gain = max(gain, *row[1:], np.float32(0))
    return gain if rest else np.float32(0)


def test_extensions_are_those_of_the_slow_twin(network):
    random = np.random.default_rng(4)
    words = ["".join(random.choice(LETTERS, n)) for n in (1, 2, 3, 3, 4, 4, 5, 6) * 3]
    networks = [
        network(*[[(word, 0.6)] for word in random.choice(words, 60)], file=f"{i}")
        for i in range(6)
    ]
    query = "".join(words[:6])
    index, confusion = indexed(*networks, query=query)
    ratios = ratios_in(tuple(query), index, confusion)
    columns, offsets, q = index.columns, index.word_phone_offsets, len(query)
    assert len(columns.slot_key) > 5 * SEED_LANES
    ids = np.arange(len(index.words))
    scores, spans = local_fits(*ratios, ids, offsets, index.word_phones)
    slots = random.permutation(len(columns.slot_key))
    seed_of = columns.slot_word[slots].astype(np.int64)
    silent = random.random(len(slots)) < 0.1  # slots whose likeliest word is none
    slot_word = np.where(silent, np.int32(-1), columns.slot_word)
    expected = []
    for slot, seed in zip(slots.tolist(), seed_of.tolist(), strict=True):
        first, last, end = spans[seed].tolist()
        own = index.word_phones[offsets[seed] + end : offsets[seed + 1]].tolist()
        before = phones_beside_slowly(index, slot_word, slot, -1, [], first + 3)
        behind = phones_beside_slowly(index, slot_word, slot, 1, own, q - last + 3)
        gain_before = gain_slowly(ratios, range(first)[::-1], before)
        gain_behind = gain_slowly(ratios, range(last, q), behind)
        expected.append(scores[seed] + gain_before + gain_behind)
    pronounced = offsets, index.word_phones
    keys = columns.slot_key.astype(np.int64)
    likeliest = LikeliestPhones(*likeliest_phones(keys, slot_word, *pronounced))
    found = extension_scores(*ratios, ids, scores, spans, seed_of, slots, likeliest, *pronounced)
    assert found.tolist() == [float(score) for score in expected]


def test_phones_in_a_row_are_those_of_the_slow_twin():
    """Of slots in three recordings, some without phones, and of words longer than any query."""
    random = np.random.default_rng(6)
    sizes = np.array([0, 1, 2, 3, 5, MOST_BESIDE, 2 * MOST_BESIDE, 700])
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    word_phones = random.integers(0, SILENT, offsets[-1]).astype(np.uint8)
    n = 300
    slot_word = random.choice(np.arange(-1, 8), n, p=[0.1, 0.1, 0.2, 0.2, 0.2, 0.17, *[0.01] * 3])
    key = np.cumsum(
        random.choice([10, 900, 4000, 4001, 1 << 32], n, p=[0.1, 0.8, 0.04, 0.04, 0.02])
    )
    rows, places = likeliest_phones(key, slot_word.astype(np.int32), offsets, word_phones)
    assert places[-1] >> 16 == len(rows) < n * 2 * MOST_BESIDE
    for slot in range(n):
        begin, end = places[slot : slot + 2].tolist()
        before, behind = begin >> 8 & 255, begin & 255
        near = [
            (i, word_phones[offsets[word] : offsets[word + 1]].tolist() if word >= 0 else [])
            for i, word in enumerate(slot_word.tolist())
            if i != slot and abs(key[i] - key[slot]) <= MAX_WORD_SPAN_MS
        ]
        expected_before = [one for i, said in near if i < slot for one in said or [SILENT]]
        expected_behind = [one for i, said in near if i > slot for one in said or [SILENT]]
        begin, end = begin >> 16, end >> 16
        assert rows[begin - before : begin].tolist() == expected_before[-MOST_BESIDE:]
        assert rows[end : end + behind].tolist() == expected_behind[:MOST_BESIDE]


def test_tie_breaks_are_fair_and_differ_by_salt(network):
    index, _ = indexed(*[network(*[[("a", 1.0)]] * 500, file=f"{i}") for i in range(20)], query="a")
    slots = np.arange(10_000)
    first, second = (
        index.tie_breaks(slots, salt) for salt in (module.SEED_SALT, module.WINDOW_SALT)
    )
    for lots in (first, second):
        counts = np.histogram(lots, 20, (0, 1))[0]
        assert ((counts - 500) ** 2 / 500).sum() < 45  # chi squared, 19 degrees: 1 in 1,400
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.05
    assert abs(np.corrcoef(first[1:], first[:-1])[0, 1]) < 0.05


def test_a_bin_is_a_64th_of_a_nat():
    assert bins_of(np.array([6.0, 6.0156, 6.015625], np.float32)).tolist() == [384, 384, 385]
