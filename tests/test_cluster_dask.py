"""A real Dask cluster of two workers, one of which is killed: nothing is lost, nothing differs."""

import contextlib
import functools
import os
import signal
import warnings
from pathlib import Path

import pytest

pytest.importorskip(
    "distributed", reason="the extra 'cluster' (Dask) is not installed: pip install distributed"
)

import indexer.cli
import searcher.cli
from std.cluster import executor
from std.errors import ConfigError

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


def kill_a_worker(cluster, at_file, monkeypatch):
    """Kill one of the workers when so many input files have been indexed."""
    import indexer.build

    count = indexer.build._count
    done = []

    def counted(result, report):
        done.append(result.path)
        if len(done) == at_file:
            process = next(iter(cluster.workers.values())).process.process
            os.kill(process.pid, signal.SIGKILL)
        count(result, report)

    monkeypatch.setattr(indexer.build, "_count", counted)
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
        assert searcher.cli.main([*batch, *output, *more]) == 0
    assert hits(tmp_path / "there") == hits(tmp_path / "here")
    assert len(hits(tmp_path / "here")) > 300


def test_shards_are_merged_by_workers(cluster, german, tmp_path):
    inputs = [str(path) for path in sorted((german / "mesh").iterdir())]
    shards = [f"--store={tmp_path}/shard{i}" for i in range(2)]
    scheduler = ["--scheduler", cluster.scheduler_address, "--quiet"]
    for some in (inputs[:8], inputs[8:]):
        assert indexer.cli.main([*some, *shards, *scheduler]) == 0
    assert indexer.cli.main([*shards, *scheduler, "--merge"]) == 0
    assert [len(list(Path(one[8:], "segments").iterdir())) for one in shards] == [1, 1]


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "http://127.0.0.1:1"])
def test_nobody_there_is_one_clear_line(address, monkeypatch):
    monkeypatch.setattr("std.cluster.CONNECT_S", 0.3)
    expected = f"expected a Dask scheduler at {address}"
    with pytest.raises(ConfigError, match=expected), executor(scheduler=address):
        pass
