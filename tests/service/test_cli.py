"""std-serve as a process: its address, how it ends, what it refuses."""

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from contextlib import ExitStack

import pytest

from service.cli import main
from service.server import bound_socket

COMMAND = [sys.executable, "-m", "service.cli"]


@pytest.fixture
def started(german_index):
    """Start std-serve with some options; all that were started are ended."""
    processes = []

    def start(*options):
        process = subprocess.Popen(
            [*COMMAND, "--store", german_index, "--port", "0", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        return process, process.stdout.readline().strip()

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def fetch(url):
    with urllib.request.urlopen(url, timeout=60) as answer:
        return answer.read()


def test_one_line_names_the_extra(german_index, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "fastapi", None)
    assert main(["--store", german_index, "--port", "0"]) == 2
    told = capsys.readouterr().err
    assert told.startswith(
        "std-serve: expected the extra 'serve' (pip install 'spoken-terms[serve]'), got: "
    )
    assert told.count("\n") == 1


def test_it_prints_its_address_and_ends_with_ctrl_c(started):
    process, url = started()
    assert url.startswith("http://127.0.0.1:")
    assert b"Spoken terms" in fetch(url)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "15 recordings, 0 with audio" in errors
    assert "Traceback" not in errors


def test_sigterm_ends_it_with_status_0(started, tmp_path):
    log = tmp_path / "access.jsonl"
    process, url = started("--quiet", "--access-log", str(log), "--root-path", "/std")
    assert url.endswith("/std/")
    fetch(url.removesuffix("std/") + "healthz")
    process.send_signal(signal.SIGTERM)
    out, errors = process.communicate(timeout=120)
    assert (process.returncode, out, errors) == (0, "", "")
    assert '"path": "/healthz"' in log.read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--store", "nowhere"], "nowhere: expected an index (made by std-index)"),
        (["--audio", "nowhere"], "--audio nowhere: expected a folder"),
        (["--root-path", "std"], "--root-path: expected a path as /std, got 'std'"),
        (["--alerts-secret-file", os.devnull], "expected a token of at least 16 ASCII letters"),
        (["--alerts-url", "https://x"], "--alerts-url gets the new hits of --alerts"),
        (["--alerts-url", "file:///etc/passwd"], "--alerts-url: expected an address as https://"),
        (["--metadata", "nowhere.csv"], "nowhere.csv: expected a readable file"),
        (["--alerts", os.devnull], "expected at least one term, got none"),
        (["--host", "192.0.2.1", "--token-file", "token"], "Cannot assign requested address"),
    ],
)
def test_mistakes_are_one_line(german_index, tmp_path, monkeypatch, capsys, options, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "token").write_text("a-secret-of-enough-letters\n")
    store = [] if "--store" in options else ["--store", german_index]
    assert main([*store, "--port", "0", *options]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("std-serve: ")
    assert message in line


def test_a_taken_port(started, german_index, capsys):
    _, url = started("--quiet")
    port = url.removesuffix("/").rpartition(":")[2]
    assert main(["--store", german_index, "--port", port]) == 2
    assert "Address already in use" in capsys.readouterr().err


def test_an_answer_does_not_wait_for_an_acknowledgement():
    """Headers and body are two writes: without TCP_NODELAY every answer takes 40 ms."""
    with bound_socket("127.0.0.1", 0) as listener, ExitStack() as ends:
        ends.enter_context(socket.create_connection(listener.getsockname(), 60))
        accepted = ends.enter_context(listener.accept()[0])
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
