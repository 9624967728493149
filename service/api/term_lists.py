"""``POST /api/searches``: a whole term list, with progress.

The body is a JSON document (`TermListDocument`) or NIST's XML. The header Accept chooses the
response:

    application/json    {"hits": [...], "summary": {...}}
    application/xml     an STD list, which `std-score` reads
    text/event-stream   events ``progress``, then one ``result`` (the JSON) or ``problem``
"""

import asyncio
import io
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from fastapi import APIRouter, Request
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from searcher import Expected, SearchResult
from service.answers import hit_documents
from service.api.exports import std_list_file
from service.api.models import PROBLEMS, TermListDocument, TermListResultDocument, files, reference
from service.api.requests import check_list, json_reply, require_word, service_of
from service.jobs import JobStoppedError, Stop, in_lane
from service.live_index import Snapshot
from service.marks import MarkFile
from service.problems import ProblemError, as_problem
from service.settings import Limits
from std.errors import StdError
from std.nist import term_list
from std.numbers import json_bytes
from std.values import Term, TermSearch

AT_ONCE = 10  # terms between two reports of progress
EVENT_S = 0.25

BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": reference(TermListDocument)},
            "application/xml": {"schema": {"type": "string", "description": "a NIST term list"}},
        },
    }
}

router = APIRouter(prefix="/api", tags=["search"], responses=PROBLEMS)


@dataclass
class Batch:
    """A running search of a term list, and its results so far."""

    terms: tuple[Term, ...]
    min_probability: float
    done: int = 0
    hits: list[dict[str, Any]] = field(default_factory=list)  # documents
    expected: Expected = field(default_factory=lambda: Expected.of(()))  # hits of any probability
    searches: dict[str, TermSearch] = field(default_factory=dict)
    cut: list[str] = field(default_factory=list)  # terms searched in likely places only

    def run(self, snapshot: Snapshot, marks: MarkFile, limits: Limits, stop: Stop) -> None:
        """Search the terms in parts and decide on them as one list.

        Raises:
            ProblemError: there are too many hits.
            JobStoppedError: the client disconnected, or the search took too long.
        """
        parts, candidates = [], 0
        for first in range(0, len(self.terms), AT_ONCE):
            stop.check()
            some = self.terms[first : first + AT_ONCE]
            parts.append(snapshot.index.find_terms(some))
            candidates += parts[-1].n_candidates
            if candidates > limits.list_candidates:
                n = first + len(some)
                raise ProblemError(
                    400,
                    f"expected terms with at most {limits.list_candidates} possible hits, "
                    f"got {candidates} of the first {n}; take fewer of the commonest terms",
                )
            self.done = first + len(some)
        results = snapshot.index.decide(parts)
        self.cut = [found.terms[row].term_id for found in results for row in sorted(found.cut)]
        self.expected = Expected.of(np.concatenate([found.probability for found in results]))
        for found in results:
            stop.check()
            self.take(found, snapshot, marks)
            if len(self.hits) > limits.export_hits:
                raise ProblemError(
                    400, f"expected at most {limits.export_hits} hits; raise min_probability"
                )

    def take(self, found: SearchResult, snapshot: Snapshot, marks: MarkFile) -> None:
        """Add the hits of some of the terms."""
        for term, unknown in zip(found.terms, found.oov_words, strict=True):
            seconds = found.seconds / len(found.terms)
            self.searches[term.term_id] = TermSearch(seconds, len(unknown))
        found = found.rows(found.probability >= self.min_probability)
        rows = snapshot.recordings.rows(found.recordings)[found.candidates.recording]
        self.hits += hit_documents(found, rows, snapshot, marks)

    def document(self) -> dict[str, Any]:
        """The result as JSON."""
        return {
            "hits": self.hits,
            "summary": {
                "terms": len(self.terms),
                "detections": len(self.hits),
                "yes": sum(hit["decision"] == "YES" for hit in self.hits),
                "oov_terms": sum(bool(one.oov_count) for one in self.searches.values()),
                "expected": self.expected.document(),
                "cut_terms": self.cut,
            },
        }


async def batch_of(request: Request, limits: Limits) -> Batch:
    """The term list of a request.

    Raises:
        ProblemError: the request has no term list, or its list is too long.
    """
    body = await request.body()
    if body.lstrip()[:1] == b"<":
        given_list = await run_in_threadpool(term_list.parse, io.BytesIO(body), "the body")
        terms, least = given_list.terms, 0.0
    else:
        try:
            given = TermListDocument.model_validate_json(body)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"])) or "the body"
            raise ProblemError(422, f"{where}: {first['msg']}") from error
        least = given.min_probability
        terms = tuple(Term(f"TERM-{i}", text) for i, text in enumerate(given.terms, start=1))
        for i, text in enumerate(given.terms):
            require_word(f"terms.{i}", text)
    check_list(terms, limits)
    return Batch(terms, least)


@router.post(
    "/searches",
    response_model=TermListResultDocument,
    openapi_extra=BODY,
    responses=files("application/xml", "text/event-stream"),
)
async def searches(request: Request) -> Response:
    """Search a term list."""
    service = service_of(request)
    batch, snapshot = await batch_of(request, service.limits), service.snapshot
    work = partial(batch.run, snapshot, service.marks, service.limits)
    accepted = request.headers.get("accept", "")
    if "text/event-stream" in accepted:
        stop = Stop(service.limits.list_s)
        future = asyncio.wrap_future(service.lists.submit(work, stop))
        return StreamingResponse(events(batch, future, stop), media_type="text/event-stream")
    await in_lane(service.lists, request, work, service.limits.list_s)
    if "xml" in accepted:
        written = partial(std_list_file, batch.hits, batch.searches, "the body")
        return Response(await run_in_threadpool(written), media_type="application/xml")
    return await run_in_threadpool(lambda: json_reply(batch.document()))


async def events(batch: Batch, future: "asyncio.Future[None]", stop: Stop) -> AsyncIterator[bytes]:
    """Yield progress during the search, then its result; a client that disconnects stops it."""
    shown = -1
    try:
        while not future.done():
            if batch.done != shown:
                shown = batch.done
                yield event("progress", {"done": shown, "terms": len(batch.terms)})
            await asyncio.wait({future}, timeout=EVENT_S)
        future.result()
        yield await run_in_threadpool(lambda: event("result", batch.document()))
    except (StdError, ProblemError, JobStoppedError) as error:
        problem = as_problem(error) if isinstance(error, StdError) else error
        detail = str(problem) or f"this took more than {stop.seconds:g} s and was stopped"
        yield event("problem", {"status": getattr(problem, "status", 503), "detail": detail})
    finally:
        stop.stop()
        if not future.done():
            future.add_done_callback(lambda done: done.cancelled() or done.exception())


def event(name: str, document: dict[str, Any]) -> bytes:
    """One server-sent event (HTML standard, section 9.2)."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), json_bytes(document))
