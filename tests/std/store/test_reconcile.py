"""Two versions of a manifest become one: nothing is lost that nobody deleted."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from std.errors import StoreError
from std.metadata.table import of_rows
from std.store.columns import IndexedRecording
from std.store.manifest import Manifest, SegmentEntry, manifest_after_commit, metadata_after_commit
from std.store.reconcile import IndexState, live_files, reconcile
from std.store.versions import (
    Version,
    Versions,
    versions_after,
    versions_from_json,
    versions_to_json,
)
from std.text import Normalisation
from std.values import Recording

PLAIN = Normalisation()
FILES = "abcdef"


def segment(files: str, version: int = 0) -> SegmentEntry:
    """A segment of some files; another version is other speech under the same names."""
    digest = "".join(f"{ord(one):02x}" for one in files) + f"{version:02x}"
    recordings = tuple(IndexedRecording(Recording(one, 1), 1000 + version, 1) for one in files)
    return SegmentEntry(digest.rjust(32, "0"), recordings, 1, 1, 1)


EMPTY = IndexState(Manifest())


def after(index: IndexState, *commits: tuple) -> IndexState:
    """The index after some commits: (added, replaced, deleted files)."""
    for add, replaced, deleted in commits:
        ids = [one.id for one in replaced]
        manifest = manifest_after_commit(index.manifest, add, PLAIN, ids, deleted)
        versions = versions_after(index.versions, index.manifest, manifest, add, ids, deleted)
        index = IndexState(manifest, versions)
    return index


def merged(index: IndexState, salt: int = 0) -> IndexState:
    """All in one segment."""
    return after(index, ([segment(files(index), salt)], index.manifest.segments, ""))


def files(index: IndexState) -> str:
    return "".join(sorted(live_files(index.manifest.segments)))


def ids(index: IndexState) -> list[str]:
    return [one.id for one in index.manifest.segments]


def test_each_side_added_something():
    base = after(EMPTY, ([segment("ab")], [], ""))
    ours, other = (after(base, ([segment(file)], [], file)) for file in "cd")
    both = reconcile(ours, other, "here")
    assert ids(both.result) == [one.id for one in (segment("ab"), segment("c"), segment("d"))]
    assert both.added == {"d"}
    assert both[2:] == (frozenset(),) * 4


def test_one_side_indexed_a_file_again():
    """The newer stays, wherever it is."""
    ours = after(EMPTY, ([segment("ab")], [], ""))
    other = after(ours, ([segment("a", 1)], [], "a"))
    for one, another in ((ours, other), (other, ours)):
        both = reconcile(one, another, "here")
        assert {s.id: s.deleted for s in both.result.manifest.segments} == {
            segment("ab").id: {0},
            segment("a", 1).id: set(),
        }
        assert both.updated == (set() if one is other else {"a"})
        assert not both.indexed_twice
        assert not both.deleted


def test_both_sides_indexed_a_file_again():
    base = after(EMPTY, ([segment("ab")], [], ""))
    ours, other = (after(base, ([segment("a", version)], [], "a")) for version in (1, 2))
    both = reconcile(ours, other, "here")
    assert ids(both.result) == ids(ours)
    assert both.indexed_twice == {"a"}
    assert not both.added
    assert both.result.live()["a"] == (3, segment("a", 1).id)  # newer than either


def test_one_side_merged_what_both_had():
    base = after(EMPTY, ([segment("a")], [], ""), ([segment("b")], [], ""))
    added = after(base, ([segment("c")], [], ""))
    both = reconcile(merged(base), added, "here")
    assert ids(both.result) == [segment("ab").id, segment("c").id]
    assert both[1:] == (frozenset("c"), *(frozenset(),) * 4)
    assert files(reconcile(added, merged(base), "here").result) == "abc"


def test_one_side_deleted_a_file():
    base = after(EMPTY, ([segment("ab")], [], ""))
    deleted = after(base, ([], [], "a"))
    for one, another in ((base, deleted), (deleted, base)):
        both = reconcile(one, another, "here")
        assert files(both.result) == "b"
        assert both.deleted == {"a"}


def test_one_side_deleted_what_the_other_merged():
    base = after(EMPTY, ([segment("abc")], [], ""))
    deleted = after(base, ([], [], "a"))
    grown = merged(after(base, ([segment("d")], [], "d")))
    for one, another in ((grown, deleted), (deleted, grown), (merged(deleted, 5), grown)):
        both = reconcile(one, another, "here")
        assert files(both.result) == "bcd"
        assert both.deleted == {"a"}


def test_one_side_deleted_what_the_other_indexed_again():
    base = after(EMPTY, ([segment("ab")], [], ""))
    deleted = after(base, ([], [], "a"))
    for anew in (segment("a", 1), segment("ab")):  # other speech; the same
        again = after(base, ([anew], [], {one.recording.file for one in anew.recordings}))
        for one, another in ((again, deleted), (deleted, again)):
            both = reconcile(one, another, "here")
            assert files(both.result) == "ab"
            assert both.restored == {"a"}
            assert not both.deleted


def test_the_same_version_in_two_segments():
    """One of them is left out when they are reconciled. Nobody has deleted anything."""
    base = after(EMPTY, ([segment("a")], [], ""))
    sides = [merged(after(base, ([segment(file)], [], file))) for file in "bc"]
    first = reconcile(base, sides[0], "here").result
    second = reconcile(*sides, "here").result
    assert [len(one.manifest.segments) for one in (first, second)] == [2, 2]
    for one, other in ((first, second), (second, first)):
        both = reconcile(one, other, "here")
        assert files(both.result) == "abc"
        assert not both.deleted


def test_a_tombstone_is_of_one_version():
    """Deleted, indexed again, deleted: it does not reach what the other side indexed."""
    base = after(EMPTY, ([segment("a")], [], ""))
    deleted = after(base, ([], [], "a"), ([segment("a", 1)], [], "a"), ([], [], "a"))
    assert deleted.versions.deleted == {"a": (2, segment("a", 1).id)}
    again = after(base, ([segment("a", 2)], [], "a"))
    assert reconcile(deleted, again, "here").restored == {"a"}
    assert reconcile(deleted, base, "here").deleted == {"a"}
    assert reconcile(base, again, "here").updated == {"a"}


def test_an_index_from_before_there_were_versions():
    """What it says of deletions are the deleted rows of its segments; merging makes tombstones."""
    base = after(EMPTY, ([segment("abc")], [], ""))
    old = IndexState(after(base, ([], [], "a")).manifest)
    assert files(reconcile(base, old, "here").result) == "bc"
    new = merged(old)
    assert new.versions.deleted == {"a": (1, segment("abc").id)}
    assert files(reconcile(merged(base, 1), new, "here").result) == "bc"


def test_a_file_of_which_a_channel_goes():
    """A file is replaced as a whole."""
    one, other = (IndexedRecording(Recording("a", channel), 1000, 1) for channel in (1, 2))
    stereo = SegmentEntry("1" * 32, (one, other), 1, 1, 1)
    mono = SegmentEntry("2" * 32, (one,), 1, 1, 1)
    base = after(EMPTY, ([stereo], [], ""))
    moved = after(base, ([SegmentEntry("3" * 32, (one, other), 1, 1, 1)], [stereo], ""))
    both = reconcile(moved, after(base, ([mono], [], "a")), "here")
    assert ids(both.result) == [mono.id]


def test_a_file_whose_channels_are_in_several_segments():
    """A commit gives them one version: channels in two languages are one file."""
    left, right = (
        SegmentEntry(str(channel) * 32, (IndexedRecording(Recording("a", channel), 1, 1),), 1, 1, 1)
        for channel in (1, 2)
    )
    base = after(EMPTY, ([right, left], [], ""))
    (version,) = {one for some in (left, right) for one in base.versions.of(some)}
    assert version == Version(1, left.id)
    assert (
        versions_from_json(versions_to_json(base.versions, base.manifest), base.manifest, "here")
        == base.versions
    )
    for merged_one in (left, right):
        moved = SegmentEntry("3" * 32, merged_one.recordings, 1, 1, 1)
        other = after(base, ([moved], [merged_one], ""))
        assert set(other.versions.of(moved)) == {version}
        both = reconcile(after(base, ([segment("b")], [], "")), other, "here")
        again = reconcile(both.result, other, "here")
        assert again.result.live()["a"] == version  # nothing says that it was indexed again
        assert not {*both.updated, *both.indexed_twice, *again.updated, *again.deleted}
    gone = reconcile(after(base, ([], [], "a")), base, "here")
    assert files(gone.result) == ""


def test_an_empty_version_gives_way():
    full = after(EMPTY, ([segment("ab")], [], ""))
    assert reconcile(EMPTY, full, "here").result == full
    assert reconcile(full, EMPTY, "here").result == full


def test_versions_of_different_words():
    ours = IndexState(manifest_after_commit(Manifest(), [segment("a")], PLAIN))
    other = IndexState(
        manifest_after_commit(Manifest(), [segment("b")], Normalisation(case="keep"))
    )
    with pytest.raises(StoreError, match=r"here: expected text\.case = 'lower'"):
        reconcile(ours, other, "here")


commits = st.lists(
    st.one_of(
        st.tuples(st.just("index"), st.sampled_from(FILES), st.integers(0, 3)),
        st.tuples(st.just("delete"), st.sampled_from(FILES), st.just(0)),
        st.tuples(st.just("merge"), st.just(""), st.integers(0, 9)),
    ),
    max_size=6,
)


def play(index: IndexState, steps: list) -> IndexState:
    for what, file, version in steps:
        if what == "index":
            index = after(index, ([segment(file, version)], [], file))
        elif what == "delete":
            index = after(index, ([], [], file))
        elif files(index):
            index = merged(index, 10 + version)
    return index


@given(commits, commits, commits)
def test_nothing_is_lost_that_nobody_deleted(before, here, there):
    """Whatever both sides did since the split: commits as the indexer makes them."""
    base = play(EMPTY, before)
    ours, other = play(base, here), play(base, there)
    both = reconcile(ours, other, "here")
    held, result = set(files(ours) + files(other)), set(files(both.result))
    assert held - result == both.deleted
    deleted = {file for what, file, _ in here + there if what == "delete"}
    assert both.deleted <= deleted
    assert result == set(files(reconcile(other, ours, "here").result))
    rows = [
        one.recording
        for s in both.result.manifest.segments
        for row, one in enumerate(s.recordings)
        if row not in s.deleted
    ]
    assert len(rows) == len(set(rows)), "a recording counts twice"
    assert not both.result.versions.deleted.keys() & result
    again = reconcile(both.result, other, "here")
    assert again.result == both.result
    assert not again.added


@given(commits, commits, commits)
def test_what_was_deleted_stays_deleted(before, here, there):
    """A file that one side deleted and neither indexed again since is gone."""
    base = play(EMPTY, before)
    ours, other = play(base, here), play(base, there)
    result = set(files(reconcile(ours, other, "here").result))
    indexed = {file for what, file, _ in here + there if what == "index"}
    deleted = {file for what, file, _ in here + there if what == "delete"}
    assert not result & (deleted - indexed)
    added = {file for what, file, _ in here + there if what == "index"} - deleted
    assert added | (set(files(base)) - deleted) <= result


@given(commits, st.lists(commits, min_size=3, max_size=3), st.permutations(range(3)))
def test_three_sides_meet_in_any_order(before, since, order):
    """All come to the same; but where sides indexed a file independently and one deleted it again,
    the order in which they meet may decide whether it stays.
    """
    base = play(EMPTY, before)
    sides = [play(base, steps) for steps in since]
    first = reconcile(sides[order[0]], sides[order[1]], "here").result
    second = reconcile(sides[order[1]], sides[order[2]], "here").result
    outcomes = [
        set(files(reconcile(one, other, "here").result))
        for one, other in ((first, sides[order[2]]), (sides[order[0]], second), (first, second))
    ]
    done = {
        what: [{file for w, file, _ in steps if w == what} for steps in since]
        for what in ("index", "delete")
    }
    indexed, deleted = (set().union(*done[what]) for what in ("index", "delete"))
    rivals = {one for one in indexed if sum(one in some for some in done["index"]) > 1}
    for outcome in outcomes:
        assert outcome - rivals == outcomes[0] - rivals
        assert not outcome & (deleted - indexed)
        assert (indexed | set(files(base))) - deleted <= outcome


@given(commits, commits)
def test_versions_are_stored_and_read(before, after_that):
    index = play(play(EMPTY, before), after_that)
    text = versions_to_json(index.versions, index.manifest)
    assert versions_from_json(text, index.manifest, "here") == index.versions
    assert (text == "") == (index.versions == Versions())


def test_versions_that_a_stranger_wrote():
    index = merged(after(EMPTY, ([segment("a")], [], ""), ([segment("b")], [], "")))
    text = versions_to_json(index.versions, index.manifest)
    for bad in ("[]", "{}", text.replace("1", "2", 1), text[:-1]):
        with pytest.raises(StoreError, match="here: expected"):
            versions_from_json(bad, index.manifest, "here")
    with pytest.raises(StoreError, match="versions of other recordings"):
        versions_from_json(text, Manifest(), "here")
    bad = Versions(deleted={"a": Version(1, "../x")})
    with pytest.raises(StoreError, match=r"version 1 of segment '\.\./x'"):
        versions_from_json(versions_to_json(bad, Manifest()), Manifest(), "here")


def test_metadata_of_live_recordings_are_reconciled():
    def described(index: IndexState, rows: dict) -> IndexState:
        table = metadata_after_commit(index.metadata, of_rows(rows), index.manifest)
        return index._replace(manifest=replace(index.manifest, metadata=table.id), metadata=table)

    base = described(after(EMPTY, ([segment("abc")], [], "")), {file: {"x": "0"} for file in "abc"})
    ours = described(base, {"a": {"x": "1"}})
    ours = described(ours, {"a": {"x": "2"}})
    gone = after(base, ([], [], "c"))
    other = described(gone._replace(metadata=base.metadata), {"a": {"x": "9"}, "b": {"x": "9"}})
    for one, two in ((ours, other), (other, ours)):
        result = reconcile(one, two, "here").result
        table = result.metadata
        assert {file: table.values(file) for file in table.files} == {
            "a": {"x": "2"},  # changed more often
            "b": {"x": "9"},
        }
        assert result.manifest.metadata == table.id


def test_what_an_index_notes_of_a_recording_is_that_of_the_version_that_stays():
    """Corrections are of certain words, whoever changed the title more often."""

    def described(index: IndexState, rows: dict) -> IndexState:
        table = metadata_after_commit(index.metadata, of_rows(rows), index.manifest)
        return index._replace(manifest=replace(index.manifest, metadata=table.id), metadata=table)

    base = described(after(EMPTY, ([segment("ab")], [], "")), {"a": {"x": "0"}})
    corrected = after(base, ([segment("a", 1)], [], "a"))._replace(metadata=base.metadata)
    corrected = described(corrected, {"a": {"x": "0", "std:corrections": "[]"}})
    entitled = described(described(base, {"a": {"x": "1"}}), {"a": {"x": "2"}})
    expected = {"x": "2", "std:corrections": "[]"}
    for one, two in ((corrected, entitled), (entitled, corrected)):
        result = reconcile(one, two, "here").result
        assert result.metadata.values("a") == expected
        assert result.manifest.metadata == result.metadata.id
    undone = after(corrected, ([segment("a", 2)], [], "a"))._replace(metadata=base.metadata)
    often = described(described(corrected, {"a": {"x": "3"}}), {"a": {"x": "4", **expected}})
    for one, two in ((undone, often), (often, undone)):
        assert "std:corrections" not in reconcile(one, two, "here").result.metadata.values("a")
