"""Recordings and hits on other pages: IIIF's manifests, and players by oEmbed."""

import html
import re
from dataclasses import replace

import pytest

TOKEN = "a-secret-of-enough-letters"


def test_a_recording_is_an_iiif_manifest(client):
    """What Presentation 3.0 requires of an audio manifest, and Content Search 2.0 of an answer.

    Both are what iiif-prezi3 3.1.1 reads. The schema of IIIF's validator
    (github.com/IIIF/presentation-validator, schema/iiif_3_0.json) accepts the manifest and the
    annotations; of the answer it lacks what only Content Search has: ``startIndex``, and
    ``partOf`` as one object.
    """
    answer = client("/api/recordings/KERSTIN_00/manifest")
    assert answer.headers["content-type"].startswith("application/ld+json;profile=")
    whole = answer.json
    assert whole["@context"][-1] == "http://iiif.io/api/presentation/3/context.json"
    assert (whole["type"], whole["label"]) == ("Manifest", {"none": ["Radio lesson 1"]})
    assert {"label": {"en": ["date"]}, "value": {"none": ["2019-03"]}} in whole["metadata"]
    (canvas,) = whole["items"]
    (page,) = canvas["items"]
    (sound,) = page["items"]
    assert (canvas["type"], page["type"], sound["type"]) == (
        "Canvas", "AnnotationPage", "Annotation",
    )  # fmt: skip
    assert (sound["motivation"], sound["target"]) == ("painting", canvas["id"])
    assert isinstance(canvas["duration"], float)
    assert (sound["body"]["type"], sound["body"]["format"]) == ("Sound", "audio/ogg")
    assert len({one["id"] for one in (whole, canvas, page, sound, sound["body"])}) == 5
    for address in (sound["body"]["id"], whole["rendering"][0]["id"], whole["id"]):
        assert client(address.removeprefix(client.url)).status == 200
    (search,) = whole["service"]
    assert search["type"] == "SearchService2"
    found = client(search["id"].removeprefix(client.url), q="die", user="x").json
    assert (found["type"], found["ignored"]) == ("AnnotationPage", ["user"])
    hits = client("/api/search", term="die", recording="KERSTIN_00").json
    assert found["partOf"]["last"]["id"] == found["partOf"]["first"]["id"] == found["id"]
    assert found["partOf"]["total"] == len(found["items"]) == hits["total"] > 3
    first = hits["hits"][0]
    begin, _, end = found["items"][0]["target"].partition("#t=")[2].partition(",")
    assert (float(begin), float(end)) == pytest.approx(
        (first["start_s"], first["start_s"] + first["duration_s"])
    )
    assert first["context"][1] in found["items"][0]["body"]["value"]
    assert found["items"][0]["target"].startswith(canvas["id"])


@pytest.fixture(scope="module")
def framed(serve, german_settings):
    """A service whose hits a page of one origin may show, and that asks for a token."""
    settings = replace(german_settings, frames=("https://blog.example",), token=TOKEN)
    with serve(settings) as one:
        yield one


def player(framed, **query):
    """The oEmbed of a hit, and the address of its frame below the service's."""
    query.setdefault("url", f"{framed.url}/recordings/KERSTIN_00?term=die&at=21.345&until=21.45")
    answer = framed("/api/oembed", headers={"Authorization": f"Bearer {TOKEN}"}, **query)
    (source,) = re.findall(r'src="([^"]+)"', answer.json["html"])
    return answer.json, html.unescape(source).removeprefix(framed.url)


def test_a_hit_is_a_player_on_another_page(framed):
    """oEmbed 1.0, 2.3.4.4; the frame needs neither script nor token, only its ticket."""
    known, path = player(framed, maxwidth=400)
    assert (known["version"], known["type"], known["width"]) == ("1.0", "rich", 400)
    shown = framed(path)
    assert shown.status == 200
    policy = shown.headers["content-security-policy"]
    assert policy.endswith("frame-ancestors https://blog.example")
    assert "script-src" not in policy
    text = shown.body.decode()
    assert "<mark>die</mark>" in text
    (clip,) = re.findall(r'src="([^"]+)"', text)
    sound = framed(html.unescape(clip), headers={"Range": "bytes=0-3"})
    assert (sound.status, sound.body) == (206, b"OggS")
    assert "from=20.345" in clip


def test_the_ticket_of_a_frame_opens_its_stretch_only(framed):
    _, path = player(framed)
    assert framed(path).status == 200
    other = path.replace("KERSTIN_00", "KERSTIN_01")
    twice, longer = f"{path}&from=1", path.replace("to=21.450", "to=40.000")
    sound = path.replace("/embed/", "/api/audio/")
    for refused in (other, twice, longer, sound, path.partition("&ticket")[0]):
        assert framed(refused).status == 401, refused
    assert framed("/api/oembed", url="/recordings/KERSTIN_00?at=1").status == 401


def test_a_frame_tells_its_reader_what_is_wrong(serve, german_settings):
    open_to_all = serve(replace(german_settings, frames=("https://blog.example",)))
    with open_to_all as framed:
        for path, status, told in (
            ("/embed/gone?from=1&to=2", 404, "no recording has the id &#39;gone&#39;"),
            ("/embed/KERSTIN_00?from=2&to=1", 400, "expected a stretch"),
            ("/embed/KERSTIN_00?from=x&to=1", 422, "from: expected a number"),
            ("/embed/KERSTIN_00?from=1", 422, "to: expected a number"),
        ):
            shown = framed(path)
            assert (shown.status, shown.headers["content-type"][:9]) == (status, "text/html")
            policy = shown.headers["content-security-policy"]
            assert policy.endswith("frame-ancestors https://blog.example")
            assert told in shown.body.decode()


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"url": "https://blog.example/recordings/KERSTIN_00?at=1"}, 404),
        ({"url": "/recordings/nobody?at=1"}, 404),
        ({"url": "/recordings/KERSTIN_00"}, 404),
        ({"url": "/recordings/KERSTIN_00?at=1e3"}, 404),
        ({"url": "/recordings/KERSTIN_00?at=1", "format": "xml"}, 501),
        ({"url": "/recordings/KERSTIN_00?at=1", "maxwidth": "-1"}, 422),
        ({}, 422),
    ],
)
def test_what_is_no_hit_has_no_player(framed, query, status):
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert framed("/api/oembed", headers=headers, **query).status == status


def test_a_player_cannot_be_more_than_a_player(framed, client):
    known, path = player(framed, url='/recordings/KERSTIN_12?at=1&term="><script>x()</script>')
    assert "<script" not in known["html"] + framed(path).body.decode()
    assert known["html"].count("<") == 2
    assert client("/api/oembed", url="/recordings/KERSTIN_00?at=1").status == 403  # not allowed
    assert client("/embed/KERSTIN_00", from_=1, to=2).status == 403
