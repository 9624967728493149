"""The search service: an index in a browser, and for programs as a REST API (`std-serve`).

    cli            arguments in, an address out          server      uvicorn on a socket of ours
    app            the routes, guard and log             middleware  access, limits, the log
    page/          templates and scripts                 api/        JSON, described by OpenAPI
    answers        JSON documents for page and API
    state          the parts of a running service
    searching      terms -> hits, filtered and counted   marks, alerts   judgements, new hits
    live_index     the newest snapshot of the index      recordings  ids, audio files, metadata
    jobs           bounded threads; work that stops      audio/      samples, waveforms, clips
    users          roles, the log of changes             examples    terms that are sounds
    processes      known words on all processors         uploads/    recordings that people add

It uses the public API of `indexer`, `searcher` and `std`; no other package imports it. From Python:

    from service import Settings, Service, create_app

    app = create_app(Service(Settings(("INDEX",))))     # any ASGI server runs it
"""

from typing import TYPE_CHECKING

from std.imports import lazy_names

if TYPE_CHECKING:
    from service.app import create_app
    from service.settings import Limits, Settings
    from service.state import Service

__all__ = ["Limits", "Service", "Settings", "create_app"]

__getattr__, __dir__ = lazy_names(
    __name__, {"app": "create_app", "settings": "Limits Settings", "state": "Service"}
)
