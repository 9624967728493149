"""Recordings and hits for viewers and pages of others.

IIIF     a recording as a manifest, by Presentation 3.0 (https://iiif.io/api/presentation/3.0/), and
         the search in it, by Content Search 2.0 (https://iiif.io/api/search/2.0/)
oEmbed   a hit as a player in a frame (https://oembed.com/); `service.page.routes` shows it
"""

import html
import re
import time
from collections.abc import Sequence
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl, quote, unquote, urlencode

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from service.answers import selected_documents
from service.api.models import PROBLEMS, Document
from service.api.requests import base_of, entry_of, json_reply, position, service_of
from service.api.search import searched, wish_of
from service.problems import ProblemError
from service.recordings import RecordingEntry
from service.state import Service
from service.users import EMBED_PATH, TICKET_S, stretch_ticket, ticket
from std.config import SHOWN_FROM

PRESENTATION = "http://iiif.io/api/presentation/3/context.json"
CONTENT_SEARCH = "http://iiif.io/api/search/2/context.json"
PAGES = "/recordings/"
PAGE = 100  # annotations of an answer
LIST = {"content": {"application/ld+json": {"schema": {"type": "object"}}}}

router = APIRouter(prefix="/api", tags=["recordings"], responses=PROBLEMS)


@router.get("/recordings/{recording}/manifest", response_class=Response, responses={200: LIST})
async def manifest(request: Request, recording: str) -> Response:
    """The recording as an IIIF manifest: title, metadata, sound, transcript, search in it."""
    entry = entry_of(service_of(request), recording)
    here = _address(request, entry)
    duration_s = float(entry.metadata.get("audio_s") or entry.speech_s)
    canvas = {
        "id": f"{here}/canvas",
        "type": "Canvas",
        "duration": duration_s,
        "items": [
            {
                "id": f"{here}/canvas/sound",
                "type": "AnnotationPage",
                "items": _sound(request, entry, duration_s),
            }
        ],
        "annotations": [
            {
                "id": f"{here}/canvas/transcript",
                "type": "AnnotationPage",
                "items": [
                    {
                        "id": f"{here}/canvas/transcript/1",
                        "type": "Annotation",
                        "motivation": "supplementing",
                        "body": _transcript(here, entry),
                        "target": f"{here}/canvas",
                    }
                ],
            }
        ],
    }
    described = [
        {"label": {"en": [name]}, "value": {"none": [value]}}
        for name, value in entry.described.items()
        if value
    ]
    document = {
        "@context": [CONTENT_SEARCH, PRESENTATION],
        "id": f"{here}/manifest",
        "type": "Manifest",
        "label": {"none": [entry.title]},
        **({"metadata": described} if described else {}),
        "rendering": [_transcript(here, entry)],
        "service": [{"id": f"{here}/manifest/search", "type": "SearchService2"}],
        "items": [canvas],
    }
    return _linked_data(document, PRESENTATION)


@router.get(
    "/recordings/{recording}/manifest/search", response_class=Response, responses={200: LIST}
)
async def manifest_search(
    request: Request,
    recording: str,
    q: Annotated[str, Query(min_length=1, description="a word, a phrase or a query")],
    cursor: str = "",
) -> Response:
    """Hits in the recording as IIIF annotations, the most probable first."""
    service, first = service_of(request), position(cursor)
    entry = entry_of(service, recording)
    wish = wish_of(service.snapshot, [entry.id], (), (), SHOWN_FROM, "probability")
    found, total = await searched(
        service,
        request,
        [q],
        wish,
        lambda snapshot, chosen: (
            selected_documents(chosen, snapshot, service.marks, first, first + PAGE),
            chosen.total,
        ),
        first + PAGE,
    )
    here = _address(request, entry)
    whole = f"{here}/manifest/search?{urlencode({'q': q})}"
    items = [_annotation(f"{whole}#{first + i}", here, hit) for i, hit in enumerate(found)]
    last = max(0, total - 1) // PAGE * PAGE
    document = {
        "@context": CONTENT_SEARCH,
        **_page_of(whole, first),
        "startIndex": first,
        "partOf": {
            "id": f"{whole}#all",
            "type": "AnnotationCollection",
            "total": total,
            "first": _page_of(whole, 0),
            "last": _page_of(whole, last),
        },
        "items": items,
    }
    if first:
        document["prev"] = _page_of(whole, max(0, first - PAGE))
    if first + PAGE < total:
        document["next"] = _page_of(whole, first + PAGE)
    if ignored := sorted({*request.query_params} - {"q", "cursor"}):
        document["ignored"] = ignored
    return _linked_data(document, CONTENT_SEARCH)


def _page_of(whole: str, first: int) -> dict[str, str]:
    """A reference to a page of annotations."""
    return {"id": f"{whole}&cursor={first}" if first else whole, "type": "AnnotationPage"}


def _address(request: Request, entry: RecordingEntry) -> str:
    return f"{base_of(request)}/api/recordings/{quote(entry.id)}"


def _transcript(here: str, entry: RecordingEntry) -> dict[str, Any]:
    text = {
        "id": f"{here}/transcript?format=vtt",
        "type": "Text",
        "format": "text/vtt",
        "label": {"en": ["Transcript"]},
    }
    return text | ({"language": entry.language} if entry.language else {})


def _sound(request: Request, entry: RecordingEntry, duration_s: float) -> list[dict[str, Any]]:
    """The annotation with the audio; none without audio. With a token, its ticket expires."""
    if entry.audio is None:
        return []
    here, secret = _address(request, entry), service_of(request).secret
    audio = f"{base_of(request)}/api/audio/{quote(entry.id)}"
    if secret:
        audio += f"?ticket={ticket(secret, entry.id, int(time.time()) + TICKET_S)}"
    body = {
        "id": audio,
        "type": "Sound",
        "format": entry.audio_type or "audio/ogg",
        "duration": duration_s,
    }
    return [
        {
            "id": f"{here}/canvas/sound/1",
            "type": "Annotation",
            "motivation": "painting",
            "body": body,
            "target": f"{here}/canvas",
        }
    ]


def _annotation(name: str, here: str, hit: dict[str, Any]) -> dict[str, Any]:
    """A hit as an annotation of its time in the recording."""
    end_s = hit["start_s"] + hit["duration_s"]
    return {
        "id": name,
        "type": "Annotation",
        "motivation": "supplementing",
        "body": {
            "type": "TextualBody",
            "value": " ".join(text for text in hit["context"] if text),
            "format": "text/plain",
        },
        "target": f"{here}/canvas#t={hit['start_s']:.3f},{end_s:.3f}",
    }


def _linked_data(document: dict[str, Any], profile: str) -> Response:
    return Response(
        json_reply(document).body, media_type=f'application/ld+json;profile="{profile}"'
    )


FRAME_WIDTH, FRAME_HEIGHT = 600, 180  # pixels
ONE_WORD_S = 1.0  # marked where an address names no end
BEFORE_S, AFTER_S = 1.0, 2.0  # that are heard around a hit
_NUMBER = re.compile(r"\d{1,6}(\.\d{1,3})?", re.ASCII)


class PlayerDocument(Document):
    """A hit as oEmbed: `html` has the frame."""

    version: Literal["1.0"]
    type: Literal["rich"]
    title: str
    provider_name: str
    provider_url: str
    width: int
    height: int
    html: str


@router.get("/oembed", response_model=PlayerDocument)
async def oembed(
    request: Request,
    url: Annotated[
        str,
        Query(max_length=4000, description="address of a recording's page at a hit, or its path"),
    ],
    maxwidth: Annotated[int, Query(ge=1)] = FRAME_WIDTH,
    maxheight: Annotated[int, Query(ge=1)] = FRAME_HEIGHT,
    format: str = "json",  # noqa: A002  # the protocol's name
) -> Response:
    """The player of a hit for somebody else's page, as oEmbed; needs `--allow-frame`."""
    service, base = service_of(request), base_of(request)
    require_frames(service)
    if format != "json":
        raise ProblemError(501, f"format: expected json, got {format[:40]!r}")
    entry, from_s, to_s, terms = _place(service, base, url)
    query = {"from": f"{from_s:.3f}", "to": f"{to_s:.3f}"}
    if service.secret:
        query["ticket"] = stretch_ticket(service.secret, EMBED_PATH + entry.id, *query.values())
    source = f"{base}{EMBED_PATH}{quote(entry.id)}?{urlencode([*query.items(), *terms])}"
    width, height = min(maxwidth, FRAME_WIDTH), min(maxheight, FRAME_HEIGHT)
    document = {
        "version": "1.0",
        "type": "rich",
        "title": entry.title,
        "provider_name": "Spoken terms",
        "provider_url": f"{base}/",
        "width": width,
        "height": height,
        "html": f'<iframe src="{html.escape(source)}" width="{width}" height="{height}" '
        f'title="{html.escape(entry.title)}" style="border: 0" loading="lazy"></iframe>',
    }
    return json_reply(document)


def require_frames(service: Service) -> None:
    """Refuse a request for a frame on another page, unless the operator allows frames.

    Raises:
        ProblemError: they are not allowed.
    """
    if not service.settings.frames:
        raise ProblemError(403, "other pages cannot show hits: std-serve --allow-frame allows it")


def framed(page: Response, frames: Sequence[str]) -> Response:
    """A page that pages of some origins may show in a frame."""
    policy = "default-src 'none'; style-src 'self'; media-src 'self'; base-uri 'none'; "
    policy += f"form-action 'none'; frame-ancestors {' '.join(frames)}"
    page.headers["Content-Security-Policy"] = policy
    page.headers["Cross-Origin-Resource-Policy"] = "cross-origin"  # for pages that require it
    return page


def _place(
    service: Service, base: str, url: str
) -> tuple[RecordingEntry, float, float, list[tuple[str, str]]]:
    """The recording, the stretch and the terms of an address of a recording's page.

    Raises:
        ProblemError: it is no address of this service, or names no hit.
    """
    path, _, query = url.partition("#")[0].partition("?")
    path = path.removeprefix(base)
    if not path.startswith(PAGES):
        raise ProblemError(404, f"url: expected {base}{PAGES}..., got {url[:80]!r}")
    entry = entry_of(service, unquote(path.removeprefix(PAGES)))
    pairs = parse_qsl(query)
    given = dict(pairs)
    at, until = given.get("at", ""), given.get("until", "")
    if not _NUMBER.fullmatch(at):
        raise ProblemError(404, "url: expected the address of a hit, with at=SECONDS")
    from_s = float(at)
    to_s = float(until) if _NUMBER.fullmatch(until) else from_s + ONE_WORD_S
    longest_s = service.limits.clip_s - BEFORE_S - AFTER_S
    if not from_s < to_s <= from_s + longest_s:
        to_s = from_s + ONE_WORD_S
    return entry, from_s, to_s, [pair for pair in pairs if pair[0] == "term"]
