"""A folder is watched: only complete files, each once, until SIGTERM."""

import os
import signal
import subprocess
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest

from indexer import index_files, watch_folder
from indexer.index_report import IndexedInput
from indexer.watch import (
    BATCH_FILES,
    MAX_RETRY_S,
    MAX_TRIES,
    FileOutcome,
    Folder,
    Look,
    Watched,
    outcomes,
    watch,
)
from std.errors import ForeignFileError, InputError, StoreBusyError
from std.store import open_store
from std.values import Recording

A, B = Path("a"), Path("b")
OLD_S = 100.0  # the time of files that have not changed for long
NOW_S = 1000.0


def ready(watched, looks, now_s):
    return watched.ready({path: Look(*look) for path, look in looks.items()}, now_s)


def test_a_file_that_grows_is_not_ready():
    watched = Watched(settle_s=5)
    for second in range(10):
        assert ready(watched, {A: (second, NOW_S + second)}, NOW_S + second) == []
    done = {A: (10, NOW_S + 9)}
    assert ready(watched, done, NOW_S + 10) == []
    assert ready(watched, done, NOW_S + 13.9) == []
    assert ready(watched, done, NOW_S + 14) == [A]


def test_a_file_that_was_renamed_in_is_ready_at_once():
    assert ready(Watched(settle_s=5), {A: (3, OLD_S)}, NOW_S) == [A]


def test_a_clock_that_is_ahead_is_no_obstacle():
    watched = Watched(settle_s=5)
    future = {A: (3, NOW_S + 9999)}
    assert ready(watched, future, NOW_S) == []
    assert ready(watched, future, NOW_S + 5) == [A]


def test_each_version_of_a_file_is_indexed_once():
    watched = Watched(settle_s=5)
    looks = {A: (3, OLD_S), B: (3, OLD_S)}
    assert ready(watched, looks, NOW_S) == [A, B]
    watched.done(A)
    assert ready(watched, looks, NOW_S) == [B]
    watched.done(B)
    assert ready(watched, looks, NOW_S) == []
    assert ready(watched, {A: (4, OLD_S), B: (3, OLD_S)}, NOW_S) == [A]
    watched.done(A)
    assert ready(watched, {B: (3, OLD_S)}, NOW_S) == []
    assert ready(watched, {A: (4, OLD_S), B: (3, OLD_S)}, NOW_S) == [A], "it was gone"


def test_tries_are_bounded_and_come_later_each_time():
    watched, looks, now_s, waits = Watched(), {A: (3, OLD_S)}, NOW_S, []
    while ready(watched, looks, now_s):
        waits.append(watched.failed(A, now_s, may_give_up=True))
        assert ready(watched, looks, now_s + waits[-1] - 0.1) == []
        now_s += waits[-1]
    assert len(waits) == MAX_TRIES
    assert waits[-1] == 0
    assert all(later == 2 * wait for wait, later in pairwise(waits[:-1]))
    assert ready(watched, looks, now_s + 10**6) == []
    assert ready(watched, {A: (4, OLD_S)}, now_s) == [A]


def test_a_file_is_not_given_up_for_the_faults_of_others():
    watched, looks, now_s = Watched(), {A: (3, OLD_S)}, NOW_S
    for _ in range(3 * MAX_TRIES):
        assert ready(watched, looks, now_s) == [A]
        wait_s = watched.failed(A, now_s, may_give_up=False)
        assert 0 < wait_s <= MAX_RETRY_S
        now_s += wait_s


def test_a_batch_is_bounded():
    looks = {Path(f"{i:04}"): (1, OLD_S) for i in range(2 * BATCH_FILES)}
    assert ready(Watched(), looks, NOW_S) == sorted(looks)[:BATCH_FILES]
    large = dict.fromkeys((A, B), (150000000, OLD_S))
    assert ready(Watched(), large, NOW_S) == [A]


def test_what_may_be_an_input(tmp_path):
    for name in (
        "a.mesh",
        "sub/b.mesh",
        ".c.mesh",
        "d.mesh.part",
        "e.tmp",
        ".git/f",
        "g~",
        "index/h",
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    (tmp_path / "words.txt").write_text("x")  # goes with others' output
    os.mkfifo(tmp_path / "pipe")
    folder = Folder(tmp_path, [str(tmp_path / "index")])
    assert sorted(folder.looks()) == [tmp_path / "a.mesh", tmp_path / "sub" / "b.mesh"]


def test_outcomes_of_a_batch():
    utterances = {Recording("x", 1): 2, Recording("x", 2): 1, Recording("y", 1): 4}
    own = InputError(B, 3, "this", "that")
    other = InputError("words.txt", 0, "this", "that")
    found = list(outcomes([A, B, Path("c")], [IndexedInput(A, utterances)], [own, other]))
    assert found == [
        FileOutcome(A, "7 utterances of x, y, no word in it"),
        FileOutcome(B, "", own),
        FileOutcome(Path("c"), "", other),
    ]


def test_one_line_for_each_file(tmp_path):
    for name in "abc":
        (tmp_path / name).write_text("x")
    errors = iter([StoreBusyError("busy"), None])

    def index(batch):
        if error := next(errors):
            raise error
        yield FileOutcome(batch[0], "2 utterances of a")
        yield FileOutcome(batch[1], "", InputError(batch[1], 1, "this", "that"))
        yield FileOutcome(batch[2], "", ForeignFileError(batch[2], 0, "this", "a poem"))

    lines: list[str] = []
    clock = [10.0**10]

    def stopped(seconds):
        clock[0] += 400
        return len(lines) >= 4

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("indexer.watch.time.time", lambda: clock[0])
        n = watch(Folder(tmp_path), index, (), lines.append, stopped)
    assert n == 1
    assert lines == [
        "busy; tried again in 10 s",
        f"{tmp_path / 'a'}: 2 utterances of a",
        f"{tmp_path / 'b'}:1: expected this, got 'that'; tried again in 20 s",
        f"{tmp_path / 'c'}: skipped: a poem",
    ]


def test_a_folder_is_indexed_as_it_fills(german, tmp_path):
    folder, store = tmp_path / "in", str(tmp_path / "in" / "index")
    folder.mkdir()
    meshes = sorted((german / "mesh").glob("*.mesh"))[:3]
    (folder / meshes[0].name).write_bytes(meshes[0].read_bytes())
    index_files(folder / meshes[0].name, store)
    table = tmp_path / "recordings.csv"
    table.write_text(f"file,title\n{meshes[1].stem},one\n{meshes[2].stem},two\n")
    lines: list[str] = []
    stop = threading.Event()

    def fill():
        for mesh in meshes[1:]:
            (folder / "x.part").write_bytes(mesh.read_bytes())
            (folder / "x.part").rename(folder / mesh.name)
            while not any(mesh.name in line for line in lines):
                time.sleep(0.02)

    def stopped(seconds):
        late = time.monotonic() > deadline
        return stop.wait(min(seconds, 0.05)) or late or len(lines) >= 3

    deadline = time.monotonic() + 300
    writer = threading.Thread(target=fill, daemon=True)
    writer.start()
    n = watch_folder(
        folder, store, tell=lines.append, stopped=stopped, metadata=table, settle_s=0.1, poll_s=0.05
    )
    writer.join(60)
    assert n == 2
    assert lines == [
        f"{folder}: 1 file indexed already; indexed again when changed",
        f"{folder / meshes[1].name}: 20 utterances of {meshes[1].stem}",
        f"{folder / meshes[2].name}: 20 utterances of {meshes[2].stem}",
    ]
    opened = open_store(store)
    assert sum(len(segment.recordings) for segment in opened.segments()) == 3
    assert opened.metadata().values(meshes[2].stem) == {"title": "two"}


def test_changed_metadata_reach_what_is_indexed(german, tmp_path):
    folder, store = tmp_path / "in", str(tmp_path / "index")
    folder.mkdir()
    mesh = folder / "KERSTIN_00.mesh"
    mesh.write_bytes((german / "mesh" / mesh.name).read_bytes())
    table = tmp_path / "recordings.csv"
    table.write_text("file,title\nKERSTIN_00,one\n")
    index_files(mesh, store, metadata=table)
    lines: list[str] = []
    changes = iter([b"file,title\nKERSTIN_00,two\n", b"title\n", b"file,title\nKERSTIN_00,three\n"])
    deadline = time.monotonic() + 300

    def stopped(seconds):
        time.sleep(min(seconds, 0.05))
        if len(lines) > stopped.seen:  # the next change when the last one has been told
            stopped.seen = len(lines)
            table.write_bytes(next(changes, table.read_bytes()))
        return time.monotonic() > deadline or len(lines) >= 4

    stopped.seen = 0
    n = watch_folder(
        folder, store, tell=lines.append, stopped=stopped, metadata=table, settle_s=0.1, poll_s=0.05
    )
    assert n == 0
    assert lines[1] == f"{table}: metadata of 1 recording"
    assert lines[2].startswith(f"{table}:1: expected")
    assert lines[2].endswith("; tried again in 10 s")
    assert lines[3] == lines[1]
    assert open_store(store).metadata().values("KERSTIN_00") == {"title": "three"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_command_ends_when_told_to(german, tmp_path, number):
    folder, store = tmp_path / "in", tmp_path / "index"
    folder.mkdir()
    mesh = folder / "KERSTIN_00.mesh"
    mesh.write_bytes((german / "mesh" / mesh.name).read_bytes())
    os.utime(mesh, (OLD_S, OLD_S))
    code = "import sys; from indexer.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "--watch", str(folder), "--store", str(store)]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr is not None
            lines = [process.stderr.readline(), process.stderr.readline()]
            process.send_signal(number)
            _, rest = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 0, rest
    assert lines[0].startswith(f"watching {folder} -> {store}; ")
    assert lines[1] == f"std-index: {mesh}: 20 utterances of KERSTIN_00\n"
    assert rest == "stopped; 1 file indexed\n"
    assert list(open_store(str(store)).damage()) == []


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="expected a folder to watch"):
        watch_folder(tmp_path / "no", str(tmp_path / "i"), tell=print, stopped=lambda s: True)
    assert not (tmp_path / "i").exists()


def test_a_folder_that_goes(tmp_path):
    (tmp_path / "in").mkdir()

    def stopped(seconds):
        if (tmp_path / "in").exists():
            (tmp_path / "in").rmdir()
        return False

    with pytest.raises(InputError, match="expected the folder that is watched"):
        watch(Folder(tmp_path / "in"), list, (), print, stopped)
