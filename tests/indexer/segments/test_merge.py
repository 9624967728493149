"""Merging equals inverting everything at once; the tiers keep segments few and rewrites rare."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.maintain import FAN_IN, LARGEST_SEGMENT, SMALLEST_TIER, plan, plan_all
from indexer.segments.invert import invert
from indexer.segments.merge import merged
from std.store.columns import SegmentColumns
from std.store.resident import ResidentSegment
from std.values import ConfusionNetwork, Recording

WORDS = ["a", "b", "ä", "zug", "polizei", "𝄞"]


def network(file: str, channel: int, start_ms: int, slots: list[list[int]]) -> ConfusionNetwork:
    """An utterance with slots of 100 ms; each slot lists the words that compete in it."""
    n = len(slots)
    slot_spans = np.array([(start_ms + 100 * i, start_ms + 100 * i + 100) for i in range(n)])
    words = [WORDS[w] for slot in slots for w in slot]
    width = [len(slot) for slot in slots]
    return ConfusionNetwork(
        recording=Recording(file, channel),
        utterance=f"{file}-{start_ms}",
        start_ms=start_ms,
        end_ms=start_ms + 100 * n,
        slot_spans_ms=slot_spans.reshape(n, 2).astype(np.int32),
        epsilons=np.full(n, 0.1, np.float32),
        offsets=np.cumsum([0, *width]).astype(np.int32),
        words=tuple(words),
        posteriors=np.array([0.9 / k for k in width for _ in range(k)], np.float32),
        spans_ms=np.repeat(slot_spans.reshape(n, 2), width, axis=0).astype(np.int32),
    )


slot = st.lists(st.integers(0, len(WORDS) - 1), min_size=0, max_size=3, unique=True)
utterance = st.tuples(
    st.sampled_from(["x", "y", "z"]), st.integers(1, 2), st.lists(slot, min_size=1, max_size=4)
)


def networks_of(utterances: list[tuple[str, int, list[list[int]]]]) -> list[ConfusionNetwork]:
    """Utterances follow each other in time, so no two slots share their middle."""
    return [
        network(file, channel, 1000 * i, slots)
        for i, (file, channel, slots) in enumerate(utterances)
    ]


def assert_same(got: SegmentColumns, expected: SegmentColumns) -> None:
    assert got.recordings == expected.recordings
    for name, column in expected.arrays().items():
        np.testing.assert_array_equal(got.arrays()[name], column, err_msg=name, strict=True)
    assert got.digest() == expected.digest()


@pytest.fixture(params=[2, 10**6], ids=["small blocks", "one block"])
def block(request, monkeypatch):
    monkeypatch.setattr("indexer.segments.merged_postings.BLOCK_POSTINGS", request.param)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(utterance, max_size=8), st.lists(st.integers(0, 2), min_size=8, max_size=8))
def test_equals_inverting_at_once(block, utterances, home):
    networks = networks_of(utterances)
    parts = [
        ResidentSegment(None, invert(n for n, h in zip(networks, home, strict=False) if h == part))
        for part in range(3)
    ]
    assert_same(merged(parts), invert(networks))


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(utterance, max_size=8), st.sets(st.sampled_from(["x", "y", "z"])))
def test_deleted_recordings_leave(block, utterances, deleted):
    networks = networks_of(utterances)
    whole = invert(networks)
    dead = frozenset(i for i, r in enumerate(whole.recordings) if r.recording.file in deleted)
    living = invert(n for n in networks if n.recording.file not in deleted)
    assert_same(merged([ResidentSegment(None, whole, dead)]), living)


def test_ties_between_overlapping_segments_are_ordered_by_slot():
    """The same word at the same time in two slots of one recording, one slot per segment."""
    early = network("x", 1, 0, [[0]])
    late = network("x", 1, 0, [[0], [1]])
    parts = [ResidentSegment(None, invert([one])) for one in (late, early)]
    result = ResidentSegment(None, merged(parts)).postings(["a"])["a"]
    assert result.slot.tolist() == sorted(result.slot.tolist()) == [0, 1]


def test_extra_columns_are_rebuilt_or_dropped():
    part = ResidentSegment(None, invert([network("x", 1, 0, [[0, 1]])]))
    assert merged([part]).extra == {}

    def count(columns: SegmentColumns) -> dict[str, np.ndarray]:
        return {"n": np.array([len(columns.posting_start_ms)])}

    assert merged([part], count).extra["n"].tolist() == [2]


@pytest.mark.parametrize(
    ("sizes", "groups"),
    [
        ([], []),
        ([5] * (FAN_IN - 1), []),
        ([5] * FAN_IN, [list(range(FAN_IN))]),
        ([SMALLEST_TIER * 2, *[5] * FAN_IN], [list(range(1, FAN_IN + 1))]),
        ([SMALLEST_TIER * 2] * FAN_IN, [list(range(FAN_IN))]),
        ([SMALLEST_TIER * FAN_IN, *[SMALLEST_TIER] * (FAN_IN - 1)], []),
        ([LARGEST_SEGMENT // 4] * FAN_IN, [[0, 1, 2, 3], [4, 5, 6, 7]]),
        ([LARGEST_SEGMENT * 2 // 3] * FAN_IN, []),
    ],
)
def test_plan(sizes, groups):
    assert plan(sizes) == groups


@pytest.mark.parametrize(
    ("sizes", "stale", "groups"),
    [
        ([], [], []),
        ([5], [False], []),
        ([5], [True], [[0]]),
        ([5, 6, 7], [False] * 3, [[0, 1, 2]]),
        ([LARGEST_SEGMENT - 5, 6, 5], [False] * 3, [[0, 2]]),
        ([LARGEST_SEGMENT * 2, 1], [True, False], [[0]]),
    ],
)
def test_all_are_merged_as_far_as_they_fit(sizes, stale, groups):
    assert plan_all(sizes, stale) == groups


@given(st.lists(st.integers(1, 10**6), max_size=60))
def test_tiers_bound_segments_and_rewrites(sizes):
    """Adding one by one: at most FAN_IN - 1 segments a tier, a posting once rewritten per tier."""
    segments: list[int] = []
    rewritten = 0
    for size in sizes:
        segments.append(size)
        while groups := plan(segments):
            for rows in groups:
                rewritten += sum(segments[i] for i in rows)
            gone = {i for rows in groups for i in rows}
            segments = [s for i, s in enumerate(segments) if i not in gone] + [
                sum(segments[i] for i in rows) for rows in groups
            ]
    tiers = 1 + len([t for t in range(20) if SMALLEST_TIER * FAN_IN**t <= sum(sizes)])
    assert sum(segments) == sum(sizes)
    assert len(segments) <= (FAN_IN - 1) * tiers
    assert rewritten <= 2 * tiers * sum(sizes)
