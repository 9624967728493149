"""The application: routes of the API and of the page, behind the guard and the log."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from service.api import (
    alerts,
    audio,
    corrections,
    counts,
    exports,
    feedback,
    operation,
    recordings,
    search,
    sharing,
    term_lists,
    uploads,
)
from service.api.models import REFERENCED
from service.metrics import Metrics, Record
from service.middleware import Bounded, Guard, path_of
from service.page import routes as page
from service.problems import add_handlers
from service.state import Service
from std import __version__

PACKED = ("/api/audio/", "/api/clips/", "/api/export", "/api/searches")  # not compressed again
FAST = 1  # 0.14 ms for the answer to a search; level 5 takes 0.36 ms for an eighth less

TOKEN = "the content of the file of --token-file; without this option no token is asked for"

PLACE = {"term": "die", "recording": "KERSTIN_00", "start": 21.345, "end": 21.45}
PARAMETERS: dict[str, Any] = {  # examples by name, of an archive that has KERSTIN_00
    "at": 12.4, "before": "die", "end": 22.0, "from": 12.0, "inflections": True,
    "min_probability": 0.5, "q": "die", "recording": "KERSTIN_00", "start": 21.0, "term": "die",
    "text": "poli", "to": 14.0,
}  # fmt: skip
OF_OPERATION: dict[str, dict[str, Any]] = {
    "facets": {"facet": "recording", "text": "kerstin"},
    "oembed": {"url": "/recordings/KERSTIN_00?term=die&at=21.345&until=21.45"},
    "units": {"term": "die NEAR/5s polizei"},
    "counts": {"name": "names.txt"},
    "upload": {"name": "interview.vtt", "title": "An interview", "date": "2024-01-31"},
    "describe": {"name": "interview"},
    "delete": {"name": "interview"},
    "restore": {"name": "interview"},
    "export": {"format": "csv"},
    "stop_watching": {"term": "rathaus"},
}
BODIES: dict[str, Any] = {
    "searches": {"terms": ["polizei gewalt", "hahnenfedern"], "min_probability": 0.05},
    "counts": "polizei\nhahnenfedern\n",
    "correct": {"from": 12.3, "to": 12.9, "words": "Rathaus Mitte"},
    "correct_everywhere": {
        "before": "die", "after": "da", "places": [{"recording": "KERSTIN_00", "start_s": 21.345}],
    },
    "mark": PLACE | {"right": True},
    "unmark": PLACE,
    "upload": "WEBVTT\n\n00:00.000 --> 00:02.000\nGood morning everyone\n",
    "describe": {"metadata": {"title": "Evening news"}},
    "watch": {"term": "rathaus"},
}  # fmt: skip


def _add_examples(described: dict[str, Any]) -> None:
    """Add an example of each required parameter, and of the body."""
    name = described["operationId"]
    examples = PARAMETERS | OF_OPERATION.get(name, {})
    for parameter in described.get("parameters", ()):
        if (example := examples.get(parameter["name"], "")) != "":
            is_list = parameter["schema"].get("type") == "array"
            parameter["example"] = [example] if is_list else example
    for content in list(described.get("requestBody", {}).get("content", {}).values())[:1]:
        content["example"] = BODIES[name]


class Application(FastAPI):
    """An application whose OpenAPI document includes the schemas that routes only refer to."""

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document."""
        document = super().openapi()
        for model in REFERENCED:
            document["components"]["schemas"].setdefault(model.__name__, model.model_json_schema())
        for methods in document["paths"].values():
            for described in methods.values():
                _add_examples(described)
        scheme = {"type": "http", "scheme": "bearer", "description": TOKEN}
        document["components"]["securitySchemes"] = {"token": scheme}
        document["security"] = [{}, {"token": []}]
        return document


def create_app(service: Service, log: Callable[[str], None] | None = None) -> FastAPI:
    """The ASGI application of a service.

    Args:
        service: to serve.
        log: takes a line of JSON about each request; None = no log.
    """
    metrics = Metrics()

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        service.start()
        yield
        service.close()

    app = Application(
        title="std: spoken terms",
        description="Find places where words were said, hear them, judge them.",
        version=__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        telemetry={"tracing": False, "metrics": False, "logs": False},  # nothing is sent to anybody
        redirect_slashes=False,  # an empty name must not become another operation
        generate_unique_id_function=lambda route: route.name,  # names of a generated client
        lifespan=life,
        middleware=[
            Middleware(Record, metrics, log),
            Middleware(Bounded, service.settings),
            Middleware(Guard, service.settings, service.users, service.audit_log),
            Middleware(Compressed),
        ],
    )
    app.state.service, app.state.metrics = service, metrics
    add_handlers(app, service.settings.without_folders)
    for part in (
        search,
        term_lists,
        counts,
        recordings,
        sharing,
        corrections,
        audio,
        feedback,
        exports,
        uploads,
        alerts,
        operation,
    ):
        app.include_router(part.router)
    page.add_page(app)
    return app


class Compressed:
    """Compresses texts for browsers; audio and archives are compressed already."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._gzip = GZipMiddleware(app, minimum_size=1000, compresslevel=FAST)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self._gzip if _wants_packed_text(scope) else self._app)(scope, receive, send)


def _wants_packed_text(scope: Scope) -> bool:
    """Whether a request is for text, from a client that accepts gzip."""
    if scope["type"] != "http" or path_of(scope).startswith(PACKED):
        return False
    return any(b"gzip" in value for name, value in scope["headers"] if name == b"accept-encoding")
