"""The search service: an index in a browser, and for programs as a REST API (`std-serve`).

    cli            arguments in, an address out          server      uvicorn on a socket of ours
    app            the routes behind guard and record    middleware  who may ask, how much, the log
    page/          templates and scripts                 api/        JSON, described by OpenAPI
    answers        what both show of a search            exports     hits as files
    state          the parts of a running service
    searching      terms -> hits, filtered and counted   marks, alerts   judged, new hits
    live_index     the newest snapshot of the index      recordings  ids, audio files, metadata
    jobs           bounded threads; work that stops      audio/      samples, waveforms, clips
    processes      known words on all processors

It uses the public API of `searcher` and what `std` has; nothing imports it. From Python:

    from service import Settings, Service, create_app

    app = create_app(Service(Settings(("INDEX",))))     # any ASGI server runs it
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from service.app import create_app
    from service.settings import Limits, Settings
    from service.state import Service

__all__ = ["Limits", "Service", "Settings", "create_app"]

# --help needs neither FastAPI nor numpy: names are looked up when asked for.
_MODULES = {"create_app": "app", "Limits": "settings", "Settings": "settings", "Service": "state"}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'service' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"service.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
