import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.networks.utterances import stacked
from indexer.segments.invert import invert
from indexer.segments.separate import prune
from std.config import IndexConfig
from std.store.resident import ResidentSegment
from std.text import Normalisation
from std.values import ConfusionNetwork, Recording


def listed(columns, word):
    """A word's postings as plain tuples, for reading."""
    segment = ResidentSegment(None, columns)
    found = segment.postings([word]).get(word)
    if found is None:
        return []
    where = [segment.recordings[i].recording for i in found.recording.tolist()]
    return [
        (file, channel, start, end, round(p, 4))
        for (file, channel), start, end, p in zip(
            where,
            found.start_ms.tolist(),
            found.end_ms.tolist(),
            found.posterior.tolist(),
            strict=True,
        )
    ]


def test_a_word_is_found_where_it_was_said(network):
    columns = invert(
        [
            network([("das", 0.9), ("dass", 0.1)], [("Polizei", 0.8)]),
            network([("das", 0.5)], file="talk", channel=2, start_ms=5000),
        ]
    )
    assert listed(columns, "das") == [("news", 1, 0, 100, 0.9), ("talk", 2, 5000, 5100, 0.5)]
    assert listed(columns, "polizei") == [("news", 1, 100, 200, 0.8)]
    assert listed(columns, "Polizei") == []
    assert ResidentSegment(None, columns).words() == ["das", "dass", "polizei"]
    assert [tuple(one) for one in columns.recordings] == [
        (("news", 1), 200, 1, False, ()),
        (("talk", 2), 100, 1, False, ()),
    ]


def test_alternatives_keep_their_own_times(network):
    columns = invert([network([("das", 0.9, 10, 90), ("dass", 0.1, 0, 150)], [("war", 1.0)])])
    assert listed(columns, "dass") == [("news", 1, 0, 150, 0.1)]


def test_words_of_a_slot_that_normalise_alike_become_one(network):
    columns = invert([network([("Der", 0.3, 0, 80), ("der", 0.5, 5, 95), ("er", 0.2)])])
    assert listed(columns, "der") == [("news", 1, 5, 95, 0.8)]
    assert listed(
        invert([network([("Der", 0.3), ("der", 0.5)])], Normalisation(case="keep")), "Der"
    )


def test_slots_remember_silence_and_the_likeliest_word(network):
    columns = invert([network([("a", 0.2)], [("b", 0.6), ("c", 0.4)], [])])
    words = ResidentSegment(None, columns).words()
    likeliest = [words[i] if i >= 0 else None for i in columns.slot_word.tolist()]
    assert likeliest == [None, "b", None]
    assert columns.slot_epsilon.tolist() == pytest.approx([0.8, 0.0, 1.0])


def test_a_word_longer_than_fits_is_refused(network):
    with pytest.raises(ValueError, match=r"'hm' lasts 70000 ms"):
        invert([network([("hm", 1.0, 0, 70000)])])


def test_no_networks_and_empty_networks(network):
    assert len(invert([]).posting_start_ms) == 0
    assert len(invert([network([])]).slot_key) == 1


slot = st.lists(
    st.tuples(st.sampled_from(["a", "b", "ä", "Zu", "zu"]), st.floats(0.01, 0.2)), max_size=4
)
utterance = st.tuples(st.sampled_from("xy"), st.integers(0, 3), st.lists(slot, max_size=5))


@given(st.lists(utterance, max_size=6), st.randoms())
def test_equals_the_obvious_loop_in_any_order(utterances, random):
    networks = [
        make(slots, file, 1000 * at, f"u{i}") for i, (file, at, slots) in enumerate(utterances)
    ]
    columns = invert(networks)
    expected = sorted(
        (network.recording, at.start_ms, at.word.lower(), round(at.posterior, 4))
        for network in networks
        for one in network
        for at in united(one.alternatives)
    )
    segment = ResidentSegment(None, columns)
    got = sorted(
        (Recording(file, channel), start, word, p)
        for word in segment.words()
        for file, channel, start, _, p in listed(columns, word)
    )
    assert [one[:3] for one in got] == [one[:3] for one in expected]
    assert [one[3] for one in got] == pytest.approx([one[3] for one in expected], abs=2e-4)
    random.shuffle(networks)
    assert invert(networks).digest() == columns.digest()


def united(alternatives):
    """Alternatives of one slot by word, posteriors summed."""
    total = {}
    for one in alternatives:
        word = one.word.lower()
        known = total.get(word, one._replace(posterior=0.0))
        total[word] = known._replace(word=word, posterior=known.posterior + one.posterior)
    return total.values()


def make(slots, file, start_ms, name):
    spans = [(start_ms + 100 * i, start_ms + 100 * i + 100) for i in range(len(slots))]
    flat = [(word, p, *span) for span, one in zip(spans, slots, strict=True) for word, p in one]
    return ConfusionNetwork(
        Recording(file, 1),
        name,
        start_ms,
        start_ms + 100 * len(slots),
        np.array(spans, np.int32).reshape(-1, 2),
        np.zeros(len(slots), np.float32),
        np.concatenate([[0], np.cumsum([len(one) for one in slots])]).astype(np.int32),
        tuple(one[0] for one in flat),
        np.array([one[1] for one in flat], np.float32),
        np.array([one[2:] for one in flat], np.int32).reshape(-1, 2),
    )


def test_pruning_keeps_the_likeliest(network):
    full = stacked([network([("a", 0.1), ("b", 0.6), ("c", 0.3)], [("d", 0.05)], [])])
    (pruned,) = prune(full, IndexConfig(max_alternatives=2))
    assert [[one.word for one in slot.alternatives] for slot in pruned] == [["b", "c"], ["d"], []]
    (pruned,) = prune(full, IndexConfig(min_posterior=0.1))
    assert [[one.word for one in slot.alternatives] for slot in pruned] == [["a", "b", "c"], [], []]
    assert prune(full, IndexConfig()) is full
