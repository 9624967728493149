"""Hypotheses of an utterance become slots."""

import math
from itertools import pairwise

import numpy as np

from indexer.networks.builder import NetworkBuilder
from indexer.networks.hypotheses import HypothesisWord, UtteranceHypothesis, write_hypotheses
from std.values import Recording


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
