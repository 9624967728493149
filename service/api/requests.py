"""Requests and replies: the service that a request belongs to, its parameters, documents as JSON.

FastAPI reads and validates parameters one by one, which takes longer than all its other work for
a request. `parameters` reads them in one step and describes them as FastAPI would.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar, get_origin

from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from service.jobs import in_lane
from service.problems import ProblemError
from service.recordings import RecordingEntry
from service.settings import Limits
from service.state import Service
from service.users import User
from std.numbers import json_bytes
from std.values import Term

A = TypeVar("A")


def service_of(request: Request) -> Service:
    """The service that answers a request."""
    service: Service = request.app.state.service
    return service


def user_of(request: Request) -> User:
    """The current user."""
    user: User = request.state.user
    return user


def base_of(request: Request) -> str:
    """The address of the service as clients reach it, without a slash at its end."""
    return str(request.base_url).rstrip("/")


def json_reply(
    document: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """A document as JSON, without validation, which would cost more than building it."""
    return Response(json_bytes(document), status, headers, "application/json")


async def beside_others(request: Request, make: Callable[[], A]) -> A:
    """Make an answer in a thread, so that other requests do not wait for it."""
    service = service_of(request)
    return await in_lane(service.known, request, lambda stop: make(), service.limits.search_s)


async def long_reply(request: Request, make: Callable[[], Any]) -> Response:
    """A long document as JSON, made and written beside other requests."""
    content = await beside_others(request, lambda: json_bytes(make()))
    return Response(content, media_type="application/json")


def has_version(request: Request, etag: str) -> bool:
    """Whether a client has a version already (If-None-Match), weakly compared."""
    given = request.headers.get("if-none-match", "").split(",")
    tags = [tag.strip().removeprefix("W/") for tag in given]
    return etag.removeprefix("W/") in tags or tags == ["*"]


def require_word(name: str, text: str) -> None:
    """Refuse a term that no speech can have.

    Raises:
        ProblemError: it has no letter and no digit.
    """
    if not any(map(str.isalnum, text)):
        raise ProblemError(400, f"{name}: expected a word or a phrase, got {text[:40]!r}")


def check_list(terms: Sequence[Term], limits: Limits) -> None:
    """Check the terms of a list.

    Raises:
        ProblemError: there are none or too many, or one is too long.
    """
    if not 0 < len(terms) <= limits.list_terms:
        raise ProblemError(400, f"expected 1 to {limits.list_terms} terms, got {len(terms)}")
    if (longest := max(len(term.text) for term in terms)) > limits.letters:
        expected = f"expected terms of at most {limits.letters} letters"
        raise ProblemError(400, f"{expected}, got {longest}")


def entry_of(service: Service, recording: str) -> RecordingEntry:
    """The recording with an id.

    Raises:
        ProblemError: there is no such recording.
    """
    entry = service.snapshot.recordings.by_id.get(recording)
    if entry is None:
        raise ProblemError(404, f"no recording has the id {recording[:80]!r}")
    return entry


def position(cursor: str) -> int:
    """The number of the first hit of a page, from the cursor of an earlier response.

    Raises:
        ProblemError: the cursor is not valid.
    """
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdecimal()) or len(cursor) > 9:
        raise ProblemError(400, f"cursor: expected one that an answer gave, got {cursor[:40]!r}")
    return int(cursor)


Model = TypeVar("Model", bound=BaseModel)


def parameters(model: type[Model], request: Request) -> Model:
    """The parameters of a request; parameters that the model lacks are ignored.

    Raises:
        ProblemError: a parameter is missing or invalid.
    """
    given, several = request.query_params, _lists(model)
    values = {
        name: given.getlist(name) if name in several else value for name, value in given.items()
    }
    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ProblemError(422, f"{where}: {first['msg']}") from error


@cache
def _lists(model: type[BaseModel]) -> frozenset[str]:
    """The names of the parameters that may be repeated."""
    fields = model.model_fields.items()
    return frozenset(name for name, field in fields if get_origin(field.annotation) is list)


def described(model: type[BaseModel]) -> dict[str, Any]:
    """The OpenAPI description of the parameters of a route that calls `parameters`."""
    schema = model.model_json_schema()
    required = schema.get("required", ())
    return {
        "parameters": [
            {"name": name, "in": "query", "required": name in required, "schema": part}
            | ({"description": part["description"]} if "description" in part else {})
            for name, part in schema["properties"].items()
        ]
    }
