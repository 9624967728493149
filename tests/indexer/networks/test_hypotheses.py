"""Hypotheses of an utterance become slots."""

import math
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.formats.shared.cues import Cue, utterances_of_cues
from indexer.formats.shared.reader import DEFAULT
from indexer.networks.hypotheses import HypothesisWord, UtteranceHypothesis, write_hypotheses
from indexer.networks.raw import SECONDS_PER_LETTER, SHORTEST_PER_LETTER, NetworkBuilder
from indexer.spoken_queries import between, likeliest_sequences, mixture
from std.values import Alternative, Recording, Slot


def slots(*weighted_words, characters, span=(math.nan, math.nan)):
    """The slots as {word: (mass, start, end)}; the words of a hypothesis share its span."""
    builder = NetworkBuilder("file", characters)
    builder.utterance(1, Recording("talk", 1), "talk-1")
    hypotheses = []
    for weight, text in weighted_words:
        tokens = text.split()
        ends = np.linspace(*span, len(tokens) + 1).tolist()
        words = [
            HypothesisWord(token, 1.0, *times)
            for token, times in zip(tokens, pairwise(ends), strict=False)
        ]
        hypotheses.append(UtteranceHypothesis(weight, words))
    write_hypotheses(builder, 1, hypotheses)
    columns = builder.columns()
    words = [columns.vocabulary[row] for row in columns.tokens]
    masses = np.round(columns.posteriors, 9).tolist()
    rows = list(zip(words, masses, *columns.spans_s.T.tolist(), strict=True))
    return [
        {word: tuple(times) for word, *times in rows[first:last]}
        for first, last in zip(columns.offsets, columns.offsets[1:], strict=False)
    ]


def masses(*weighted_words, characters):
    return [
        {word: mass for word, (mass, *_) in slot.items()}
        for slot in slots(*weighted_words, characters=characters)
    ]


def test_hypotheses_that_are_cut_in_other_ways_agree_character_by_character():
    # By hand: the first two characters are in all three, 气 in the first and the third.
    n_best = (0.5, "今天 天气"), (0.3, "今 天天 汽"), (0.2, "今天天气")
    assert masses(*n_best, characters=True) == [
        {"今": 1.0},
        {"天": 1.0},
        {"天": 1.0},
        {"气": 0.7, "汽": 0.3},
    ]
    pieces = masses(*n_best, characters=False)
    assert max(mass for slot in pieces for mass in slot.values()) == 0.5  # no piece is in two


def test_characters_share_the_time_of_their_piece():
    # 天气 lasts from 1 to 2 s, 很好 from 2 to 3 s: half a second each.
    cut = slots((0.6, "天气 很好"), (0.4, "天 气 很 坏"), characters=True, span=(1.0, 3.0))
    assert cut == [
        {"天": (1.0, 1.0, 1.5)},
        {"气": (1.0, 1.5, 2.0)},
        {"很": (1.0, 2.0, 2.5)},
        {"好": (0.6, 2.5, 3.0), "坏": (0.4, 2.5, 3.0)},
    ]


def test_words_of_other_scripts_and_remarks_stay_whole():
    n_best = (0.5, "我写Python 【笑】"), (0.5, "我 写 Python 【笑】")
    whole = [{"我": 1.0}, {"写": 1.0}, {"Python": 1.0}, {"【笑】": 1.0}]
    assert masses(*n_best, characters=True) == whole
    assert masses((0.5, "two words"), (0.5, "two birds"), characters=True) == [
        {"two": 1.0},
        {"words": 0.5, "birds": 0.5},
    ]


NAN = float("nan")


def spans(cues):
    """(start, end) in seconds of cues of one recording, as utterances."""
    rows = [Cue(1, start, end, text) for start, end, text in cues]
    (block,) = utterances_of_cues(rows, "x", Recording("x", 1), DEFAULT)
    return [(a / 1000, b / 1000) for a, b in block.spans_ms.tolist()]


def slow(cues):
    """The slow twin: each group of cues that start together, and the next."""
    order = sorted(range(len(cues)), key=lambda i: cues[i][0])
    result = [None] * len(cues)
    starts = sorted({start for start, _, _ in cues})
    following = dict(pairwise([*starts, float("inf")]))
    for start in starts:
        group = [i for i in order if cues[i][0] == start]
        total = sum(len(cues[i][2]) for i in group)
        ends = []
        for i in group:
            end, letters = cues[i][1], len(cues[i][2])
            if not end > start:
                end = min(following[start], start + SECONDS_PER_LETTER * letters)
            roll = following[start] - start > SHORTEST_PER_LETTER * total
            ends.append(following[start] if end > following[start] and roll else end)
        at = 0
        for i, end in zip(group, ends, strict=True):
            n = len(cues[i][2])
            if len(group) > 1:
                whole = max(ends) - start
                result[i] = (start + whole * at / total, start + whole * (at + n) / total)
            else:
                result[i] = (start, end)
            at += n
    return result


cue = st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from(["ja", "winter", "eins"]))


@given(st.lists(cue, min_size=1, max_size=8))
def test_settled_spans_equal_their_slow_twin(rows):
    cues = [(start, start + length if length else NAN, text) for start, length, text in rows]
    for ours, theirs in zip(spans(cues), slow(cues), strict=True):
        assert ours == pytest.approx(theirs, abs=0.0011)


def test_captions_that_stay_on_the_screen_do_not_interleave():
    rolling = [(0.9, 5.9, "ja"), (3.9, 7.9, "quiet"), (5.9, 10.1, "purple"), (7.9, 10.9, "winter")]
    assert spans(rolling) == [(0.9, 3.9), (3.9, 5.9), (5.9, 7.9), (7.9, 10.9)]


def test_lines_with_a_start_only_last_until_the_next_or_as_long_as_their_letters():
    assert spans([(0, NAN, "purple"), (5, NAN, "green"), (5.1, NAN, "onions")]) == [
        (0, 0.42), (5, 5.1), (5.1, 5.52),
    ]  # fmt: skip


def slot(epsilon, *words, start_ms=0, end_ms=100):
    return Slot(
        start_ms, end_ms, epsilon, [Alternative(word, p, start_ms, end_ms) for word, p in words]
    )


def every_sequence(slots):
    """The slow twin: all paths, one by one."""
    choices = []
    for one in slots:
        ways = [("", one.epsilon), *((a.word, a.posterior) for a in one.alternatives)]
        total = sum(p for _, p in ways)
        choices.append([(word, p / total) for word, p in ways if p])
    sequences = {}
    for path in product(*choices):
        words, posterior = tuple(word for word, _ in path if word), 1.0
        for _, p in path:
            posterior *= p
        sequences[words] = sequences.get(words, 0.0) + posterior
    return sequences


def test_by_hand():
    slots = [slot(0.0, ("new", 0.8), ("newark", 0.2)), slot(0.25, ("york", 0.75))]
    assert likeliest_sequences(slots, 3) == pytest.approx(
        {("new", "york"): 0.6, ("new",): 0.2, ("newark", "york"): 0.15}
    )


POSTERIOR = st.floats(0.01, 1)
SLOT = st.builds(
    lambda epsilon, words: slot(epsilon, *words.items()),
    st.floats(0, 1),
    st.dictionaries(st.sampled_from("abc"), POSTERIOR, min_size=1),
)


@given(st.lists(SLOT, max_size=4))
def test_as_all_paths(slots):
    expected = every_sequence(slots)
    found = likeliest_sequences(slots, 1000)
    assert dict(found) == pytest.approx(expected)
    assert list(found.values()) == sorted(found.values(), reverse=True)


def test_a_slot_without_anything_is_skipped():
    assert likeliest_sequences([slot(0.0), slot(0.0, ("a", 0.5))], 5) == {("a",): 1.0}


def test_examples_of_a_query_count_the_same():
    found = mixture([{("a",): 0.5, (): 0.5}, {("a",): 0.5, ("b",): 0.5}], 5)
    assert [words for words, _ in found] == [("a",), ("b",)]
    assert [weight for _, weight in found] == pytest.approx([2 / 3, 1 / 3])
    assert mixture([{(): 1.0}], 5) == []


@pytest.mark.parametrize(
    ("start_ms", "end_ms", "expected"),
    [(0, 300, "abc"), (100, 200, "b"), (60, 240, "b"), (20, 40, "a"), (300, 400, "")],
)
def test_slots_between_two_times(network, start_ms, end_ms, expected):
    of_three = network([("a", 1.0)], [("b", 1.0)], [("c", 1.0)])
    found = [one.alternatives[0].word for one in between(of_three, start_ms, end_ms)]
    assert "".join(found) == expected
