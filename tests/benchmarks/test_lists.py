"""Words that are taken out of a set are neither said nor written there; their siblings are."""

import numpy as np

from benchmarks.lists import Silence, is_sibling, siblings
from std.values import ConfusionNetwork, Recording

TAPE = Recording("TAPE", 1)
SLOTS = (  # each 100 ms: its alternatives
    {"Aufnahme": 0.9, "aufnahmen": 0.1},
    {"aufnahmen": 1.0},  # said here
    {"aufnahmen": 0.6, "ausnahmen": 0.4},
)


def network():
    spans = np.array([[100 * i, 100 * i + 100] for i in range(len(SLOTS))], np.int32)
    sizes = [len(slot) for slot in SLOTS]
    return ConfusionNetwork(
        TAPE, "u1", 0, 300, spans, np.zeros(3, np.float32),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
        tuple(word for slot in SLOTS for word in slot),
        np.array([p for slot in SLOTS for p in slot.values()], np.float32),
        np.repeat(spans, sizes, axis=0),
    )  # fmt: skip


def test_a_word_held_out_is_gone_where_it_was_said_and_where_it_was_written():
    said = {TAPE: (np.array([110]), np.array([190]))}
    left = [*Silence(said, frozenset({"aufnahmen"}), str.lower).without(network())]
    assert [(slot.start_ms, [one.word for one in slot.alternatives]) for slot in left] == [
        (0, ["Aufnahme"]),
        (200, ["ausnahmen"]),
    ]
    assert [round(slot.epsilon, 3) for slot in left] == [0.1, 0.6]  # what it had is no word's


def test_alternatives_of_a_known_word_stay_where_it_was_not_said():
    said = {TAPE: (np.array([110]), np.array([190]))}
    kept = Silence(said, frozenset(), str.lower).without(network())
    assert kept.words == ("Aufnahme", "aufnahmen", "aufnahmen", "ausnahmen")
    assert len(kept) == 2


def test_siblings_share_three_quarters_of_the_letters_of_both():
    assert siblings(["aufnahmen"], ["aufnahme", "ausnahmen", "name", "aufnahmen"]) == [
        ["aufnahme", "ausnahmen"]
    ]
    assert not is_sibling("formen", "form" + "alitäten")
