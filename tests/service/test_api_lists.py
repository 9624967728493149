"""The API's answers to term lists: as JSON, as an STD list, and as events."""

import io
import json
import re
from dataclasses import replace

import pytest

from service.api import models
from service.settings import Limits
from std.nist import std_list, term_list
from std.numbers import written
from std.values import Term

pytestmark = pytest.mark.slow

TERMS = ["hahnenfedern", "polizei gewalt", "berlin"]


def test_a_term_list_as_json_as_std_list_and_as_events(client, german, index):
    whole = term_list.parse(io.BytesIO((german / "terms.xml").read_bytes()), "terms.xml")
    terms = replace(whole, terms=whole.terms[::5])
    term_list.dump(terms, written_list := io.BytesIO())
    body = written_list.getvalue()
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


@pytest.mark.parametrize("accepted", ["application/json", "application/xml", "text/event-stream"])
@pytest.mark.parametrize("term", ["", " ", '""', "-", "\0"])
def test_a_term_without_words_is_refused(client, accepted, term):
    body = json.dumps({"terms": ["landkreis", term]}).encode()
    answer = client("/api/searches", method="POST", body=body, headers={"Accept": accepted})
    assert answer.status == 400
    assert answer.json["detail"].startswith("terms.1: expected a word or a phrase, got ")


def test_a_list_without_hits_says_what_to_expect(client):
    body = b'<kwlist><kw kwid="1"><kwtext>...</kwtext></kw></kwlist>'  # as evaluations may have
    answer = client("/api/searches", method="POST", body=body)
    nothing = {"from": 0.5, "hits": 0, "right": 0, "right_below": 0}
    assert answer.json["summary"]["expected"] == nothing


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"[]", b'{"terms": []}', b'{"terms": [1]}', b"<termlist>", b"<x/>", b"\xff"),
        *(b'{"terms": ["a"], "min_probability": %s}' % one for one in (b'"0.5"', b"true", b"NaN")),
    ],
)
def test_a_body_that_is_no_term_list(client, body):
    answer = client("/api/searches", method="POST", body=body)
    assert answer.status in (400, 422)
    assert answer.json["detail"]
