"""Addresses of the page.

/                    the search page, with results where no token is needed
/page/facet          values of a facet beyond those that the results show
/page/results        the results alone, which replace earlier ones on the page
/recordings          all recordings, to browse
/recordings/{id}     the view of a recording; its parts come from the API
/embed/{id}          a hit and its player, for a frame on a page of somebody else
/lists               a list of terms, counted
/api/docs            the API for people
/static/...          style and scripts
"""

import hashlib
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, FastAPI, Request
from jinja2 import Environment
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles

from service.answers import MANY_VALUES, facet_document, units_document
from service.api.audio import stretch_of
from service.api.counts import found_forms, found_values
from service.api.operation import health_of
from service.api.requests import base_of, beside_others, entry_of, position, service_of
from service.api.search import found_units, searched
from service.api.sharing import AFTER_S, BEFORE_S, PAGES, framed, require_frames
from service.examples import is_phrase, more_like, typed_terms
from service.page.view import (
    PER_PAGE,
    WITHIN,
    PageState,
    around,
    duration,
    expectation,
    found_as,
    is_certain,
    lines_of,
    page_state,
    percent,
    request_of,
    results_of,
    values_of,
)
from service.problems import ProblemError, as_problem, response
from service.recordings import browsed
from service.users import CLIPS_PATH, ROLES, stretch_ticket
from std.display.rows import templates
from std.errors import StdError
from std.numbers import about, clock, length
from std.terminal import printable

LISTED = 200  # recordings on the first page
CONTEXT_S = 6.0  # of a hit in a frame: words before and after it
HERE = Path(__file__).parent

router = APIRouter(include_in_schema=False)


@cache
def page_templates() -> Environment:
    """The templates of the page and their filters."""
    environment = templates("service.page", "templates")
    environment.filters |= {"clock": clock, "duration": duration, "hms": length, "shown": printable}
    environment.filters |= {"about": about, "expectation": expectation, "percent": percent}
    environment.filters |= {"typed": typed_terms, "values": values_of}
    environment.globals |= {"found_as": found_as, "is_certain": is_certain, "more_like": more_like}
    environment.globals |= {"request_of": request_of, "word_kinds": WITHIN}
    return environment


@cache
def version() -> str:
    """A version that changes with scripts and styles, so browsers may cache them for ever."""
    content = hashlib.sha256()
    for path in sorted((HERE / "static").iterdir()):
        content.update(path.read_bytes())
    return content.hexdigest()[:12]


def render(request: Request, name: str, status: int = 200, **values: Any) -> Response:
    """Render a template as a response."""
    service = service_of(request)
    root = request.scope.get("root_path", "")
    text = (
        page_templates()
        .get_template(name)
        .render(
            root=root,
            static=f"{root}/static/{version()}",
            needs_token=bool(service.secret),
            may=" ".join(role for role in ROLES if request.state.user.may(role)),
            marks_kept=service.marks.is_kept,
            uploads_allowed=service.uploads is not None,
            corrections_allowed=service.settings.allow_corrections,
            frames_allowed=bool(service.settings.frames),
            **values,
        )
    )
    return HTMLResponse(text, status)


@router.get("/")
async def search_page(request: Request) -> Response:
    """The search page."""
    service = service_of(request)
    state = page_state(request.query_params.multi_items())
    show = not service.secret
    entries = service.snapshot.recordings.entries
    page = partial(
        render,
        request,
        "search.html",
        state=state,
        **watching(request, state),
        health=health_of(service),
        recordings=len(entries) if show else None,
        speech_s=sum(entry.speech_s for entry in entries) if show else None,
        entries=entries[:LISTED] if show else (),
        no_audio=show and not any(entry.audio for entry in entries),
    )
    if not (show and state.terms):
        return page(results=None)
    return await with_results(request, state, page)


@router.get("/page/results")
async def results_part(request: Request) -> Response:
    """The results of a search, without the page around them."""
    state = page_state(request.query_params.multi_items())
    page = partial(render, request, "results.html", state=state, **watching(request, state))
    return await with_results(request, state, page)


@router.get("/page/facet")
async def facet_part(request: Request) -> Response:
    """Values of one facet: those that have a text in them, or those after the ones shown."""
    query, service = request.query_params, service_of(request)
    state = page_state(query.multi_items())
    name, text, first = (query.get(one, "") for one in ("facet", "text", "first"))
    begin, wish = position(first), state.wish(service.snapshot)
    values, titles = await found_values(service, request, [*state.terms], wish, name, text)
    end = begin + MANY_VALUES
    return render(
        request,
        "facet.html",
        state=state,
        facet=name,
        values=[facet_document(one) for one in values[begin:end]],
        names=titles,
        text=text[:200],
        left=max(0, len(values) - end),
        following=f"{state.query()}&{urlencode({'facet': name, 'text': text, 'first': end})}",
    )


@router.get("/page/forms")
async def forms_part(request: Request) -> Response:
    """Links to the related forms of a search's terms; nothing if there are none."""
    state, service = page_state(request.query_params.multi_items()), service_of(request)
    where = state.wish(service.snapshot).where
    found = await found_forms(service, request, state.terms, where)
    return render(request, "forms.html", state=state, found=found)


def watching(request: Request, state: PageState) -> dict[str, bool]:
    """Whether the terms of a search may be watched, and whether all of them are."""
    service = service_of(request)
    standing = service.alerts
    if standing is None or not standing.can_change:
        return {"may_watch": False, "is_watched": False}
    may_watch = all(is_phrase(term, service.snapshot) for term in state.terms)
    return {"may_watch": may_watch, "is_watched": all(map(standing.watches, state.terms))}


async def with_results(
    request: Request, state: PageState, page: Callable[..., Response]
) -> Response:
    """A page with the results of a search, or with an error.

    Args:
        page: renders the page from ``results``, in a thread of the search.
    """
    service = service_of(request)
    try:
        if state.unit != "place" and len(state.terms) == 1:
            snapshot = service.snapshot  # that `found_units` searches
            found = await found_units(
                service, request, state.terms[0], state.unit, state.min_probability, state.where
            )
            first = state.cursor if state.cursor < len(found) else 0
            units = units_document(found, snapshot, first, PER_PAGE)
            return page(results={"problem": "", "first": first} | units)
        return await searched(
            service,
            request,
            [*state.terms],
            state.wish(service.snapshot),
            lambda snapshot, selection: page(
                results=results_of(selection, snapshot, service.marks, state.cursor)
            ),
            state.cursor + PER_PAGE,
        )
    except (ProblemError, StdError) as error:
        told = as_problem(error) if isinstance(error, StdError) else error
        return page(results={"problem": service.settings.without_folders(str(told))})


@router.get("/recordings/{recording}")
async def recording_page(request: Request, recording: str) -> Response:
    """The page of a recording; with a token, only the API gives its content."""
    service = service_of(request)
    oembed = urlencode({"url": f"{base_of(request)}{PAGES}{quote(recording)}?{request.url.query}"})
    page = partial(
        render,
        request,
        "recording.html",
        id=recording[:200],
        oembed=f"{base_of(request)}/api/oembed?{oembed}",
    )
    entry = None if service.secret else service.snapshot.recordings.by_id.get(recording)
    if entry is None and not service.secret:
        return render(request, "gone.html", 404, id=recording[:200])
    if entry is None or "words" not in request.query_params:
        return page(entry=entry, lines=None, notes=())
    index, notes = service.snapshot.index, service.marks.notes(entry.recording)
    return await beside_others(
        request,
        lambda: page(entry=entry, lines=lines_of(index.words(entry.recording)), notes=notes),
    )


@router.get("/embed/{recording}")
async def embedded(request: Request, recording: str) -> Response:
    """A hit with the words around it and its sound; needs no script."""
    service = service_of(request)
    require_frames(service)
    try:
        entry = entry_of(service, recording)
        from_s, to_s = stretch_of(request, service.limits.clip_s - BEFORE_S - AFTER_S)
    except ProblemError as error:
        page = render(request, "embed.html", error.status, problem=error.detail)
        return framed(page, service.settings.frames)
    index = service.snapshot.index
    said = await beside_others(
        request, lambda: index.words(entry.recording, from_s - CONTEXT_S, to_s + CONTEXT_S)
    )
    clip = {"from": f"{max(0.0, from_s - BEFORE_S):.3f}", "to": f"{to_s + AFTER_S:.3f}"}
    if service.secret:
        path = f"{CLIPS_PATH}{entry.id}"
        clip["ticket"] = stretch_ticket(service.secret, path, *clip.values())
    terms = [("term", term) for term in request.query_params.getlist("term")]
    page = render(
        request,
        "embed.html",
        problem="",
        entry=entry,
        from_s=from_s,
        around=around(said, from_s, to_s),
        clip=urlencode(clip) if entry.audio else "",
        query=urlencode([*terms, ("at", f"{from_s:.3f}"), ("until", f"{to_s:.3f}")]),
    )
    return framed(page, service.settings.frames)


@router.get("/recordings")
async def recordings_page(request: Request) -> Response:
    """The page of all recordings; with a token, only `/page/recordings` gives the list."""
    if service_of(request).secret:
        return render(request, "recordings.html", browsed=None)
    return await _browsed(request, "recordings.html")


@router.get("/page/recordings")
async def recordings_part(request: Request) -> Response:
    """The list of recordings, without the page around it."""
    return await _browsed(request, "browse.html")


async def _browsed(request: Request, template: str) -> Response:
    """The list of recordings, made beside other requests."""
    service = service_of(request)
    entries = service.snapshot.recordings.entries

    def page() -> Response:
        found = browsed(entries, request.query_params, service.marks.noted())
        return render(request, template, browsed=found)

    return await beside_others(request, page)


@router.get("/lists")
async def lists_page(request: Request) -> Response:
    """A list of terms, counted by recording and year."""
    return render(request, "lists.html")


@router.get("/api/docs")
async def docs(request: Request) -> Response:
    """The API described for people, from its OpenAPI document."""
    document = request.app.openapi()
    operations = [
        (path, method.upper(), operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    return render(request, "docs.html", document=document, operations=operations)


class StaticForEver(StaticFiles):
    """Static files, with their version in the address."""

    async def get_response(self, path: str, scope: Any) -> Response:
        _, _, name = path.partition("/")
        response = await super().get_response(name, scope)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


async def nowhere(request: Request, error: Exception) -> Response:
    """An address that does not exist: a page for people, a problem for programs."""
    wants_page = "text/html" in request.headers.get("Accept", "")
    if wants_page and not request.url.path.startswith(f"{request.scope.get('root_path', '')}/api/"):
        return render(request, "gone.html", 404, id="")
    return response(404, str(getattr(error, "detail", error)))


def add_page(app: FastAPI) -> None:
    """Add the page to an application."""
    app.include_router(router)
    app.add_exception_handler(404, nowhere)
    app.mount("/static", StaticForEver(directory=HERE / "static"), name="static")
