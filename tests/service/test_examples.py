"""More like this: a hit, a stretch, or what is marked right, as an example of a term."""

import pytest

from service.settings import Settings
from tests.service.served import archive_with_sound


@pytest.fixture(scope="module")
def archive(tmp_path_factory, serve):
    folder = archive_with_sound(tmp_path_factory.mktemp("sound"))
    with serve(Settings((str(folder / "index"),), poll_s=0.1)) as client:
        yield client


def likely(client, term):
    hits = client("/api/search", term=term, min_probability=0.5).json["hits"]
    return {hit["recording_id"]: hit["start_s"] for hit in hits}


def test_more_like_a_hit_and_like_those_that_are_marked_right(archive):
    (hit,) = archive("/api/search", term="spreewald").json["hits"]
    assert hit["like"] == "like:b@10.10-10.50"
    assert archive("/api/search", term="spreewald").json["like_right"] is None
    found = likely(archive, hit["like"])
    assert found.keys() == {"a", "c"}
    assert found["a"] == pytest.approx(4.1, abs=0.1)
    page = archive("/", term="spreewald").body.decode()
    assert "More like this" in page
    assert "hidden>More like those marked right" in page
    mark = {"term": "spreewald", "recording": "b", "start": 10.1, "end": 10.5, "right": True}
    assert archive("/api/feedback", method="POST", body=mark).status == 200
    found = archive("/api/search", term="spreewald").json
    assert found["like_right"] == hit["like"]
    assert f'{hit["like"][-11:]}">More like those' in archive("/", term="spreewald").body.decode()


def test_several_examples_are_one_term(archive):
    assert likely(archive, "like:a@4.0-4.6+b@10.0-10.6").keys() == {"c"}
    assert likely(archive, "like:a@4.0-4.6").keys() == {"b", "c"}


def test_a_term_and_an_example_are_one_list(archive):
    """The recogniser wrote the word in b; in c it is only in the sound."""
    both = "spreewald like:a@4.0-4.6"
    found = archive("/api/search", term=both).json
    first, second = found["hits"]
    assert [(hit["term"], hit["recording_id"]) for hit in (first, second)] == [
        ("spreewald", "b"), ("spreewald", "c"),
    ]  # fmt: skip
    assert {one["store"] for one in first["found_by"]} == {"words", "sound"}
    assert found["terms"][0]["words"] == ["spreewald"]
    mark = {"term": "spreewald", "recording": "c", "start": second["start_s"], "right": False}
    mark["end"] = second["start_s"] + second["duration_s"]
    assert archive("/api/feedback", method="POST", body=mark).status == 200
    again = archive("/api/export", format="json", term=both).json
    assert [(hit["recording_id"], hit["right"]) for hit in again][1] == ("c", False)
    assert archive("/api/query", term=both).json["term"] == "spreewald"
    assert archive("/api/words", text=both).json == {"words": [], "unknown": []}
    assert archive("/api/forms", term=both).json == {"forms": []}


def test_the_page_keeps_the_words_of_a_term_and_may_leave_them(archive, browser):
    page = browser.new_page()
    page.goto(f"{archive.url}/?term=spreewald")
    page.keyboard.press("j")
    page.keyboard.press("m")
    page.wait_for_url("**/?term=spreewald+like*b%4010.10-10.50")
    page.get_by_text("“spreewald” by words, and by sound like b, 0:10.1; the example").wait_for()
    assert page.input_value("#q") == "spreewald like:b@10.10-10.50"
    assert page.evaluate("document.activeElement.id") == "count"
    page.keyboard.press("j")
    page.keyboard.press("y")
    page.get_by_text("marked right", exact=True).wait_for(state="attached")
    page.get_by_text("More like those marked right").click()
    page.get_by_text("like b, 0:10.1 + a, 0:04.1; the examples themselves are not").wait_for()
    assert "by sound alone: sounds like b" in page.locator(".found").first.inner_text()
    page.get_by_role("link", name="By sound alone").click()
    page.wait_for_url("**/?term=like*b%40*")
    page.get_by_text("By words alone").wait_for(state="detached")
    assert page.input_value("#q").startswith("like:b@10.10-10.50+a@")
    page.close()


def test_more_like_this_keeps_the_filters_of_the_page(archive, browser):
    page = archive("/", term="spreewald", recording="b", min_probability=0.25).body.decode()
    assert "?term=spreewald+like%3Ab%4010.10-10.50&amp;recording=b&amp;min_probability=0.25" in page
    shown = browser.new_page()
    shown.goto(f"{archive.url}/?term=spreewald&recording=b&min_probability=0.25")
    for key in "jny":
        shown.keyboard.press(key)
    shown.get_by_text("More like those marked right").click()
    shown.wait_for_url("**/?term=spreewald+like*&recording=b&min_probability=0.25")
    shown.close()


def test_places_like_an_example_are_exported_and_marked(archive):
    rows = archive("/api/export", format="csv", term="like:a@4.0-4.6", min_probability=0.5)
    assert len(rows.body.splitlines()) == 3
    found = archive("/api/search", term="like:a@4.0-4.6", min_probability=0.5).json["hits"][0]
    mark = {"term": found["term"], "recording": found["recording_id"], "start": found["start_s"]}
    mark |= {"end": found["start_s"] + found["duration_s"], "right": False}
    assert archive("/api/feedback", method="POST", body=mark).status == 200
    again = archive("/api/search", term="like:a@4.0-4.6", min_probability=0.5).json["hits"]
    assert [hit["right"] for hit in again].count(False) == 1
    mark["term"] = f"like:{'+'.join(['a@4.0-4.6'] * 25)}"  # as of recordings with long names
    assert archive("/api/feedback", method="POST", body=mark).status == 200


@pytest.mark.parametrize(
    ("term", "status"),
    [
        ("like:", 400),
        ("like:a", 400),
        ("like:nobody@1-2", 404),
        ("like:a@2-1", 400),
        ("like:a@1-1.1", 400),
        ("like:a@900-901", 400),
        ("like:../../etc/passwd.sound@1-2", 404),
        ("like:" + "+".join(["a@4.0-4.6"] * 11), 400),
        ("spreewald AND und like:a@4.0-4.6", 400),
        ("spreewald like:nobody@1-2", 404),
    ],
)
def test_what_is_no_example_is_refused(archive, term, status):
    assert archive("/api/search", term=term).status == status
    assert archive("/", term=term).status == 200  # with the problem in the place of results


def test_an_index_without_sound_offers_nothing(client):
    (hit, *_) = client("/api/search", term="spreewald").json["hits"]
    assert hit["like"] is None
    assert client("/api/search", term="like:KERSTIN_00@1-2").status == 400
