"""The application: routes of the API and of the page, behind the guard and the log."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from starlette.middleware import Middleware

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
    term_lists,
    uploads,
)
from service.api.models import REFERENCED
from service.metrics import Metrics, Record
from service.middleware import Bounded, Compressed, Guard
from service.page import routes as page
from service.problems import add_handlers
from service.state import Service
from std import __version__

TOKEN = "the content of the file of --token-file; without this option no token is asked for"


class Application(FastAPI):
    """An application whose OpenAPI document includes the schemas that routes only refer to."""

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document."""
        document = super().openapi()
        for model in REFERENCED:
            document["components"]["schemas"].setdefault(model.__name__, model.model_json_schema())
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
    add_handlers(app)
    for part in (
        search,
        term_lists,
        counts,
        recordings,
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
