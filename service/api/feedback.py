"""Marks of people: right and wrong."""

from typing import Annotated

from fastapi import APIRouter, Header, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from service.answers import precision
from service.api.models import PROBLEMS, KeptMarkDocument, MarkDocument, MarkPut, MarkRequest
from service.api.requests import entry_of, json_reply, service_of, user_of
from service.marks import MarkedHit, version_of
from service.problems import ProblemError
from std.errors import InputError
from std.marks import Mark

router = APIRouter(prefix="/api/feedback", tags=["feedback"], responses=PROBLEMS)


IfMatch = Annotated[
    str | None,
    Header(alias="If-Match", description="mark_version of the hit as it was seen, in quotes"),
]


@router.get("", response_model=list[KeptMarkDocument])
async def marks(request: Request) -> Response:
    """All current marks, the oldest first; see `std.marks` for the file."""
    return json_reply([_document(mark) for mark in service_of(request).marks.all()])


@router.post("", response_model=MarkDocument)
async def mark(request: Request, mark: MarkPut, if_match: IfMatch = None) -> Response:
    """Mark a hit as right or wrong. The response is sent when the mark is on disk. With If-Match, a
    mark that somebody else has changed stays, and the status is 412."""
    return await _keep(request, mark, mark.right, if_match)


@router.delete("", response_model=MarkDocument)
async def unmark(request: Request, mark: MarkRequest, if_match: IfMatch = None) -> Response:
    """Remove a mark; If-Match as above."""
    return await _keep(request, mark, None, if_match)


async def _keep(
    request: Request, asked: MarkRequest, right: bool | None, if_match: str | None
) -> Response:
    service = service_of(request)
    entry = entry_of(service, asked.recording)
    if asked.end < asked.start:
        raise ProblemError(400, "expected an end that is not before the start")
    hit = MarkedHit(asked.term, entry.recording, round(1000 * asked.start), round(1000 * asked.end))
    expected = None if if_match in (None, "*") else str(if_match).strip().strip('"')
    try:
        author = user_of(request).name
        kept = await run_in_threadpool(service.marks.put, hit, right, author, expected)
    except InputError as error:
        if isinstance(error.__cause__, OSError):  # not the client's fault
            raise ProblemError(507, f"the mark is not kept: {error.got}") from error
        raise
    version = version_of(kept)
    answer = json_reply(_document(kept) | {"marked": precision([kept.term], service.marks)})
    answer.headers["ETag"] = f'"{version}"'
    return answer


def _document(mark: Mark) -> dict[str, object]:
    return {
        "term": mark.term,
        "recording": mark.recording.file,
        "channel": mark.recording.channel,
        "start": mark.start_s,
        "end": mark.end_s,
        "right": mark.right,
        "time": mark.time,
        "author": mark.author,
        "version": version_of(mark),
    }
