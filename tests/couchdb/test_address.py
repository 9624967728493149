"""Store URLs, and where passwords come from."""

import subprocess
import sys

import pytest

from std.errors import StoreError
from std.store.couchdb.connection import parse_address


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("couchdb://db.example/news", "http://db.example:5984/news"),
        ("couchdbs://db.example:443/news", "https://db.example:443/news"),
        ("couchdb://[::1]:6000/news", "http://[::1]:6000/news"),
        ("couchdb://h/a%2Fb", "http://h:5984/a%2Fb"),
        ("COUCHDB://db.example/news/", "http://db.example:5984/news"),
        ("couchdbs://db.example/news", "https://db.example:6984/news"),
        ("http://db.example/news", "http://db.example/news"),
        ("http://db.example:5984/news", "http://db.example:5984/news"),
        ("https://db.example/news", "https://db.example/news"),
        ("https://db.example/couch/news", "https://db.example/couch/news"),
        ("couchdb://h:80/a/b.c/d~e/news", "http://h:80/a/b.c/d~e/news"),
        ("couchdb://h/couch/a%2Fb", "http://h:5984/couch/a%2Fb"),
        ("couchdb://büro.example/news", "http://xn--bro-hoa.example:5984/news"),
        ("couchdb://h:/news", "http://h:5984/news"),
    ],
)
def test_addresses(url, expected, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert parse_address(url) == (expected, None)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("couchdb://host", "expected couchdb"),
        ("couchdb:///news", "expected couchdb"),
        ("couchdb://host/a//b", "expected couchdb.*got another prefix"),
        ("couchdb://host/../b", "expected couchdb.*got another prefix"),
        ("couchdb://host/a@b/c", "expected couchdb"),
        ("couchdb://host/News", "expected a database name .* got 'News'"),
        ("couchdb://host/_users", "expected a database name .* got '_users'"),
        (
            "couchdb://host:port/news",
            "couchdb://host:port/news: expected .* a port from 1 to 65535",
        ),
        ("couchdb://eve:s3cret@host/news", "expected no password in the URL"),
        ("couchdb://eve:s3cret@host:port/news", "expected no password in the URL"),
        ("couchdb://eve@host/news", "expected a password for this user"),
    ],
)
def test_refused_addresses(url, message, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("STD_COUCHDB_PASSWORD", raising=False)
    with pytest.raises(StoreError, match=message) as caught:
        parse_address(url)
    assert "s3cret" not in str(caught.value)


def test_passwords(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("STD_COUCHDB_PASSWORD", raising=False)
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine host login eve password from-netrc\n")
    netrc.chmod(0o600)
    assert parse_address("couchdb://eve@host/d")[1] == ("eve", "from-netrc")
    assert parse_address("couchdb://host/d")[1] == ("eve", "from-netrc")
    assert parse_address("couchdb://elsewhere/d")[1] is None
    monkeypatch.setenv("STD_COUCHDB_PASSWORD", "p:w@ä")
    assert parse_address("couchdb://eve@host/d")[1] == ("eve", "p:w@ä")
    netrc.write_text("machine\n")
    monkeypatch.delenv("STD_COUCHDB_PASSWORD")
    with pytest.raises(StoreError, match="cannot read"):
        parse_address("couchdb://host/d")


def test_modules_that_need_cgi_are_not_imported():
    """Python 3.13 has no cgi; couchdb.multipart and what uses it would fail there."""
    code = (
        "import sys; sys.modules['cgi'] = None\n"
        "from std.store.couchdb.database import Database\n"
        "assert 'couchdb' not in sys.modules\n"
        "Database('couchdb://127.0.0.1/x').close()\n"
        "print(sorted(m for m in sys.modules if m.startswith('couchdb')))\n"
    )
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert "couchdb.http" in ran.stdout
    assert "multipart" not in ran.stdout
    assert "tools" not in ran.stdout
