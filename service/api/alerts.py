"""Standing searches: new hits, as documents and as feeds; terms that people add."""

import hashlib
import html
from typing import Annotated, Any, Literal
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from service.alerts import SHOWN, Alerts
from service.api.models import PROBLEMS, Document, Probability, files
from service.api.requests import base_of, has_version, json_reply, service_of
from service.examples import is_phrase
from service.problems import ProblemError
from service.recordings import recording_id
from service.searching import checked
from service.users import feed_ticket
from std.nist.xml import writable
from std.numbers import clock, json_bytes
from std.values import Recording

ATOM_TYPE, JSON_FEED_TYPE = "application/atom+xml", "application/feed+json"


class AlertDocument(Document):
    """A new hit of a standing search."""

    term: str
    file: str
    channel: int
    start_s: float
    duration_s: float
    probability: Probability
    context: tuple[str, str, str]
    new: bool
    time: str
    recording_id: str


class AlertsDocument(Document):
    """New hits of the standing searches."""

    terms: list[str]
    hits: list[AlertDocument]
    can_change: bool = Field(description="whether terms can be added and removed here")
    feed_ticket: str = Field(description="ticket for feeds, whose readers send no token")
    trouble: str = Field(description="why new hits could not be posted")


class AlertRequest(Document):
    """A term to watch."""

    term: str = Field(min_length=1, max_length=2000, examples=["polizei"])


router = APIRouter(prefix="/api/alerts", tags=["alerts"], responses=PROBLEMS)


@router.get("", response_model=AlertsDocument)
async def alerts(request: Request) -> Response:
    """New hits of the terms of ``--alerts``, the newest first."""
    return json_reply(_document(request))


@router.post("", response_model=AlertsDocument)
async def watch(request: Request, wanted: AlertRequest) -> Response:
    """Watch a term from now on; the list of ``--alerts`` must be a text file."""
    service = service_of(request)
    standing = _changeable(request)
    (term,) = checked([wanted.term], service.snapshot, service.limits, 1)
    if not is_phrase(term, service.snapshot):
        raise ProblemError(400, f"expected a word or a phrase to watch, got a query: {term[:80]!r}")
    await run_in_threadpool(standing.add, term)
    return json_reply(_document(request))


@router.delete("", response_model=AlertsDocument)
async def stop_watching(request: Request, term: Annotated[str, Query(min_length=1)]) -> Response:
    """Stop watching a term."""
    standing = _changeable(request)
    await run_in_threadpool(standing.remove, term)
    return json_reply(_document(request))


@router.get("/feed", response_class=Response, responses=files(ATOM_TYPE, JSON_FEED_TYPE))
async def feed(
    request: Request,
    form: Annotated[Literal["atom", "json"], Query(alias="format")] = "atom",
    term: Annotated[str, Query(description="new hits of this term only")] = "",
    ticket: Annotated[str, Query(description="the ticket, in place of the token")] = "",
) -> Response:
    """New hits as a feed: Atom (RFC 4287) or JSON Feed 1.1, the newest first."""
    base = base_of(request)
    own = f"{base}/api/alerts/feed?" + urlencode(
        {"format": form} | ({"term": term} if term else {})
    )
    hits = [hit for hit in _document(request)["hits"] if not term or hit["term"] == term]
    title = f"New hits of {term}" if term else "New hits of standing searches"
    items = [_item(hit, base) for hit in hits]
    if form == "json":
        document = {
            "version": "https://jsonfeed.org/version/1.1",
            "title": title,
            "home_page_url": f"{base}/",
            "feed_url": own,
            "items": items,
        }
        content, kind = json_bytes(document), JSON_FEED_TYPE
    else:
        content, kind = _atom(title, base, own, items).encode(), ATOM_TYPE
    etag = f'W/"{hashlib.sha256(content).hexdigest()[:16]}"'  # weak: it may be compressed
    kept = {"ETag": etag, "Cache-Control": "private, no-cache"}
    if has_version(request, etag):
        return Response(status_code=304, headers=kept)
    return Response(content, media_type=kind, headers=kept)


def _item(hit: dict[str, Any], base: str) -> dict[str, str]:
    """A hit as an item of JSON Feed."""
    at = f"{hit['start_s']:.2f}"
    place = f"{base}/recordings/{hit['recording_id']}?at={at}"
    share = f"{100 * hit['probability']:.0f} %"
    return {
        "id": f"{place}&term={quote(hit['term'], safe='')}",
        "url": f"{place}&term={quote(hit['term'], safe='')}",
        "title": f"{hit['term']}: {hit['file']}, {clock(hit['start_s'])}",
        "content_text": f"{' '.join(hit['context'])} ({share} likely)",
        "date_published": hit["time"],
    }


def _atom(title: str, base: str, own: str, items: list[dict[str, str]]) -> str:
    newest = items[0]["date_published"] if items else "1970-01-01T00:00:00Z"
    entries = "".join(
        f"<entry><id>{_text(one['id'])}</id><title>{_text(one['title'])}</title>"
        f'<link href="{_text(one["url"])}"/><updated>{_text(one["date_published"])}</updated>'
        f"<summary>{_text(one['content_text'])}</summary></entry>\n"
        for one in items
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<id>{_text(own)}</id><title>{_text(title)}</title>\n"
        f'<link rel="self" href="{_text(own)}"/><link rel="alternate" href="{_text(base)}/"/>\n'
        f"<updated>{_text(newest)}</updated>"
        f"<author><name>std</name></author>\n{entries}</feed>\n"
    )


def _text(text: str) -> str:
    """A text for XML."""
    return html.escape(writable(text))


def _changeable(request: Request) -> Alerts:
    """The standing searches, if terms can be added.

    Raises:
        ProblemError: there are no standing searches, or their list is not a text file.
    """
    standing = service_of(request).alerts
    if standing is None:
        raise ProblemError(403, "nothing can be watched: std-serve --alerts FILE.txt keeps a list")
    if not standing.can_change:
        raise ProblemError(403, "the list of --alerts is no text (.txt): edit it where it is")
    return standing


def _document(request: Request) -> dict[str, Any]:
    service = service_of(request)
    standing = service.alerts
    if standing is None:
        nothing: dict[str, Any] = {"terms": [], "hits": [], "can_change": False}
        return nothing | {"feed_ticket": "", "trouble": ""}
    hits = [
        line | {"recording_id": recording_id(Recording(line["file"], line["channel"]))}
        for line in reversed(standing.told[-SHOWN:])
    ]
    token = service.secret
    return {
        "terms": standing.terms,
        "hits": hits,
        "can_change": standing.can_change,
        "feed_ticket": feed_ticket(token) if token else "",
        "trouble": standing.trouble,
    }
