"""Terms -> hits; the word sequences of a term; the words of the index.

``POST /api/searches``, a term list, is in `service.api.term_lists`.
"""

import time
from bisect import bisect_left
from collections.abc import Callable
from typing import Annotated, TypeVar

import numpy as np
from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from service.api.models import PROBLEMS, HintsDocument, Probability, SearchDocument
from service.api.requests import described, json_reply, parameters, position, service_of
from service.jobs import in_lane
from service.live_index import Snapshot
from service.problems import ProblemError
from service.processes import Question, answered
from service.searching import Selection, Sorting, Wish, checked, elapsed_ms, select
from service.state import Service
from std.config import SHOWN_FROM

A = TypeVar("A")

MAX_TEXT = 10_000  # letters of a text that hints are asked for
MAX_VALUES = 1000  # of all facets in an address

router = APIRouter(prefix="/api", tags=["search"], responses=PROBLEMS)

Terms = Annotated[list[str], Query(alias="term", description="a word or a phrase; repeat for more")]
Facets = Annotated[
    list[str], Query(alias="where", description="facet:value, as speaker:Kerstin; repeat for more")
]


def facets_of(
    recording: list[str], channel: list[str], where: list[str]
) -> dict[str, frozenset[str]]:
    """The values asked for, by facet.

    Raises:
        ProblemError: a value has no facet, or there are too many.
    """
    pairs = [("recording", one) for one in recording] + [("channel", one) for one in channel]
    for one in where:
        name, colon, value = one.partition(":")
        if not colon:
            raise ProblemError(400, f"where: expected facet:value, got {one[:40]!r}")
        pairs.append((name, value))
    if len(pairs) > MAX_VALUES:
        raise ProblemError(400, f"expected at most {MAX_VALUES} values, got {len(pairs)}")
    return {name: frozenset(v for n, v in pairs if n == name) for name in {n for n, _ in pairs}}


async def searched(
    service: Service,
    request: Request,
    terms: list[str],
    wish: Wish,
    make: Callable[[Snapshot, Selection], A],
    end: int | None = None,
) -> A:
    """Search terms in the newest snapshot and make an answer of the hits.

    Args:
        service: that is asked.
        request: of the client.
        terms: as the client wrote them.
        wish: which hits.
        make: runs in a thread; see `Service.answer`.
        end: how many hits are wanted; None = all.
    """
    snapshot = service.snapshot
    given = checked(terms, snapshot, service.limits, service.limits.terms)
    return await service.answer(
        given,
        snapshot,
        request,
        lambda results: make(snapshot, select(results, snapshot, wish, end)),
    )


class SearchParameters(BaseModel):
    """The parameters of a search."""

    term: list[str] = Field(description="a word or a phrase; repeat for more")
    min_probability: Probability = SHOWN_FROM
    recording: list[str] = Field([], description="ids; others are left out")
    channel: list[str] = []
    where: list[str] = Field([], description="facet:value, as speaker:Kerstin; repeat for more")
    sort: Sorting = "probability"
    limit: int = Field(50, ge=1, le=500)
    cursor: str = ""


@router.get("/search", response_model=SearchDocument, openapi_extra=described(SearchParameters))
async def search(request: Request) -> Response:
    """Find the places where terms may have been said, the most probable first."""
    began = time.perf_counter()
    service, asked = service_of(request), parameters(SearchParameters, request)
    facets = facets_of(asked.recording, asked.channel, asked.where)
    wish = Wish(asked.min_probability, facets, asked.sort)
    limit, first = asked.limit, position(asked.cursor)
    key = (
        "answer", service.snapshot.number, service.marks.version, tuple(asked.term),
        asked.min_probability, tuple(asked.recording), tuple(asked.channel), tuple(asked.where),
        asked.sort, limit, first,
    )  # fmt: skip
    content = service.cache.get(key)
    if content is None:
        async with service.turn(key):
            content = service.cache.get(key)
            if content is None:
                content = await answer_to(service, request, asked.term, wish, first, limit)
                service.cache.put(key, content, len(content) + 2000)
    timed = b'%s,"elapsed_ms":%.3f}' % (content[:-1], elapsed_ms(began))
    return Response(timed, media_type="application/json")


async def answer_to(
    service: Service, request: Request, terms: list[str], wish: Wish, first: int, limit: int
) -> bytes:
    """The JSON document that answers a search, made in a process or a thread."""
    snapshot, marks = service.snapshot, service.marks
    given = checked(terms, snapshot, service.limits, service.limits.terms)

    marked = tuple(marks.of_terms(given))
    question = Question(snapshot.number, given, wish, first, limit, marked)
    content = await service.ask(question, snapshot, request)
    if content is not None:
        return content
    return await service.answer(
        given,
        snapshot,
        request,
        lambda results: answered(results, snapshot, marks, wish, first, limit),
    )


@router.get("/query")
async def query(request: Request, term: Annotated[str, Query(min_length=1)]) -> Response:
    """What a term becomes, without searching: the document of `--explain-query --json`."""
    service = service_of(request)
    snapshot = service.snapshot
    (given,) = checked([term], snapshot, service.limits, 1)
    described = await in_lane(
        service.other, request, lambda stop: snapshot.index.query(given), service.limits.search_s
    )
    return json_reply(described)


@router.get("/words", response_model=HintsDocument)
async def words(
    request: Request,
    text: Annotated[str, Query(max_length=MAX_TEXT, description="the text typed so far")] = "",
    limit: Annotated[int, Query(ge=1, le=50)] = 8,
) -> Response:
    """Hints for a text as it is typed: words of the index that begin like its last word, the most
    frequent first, and which of its words the recogniser does not know."""
    return json_reply(hints(service_of(request).snapshot, text, limit))


def hints(snapshot: Snapshot, text: str, limit: int) -> dict[str, object]:
    """The document of `words`; a look-up in the sorted vocabulary."""
    vocabulary, phrase = snapshot.index.vocabulary, snapshot.index.config.text.phrase
    typed = [word for line in text.replace(",", "\n").split("\n") for word in phrase(line)]
    unknown = [word for word in dict.fromkeys(typed) if "*" not in word and word not in vocabulary]
    beginning = (phrase(text.replace(",", "\n").split("\n")[-1].rpartition(" ")[2]) or ("",))[-1]
    found: list[dict[str, object]] = []
    if beginning and "*" not in beginning:
        first = bisect_left(vocabulary.words, beginning)
        end = bisect_left(vocabulary.words, beginning + "\U0010ffff")
        counts = vocabulary.counts[first:end]
        order = np.argsort(-counts, kind="stable")[:limit]
        found = [
            {"word": vocabulary.words[first + i], "count": int(counts[i])} for i in order.tolist()
        ]
    return {"words": found, "unknown": unknown}
