"""Corrections of words by people, kept in the index (``--allow-corrections``).

A person corrects some words at one place, or a word at all places after a preview, and can undo
each correction. `indexer` makes them, as ``std-store correct`` does. The corrected transcript can
be downloaded.
"""

import csv
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from pydantic import Field, StringConstraints
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from service.answers import hit_documents
from service.api.models import PROBLEMS, UNSEEN, Document, Seconds, SentSeconds, files
from service.api.requests import entry_of, json_reply, require_word, service_of
from service.problems import ProblemError
from service.recordings import RecordingEntry
from service.searching import TermResult
from service.state import Service
from std.corrections import Correction
from std.errors import InputError, StoreBusyError
from std.outputs import recording_file_names

T = TypeVar("T")

BUSY_S = 20.0  # to wait for another writer of the index
AGAIN_S = 0.25
TO_SLOT_S = 30.0  # between a word and the middle of its slot, at most
TRANSCRIPT_TYPES = {
    "vtt": "text/vtt",
    "srt": "application/x-subrip",
    "txt": "text/plain",
    "json": "application/json",
}


Words = Annotated[  # without characters that nobody sees
    str, StringConstraints(max_length=500, pattern=f"^[^{UNSEEN}]*$")
]


class CorrectionDocument(Document):
    """A correction."""

    start_s: float
    end_s: float
    before: str = Field(description="what the recogniser wrote")
    after: str = Field(description="what was said; empty: nothing")


class CorrectionsDocument(Document):
    """Corrections of a recording, in the order in which they were made."""

    corrections: list[CorrectionDocument]
    snapshot: int


class CorrectionRequest(Document):
    """What was said between two times."""

    from_s: SentSeconds = Field(
        alias="from",
        description="start: words whose middles are at this time or later",
        examples=[12.3],
    )
    to_s: SentSeconds = Field(
        alias="to", description="end: words whose middles are before this time", examples=[12.9]
    )
    words: Words = Field(description="what was said; empty: nothing", examples=["Rathaus Mitte"])
    before: str | None = Field(
        None, description="the words that the user saw; if they have changed, status 412"
    )


class PlaceDocument(Document):
    """A place where words are written."""

    recording: str = Field(description="the id of the recording")
    title: str
    start_s: float
    duration_s: float
    context: tuple[str, str, str]


class PlacesDocument(Document):
    """All places that have the given words."""

    before: str
    places: list[PlaceDocument]


class CorrectedPlace(Document):
    """A place to correct."""

    recording: str = Field(description="the id of the recording")
    start_s: SentSeconds


class EverywhereRequest(Document):
    """The words to write at some places."""

    before: str = Field(min_length=1, max_length=200)
    after: Words
    places: list[CorrectedPlace] = Field(min_length=1, max_length=10_000)


class CountDocument(Document):
    """The number of corrected places."""

    corrected: int
    snapshot: int


router = APIRouter(prefix="/api", tags=["corrections"], responses=PROBLEMS)


@router.get("/recordings/{recording}/corrections", response_model=CorrectionsDocument)
async def corrections(request: Request, recording: str) -> Response:
    """The corrections of a recording."""
    service = service_of(request)
    return json_reply(_document(service, entry_of(service, recording)))


@router.post("/recordings/{recording}/corrections", response_model=CorrectionsDocument)
async def correct(request: Request, recording: str, said: CorrectionRequest) -> Response:
    """Correct the words between two times. Once the response arrives, searches find the new
    words."""
    service = _allowed(request)
    entry = entry_of(service, recording)
    if said.to_s <= said.from_s:
        raise ProblemError(400, "expected a time `to` that is behind `from`")

    def change() -> None:
        from indexer import correct_recording

        _require_written(service, entry, said)
        one = entry.recording
        correct_recording(
            one.file,
            service.settings.stores,
            words=said.words,
            at_s=(said.from_s, said.to_s),
            channel=one.channel,
        )

    await run_in_threadpool(_changed, service, change)
    return json_reply(_document(service, entry))


@router.delete("/recordings/{recording}/corrections", response_model=CorrectionsDocument)
async def undo(request: Request, recording: str, at: Annotated[Seconds, Query()]) -> Response:
    """Undo the correction at a time."""
    service = _allowed(request)
    entry = entry_of(service, recording)

    def change() -> None:
        from indexer import undo_corrections

        one = entry.recording
        undo_corrections(one.file, service.settings.stores, at_s=at, channel=one.channel)

    await run_in_threadpool(_changed, service, change)
    return json_reply(_document(service, entry))


@router.get("/corrections/places", response_model=PlacesDocument)
async def places(
    request: Request, before: Annotated[str, Query(min_length=1, max_length=200)]
) -> Response:
    """All places that have exactly these words: a preview of correcting them everywhere."""
    require_word("before", before)
    service = service_of(request)
    snapshot = service.snapshot

    def make(results: list[TermResult]) -> list[dict[str, Any]]:
        documents = hit_documents(results[0].found, results[0].recording, snapshot, service.marks)
        return [
            {"recording": one["recording_id"]}
            | {name: one[name] for name in ("title", "start_s", "duration_s", "context")}
            for one in documents
            if one["method"] == "exact" and one["likeliest"] == one["searched"]
        ]

    quoted = '"{}"'.format(before.replace('"', " "))
    found = await service.answer([quoted], snapshot, request, make)
    found.sort(key=lambda one: (one["title"], one["recording"], one["start_s"]))
    return json_reply({"before": before, "places": found})


@router.post("/corrections", response_model=CountDocument)
async def correct_everywhere(request: Request, said: EverywhereRequest) -> Response:
    """Correct words at all given places or at none: status 412 if a place has other words now."""
    service = _allowed(request)
    chosen = [(entry_of(service, one.recording).recording, one.start_s) for one in said.places]

    def change() -> int:
        from indexer import correct_by_table

        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "corrections.csv"
            with table.open("w", encoding="utf-8", newline="") as stream:
                rows = csv.writer(stream)
                rows.writerow(["recording", "channel", "start_s", "end_s", "before", "after"])
                for one, start_s in chosen:
                    times = f"{start_s:.3f}", f"{start_s:.3f}"
                    rows.writerow([one.file, one.channel, *times, said.before, said.after])
            try:
                return len(correct_by_table(table, service.settings.stores))
            except InputError as error:
                if str(error.path) == str(table):
                    detail = f"the words have changed meanwhile: expected {error.expected}"
                    raise ProblemError(412, detail) from error
                raise

    count = await run_in_threadpool(_changed, service, change)
    return json_reply({"corrected": count, "snapshot": service.snapshot.number})


@router.get(
    "/recordings/{recording}/transcript",
    response_class=Response,
    responses=files(*TRANSCRIPT_TYPES.values()),
)
async def transcript(
    request: Request,
    recording: str,
    form: Annotated[Literal["vtt", "srt", "txt", "json"], Query(alias="format")] = "vtt",
) -> Response:
    """The likeliest words of a recording, with speakers and corrections, as a file."""
    service = service_of(request)
    entry = entry_of(service, recording)

    def make() -> bytes | None:
        from indexer import recording_transcript

        return recording_transcript(service.settings.stores, entry.recording, form)

    made = await run_in_threadpool(make)
    if made is None:  # deleted or renamed a moment ago
        raise ProblemError(404, f"no recording has the id {recording[:80]!r}")
    answer = Response(made, media_type=TRANSCRIPT_TYPES[form])
    (name,) = recording_file_names([entry.recording])
    disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}.{form}"
    answer.headers["Content-Disposition"] = disposition
    return answer


def _allowed(request: Request) -> Service:
    """The service, if people may correct recordings.

    Raises:
        ProblemError: people may not correct recordings.
    """
    service = service_of(request)
    if not service.settings.allow_corrections:
        raise ProblemError(403, "recordings cannot be corrected: --allow-corrections allows it")
    return service


def _changed(service: Service, change: Callable[[], T]) -> T:
    """Change the index and show the change; wait for other writers.

    Raises:
        StoreBusyError: another writer takes too long.
    """
    end_s = time.monotonic() + BUSY_S
    with service.changing:
        while True:
            try:
                done = change()
                break
            except StoreBusyError:
                if time.monotonic() > end_s:
                    raise
                time.sleep(AGAIN_S)
        service.live.renew()
    return done


def _require_written(service: Service, entry: RecordingEntry, said: CorrectionRequest) -> None:
    """Check that the words a person has seen are still there.

    Raises:
        ProblemError: the words have changed.
    """
    if said.before is None:
        return
    around = max(0.0, said.from_s - TO_SLOT_S), said.to_s + TO_SLOT_S  # slots may begin elsewhere
    found = service.snapshot.index.words(entry.recording, *around, alternatives=False)
    here = [one for one in found if said.from_s <= one.start_s + one.duration_s / 2 < said.to_s]
    written = " ".join(one.word for one in here)
    if written != said.before:
        detail = f"somebody has corrected this meanwhile: {written!r} is written there now"
        raise ProblemError(412, detail, more={"written": written})


def _document(service: Service, entry: RecordingEntry) -> dict[str, object]:
    layer: Sequence[Correction] = service.snapshot.corrections.get(entry.recording.file, ())
    return {
        "corrections": [
            {
                "start_s": one.start_ms / 1000,
                "end_s": one.end_ms / 1000,
                "before": one.replaced,
                "after": one.written or one.text,
            }
            for one in layer
            if one.channel == entry.recording.channel
        ],
        "snapshot": service.snapshot.number,
    }
