"""Segment-based scoring against NIST's own tables and against the rule written out slowly."""

import csv
import gzip
import io
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.api import score_files
from scoring.matching import segments
from scoring.report.csv_tables import alignment_csv
from std.matching.occurrences import Occurrences
from std.nist.rttm import Turns
from std.values import Detections, Excerpt, Lexemes, Recording

S10 = Path(__file__).parents[2] / "data" / "nist" / "s10_segments"
F, G = Recording("f", 1), Recording("g", 1)
SPEAKERS = ("anna", "bert")


def turns(rows):
    """Rows of recording, start, end, speaker."""
    recording, start, end, speaker = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Turns(
        (F, G),
        SPEAKERS,
        np.array(recording, np.int32),
        np.array(speaker, np.int32),
        np.array(start, float),
        np.array(end, float) - np.array(start, float),
    )


def lexemes(rows):
    """Rows of recording, start, end, speaker."""
    said = turns(rows)
    n = len(rows)
    return Lexemes(
        said.recordings, said.speakers[::-1], said.recording, 1 - said.speaker, said.start_s,
        said.duration_s, ("w",) * n, ("lex",) * n,
    )  # fmt: skip


def cut(excerpts, rows, words=()):
    return segments.segment(excerpts, turns(rows), lexemes(words))


CUT = [
    # name, turns in f, segments as start, end, speech
    ("silence", [], [(0, 10, False)]),
    ("one turn", [(0, 2, 3, 0)], [(0, 2, False), (2, 3, True), (3, 10, False)]),
    ("at the edges", [(0, 0, 3, 0), (0, 8, 10, 0)], [(0, 3, True), (3, 8, False), (8, 10, True)]),
    ("overlap", [(0, 2, 5, 0), (0, 4, 6, 1)], [(0, 2, False), (2, 6, True), (6, 10, False)]),
    ("nested", [(0, 2, 6, 0), (0, 3, 4, 1)], [(0, 2, False), (2, 6, True), (6, 10, False)]),
    (
        "touch",
        [(0, 2, 5, 0), (0, 5, 6, 1)],
        [(0, 2, False), (2, 5, True), (5, 6, True), (6, 10, False)],
    ),
    (
        "one speaker's turns touch",
        [(0, 2, 5, 0), (0, 5, 6, 0)],
        [(0, 2, False), (2, 5, True), (5, 6, True), (6, 10, False)],
    ),
    (
        "touch what others extended",
        [(0, 2, 5, 0), (0, 4, 6, 1), (0, 6, 7, 0)],
        [(0, 2, False), (2, 6, True), (6, 7, True), (7, 10, False)],
    ),
    ("written out of order", [(0, 8, 10, 0), (0, 0, 8, 1)], [(0, 8, True), (8, 10, True)]),
    ("without length", [(0, 2, 2, 0), (0, 2, 10, 1)], [(0, 2, False), (2, 2, True), (2, 10, True)]),
    ("half outside", [(0, 9, 11, 0)], [(0, 10, False)]),
    ("another recording", [(1, 2, 3, 0)], [(0, 10, False)]),
]


@pytest.mark.parametrize("case", CUT, ids=lambda case: case[0])
def test_cut(case):
    _, rows, expected = case
    found = cut([Excerpt(F, 0.0, 10.0)], rows)
    got = zip(found.start_s.tolist(), found.end_s.tolist(), found.speech.tolist(), strict=True)
    assert list(got) == expected
    assert segments.by_file(found) == {"f": len(expected)}


@given(
    st.lists(st.tuples(st.just(0), st.integers(0, 9), st.integers(1, 12), st.just(0)), max_size=5)
)
def test_segments_fill_the_excerpt(rows):
    spoken = [(0, start, start + length, who) for _, start, length, who in rows]
    found = cut([Excerpt(F, 0.0, 10.0)], spoken)
    assert found.start_s[0] == 0
    assert found.end_s[-1] == 10
    assert (found.start_s[1:] == found.end_s[:-1]).all()
    assert (found.speech[1:] | found.speech[:-1]).all()  # never silence twice


WORDS = [
    # name, turns in f, words, the start of the segment of each word
    ("inside", [(0, 2, 5, 0)], [(0, 2, 5, 0), (0, 3, 4, 0)], [2, 2]),
    ("of nobody who talks there", [(0, 2, 5, 0)], [(0, 3, 4, 1)], [None]),
    ("outside every turn", [(0, 2, 5, 0)], [(0, 6, 7, 0)], [None]),
    ("across a border", [(0, 2, 5, 0), (0, 5, 8, 0)], [(0, 4, 6, 0)], [None]),
    ("in the turn of another", [(0, 2, 8, 0), (0, 5, 6, 1)], [(0, 3, 4, 1)], [2]),
    ("into a turn that begins later", [(0, 2, 5, 0), (0, 4, 8, 1)], [(0, 4, 6, 0)], [None]),
    ("until a turn of its own", [(0, 2, 5, 0), (0, 4, 8, 1), (0, 7, 8, 0)], [(0, 4, 6, 0)], [2]),
    ("without length, on a border", [(0, 2, 5, 0), (0, 5, 8, 0)], [(0, 5, 5, 0)], [5]),
    ("a hair beyond the grid", [(0, 2, 5, 0)], [(0, 2, 5.00004, 0), (0, 2, 5.0001, 0)], [2, None]),
]


@pytest.mark.parametrize("case", WORDS, ids=lambda case: case[0])
def test_words_belong_to_segments_with_a_turn_of_their_speaker(case):
    _, rows, words, expected = case
    found = cut([Excerpt(F, 0.0, 10.0)], rows, words)
    starts = [None if place < 0 else found.start_s[place] for place in found.of_word.tolist()]
    assert starts == expected


def test_turns_finer_than_the_grid_are_not_lost():
    found = cut([Excerpt(F, 0.0, 10.0)], [(0, 2.00004, 5.00004, 0)], [(0, 2.00004, 3.0, 0)])
    assert found.start_s.tolist() == [0, 2, 5]
    assert found.of_word.tolist() == [1]


def detections(rows):
    """Rows of term, recording, start, duration, score."""
    columns = list(zip(*rows, strict=True)) or [()] * 5
    return Detections(
        ("A", "B"), (G, F), np.array(columns[0], np.int32), 1 - np.array(columns[1], np.int32),
        *(np.array(one, float) for one in columns[2:]), np.ones(len(rows), bool),
    )  # fmt: skip


def occurrences(rows, words):
    """Rows of term, first and last word."""
    term, first, last = (np.array(one, np.int32) for one in zip(*rows, strict=True))
    ends = words.start_s + words.duration_s
    return Occurrences(
        words.recordings, term, words.recording[first], words.start_s[first], ends[last],
        ends[first], first, last,
    )  # fmt: skip


def paired(found, hits):
    """Rows as (row of the hit or None, term and start of the target or None)."""
    names = [
        (int(term), start)
        for term, start in zip(
            found.targets.term.tolist(), found.targets.start_s.tolist(), strict=True
        )
    ]
    rows = found.hits.tolist()
    pairs = [
        (row, names[at] if at >= 0 else None)
        for row, at in zip(rows, found.alignment.occurrence_of.tolist(), strict=True)
    ]
    missed = [names[i] for i in np.flatnonzero(found.alignment.hit_of < 0).tolist()]
    for target, row in enumerate(found.alignment.hit_of.tolist()):
        assert row < 0 or found.alignment.occurrence_of[row] == target
    return sorted([*pairs, *((None, one) for one in missed)], key=repr)


PAIRS = [
    # name, hits of term A as middle and score, words, pairs; turns 2-5 and 5-8 s
    ("the best of a segment", [(3, 0.1), (4, 0.9), (2.5, 0.5)], [], [(1, None)]),
    ("the first of equals", [(4, 0.9), (3, 0.9)], [], [(0, None)]),
    ("in silence", [(1, 0.9)], [(3, 4)], [(0, None), (None, (0, 2))]),
    ("one target for two occurrences", [(3, 0.9)], [(2, 3), (4, 5)], [(0, (0, 2))]),
    ("on a border, target after it", [(5, 0.9)], [(6, 7)], [(0, (0, 5))]),
    ("on a border, two targets", [(5, 0.9)], [(3, 4), (6, 7)], [(0, (0, 2)), (0, (0, 5))]),
    ("a better answer of its own", [(5, 0.1), (7, 0.9)], [(6, 7)], [(1, (0, 5))]),
    ("an answer of its own", [(5, 0.9), (7, 0.1)], [(6, 7)], [(1, (0, 5))]),
    ("beaten before the border", [(5, 0.1), (3, 0.9)], [(6, 7)], [(1, None), (None, (0, 5))]),
    ("at the end of the excerpt", [(10, 0.9)], [], [(0, None)]),
    ("a rounding error behind it", [(10 + 2e-15, 0.9)], [], [(0, None)]),
]


@pytest.mark.parametrize("case", PAIRS, ids=lambda case: case[0])
def test_answers_meet_targets(case):
    _, middles, spans, expected = case
    words = [(0, start, end, 0) for start, end in spans] or [(0, 9, 9, 1)]
    found = cut([Excerpt(F, 0.0, 10.0)], [(0, 2, 5, 0), (0, 5, 8, 0)], words)
    hits = detections([(0, 0, middle, 0, score) for middle, score in middles])
    rows = [(0, i, i) for i in range(len(words))]
    pairs = segments.pair(hits, occurrences(rows, lexemes(words)), found)
    assert paired(pairs, hits) == sorted(expected, key=repr)


def test_a_term_across_a_border_is_no_target():
    words = [(0, 4, 5, 0), (0, 5, 6, 0), (0, 6, 7, 0)]
    found = cut([Excerpt(F, 0.0, 10.0)], [(0, 2, 5, 0), (0, 5, 8, 0)], words)
    said = occurrences([(0, 0, 1), (0, 1, 2)], lexemes(words))
    pairs = segments.pair(detections([]), said, found)
    assert (pairs.targets.start_s.tolist(), pairs.targets.end_s.tolist()) == ([5], [8])


# The rule once more, one value at a time.


def slow_segments(excerpts, rows, words):
    """Segments as [start, end, speech, recording], and the segment of each word."""
    found, of_word = [], [None] * len(words)
    for excerpt in excerpts:
        mine = []
        for recording, start, end, who in sorted(rows, key=lambda row: row[1]):
            if (F, G)[recording] != excerpt.recording:
                continue
            if not (excerpt.start_s <= start and end <= excerpt.end_s):
                continue
            reached = mine[-1][1] if mine else excerpt.start_s
            if start > reached:
                mine.append([reached, start, False, recording])
            if start >= reached:
                mine.append([start, end, True, recording])
            else:
                mine[-1][1] = max(mine[-1][1], end)
            for i, (place, begin, stop, speaker) in enumerate(words):
                if (place, speaker) == (recording, who) and mine[-1][0] <= begin:
                    of_word[i] = mine[-1] if stop <= mine[-1][1] else of_word[i]
        reached = mine[-1][1] if mine else excerpt.start_s
        if reached < excerpt.end_s:
            mine.append([reached, excerpt.end_s, False, (F, G).index(excerpt.recording)])
        found.extend(mine)
    return found, of_word


def slow_pairs(hits, said, found, of_word):
    best, targets = {}, {}
    for row, (term, recording, start, duration, score) in enumerate(hits):
        middle = start + duration / 2
        holding = [i for i, s in enumerate(found) if s[3] == recording and s[0] <= middle <= s[1]]
        if holding:
            rival = best.get((term, holding[0]))
            if rival is None or score > rival[1]:
                best[term, holding[0]] = (row, score, holding)
    for term, first, last in said:
        if of_word[first] is not None and of_word[first] is of_word[last]:
            place = next(i for i, one in enumerate(found) if one is of_word[first])
            targets[term, place] = (term, found[place][0])
    pairs, busy = [], set()
    for (term, place), name in targets.items():
        rivals = [
            (own != place, -score, row)
            for (of, own), (row, score, holding) in best.items()
            if of == term and place in holding
        ]
        pairs.append((min(rivals)[2] if rivals else None, name))
        busy |= {row for *_, row in rivals}
    spare = [(row, None) for row, *_ in best.values() if row not in busy]
    return sorted([*pairs, *spare], key=repr)


half = st.integers(0, 20).map(lambda n: n / 2)
span = st.tuples(st.integers(0, 1), half, st.sampled_from([0.0, 0.5, 1.0, 3.0]), st.integers(0, 1))
spans = st.lists(span, max_size=8).map(
    lambda rows: [(place, start, start + long, who) for place, start, long, who in rows]
)
excerpt_lists = st.lists(
    st.builds(Excerpt, st.sampled_from([F, G]), half, st.sampled_from([0.5, 4.0, 10.0])),
    min_size=1,
    max_size=3,
)
hit_lists = st.lists(
    st.tuples(
        *(st.integers(0, 1), st.integers(0, 1), half, st.sampled_from([0.0, 0.5, 1.0])),
        st.integers(0, 3).map(float),
    ),
    max_size=12,
)


@given(excerpt_lists, spans, spans.filter(len), hit_lists, st.randoms(use_true_random=False))
def test_pairs_against_the_rule_written_out(excerpts, rows, words, hits, random):
    said = [
        (term, first, last)
        for term in range(2)
        for first in range(len(words))
        for last in {first, random.randrange(len(words))}
        if words[first][0] == words[last][0]
    ]
    found = cut(excerpts, rows, words)
    slow, of_word = slow_segments(excerpts, rows, words)
    assert found.start_s.tolist() == [one[0] for one in slow]
    assert found.end_s.tolist() == [one[1] for one in slow]
    assert found.speech.tolist() == [one[2] for one in slow]
    assert found.of_word.tolist() == [
        next((i for i, s in enumerate(slow) if s is one), -1) for one in of_word
    ]
    pairs = segments.pair(detections(hits), occurrences(said, lexemes(words)), found)
    assert paired(pairs, detections(hits)) == slow_pairs(hits, said, slow, of_word)


def evaluated():
    return score_files(
        S10 / "kwslist.xml.gz",
        ecf_path=S10 / "ecf.xml",
        rttm_path=S10 / "ref.rttm.gz",
        terms_path=S10 / "kwlist.xml",
        segments=True,
    )


def test_summary_of_nist():
    group = evaluated().groups[0]
    lines = (S10 / "expected_sum.txt").read_text().splitlines()
    assert f"{group.trials} |" in next(line for line in lines if "TotTrials" in line)
    totals, measures = group.counts.totals(group.counted), group.measures
    paired = group.alignment.occurrence_of >= 0
    counted = group.counted[group.hits.term]
    expected = [cell.strip() for cell in lines[-1].strip("|").split("|")]
    assert expected == [
        "Segment",
        *map(str, (group.counted.sum(), totals.targets, (counted & ~paired).sum())),
        *map(str, (counted.sum(), totals.corr, totals.corr_nondet, totals.fa, totals.miss)),
        f"{measures['P_fa']:.5f}", f"{measures['P_miss']:.3f}", f"{measures['ATWV']:.4f}",
        f"{measures['decision_threshold']:.4f}", f"{measures['MTWV_P_fa']:.5f}",
        f"{measures['MTWV_P_miss']:.3f}", f"{measures['MTWV']:.4f}",
        f"{measures['MTWV_threshold']:.3f}",
    ]  # fmt: skip


def rows_of(text):
    """Rows of an alignment, whatever their order; times as numbers."""
    return Counter(
        (*row[1:5], *(round(float(cell), 6) if cell else None for cell in row[5:10]), *row[10:])
        for row in list(csv.reader(io.StringIO(text)))[1:]
    )


def test_every_pair_of_nist():
    out = io.BytesIO()
    alignment_csv(evaluated(), out)
    with gzip.open(S10 / "expected_alignment.csv.gz", "rt", encoding="utf-8") as stream:
        assert rows_of(out.getvalue().decode()) == rows_of(stream.read())
