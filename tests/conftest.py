"""Fixtures that several test files share."""

import base64
import fcntl
import gc
import importlib.util
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPSConnection
from itertools import groupby, islice
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import quote, urlsplit

import numpy as np
import pytest
from hypothesis import settings

from std.values import ConfusionNetwork, Recording

# No deadlines: machines are shared. CI tries the same examples every time; people try new ones.
settings.register_profile("people", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "people")

# Modules and tests stay until the end: Python need not look for garbage among them again and again.
gc.disable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each process its share of the slow modules first: in the end, none is left alone.

    pytest-xdist gives the n-th process the n-th part of all tests, and moves the last of them.
    """
    slow = [item for item in items if item.get_closest_marker("slow")]
    quick = iter([item for item in items if not item.get_closest_marker("slow")])
    modules = [list(module) for _, module in groupby(slow, lambda item: item.path)]
    modules.sort(key=lambda module: "site" not in module[0].path.parts)  # which take minutes
    left, processes = len(items), int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    items.clear()
    for n in range(processes):
        share = left // (processes - n)
        left -= share
        first = [item for module in modules[n::processes] for item in module]
        items += [*first, *islice(quick, max(0, share - len(first)))]
    items += quick


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


if sys.version_info < (3, 12):
    # slipcover lists frames. If Python looks for garbage meanwhile, it may wait for itself for ever
    # (https://github.com/python/cpython/issues/106883).
    _list_frames = sys._current_frames

    def _frames() -> dict[int, FrameType]:
        enabled = gc.isenabled()
        gc.disable()
        try:
            return _list_frames()
        finally:
            if enabled:
                gc.enable()

    sys._current_frames = _frames

    # When a line that was counted has run 50 times more, slipcover looks for the functions of all
    # modules, to take its probes out of them: .06 s, 16 s of 256 s in the tests of indexer and
    # scoring. Its option --threshold does not reach the processes of pytest-xdist.
    _plugin = sys.modules.get("slipcover.pytest_plugin")
    if _plugin is not None and _plugin._slipcover_instance is not None:
        _plugin._slipcover_instance.d_miss_threshold = 100_000


# A slot: its alternatives as (word, posterior), or (word, posterior, start_ms, end_ms) where an
# alternative's times differ from the slot's. Slots are 100 ms long unless spans are given.
NetworkMaker = Callable[..., ConfusionNetwork]


def build_network(
    *slots: Sequence[tuple],
    file: str = "news",
    channel: int = 1,
    utterance: str = "u1",
    start_ms: int = 0,
    spans_ms: Sequence[tuple[int, int]] | None = None,
) -> ConfusionNetwork:
    spans = spans_ms or [(start_ms + 100 * i, start_ms + 100 * (i + 1)) for i in range(len(slots))]
    flat = [(*one, *spans[i][len(one) - 2 :]) for i, slot in enumerate(slots) for one in slot]
    offsets = np.concatenate([[0], np.cumsum([len(slot) for slot in slots])])
    return ConfusionNetwork(
        Recording(file, channel),
        utterance,
        start_ms,
        max([end for _, end in spans], default=start_ms),
        np.array(spans, np.int32).reshape(-1, 2),
        np.array([max(0.0, 1 - sum(one[1] for one in slot)) for slot in slots], np.float32),
        offsets.astype(np.int32),
        tuple(one[0] for one in flat),
        np.array([one[1] for one in flat], np.float32),
        np.array([one[2:] for one in flat], np.int32).reshape(-1, 2),
    )


@pytest.fixture(scope="session")
def network() -> NetworkMaker:
    return build_network


@pytest.fixture(scope="session")
def german() -> Path:
    """The example that ships: real German networks with references."""
    return Path(__file__).parent.parent / "examples" / "german"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, driven by Playwright: the system's, or the one that STD_CHROMIUM names."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is missing: no page is tried in a browser"
    )
    chromium = os.environ.get("STD_CHROMIUM") or shutil.which("chromium") or shutil.which("chrome")
    if chromium is None:
        pytest.skip("Chromium is missing (Debian: apt install chromium): no page is tried in it")
    flags = [
        *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--mute-audio"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
        "--autoplay-policy=no-user-gesture-required",
    ]
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=chromium, args=flags)
        yield launched
        launched.close()


COUCHDB = Path(__file__).parent / "couchdb"


def a_free_port() -> int:
    """One below those that systems give out: it is still free when it is used."""
    while True:
        port = 10_000 + secrets.randbelow(20_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


@pytest.fixture
def free_port() -> int:
    """A port for a server that cannot choose its own."""
    return a_free_port()


class PouchServer:
    """pouchdb-server: speaks CouchDB's protocol, keeps its databases in a folder."""

    def __init__(self, folder: Path) -> None:
        self.port = a_free_port()
        self._folder = folder
        self.start()

    def start(self) -> None:
        command = [
            "node",
            str(COUCHDB / "node_modules/pouchdb-server/bin/pouchdb-server"),
            *("--host", "127.0.0.1", "--port", str(self.port), "--dir", str(self._folder)),
            "--no-stdout-logs",
        ]
        with (self._folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(command, cwd=self._folder, stdout=log, stderr=log)
        deadline = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", timeout=5):
                    return
            except OSError:
                assert self._process.poll() is None, (self._folder / "server.log").read_text()
                assert time.monotonic() < deadline, "pouchdb-server does not answer"
                time.sleep(0.05)

    def kill(self) -> None:
        """As a power cut would."""
        self._process.kill()
        self._process.wait()


def require_pouchdb() -> None:
    if shutil.which("node") is None:
        pytest.skip("node is missing: no CouchDB server to test against")
    if not (COUCHDB / "node_modules/pouchdb-server").is_dir():
        pytest.skip("pouchdb-server is missing: npm ci --prefix tests/couchdb --ignore-scripts")


@pytest.fixture(scope="session")
def pouchdb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PouchServer]:
    """A server of the test session, with its own folder; it dies with the session."""
    require_pouchdb()
    server = PouchServer(tmp_path_factory.mktemp("pouch db"))
    yield server
    server.kill()


@pytest.fixture
def own_pouchdb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PouchServer]:
    """A server of one test, which may kill it."""
    require_pouchdb()
    server = PouchServer(tmp_path_factory.mktemp("own pouch"))
    yield server
    server.kill()


@pytest.fixture
def couchdb_cluster() -> Iterator[Any]:
    """Three nodes that behave as Apache CouchDB's do (tests/couchdb/cluster.py)."""
    spec = importlib.util.spec_from_file_location("couchdb_cluster", COUCHDB / "cluster.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    cluster = module.Cluster()
    yield cluster
    cluster.close()


@pytest.fixture(scope="session")
def couchdb_server(request: pytest.FixtureRequest) -> tuple[str, str | None]:
    """``couchdb://[user@]host:port[/prefix]`` and the password; pouchdb-server's by default."""
    given = os.environ.get("STD_COUCHDB_URL")
    if given is None:
        return f"couchdb://127.0.0.1:{request.getfixturevalue('pouchdb').port}", None
    parts = urlsplit(given)
    scheme = "couchdbs" if parts.scheme in ("https", "couchdbs") else "couchdb"
    user = f"{parts.username}@" if parts.username else ""
    port = parts.port or (443 if parts.scheme == "https" else 5984)
    prefix = parts.path.rstrip("/")  # of a proxy before the server
    return f"{scheme}://{user}{parts.hostname}:{port}{prefix}", parts.password


@pytest.fixture
def couchdb_databases(
    couchdb_server: tuple[str, str | None], monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """The beginning of store URLs of databases; all that were made are dropped after the test.

    By name, whoever made them: a test that fails, or a process of its that hangs, leaves none.
    """
    server, password = couchdb_server
    if password is not None:
        monkeypatch.setenv("STD_COUCHDB_PASSWORD", password)
    name = f"std-test-{uuid.uuid4().hex[:12]}"
    yield f"{server}/{name}"
    for database in ask_couchdb(server, password, "GET", "_all_dbs"):
        if database.startswith(name):
            ask_couchdb(server, password, "DELETE", database)


@pytest.fixture
def couchdb_url(couchdb_databases: str) -> str:
    """The store URL of a database that does not exist yet; it is dropped after the test."""
    return f"{couchdb_databases}-0"


def ask_couchdb(server: str, password: str | None, method: str, path: str) -> Any:
    """What a server answers to its administrator."""
    parts = urlsplit(server)
    kind = HTTPSConnection if parts.scheme == "couchdbs" else HTTPConnection
    connection = kind(str(parts.hostname), parts.port, timeout=60)
    login = base64.b64encode(f"{parts.username}:{password}".encode()).decode()
    headers = {"Authorization": f"Basic {login}"} if parts.username else {}
    connection.request(method, f"{parts.path}/{quote(path, safe='')}", headers=headers)
    answer = json.load(connection.getresponse())
    connection.close()
    return answer


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Makes a folder that all processes of this run share, and must not change."""
    own = tmp_path_factory.getbasetemp()
    shared = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "shared"

    def made(name: str, make: Callable[[Path], object]) -> Path:
        folder, part = shared / name, shared / f"{name}.part"
        shared.mkdir(exist_ok=True)
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                shutil.rmtree(part, ignore_errors=True)
                part.mkdir()
                make(part)
                part.rename(folder)
        return folder

    return made


@pytest.fixture(scope="session")
def german_store(german: Path, made_once: Callable[..., Path]) -> str:
    """The index of the German example, as std-index makes it; tests do not change it."""
    from indexer import index_files

    return str(made_once("german", lambda new: index_files(german / "mesh", new / "i")) / "i")


@pytest.fixture(autouse=True)
def no_notices(monkeypatch):
    """A cold cache of numba and a slow machine must not change what a test sees on stderr."""
    monkeypatch.setattr("std.parser.announce", lambda command, *, quiet: None)
