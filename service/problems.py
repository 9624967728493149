"""Errors as RFC 9457 problem details: ``application/problem+json`` with status, title, detail.

The detail is exactly the line that the command would print.
"""

import errno
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING

import orjson
from starlette.responses import Response

from std.errors import InputError, QueryError, StdError, StoreError
from std.terminal import printable

if TYPE_CHECKING:
    from fastapi import FastAPI

PROBLEM_TYPE = "application/problem+json"
NO_JSON = "the body: expected JSON in UTF-8"
_UNPARSED = "There was an error parsing the body"  # of FastAPI: other bytes, or too deep
_NOT_READ = ("model_attributes_type", "dict_type", "model_type")  # a body that was not parsed
RETRY_S = 2  # seconds to wait after 429 or 503


class ProblemError(Exception):
    """A request that fails with a problem document."""

    def __init__(
        self,
        status: int,
        detail: str,
        headers: Mapping[str, str] | None = None,
        more: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers = status, detail, dict(headers or {})
        self.more = dict(more or {})  # further members of the document


def too_busy(what: str) -> ProblemError:
    """The problem of a full queue."""
    detail = f"too many {what} at once; try again in {RETRY_S} seconds"
    return ProblemError(429, detail, {"Retry-After": str(RETRY_S)})


def as_problem(error: StdError) -> ProblemError:
    """The problem of an error that a command would print.

    An error in the request has status 400, an error in the index 500 or 503, a full disk 507.
    """
    if _is_full(error):
        return ProblemError(507, str(error))
    if isinstance(error, StoreError):
        return ProblemError(503, str(error), {"Retry-After": str(RETRY_S)})
    is_of_request = isinstance(error, InputError | QueryError)
    detail = str(error).removeprefix("--") if isinstance(error, QueryError) else str(error)
    return ProblemError(400 if is_of_request else 500, detail)


def _is_full(error: BaseException | None) -> bool:
    """Whether an error is from a disk, or a user's share of it, without room."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return True
    return error is not None and _is_full(error.__cause__)


def response(
    status: int,
    detail: str,
    headers: Mapping[str, str] | None = None,
    more: Mapping[str, object] | None = None,
) -> Response:
    """The problem as a response."""
    document = dict(more or {}) | {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": printable(detail),
    }
    return Response(orjson.dumps(document), status, dict(headers or {}), PROBLEM_TYPE)


def _methods_of(path: str, app: "FastAPI") -> str:
    """The methods of a path of the API, as the Allow header lists them; empty: it has none."""
    from starlette.routing import compile_path

    templates = app.openapi()["paths"].items()
    found = [methods for one, methods in templates if compile_path(one)[0].match(path)]
    names = {name.upper() for methods in found for name in methods}
    return ", ".join(sorted(names | ({"HEAD"} if "GET" in names else set())))


def add_handlers(app: "FastAPI", told: Callable[[str], str]) -> None:
    """Answer every error of an application with a problem.

    Args:
        told: rewrites a message so that clients may read it.
    """
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException
    from starlette.requests import ClientDisconnect, Request

    @app.exception_handler(ClientDisconnect)
    async def gone(request: Request, error: ClientDisconnect) -> Response:
        return response(400, "the client left before its body was complete")

    @app.exception_handler(ProblemError)
    async def problem(request: Request, error: ProblemError) -> Response:
        detail = told(error.detail)
        return response(error.status, detail, error.headers, error.more)

    @app.exception_handler(StdError)
    async def mendable(request: Request, error: StdError) -> Response:
        return await problem(request, as_problem(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        kind = request.headers.get("content-type", "").partition(";")[0].strip()
        if first["type"] in _NOT_READ and first["loc"][0] == "body" and not kind.endswith("json"):
            return response(415, f"expected a body of application/json, got {kind or 'none'}")
        if first["type"] == "json_invalid":
            return response(422, f"{NO_JSON} ({first['ctx']['error']}, byte {first['loc'][1]})")
        where = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
        is_text = first["type"] == "string_pattern_mismatch" and r"\x00" in first["ctx"]["pattern"]
        told = "expected text, without control characters" if is_text else first["msg"]
        return response(422, f"{where}: {told}")

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        headers = dict(error.headers or {})
        if error.status_code == 405:  # starlette names the methods of the first route only
            path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
            headers |= {"Allow": methods} if (methods := _methods_of(path, app)) else {}
        detail = NO_JSON if error.detail == _UNPARSED else str(error.detail)
        return response(error.status_code, detail, headers)

    @app.exception_handler(Exception)
    async def fault(request: Request, error: Exception) -> Response:
        return response(500, "a fault of the service; its log says more")
