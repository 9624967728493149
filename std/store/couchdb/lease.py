"""The right to write to a CouchDB database, kept in its manifest document.

A server cannot know that a client died, so the right to write is a lease. It names its owner and
ends by the server's clock unless the owner renews it. Another process may take it over when it has
ended, or when the owner is known to be dead, which a process on the same machine can find out.
Lease and index are in one document, so taking over the lease changes the document's revision and
CouchDB refuses the former owner's commit.
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
    """Describes this process, so that others on this machine can find out whether it runs."""
    pid = os.getpid()
    return {
        "token": uuid.uuid4().hex,
        "host": socket.gethostname(),
        "machine": _machine(),
        "pid": pid,
        "started": _started(pid),
    }


def owner_is_dead(owner: Mapping[str, Any]) -> bool:
    """Whether the owner is a process of this machine that has ended; False if unknown."""
    machine = _machine()
    if machine is None or owner.get("machine") != machine:
        return False
    return _started(owner.get("pid")) != owner.get("started")


def _machine() -> str | None:
    """This boot of this machine and this process namespace, in which process ids are unique."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:  # not Linux
        return None


def _started(pid: object) -> str | None:
    """Start time of a process in clock ticks, because ids are reused; None if it does not run."""
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2]
    except OSError:
        return None
    fields = after_name.split()
    return None if fields[0] in ("Z", "X") else fields[19]
