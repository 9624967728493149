"""A store of every kind, for the contract that all keep."""

import uuid
from pathlib import Path

import pytest

from std.store import Store, open_store

KINDS = ["memory", "folder", pytest.param("couchdb", marks=pytest.mark.couchdb), "cluster"]


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where no store is yet."""
    if request.param == "memory":
        return f"memory:{uuid.uuid4().hex}"
    if request.param == "folder":
        return str(tmp_path / "an index")
    if request.param == "couchdb":
        return str(request.getfixturevalue("couchdb_url"))
    cluster = request.getfixturevalue("couchdb_cluster")
    cluster.kill(2)  # the balancer asks the other two in turn
    return f"couchdb://127.0.0.1:{cluster.ports[3]}/index"


@pytest.fixture
def opened(url):
    """Open the store; all that were opened are closed after the test."""
    stores = []

    def open_one(*, create: bool = True) -> Store:
        stores.append(open_store(url, create=create))
        return stores[-1]

    yield open_one
    for one in stores:
        one.close()
