"""The indexed recordings, and the words that the recogniser wrote in each."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from searcher import Word
from service.answers import is_corrected, recording_document
from service.api.models import (
    PROBLEMS,
    RecordingDocument,
    RecordingsDocument,
    Seconds,
    WordsDocument,
)
from service.api.requests import beside_others, entry_of, json_reply, position, service_of
from std.corrections import CorrectedWord
from std.numbers import json_bytes

router = APIRouter(prefix="/api/recordings", tags=["recordings"], responses=PROBLEMS)


@router.get("", response_model=RecordingsDocument)
async def recordings(
    request: Request, limit: Annotated[int, Query(ge=1, le=1000)] = 200, cursor: str = ""
) -> Response:
    """The recordings of the index, by name."""
    entries = service_of(request).snapshot.recordings.entries
    first = position(cursor)
    some = entries[first : first + limit]
    return json_reply(
        {
            "recordings": [recording_document(entry) for entry in some],
            "total": len(entries),
            "next_cursor": str(first + limit) if first + limit < len(entries) else None,
        }
    )


@router.get("/{recording}", response_model=RecordingDocument)
async def recording(request: Request, recording: str) -> Response:
    """One recording."""
    return json_reply(recording_document(entry_of(service_of(request), recording)))


@router.get("/{recording}/words", response_model=WordsDocument)
async def recording_words(
    request: Request,
    recording: str,
    from_s: Annotated[Seconds, Query(alias="from")] = 0.0,
    to_s: Annotated[Seconds, Query(alias="to")] = 1_000_000.0,
    alternatives: bool = True,
) -> Response:
    """The words of a recording between two times, with the competing words."""
    service = service_of(request)
    snapshot, entry = service.snapshot, entry_of(service, recording)
    key = "words", snapshot.number, entry.id, from_s, to_s, alternatives
    content = service.cache.get(key)
    if content is None:

        def written() -> bytes:
            found = snapshot.index.words(entry.recording, from_s, to_s, alternatives=alternatives)
            corrected = snapshot.corrected_words.get(entry.recording, ())
            return json_bytes({"words": [word_document(word, corrected) for word in found]})

        content = await beside_others(request, written)
        service.cache.put(key, content, len(content) + 200)
    return Response(content, media_type="application/json")


def word_document(word: Word, corrected: Sequence[CorrectedWord] = ()) -> dict[str, object]:
    """A word with its competing words."""
    document = asdict(word)
    for other in document["alternatives"]:
        del other["alternatives"], other["speaker"]
    start_ms, end_ms = round(1000 * word.start_s), round(1000 * (word.start_s + word.duration_s))
    certain = is_corrected(corrected, start_ms, end_ms)
    return document | {"corrected": certain, "doubtful": word.is_doubtful and not certain}
