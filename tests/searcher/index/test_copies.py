"""Which recordings hold the same speech, against the obvious twin: all pairs, all columns."""

from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from indexer.segments.invert import invert
from indexer.segments.merge import merged
from indexer.segments.phone_columns import phone_columns
from searcher.index.copies import (
    LEAST_TIMES,
    NO_COPIES,
    Copies,
    Suspects,
    common_copies,
    find_copies,
    live_counts,
    without_copies,
)
from std.nist.ecf import speech_s
from std.phonetics.lexicon import Lexicon
from std.store import vocabulary_counts
from std.store.columns import SLOT_ERROR
from std.store.resident import ResidentSegment
from std.values import Excerpt, Recording
from tests.conftest import build_network

SPEECH = [
    [("wir", 0.9), ("mir", 0.1)],
    [("gehen", 0.8)],
    [("heute", 0.7), ("häute", 0.2)],
    [("in", 0.6)],
    [("den", 0.5), ("denn", 0.4)],
    [("wald", 0.6)],
]
NEAR = [*SPEECH[:2], [("heute", 0.7), ("häute", 0.1)], *SPEECH[3:]]  # one posterior differs
OTHER_WORD = [*SPEECH[:5], [("feld", 0.6)]]
LATER = [(100 * i + (i == 3), 100 * (i + 1) + (i == 3)) for i in range(6)]  # one time differs

SPEECHES = {
    "speech": {"slots": SPEECH},
    "near": {"slots": NEAR},
    "word": {"slots": OTHER_WORD},
    "later": {"slots": SPEECH, "spans_ms": LATER},
    "short": {"slots": SPEECH[: LEAST_TIMES - 1]},
    "empty": {"slots": []},
}


def network_of(speech, file, channel=1):
    of = SPEECHES[speech]
    return build_network(*of["slots"], file=file, channel=channel, spans_ms=of.get("spans_ms"))


def segment_of(speeches, deleted=()):
    """A segment of recordings: what is said in each file."""
    columns = invert([network_of(speech, file) for file, speech in sorted(speeches.items())])
    rows = [i for i, one in enumerate(columns.recordings) if one.recording.file in deleted]
    return ResidentSegment(None, columns, frozenset(rows))


def content(segment, row):
    """All that a segment says of a recording, but its name."""
    columns, words = segment.columns(), segment.words()
    begin, end = columns.slot_offsets[row : row + 2].tolist()
    slots = [
        (int(columns.slot_key[i]) % 2**32, float(columns.slot_epsilon[i]),
         words[columns.slot_word[i]] if columns.slot_word[i] >= 0 else None)
        for i in range(begin, end)
    ]  # fmt: skip
    word_of = np.repeat(np.arange(len(words)), np.diff(columns.posting_offsets))
    alternatives = sorted(
        (columns.posting_slot[i] - begin, words[word_of[i]], int(columns.posting_start_ms[i]),
         int(columns.posting_duration_ms[i]), float(columns.posting_posterior[i]))
        for i in range(len(word_of)) if begin <= columns.posting_slot[i] < end
    )  # fmt: skip
    about = columns.recordings[row]
    return about.speech_ms, about.utterances, slots, alternatives


def slow_copies(segments):
    """All pairs of live recordings, by all columns."""
    live = {
        one.recording: content(segment, row)
        for segment in segments
        for row, one in enumerate(segment.recordings)
        if row not in segment.deleted
    }
    originals = {}
    for first, second in combinations(sorted(live), 2):
        if live[first] == live[second] and len(live[first][2]) >= LEAST_TIMES:
            originals.setdefault(second, first)
    return originals


FILES = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8, unique=True)


@given(FILES, st.data())
def test_copies_are_those_of_comparing_all_pairs(files, data):
    speeches = {file: data.draw(st.sampled_from(sorted(SPEECHES))) for file in files}
    place = {file: data.draw(st.integers(0, 2)) for file in files}
    deleted = data.draw(st.sets(st.sampled_from(files)))
    segments = [
        segment_of({file: speeches[file] for file in files if place[file] == number}, deleted)
        for number in sorted({*place.values()})
    ]
    expected = slow_copies(segments)
    assert find_copies(segments).originals == expected
    assert find_copies(segments[::-1]).originals == expected
    assert find_copies([ResidentSegment("one", merged(segments))]).originals == expected


def test_near_copies_are_none():
    for first, second in permutations(["speech", "near", "word", "later"], 2):
        assert not find_copies([segment_of({"a": first, "b": second})])
    assert find_copies([segment_of({"a": "near", "b": "near"})])


def test_short_and_empty_recordings_are_not_compared():
    same = dict.fromkeys("abc", "short") | dict.fromkeys("def", "empty")
    assert not find_copies([segment_of(same)])


def test_channels_of_one_file_may_be_copies():
    both = [network_of("speech", "call", channel) for channel in (2, 1)]
    found = find_copies([ResidentSegment("x", invert(both))])
    assert found.originals == {Recording("call", 2): Recording("call", 1)}


def test_the_next_name_is_searched_where_the_first_is_deleted():
    speeches = dict.fromkeys("abc", "speech")
    a, b, c = (Recording(file, 1) for file in "abc")
    assert find_copies([segment_of(speeches)]).originals == {b: a, c: a}
    assert find_copies([segment_of(speeches, {"a"})]).originals == {c: b}


class Letters:
    def __init__(self, name):
        self.name = name

    def pronounce(self, words):
        return [tuple(word) for word in words]


def test_recordings_that_are_pronounced_in_different_ways_are_no_copies():
    plain = [segment_of({file: "speech"}) for file in "abc"]
    of_a, of_b = (
        ResidentSegment(
            "x", replace(one.columns(), extra=phone_columns(one.columns(), Lexicon(Letters(name))))
        )
        for one, name in zip(plain, ("letters:de", "letters:nl"), strict=False)
    )
    assert not find_copies([of_a, of_b])
    assert not find_copies([of_a, plain[2]])
    likewise = replace(plain[1].columns(), extra=of_a.columns().extra)
    assert find_copies([of_a, ResidentSegment("x", likewise)])


def estimated(file, utterances, error_ms=0):
    """A recording whose times are estimated within its utterances, one second each."""
    networks = [
        build_network(*SPEECH, file=file, utterance=f"u{i}", start_ms=1000 * i)
        for i in range(utterances)
    ]
    columns = invert(networks)
    about = tuple(one._replace(times_estimated=True) for one in columns.recordings)
    errors = np.full(len(columns.slot_key), error_ms, np.uint32)
    return ResidentSegment(file, replace(columns, recordings=about, extra={SLOT_ERROR: errors}))


def test_estimated_times_tell_recordings_apart_by_their_utterances():
    assert find_copies([estimated("a", LEAST_TIMES), estimated("b", LEAST_TIMES)])
    assert not find_copies([estimated("a", LEAST_TIMES - 1), estimated("b", LEAST_TIMES - 1)])
    assert not find_copies([estimated("a", LEAST_TIMES), estimated("b", LEAST_TIMES, error_ms=9)])


def test_only_slots_of_recordings_that_may_be_copies_are_read(monkeypatch):
    read = []
    monkeypatch.setattr(
        ResidentSegment,
        "slots",
        lambda self, rows, slots=ResidentSegment.slots: read.append([*rows]) or slots(self, rows),
    )
    longer = build_network(*SPEECH, *SPEECH, file="c")
    speeches = [network_of("speech", "a"), network_of("near", "b"), longer]
    assert not find_copies([ResidentSegment("x", invert(speeches))])
    assert read == [[0, 1]]
    read.clear()
    assert not find_copies([ResidentSegment("x", invert(speeches[1:]))])
    assert read == []


def test_only_recordings_whose_outlines_agree_are_hashed_and_once(monkeypatch):
    """As long as each other, with the same number of slots at the same times."""
    hashed = []
    monkeypatch.setattr(
        Suspects,
        "digest",
        lambda self, i, digest=Suspects.digest: hashed.append(self.recorded[i]) or digest(self, i),
    )
    other = [[(word, posterior / 2) for word, posterior in slot] for slot in SPEECH]
    files = [network_of("speech", "a"), build_network(*other, file="b")]
    assert not find_copies([ResidentSegment("x", invert(files))])
    assert hashed == []
    both = segment_of({"a": "speech", "b": "speech"})
    assert len(find_copies([both])) == len(find_copies([both, segment_of({"c": "near"})])) == 1
    assert [one.recording.file for one in hashed] == ["a", "b"]


def test_segments_without_copies_are_the_same_objects():
    segments = [segment_of({"a": "speech", "c": "near"}), segment_of({"b": "speech"})]
    copies = find_copies(segments)
    first, second = without_copies(segments, copies)
    assert first is segments[0]
    assert second.deleted == {0}
    assert segments[1].deleted == set()
    assert without_copies(segments, NO_COPIES) == tuple(segments)


@given(st.integers(1, 3), st.sets(st.sampled_from(["near", "word", "short"])))
def test_words_are_counted_once_for_all_copies(times, others):
    once = segment_of({"a": "speech"} | {other: other for other in others})
    several = segment_of(
        {f"a{i}": "speech" for i in range(times)} | {other: other for other in others}
    )
    copies = find_copies([several])
    counts = live_counts(without_copies([several], copies))
    assert counts == vocabulary_counts([once])
    assert [*counts] == sorted(counts)
    apart = [segment_of({f"a{i}": "speech"}) for i in range(times)]
    copies = find_copies(apart)
    assert live_counts(without_copies(apart, copies)) == vocabulary_counts(apart[:1])


def test_seconds_of_excerpts_are_those_of_distinct_speech():
    a, b, c = (Recording(file, 1) for file in "abc")
    copies = Copies({b: a})
    excerpts = [Excerpt(b, 5.0, 10.0), Excerpt(a, 0.0, 10.0), Excerpt(c, 0.0, 1.0)]
    assert speech_s(copies.searched(excerpts)) == 16.0
    assert speech_s(copies.searched([*excerpts, *excerpts])) == 16.0
    assert NO_COPIES.searched(excerpts) is excerpts


def test_copies_of_several_recognisers_are_those_that_none_tells_apart():
    a, b, c, d, e = (Recording(file, 1) for file in "abcde")
    first, second = Copies({b: a, c: a, e: d}), Copies({c: b})
    every = {a, b, c, d, e}
    assert common_copies([every, every], [first, second]).originals == {c: b}
    assert common_copies([every, {a, b, c}], [first, second]).originals == {c: b, e: d}
    assert common_copies([every], [first]).originals == first.originals
