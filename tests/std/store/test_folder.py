"""The folder store where it differs: damage on disk, disks in trouble, what outlives a writer."""

import errno
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.segments.invert import invert
from std.errors import StoreBusyError, StoreError, StoreWarning
from std.metadata.table import of_rows
from std.store import folder, open_store
from std.store.manifest import digest_of
from std.text import Normalisation

PLAIN = Normalisation()
WORDS = [chr(97 + i) for i in range(26)]


@pytest.fixture
def speech(network):
    def columns(number: int, slots: int = 30):
        letters = [[(WORDS[i * i % 26], 0.5), (WORDS[i % 26] + "ß", 0.25)] for i in range(slots)]
        return invert([network(*letters, file=f"file{number}")])

    return columns


@pytest.fixture
def index(tmp_path, speech) -> Path:
    """An index of two segments, one of them with a deleted recording and an extra column."""
    store = open_store(str(tmp_path / "index"), create=True)
    with store.writing():
        store.commit([speech(1), speech(2)], normalisation=PLAIN)
    return tmp_path / "index"


def read_everything(path: Path) -> list:
    """What a searcher can see, as values that compare."""
    seen = []
    for segment in open_store(str(path)).segments():
        words = segment.words()
        postings = segment.postings(words)
        seen.append((segment.id, words, segment.counts().tolist()))
        seen += [[column.tolist() for column in postings[word]] for word in sorted(postings)]
        seen.append([column.tolist() for column in segment.slots([0])[:3]])
    return seen


def damage(path: Path) -> list[str]:
    return list(open_store(str(path)).damage())


def files_of(path: Path) -> list[Path]:
    return sorted(one for one in path.rglob("*") if one.is_file() and one.name != "lock")


def test_a_sound_index_has_no_damage(index):
    assert damage(index) == []


def means(manifest: bytes):
    with suppress(ValueError):
        return json.loads(manifest)


flips = st.tuples(st.integers(0, 18), st.integers(0), st.integers(1, 255))


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(flips)
def test_a_flipped_byte(index, flip):
    """A reader finds what was committed, or an error, or what only reading everything shows;
    `damage` names the file.
    """
    which, where, bits = flip
    path = files_of(index)[which]
    whole = path.read_bytes()
    broken = bytearray(whole)
    broken[where % len(broken)] ^= bits
    path.write_bytes(broken)
    try:
        with suppress(StoreError):
            read_everything(index)
        if path.name == "manifest.json" and means(broken) == means(whole):
            assert damage(index) == []  # another blank
        elif path.name == "manifest.json":
            with pytest.raises(StoreError, match=r"manifest\.json"):
                damage(index)
        else:
            assert damage(index) == [
                f"{path}: expected the file that was committed, got another checksum"
            ]
    finally:
        path.write_bytes(whole)
    assert damage(index) == []


@settings(
    deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.integers(0, 18), st.integers(0))
def test_a_truncated_file(index, which, length):
    path = files_of(index)[which]
    whole = path.read_bytes()
    path.write_bytes(whole[: length % len(whole)])
    with pytest.raises(StoreError, match=r"manifest\.json|expected \d+ bytes, got \d+"):
        read_everything(index)
    path.write_bytes(whole)


def test_a_lost_file(index):
    path = files_of(index)[3]
    path.unlink()
    with pytest.raises(StoreError, match="expected a column of this index, got no file"):
        read_everything(index)
    assert damage(index) == [
        f"{path}: expected the file that was committed, got No such file or directory"
    ]


def test_damage_is_mended_by_indexing_again(index, speech):
    before = read_everything(index)
    path = files_of(index)[3]
    path.write_bytes(path.read_bytes()[::-1])
    store = open_store(str(index))
    with store.writing():
        store.commit([speech(1), speech(2)], normalisation=PLAIN)
    assert read_everything(index) == before
    assert damage(index) == []


def forged(index: Path, change) -> None:
    """Change the manifest as somebody would who knows how to compute its digest."""
    path = index / "manifest.json"
    document = json.loads(path.read_text())
    del document["digest"]
    change(document)
    path.write_text(json.dumps(document | {"digest": digest_of(document)}))


SEGMENT_LIES = [
    ("id", "../../../../etc"),
    ("id", 7),
    ("postings", -1),
    ("postings", "many"),
    ("recordings", [["x"]]),
    ("recordings", [[7, 1, 0, 0, False]]),
    ("recordings", [["x", True, 0, 0, False]]),
    ("recordings", [["x", 1, 10**400, 0, False]]),
    ("deleted", [1]),
    ("deleted", [-1]),
    ("files", None),
    ("files", []),
    ("files", {}),
    ("files", {"../../manifest": {}}),
    ("files", {"vocabulary": {}}),
]


@pytest.mark.parametrize(("key", "value"), SEGMENT_LIES, ids=str)
def test_a_forged_segment(index, key, value):
    forged(index, lambda document: document["segments"][0].update({key: value}))
    with pytest.raises(StoreError):
        read_everything(index)


def test_a_forged_normalisation(index):
    forged(index, lambda document: document["normalisation"].update(unicode_form="XXX"))
    with pytest.raises(StoreError, match=r"text\.unicode_form is 'XXX'"):
        open_store(str(index))


COLUMN_LIES = [
    ("dtype", "|O"),
    ("dtype", "nonsense"),
    ("dtype", "<f8"),
    ("shape", [10**12]),
    ("shape", [-1]),
    ("shape", [2**63]),
    ("shape", "x"),
    ("bytes", 0),
]


@pytest.mark.parametrize(("key", "value"), COLUMN_LIES, ids=str)
@pytest.mark.parametrize("column", ["vocabulary", "posting_start_ms"])
def test_a_forged_column(index, column, key, value):
    forged(index, lambda d: d["segments"][0]["files"][column].update({key: value}))
    with pytest.raises(StoreError):
        read_everything(index)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "7", "{}", "[" * 100_000, '{"format": "zip"}', '{"format": "std-index"}', "\x00"],
)
def test_what_is_no_manifest(index, text):
    (index / "manifest.json").write_text(text)
    with pytest.raises(StoreError, match=r"manifest\.json: expected"):
        open_store(str(index))


@pytest.mark.parametrize(
    ("version", "advice"),
    [(99, "99; a newer std made it"), (1, "1; index the recordings again"), ("3", "'3'; index")],
)
def test_another_version_says_what_to_do(index, version, advice):
    forged(index, lambda document: document.update(version=version))
    with pytest.raises(StoreError, match=f"expected index version 2 to 5, got {advice}"):
        open_store(str(index))


def test_columns_that_lie_are_not_followed(index, speech):
    """A writer with a fault, not a damaged disk: all checksums are right."""
    columns = speech(3)
    bad = {
        "posting_slot": columns.posting_slot + 1000,
        "slot_word": columns.slot_word + 1000,
        "slot_key": columns.slot_key + np.uint64(7 << 32),
        "vocabulary": np.full(len(columns.vocabulary), 255, np.uint8),
        "posting_posterior": np.full_like(columns.posting_posterior, np.inf),
    }
    for name, column in bad.items():
        store = open_store(str(index))
        with store.writing():
            live = [one.id for one in store.segments()]
            kept = {f: getattr(columns, f) for f in columns.__slots__}
            store.commit(
                [type(columns)(**kept | {name: column})], normalisation=PLAIN, replace=live
            )
        with pytest.raises(StoreError, match="segment"):
            read_everything(index)
        assert damage(index)


# --- disks in trouble --------------------------------------------------------------------------


class FailAt:
    """Replaces a function; its n-th call fails, the others do what they always do."""

    def __init__(self, real, n: int, error: OSError) -> None:
        self._real, self._left, self._error = real, n, error

    def __call__(self, *arguments, **options):
        self._left -= 1
        if self._left == 0:
            raise self._error
        return self._real(*arguments, **options)


TROUBLE = [OSError(errno.ENOSPC, "No space left on device"), OSError("12 requested and 3 written")]


@pytest.mark.parametrize("error", TROUBLE, ids=["no space", "short write"])
@pytest.mark.parametrize("n", [1, 2, 9])
@pytest.mark.parametrize("call", ["np.save", "os.fsync", "os.replace"])
def test_a_full_disk_loses_nothing(index, speech, monkeypatch, call, n, error):
    before = read_everything(index)
    store = open_store(str(index))
    owner = {"np": np, "os": os}[call.split(".")[0]]
    name = call.split(".")[1]
    n = min(n, 2) if name == "replace" else n  # of the segment, of the manifest
    with monkeypatch.context() as patch:
        failing = FailAt(getattr(owner, name), n, error)
        patch.setattr(owner, name, lambda *a, **k: failing(*a, **k))
        with (
            pytest.raises(StoreError, match=f"cannot write: {error.strerror or error}"),
            store.writing(),
        ):
            store.commit([speech(3)], normalisation=PLAIN)
    assert read_everything(index) == before
    left = {path.name for path in (index / "segments").iterdir()}
    assert left == {one.id for one in store.segments()}, "a full disk needs the room"
    with store.writing():
        store.commit([speech(3)], normalisation=PLAIN)
    assert len(store.segments()) == 3
    assert damage(index) == []


def test_files_may_not_grow(index):
    """A real limit of the system instead of an injected error."""
    before = read_everything(index)
    code = (
        "import resource, sys\n"
        "from std.errors import StoreError\n"
        "from std.store import open_store\n"
        "from std.text import Normalisation\n"
        "store = open_store(sys.argv[1])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "try:\n"
        "    with store.writing():\n"
        "        store.commit(normalisation=Normalisation(), delete_files=['file1'])\n"
        "except StoreError as error:\n"
        "    print(error)\n"
    )
    # -B: cut modules would stay in this checkout
    command = [sys.executable, "-B", "-c", code, str(index)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout == f"{index}: cannot write: File too large\n"
    assert read_everything(index) == before


def test_a_folder_that_is_read_only(index, monkeypatch):
    """As root nothing is read-only, so the error is injected."""
    store = open_store(str(index))
    with monkeypatch.context() as patch:
        denied = FailAt(None, 1, PermissionError(errno.EACCES, "Permission denied"))
        patch.setattr(folder.OwnFolder, "appending", denied)
        with pytest.raises(StoreError, match="cannot write: Permission denied"), store.writing():
            pytest.fail("written without the right to")
    assert len(read_everything(index)) > 2


def test_a_file_system_without_locks(index, monkeypatch):
    no_locks = FailAt(None, 1, OSError(errno.ENOLCK, "No locks available"))
    monkeypatch.setattr(folder.system, "lock", no_locks)
    with (
        pytest.raises(StoreError, match="cannot lock this folder: No locks available"),
        open_store(str(index)).writing(),
    ):
        pytest.fail("written without a lock")


def test_no_place_for_a_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="expected a folder for the index, got: Not a directory"):
        open_store(str(tmp_path / "file" / "index"), create=True)
    with pytest.raises(StoreError, match="expected a folder for the index"):
        open_store(str(tmp_path / "file"), create=True)


def test_the_lock_is_no_error_of_the_disk(index):
    one, other = open_store(str(index)), open_store(str(index))
    with one.writing(), pytest.raises(StoreBusyError), other.writing():
        pytest.fail("two writers")


def test_a_reader_that_meets_a_merge_reads_again(index, speech, monkeypatch):
    """The segment it is about to map has just been replaced."""
    reader, writer = open_store(str(index)), open_store(str(index))
    real, once = folder.map_segment, []
    live = [one.id for one in writer.segments()]

    def merge_first(root, one):
        if not once:
            once.append(one)
            with writer.writing():
                writer.commit([speech(4)], normalisation=PLAIN, replace=live)
        return real(root, one)

    monkeypatch.setattr(folder, "map_segment", merge_first)
    assert [one.id for one in reader.segments()] == [speech(4).digest()[:32]]


# --- folders that are not ours -------------------------------------------------------------------


def test_a_folder_of_somebody_else_is_left_alone(tmp_path):
    precious = tmp_path / "X" / "segments" / "precious"
    precious.mkdir(parents=True)
    with pytest.raises(StoreError, match="expected an empty folder or an index, got 'segments'"):
        open_store(str(tmp_path / "X"), create=True)
    assert precious.exists()


def test_only_our_own_leftovers_are_removed(index, speech):
    segments = index / "segments"
    ours = [segments / ("0" * 32), segments / ("1" * 32 + ".tmp")]
    for one in (*ours, segments / "notes"):
        one.mkdir()
    store = open_store(str(index))
    with store.writing():
        pass
    assert (segments / "notes").exists()
    assert not any(one.exists() for one in ours)


MINE = [
    "metadata/recordings.csv",
    "metadata/.hidden",
    "metadata/thesis.json",
    "metadata/" + "0" * 32 + ".csv",
    "metadata/notes/" + "0" * 32 + ".json",
    "segments/notes.txt",
    "segments/" + "0" * 32 + "/notes.txt",
    "segments/" + "0" * 32 + ".tmp/notes/" + "0" * 32 + ".npy",
    ".manifest.json.original",
    ".manifest.json.bak",
    "notes.csv",
]


@pytest.mark.parametrize("name", MINE)
def test_a_file_of_the_user_stays(index, speech, name):
    path = index / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mine")
    described(index, {"file1": {"title": "A"}})
    store = open_store(str(index))
    with store.writing():
        store.commit([speech(3)], normalisation=PLAIN, metadata=of_rows({"file1": {}}))
    assert path.read_text() == "mine"
    assert damage(index) == []


@pytest.fixture
def home(tmp_path) -> Path:
    """A folder of the user's, with names that an index uses."""
    home = tmp_path / "home"
    for name in ("0" * 32 + ".json", "0" * 32 + "/words.npy", ".profile", "manifest.json"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("mine")
    return home


def everything(folder: Path) -> dict:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


LINKS = [
    ("metadata", ""),
    ("segments", ""),
    ("segments/" + "0" * 32, ""),
    ("segments/" + "0" * 32, "0" * 32),
    ("segments/" + "1" * 32 + ".tmp", ""),
    ("lock", ".profile"),
    ("lock", "none"),
    ("manifest.json", ".profile"),
    ("manifest.json", "manifest.json"),
    ("metadata/" + "0" * 32 + ".json", ".profile"),
    (".manifest.json.01234567.tmp", ".profile"),
]


@pytest.mark.parametrize(("name", "target"), LINKS)
def test_no_link_leads_out_of_the_folder(index, home, speech, name, target):
    path = index / name
    path.parent.mkdir(exist_ok=True)
    if path.is_dir():
        path.rename(index.parent / "away")
    path.unlink(missing_ok=True)
    path.symlink_to(home / target)
    before = everything(home)
    with suppress(StoreError):
        store = open_store(str(index), create=True)
        with store.writing():
            store.commit([speech(3)], normalisation=PLAIN, metadata=of_rows({"file1": {"x": "A"}}))
    assert everything(home) == before


def test_a_link_is_named(index, home):
    (index / "lock").unlink()
    (index / "lock").symlink_to(home / ".profile")
    with pytest.raises(StoreError, match="cannot write: A link, which is not followed"):
        described(index, {"file1": {"x": "A"}})
    (path, *_) = (index / "segments").rglob("*.npy")
    path.rename(home / "column")
    path.symlink_to(home / "column")
    problem = f"{path}: expected the file that was committed, got A link, which is not followed"
    assert damage(index) == [problem]
    with pytest.raises(StoreError, match=f"{path}: A link, which is not followed"):
        read_everything(index)


@pytest.mark.parametrize("name", ["lock", "manifest.json", "metadata", "segments", "a column"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_pipe_or_a_folder_in_the_place_of_a_file(index, speech, name, make):
    """It keeps nobody waiting."""
    path = next((index / "segments").rglob("*.npy")) if name == "a column" else index / name
    if path.exists():
        path.rename(index.parent / "away")
    make(path)
    with suppress(StoreError):
        read_everything(index)
    with suppress(StoreError):
        store = open_store(str(index), create=True)
        list(store.damage())
        with store.writing():
            store.commit([speech(3)], normalisation=PLAIN, metadata=of_rows({"file1": {"x": "A"}}))


def test_hard_links_keep_what_they_had(index, speech, tmp_path):
    copy = tmp_path / "copy"
    for path in files_of(index):
        (copy / path.relative_to(index)).parent.mkdir(parents=True, exist_ok=True)
        os.link(path, copy / path.relative_to(index))
    before = everything(copy)
    store = open_store(str(index))
    with store.writing():
        store.commit([speech(3)], normalisation=PLAIN, replace=[s.id for s in store.segments()])
    assert everything(copy) == before
    assert damage(copy) == []


def test_a_manifest_keeps_its_permissions(index):
    (index / "manifest.json").chmod(0o660)
    described(index, {"file1": {"x": "A"}})
    assert (index / "manifest.json").stat().st_mode & 0o777 == 0o660


def test_the_index_itself_may_be_named_by_a_link(index, tmp_path):
    (tmp_path / "link").symlink_to(index)
    described(tmp_path / "link", {"file1": {"x": "A"}})
    assert damage(tmp_path / "link") == []


def described(index: Path, rows: dict) -> Path:
    """The file of the metadata of an index that gets them."""
    store = open_store(str(index))
    with store.writing():
        store.commit(normalisation=PLAIN, metadata=of_rows(rows))
    manifest = json.loads((index / "manifest.json").read_text())
    return index / "metadata" / f"{manifest.get('metadata')}.json"


def test_an_index_without_metadata_is_as_it_was(index):
    before = {path: path.read_bytes() for path in files_of(index)}
    described(index, {"file1": {"title": "A"}})
    assert json.loads((index / "manifest.json").read_text())["version"] == 5
    store = open_store(str(index))
    with store.writing():
        store.commit(normalisation=PLAIN, metadata=of_rows({"file1": {}}))
    assert {path: path.read_bytes() for path in files_of(index)} == before
    assert not (index / "metadata").exists()


def test_damaged_metadata_are_named_and_can_be_replaced(index):
    path = described(index, {"file1": {"title": "A"}, "file2": {"title": "B"}})
    path.write_bytes(path.read_bytes().replace(b"A", b"Z"))
    problem = f"{path}: expected the metadata that were committed, got other content"
    assert damage(index) == [problem]
    store = open_store(str(index))
    with pytest.raises(StoreError, match="expected the metadata"):
        store.metadata()
    assert len(store.segments()) == 2  # what needs no metadata can be read
    with store.writing(), pytest.raises(StoreError, match="expected the metadata"):
        store.commit(normalisation=PLAIN, delete_files=["file1"])
    with pytest.warns(StoreWarning, match="only the metadata given now are kept"):
        described(index, {"file1": {"title": "C"}})
    assert damage(index) == []
    metadata = open_store(str(index)).metadata()
    assert {file: metadata.values(file) for file in metadata.files} == {"file1": {"title": "C"}}


def test_a_reader_beside_a_writer_of_metadata(index, monkeypatch):
    described(index, {"file1": {"title": "A"}})
    reader = open_store(str(index))
    reads = folder.FolderStore._content

    def read_after_a_commit(store, *names: str) -> bytes:
        if names[0] == "metadata":
            monkeypatch.setattr(folder.FolderStore, "_content", reads)
            described(index, {"file1": {"title": "B"}})
        return reads(store, *names)

    monkeypatch.setattr(folder.FolderStore, "_content", read_after_a_commit)
    assert reader.metadata().values("file1") == {"title": "B"}


def test_missing_metadata_are_named(index):
    path = described(index, {"file1": {"title": "A"}})
    path.unlink()
    with pytest.raises(StoreError, match="expected metadata of this index, got no file"):
        open_store(str(index)).metadata()


def test_foreign_metadata_are_refused(index):
    manifest = json.loads((index / "manifest.json").read_text())
    manifest |= {"metadata": "../../etc"}
    del manifest["digest"]
    (index / "manifest.json").write_text(json.dumps(manifest | {"digest": digest_of(manifest)}))
    with pytest.raises(StoreError, match="expected a manifest"):
        open_store(str(index))


@pytest.mark.parametrize("before", ["", "a", "a/b/index"])
def test_a_writer_that_commits_nothing_leaves_nothing(tmp_path, before):
    """Neither its lock, nor the folders that were made for the index."""
    (tmp_path / before).mkdir(parents=True, exist_ok=True)
    there = sorted(tmp_path.rglob("*"))
    store = open_store(str(tmp_path / "a/b/index"), create=True)
    with store.writing():
        assert (tmp_path / "a/b/index/lock").exists()
    store.close()
    assert sorted(tmp_path.rglob("*")) == there


def test_a_failed_commit_leaves_nothing(tmp_path, speech, monkeypatch):
    monkeypatch.setattr(folder, "manifest_to_json", lambda manifest: 1 / 0)
    store = open_store(str(tmp_path / "index"), create=True)
    with pytest.raises(ZeroDivisionError), store.writing():
        store.commit([speech(1)], normalisation=PLAIN, metadata=of_rows({"file1": {"a": "b"}}))
    store.close()
    assert list(tmp_path.iterdir()) == []


def test_an_index_stays_after_a_writer_that_commits_nothing(index):
    before = read_everything(index)
    store = open_store(str(index), create=True)
    with pytest.raises(KeyError), store.writing():
        raise KeyError
    store.close()
    assert read_everything(index) == before


def test_a_lock_that_was_removed_is_not_taken(tmp_path, speech, monkeypatch):
    """Another writer removed the lock's file between its opening and its locking."""
    store, removed = open_store(str(tmp_path / "index"), create=True), []
    lock = folder.system.lock

    def removing(descriptor):
        if not removed:
            removed.append((tmp_path / "index" / "lock").unlink())
        lock(descriptor)

    monkeypatch.setattr(folder.system, "lock", removing)
    with store.writing():
        with pytest.raises(StoreBusyError), open_store(store.url, create=True).writing():
            pass
        store.commit([speech(1)], normalisation=PLAIN)
