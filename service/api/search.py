"""Terms -> hits; the word sequences of a term; the words of the index.

``POST /api/searches``, a term list, is in `service.api.term_lists`.
"""

import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Annotated, Literal, TypeVar

import numpy as np
from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field, StringConstraints
from starlette.responses import Response

from searcher import WORD_KINDS, UnitHits
from service.answers import units_document
from service.api.models import PROBLEMS, HintsDocument, Probability, SearchDocument, UnitsDocument
from service.api.requests import described, json_reply, parameters, position, service_of
from service.examples import has_examples, parts_of
from service.jobs import in_lane
from service.live_index import Snapshot
from service.problems import ProblemError
from service.processes import Question, answered
from service.searching import Selection, Sorting, Wish, checked, phrases_of, select
from service.state import Service
from std.config import SHOWN_FROM
from std.errors import meant
from std.metadata.table import SPEAKER
from std.query.grammar import parse_where

A = TypeVar("A")

MAX_TEXT = 10_000  # letters of a text for hints
_JOINED = ("words", "variants")  # of the phrases of a query
MAX_VALUES = 1000  # of all facets in an address

router = APIRouter(prefix="/api", tags=["search"], responses=PROBLEMS)

Written = Annotated[str, StringConstraints(min_length=1)]
TERM = (
    "a word, a phrase or a query, as polizei AND NOT gewalt; or a word or a phrase with examples, "
    "as haus like:news@12.3-13.1+radio@4.0-4.6, or examples alone; repeat for more"
)
WHERE = (
    "a value of a facet, as speaker:Kerstin (several values of one facet: any of them), or a "
    "condition, as date:2013..2015 or 'date >= 2013 and not speaker = Bob'; repeat for more"
)
KINDS = "^(none|(form|part|apart)(,(form|part|apart)){0,2})$"
ALL_KINDS = ",".join(WORD_KINDS)
WITHIN_WORDS = "kinds of hits inside other words to keep, or none"
INFLECTIONS = "also hits of related forms (hauses of haus), as std-search --inflections"


def wish_of(
    snapshot: Snapshot,
    recording: Sequence[str],
    channel: Sequence[str],
    where: Sequence[str],
    min_probability: float,
    sort: Sorting,
    within_words: str = ALL_KINDS,
    *,
    inflections: bool = False,
) -> Wish:
    """The hits that a request asks for.

    Args:
        where: values of facets, as ``speaker:Anna``, or conditions.
        within_words: kinds of words that hits may be inside, or none.

    Raises:
        ProblemError: there is no such recording or channel, or there are too many values.
        QueryError: a text is neither a value of a facet nor a condition.
    """
    if (given := len(recording) + len(channel) + len(where)) > MAX_VALUES:
        raise ProblemError(400, f"expected at most {MAX_VALUES} values, got {given}")
    facets: dict[str, set[str]] = {}
    known = snapshot.recordings.facets
    for name, values in (("recording", recording), ("channel", channel)):
        for value in values:
            if value not in known.get(name, ((), (value,)))[1]:
                near = meant(value, known[name][1])
                raise ProblemError(
                    400, f"{name}: expected one of the index, got {value[:80]!r}{near}"
                )
            facets.setdefault(name, set()).add(value)
    conditions = []
    for one in where:
        name, colon, value = one.partition(":")
        of_facet = known.get(name, ((), ()))[1]
        of_speakers = snapshot.index.speakers if name == SPEAKER else ()
        if colon and (value in of_facet or value in of_speakers):
            facets.setdefault(name, set()).add(value)
        else:
            conditions.append(one)
    of_facets = {name: frozenset(values) for name, values in facets.items()}
    kinds = frozenset(within_words.split(",")) - {"none"}
    kept = None if kinds >= {*WORD_KINDS} else kinds
    condition = conditions_of(conditions)
    return Wish(min_probability, of_facets, sort, condition, kept, inflections)


def conditions_of(where: Sequence[str]) -> str | None:
    """Join conditions by AND; None if there are none.

    Raises:
        QueryError: a text is not a condition.
    """
    for one in where:
        parse_where(one)  # each is a complete condition
    return " and ".join(f"({one})" for one in where) or None


async def searched(
    service: Service,
    request: Request,
    terms: list[str],
    wish: Wish,
    make: Callable[[Snapshot, Selection], A],
    end: int | None = None,
) -> A:
    """Search terms in the newest snapshot and answer with the hits.

    Args:
        make: runs in a thread; see `Service.answer`.
        end: the number of hits; None = all.
    """
    snapshot = service.snapshot
    given = checked(terms, snapshot, service.limits, service.limits.terms)
    return await service.answer(
        given,
        snapshot,
        request,
        lambda results: make(snapshot, select(results, snapshot, wish, end)),
        wish.where,
        inflections=wish.inflections,
    )


class SearchParameters(BaseModel):
    """The parameters of a search."""

    term: list[Written] = Field(min_length=1, description=TERM)
    min_probability: Probability = SHOWN_FROM
    recording: list[str] = Field([], description="ids of recordings; hits of others are left out")
    channel: list[str] = []
    where: list[Written] = Field([], description=WHERE)
    sort: Sorting = "probability"
    within_words: str = Field(ALL_KINDS, pattern=KINDS, description=WITHIN_WORDS)
    inflections: bool = Field(False, description=INFLECTIONS)
    limit: int = Field(50, ge=1, le=500)
    cursor: str = ""

    def wish(self, snapshot: Snapshot) -> Wish:
        """The hits that are asked for."""
        return wish_of(
            snapshot, self.recording, self.channel, self.where,
            self.min_probability, self.sort, self.within_words, inflections=self.inflections,
        )  # fmt: skip


@router.get("/search", response_model=SearchDocument, openapi_extra=described(SearchParameters))
async def search(request: Request) -> Response:
    """Find places where terms may have been said, the most probable first."""
    began = time.perf_counter()
    service, asked = service_of(request), parameters(SearchParameters, request)
    wish = asked.wish(service.snapshot)
    limit, first = asked.limit, position(asked.cursor)
    key = "answer", service.snapshot.number, service.marks.version, asked.model_dump_json()
    content = service.cache.get(key)
    if content is None:
        async with service.turn(key):
            content = service.cache.get(key)
            if content is None:
                content = await answer_to(service, request, asked.term, wish, first, limit)
                service.cache.put(key, content, len(content) + 2000)
    timed = b'%s,"elapsed_ms":%.3f}' % (content[:-1], 1000 * (time.perf_counter() - began))
    return Response(timed, media_type="application/json")


async def answer_to(
    service: Service, request: Request, terms: list[str], wish: Wish, first: int, limit: int
) -> bytes:
    """The JSON document that answers a search, made in a process or a thread."""
    snapshot, marks = service.snapshot, service.marks
    given = checked(terms, snapshot, service.limits, service.limits.terms)

    marked = tuple(marks.of_terms(phrases_of(given, snapshot)))
    question = Question(snapshot.number, given, wish, first, limit, marked)
    content = await service.ask(question, snapshot, request)
    if content is not None:
        return content
    return await service.answer(
        given,
        snapshot,
        request,
        lambda results: answered(results, snapshot, marks, wish, first, limit),
        wish.where,
        inflections=wish.inflections,
    )


class UnitParameters(BaseModel):
    """The parameters of a search for recordings or turns."""

    term: Written = Field(description="a query, as NOT gewalt, or a word or a phrase")
    unit: Literal["recording", "turn"] = "recording"
    min_probability: Probability = SHOWN_FROM
    where: list[Written] = Field([], description=WHERE)
    limit: int = Field(50, ge=1, le=500)
    cursor: str = ""


@router.get("/units", response_model=UnitsDocument, openapi_extra=described(UnitParameters))
async def units(request: Request) -> Response:
    """Find the recordings, or the turns of speakers, in which a query holds, the most probable
    first."""
    service, asked = service_of(request), parameters(UnitParameters, request)
    snapshot, first = service.snapshot, position(asked.cursor)
    found = await found_units(
        service, request, asked.term, asked.unit, asked.min_probability, asked.where
    )
    return json_reply(units_document(found, snapshot, first, asked.limit))


async def found_units(
    service: Service,
    request: Request,
    term: str,
    unit: Literal["recording", "turn"],
    min_probability: float,
    where: Sequence[str],
) -> UnitHits:
    """The recordings or turns in which a query holds, from the search or the cache."""
    snapshot = service.snapshot
    (query,) = checked([term], snapshot, service.limits, 1, need_words=False)
    if has_examples(query):
        raise ProblemError(400, "expected words, got an example of sound: it has places only")
    condition = conditions_of(where)
    key = "units", snapshot.number, query, unit, min_probability, condition
    found: UnitHits | None = service.cache.get(key)
    if found is None:
        found = await in_lane(
            service.queries,
            request,
            lambda stop: snapshot.index.find_units(
                query, unit, where=condition, min_probability=min_probability
            ),
            service.search_s,
        )
        service.cache.put(key, found, 1000 * (1 + len(found)))
    return found


@router.get("/query")
async def query(request: Request, term: Annotated[str, Query(min_length=1)]) -> Response:
    """Explain a term without searching: the document of `--explain-query --json`."""
    service = service_of(request)
    snapshot = service.snapshot
    (asked,) = checked([term], snapshot, service.limits, 1)
    if not (given := parts_of(asked).words):
        raise ProblemError(400, "expected words, got an example of sound")
    described = await in_lane(
        service.other,
        request,
        lambda stop: [snapshot.index.query(one) for one in snapshot.index.phrases(given)],
        service.limits.search_s,
    )
    if snapshot.index.phrases(given) == (given,):
        return json_reply(described[0])
    joined = {name: [one for part in described for one in part[name]] for name in _JOINED}
    return json_reply({"term": given} | joined)


@router.get("/words", response_model=HintsDocument)
async def words(
    request: Request,
    text: Annotated[str, Query(max_length=MAX_TEXT, description="the text typed so far")] = "",
    limit: Annotated[int, Query(ge=1, le=50)] = 8,
) -> Response:
    """Hints for a text while it is typed: words of the index that begin like its last word, the
    most frequent first, and the words of the text that the recogniser does not know."""
    return json_reply(hints(service_of(request).snapshot, text, limit))


def hints(snapshot: Snapshot, text: str, limit: int) -> dict[str, object]:
    """The document of `words`; a look-up in the sorted vocabulary."""
    vocabulary, phrase = snapshot.index.vocabulary, snapshot.index.config.text.phrase
    lines = [parts_of(line).words for line in text.replace(",", "\n").split("\n")]
    typed = [word for line in lines for word in phrase(line)]
    unknown = [word for word in dict.fromkeys(typed) if "*" not in word and word not in vocabulary]
    is_of_example = has_examples(text.replace(",", "\n").split("\n")[-1])
    beginning = (phrase(lines[-1].rpartition(" ")[2]) or ("",))[-1] if not is_of_example else ""
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
