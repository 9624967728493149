"""Standing searches: their terms, and what is told; on the page: `page/test_changes.py`."""

import json
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from xml.etree import ElementTree

import pytest

from indexer import index_files
from searcher.standing_search import TOLD_FROM, StandingSearch
from service import alerts as alerts_module
from service.alerts import Alerts
from service.api.alerts import _text
from service.live_index import LiveIndex
from std.errors import InputError, StoreError

NO_QUERY = "expected a word or a phrase to watch, got a query"
XML = '<term termid="{0}"><termtext>{1}</termtext></term>'
TERM_LIST = (
    '<termlist ecf_filename="e" version="1" language="german" encoding="UTF-8" '
    f'compareNormalize="">{XML.format(1, "spreewald")}{XML.format(2, "rathaus")}</termlist>'
)


@pytest.mark.parametrize(
    "text",
    ["spreewald\n# not a term\n\nrathaus\n", "id,text\n1,spreewald\n2,rathaus\n", TERM_LIST],
    ids=["lines", "csv", "xml"],
)
def test_term_lists_of_any_form_are_read(tmp_path, text):
    (tmp_path / "terms").write_text(text)
    with StandingSearch(tmp_path / "terms") as search:
        assert search.terms == ("spreewald", "rathaus")
    (tmp_path / "names.csv").write_text("Name;Partei\nspreewald;x\n")
    with StandingSearch(str(tmp_path / "names.csv")) as search:
        assert (search.terms, search.column) == (("spreewald",), "column Name")


def test_a_feed_keeps_the_letters_that_join_others():
    word = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
    assert _text(f"{word} <a>\x0b") == f"{word} &lt;a&gt;\ufffd"


def test_what_is_no_term_is_named(tmp_path):
    (tmp_path / "terms").write_text("spreewald\n...\n")
    with pytest.raises(InputError, match="terms:2: expected a term with a letter or a digit"):
        StandingSearch(tmp_path / "terms")


def test_a_list_of_names_is_judged_as_one(tmp_path, german_index, german_settings):
    """With each name by itself "pumfen" would be told, which sounds like what somebody says."""
    syllables = ("gor", "lik", "mel", "tor")
    invented = ["pumfen", *map("".join, product(syllables, repeat=3))]
    terms = tmp_path / "terms.txt"
    terms.write_text("\n".join([*invented, "spreewald", "land*"]))
    live = LiveIndex(german_settings)
    alerts = Alerts(terms, (), live)
    told = {line["term"] for line in alerts.look(live.current)}
    assert told == {"spreewald", "land*"}
    by_itself = live.current.index.find("pumfen")
    assert by_itself.probability.max() > TOLD_FROM
    alerts.close()
    live.close()


def test_a_receiver_that_fails_keeps_nothing_from_the_others(
    tmp_path, german_settings, monkeypatch
):
    """One answers nonsense, one a letter at a time; the third gets each hit once, also later."""
    took, is_well, slow = [], [], []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path != "/ok" and not is_well and (self.path == "/nonsense" or slow):
                self.wfile.write(b"hello\r\n\r\n")
            elif self.path == "/slow" and not is_well:
                slow.append(True)  # once: the test waits for it
                with suppress(OSError):
                    while self.wfile.write(b"H"):
                        time.sleep(0.02)
            else:
                took.append((self.path, {hit["term"] for hit in body["hits"]}))
                self.send_response(204)
                self.end_headers()

        def log_message(self, *arguments):
            pass

    monkeypatch.setattr(alerts_module, "POST_S", 1.0)
    receiver = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    urls = [
        f"http://127.0.0.1:{receiver.server_port}/{name}" for name in ("nonsense", "slow", "ok")
    ]
    (terms := tmp_path / "terms.txt").write_text("spreewald\n")
    (tmp_path / "terms.txt.hits.jsonl").write_text('{"posted": 0}\n')  # so present hits are new
    live = LiveIndex(german_settings)
    for listed in ("spreewald\n", "spreewald\nland*\n"):
        terms.write_text(listed)
        alerts = Alerts(terms, urls, live)
        alerts.look(live.current)
        alerts.post()
        alerts.post()
        assert "/nonsense: " in alerts.trouble
        assert "/slow: " in alerts.trouble
        assert "/ok" not in alerts.trouble
        alerts.close()
    assert took == [("/ok", {"spreewald"}), ("/ok", {"land*"})]
    is_well.append(True)
    alerts = Alerts(terms, urls, live)
    alerts.post()
    assert took[2:] == [(path, {"spreewald", "land*"}) for path in ("/nonsense", "/slow")]
    assert (alerts.trouble, alerts.searched.posted) == ("", len(alerts.searched.lines))
    alerts.close()
    live.close()
    receiver.shutdown()
    receiver.server_close()


def test_a_list_that_is_not_there_begins_with_the_first_term(serve, changed, tmp_path, german):
    terms, store = tmp_path / "watched.txt", str(tmp_path / "index")
    index_files([str(german / "mesh/KERSTIN_00.mesh")], store=store, language="German")
    settings = changed(stores=(store,), alerts=terms, metadata=None, token="a-secret-of-letters")
    with serve(settings) as client:
        secret = {"Authorization": "Bearer a-secret-of-letters"}

        def alerts(**options):
            return client("/api/alerts", headers=secret, **options)

        assert alerts().json["terms"] == []
        assert alerts(method="POST", body={"term": "und"}).json["terms"] == ["und"]
        assert alerts(method="POST", body={"term": "spreewald"}).json["terms"] == [
            "und",
            "spreewald",
        ]
        assert alerts(method="POST", body={"term": "*"}).status == 400
        assert "spree*" in alerts(method="POST", body={"term": "spree*"}).json["terms"]
        page = client("/page/results", term="spree*", headers=secret)
        assert b'aria-pressed="true">Watch for' in page.body
        assert alerts(method="DELETE", term="spree*").status == 200
        assert alerts(method="POST", body={"term": "a\nb"}).status == 400
        for query in ("polizei AND NOT gewalt", "die NEAR/5s polizei"):
            refused = alerts(method="POST", body={"term": query})  # no list has queries
            assert (refused.status, refused.json["detail"].partition(":")[0]) == (400, NO_QUERY)
            page = client("/page/results", term=query, min_probability=0, headers=secret)
            assert (page.status, b"Watch for" in page.body) == (200, False)
        page = client("/page/results", term="und", headers=secret)
        assert b'aria-pressed="true">Watch for' in page.body
        assert terms.read_text() == "und\nspreewald\n"
        assert alerts(method="DELETE", term="spreewald").json["terms"] == ["und"]
        assert alerts(method="DELETE", term="spreewald").status == 404
        assert terms.read_text() == "und\n"
        wait_until(lambda: len(client.service.alerts.searched.lines) > 1)
        assert alerts().json["hits"] == []  # what was there is known
        index_files([str(german / "mesh/KERSTIN_01.mesh")], store=store, language="German")
        wait_until(lambda: alerts().json["hits"])
        hits = alerts().json["hits"]
        assert {hit["file"] for hit in hits} == {"KERSTIN_01"}

        ticket = alerts().json["feed_ticket"]
        assert client("/api/alerts/feed").status == 401
        assert client("/api/alerts/feed", ticket="0" * 40).status == 401
        assert client("/api/alerts", ticket=ticket).status == 401
        feed = client("/api/alerts/feed", ticket=ticket)
        root = ElementTree.fromstring(feed.body)
        entries = root.findall("{http://www.w3.org/2005/Atom}entry")
        assert len(entries) == len(hits)
        assert feed.headers["content-type"].startswith("application/atom+xml")
        known = {"If-None-Match": feed.headers["etag"]}
        again = client("/api/alerts/feed", ticket=ticket, headers=known)
        assert (again.status, again.body, again.headers["etag"]) == (
            304,
            b"",
            known["If-None-Match"],
        )
        assert client("/api/alerts/feed", ticket=ticket, term="und", headers=known).status == 200
        items = client("/api/alerts/feed", ticket=ticket, format="json", term="und").json["items"]
        assert [one["title"].partition(":")[0] for one in items] == ["und"] * len(hits)
        assert len({one["id"] for one in items}) == len(items)
        nothing = client("/api/alerts/feed", ticket=ticket, format="json", term="haus").json
        assert nothing["items"] == []


@pytest.mark.parametrize(
    ("before", "change", "after"),
    [
        ("Scholz, Olaf\n", "+Merz, Friedrich", None),
        ("name, wort\n", "+haus, burg", None),
        ("haus\nScholz, Olaf\nMerz, Friedrich\n", "-haus", None),
        ("Scholz, Olaf\n", "+rathaus", ("Scholz, Olaf", "rathaus")),
        ("# of the desk\n\nhaus\n", "-haus", ()),
        ("# of the desk\n", "+haus", ("haus",)),
        ("haus", "+burg", ("haus", "burg")),
        ("haus\n", '+"die burg"', ("haus", "die burg")),
        ('haus\n"die burg"\n', '-"die burg"', ("haus",)),
        ('"die burg"\n', '+"die burg"', ("die burg",)),
    ],
)
def test_a_changed_list_is_read_as_it_was_meant(tmp_path, before, change, after):
    """A service that cannot read its list does not start again."""
    (tmp_path / "terms.txt").write_text(before)
    with StandingSearch(tmp_path / "terms.txt", may_be_empty=True) as search:
        work = search.add if change[0] == "+" else search.remove
        kept = search.terms
        if after is None:
            with pytest.raises(InputError, match=r"terms with commas .* got "):
                work(change[1:])
        else:
            work(change[1:])
        assert search.terms == (kept if after is None else after)
    with StandingSearch(tmp_path / "terms.txt", may_be_empty=True) as search:
        assert search.terms == (kept if after is None else after)


def test_a_list_may_be_edited_while_it_is_searched(tmp_path):
    (tmp_path / "terms.txt").write_text("haus\n")
    with StandingSearch(tmp_path / "terms.txt") as search:
        (tmp_path / "terms.txt").write_text("haus\nburg\nrathaus\n")
        search.add("burg")
        search.add("spreewald")
    assert (tmp_path / "terms.txt").read_text() == "haus\nburg\nrathaus\nspreewald\n"


def test_a_search_that_fails_is_repeated(tmp_path, german_settings, monkeypatch):
    """Otherwise the hits of a commit would be told with those of the next one, perhaps a day on."""
    monkeypatch.setattr(alerts_module, "REPEAT_S", 0.01)
    (terms := tmp_path / "terms.txt").write_text("spreewald\n")
    live = LiveIndex(german_settings)
    alerts, tries = Alerts(terms, (), live), []

    def look(*_):
        tries.append(alerts.trouble)
        if len(tries) < 3:
            raise (StoreError("db: no answer"), ZeroDivisionError("ours"))[len(tries) - 1]
        return []

    monkeypatch.setattr(alerts.searched, "look", look)
    alerts.start()
    wait_until(lambda: len(tries) == 3)
    assert tries == ["", "db: no answer", "ZeroDivisionError: ours"]
    wait_until(lambda: alerts.trouble == "")
    alerts.close()
    live.close()


def test_a_table_is_edited_where_it_is(serve, changed, tmp_path):
    terms = tmp_path / "names.csv"
    terms.write_text("Name;Partei\nspreewald;x\n")
    with serve(changed(alerts=terms)) as client:
        assert client("/api/alerts").json["can_change"] is False
        assert client("/api/alerts", method="POST", body={"term": "und"}).status == 403
    with serve(changed(alerts=None)) as client:
        assert client("/api/alerts", method="POST", body={"term": "und"}).status == 403


def wait_until(holds):
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.1)
