"""A real Dask cluster of two workers, one of which is killed: nothing is lost, nothing differs."""

import contextlib
import functools
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import types
import warnings
import wave
from concurrent.futures import CancelledError
from pathlib import Path

import pytest

pytest.importorskip(
    "distributed", reason="the extra 'cluster' (Dask) is not installed: pip install distributed"
)

import indexer.cli
import recogniser.cli
import searcher.commands.search
import std.execution.dask
from indexer.store_cli import main as std_store
from recogniser.options import RecognitionOptions
from recogniser.processes import RecordingWork
from recogniser.recording import Task
from std.errors import ConfigError, InputError
from std.execution.processes import executor
from std.execution.stop import check_stop, stopped_by

ROOT = Path(__file__).parents[3]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # Dask's own, of closing sockets and event loops
]


@pytest.fixture(scope="module")
def cluster():
    """Workers with nannies, which start a killed one again."""
    from distributed import LocalCluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
        ) as running:
            yield running


def die_once(item, mark):
    """The first worker that gets the middle item dies with it."""
    if item == 10:
        with contextlib.suppress(FileExistsError):
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
            os.kill(os.getpid(), signal.SIGKILL)
    return item * item


def test_items_of_a_killed_worker_are_done_by_another(cluster, tmp_path):
    with executor(scheduler=cluster.scheduler_address) as workers:
        work = functools.partial(die_once, mark=str(tmp_path / "mark"))
        assert list(workers.map(work, range(20))) == [n * n for n in range(20)]
    assert (tmp_path / "mark").exists()


def wait_until_nobody_waits(item, mark):
    mark.with_suffix(".begun").touch()
    try:
        while True:
            check_stop()
            time.sleep(0.01)
    except CancelledError:
        mark.touch()
        raise


def test_work_for_which_nobody_waits_ends(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(std.execution.dask, "LOOK_S", 0.05)
    mark = tmp_path / "mark"

    def stop():
        if mark.with_suffix(".begun").exists():
            raise KeyboardInterrupt

    work = functools.partial(wait_until_nobody_waits, mark=mark)
    with (
        pytest.raises(KeyboardInterrupt),
        stopped_by(stop),
        executor(scheduler=cluster.scheduler_address) as workers,
    ):
        list(workers.map(work, [1]))
    ends_s = time.monotonic() + 10
    while not mark.exists() and time.monotonic() < ends_s:
        time.sleep(0.01)
    assert mark.exists()


def test_recordings_are_recognised_by_workers(cluster, tmp_path, monkeypatch):
    pytest.importorskip("pocketsphinx", reason="needs the extra 'pocketsphinx'")
    monkeypatch.chdir(tmp_path)
    Path("here").mkdir()
    work = RecordingWork(RecognitionOptions(backend="pocketsphinx"), gpu=0)
    for name in ("one", "two"):
        with wave.open(f"{name}.wav", "wb") as sink:
            sink.setparams((1, 2, 16_000, 0, "NONE", ""))
            sink.writeframes(bytes(16_000))
        work(Task(Path(f"{name}.wav"), name, Path("here")), lambda seconds: None, lambda: False)
    given = ["one.wav", "two.wav", "--backend", "pocketsphinx", "--quiet", "--output", "there"]
    assert recogniser.cli.main([*given, "--scheduler", cluster.scheduler_address]) == 0
    for path in Path("here").iterdir():
        assert path.read_bytes() == (Path("there") / path.name).read_bytes()


def test_a_large_task_is_sent_without_advice_to_programmers(cluster):
    with executor(scheduler=cluster.scheduler_address) as workers, warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(workers.map(len, [bytes(12_000_000)])) == [12_000_000]


def kill_a_worker(cluster, at_file, monkeypatch):
    """Kill one of the workers when so many input files have been indexed."""
    import indexer.build

    add = indexer.build._add
    done = []

    def added(result, shards):
        done.append(result.source.path)
        if len(done) == at_file:
            process = next(iter(cluster.workers.values())).process.process
            os.kill(process.pid, signal.SIGKILL)
        add(result, shards)

    monkeypatch.setattr(indexer.build, "_add", added)
    return done


def hits(path: Path) -> list[str]:
    """The hit list without its times."""
    return [line for line in path.read_text().splitlines() if "<term " in line]


def test_index_and_search_while_a_worker_dies(cluster, german, tmp_path, monkeypatch):
    inputs = [str(path) for path in sorted((german / "mesh").iterdir())]
    shards = [f"--store={tmp_path}/shard{i}" for i in range(3)]
    done = kill_a_worker(cluster, len(inputs) // 2, monkeypatch)
    scheduler = ["--scheduler", cluster.scheduler_address, "--quiet"]
    assert indexer.cli.main([*inputs, *shards, *scheduler]) == 0
    assert len(done) == len(inputs)
    monkeypatch.undo()
    assert indexer.cli.main([*inputs, "--store", f"{tmp_path}/whole", "--quiet"]) == 0

    batch = ["--terms", str(german / "terms.xml"), "--ecf", str(german / "ecf.xml"), "--quiet"]
    for name, more in [
        ("there", [*shards, *scheduler]),
        ("here", ["--store", f"{tmp_path}/whole"]),
    ]:
        output = ["--output", str(tmp_path / name)]
        assert searcher.commands.search.main([*batch, *output, *more]) == 0
    assert hits(tmp_path / "there") == hits(tmp_path / "here")
    assert len(hits(tmp_path / "here")) > 300


def at(shards):
    """The shards of std-index as std-store names them."""
    first, *rest = (one.removeprefix("--store=") for one in shards)
    return [first, *(f"--shard={url}" for url in rest)]


def test_shards_are_merged_by_workers(cluster, german, tmp_path):
    inputs = [str(path) for path in sorted((german / "mesh").iterdir())]
    shards = [f"--store={tmp_path}/shard{i}" for i in range(2)]
    scheduler = ["--scheduler", cluster.scheduler_address, "--quiet"]
    for some in (inputs[:8], inputs[8:]):
        assert indexer.cli.main([*some, *shards, *scheduler]) == 0
    assert std_store(["merge", *at(shards), *scheduler]) == 0
    assert [len(list(Path(one[8:], "segments").iterdir())) for one in shards] == [1, 1]


def wait_or_refuse(item, folder):
    """The first item waits until the test has its error, the second one is the error."""
    if item == 1:
        raise InputError("x", 7, "something else", "this")
    for _ in range(3000):  # at most 300 s
        if (folder / "refused").exists():
            return
        time.sleep(0.1)
    (folder / "waited").touch()


def test_an_error_does_not_wait_for_what_was_sent_before(cluster, tmp_path):
    with (
        pytest.raises(InputError, match="x:7"),
        executor(scheduler=cluster.scheduler_address) as workers,
    ):
        list(workers.map(functools.partial(wait_or_refuse, folder=tmp_path), range(2)))
    (tmp_path / "refused").touch()
    assert not (tmp_path / "waited").exists()


@pytest.fixture
def scheduler():
    """The address of a scheduler without workers."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=0, dashboard_address=None, host="127.0.0.1") as running:
        yield running.scheduler_address


@pytest.fixture
def start_worker(scheduler, tmp_path):
    """Start a worker of two threads as a user does: from another folder, with code from there."""
    started = []

    def start(code=ROOT):
        folder = tmp_path / "elsewhere"
        folder.mkdir(exist_ok=True)
        options = ["--nthreads=2", "--no-nanny", "--no-dashboard", f"--local-directory={folder}"]
        worker = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_worker", scheduler, *options],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(code)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        started.append(worker)
        return worker

    yield start
    for one in started:
        one.kill()
        one.wait()


@pytest.fixture
def wait_for_workers(scheduler):
    from distributed import Client

    def wait():
        with Client(scheduler, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=60)

    return wait


def changed(folder):
    for package in ("indexer", "searcher", "std"):
        shutil.copytree(  # other tests write into the folders of compiled modules meanwhile
            ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    with (folder / "indexer" / "segments" / "prune.py").open("a") as module:
        module.write("# changed\n")


def older(folder):
    """So old that it does not know how to compare itself."""
    (folder / "std").mkdir(parents=True)
    (folder / "std" / "__init__.py").touch()


@pytest.mark.parametrize(
    ("other", "got"),
    [
        (changed, r"got (?!\1)\S+ \(\w+\) at tcp://\S+:\d+"),
        (older, "got a worker without std.execution"),
    ],
)
def test_a_worker_with_other_code_refuses(
    other, got, scheduler, start_worker, wait_for_workers, german, tmp_path, capfd
):
    """It would make another index, and nobody would notice."""
    other(tmp_path / "code")
    start_worker(tmp_path / "code")
    wait_for_workers()
    store = f"{tmp_path}/store"
    capfd.readouterr()
    assert indexer.cli.main([str(german / "mesh"), "--store", store, "--scheduler", scheduler]) == 2
    (line,) = capfd.readouterr().err.splitlines()
    expected = r"std-index: --scheduler: expected workers with this version, (\S+ \(\w+\)), "
    assert re.fullmatch(f"{expected}{got}: install the same there .*", line)


def test_stores_are_the_same_for_workers_in_another_folder(
    scheduler, start_worker, wait_for_workers, german, tmp_path, monkeypatch
):
    start_worker()
    wait_for_workers()
    monkeypatch.chdir(tmp_path)
    inputs = [str(path) for path in sorted((german / "mesh").iterdir())]
    shards = ["--store=shard0", "--store=shard1", "--scheduler", scheduler, "--quiet"]
    for some in (inputs[:8], inputs[8:]):
        assert indexer.cli.main([*some, *shards]) == 0
    assert std_store(["merge", *at(shards[:2]), *shards[2:]]) == 0
    assert [len(list(Path(one, "segments").iterdir())) for one in ("shard0", "shard1")] == [1, 1]


def test_without_workers_it_says_so_once_and_waits(
    scheduler, start_worker, wait_for_workers, monkeypatch, capfd
):
    monkeypatch.setattr("std.execution.dask.LOOK_S", 0.1)
    first = start_worker()
    wait_for_workers()
    with executor(scheduler=scheduler) as workers:
        assert list(workers.map(abs, [-1, -2])) == [1, 2]
        first.kill()
        first.wait()
        capfd.readouterr()
        start_worker()  # this takes seconds
        assert list(workers.map(abs, [-3, -4])) == [3, 4]
    waiting = f"waiting: no worker is connected to {scheduler}"
    assert capfd.readouterr().err.splitlines() == [waiting]


class SlowFuture:
    """Done after a while; asking for its result with a time limit fails."""

    status = "pending"

    def add_done_callback(self, tell):
        threading.Timer(0.2, tell, [self]).start()

    def result(self):
        return "result"


class NoWorkers:
    def nthreads(self):
        return {}


def test_a_result_is_asked_for_when_it_is_there_and_without_a_time_limit(monkeypatch, capfd):
    monkeypatch.setattr("std.execution.dask.LOOK_S", 0.01)
    watch = std.execution.dask.Watch(NoWorkers(), "tcp://there:1")
    assert watch(SlowFuture(), []) == "result"
    assert capfd.readouterr().err == "waiting: no worker is connected to tcp://there:1\n"


def test_nobody_there_is_one_clear_line():
    """In a separate process: a traceback may come when it ends."""
    address = "tcp://127.0.0.1:1"
    script = (
        "import std.execution.dask\nfrom std.execution.processes import executor\n"
        "from std.command import run\n"
        "std.execution.dask.CONNECT_S = 0.3\n"
        f"raise SystemExit(run('x', lambda: executor(scheduler={address!r}).__enter__()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, stderr=subprocess.PIPE, text=True
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"x: --scheduler: expected a Dask scheduler at {address}, got: ")


@pytest.mark.parametrize("address", ["nonsense", "http://127.0.0.1:1", ""])
def test_what_is_no_address_is_told(address):
    form = f"--scheduler: expected an address as tcp://host:8786, got {address!r}"
    with pytest.raises(ConfigError, match=f"^{re.escape(form)}$"):
        executor(scheduler=address).__enter__()


@pytest.mark.parametrize(
    ("sent", "got"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "an answer that is no scheduler's"),
        (bytes(8), "an answer that is no scheduler's"),
        (
            b"\x18" + bytes(7) + b"\1" + bytes(7) + b"\5" + bytes(15),
            "an answer that is no schedule",
        ),
        (b"", "no answer in 0.2 s"),
    ],
    ids=["http", "nothing", "another protocol", "silent"],
)
def test_another_server_there_is_told(sent, got, monkeypatch, capfd):
    monkeypatch.setattr(std.execution.dask, "CONNECT_S", 0.2)
    monkeypatch.setattr(std.execution.dask, "LOOK_S", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as server, contextlib.ExitStack() as connections:

        def answer():
            with contextlib.suppress(OSError):
                connections.enter_context(server.accept()[0]).sendall(sent)

        threading.Thread(target=answer, daemon=True).start()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        expected = re.escape(f"--scheduler: expected a Dask scheduler at {address}, got: {got}")
        with pytest.raises(ConfigError, match=expected):
            executor(scheduler=address).__enter__()
    told = f"waiting up to 0.2 s: no scheduler answers at {address}\n"
    assert capfd.readouterr().err == ("" if sent else told)


def test_lost_workers_are_told_without_names_of_dask():
    from distributed import KilledWorker
    from distributed.client import FutureCancelledError

    watch = std.execution.dask.Watch(None, "tcp://there:1")
    killed = KilledWorker("index_file-508e", types.SimpleNamespace(address="tcp://here:2"), 3)
    assert watch.reason(killed).startswith("4 ended at the same piece of work, the last at tcp://h")
    gone = FutureCancelledError("index_file-508e", "scheduler-connection-lost")
    assert watch.reason(gone) == "the scheduler at tcp://there:1 ended, or was started again"
