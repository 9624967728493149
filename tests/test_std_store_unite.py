"""Two versions of a manifest become one: nothing is lost that nobody deleted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from std.errors import StoreError
from std.store.columns import IndexedRecording
from std.store.manifest import Manifest, SegmentEntry, committed
from std.store.unite import live, united
from std.text import Normalisation
from std.values import Recording

PLAIN = Normalisation()
FILES = "abcdef"


def segment(files: str, version: int = 0) -> SegmentEntry:
    """A segment of some files; another version is other speech under the same names."""
    digest = "".join(f"{ord(one):02x}" for one in files) + f"{version:02x}"
    recordings = tuple(IndexedRecording(Recording(one, 1), 1000 + version, 1) for one in files)
    return SegmentEntry(digest.rjust(32, "0"), recordings, 1, 1, 1)


def after(manifest: Manifest, *commits: tuple) -> Manifest:
    """The manifest after some commits: (added, replaced, deleted files)."""
    for add, replaced, deleted in commits:
        manifest = committed(manifest, add, PLAIN, [one.id for one in replaced], deleted)
    return manifest


def files(manifest: Manifest) -> str:
    return "".join(sorted(one.file for one in live(manifest.segments)))


def test_each_side_added_something():
    base = after(Manifest(), ([segment("ab")], [], ""))
    ours, other = (after(base, ([segment(file)], [], file)) for file in "cd")
    both = united(ours, other, "here")
    assert [one.id for one in both.manifest.segments] == [
        one.id for one in (segment("ab"), segment("c"), segment("d"))
    ]
    assert {one.file for one in both.taken} == {"d"}
    assert not both.doubled
    assert not both.gone


def test_one_side_indexed_a_file_again():
    """Deletions in a segment that both have tell which side changed the file: the newer stays."""
    ours = after(Manifest(), ([segment("ab")], [], ""))
    other = after(ours, ([segment("a", 1)], [], "a"))
    for one, another in ((ours, other), (other, ours)):
        both = united(one, another, "here")
        assert {s.id: s.deleted for s in both.manifest.segments} == {
            segment("ab").id: {0},
            segment("a", 1).id: set(),
        }
        assert not both.doubled
        assert not both.gone


def test_both_sides_indexed_a_file_again():
    base = after(Manifest(), ([segment("ab")], [], ""))
    ours, other = (after(base, ([segment("a", version)], [], "a")) for version in (1, 2))
    both = united(ours, other, "here")
    assert [one.id for one in both.manifest.segments] == [one.id for one in ours.segments]
    assert {one.file for one in both.doubled} == {"a"}
    assert not both.taken


def test_one_side_merged_what_both_had():
    base = after(Manifest(), ([segment("a")], [], ""), ([segment("b")], [], ""))
    merged = after(base, ([segment("ab")], base.segments, ""))
    added = after(base, ([segment("c")], [], ""))
    assert [one.id for one in united(merged, added, "here").manifest.segments] == [
        segment("ab").id,
        segment("c").id,
    ]
    assert files(united(added, merged, "here").manifest) == "abc"


def test_one_side_deleted_a_file():
    base = after(Manifest(), ([segment("ab")], [], ""))
    deleted = after(base, ([], [], "a"))
    for one, another in ((base, deleted), (deleted, base)):
        both = united(one, another, "here")
        assert files(both.manifest) == "b"
        assert {one.file for one in both.gone} == {"a"}


def test_an_empty_version_gives_way():
    full = after(Manifest(), ([segment("ab")], [], ""))
    assert united(Manifest(), full, "here").manifest == full
    assert united(full, Manifest(), "here").manifest == full


def test_versions_of_different_words():
    ours = committed(Manifest(), [segment("a")], PLAIN)
    other = committed(Manifest(), [segment("b")], Normalisation(case="keep"))
    with pytest.raises(StoreError, match=r"here: expected text\.case = 'lower'"):
        united(ours, other, "here")


commits = st.lists(
    st.one_of(
        st.tuples(st.just("index"), st.sampled_from(FILES), st.integers(0, 3)),
        st.tuples(st.just("delete"), st.sampled_from(FILES), st.just(0)),
        st.tuples(st.just("merge"), st.just(""), st.integers(0, 9)),
    ),
    max_size=6,
)


def play(manifest: Manifest, steps: list) -> Manifest:
    for what, file, version in steps:
        if what == "index":
            manifest = after(manifest, ([segment(file, version)], [], file))
        elif what == "delete":
            manifest = after(manifest, ([], [], file))
        elif held := files(manifest):
            manifest = after(manifest, ([segment(held, 10 + version)], manifest.segments, ""))
    return manifest


@given(commits, commits, commits)
def test_nothing_is_lost_that_nobody_deleted(before, here, there):
    """Whatever both sides did since the split: commits as the indexer makes them."""
    base = play(Manifest(), before)
    ours, other = play(base, here), play(base, there)
    both = united(ours, other, "here")
    held, result = live(ours.segments) | live(other.segments), live(both.manifest.segments)
    assert held - result == both.gone
    deleted = {file for what, file, _ in here + there if what == "delete"}
    assert {one.file for one in both.gone} <= deleted
    assert result == live(united(other, ours, "here").manifest.segments)
    rows = [
        one.recording
        for s in both.manifest.segments
        for row, one in enumerate(s.recordings)
        if row not in s.deleted
    ]
    assert len(rows) == len(set(rows)), "a recording counts twice"
    again = united(both.manifest, other, "here")
    assert again.manifest == both.manifest
    assert not again.taken
