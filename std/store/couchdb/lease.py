"""The right to write to a CouchDB database, kept in its manifest document.

A server cannot know that a client died, so the right is a lease: it names its owner, ends by the
server's clock unless it is renewed, and may be taken over as soon as the owner is known to be
dead, which a process on the same machine can tell. Because lease and index are one document,
whoever takes a lease over changes the revision, and the former owner's commit is refused.
"""

import os
import socket
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

LEASE_S = 60.0
RENEWAL_S = LEASE_S / 3


def new_owner() -> dict[str, Any]:
    """This process, named so that others on this machine can see whether it lives."""
    pid = os.getpid()
    return {
        "token": uuid.uuid4().hex,
        "host": socket.gethostname(),
        "machine": _machine(),
        "pid": pid,
        "started": _started(pid),
    }


def owner_is_dead(owner: Mapping[str, Any]) -> bool:
    """Whether the owner is a process of this machine that ended; False where nobody can tell."""
    machine = _machine()
    if machine is None or owner.get("machine") != machine:
        return False
    return _started(owner.get("pid")) != owner.get("started")


def _machine() -> str | None:
    """This boot of this machine and this process namespace: process ids mean nothing beyond."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:  # not Linux
        return None


def _started(pid: object) -> str | None:
    """When a process started, in clock ticks; None if there is none. Ids are used again."""
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2]
    except OSError:
        return None
    fields = after_name.split()
    return None if fields[0] in ("Z", "X") else fields[19]
