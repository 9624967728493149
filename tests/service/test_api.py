"""The API's answers: equal to the searcher's, of the documented form, in the documented errors."""

import html
import io
import json
import re
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from indexer import index_files
from searcher import Hit, open_index
from service import answers
from service.api import models
from service.api import recordings as recordings_module
from service.page import routes
from service.settings import Limits
from std.nist import std_list, term_list
from std.numbers import written
from std.terminal import json_text
from std.values import Term
from tests.service.test_faults import wait_for

pytestmark = pytest.mark.slow

TERMS = ["hahnenfedern", "polizei gewalt", "berlin"]


@pytest.fixture(scope="module")
def index(german_index):
    with open_index(german_index) as opened:
        yield opened


def test_hits_are_those_of_the_searcher(client, index):
    answer = client("/api/search", term=TERMS, limit=500).json
    models.SearchDocument.model_validate(answer, strict=False)
    expected = index.search(*TERMS, decide=True)
    keys = expected[0].document().keys() - {"term_id", "metadata"}
    shown = [{key: hit[key] for key in keys} for hit in answer["hits"]]
    wanted = [json.loads(json_text({key: hit.document()[key] for key in keys})) for hit in expected]

    def by_place(hit):
        return hit["term"], hit["file"], hit["start_s"]

    assert sorted(shown, key=by_place) == sorted(wanted, key=by_place)
    assert answer["total"] == len(expected)
    probabilities = [hit["probability"] for hit in answer["hits"]]
    assert probabilities == sorted(probabilities, reverse=True)
    assert answer["expected_right"] == pytest.approx(sum(probabilities))
    for hit in answer["hits"]:
        assert hit["term_id"] == f"TERM-{TERMS.index(hit['term']) + 1}"


def test_related_forms_and_hits_inside_other_words(client, index):
    term = "wissenschaftler"
    answer = client("/api/search", term=term, min_probability=0, limit=500).json
    models.SearchDocument.model_validate(answer, strict=False)
    forms = index.find_forms(term).forms
    found = client("/api/forms", term=term).json["forms"]
    assert found == [{"term": term, "form": one.form, "hits": one.hits} for one in forms] != []
    assert client("/api/forms", term="wiss* AND schaft").json == {"forms": []}
    asked = {"term": term, "min_probability": 0.3, "limit": 500}
    alone, both = client("/api/search", **asked).json, None
    for _ in range(2):  # the second time from the cache
        both = client("/api/search", inflections="true", **asked).json
        assert both["forms"] == found
    hits = index.search(term, inflections=True, min_probability=0.3)
    expected = sorted((hit.form_of, hit.term, hit.file, hit.start_s) for hit in hits)
    got = [
        (one.get("form_of", ""), one["term"], one["file"], one["start_s"]) for one in both["hits"]
    ]
    assert sorted(got) == expected
    assert both["total"] == len(hits) > alone["total"]
    assert (alone["forms"], [one["term"] for one in both["terms"]]) == ([], [term])
    rows = client("/api/export", format="csv", inflections="true", term=term, min_probability=0.3)
    assert rows.body.count(b"\n") == len(hits) + 1
    refused = client("/api/export", format="stdlist", inflections="true", term=term)
    assert refused.status == 400
    page = client("/", term=term, inflections="true").body.decode()
    assert f"a form of {term}" in page
    assert (
        "Leave related forms out"
        in client("/page/forms", term=term, inflections="true").body.decode()
    )
    kinds = {(hit["within_word"] or {}).get("kind") for hit in answer["hits"]}
    assert {"form", None} <= kinds
    for asked, kept in (("none", set()), ("part,apart", {"part", "apart"})):
        some = client("/api/search", term=term, min_probability=0, limit=500, within_words=asked)
        shown = [
            hit for hit in answer["hits"] if (hit["within_word"] or {}).get("kind") in {None, *kept}
        ]
        ids = [(hit["file"], hit["start_s"]) for hit in some.json["hits"]]
        assert ids == [(hit["file"], hit["start_s"]) for hit in shown]
        assert some.json["total"] == some.json["terms"][0]["hits"] == len(shown)
    assert client("/api/search", term=term, within_words="word").status == 422
    query = {"term": term, "min_probability": 0, "within_words": "none"}
    exported = client("/api/export", format="json", **query).json
    plain = client("/api/search", limit=500, **query).json
    assert len(exported) == plain["total"] > 0
    page, all_shown = (
        client("/", **(query | more)).body.decode() for more in ({}, {"within_words": ""})
    )
    assert "another form of it (" not in page
    assert page.count('class="hit"') == min(50, plain["total"]) < all_shown.count('class="hit"')
    _, _, rest = page.partition("Inside other words")
    assert rest[: rest.index("</fieldset>")].count('aria-checked="false"') == 3
    assert "within_words=form" in rest


def test_every_key_of_a_hit_is_described():
    of_other_searches = {"form_of", "found_by"}  # by several recognisers; of related forms
    assert {*Hit.__slots__} - of_other_searches <= {*models.HitDocument.model_fields}


def test_a_copy_of_a_recording_has_hits_of_its_own(german, serve, changed, tmp_path):
    for name in ("KERSTIN_00", "rerun"):
        shutil.copy(german / "mesh" / "KERSTIN_00.mesh", tmp_path / f"{name}.mesh")
    store = str(tmp_path / "index")
    index_files([*tmp_path.glob("*.mesh")], store)
    with serve(changed(stores=(store,), audio=None, metadata=None)) as one:
        for term in ("landkreis", "hahnenfedern"):
            hits = one("/api/search", term=term, limit=500).json["hits"]
            of_name = {
                name: [hit | {"file": ""} for hit in hits if hit["file"] == name]
                for name in ("KERSTIN_00", "rerun")
            }
            assert of_name["rerun"]
            for hit, other in zip(*of_name.values(), strict=True):
                same = ("start_s", "probability", "context", "likeliest", "slots")
                assert [hit[key] for key in same] == [other[key] for key in same]
            (first,) = one("/api/search", term=term, limit=1).json["hits"]
            assert first == hits[0]


def test_pages_follow_each_other_and_repeat_nothing(client):
    whole = client("/api/search", term="und", limit=500).json
    assert whole["total"] > 20
    hits, cursor = [], ""
    while cursor is not None:
        page = client("/api/search", term="und", limit=7, cursor=cursor).json
        hits += page["hits"]
        cursor = page["next_cursor"]
    assert hits == whole["hits"]


def test_the_counts_of_the_slider_are_those_of_the_hits(client):
    asked = {"term": ["und", "hahnenfedern"], "limit": 500}
    answer = client("/api/search", **asked, min_probability=0).json
    shown = client("/api/search", **asked).json
    assert shown["total"] == answer["by_probability"]["counts"][5] == len(shown["hits"])
    assert sum(one["hits"] for one in shown["terms"]) == shown["total"] < answer["total"]
    probability = np.array([hit["probability"] for hit in answer["hits"]])
    counts, sums = answer["by_probability"].values()
    for step in (0, 1, 5, 37, 50, 99, 100):
        kept = probability[probability >= step / 100 - 1e-9]
        assert counts[step] == len(kept)
        assert sums[step] == pytest.approx(kept.sum(), abs=0.001)
        filtered = client(
            "/api/search", term=["und", "hahnenfedern"], min_probability=step / 100
        ).json
        assert filtered["total"] == counts[step]


def test_filters_and_facets(client):
    everything = client("/api/search", term="und", limit=500).json
    by_date = {one["value"]: one["count"] for one in everything["facets"]["date"]}
    assert by_date.keys() >= {"2019-03", "", "2019-04"}
    march = client("/api/search", term="und", limit=500, where="date:2019-03").json
    assert march["total"] == by_date["2019-03"]
    assert {hit["file"] for hit in march["hits"]} <= {"KERSTIN_00", "KERSTIN_01"}
    assert {one["value"]: one["count"] for one in march["facets"]["date"]} == by_date
    assert len(march["facets"]["recording"]) <= 2
    two = client("/api/search", term="und", recording=["KERSTIN_03", "KERSTIN_04"], limit=500).json
    assert {hit["file"] for hit in two["hits"]} == {"KERSTIN_03", "KERSTIN_04"}
    assert client("/api/search", term="und", where="colour:red").status == 400


def test_every_value_of_a_facet_is_found(client):
    """The values of pages together are all of the search, with the same counts."""
    asked = {"term": "und", "min_probability": 0.2, "facet": "recording"}
    of_search = client("/api/search", term="und", min_probability=0.2, limit=1).json
    values, cursor = [], ""
    while cursor is not None:
        page = client("/api/facets", limit=4, cursor=cursor, **asked).json
        values += page["values"]
        cursor = page["next_cursor"]
        assert page["total"] == of_search["facet_totals"]["recording"] > 8
    assert values == of_search["facets"]["recording"]
    assert sum(one["count"] for one in values) == of_search["total"]
    lessons = client("/api/facets", text="LESSON 2", **asked).json  # of titles
    assert [one["value"] for one in lessons["values"]] == ["KERSTIN_01"]
    assert client("/api/facets", text="_13", **asked).json["total"] == 1
    assert client("/api/facets", text="nothing", **asked).json["values"] == []
    problem = client("/api/facets", term="und", facet="colour")
    assert problem.status == 400
    assert "recording, date, speaker" in problem.json["detail"]


def test_the_page_shows_more_values_of_a_facet(client, monkeypatch):
    for module in (answers, routes):
        monkeypatch.setattr(module, "MANY_VALUES", 9)
    page = client("/", term="und").body.decode()
    number = len(client("/api/facets", term="und", facet="recording").json["values"])
    assert f"the first 9 of {number}" in page
    (following,) = re.findall(r'class="next-values" href="([^"]+)"', page)
    rest = client(html.unescape(following)).body.decode()
    shown = re.findall(r"recording=(KERSTIN_\d+)", page.partition("the first 9")[0] + rest)
    assert len({*shown}) == number
    found = client("/page/facet", term="und", facet="recording", text="<lesson").body.decode()
    assert "No value with “&lt;lesson”" in found


def test_orders(client):
    hits = client("/api/search", term="und", sort="recording", limit=500).json["hits"]
    places = [(hit["file"], hit["start_s"]) for hit in hits]
    assert places == sorted(places)
    hits = client("/api/search", term="und", sort="time", limit=500).json["hits"]
    assert [hit["start_s"] for hit in hits] == sorted(hit["start_s"] for hit in hits)


def test_what_a_term_becomes_is_what_std_query_says(client, index):
    answer = client("/api/query", term="hahnenfedern").json
    expected = index.query("hahnenfedern")
    for key in ("term", "variants"):
        assert json_text(answer[key]) == json_text(expected[key])
    assert [word["word"] for word in answer["words"]] == ["hahnenfedern"]


def test_hints(client, index):
    hints = client("/api/words", text="hahnenfedern, die polizeig").json
    assert hints["words"][0]["word"].startswith("polizeig")
    counts = [one["count"] for one in hints["words"]]
    assert counts == sorted(counts, reverse=True)
    for one in hints["words"]:
        assert index.vocabulary.count(one["word"]) == one["count"]
    assert hints["unknown"] == ["hahnenfedern", "polizeig"]


def test_recordings_and_their_words(client, index):
    listed = client("/api/recordings").json
    models.RecordingsDocument.model_validate(listed)
    assert [one["file"] for one in listed["recordings"]] == [
        one.recording.file for one in index.recordings()
    ]
    assert client("/api/recordings/KERSTIN_00").json["metadata"]["date"] == "2019-03"
    words = client("/api/recordings/KERSTIN_00/words", from_=10, to=12).json["words"]
    expected = index.words("KERSTIN_00", 10, 12, alternatives=True)
    assert [word["word"] for word in words] == [word.word for word in expected]
    assert [word["doubtful"] for word in words] == [word.is_doubtful for word in expected]
    assert [[one["word"] for one in word["alternatives"]] for word in words] == [
        [one.word for one in word.alternatives] for word in expected
    ]
    page = client("/api/recordings", limit=4, cursor="12").json
    assert len(page["recordings"]) == 3
    assert page["next_cursor"] is None


def test_others_are_answered_while_the_words_of_hours_are_written(client, monkeypatch):
    is_answered, document = threading.Event(), recordings_module.word_document

    def slow(*given):
        assert is_answered.wait(30)
        return document(*given)

    monkeypatch.setattr(recordings_module, "word_document", slow)
    with ThreadPoolExecutor(1) as other:
        words = other.submit(client, "/api/recordings/KERSTIN_00/words", from_=20, to=21)
        assert client("/api/recordings").status == 200
        is_answered.set()
        assert words.result().json["words"]


@pytest.mark.parametrize(
    ("read", "path"),
    [("all", "/api/feedback"), ("history", "/api/feedback/history"), ("noted", "/recordings")],
)
def test_others_are_answered_while_all_marks_are_read(client, monkeypatch, read, path):
    marks, is_read, is_answered = client.service.marks, threading.Event(), threading.Event()
    all_of_them = getattr(marks, read)

    def slow(*given):
        is_read.set()
        assert is_answered.wait(30)
        return all_of_them(*given)

    monkeypatch.setattr(marks, read, slow)
    with ThreadPoolExecutor(1) as other:
        answer = other.submit(client, path)
        assert is_read.wait(30)
        assert client("/api/recordings").status == 200
        is_answered.set()
        assert answer.result().status == 200


@pytest.mark.parametrize(
    ("path", "query", "status", "detail"),
    [
        ("/api/search", {}, 422, "term: Field required"),
        ("/api/search", {"term": "..."}, 400, "expected a word or a phrase, got '...'"),
        ("/api/search", {"term": "*"}, 400, "expected letters beside *"),
        ("/api/search", {"term": "a" * 201}, 400, "expected terms of at most 200 letters"),
        ("/api/search", {"term": [f"w{i}" for i in range(21)]}, 400, "at most 20 terms, got 21"),
        ("/api/search", {"term": "x", "min_probability": "nan"}, 422, "min_probability"),
        ("/api/search", {"term": "x", "cursor": "-1"}, 400, "cursor"),
        ("/api/search", {"term": "x", "limit": 501}, 422, "limit"),
        ("/api/recordings/..%2f..%2fetc%2fpasswd", {}, 404, ""),
        ("/api/recordings/nowhere", {}, 404, "no recording has the id 'nowhere'"),
        ("/api/audio/nowhere", {}, 404, "no recording"),
        ("/api/clips/KERSTIN_00", {"from": 5, "to": 5}, 400, "a stretch of at most 60 s"),
        ("/api/clips/KERSTIN_00", {"from": 0, "to": 61}, 400, "a stretch of at most 60 s"),
        ("/api/clips/KERSTIN_00", {"from": 5000, "to": 5001}, 404, "no sound"),
        ("/api/nothing", {}, 404, "Not Found"),
    ],
)
def test_errors_are_problem_details(client, path, query, status, detail):
    answer = client(path, **query)
    assert answer.status == status
    assert answer.headers["content-type"] == "application/problem+json"
    models.Problem.model_validate(answer.json)
    assert detail in answer.json["detail"]
    assert answer.json["status"] == status


def test_audio_in_ranges(client, audio):
    content = (audio / "KERSTIN_03.ogg").read_bytes()
    whole = client("/api/audio/KERSTIN_03")
    assert (whole.status, whole.body) == (200, content)
    assert whole.headers["content-type"] == "audio/ogg"
    part = client("/api/audio/KERSTIN_03", headers={"Range": "bytes=100-199"})
    assert (part.status, part.body) == (206, content[100:200])
    assert part.headers["content-range"] == f"bytes 100-199/{len(content)}"
    tail = client("/api/audio/KERSTIN_03", headers={"Range": "bytes=-50"})
    assert tail.body == content[-50:]
    for wrong in ("bytes=9999999-", "bytes=5-2", "lines=1-2", "bytes=a-b", "bytes="):
        assert client("/api/audio/KERSTIN_03", headers={"Range": wrong}).status in (200, 400, 416)
    assert client("/api/audio/KERSTIN_03", method="HEAD").headers["content-length"] == str(
        len(content)
    )


def test_a_term_list_as_json_as_std_list_and_as_events(client, german, index):
    body = (german / "terms.xml").read_bytes()
    terms = term_list.parse(io.BytesIO(body), "terms.xml")
    answer = client(
        "/api/searches", method="POST", body=body, headers={"Accept": "application/xml"}
    )
    assert answer.status == 200
    found = std_list.parse(io.BytesIO(answer.body), "answer")
    of_searcher = index.search_terms(terms)
    expected = of_searcher.detections()
    assert found.detections.terms == tuple(term.term_id for term in terms.terms)
    assert len(found.detections) == len(expected)
    assert found.detections.yes.sum() == expected.yes.sum()
    summary = client("/api/searches", method="POST", body=body).json["summary"]
    assert summary["expected"] == pytest.approx(of_searcher.expected.document())

    few = {"terms": TERMS, "min_probability": 0.5}
    listed = client("/api/searches", method="POST", body=few).json
    assert {hit["term"] for hit in listed["hits"]} <= {*TERMS}
    assert all(hit["probability"] >= 0.5 for hit in listed["hits"])
    unknown = index.find(*TERMS).oov_words
    assert listed["summary"]["oov_terms"] == sum(map(bool, unknown)) > 0
    headers = {"Accept": "text/event-stream"}
    events = client("/api/searches", method="POST", body=few, headers=headers).body.decode()
    names = re.findall("^event: (.*)$", events, re.MULTILINE)
    assert names[-1] == "result"
    assert {*names[:-1]} == {"progress"}
    assert '"probability"' in events
    (result,) = re.findall("^event: result\ndata: (.*)$", events, re.MULTILINE)
    assert json.loads(result)["summary"] == listed["summary"]


def test_a_list_is_judged_as_one_however_it_is_found(client, index):
    """In parts of ten, with invented names between those that are said."""
    invented = [
        f"{first}{last}" for first in ("ku", "mel", "pum") for last in ("fen", "lik", "tor")
    ]
    texts = [*invented, "spreewald", *invented[::-1], "landkreis", "hahnenfedern"]
    terms = [Term(f"TERM-{i}", text) for i, text in enumerate(texts, start=1)]
    body = {"terms": texts, "min_probability": 0.01}
    answer = client("/api/searches", method="POST", body=body).json
    models.TermListResultDocument.model_validate(answer, strict=False)
    hits, list_of_searcher = answer["hits"], index.search_terms(terms)
    found = index.hits(list_of_searcher)
    expected = {
        (hit.term_id, hit.file, hit.start_s): (hit.probability, hit.score, hit.decision)
        for hit in found
        if hit.probability >= 0.01
    }
    assert len(expected) == len(hits) > 20
    for hit in hits:
        of_list = expected[hit["term_id"], hit["file"], hit["start_s"]]
        assert [hit["probability"], hit["score"], hit["decision"]] == written(of_list)
    of_all = list_of_searcher.expected.document()  # hits below min_probability, too
    assert answer["summary"]["expected"] == pytest.approx(of_all)
    assert sum(hit["probability"] for hit in hits) < of_all["right"] + of_all["right_below"] - 0.001
    certain = client("/api/searches", method="POST", body=body | {"min_probability": 1}).json
    assert certain["hits"] == []
    assert certain["summary"]["expected"] == answer["summary"]["expected"]


def test_a_list_with_too_many_possible_hits_is_refused(serve, changed):
    with serve(changed(limits=Limits(list_candidates=20))) as one:
        answer = one("/api/searches", method="POST", body={"terms": ["und"] * 3})
    assert answer.status == 400
    assert "expected terms with at most 20 possible hits, got" in answer.json["detail"]


@pytest.mark.parametrize("accepted", ["application/json", "application/xml"])
def test_a_term_without_words_is_nowhere(client, accepted):
    body = json.dumps({"terms": ["", "landkreis", " "]}).encode()
    answer = client("/api/searches", method="POST", body=body, headers={"Accept": accepted})
    assert answer.status == 200
    assert b"TERM-2" in answer.body


def test_a_list_without_hits_says_what_to_expect(client):
    answer = client("/api/searches", method="POST", body={"terms": [""]})
    nothing = {"from": 0.5, "hits": 0, "right": 0, "right_below": 0}
    assert answer.json["summary"]["expected"] == nothing


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'{"terms": []}', b'{"terms": [1]}', b"<termlist>", b"<x/>", b"\xff"]
)
def test_a_body_that_is_no_term_list(client, body):
    answer = client("/api/searches", method="POST", body=body)
    assert answer.status in (400, 422)
    assert answer.json["detail"]


def test_openapi_describes_every_path(client):
    document = client("/api/openapi.json").json
    assert document["openapi"].startswith("3.")
    paths = document["paths"].keys()
    assert paths >= {
        "/api/search", "/api/searches", "/api/query", "/api/recordings",
        "/api/recordings/{recording}", "/api/recordings/{recording}/words",
        "/api/audio/{recording}", "/api/clips/{recording}", "/api/feedback", "/healthz", "/metrics",
    }  # fmt: skip
    assert client("/api/docs").status == 200


def test_health_and_metrics(client):
    deadline = time.monotonic() + 300  # kernels may be compiled
    while client("/healthz").json["warming"]:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    models.HealthDocument.model_validate(client("/healthz").json)
    client("/api/search", term="und")
    text = client("/metrics").body.decode()
    assert text.endswith("# EOF\n")
    (count,) = re.findall(
        r'^std_requests_total\{route="/api/search",status="200"\} (\d+)$', text, re.M
    )
    assert int(count) >= 1
    for line in text.splitlines():
        assert re.fullmatch(r"# (TYPE \w+ \w+|EOF)|\w+(\{.*\})? [0-9.e+-]+", line), line


def test_what_is_slow_at_first_is_said(client, monkeypatch):
    wait_for(lambda: not client.service.warming)
    monkeypatch.setattr(client.service, "warm", False)
    health = client("/healthz").json
    assert (health["status"], health["warming"]) == ("ready", ["unknown words"])
    assert b"is warming up" in client("/").body
    monkeypatch.setattr(client.service, "ready", False)
    health = client("/healthz").json
    assert (health["status"], health["warming"]) == ("warming up", ["known words", "unknown words"])
    monkeypatch.undo()
    assert client("/healthz").json["status"] == "ready"


def test_a_known_answer_is_kept(client):
    first = client("/api/search", term="sieben").json
    hits = client.service.cache.hits
    again = client("/api/search", term="sieben").json
    assert client.service.cache.hits > hits
    assert {**first, "elapsed_ms": 0} == {**again, "elapsed_ms": 0}
    assert 0 < client.service.cache.bytes <= client.service.cache.limit_bytes
