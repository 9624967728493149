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


def test_places_like_an_example_are_exported_and_marked(archive):
    rows = archive("/api/export", format="csv", term="like:a@4.0-4.6", min_probability=0.5)
    assert len(rows.body.splitlines()) == 3
    found = archive("/api/search", term="like:a@4.0-4.6", min_probability=0.5).json["hits"][0]
    mark = {"term": found["term"], "recording": found["recording_id"], "start": found["start_s"]}
    mark |= {"end": found["start_s"] + found["duration_s"], "right": False}
    assert archive("/api/feedback", method="POST", body=mark).status == 200
    again = archive("/api/search", term="like:a@4.0-4.6", min_probability=0.5).json["hits"]
    assert [hit["right"] for hit in again].count(False) == 1


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
    ],
)
def test_what_is_no_example_is_refused(archive, term, status):
    assert archive("/api/search", term=term).status == status
    assert archive("/", term=term).status == 200  # with the problem in the place of results


def test_an_index_without_sound_offers_nothing(client):
    (hit, *_) = client("/api/search", term="spreewald").json["hits"]
    assert hit["like"] is None
    assert client("/api/search", term="like:KERSTIN_00@1-2").status == 400
