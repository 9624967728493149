"""Folds: what belongs to one, how the corpus is cut, and how folds are summed up."""

import io
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.discovery import formats
from scoring.discovery.api import evaluate
from scoring.discovery.cli import PROFILES
from scoring.discovery.corpus import make_corpus, make_discovery
from scoring.discovery.folds import Intervals, equal_parts, intervals, spread
from scoring.discovery.scores import Rates, Scores

PHONES = """\
a 0.0 0.1 p
a 0.1 0.2 q
a 0.2 0.3 r
a 0.3 0.4 SIL
a 0.5 0.6 p
a 0.6 0.7 q
a 0.7 0.8 r
b 0.0 0.1 p
b 0.1 0.2 q
b 0.2 0.3 r
b 0.3 0.4 p
b 0.4 0.5 q
b 0.5 0.6 r
"""
WORDS = "a 0.0 0.3 one\na 0.5 0.8 one\nb 0.0 0.3 one\nb 0.3 0.6 two\n"
CLASSES = """\
Class 0
a 0.0 0.3
a 0.5 0.8
b 0.0 0.3

Class 1
a 0.1 0.2
b 0.1 0.4
b 0.3 0.6
"""


def corpus_of(phones=PHONES, words=WORDS):
    phones, words = (formats.parse_alignment(io.BytesIO(text.encode())) for text in (phones, words))
    return make_corpus(phones, words)


def discovery_of(corpus, text=CLASSES):
    return make_discovery(formats.parse_classes(io.BytesIO(text.encode())), corpus)


def folds_of(text):
    return formats.parse_folds(io.BytesIO(text.encode()))


def values(scores):
    return [value for _, _, value in scores]


@pytest.mark.parametrize("profile", PROFILES)
def test_one_fold_around_everything_is_the_whole_corpus(profile):
    corpus = corpus_of()
    steps = []
    result = evaluate(
        corpus,
        discovery_of(corpus),
        profile,
        folds_of("a 0 1\nb 0 1\n"),
        lambda done, total: steps.append((done, total)),
    )
    assert steps == [(1, 2)]
    whole = result.scores["all"]
    for measure, part, value in whole:
        assert not math.isnan(value)
        assert result.spread[measure, part].mean == pytest.approx(value, abs=1e-15)
        assert result.spread[measure, part].std == 0


@pytest.mark.parametrize("profile", ["zrc2017", "definition"])
def test_a_fold_is_scored_as_if_it_were_the_corpus(profile):
    corpus = corpus_of()
    parts = folds_of("a 0 1\n\nb 0 1\n")
    result = evaluate(corpus, discovery_of(corpus), profile, parts)
    for name, fold in zip("ab", result.fold_scores, strict=True):
        alone = corpus_of(
            *("".join(x for x in text.splitlines(True) if x[0] == name) for text in (PHONES, WORDS))
        )
        kept = "".join(x for x in CLASSES.splitlines(True) if x[0] in name + "C\n")
        only = evaluate(alone, discovery_of(alone, kept), profile)
        assert values(fold) == pytest.approx(values(only.scores["all"]), nan_ok=True)


def test_zrc2015_finds_ngrams_in_the_whole_corpus_then_looks_into_the_fold():
    """p q r of file a's first word repeats elsewhere only, and is still discoverable."""
    corpus = corpus_of()
    result = evaluate(corpus, discovery_of(corpus), "zrc2015", folds_of("a 0 0.4\n"))
    assert result.fold_scores[0].coverage == pytest.approx(1.0)
    assert math.isnan(result.fold_scores[0].matching.recall)  # but it has no partner here


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 20), st.integers(1, 9)), max_size=6),
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 20), st.integers(1, 9)), max_size=6),
)
def test_containment(whole, spans):
    def columns(rows):
        file = np.array([f for f, _, _ in rows], dtype=np.int32)
        onset = np.array([a for _, a, _ in rows], dtype=np.float64)
        return file, onset, onset + np.array([n for _, _, n in rows], dtype=np.float64)

    got = Intervals(*columns(whole)).contain(*columns(spans))
    slow = [any(f == g and a <= b and b + m <= a + n for g, a, n in whole) for f, b, m in spans]
    assert got.tolist() == slow


@settings(max_examples=30)
@given(st.lists(st.integers(1, 5), min_size=6, max_size=40), st.integers(2, 5))
def test_equal_parts(lengths, count):
    ends = np.cumsum(lengths) / 10
    starts = np.append(0, ends[:-1])
    words = "".join(f"a {a:.1f} {b:.1f} w\n" for a, b in zip(starts, ends, strict=True))
    corpus = corpus_of(words, words)
    try:
        parts = equal_parts(corpus, count)
    except ValueError:
        assert len(lengths) < 3 * count  # too few words for so many cuts
        return
    inside = [
        one.contain(corpus.words.file, corpus.words.onset_s, corpus.words.offset_s)
        for one in intervals(parts, corpus)
    ]
    assert np.sum(inside, axis=0).tolist() == [1] * len(lengths)
    for one in inside:
        assert abs(np.array(lengths)[one].sum() - sum(lengths) / count) <= max(lengths)


def test_parts_do_not_cut_words():
    parts = equal_parts(corpus_of(), 3)
    rows = parts.spans
    assert [
        (int(fold), rows.files[f], float(a), float(b))
        for fold, f, a, b in zip(parts.fold, rows.file, rows.onset_s, rows.offset_s, strict=True)
    ] == [(0, "a", 0.0, 0.4), (1, "a", 0.5, 0.8), (1, "b", 0.0, 0.3), (2, "b", 0.3, 0.6)]


def scores(precision, recall, ned):
    rates = Rates(precision, recall)
    return Scores(rates, rates, rates, rates, rates, coverage=precision, ned=ned)


def test_spread_is_of_the_population_and_drops_undefined_folds():
    nan = math.nan
    got = spread([scores(0.2, 0.6, 0.5), scores(0.4, 0.6, nan), scores(nan, 0.1, 0.7)], "zrc2017")
    token = got["token", "precision"]
    assert (token.mean, token.min, token.max) == (pytest.approx(0.3), 0.2, 0.4)
    assert token.std == pytest.approx(0.1)  # numpy's default, ddof 0
    assert got["token", "recall"].mean == pytest.approx(0.6)  # the third fold is left out of both
    assert got["token", "fscore"].mean == pytest.approx(
        (0.3 + 0.48) / 2
    )  # mean of F, not F of means
    assert got["ned", ""].mean == pytest.approx(0.6)


@pytest.mark.parametrize(("profile", "rate", "ned"), [("zrc2015", 0, 1), ("zrc2017", None, None)])
def test_spread_of_nothing(profile, rate, ned):
    got = spread([scores(math.nan, 0.5, math.nan)], profile)
    for key, value in ((("token", "recall"), rate), (("ned", ""), ned)):
        assert got[key].mean == value if value is not None else math.isnan(got[key].mean)
