"""Queries and conditions in the service: the same answers as the searcher's, errors with words."""

from pathlib import Path

import pytest

from searcher import open_index
from service.examples import split_terms, typed_terms


@pytest.fixture(scope="module")
def index(german_index):
    with open_index(german_index) as opened:
        yield opened


def places(answer):
    return [
        (hit["file"], hit["start_s"], pytest.approx(hit["probability"])) for hit in answer["hits"]
    ]


@pytest.mark.parametrize("query", ["die NEAR/1s polizei", "polizei OR burg", "die first:20s -und"])
def test_places_are_those_of_the_searcher(client, index, query):
    answer = client("/api/search", term=query, limit=500).json
    assert answer["total"] > 0
    hits = sorted(index.search(query), key=lambda hit: (-hit.probability, hit.file, hit.start_s))
    assert places(answer) == [(hit.file, hit.start_s, hit.probability) for hit in hits]
    assert answer["terms"][0]["remarks"][0].startswith("understood: ")


def test_pages_of_a_query_add_up(client):
    whole = client("/api/search", term="die WITHIN 3s und", limit=500).json
    cursor, found = "", []
    while cursor is not None:
        page = client("/api/search", term="die WITHIN 3s und", limit=20, cursor=cursor).json
        found += page["hits"]
        cursor = page["next_cursor"]
    assert len(found) == whole["total"] == len(whole["hits"])
    assert [hit["start_s"] for hit in found] == [hit["start_s"] for hit in whole["hits"]]


@pytest.mark.parametrize("unit", ["recording"])
@pytest.mark.parametrize("query", ["polizei", "die AND NOT polizei", "NOT und"])
def test_units_are_those_of_the_searcher(client, index, unit, query):
    answer = client("/api/units", term=query, unit=unit, min_probability=0, limit=500).json
    found = index.find_units(query, unit, min_probability=0)
    assert answer["total"] == len(found)
    assert [one["file"] for one in answer["units"]] == [one.file for one in found]
    expected = answer["expected"]["right"] + answer["expected"]["right_below"]
    assert expected == pytest.approx(sum(one["probability"] for one in answer["units"]), abs=1e-6)


def test_said_and_unsaid_units_are_all_units(client):
    totals = [
        client("/api/units", term=query, min_probability=0).json["expected"]
        for query in ("die", "NOT die")
    ]
    assert sum(one["right"] + one["right_below"] for one in totals) == pytest.approx(15)


@pytest.mark.parametrize(
    ("where", "recordings"),
    [
        ("date:2019", {"KERSTIN_00", "KERSTIN_01", "KERSTIN_12"}),  # of --metadata
        ("date:2019-03", {"KERSTIN_00", "KERSTIN_01"}),
        ("date:2019-04..2020", {"KERSTIN_12"}),
        ("date >= 2019-04", {"KERSTIN_12"}),
        ("not date:2019-03 and date:2019", {"KERSTIN_12"}),
        ("speaker:kerstin", {"KERSTIN_00", "KERSTIN_01", "KERSTIN_12"}),
        ("speaker:Kerstin", {"KERSTIN_00", "KERSTIN_01", "KERSTIN_12"}),
    ],
)
def test_where_takes_conditions(client, where, recordings):
    answer = client("/api/search", term="die", where=where, limit=500).json
    assert {hit["file"] for hit in answer["hits"]} == recordings
    assert answer["total"] == len(answer["hits"]) > 0
    in_query = client("/api/search", term="die date:2019", limit=500).json
    assert {hit["file"] for hit in in_query["hits"]} == {"KERSTIN_00", "KERSTIN_01", "KERSTIN_12"}


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ({"term": "die datum:2013"}, "is 'date' meant?"),
        ({"term": "die AND"}, "expected words to search for, got the end"),
        ({"term": "NOT die"}, "expected words that are said"),
        ({"term": "die", "where": "datum:2013"}, "expected one of the columns"),
        ({"term": "die", "where": "date"}, "expected an operator after 'date'"),
        ({"term": "die", "recording": "KERSTIN_99"}, "is 'KERSTIN_09' meant?"),
        ({"term": "die recording:nope"}, "expected the name of one of 15 recordings"),
        ({"term": "die AND " + "x" * 201}, "expected terms of at most 200 letters"),
        ({"term": "die AND x" * 400}, "expected queries of at most 2000 letters"),
    ],
)
def test_what_is_unknown_is_an_error_with_a_suggestion(client, query, detail):
    answer = client("/api/search", **query)
    assert answer.status == 400
    assert detail in answer.json["detail"]
    assert answer.headers["content-type"] == "application/problem+json"


def test_what_the_words_of_a_query_become(client):
    described = client("/api/query", term="polizei AND hahnenfedern").json
    assert [word["word"] for word in described["words"]] == ["polizei", "hahnenfedern"]


def test_marks_of_the_words_count_for_a_query(client):
    hit = client("/api/search", term="die NEAR/1s polizei").json["hits"][0]
    body = {
        "term": hit["term"], "recording": hit["recording_id"], "start": hit["start_s"],
        "end": hit["start_s"] + hit["duration_s"], "right": True,
    }  # fmt: skip
    assert client("/api/feedback", method="POST", body=body).status == 200
    marked = client("/api/search", term="die NEAR/1s polizei").json
    assert [one["right"] for one in marked["hits"]].count(True) == 1
    assert marked["marked"]["right"] == 1
    del body["right"]
    client("/api/feedback", method="DELETE", body=body)


def test_lists_are_literal(client):
    answer = client("/api/searches", method="POST", body={"terms": ["polizei AND die", "polizei"]})
    assert "polizei" in {hit["term"] for hit in answer.json["hits"]}
    assert "die" not in {hit["term"] for hit in answer.json["hits"]}


def test_commas_in_quotation_marks_part_no_terms():
    assert split_terms('haus title:"a, b", burg\nx') == ['haus title:"a, b"', "burg", "x"]
    assert split_terms('5" vinyl, x') == ['5" vinyl', "x"]
    script = (Path(__file__).parents[2] / "service/page/static/shell.js").read_text()
    assert r'/(?:"[^"\n\r]*"|[^,\n\r])+/gu' in script  # the same in the browser


def test_the_terms_of_an_address_stand_in_the_box_as_they_are_typed(client):
    terms = ["Paris, Texas", "haus title:x", "3,5 prozent", 'haus title:"a, b"']
    typed = typed_terms(terms)
    assert split_terms(typed) == ['"Paris, Texas"', terms[1], '"3,5 prozent"', terms[3]]
    page = client("/", term="die, polizei").body.decode()
    assert ">&#34;die, polizei&#34;</textarea>" in page


def test_the_page_lists_recordings(client):
    page = client("/", term="die AND NOT polizei", unit="recording").body.decode()
    assert "understood: “die” without “polizei”; within a recording" in page
    assert 'class="unit"' in page
    found = client("/api/units", term="die AND NOT polizei").json
    assert page.count('class="unit"') == found["total"] > 5
    without = client("/page/results", term="NOT die", unit="recording", min_probability=0.5)
    assert "understood: not “die”" in without.body.decode()
