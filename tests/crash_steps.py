"""Kill a writer at every step of its work; tests/std/store/test_crash.py runs it in a new process.

    python crash_steps.py folder|couchdb FOLDER|URL SCENARIO

Indexes are made in the folder, or in databases whose URLs begin with the given one; whoever calls
this removes what a failure leaves behind.

A step is a call that changes something on disk or on a server; a fork of this process does the
work and kills itself right before its n-th step, for every n until it comes to its end. (Right
after a step is right before the next one.) Each time the work is then done again, and the index
must equal that of an undisturbed run. Prints one JSON document: how many steps, what went wrong.
"""

import json
import os
import shutil
import signal
import sys
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from indexer.maintain import delete, upkeep
from indexer.segments.invert import invert
from std.metadata.table import of_rows
from std.store import Store, open_store
from std.store.couchdb import codec
from std.store.couchdb.database import Database
from std.store.couchdb.manifest import MANIFEST_ID, ManifestDocument, document_fields, read_winner
from std.store.couchdb.store import CouchDBStore
from std.store.manifest import manifest_after_commit
from std.text import Normalisation
from std.values import ConfusionNetwork, Recording

PLAIN = Normalisation()


def speech(file: str, seed: int):
    """A segment with one recording; another seed, other words."""
    n = 40
    words = tuple(f"w{(i * i + seed) % 17}" for i in range(n))
    spans = np.array([(100 * i, 100 * i + 100) for i in range(n)], np.int32)
    half = np.full(n, 0.5, np.float32)
    offsets = np.arange(n + 1, dtype=np.int32)
    recording = Recording(file, 1)
    return invert(
        [ConfusionNetwork(recording, file, 0, 100 * n, spans, half, offsets, words, half, spans)]
    )


def prepare(store: Store) -> None:
    with store.writing():
        store.commit([speech(file, 1) for file in "abc"], normalisation=PLAIN)


def index(store: Store) -> None:
    """Replace one file, add another, in two commits."""
    with store.writing():
        for file in "ad":
            store.commit([speech(file, 2)], normalisation=PLAIN, delete_files={file})


def forget(store: Store) -> None:
    with store.writing():
        if any(one.recording.file == "b" for s in store.segments() for one in s.recordings):
            delete(["b"], [store])


def merge(store: Store) -> None:
    upkeep([store], everything=True)


def index_in_parts(store: Store) -> None:
    """With a manifest that does not fit into its document."""
    codec.INLINE_BYTES, codec.PART_BYTES = 10, 300
    index(store)


def describe(store: Store) -> None:
    """Metadata of recordings, alone and with a recording."""
    with store.writing():
        store.commit(normalisation=PLAIN, metadata=of_rows({"a": {"title": "A"}, "b": {"x": "B"}}))
        store.commit([speech("d", 2)], normalisation=PLAIN, metadata=of_rows({"d": {"x": "D"}}))


SCENARIOS: dict[str, Callable[[Store], None]] = {
    "index": index,
    "delete": forget,
    "merge": merge,
    "heal": index,
    "parts": index_in_parts,
    "metadata": describe,
}


def leave_another_version(store: Store) -> None:
    """Play a split cluster: a second manifest document, with one more segment."""
    assert isinstance(store, CouchDBStore)
    database = store._database
    head = read_winner(database)
    manifest = head.manifest
    other = manifest_after_commit(manifest, [store._write(speech("z", 3), manifest)], PLAIN)
    start = str(head.revision).partition("-")[0]
    revisions = {"start": int(start), "ids": ["0" * 32, *["1" * 32] * (int(start) - 1)]}
    version = document_fields(ManifestDocument(manifest=other)) | {
        "_id": MANIFEST_ID,
        "_rev": f"{start}-{'0' * 32}",
        "_revisions": revisions,
    }
    database.post("_bulk_docs", {"docs": [version], "new_edits": False})


class Steps:
    """Counts the calls of some functions and kills this process at one of them."""

    def __init__(self, fatal: int) -> None:
        self._left = fatal

    def watch(self, owner: object, name: str) -> None:
        real = getattr(owner, name)

        def watched(*arguments, **options):
            if not only_reads(arguments):
                self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **options)

        setattr(owner, name, watched)


def only_reads(arguments: tuple) -> bool:
    """Whether this is a request to CouchDB that changes nothing."""
    if not isinstance(arguments[0], Database):
        return False
    method, path = arguments[1:3]
    return method == "GET" or path == ("_all_docs",)


WATCHED = {
    "folder": [
        *((os, name) for name in ("fsync", "unlink", "rmdir", "mkdir", "replace", "fchmod")),
        (np, "save"),
    ],
    "couchdb": [(Database, "_once")],
}


def in_fork(work: Callable[[], None]) -> int:
    """Exit status of a fork that does something; negative if a signal ended it."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
            os._exit(0)
        except BaseException as error:  # into the report, not into pytest's streams
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def work(url: str, scenario: str, kind: str, fatal: int) -> None:
    """Do the work; with ``fatal``, until that step."""
    if fatal:
        steps = Steps(fatal)
        for owner, name in WATCHED[kind]:
            steps.watch(owner, name)
    store = open_store(url, create=True)
    SCENARIOS[scenario](store)
    store.close()


def state(url: str) -> dict[str, Any]:
    """What an index is: of a folder all bytes, of a database all segments."""
    store = open_store(url)
    found: dict[str, Any] = {
        segment.id: (segment.columns().digest(), sorted(segment.deleted))
        for segment in store.segments()
    }
    found["metadata"] = store.metadata().text
    found |= {"damage": list(store.damage()), "order": [one.id for one in store.segments()]}
    store.close()
    if "://" not in url:
        files = [path for path in sorted(Path(url).rglob("*")) if path.is_file()]
        found |= {str(path.relative_to(url)): path.read_bytes().hex() for path in files}
    return found


def fresh(kind: str, where: str, scenario: str, template: str | None = None) -> str:
    """The URL of a new index of three segments."""
    url = f"{where}{'/' if kind == 'folder' else '-'}{uuid.uuid4().hex[:12]}"
    if kind == "folder" and template:
        shutil.copytree(template, url)
    else:
        store = open_store(url, create=True)
        prepare(store)
        if scenario == "heal":
            leave_another_version(store)
        store.close()
    return url


def drop(kind: str, url: str) -> None:
    if kind == "folder":
        shutil.rmtree(url)
    else:
        database = Database(url)
        database._request("DELETE", (), None, {})
        database.close()


def main(kind: str, where: str, scenario: str) -> int:
    os.fsync = lambda _: None  # a step like the others, but a killed process is no power cut
    template = fresh(kind, where, scenario) if kind == "folder" else None
    clean = fresh(kind, where, scenario, template)
    assert in_fork(partial(work, clean, scenario, kind, 0)) == 0
    expected = state(clean)
    untouched = fresh(kind, where, scenario, template)
    before = state(untouched)
    drop(kind, untouched)
    wrong, fatal, status = [], 0, -signal.SIGKILL
    while status != 0:
        fatal += 1
        url = fresh(kind, where, scenario, template)
        status = in_fork(partial(work, url, scenario, kind, fatal))
        if status not in (0, -signal.SIGKILL):
            wrong.append(f"step {fatal}: ended with {status}")
            break
        damage = [line for line in state(url)["damage"] if "another version" not in line]
        if damage:
            wrong.append(f"step {fatal}: a killed writer left damage: {damage}")
        if in_fork(partial(work, url, scenario, kind, 0)) != 0:
            wrong.append(f"step {fatal}: cannot be done again")
        elif state(url) != expected:
            wrong.append(f"step {fatal}: another index than without the kill")
        drop(kind, url)
    drop(kind, clean)
    outcome = {"steps": fatal - 1, "changed": before != expected, "wrong": wrong}
    sys.stdout.write(json.dumps(outcome))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
