"""Places of queries in slots that are written by hand, and how many chance gives."""

import numpy as np
import pytest

from searcher.heard import places as searched
from searcher.heard.places import MOST, SAME_PLACE_MS, find_places, open_heard
from searcher.heard.search import COUNTED, Chance, learn_chance
from searcher.results.candidates import Spans
from std.store.columns import IndexedRecording, SegmentColumns
from std.store.heard import NOBODY, HeardBy, HeardSlots
from std.values import Recording

TOKENS = ("_", "a", "b", "t")


def segment(*recordings):
    """Recordings as texts of tokens, a slot of 100 ms each; None: nobody heard it."""
    slots = [token for text in recordings for token in text or ""]
    r, n = len(recordings), len(slots)
    heard = HeardSlots(
        (HeardBy({}, b""),),
        TOKENS,
        np.array([NOBODY if text is None else 0 for text in recordings], np.uint8),
        np.arange(r, dtype=np.int32) * 1000,
        np.full(r, 20, np.uint16),
        np.cumsum([0, *(len(text or "") for text in recordings)]),
        np.full(n, 5, np.uint8),
        np.full(n, 255, np.uint8),
        np.ones(n, np.uint8),
        np.array([TOKENS.index(token) for token in slots], np.uint8),
        np.zeros(n, np.uint8),
    )
    none = np.empty(0)
    return SegmentColumns(
        tuple(IndexedRecording(Recording(str(i), 1), 0, 0) for i in range(r)),
        none.astype("u1"), np.zeros(1, "i8"), none.astype("u4"), none.astype("u2"),
        none.astype("f4"), none.astype("i4"), np.zeros(r + 1, "i4"), none.astype("u8"),
        none.astype("f4"), none.astype("i4"), heard.columns(),
    )  # fmt: skip


def opened(columns, gone=(), first=0):
    n = len(columns.recordings)
    live = np.array([row not in gone for row in range(n)])
    return open_heard(columns, live, first + np.arange(n))


def test_slots_have_the_clock_of_their_recording():
    index = opened(segment("_t", None, "ab_"))
    assert index.recording.tolist() == [0, 2]
    assert index.bounds.tolist() == [[0, 2], [2, 5]]
    assert index.begin_ms.tolist() == [0, 100, 2000, 2100, 2200]
    assert index.end_ms.tolist() == [100, 200, 2100, 2200, 2300]
    assert [TOKENS[t] for t in index.token] == list("_tab_")


def test_recordings_that_do_not_count_are_not_searched():
    without = opened(segment("_t", "tab", "ab_"), gone=[1])
    assert without.recording.tolist() == [0, 2]
    assert without.bounds.tolist() == [[0, 2], [5, 8]]
    assert {*find_places(("t", "a", "b"), [without])[0].recording.tolist()} <= {0, 2}
    assert opened(segment("tab"), gone=[0]) is None
    assert open_heard(segment(None), np.array([True]), np.array([0])) is None


def test_a_term_is_found_where_it_was_said():
    indexes = [opened(segment("_____tab_____________tab__", "________tab___"))]
    places, score = find_places(("t", "a", "b"), indexes)
    best = places.rows(np.flatnonzero(score > -1))
    assert sorted(zip(best.recording.tolist(), best.start_ms.tolist(), strict=True)) == [
        (0, 500),
        (0, 2100),
        (1, 1800),
    ]
    assert (best.end_ms - best.start_ms == 300).all()
    assert (np.diff(score) <= 0).all()


def test_places_are_apart_and_of_all_segments():
    rng = np.random.default_rng(1)
    texts = ["".join(rng.choice(list(TOKENS), 3000)) for _ in range(2)]
    indexes = [opened(segment(text), first=i) for i, text in enumerate(texts)]
    places, score = find_places(("t", "a"), indexes)
    assert len(score) == MOST
    middle = (places.start_ms + places.end_ms) / 2
    for number in (0, 1):
        mine = np.sort(middle[places.recording == number])
        assert (np.diff(mine) >= SAME_PLACE_MS).all()
    more, score_of_more = find_places(("t", "a"), indexes, most=3 * MOST)
    assert len(score_of_more) == 3 * MOST
    np.testing.assert_array_equal(score_of_more[:MOST], score)
    np.testing.assert_array_equal(more.start_ms[:MOST], places.start_ms)


def test_the_best_places_are_those_of_the_searched_speech():
    """However many better ones are outside it."""
    rng = np.random.default_rng(3)
    index = opened(segment("tab_" * 500 + "".join(rng.choice(list(TOKENS), 400))))

    def is_inside(recording, start_ms, end_ms):
        return start_ms >= 200_000

    places, score = find_places(("t", "a", "b"), [index], is_inside=is_inside)
    assert is_inside(*places).all()
    every, score_of_every = find_places(("t", "a", "b"), [index], most=1000)
    inside = is_inside(*every)
    assert 0 < inside.sum() < MOST
    assert not is_inside(*every.rows(slice(MOST))).any()
    np.testing.assert_array_equal(places.start_ms, every.start_ms[inside])
    np.testing.assert_array_equal(score, score_of_every[inside])


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_cutting_an_archive_into_segments_changes_nothing(order):
    rng = np.random.default_rng(2)
    texts = ["".join(rng.choice(list("ab_"), 400)) for _ in range(3)]
    texts[1] = texts[0]  # ties
    spans = Spans(np.arange(3), np.full(3, 4000), np.full(3, 9000))
    whole, score = find_places(("t", "a", "b"), [opened(segment(*texts))], spans)
    parts = [opened(segment(*["_"] * i, texts[i]), gone=range(i)) for i in order]
    cut, score_of_cut = find_places(("t", "a", "b"), parts, spans)
    for one, expected in zip((*cut, score_of_cut), (*whole, score), strict=True):
        np.testing.assert_array_equal(one, expected)


def test_the_best_score_in_a_span_is_that_of_the_alignment_there():
    index = opened(segment("_____tab_____________tab__", None))
    spans = Spans(
        np.array([0, 0, 0, 1]), np.array([500, 1000, 2100, 0]), np.array([800, 1900, 2400, 900])
    )
    _, fits = find_places(("t", "a", "b"), [index], spans)
    assert fits[0] == fits[2] > -1
    assert fits[1] < -5
    assert fits[3] == -np.inf  # nobody heard this recording


@pytest.mark.parametrize("trigrams", [0, 10**9])
def test_in_a_large_archive_the_same_good_places_are_found_near_seeds(monkeypatch, trigrams):
    rng = np.random.default_rng(5)
    text = "".join(rng.choice(list("ab_t"), 20_000))
    indexes, term = [opened(segment(text[:9000], text[9000:]))], ("t", "a", "b", "t", "a")
    spans = Spans(np.arange(2), np.array([3000, 9000]), np.array([4000, 9900]))
    whole, score = find_places(term, indexes, spans)
    monkeypatch.setattr(searched, "ALIGNED_SLOTS", 10_000)
    monkeypatch.setattr(searched, "TRIGRAM_SLOTS", trigrams)
    near, score_of_near = find_places(term, indexes, spans)
    good = score[2:] > -1
    assert good.sum() > 10
    for one, expected in zip((*near, score_of_near), (*whole, score), strict=True):
        np.testing.assert_array_equal(one[:2], expected[:2])
        np.testing.assert_array_equal(one[2 : 2 + good.sum()], expected[2:][good])


def test_an_archive_without_phones_has_no_places():
    assert len(find_places(("t", "a"), [])[1]) == 0


def test_e_values_count_decoys_and_go_on_as_their_line():
    rng = np.random.default_rng(3)
    scores = {length: -rng.exponential(2.0, 400) - 3 for length in range(4, 24)}
    chance = learn_chance(
        [("t",) * length for length in scores], lambda d: np.sort(scores[len(d)])[::-1]
    )
    pooled = np.concatenate([scores[length] for length in list(scores)[:18]])
    some = np.array([-8.0, -5.0])
    expected = np.log([(pooled >= score).sum() / 18 for score in some])
    np.testing.assert_allclose(chance.log_e_value(some, 8), expected, atol=0.35)
    beyond = chance.log_e_value(np.array([-3.0, -2.0, 0.0]), 8)
    assert (np.diff(beyond) < 0).all()
    assert beyond[-1] < np.log(COUNTED / 18)


def test_without_decoys_an_e_value_says_nothing():
    chance = Chance(np.array([5]), (np.array([-1.0]),))
    assert chance.log_e_value(np.array([-1.0, -9.0]), 5).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("phones", [4, 12])
def test_e_values_of_decoys_themselves_are_their_ranks(phones):
    """The k-th best place of a decoy has an E-value of about k."""
    rng = np.random.default_rng(4)
    drawn = [np.sort(-rng.gumbel(6, 1.5, 300))[::-1] for _ in range(18)]
    chance = Chance(np.full(18, phones), tuple(drawn))
    of_rank = np.mean([chance.log_e_value(scores[[9, 49]], phones) for scores in drawn], axis=0)
    np.testing.assert_allclose(of_rank, np.log([10, 50]), atol=0.15)
