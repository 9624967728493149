import gc
from weakref import ref

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from indexer.segments.invert import invert
from searcher.index.stores import recording_table
from std.store.resident import ResidentSegment
from std.values import Recording
from tests.conftest import build_network

FILES = ["a", "b", "c", "d"]
SOME_FILES = st.lists(st.sampled_from(FILES), min_size=1, max_size=4, unique=True)


def segment_of(files, deleted=()):
    networks = [build_network([("wort", 0.5)], file=file) for file in sorted(files)]
    columns = invert(networks)
    rows = [i for i, one in enumerate(columns.recordings) if one.recording.file in deleted]
    return ResidentSegment("x", columns, frozenset(rows))


@given(st.lists(st.tuples(SOME_FILES, SOME_FILES), min_size=1, max_size=3))
def test_rows_are_those_of_looking_through_the_segments(plan):
    segments = [segment_of(files, deleted) for files, deleted in plan]
    table = recording_table(segments)
    every = sorted({Recording(file, 1) for files, _ in plan for file in files})
    assert [*table.recordings] == every
    live = {}
    for number, segment in enumerate(segments):
        expected = [every.index(one.recording) for one in segment.recordings]
        assert table.rows[segment].tolist() == expected
        for row, one in enumerate(segment.recordings):
            if row not in segment.deleted:
                live[one.recording] = number, row
    for i, recording in enumerate(every):
        assert table.row_of[recording] == i
        number, row = live.get(recording, (-1, 0))
        assert (table.segment[i], table.row_in_segment[i]) == (number, row)


def test_a_snapshot_has_one_table_and_another_snapshot_its_own():
    first, second = segment_of(["a"]), segment_of(["b"])
    table = recording_table([first, second])
    assert recording_table((first, second)) is table
    assert recording_table([first]).recordings == (Recording("a", 1),)
    assert recording_table([first, second]).recordings == table.recordings
    assert recording_table([]).recordings == ()
    assert np.array_equal(recording_table([second, first]).segment, [1, 0])


def test_the_table_does_not_keep_segments_in_memory():
    segments = [segment_of(["a"]), segment_of(["b"])]
    kept = [ref(one) for one in (*segments, recording_table(segments))]
    del segments
    gc.collect()
    assert [one() for one in kept] == [None] * 3
