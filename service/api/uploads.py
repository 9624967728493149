"""Recordings that people add: sound or captions, with metadata (``--allow-uploads``)."""

import re
from collections.abc import Mapping
from datetime import date as date_of_day
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from pydantic import Field, StringConstraints
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from service.api.models import PROBLEMS, Document, Probability
from service.api.requests import json_reply, service_of
from service.problems import ProblemError
from service.recordings import recording_id
from service.state import Service
from service.uploads.checks import CAPTION_ENDS, metadata_file, name_of
from service.uploads.work import Upload, UploadWork
from std.audio.files import ENDS
from std.errors import InputError
from std.metadata.read import RECORDING_COLUMNS
from std.metadata.table import AUDIO_FACTS
from std.values import Recording

FILE_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/octet-stream": {
                "schema": {"type": "string", "format": "binary", "description": "the file"}
            }
        },
    }
}


Column = Annotated[str, StringConstraints(pattern=r"^\w[\w .-]*$", max_length=60)]
Value = Annotated[str, StringConstraints(min_length=0)]  # any length, but Unicode
RESERVED_COLUMNS = frozenset({*RECORDING_COLUMNS, "channel", *AUDIO_FACTS})


class UploadDocument(Document):
    """An added recording and its progress."""

    name: str = Field(
        description="name of the recording: letters, digits, dots and hyphens; others are _"
    )
    recording_id: str | None = Field(description="null: the index does not have it yet")
    sound: str | None
    words: str | None
    bytes: int
    state: Literal["waiting", "recognising", "indexing", "ready", "failed"]
    done: Probability = Field(description="the share of the sound that is recognised")
    detail: str = Field(description="why the recording failed")
    metadata: dict[str, str]


class UploadsDocument(Document):
    """The added recordings."""

    allowed: bool
    uploads: list[UploadDocument]
    deleted: list[str] = Field(description="names of recordings that can be restored")
    ends: list[str] = Field(description="file extensions that are accepted")
    max_bytes: int = Field(description="largest size of a file")
    trouble: str = Field(description="why recordings cannot be indexed now")


class MetadataRequest(Document):
    """Metadata of a recording."""

    metadata: dict[Column, Value] = Field(
        min_length=1,
        max_length=50,
        description="values by column; an empty value deletes the old one",
        examples=[{"title": "Evening news", "date": "2024-01-31"}],
    )


router = APIRouter(prefix="/api/uploads", tags=["uploads"], responses=PROBLEMS)


def _work_of(service: Service) -> UploadWork:
    """The uploads of a service.

    Raises:
        ProblemError: the service does not accept uploads.
    """
    if service.uploads is None:
        raise ProblemError(403, "recordings cannot be added: std-serve --allow-uploads allows it")
    return service.uploads


@router.get("", response_model=UploadsDocument)
async def uploads(request: Request) -> Response:
    """The recordings that people have added, with the progress of each."""
    service = service_of(request)
    work = service.uploads
    if work is None:
        nothing = {
            "allowed": False,
            "uploads": [],
            "deleted": [],
            "ends": [],
            "max_bytes": 0,
            "trouble": "",
        }
        return json_reply(nothing)
    found = await run_in_threadpool(work.all)
    return json_reply(
        {
            "allowed": True,
            "uploads": [_document(one, service) for one in found],
            "deleted": work.folder.deleted(),
            "ends": [*ENDS, *CAPTION_ENDS],
            "max_bytes": service.limits.upload_bytes,
            "trouble": work.trouble,
        }
    )


@router.post("", status_code=201, response_model=UploadDocument, openapi_extra=FILE_BODY)
async def upload(
    request: Request,
    name: Annotated[
        str, Query(min_length=1, description="name of the file, such as interview.mp3")
    ],
    title: str = "",
    date: str = "",
) -> Response:
    """Add a recording: sound, which the service recognises, or captions. The body is the file."""
    service = service_of(request)
    work = _work_of(service)
    wanted = name_of(name)
    length = request.headers.get("content-length", "0")
    size = int(length) if re.fullmatch(r"\d{1,15}", length, re.ASCII) else 0
    described = {"title": title.strip() or wanted.title, "date": date.strip()}
    values = {column: value for column, value in described.items() if value}
    _require_values(values, service)
    metadata_file({wanted.stem: values})  # refused before it is sent
    arriving = await run_in_threadpool(
        work.folder.begin, wanted, size, lambda stem: _is_indexed(stem, service)
    )
    with arriving:
        async for part in request.stream():
            await run_in_threadpool(arriving.write, part)
        await run_in_threadpool(arriving.complete)
        await run_in_threadpool(work.check, arriving)
        await _kept(work.folder.take, arriving, values)
    work.look()
    answer = json_reply(_document(_named(wanted.stem, work), service))
    answer.status_code = 201
    return answer


@router.patch("/{name}", response_model=UploadDocument)
async def describe(request: Request, name: str, described: MetadataRequest) -> Response:
    """Change the title, date, ... of a recording; an empty value removes one."""
    service = service_of(request)
    work = _work_of(service)
    if reserved := {name.casefold() for name in described.metadata} & RESERVED_COLUMNS:
        raise ProblemError(400, f"metadata: {min(reserved)!r} says which recording it is")
    _require_values(described.metadata, service)
    await _kept(work.folder.describe, name, described.metadata)
    work.look()
    return json_reply(_document(_named(name, work), service))


@router.delete("/{name}", status_code=204, response_class=Response)
async def delete(request: Request, name: str) -> Response:
    """Delete a recording; it can be restored for 30 days."""
    work = _work_of(service_of(request))
    await _kept(work.delete, name)
    return Response(status_code=204)


@router.post("/{name}/restore", response_model=UploadDocument)
async def restore(request: Request, name: str) -> Response:
    """Restore a deleted recording."""
    service = service_of(request)
    work = _work_of(service)
    await _kept(work.folder.restore, name)
    work.look()
    return json_reply(_document(_named(name, work), service))


def _require_values(values: Mapping[str, str], service: Service) -> None:
    """Refuse long values, and a date whose day is not in the calendar; the table checks the rest.

    Raises:
        ProblemError: there is one.
    """
    most, date = service.limits.metadata_letters, values.get("date", "")
    if any(len(value) > most for value in values.values()):
        raise ProblemError(400, f"metadata: expected values of at most {most} letters")
    if re.match(r"\d{4}-\d{2}-\d{2}", date, re.ASCII):
        try:
            date_of_day.fromisoformat(date[:10])
        except ValueError as error:
            raise ProblemError(400, f"date: expected a day, got {date[:10]!r}") from error


async def _kept(change, *arguments) -> None:  # type: ignore[no-untyped-def]  # any change of the folder
    """Change the folder; a full disk is status 507.

    Raises:
        ProblemError: the disk is full.
    """
    try:
        await run_in_threadpool(change, *arguments)
    except OSError as error:
        raise ProblemError(507, f"nothing is changed: {error.strerror}") from error
    except InputError as error:
        if isinstance(error.__cause__, OSError):
            raise ProblemError(507, f"nothing is changed: {error.got}") from error
        raise


def _named(name: str, work: UploadWork) -> Upload:
    for one in work.all():
        if one.name == name:
            return one
    raise ProblemError(404, f"the recording {name[:80]!r} is gone again")


def _is_indexed(stem: str, service: Service) -> bool:
    """Whether the index has a recording with a name, ignoring case."""
    wanted = stem.casefold()
    return any(
        entry.recording.file.casefold() == wanted for entry in service.snapshot.recordings.entries
    )


def _document(one: Upload, service: Service) -> dict[str, object]:
    known = recording_id(Recording(one.name, 1))
    is_there = known in service.snapshot.recordings.by_id
    return {
        "name": one.name,
        "recording_id": known if is_there else None,
        "sound": one.files.audio.name if one.files.audio else None,
        "words": one.files.words.name if one.files.words else None,
        "bytes": one.files.bytes,
        "state": one.state,
        "done": round(one.done, 3),
        "detail": one.detail,
        "metadata": dict(one.metadata),
    }
