import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import segments
from scoring.occurrences import Occurrences
from std.formats.rttm import Turns
from std.values import Detections, Excerpt, Recording

F, G = Recording("f", 1), Recording("g", 1)


def turns(rows, recordings=(F, G)):
    recording, start, end = zip(*rows, strict=True) if rows else ((), (), ())
    return Turns(
        recordings,
        np.array(recording, np.int32),
        np.array(start, float),
        np.array(end, float) - np.array(start, float),
    )


CUT = [
    # name, turns in f, segments as start, end, speech
    ("silence", [], [(0, 10, False)]),
    ("one turn", [(0, 2, 3)], [(0, 2, False), (2, 3, True), (3, 10, False)]),
    ("at the edges", [(0, 0, 3), (0, 8, 10)], [(0, 3, True), (3, 8, False), (8, 10, True)]),
    ("overlap", [(0, 2, 5), (0, 4, 6)], [(0, 2, False), (2, 6, True), (6, 10, False)]),
    ("nested", [(0, 2, 6), (0, 3, 4)], [(0, 2, False), (2, 6, True), (6, 10, False)]),
    ("half outside", [(0, 9, 11)], [(0, 10, False)]),
    ("another recording", [(1, 2, 3)], [(0, 10, False)]),
]


@pytest.mark.parametrize("case", CUT, ids=lambda case: case[0])
def test_cut(case):
    _, rows, expected = case
    found = segments.segment([Excerpt(F, 0.0, 10.0)], turns(rows))
    got = zip(found.start_s.tolist(), found.end_s.tolist(), found.speech.tolist(), strict=True)
    assert list(got) == expected
    assert segments.by_file(found) == {"f": len(expected)}


@given(st.lists(st.tuples(st.just(0), st.integers(0, 9), st.integers(1, 12)), max_size=5))
def test_segments_fill_the_excerpt_and_alternate(rows):
    spoken = [(0, start, start + length) for _, start, length in rows]
    found = segments.segment([Excerpt(F, 0.0, 10.0)], turns(spoken))
    assert found.start_s[0] == 0
    assert found.end_s[-1] == 10
    assert (found.start_s[1:] == found.end_s[:-1]).all()
    assert (found.speech[1:] != found.speech[:-1]).all()


def test_one_answer_and_one_target_per_segment():
    cut = segments.segment([Excerpt(F, 0.0, 10.0)], turns([(0, 2, 6)]))
    hits = Detections(
        ("A",), (F,), np.zeros(4, np.int32), np.zeros(4, np.int32),
        np.array([2.0, 4.0, 7.0, 30.0]), np.full(4, 0.5), np.array([0.3, 0.9, 0.5, 1.0]),
        np.ones(4, bool),
    )  # fmt: skip
    starts = np.array([2.5, 3.0, 5.8, 7.0])
    ends = np.array([3.0, 3.5, 6.2, 7.5])
    targets = Occurrences(
        (F,), np.zeros(4, np.int32), np.zeros(4, np.int32), starts, ends, ends.copy()
    )
    pairs = segments.pair(hits, targets, cut)
    assert pairs.hits.tolist() == [1, 2]  # the best in speech, the only one in silence
    assert pairs.occurrences.tolist() == [0]
    assert pairs.alignment.hit_of.tolist() == [0]
    assert pairs.alignment.occurrence_of.tolist() == [0, -1]
    assert pairs.outside.tolist() == [False, False, True, True]
