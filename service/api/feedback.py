"""Marks of people: right and wrong, notes, and their history."""

from collections.abc import Callable
from typing import Annotated, Literal

from fastapi import APIRouter, Header, Query, Request
from pydantic import Discriminator, Field, Tag
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from service.answers import precision
from service.api.models import PROBLEMS, UNSEEN, Document, Marked, Seconds, SentSeconds
from service.api.requests import (
    entry_of,
    json_reply,
    long_reply,
    position,
    require_word,
    service_of,
    user_of,
)
from service.marks import MarkedHit, change_id, version_of
from service.problems import ProblemError
from service.recordings import recording_id
from std.errors import InputError
from std.marks import Mark


class MarkRequest(Document):
    """The hit of a mark, or the place of a note."""

    term: str = Field(
        default="", max_length=2000, description="the term of the hit; empty: this is a note"
    )
    recording: str = Field(max_length=200, description="the id of the recording")
    start: SentSeconds
    end: SentSeconds


class MarkPut(MarkRequest):
    """A person's judgement of a hit."""

    # Ten examples are longer than any words.
    term: str = Field(
        min_length=1, max_length=2000, pattern=f"^([^{UNSEEN}]{{0,200}}|like:[^{UNSEEN}]*)$"
    )
    right: Annotated[bool, Field(strict=True)]


class NotePut(Document):
    """What a person writes about a time of a recording, or a stretch of it."""

    recording: str = Field(max_length=200, description="the id of the recording")
    start: SentSeconds
    end: SentSeconds
    note: str = Field(max_length=2000, pattern=rf"^[^{UNSEEN}]*[^{UNSEEN}\s][^{UNSEEN}]*$")


class KeptMarkDocument(Document):
    """A stored mark (see `std.marks`)."""

    term: str = Field(description="the term of the hit; empty: this is a note")
    recording: str
    recording_id: str
    channel: int
    start: float
    end: float
    right: bool | None
    note: str = Field(description="the text of the note; empty: a mark, or a deleted note")
    time: str
    author: str = Field(description="the user; empty: unknown")
    version: str = Field(description="the version, for If-Match; 0: the hit has no mark")


class MarkDocument(KeptMarkDocument):
    """A mark, and the number of marks of its term."""

    change: str = Field(description="the id of the change, for /api/feedback/undo")
    marked: Marked


class ChangeDocument(KeptMarkDocument):
    """What somebody did to a mark."""

    id: str = Field(description="the id of the change, for /api/feedback/undo")
    before: bool | None = Field(description="the mark before the change")
    note_before: str = Field(description="the note before the change")
    undoes: str = Field(description="the time of the change that this one undoes, or empty")
    counts: bool = Field(description="whether the mark comes from this change, so it can be undone")


class ChangesDocument(Document):
    """Changes of marks, the newest first."""

    changes: list[ChangeDocument]
    total: int
    next_cursor: str | None


router = APIRouter(prefix="/api/feedback", tags=["feedback"], responses=PROBLEMS)


IfMatch = Annotated[
    str | None,
    Header(alias="If-Match", description="mark_version of the hit that the user saw, in quotes"),
]


def _kind_of(body: object) -> str:
    """Whether a body is a judgement or a note."""
    is_note = isinstance(body, NotePut) or (isinstance(body, dict) and "note" in body)
    return "note" if is_note else "mark"


MarkOrNote = Annotated[
    Annotated[MarkPut, Tag("mark")] | Annotated[NotePut, Tag("note")], Discriminator(_kind_of)
]


@router.get("", response_model=list[KeptMarkDocument])
async def marks(
    request: Request,
    kind: Annotated[Literal["mark", "note"] | None, Query(description="default: both")] = None,
    recording: Annotated[str, Query(description="only of this recording (its id)")] = "",
    text: Annotated[str, Query(description="text that the term or the note contains")] = "",
) -> Response:
    """Current marks and notes, the oldest first; see `std.marks` for the file."""
    service, wanted = service_of(request), text.casefold()
    where = entry_of(service, recording).recording if recording else None
    return await long_reply(
        request,
        lambda: [
            _document(mark)
            for mark in service.marks.all()
            if kind in (None, "mark" if mark.term else "note")
            and where in (None, mark.recording)
            and wanted in (mark.term or mark.note).casefold()
        ],
    )


@router.post("", response_model=MarkDocument)
async def mark(request: Request, mark: MarkOrNote, if_match: IfMatch = None) -> Response:
    """Mark a hit as right or wrong, or write a note at a time. The response is sent when it is on
    disk. With If-Match, what somebody else has changed stays, and the status is 412."""
    if isinstance(mark, NotePut):
        place = MarkRequest(recording=mark.recording, start=mark.start, end=mark.end)
        return await _keep(request, place, None, if_match, mark.note.strip())
    require_word("term", mark.term)
    return await _keep(request, mark, mark.right, if_match)


@router.delete("", response_model=MarkDocument)
async def unmark(request: Request, mark: MarkRequest, if_match: IfMatch = None) -> Response:
    """Remove the mark of a hit, or the note of a time; If-Match as above."""
    return await _keep(request, mark, None, if_match)


@router.get("/history", response_model=ChangesDocument)
async def mark_history(
    request: Request,
    term: Annotated[str, Query(description="only of this term")] = "",
    recording: Annotated[str, Query(description="only of this recording (its id)")] = "",
    start: Seconds = 0.0,
    end: Annotated[
        Seconds | None, Query(description="with start: only of hits that overlap this time span")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    cursor: str = "",
) -> Response:
    """Who marked or noted what and when, and what was undone; the newest first."""
    service = service_of(request)
    marks, first = service.marks, position(cursor)
    where = entry_of(service, recording).recording if recording else None
    end_ms = None if end is None else round(1000 * end)

    def page() -> dict[str, object]:
        found = marks.history(term, where, round(1000 * start), end_ms)
        shown = [
            _document(change.mark)
            | {
                "id": change_id(change.mark),
                "before": None if change.before is None else change.before.right,
                "note_before": "" if change.before is None else change.before.note,
                "undoes": change.mark.undoes,
                "counts": marks.counts(change),
            }
            for change in found[first : first + limit]
        ]
        following = str(first + limit) if first + limit < len(found) else None
        return {"changes": shown, "total": len(found), "next_cursor": following}

    return await long_reply(request, page)


@router.post("/undo", response_model=MarkDocument)
async def undo_mark(
    request: Request,
    change: Annotated[
        str, Query(description="the id of the change; empty: the last change of the user")
    ] = "",
) -> Response:
    """Take a change of a mark or a note back, also one of days ago: what was there before counts
    again. If somebody has changed it since, it stays, and the status is 412."""
    service, author = service_of(request), user_of(request).name
    if not (change or author):
        raise ProblemError(400, "expected the id of a change, because the service knows no users")
    return await _kept(request, lambda: service.marks.undo(change, author))


async def _keep(
    request: Request, asked: MarkRequest, right: bool | None, if_match: str | None, note: str = ""
) -> Response:
    service = service_of(request)
    entry = entry_of(service, asked.recording)
    if asked.end < asked.start:
        raise ProblemError(400, "expected an end that is not before the start")
    hit = MarkedHit(asked.term, entry.recording, round(1000 * asked.start), round(1000 * asked.end))
    expected = None if if_match in (None, "*") else str(if_match).strip().strip('"')
    author = user_of(request).name
    return await _kept(request, lambda: service.marks.put(hit, right, author, expected, note))


async def _kept(request: Request, change: Callable[[], Mark]) -> Response:
    """The mark that a change leaves, when it is on the disk."""
    service = service_of(request)
    try:
        kept = await run_in_threadpool(change)
    except InputError as error:
        if isinstance(error.__cause__, OSError):  # not the client's fault
            raise ProblemError(507, f"the mark is not kept: {error.got}") from error
        raise
    version = version_of(kept)
    more = {
        "change": change_id(kept),
        "marked": precision([kept.term] if kept.term else [], service.marks),
    }
    answer = json_reply(_document(kept) | more)
    answer.headers["ETag"] = f'"{version}"'
    return answer


def _document(mark: Mark) -> dict[str, object]:
    return {
        "term": mark.term,
        "recording": mark.recording.file,
        "recording_id": recording_id(mark.recording),
        "channel": mark.recording.channel,
        "start": mark.start_s,
        "end": mark.end_s,
        "right": mark.right,
        "note": mark.note,
        "time": mark.time,
        "author": mark.author,
        "version": version_of(mark),
    }
