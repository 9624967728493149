"""A running service over the German example, and a client of it."""

import json
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import pytest

pytest.importorskip("fastapi", reason="FastAPI is missing: pip install '.[serve]'")
pytest.importorskip("av", reason="PyAV is missing: pip install '.[serve]'")

from indexer import index_files
from searcher import open_index
from service.app import create_app
from service.server import Server, bound_socket, server_config
from service.settings import Settings
from service.state import Service

METADATA = """\
file,title,date,speaker
KERSTIN_00,Radio lesson 1,2019-03,Kerstin
KERSTIN_01,Radio lesson 2,2019-03,Kerstin
KERSTIN_12,"<b onmouseover=""document.title='broken'"">Lesson</b>",2019-04,Kerstin
"""


class Answer(NamedTuple):
    status: int
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


class Client:
    """A running service, and requests to it."""

    def __init__(self, url, service, lines):
        self.url, self.service, self.log = url, service, lines
        host, _, port = url.removeprefix("http://").partition(":")
        self.service_address = host, int(port)

    def __call__(self, path, *, method="GET", body=None, headers=None, **query):
        pairs = [
            (name.rstrip("_"), one)
            for name, value in query.items()
            for one in (value if isinstance(value, list) else [value])
        ]
        address = self.url + path + ("?" + urlencode(pairs) if pairs else "")
        content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        sent = {"Content-Type": "application/json"} if content is not None else {}
        request = urllib.request.Request(address, content, sent | (headers or {}), method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return Answer(answer.status, _lower(answer.headers), answer.read())
        except urllib.error.HTTPError as error:
            return Answer(error.code, _lower(error.headers), error.read())


def _lower(headers):
    return {name.lower(): value for name, value in headers.items()}


@contextmanager
def running(settings):
    """Serve in a thread of this process, on a free port of the loopback."""
    with bound_socket("127.0.0.1", 0) as listener:
        service, lines = Service(settings), []
        app = create_app(service, lines.append)
        server = Server(server_config(app, settings.root_path, settings.limits.connections))
        thread = threading.Thread(target=server.serve_on, args=(listener,), daemon=True)
        thread.start()
        deadline = time.monotonic() + 120
        while not server.started:
            assert thread.is_alive()
            assert time.monotonic() < deadline, "the service does not start"
            time.sleep(0.01)
        yield Client(f"http://127.0.0.1:{listener.getsockname()[1]}", service, lines)
        server.should_exit = True
        server.config.timeout_graceful_shutdown = 1
        thread.join(120)
        assert not thread.is_alive()


@pytest.fixture(scope="session")
def german_index(german, tmp_path_factory):
    """The index of the German example; tests do not change it."""
    store = str(tmp_path_factory.mktemp("served") / "index")
    index_files([str(german / "mesh")], store=store, ecf=str(german / "ecf.xml"))
    return store


@pytest.fixture(scope="module")
def index(german_index):
    """The same, opened by the searcher."""
    with open_index(german_index) as opened:
        yield opened


@pytest.fixture(scope="session")
def german_settings(german, german_index, tmp_path_factory):
    table = tmp_path_factory.mktemp("metadata") / "recordings.csv"
    table.write_text(METADATA)
    return Settings((german_index,), audio=german / "audio", metadata=table, poll_s=0.1)


@pytest.fixture(scope="session")
def serve():
    """Serve settings: a context manager that yields a client."""
    return running


@pytest.fixture(scope="module")
def client(german_settings):
    """A service over the German example with audio and metadata."""
    with running(german_settings) as one:
        yield one


@pytest.fixture
def changed(german_settings):
    """The settings with other values."""
    return lambda **values: replace(german_settings, **values)


@pytest.fixture(scope="session")
def audio(german) -> Path:
    return german / "audio"
