"""What may stand behind --store: ours is recognised, anything else refused without its password."""

import pytest

from indexer import cli as index_cli
from indexer import store_cli
from searcher.commands import search as search_cli
from std.errors import StoreError
from std.store import absolute_url, open_store
from std.store.address import kind_of, redacted


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("INDEX", "folder"),
        ("/data/index", "folder"),
        ("../in:dex", "folder"),
        ("./news:2011", "folder"),
        ("2011:news", "folder"),
        ("memory:", "memory"),
        ("Memory:x", "memory"),
        ("couchdb://h/d", "couchdb"),
        ("COUCHDB://h/d", "couchdb"),
        ("CouchDBs://h/d", "couchdb"),
        ("couchdb:/h/d", "couchdb"),
        ("http://h/d", "couchdb"),
        ("HTTPS://h/d", "couchdb"),
    ],
)
def test_kinds(url, kind):
    assert kind_of(url) == kind


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("ftp://h/d", r"ftp://h/d: no store has the scheme ftp: .*couchdb://\[user@\]host"),
        ("news:2011", r"no store has the scheme news: .* a folder of this name \./news:2011"),
        ("db.example:5984/news", r"a CouchDB database is couchdb://db.example:5984/news"),
        ("file:///data/index", r"a folder is written without a scheme: /data/index\)"),
        ("sqlite:x.db", "no store has the scheme sqlite:"),
        ("couchdb+http://h/d", "no store has the scheme couchdb"),
        ("", "expected the address of a store"),
        (" ", "expected the address of a store"),
        ("memory://x", "expected memory:"),
        ("couchdb:x", "couchdb:x: expected couchdb://"),
        ("couchdb:/h/d", "couchdb:/h/d: expected couchdb://"),
        ("couchdb:///h/d", "expected couchdb://"),
        ("couchdb:", "expected couchdb://"),
        ("http://h", "got no database"),
        ("http://h/", "got no database"),
        ("couchdb://h/d?x=1", r"got a query \(\?\.\.\.\)"),
        ("couchdb://h/d?", "got a query"),
        ("couchdb://h/d#f", "got a fragment"),
        ("couchdb://h/d d", "got blanks"),
        ("couchdb://[::1/d", "an IPv6 address in"),
        ("couchdb://h:0/d", "got 0"),
        ("couchdb://h:99999/d", "a port from 1 to 65535"),
        (f"couchdb://{'x' * 99}.example/d", "expected the name of a host"),
    ],
)
def test_refused(url, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match=message):
        open_store(url, create=True)
    assert list(tmp_path.iterdir()) == []


WITH_PASSWORD = [
    "http://user:s3cret@host/x",
    "HTTPS://user:s3cret@host/x",
    " http://user:s3cret@host/x",
    "couchdb:/user:s3cret@host/x",
    "couchdb:user:s3cret@host/x",
    "couchdb://user:s3cret@host/x",
    "COUCHDB://user:s3cret@host/x",
    "couchdb://user:s3cret@host:port/x",
    "couchdb://user:s3cret@[::1/x",
    "couchdb://user:a/s3cret@host/x",
    "couchdb://user:a#s3cret@host/x",
    "couchdb://user:s3cret?a@host/x",
    "couchdb://user:s3cret@a@host/x",
    "couchdb://host/x?password=s3cret",
    "couchdb://host/x#s3cret",
    "couchdb://user/s3cret@host/x",
    "user:s3cret@host/x",
    "//user:s3cret@host/x",
    "ftp://user:s3cret@host/x",
    "memory://user:s3cret@host/x",
    "file://user:s3cret@host/x",
]


@pytest.mark.parametrize("url", WITH_PASSWORD)
def test_a_password_is_never_shown_nor_made_a_folder(url, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("STD_COUCHDB_PASSWORD", raising=False)
    (tmp_path / "x.mesh").touch()
    for main, command in [
        (index_cli.main, ["x.mesh", "--store", url]),
        (store_cli.main, ["verify", "--", url]),
        (search_cli.main, ["term", "--store", url]),
    ]:
        assert main(command) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert "s3cret" not in line
    assert [one.name for one in tmp_path.iterdir()] == ["x.mesh"]
    with pytest.raises(StoreError) as caught:
        open_store(url)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("couchdb://eve@host/x", "couchdb://host/x"),
        ("couchdb:/a:b@host/x", "couchdb:/host/x"),
        ("//a:b@host/x", "//host/x"),
        ("http://host/x?a#b", "http://host/x"),
    ],
)
def test_shown(url, shown):
    assert redacted(url) == shown


def test_addresses_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert absolute_url("index") == str(tmp_path / "index")
    for url in ("memory:x", "COUCHDB://h/d", "https://h/d"):
        assert absolute_url(url) == url


def test_memory_in_any_case():
    assert open_store("memory:same") is open_store("MEMORY:same")
    assert open_store("Memory:") is not open_store("memory:")
