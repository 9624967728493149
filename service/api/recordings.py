"""The indexed recordings, and the words that the recogniser wrote in one; also as IIIF.

Manifests follow IIIF Presentation 3.0 (https://iiif.io/api/presentation/3.0/), the search in one
recording IIIF Content Search 2.0 (https://iiif.io/api/search/2.0/).
"""

import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from searcher import Word
from service.answers import is_corrected, recording_document, selected_documents
from service.api.models import (
    PROBLEMS,
    RecordingDocument,
    RecordingsDocument,
    Seconds,
    WordsDocument,
)
from service.api.requests import entry_of, json_reply, position, service_of
from service.api.search import searched, wish_of
from service.jobs import in_lane
from service.recordings import RecordingEntry
from service.users import TICKET_S, ticket
from std.config import SHOWN_FROM
from std.corrections import CorrectedWord

PRESENTATION = "http://iiif.io/api/presentation/3/context.json"
CONTENT_SEARCH = "http://iiif.io/api/search/2/context.json"
PAGE = 100  # annotations of an answer
LIST = {"content": {"application/ld+json": {"schema": {"type": "object"}}}}

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
        found = await in_lane(
            service.known,
            request,
            lambda stop: snapshot.index.words(
                entry.recording, from_s, to_s, alternatives=alternatives
            ),
            service.limits.search_s,
        )
        corrected = snapshot.corrected_words.get(entry.recording, ())
        words = [word_document(word, corrected) for word in found]
        content = json_reply({"words": words}).body
        service.cache.put(key, content, len(content) + 200)
    return Response(content, media_type="application/json")


def word_document(word: Word, corrected: Sequence[CorrectedWord] = ()) -> dict[str, object]:
    """A word with its competing words.

    Args:
        word: a word of a recording.
        corrected: the corrected words of its recording.
    """
    document = asdict(word)
    for other in document["alternatives"]:
        del other["alternatives"]
    start_ms, end_ms = round(1000 * word.start_s), round(1000 * (word.start_s + word.duration_s))
    certain = is_corrected(corrected, start_ms, end_ms)
    return document | {"corrected": certain, "doubtful": word.is_doubtful and not certain}


@router.get("/{recording}/manifest", response_class=Response, responses={200: LIST})
async def manifest(request: Request, recording: str) -> Response:
    """The recording as an IIIF manifest: title, metadata, sound, transcript, search in it."""
    entry = entry_of(service_of(request), recording)
    here = _address(request, entry)
    duration_s = float(entry.metadata.get("audio_s") or entry.speech_s)
    canvas = {
        "id": f"{here}/canvas",
        "type": "Canvas",
        "duration": duration_s,
        "items": [
            {
                "id": f"{here}/canvas/sound",
                "type": "AnnotationPage",
                "items": _sound(request, entry, duration_s),
            }
        ],
        "annotations": [
            {
                "id": f"{here}/canvas/transcript",
                "type": "AnnotationPage",
                "items": [
                    {
                        "id": f"{here}/canvas/transcript/1",
                        "type": "Annotation",
                        "motivation": "supplementing",
                        "body": _transcript(here, entry),
                        "target": f"{here}/canvas",
                    }
                ],
            }
        ],
    }
    described = [
        {"label": {"en": [name]}, "value": {"none": [value]}}
        for name, value in entry.described.items()
        if value
    ]
    document = {
        "@context": [CONTENT_SEARCH, PRESENTATION],
        "id": f"{here}/manifest",
        "type": "Manifest",
        "label": {"none": [entry.title]},
        **({"metadata": described} if described else {}),
        "rendering": [_transcript(here, entry)],
        "service": [{"id": f"{here}/manifest/search", "type": "SearchService2"}],
        "items": [canvas],
    }
    return _linked_data(document, PRESENTATION)


@router.get("/{recording}/manifest/search", response_class=Response, responses={200: LIST})
async def manifest_search(
    request: Request,
    recording: str,
    q: Annotated[str, Query(min_length=1, description="a word, a phrase or a query")],
    cursor: str = "",
) -> Response:
    """Hits in the recording as IIIF annotations, the most probable first."""
    service, first = service_of(request), position(cursor)
    entry = entry_of(service, recording)
    wish = wish_of(service.snapshot, [entry.id], (), (), SHOWN_FROM, "probability")
    found, total = await searched(
        service,
        request,
        [q],
        wish,
        lambda snapshot, chosen: (
            selected_documents(chosen, snapshot, service.marks, first, first + PAGE),
            chosen.total,
        ),
        first + PAGE,
    )
    here = _address(request, entry)
    whole = f"{here}/manifest/search?{urlencode({'q': q})}"
    items = [_annotation(f"{whole}#{first + i}", here, hit) for i, hit in enumerate(found)]
    document = {
        "@context": CONTENT_SEARCH,
        "id": f"{whole}&cursor={first}" if first else whole,
        "type": "AnnotationPage",
        "startIndex": first,
        "partOf": {"id": whole, "type": "AnnotationCollection", "total": total},
        "items": items,
    }
    if first + PAGE < total:
        following = f"{whole}&cursor={first + PAGE}"
        document["next"] = {"id": following, "type": "AnnotationPage"}
    if ignored := sorted({*request.query_params} - {"q", "cursor"}):
        document["ignored"] = ignored
    return _linked_data(document, CONTENT_SEARCH)


def _address(request: Request, entry: RecordingEntry) -> str:
    base = str(request.base_url).rstrip("/")
    return f"{base}/api/recordings/{quote(entry.id)}"


def _transcript(here: str, entry: RecordingEntry) -> dict[str, Any]:
    text = {
        "id": f"{here}/transcript?format=vtt",
        "type": "Text",
        "format": "text/vtt",
        "label": {"en": ["Transcript"]},
    }
    return text | ({"language": entry.language} if entry.language else {})


def _sound(request: Request, entry: RecordingEntry, duration_s: float) -> list[dict[str, Any]]:
    """The annotation with the audio; none without audio. With a token, its ticket expires."""
    if entry.audio is None:
        return []
    here, secret = _address(request, entry), service_of(request).secret
    audio = f"{str(request.base_url).rstrip('/')}/api/audio/{quote(entry.id)}"
    if secret:
        audio += f"?ticket={ticket(secret, entry.id, int(time.time()) + TICKET_S)}"
    body = {
        "id": audio,
        "type": "Sound",
        "format": entry.audio_type or "audio/ogg",
        "duration": duration_s,
    }
    return [
        {
            "id": f"{here}/canvas/sound/1",
            "type": "Annotation",
            "motivation": "painting",
            "body": body,
            "target": f"{here}/canvas",
        }
    ]


def _annotation(name: str, here: str, hit: dict[str, Any]) -> dict[str, Any]:
    """A hit as an annotation of its time in the recording."""
    end_s = hit["start_s"] + hit["duration_s"]
    return {
        "id": name,
        "type": "Annotation",
        "motivation": "supplementing",
        "body": {
            "type": "TextualBody",
            "value": " ".join(text for text in hit["context"] if text),
            "format": "text/plain",
        },
        "target": f"{here}/canvas#t={hit['start_s']:.3f},{end_s:.3f}",
    }


def _linked_data(document: dict[str, Any], profile: str) -> Response:
    return Response(
        json_reply(document).body, media_type=f'application/ld+json;profile="{profile}"'
    )
