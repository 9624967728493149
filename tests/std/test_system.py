"""Windows, as far as POSIX can play it: nobody has run std there.

A separate process has none of what Windows lacks: modules, functions and flags are taken away,
folders cannot be opened, renaming replaces nothing, and locks are those of ``msvcrt``.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from std import own_folder
from std.own_folder import OwnFolder

ROOT = Path(__file__).parents[2]
WINDOWS = """
import asyncio, fcntl, importlib, os, pkgutil, sys, types

PACKAGES = ("std", "recogniser", "indexer", "searcher", "scoring", "service", "spoken_terms")

def every_module():
    for package in map(importlib.import_module, PACKAGES):
        for one in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not one.name.endswith("espeak_process"):  # a script
                importlib.import_module(one.name)

every_module()  # and what they import, which has its own ways on Windows
for name in [*sys.modules]:
    if name.split(".")[0] in PACKAGES:
        del sys.modules[name]
locking = []

def lock(descriptor, mode, size):
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, size, os.lseek(descriptor, 0, 1))
    except BlockingIOError as error:
        raise PermissionError(13, "Permission denied") from error
    locking.append(size)

sys.modules["msvcrt"] = types.SimpleNamespace(LK_NBLCK=2, locking=lock)
for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "uvloop"):
    sys.modules[name] = None
for name in (
    *("fork", "fchmod", "fchown", "pread", "pwrite", "getuid", "geteuid", "sysconf", "statvfs"),
    *("O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "mkfifo", "killpg", "uname"),
):
    delattr(os, name)
os.supports_dir_fd = os.supports_fd = frozenset()
really_open, really_rename = os.open, os.rename

def opened(path, *arguments, dir_fd=None, **options):
    if dir_fd is not None or os.path.isdir(path):
        raise PermissionError(13, "Permission denied", path)
    return really_open(path, *arguments, **options)

def rename(source, target):
    if os.path.exists(target):
        raise FileExistsError(17, "File exists", target)
    really_rename(source, target)

os.open, os.rename, sys.platform = opened, rename, "win32"
asyncio.ProactorEventLoop = asyncio.SelectorEventLoop
"""


def on_windows(code, *arguments):
    script = f"{WINDOWS}\nevery_module()\n{code}"
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_an_index_is_made_changed_searched_and_served_without_posix(tmp_path):
    made = """
from pathlib import Path
import spoken_terms as st
from indexer import correct_recording, delete_recordings, merge_segments, rename_recording
from recogniser.folder import opened as recording_folder

folder, store = sys.argv[1], sys.argv[1] + "/index"
for name, text in (("a", "Guten Morgen"), ("b", "Guten Abend")):
    with open(f"{folder}/{name}.srt", "w") as file:
        file.write(f"1\\n00:00:01,000 --> 00:00:03,000\\n{text}\\n")
    st.index(f"{folder}/{name}.srt", store, language="de")
correct_recording("a", store, words="Mittag", at_s=(2.0, 3.0))
rename_recording("b", "c", store)
merge_segments(store)
delete_recordings(["a"], store)
with recording_folder(Path(folder, "networks"), {}), st.open(store) as index:
    print(len(locking) > 5, [hit.file for hit in index.search("abend")])

import json, threading, time
from urllib.request import Request, urlopen
from service.app import create_app
from service.server import Server, bound_socket, server_config
from service.settings import Settings
from service.state import Service

settings = Settings((store,), feedback=Path(folder, "marks.jsonl"), jobs=2)
with bound_socket("127.0.0.1", 0) as listener:
    app = create_app(Service(settings), None)
    server = Server(server_config(app, "", settings.limits.connections))
    thread = threading.Thread(target=server.serve_on, args=(listener,))
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    address = f"http://127.0.0.1:{listener.getsockname()[1]}/api/search?term=abend"
    with urlopen(address, timeout=60) as answer:
        print([hit["file"] for hit in json.load(answer)["hits"]])
    server.should_exit = True
    thread.join()
"""
    assert on_windows(made, tmp_path) == "True ['c']\n['c']\n"


@pytest.fixture
def by_paths(monkeypatch):
    monkeypatch.setattr(own_folder, "RELATIVE", False)


def test_a_folder_without_openat_follows_no_link(by_paths, tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text("theirs")
    (tmp_path / "own" / "folder").symlink_to(tmp_path / "outside")
    (tmp_path / "own" / "link").symlink_to(tmp_path / "outside" / "file")
    with OwnFolder(tmp_path / "own") as folder:
        for refused in (
            lambda: folder.reading("link"),
            lambda: folder.appending("link"),
            lambda: folder.folder("folder"),
        ):
            with pytest.raises(OSError, match="A link, which is not followed"):
                refused()
        folder.remove("link")
        with folder.folder("new", create=True) as new, new.replacing("file") as stream:
            stream.write(b"ours")
        folder.remove_folder("new", lambda name: name == "file")
        assert folder.names() == ["folder", "link"]
        folder.writing("file").close()
        with pytest.raises(NotADirectoryError):
            folder.folder("file")
    assert (tmp_path / "outside" / "file").read_text() == "theirs"
