from types import SimpleNamespace

import numpy as np

from searcher.phonetic.null_distribution import (
    DECOYS_OF_LENGTH,
    LENGTHS,
    draw_decoy_words,
    draw_decoys,
    phone_chain,
)


def index_of(words, counts=None):
    """As much of a phonetic index as the chain needs; a word's phones are letters."""
    inventory = tuple(dict.fromkeys("".join(words.values())))
    row = {phone: i for i, phone in enumerate(inventory)}
    offsets = np.cumsum([0, *(len(phones) for phones in words.values())])
    counts = np.array(counts or [1] * len(words))
    seen = {p for p, n in zip(words.values(), counts, strict=True) if n for p in p}
    return SimpleNamespace(
        inventory=inventory,
        word_phone_offsets=offsets,
        word_phones=np.array([row[phone] for phone in "".join(words.values())], np.uint8),
        counts=counts,
        phone_counts=dict.fromkeys(seen, 1),
    )


def test_counts_of_the_chain_by_hand():
    chain = phone_chain([index_of({"anna": "anna"}, [3])])
    assert chain.inventory == ("a", "n")
    a, n, begin = 0, 1, 2
    counted = {
        tuple(map(int, place)): int(chain.counts[tuple(place)])
        for place in np.argwhere(chain.counts)
    }
    assert counted == {
        (begin, begin, a): 3, (begin, a, n): 3, (a, n, n): 3, (n, n, a): 3,
    }  # fmt: skip


def test_the_cut_and_deleted_words_do_not_matter():
    whole = index_of({"anna": "anna", "otto": "otto", "toni": "toni"}, [2, 1, 4])
    parts = [
        index_of({"otto": "otto", "zorn": "zorn"}, [1, 0]),
        index_of({"anna": "anna"}, [2]),
        index_of({"toni": "toni"}, [4]),
    ]
    assert draw_decoys(phone_chain(parts)) == draw_decoys(phone_chain([whole]))


def test_decoys_have_the_lengths_and_only_phones_that_follow_each_other():
    words = {"anna": "anna", "otto": "otto", "toni": "toni", "nato": "nato"}
    decoys = draw_decoys(phone_chain([index_of(words)]))
    assert len(set(decoys)) == len(decoys)
    lengths = np.array([len(decoy) for decoy in decoys])
    assert set(lengths.tolist()) <= set(LENGTHS)
    assert (np.bincount(lengths)[8:][list(np.array(LENGTHS[4:]) - 8)] == DECOYS_OF_LENGTH).all()
    follow = {word[i : i + 3] for word in words.values() for i in range(len(word) - 2)}
    inside = "".join(decoys[-1])
    assert any(inside[i : i + 3] in follow for i in range(len(inside) - 2))
    assert draw_decoys(phone_chain([index_of(words)]), of_length=2, seed=9) != decoys[:20]


def test_an_archive_without_phones_has_none():
    assert draw_decoys(phone_chain([])) == []


def test_decoy_words_have_the_lengths_and_only_letters_that_follow_each_other():
    counts = {"anna": 1, "otto": 2, "toni": 1, "nato": 5, "zorn": 0}
    decoys = draw_decoy_words(counts, 3)
    assert len(set(decoys)) == len(decoys)
    assert {len(decoy) for decoy in decoys} <= set(LENGTHS)
    assert sum(len(decoy) == LENGTHS[-1] for decoy in decoys) == 3
    assert not set(decoys) & set(counts)
    assert "z" not in "".join(decoys)  # of a word that does not count
    assert {decoy[0] for decoy in decoys} <= set("aotn")
    assert draw_decoy_words(counts, 3, seed=9) != decoys


def test_decoy_words_do_not_depend_on_the_order_of_the_counts():
    counts = {"anna": 1, "otto": 2, "toni": 1, "nato": 5}
    assert draw_decoy_words(counts, 4) == draw_decoy_words(dict(reversed(counts.items())), 4)


def test_words_of_deleted_recordings_leave_no_trace_in_decoy_words():
    counts = {"anna": 1, "otto": 2, "toni": 1, "nato": 5}
    gone = dict.fromkeys(draw_decoy_words(counts, 4), 0)
    assert draw_decoy_words(counts | gone, 4) == draw_decoy_words(counts, 4)


def test_an_archive_without_words_has_no_decoy_words():
    assert draw_decoy_words({}, 3) == draw_decoy_words({"gone": 0}, 3) == []
