"""What stands between us and CouchDB: proxies with limits, prefixes and redirections."""

import base64

import pytest
from urllib3.exceptions import ProtocolError

from std.errors import StoreError
from std.store.couchdb.database import Database
from std.store.couchdb.store import CouchDBStore
from tests.couchdb.proxies.conftest import HURRY, LARGE, Asked, Page

pytestmark = pytest.mark.slow

couchdb = pytest.mark.couchdb


def limit(most: int, *, read_body: bool):
    """nginx's client_max_body_size."""

    def rule(asked: Asked) -> str | Page:
        if asked.length > most:
            return Page(413, "413 Request Entity Too Large", read_body=read_body)
        return asked.path

    return rule


@couchdb
@pytest.mark.parametrize("read_body", [True, False])
def test_batches_are_halved_until_a_proxy_takes_them(
    proxy, name, opened, noise, commit, digests, read_body
):
    """A proxy may answer from the length alone and close: who still sends sees a broken pipe."""
    first, second = noise(1), noise(2)
    front = proxy(limit(20_000, read_body=read_body))
    store = opened(f"couchdb://127.0.0.1:{front.port}/{name}", layout=LARGE)
    commit(store, first)
    commit(store, second)
    assert digests(store) == [first.digest(), second.digest()]
    assert list(store.damage()) == []
    too_large = [one for one in front.asked if one.length > 20_000]
    assert 1 <= len(too_large) <= 6  # not once for every batch


@couchdb
def test_a_connection_that_breaks_under_large_bodies(
    pouchdb, name, opened, noise, commit, digests, monkeypatch
):
    """A proxy may close without a word."""
    monkeypatch.setattr("std.store.couchdb.database.LARGE_BYTES", 30_000)
    real = Database._exchange

    def exchanged(self, method, path, content, *rest, **options):
        if content is not None and len(content) > 30_000:
            raise ProtocolError("Connection aborted.", BrokenPipeError(32, "Broken pipe"))
        return real(self, method, path, content, *rest, **options)

    monkeypatch.setattr(Database, "_exchange", exchanged)
    store = opened(f"couchdb://127.0.0.1:{pouchdb.port}/{name}", layout=LARGE)
    commit(store, noise(1))
    assert digests(store) == [noise(1).digest()]


@couchdb
def test_a_document_that_no_limit_lets_pass(proxy, name, opened, noise, commit):
    front = proxy(limit(3000, read_body=True))
    store = opened(f"couchdb://127.0.0.1:{front.port}/{name}", layout=LARGE)
    expected = (
        r"takes no request of 0\.\d+ MB \(413: 413 Request Entity Too Large\); the limit is "
        r"CouchDB's max_document_size or .* \(nginx: client_max_body_size\); document \w+\|"
    )
    with pytest.raises(StoreError, match=expected):
        commit(store, noise(1))
    assert store.segments() == ()


@couchdb
@pytest.mark.parametrize("scheme", ["couchdb", "http", "COUCHDB"])
def test_a_path_prefix(proxy, name, opened, speech, commit, digests, scheme):
    def rule(asked):
        prefix, path = asked.path[:7], asked.path[7:]
        return path if prefix == "/couch/" and path else Page(404, "404 Not Found")

    def with_slash(asked):
        decided = rule(asked)
        return f"/{decided}" if isinstance(decided, str) else decided

    front = proxy(with_slash)
    store = opened(f"{scheme}://127.0.0.1:{front.port}/couch/{name}")
    commit(store, speech(1))
    assert digests(store) == [speech(1).digest()]
    with pytest.raises(
        StoreError, match=r"the server answers 404: 404 Not Found \(is a CouchDB server at this"
    ):
        CouchDBStore(Database(f"couchdb://127.0.0.1:{front.port}/{name}", HURRY)).require(
            create=True
        )


@couchdb
@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("absolute", [True, False])
def test_redirections_on_the_same_host_are_followed(
    proxy, name, opened, speech, commit, digests, status, absolute
):
    """With their method and body."""

    def rule(asked):
        if asked.path.startswith("/new/"):
            return asked.path[4:]
        begin = f"http://127.0.0.1:{front.port}" if absolute else ""
        return Page(status, "moved", f"{begin}/new{asked.path}")

    front = proxy(rule)
    store = opened(f"couchdb://127.0.0.1:{front.port}/{name}")
    commit(store, speech(1))
    assert digests(store) == [speech(1).digest()]
    old = [one for one in front.asked if not one.path.startswith("/new/")]
    assert {one.method for one in front.asked} == {"GET", "PUT", "POST"}
    assert len(old) == (1 if status in (301, 308) else len(front.asked) / 2)


@couchdb
def test_a_redirection_to_tls(proxy, tls, name, opened, speech, commit, digests):
    safe = proxy(lambda asked: asked.path, tls)
    front = proxy(lambda asked: Page(301, "m", f"https://127.0.0.1:{safe.port}{asked.path}"))
    store = opened(f"couchdb://127.0.0.1:{front.port}/{name}")
    commit(store, speech(1))
    assert digests(store) == [speech(1).digest()]
    assert len(front.asked) == 1


@couchdb
def test_tls_goes_through_the_proxy_of_the_environment(
    proxy, tls, tunnel, name, opened, speech, commit, digests, monkeypatch
):
    """It gets the address and its own password, nothing of ours."""
    front = proxy(lambda asked: asked.path, tls)
    store = opened(f"couchdbs://127.0.0.1:{front.port}/{name}")
    commit(store, speech(1))
    assert digests(store) == [speech(1).digest()]
    with pytest.raises(StoreError, match="refuses this user"):
        opened(f"couchdbs://eve@127.0.0.1:{front.port}/{name}")
    assert len(tunnel.asked) >= 2
    own = base64.b64encode(b"me:its password")
    ours = base64.b64encode(b"eve:s3cret")
    for head in tunnel.asked:
        assert head.startswith(f"CONNECT 127.0.0.1:{front.port} ".encode())
        assert own in head
        assert ours not in head
    through = len(tunnel.asked)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert digests(opened(f"couchdbs://127.0.0.1:{front.port}/{name}"))
    assert len(tunnel.asked) == through


@couchdb
def test_without_tls_no_proxy_of_the_environment_reads_the_password(proxy, tunnel, name, opened):
    front = proxy(lambda asked: asked.path)
    with pytest.raises(StoreError, match="refuses this user"):
        opened(f"couchdb://eve@127.0.0.1:{front.port}/{name}")
    assert front.asked
    assert tunnel.asked == []


@pytest.mark.parametrize("named", ["socks9://h:1", "http://[::1", "http://h:99999", "http://h:x"])
def test_a_proxy_of_an_unknown_kind_is_one_line(named, tunnel, monkeypatch):
    monkeypatch.setenv("https_proxy", named)
    with pytest.raises(StoreError, match="HTTPS_PROXY: expected http://host:port of a proxy"):
        Database("couchdbs://127.0.0.1/x", HURRY)


def test_the_password_is_in_no_log(proxy, monkeypatch, caplog):
    monkeypatch.setenv("STD_COUCHDB_PASSWORD", "s3cret")
    front = proxy(lambda asked: Page(502, "502 Bad Gateway"))
    with caplog.at_level("DEBUG"), pytest.raises(StoreError) as caught:
        Database(f"couchdb://eve@127.0.0.1:{front.port}/x", HURRY).exists()
    said = [*(one.getMessage() for one in caplog.records), repr(caught.value)]
    assert said[1:]
    assert not [one for one in said if "s3cret" in one or "ZXZlOn" in one]


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("http://elsewhere.example/x", r"redirects \(302\) to http://elsewhere.example/x: give"),
        ("http://eve:s3cret@elsewhere.example/x", r"redirects \(302\) to http://elsewhere"),
        ("http://localhost:1/x", r"redirects \(302\) to http://localhost:1/x: give"),
        ("ftp://127.0.0.1/x", "redirects"),
        ("http://[::1/x", "redirects"),
        ("http://127.0.0.1:x/", "redirects"),
        ("", "redirects"),
        (None, "redirects"),
    ],
)
def test_redirections_to_elsewhere_are_one_line(proxy, location, message):
    front = proxy(lambda asked: Page(302, "found", location))
    with pytest.raises(StoreError, match=message) as caught:
        CouchDBStore(Database(f"couchdb://127.0.0.1:{front.port}/x", HURRY)).require(create=False)
    assert "s3cret" not in str(caught.value)
    assert len(front.asked) == 1


def test_redirections_in_a_circle(proxy):
    front = proxy(lambda asked: Page(302, "found", asked.path))
    with pytest.raises(StoreError, match="the server redirects in a circle"):
        CouchDBStore(Database(f"couchdb://127.0.0.1:{front.port}/x", HURRY)).require(create=False)
    assert len(front.asked) <= 7


@pytest.mark.parametrize("status", [300, 303, 304])
def test_other_redirections_are_one_line(proxy, status):
    front = proxy(lambda asked: Page(status, "elsewhere", "/y"))
    with pytest.raises(StoreError, match=f"the server answers {status}: "):
        CouchDBStore(Database(f"couchdb://127.0.0.1:{front.port}/x", HURRY)).require(create=False)


def test_a_redirection_from_tls_to_plain(proxy, tls):
    plain = proxy(lambda asked: asked.path)
    front = proxy(lambda asked: Page(301, "m", f"http://127.0.0.1:{plain.port}{asked.path}"), tls)
    with pytest.raises(StoreError, match=r"redirects \(301\) to http://127"):
        CouchDBStore(Database(f"couchdbs://127.0.0.1:{front.port}/x", HURRY)).require(create=False)
    assert plain.asked == []


@pytest.mark.parametrize("status", [502, 503, 504])
def test_the_error_pages_of_proxies_are_shown(proxy, status):
    front = proxy(lambda asked: Page(status, f"{status} Bad Weather"))
    with pytest.raises(
        StoreError, match=rf"no answer from the server: status {status}, {status} Bad Weather"
    ):
        CouchDBStore(Database(f"couchdb://127.0.0.1:{front.port}/x", HURRY)).require(create=False)


class Bare(Page):
    """An answer without anything around its text."""

    def html(self):
        return self.title.encode()


@pytest.mark.parametrize(
    ("page", "message"),
    [
        (Bare(409, "{}"), "the server answers 409"),
        (Bare(200, "[1]"), r"the answer of a CouchDB server, got \[1\]"),
        (Bare(200, '"x"'), "the answer of a CouchDB server, got 'x'"),
    ],
)
def test_an_answer_of_another_kind_is_one_line(proxy, page, message):
    front = proxy(lambda asked: page)
    with pytest.raises(StoreError, match=message):
        CouchDBStore(Database(f"couchdb://127.0.0.1:{front.port}/x", HURRY)).require(create=False)


@pytest.mark.parametrize("text", ["{}", '{"rows": 1}', '{"rows": [1]}'])
def test_a_listing_without_rows_is_one_line(proxy, text):
    front = proxy(lambda asked: Bare(200, text))
    with pytest.raises(StoreError, match="got '_all_docs without rows'"):
        Database(f"couchdb://127.0.0.1:{front.port}/x", HURRY).rows("_all_docs")


def test_a_web_page_instead_of_an_answer(proxy):
    front = proxy(lambda asked: Page(200, "Please log in"))
    with pytest.raises(StoreError, match="got a web page: Please log in"):
        CouchDBStore(Database(f"couchdb://127.0.0.1:{front.port}/x", HURRY)).require(create=False)
