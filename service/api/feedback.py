"""Marks of people: right and wrong."""

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from service.answers import precision
from service.api.models import PROBLEMS, KeptMarkDocument, MarkDocument, MarkPut, MarkRequest
from service.api.requests import entry_of, json_reply, service_of
from service.problems import ProblemError

router = APIRouter(prefix="/api/feedback", tags=["feedback"], responses=PROBLEMS)


@router.get("", response_model=list[KeptMarkDocument])
async def marks(request: Request) -> Response:
    """Every mark that counts, the oldest first; see `std.marks` for the file."""
    service = service_of(request)
    return json_reply(
        [
            {
                "term": mark.term,
                "recording": mark.recording.file,
                "channel": mark.recording.channel,
                "start": mark.start_s,
                "end": mark.end_s,
                "right": mark.right,
                "time": mark.time,
            }
            for mark in service.marks.all()
        ]
    )


@router.post("", response_model=MarkDocument)
async def mark(request: Request, mark: MarkPut) -> Response:
    """Say whether a hit is right. The answer comes when the mark is on the disk."""
    return await _keep(request, mark, mark.right)


@router.delete("", response_model=MarkDocument)
async def unmark(request: Request, mark: MarkRequest) -> Response:
    """Take a mark back."""
    return await _keep(request, mark, None)


async def _keep(request: Request, asked: MarkRequest, right: bool | None) -> Response:
    service = service_of(request)
    entry = entry_of(service, asked.recording)
    if asked.end < asked.start:
        raise ProblemError(400, "expected an end that is not before the start")
    kept = await run_in_threadpool(
        service.marks.put, asked.term, entry.recording, asked.start, asked.end, right
    )
    return json_reply(
        {
            "term": kept.term,
            "recording": kept.recording.file,
            "channel": kept.recording.channel,
            "start": kept.start_s,
            "end": kept.end_s,
            "right": kept.right,
            "time": kept.time,
            "marked": precision([kept.term], service.marks),
        }
    )
