"""More like this: a hit, a stretch, or what is marked right, as an example of a term."""

import json

import numpy as np
import pytest

from indexer import index_files
from service.settings import Settings
from std.sound import files
from std.sound.columns import Encoder, Sound
from std.values import Recording

RANDOM = np.random.default_rng(3)
WORD = RANDOM.integers(0, 256, (30, 32)).astype(np.uint8)  # .6 s
AT_S = {"a": 4.0, "b": 10.0, "c": 16.0}


@pytest.fixture(scope="module")
def archive(tmp_path_factory, serve):
    """Three recordings in each of which one word is said; b has words of a recogniser."""
    folder = tmp_path_factory.mktemp("sound")
    networks = folder / "networks"
    networks.mkdir()
    for file, at_s in AT_S.items():
        frames = RANDOM.integers(0, 256, (1000, 32)).astype(np.uint8)
        first = round(50 * at_s)
        frames[first : first + len(WORD)] = WORD
        sound = Sound(Recording(file, 1), Encoder("whisper", "aa"), frames)
        path = networks / files.sound_name(sound.recording)
        path.write_bytes(files.header(sound) + frames.tobytes())
    words = [("dem", 9.6), ("spreewald", 10.1), ("und", 11.0)]
    slots = [{"s": s, "e": s + 0.4, "eps": 0.1, "w": [[w, 0.9, s, s + 0.4]]} for w, s in words]
    line = {"utt": "b-1", "file": "b", "channel": 1, "start": 0, "end": 20, "slots": slots}
    (networks / "b.jsonl").write_text(json.dumps(line) + "\n")
    index_files(networks, folder / "index", language="de")
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
    assert "like those marked right" not in page
    mark = {"term": "spreewald", "recording": "b", "start": 10.1, "end": 10.5, "right": True}
    assert archive("/api/feedback", method="POST", body=mark).status == 200
    found = archive("/api/search", term="spreewald").json
    assert found["like_right"] == hit["like"]
    assert "like those marked right" in archive("/", term="spreewald").body.decode()


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
