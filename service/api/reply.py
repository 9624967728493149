"""Documents as responses, and the service that a request belongs to."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from service.problems import ProblemError
from service.recordings import RecordingEntry
from service.state import Service
from std.written_numbers import json_bytes


def service_of(request: Request) -> Service:
    """The service that answers a request."""
    service: Service = request.app.state.service
    return service


def json_reply(document: Any) -> Response:
    """A document as JSON. Routes build documents themselves: validating each would cost more."""
    return Response(json_bytes(document), media_type="application/json")


def entry_of(service: Service, recording: str) -> RecordingEntry:
    """The recording with an id.

    Raises:
        ProblemError: there is none.
    """
    entry = service.snapshot.recordings.by_id.get(recording)
    if entry is None:
        raise ProblemError(404, f"no recording has the id {recording[:80]!r}")
    return entry


def position(cursor: str) -> int:
    """Where a page of hits begins, by the cursor that an answer gave.

    Raises:
        ProblemError: no answer gave such a cursor.
    """
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdecimal()) or len(cursor) > 9:
        raise ProblemError(400, f"cursor: expected one that an answer gave, got {cursor[:40]!r}")
    return int(cursor)
