"""Two databases that replicate each other: what one side deletes is not undone by the other."""

import itertools
import warnings

import pytest

from indexer.cli import main as std_index
from indexer.segments.merge import merged
from indexer.store_cli import main as std_store
from std.errors import StoreError, StoreWarning
from std.metadata.table import of_rows
from std.store.couchdb import codec
from std.store.couchdb.bulk import stored_segment_ids
from std.store.couchdb.layout import Layout
from std.store.couchdb.manifest import MANIFEST_ID, read_winner
from std.text import Normalisation

PLAIN = Normalisation()
pytestmark = [pytest.mark.slow, pytest.mark.couchdb]


@pytest.fixture
def side(couchdb_databases, opened, speech, replicate):
    """Clients of databases A, B and C, and what they do."""

    class Side:
        def __init__(self, name: str) -> None:
            self.url = f"{couchdb_databases}-{name}"
            self.store = opened(self.url, layout=Layout())
            self.said: list[str] = []

        def write(self, work) -> None:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", StoreWarning)
                with self.store.writing():
                    work()
            self.said += [str(one.message) for one in caught]

        def index(self, *numbers: int, slots: int = 30) -> None:
            """Each file a separate segment."""

            def work() -> None:
                for number in numbers:
                    self.store.commit(
                        [speech(number, slots)],
                        normalisation=PLAIN,
                        delete_files={f"file{number}"},
                    )

            self.write(work)

        def delete(self, number: int) -> None:
            def work() -> None:
                self.store.commit(normalisation=PLAIN, delete_files={f"file{number}"})

            self.write(work)

        def merge(self) -> None:
            def work() -> None:
                if segments := self.store.segments():
                    self.store.commit(
                        [merged(segments)],
                        normalisation=PLAIN,
                        replace=[one.id for one in segments],
                    )

            self.write(work)

        def meet(self, other: "Side") -> None:
            replicate.both_ways(self.url, other.url)

        @property
        def files(self) -> str:
            """Numbers of the files, and of slots if they were indexed with others than 30."""
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", StoreWarning)
                segments = self.store.segments()
            return " ".join(
                sorted(
                    one.recording.file[4:] + ("" if one.speech_ms == 3000 else f":{one.speech_ms}")
                    for segment in segments
                    for row, one in enumerate(segment.recordings)
                    if row not in segment.deleted
                )
            )

        @property
        def last(self) -> str:
            """What became of two versions, as it was said last."""
            return self.said[-1].partition("the two are one now: ")[2] if self.said else ""

    return Side


def test_a_deletion_survives_a_merge_on_the_other_side(side):
    a, b = side("a"), side("b")
    a.index(1, 2, 3)
    a.meet(b)
    a.delete(1)
    b.index(4)
    b.merge()
    a.meet(b)
    with pytest.warns(
        StoreWarning, match=r"deleted in one, hidden here: 1 recording \(file1\); the"
    ):
        side("a").store.segments()
    assert a.files == "2 3 4", "hidden at once"
    a.merge()
    assert a.files == "2 3 4"
    assert "deleted in one, gone: 1 recording (file1)" in a.last
    a.meet(b)
    b.merge()
    assert b.files == "2 3 4"


def test_the_commands(couchdb_databases, replicate, german, capsys):
    """As in the issue."""
    networks = sorted((german / "mesh").glob("KERSTIN_*"))[:4]
    assert len(networks) == 4
    a, b = f"{couchdb_databases}-a", f"{couchdb_databases}-b"
    gone = networks[0].name.split(".")[0]

    def index(*arguments: object) -> str:
        assert std_index([*map(str, arguments), "--quiet", "--jobs", "1"]) == 0
        return capsys.readouterr().err

    def store(*arguments: object) -> str:
        assert std_store([*map(str, arguments), "--quiet"]) == 0
        return capsys.readouterr().err

    index(*networks[:3], "--store", a)
    replicate(a, b)
    store("delete", a, gone)
    index(networks[3], "--store", b)
    store("merge", b)
    replicate.both_ways(a, b)
    said = store("merge", a)
    assert f"deleted in one, gone: 1 recording ({gone})" in said
    replicate.both_ways(a, b)
    for url in (a, b):
        store("merge", url)
        assert std_store(["delete", url, gone]) == 2
        assert gone in capsys.readouterr().err


WORK = {
    "delete": (lambda one: one.delete(1)),
    "delete, merge": (lambda one: (one.delete(1), one.merge())),
    "delete, index again": (lambda one: (one.delete(1), one.index(1, slots=20))),
    "delete twice": (lambda one: (one.delete(1), one.index(1, slots=50), one.delete(1))),
    "index again": (lambda one: one.index(1, slots=40)),
    "index again, merge": (lambda one: (one.index(1, slots=40), one.merge())),
    "index the same again": (lambda one: one.index(1)),
    "merge": (lambda one: (one.index(4), one.merge())),
    "nothing": (lambda one: None),
}
DELETES = ("delete", "delete, merge", "delete twice")


@pytest.mark.parametrize(
    ("here", "there"), list(itertools.product(WORK, ["delete", "merge", "index again"]))
)
def test_any_two(side, here, there):
    """Whatever each side does to a file: both come to say the same, and nothing returns."""
    a, b = side("a"), side("b")
    a.index(1, 2)
    a.meet(b)
    WORK[here](a)
    WORK[there](b)
    a.meet(b)
    for _ in range(2):
        a.index(9)
        a.meet(b)
        b.merge()
        a.meet(b)
        assert not read_winner(a.store._database).conflicts
    assert a.files == b.files
    assert list(a.store.damage()) == list(b.store.damage()) == []
    there_first = {one.partition(":")[0]: one for one in a.files.split()}
    assert set(there_first) - {"1"} == {"2", "9"} | ({"4"} if "merge" in (here, there) else set())
    done = {here, there}
    if done <= {"nothing", "merge"}:
        assert there_first["1"] == "1"
    elif "delete twice" in done:  # its deletion is of the newest version, but knows no rival
        again = done - {"nothing", "merge", *DELETES}
        assert ("1" in there_first) == bool(again)
    elif done <= {"nothing", "merge", *DELETES}:
        assert "1" not in there_first
    else:
        assert "1" in there_first
    a.delete(9)
    a.meet(b)
    b.merge()
    assert "9" not in b.files.split()


def test_three_sides(side):
    """One deletes, one merges, one does nothing; they meet in a ring."""
    a, b, c = side("a"), side("b"), side("c")
    a.index(1, 2)
    a.meet(b)
    b.meet(c)
    a.delete(1)
    b.index(3)
    b.merge()
    c.index(4)
    c.merge()
    for one, other in ((b, c), (c, a), (a, b), (b, c), (c, a)):
        one.meet(other)
        other.merge()
        one.meet(other)
    for one in (a, b, c):
        one.meet(a)
        a.merge()
        one.meet(a)
    assert a.files == b.files == c.files == "2 3 4"


def test_indexing_again_after_a_deletion(side):
    """An old tombstone does not delete the newer version, wherever it comes from."""
    a, b, c = side("a"), side("b"), side("c")
    a.index(1, 2)
    a.meet(b)
    a.meet(c)
    a.delete(1)
    c.delete(1)
    b.index(3)
    b.merge()
    a.meet(b)
    b.merge()
    b.index(1)
    b.merge()
    b.meet(c)
    c.merge()
    assert c.files == "1 2 3"
    assert "deleted in one, indexed again in the other, kept: 1 recording (file1)" in c.last
    c.meet(a)
    a.merge()
    assert a.files == "1 2 3"
    assert read_winner(a.store._database).versions.deleted == {}


def test_tombstones_go_when_the_file_returns(side):
    a = side("a")
    a.index(1, 2, 3)
    a.delete(1)
    a.delete(2)
    a.merge()
    assert set(read_winner(a.store._database).versions.deleted) == {"file1", "file2"}
    a.index(1)
    assert set(read_winner(a.store._database).versions.deleted) == {"file2"}
    document = a.store._database.get(MANIFEST_ID)
    assert len(document["versions"]) < 500


def test_an_index_without_history_stores_none(side):
    a = side("a")
    a.index(1, 2, 3)
    assert "versions" not in a.store._database.get(MANIFEST_ID)


def test_documents_that_come_before_their_manifest_stay(side, replicate):
    """A writer here does not remove them: the other side would lose them, too."""
    a, b = side("a"), side("b")
    a.index(1)
    a.meet(b)
    a.index(2)
    replicate(a.url, b.url, only=lambda name: name != MANIFEST_ID)
    b.index(3)
    a.meet(b)
    a.merge()
    a.meet(b)
    assert a.files == b.files == "1 2 3"
    assert list(a.store.damage()) == list(b.store.damage()) == []


@pytest.fixture
def in_parts(monkeypatch):
    monkeypatch.setattr(codec, "INLINE_BYTES", 10)
    monkeypatch.setattr(codec, "PART_BYTES", 400)


def test_a_deletion_with_a_manifest_in_parts(in_parts, side):
    test_a_deletion_survives_a_merge_on_the_other_side(side)


def test_parts_that_come_late(in_parts, side, replicate):
    """The manifest document is there before its parts: one clear line, then everything."""
    a, b = side("a"), side("b")
    a.index(1, 2)
    replicate(a.url, b.url, only=lambda name: "|m|" not in name)
    with pytest.raises(StoreError, match=r"\|m\|0, a part of the manifest, got none: it has not"):
        b.store.segments()
    with pytest.raises(StoreError, match="try again later"):
        b.index(3)
    replicate(a.url, b.url)
    b.index(3)
    assert b.files == "1 2 3"
    a.meet(b)
    a.index(4)
    held = stored_segment_ids(a.store._database)
    assert read_winner(a.store._database).stored.parts <= held


def test_metadata_of_both_sides_are_kept(side):
    def titles(one) -> dict:
        one.store.segments()
        metadata = one.store.metadata()
        return {file: metadata.values(file)["title"] for file in metadata.files}

    def describe(one, **titles: str) -> None:
        rows = of_rows({file: {"title": title} for file, title in titles.items()})
        one.write(lambda: one.store.commit(normalisation=PLAIN, metadata=rows))

    a, b = side("a"), side("b")
    a.index(1, 2, 3)
    describe(a, file1="one", file3="three")
    a.meet(b)
    describe(a, file1="one again")
    describe(b, file2="two")
    b.delete(3)
    a.meet(b)
    a.merge()
    a.meet(b)
    b.merge()
    assert titles(a) == titles(b) == {"file1": "one again", "file2": "two"}
