"""The API's answers to searches: equal to the searcher's, of the documented form."""

import html
import json
import re
import shutil

import numpy as np
import pytest

from indexer import index_files
from searcher import Hit
from service import answers
from service.api import models
from service.page import routes
from std.terminal import json_text

pytestmark = pytest.mark.slow


TERMS = ["hahnenfedern", "polizei gewalt", "berlin"]


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
    wrong = client("/api/search", term="und", where="colour:red")
    assert (wrong.status, wrong.json["detail"][:16]) == (400, "where: expected ")


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
