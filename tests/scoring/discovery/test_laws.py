"""Tables of the transcription rules, and laws that any system must obey."""

import io
import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scoring.discovery import formats
from scoring.discovery.api import evaluate
from scoring.discovery.cli import PROFILES
from scoring.discovery.corpus import make_corpus, make_discovery
from scoring.discovery.transcription import inclusive, literal, two_sided

pytestmark = pytest.mark.slow

RULES = {"zrc2017": inclusive, "zrc2015": two_sided, "definition": literal}


def corpus_of(phones, words):
    return make_corpus(
        *(formats.parse_alignment(io.BytesIO(text.encode())) for text in (phones, words))
    )


def discovery_of(corpus, found):
    text = "".join(
        f"Class {i}\n" + "".join(f"{f} {a} {b}\n" for f, a, b in one) + "\n"
        for i, one in enumerate(found)
    )
    return make_discovery(formats.parse_classes(io.BytesIO(text.encode())), corpus)


# Phones: a 0-100 ms, b 100-200, c 200-250 (short); then a gap; d 300-400 ms.
PHONES = "f 0 0.1 a\nf 0.1 0.2 b\nf 0.2 0.25 c\nf 0.3 0.4 d\n"
TRANSCRIBED = [
    # what                             fragment         zrc2017  zrc2015  definition
    ("30 ms of a long phone",          (0.0, 0.13),     "ab",    "a",     "a"),
    ("29.5 ms round to 30",            (0.0, 0.1295),   "ab",    "a",     "a"),
    ("29.4 ms do not",                 (0.0, 0.1294),   "a",     "a",     "a"),
    ("31 ms",                          (0.0, 0.131),    "ab",    "ab",    "ab"),
    ("less than half of a short one",  (0.1, 0.224),    "b",     "b",     "b"),
    ("more than half of a short one",  (0.1, 0.226),    "bc",    "bc",    "bc"),
    ("5 ms inside a phone",            (0.04, 0.045),   "",      "a",     ""),
    ("both ends count",                (0.02, 0.045),   "",      "a",     ""),
    ("across the gap",                 (0.1, 0.4),      "bcd",   "d",     "bcd"),
    ("nothing there",                  (0.26, 0.29),    "",      "",      ""),
    ("everything",                     (0.0, 0.4),      "abcd",  "d",     "abcd"),
]  # fmt: skip


@pytest.mark.parametrize("row", TRANSCRIBED, ids=lambda row: row[0])
def test_transcription(row):
    """zrc2017: an overlap of 29.5 ms rounds to 30 ms; zrc2015: the last stretch."""
    _, (start, end), *expected = row
    corpus = corpus_of(PHONES, "f 0 0.4 w\n")
    discovery = discovery_of(corpus, [[("f", start, end)]])
    for rule, want in zip(RULES.values(), expected, strict=True):
        runs = rule(corpus.phones, discovery)
        rows = range(runs.lo[0], runs.hi[0])
        assert "".join(corpus.phones.labels[corpus.phones.label[i]] for i in rows) == want


def test_exactly_half_is_included_by_2017_and_not_more_than_half_by_the_text():
    corpus = corpus_of("f 0 0.5 x\nf 0.5 0.5625 a\n", "f 0 0.5625 w\n")
    discovery = discovery_of(corpus, [[("f", 0, 0.53125)]])  # dyadic: no float noise
    lengths = {name: int(rule(corpus.phones, discovery).hi[0]) for name, rule in RULES.items()}
    assert lengths == {"zrc2017": 2, "zrc2015": 2, "definition": 2}  # 31.25 ms > 30 ms
    corpus = corpus_of("f 0 0.5 x\nf 0.5 0.53125 a\n", "f 0 0.53125 w\n")
    discovery = discovery_of(corpus, [[("f", 0, 0.515625)]])
    lengths = {name: int(rule(corpus.phones, discovery).hi[0]) for name, rule in RULES.items()}
    assert lengths == {"zrc2017": 2, "zrc2015": 1, "definition": 1}


@st.composite
def spoken(draw):
    """Words laid end to end in one file per talker: (corpus, [(word, span)])."""
    lexicon = draw(
        st.lists(st.text("abcd", min_size=3, max_size=6), min_size=1, max_size=4, unique=True)
    )
    phones, words, spans = [], [], []
    for file in ("f", "g"):
        now = 0
        for which in draw(st.lists(st.integers(0, len(lexicon) - 1), min_size=1, max_size=6)):
            start = now
            for symbol in lexicon[which]:
                phones.append(f"{file} {now / 10} {(now + 1) / 10} {symbol}\n")
                now += 1
            words.append(f"{file} {start / 10} {now / 10} w{which}\n")
            spans.append((which, (file, start / 10, now / 10)))
            now += 1  # a gap after each word
    return corpus_of("".join(phones), "".join(words)), spans


def by_word(spans):
    return [[span for which, span in spans if which == one] for one in {w for w, _ in spans}]


@given(spoken())
@settings(max_examples=30, deadline=None)
def test_a_perfect_system_scores_one(heard):
    corpus, spans = heard
    found = by_word(spans)
    for profile in PROFILES:
        scores = evaluate(corpus, discovery_of(corpus, found), profile).scores["all"]
        for rates in (scores.boundary, scores.token, scores.type):
            assert tuple(rates) == (1, 1)
        if any(len(one) > 1 for one in found) and profile != "zrc2015":
            assert tuple(scores.grouping) == (1, 1)
            assert scores.matching.precision == 1
            assert scores.ned == 0
    assert evaluate(corpus, discovery_of(corpus, found)).scores["all"].coverage == 1


@given(spoken(), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_merging_two_pure_classes_of_one_type_never_lowers_grouping_recall(heard, rng):
    corpus, spans = heard
    found = by_word(spans)
    which = rng.randrange(len(found))
    assume(len(found[which]) > 1)
    cut = rng.randrange(1, len(found[which]))
    split = [*found[:which], found[which][:cut], found[which][cut:], *found[which + 1 :]]
    for profile in PROFILES:
        before, after = (
            evaluate(corpus, discovery_of(corpus, one), profile).scores["all"].grouping.recall
            for one in (split, found)
        )
        assert math.isnan(after) or after >= before


@given(spoken(), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_the_order_of_classes_and_members_does_not_matter(heard, rng):
    corpus, spans = heard
    found = [rng.sample(spans, min(3, len(spans))) for _ in range(3)]
    found = [[span for _, span in one] for one in found]
    shuffled = [rng.sample(one, len(one)) for one in rng.sample(found, len(found))]
    for profile in PROFILES:
        one, other = (
            [
                value
                for _, _, value in evaluate(corpus, discovery_of(corpus, x), profile).scores["all"]
            ]
            for x in (found, shuffled)
        )
        assert one == pytest.approx(other, abs=1e-12, nan_ok=True)


@given(spoken(), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_every_value_but_the_2015_recall_and_coverage_is_a_share(heard, rng):
    corpus, spans = heard
    found = [[span for _, span in rng.sample(spans, min(4, len(spans)))] for _ in range(3)]
    for profile in ("zrc2017", "definition"):
        for measure, part, value in evaluate(corpus, discovery_of(corpus, found), profile).scores[
            "all"
        ]:
            assert math.isnan(value) or 0 <= value <= 1, (profile, measure, part)


def test_a_wrong_fragment_never_raises_precision():
    corpus = corpus_of(PHONES, "f 0 0.2 w\nf 0.3 0.4 v\n")
    right = [[("f", 0.0, 0.2)], [("f", 0.3, 0.4)]]
    for profile in PROFILES:
        before, after = (
            evaluate(corpus, discovery_of(corpus, one), profile).scores["all"].token.precision
            for one in (right, [*right, [("f", 0.1, 0.25)]])
        )
        assert before == 1
        assert after == pytest.approx(2 / 3)


def test_2017_type_recall_can_reach_two():
    """Seen in zerospeech-tde: one orthographic word, two pronunciations, both found (D3)."""
    phones = "f 0 0.1 a\nf 0.1 0.2 b\nf 0.3 0.4 a\nf 0.4 0.5 c\n"
    corpus = corpus_of(phones, "f 0 0.2 w\nf 0.3 0.5 w\n")
    found = discovery_of(corpus, [[("f", 0, 0.2), ("f", 0.3, 0.5)]])
    assert evaluate(corpus, found).scores["all"].type.recall == 2


def test_2017_merges_fragments_of_different_files_at_the_same_times():
    """zerospeech-tde: four fragments, two pure, precision 1/3 instead of 2/4 (D4)."""
    files = {"e": "x", "f": "x", "g": "y", "h": "z"}
    rows = "".join(f"{f} 0 0.1 {s}\n" for f, s in files.items())
    corpus = corpus_of(rows, rows)
    found = discovery_of(corpus, [[(f, 0, 0.1) for f in files]])
    assert evaluate(corpus, found).scores["all"].grouping.precision == pytest.approx(1 / 3)
    assert evaluate(corpus, found, "definition").scores["all"].grouping.precision == 0.5


def test_2015_ignores_file_names_when_pairs_overlap():
    """tde: a[1,2] and b[1,2] of different files are 'overlapping' and no pair (B1)."""
    rows = "a 0 0.1 x\nb 0 0.1 x\n"
    corpus = corpus_of(rows, rows)
    found = discovery_of(corpus, [[("a", 0, 0.1), ("b", 0, 0.1)]])
    pairs = {name: evaluate(corpus, found, name).scores["all"].counts["pairs"] for name in PROFILES}
    assert pairs == {"zrc2017": 1, "zrc2015": 0, "definition": 1}


def test_nothing_discovered_is_undefined_not_a_crash():
    corpus = corpus_of(PHONES, "f 0 0.4 w\n")
    for profile in PROFILES:
        scores = evaluate(corpus, discovery_of(corpus, [[]]), profile).scores["all"]
        assert math.isnan(scores.ned)
        assert math.isnan(scores.token.precision)
        assert scores.token.recall == 0
        assert scores.reasons()["token.precision"].startswith("nothing was discovered")
