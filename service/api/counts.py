"""How often terms are said: a list by recording and year; related forms; the values of a facet."""

import io
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from searcher import FormHits, SearchResult
from service.answers import facet_document
from service.api.models import PROBLEMS, Document, FacetDocument, FormDocument, Probability, files
from service.api.requests import check_list, described, json_reply, parameters, position, service_of
from service.api.search import SearchParameters, Written, conditions_of, searched
from service.examples import parts_of
from service.jobs import Stop, in_lane
from service.live_index import Snapshot
from service.problems import ProblemError
from service.searching import FacetValue, Wish, checked
from service.settings import Limits
from service.state import Service
from std.csv_files import write_csv
from std.nist import term_file
from std.tables import unpacked_bytes
from std.values import Term, TermList

AT_ONCE = 10  # terms between two checks whether the client is connected
UNDATED = "undated"
LIST_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "text/plain": {
                "schema": {"type": "string", "description": "a term a line, or a table (CSV)"},
                "example": "polizei\nschloss neuschwanstein\n",
            },
            "application/octet-stream": {
                "schema": {"type": "string", "format": "binary", "description": "a workbook (XLSX)"}
            },
        },
    }
}


class TermCountDocument(Document):
    """How often a term is said."""

    term: str
    hits: int
    expected_right: float
    recordings: int
    by_year: dict[str, int]
    by_recording: dict[str, int] = Field(
        description="number of hits by id of the recording; no zeros"
    )


class CountsDocument(Document):
    """How often the terms of a list are said."""

    terms: list[TermCountDocument]
    years: list[str] = Field(
        description="years of the recordings with hits; undated: they have no date"
    )
    min_probability: Probability
    column: str = Field(description="the column of a table that has the terms")


class FacetValuesDocument(Document):
    """The values of a facet: the chosen ones first, then the others by frequency."""

    facet: str
    values: list[FacetDocument]
    total: int = Field(description="number of all values that fit the text")
    next_cursor: str | None


class FormsDocument(Document):
    """Related forms, by term; those of a term by frequency."""

    forms: list[FormDocument]


class FormsParameters(BaseModel):
    """The parameters of a search for related forms."""

    term: list[Written] = Field(min_length=1, description="a word or a phrase; repeat for more")
    where: list[Written] = Field([], description="conditions on recordings; repeat for more")


class FacetParameters(SearchParameters):
    """The parameters of a search, the facet, and which of its values."""

    facet: str = Field(description="name of the facet, such as recording, date or speaker")
    text: str = Field(
        "", max_length=200, description="only values, or titles, that contain this text"
    )
    limit: int = Field(200, ge=1, le=1000)


router = APIRouter(prefix="/api", tags=["search"], responses=PROBLEMS)


@router.get("/forms", response_model=FormsDocument, openapi_extra=described(FormsParameters))
async def forms(request: Request) -> Response:
    """Count the hits of related forms: words of the index that are terms in another form."""
    asked = parameters(FormsParameters, request)
    found = await found_forms(service_of(request), request, asked.term, conditions_of(asked.where))
    return json_reply({"forms": [one._asdict() for one in found]})


async def found_forms(
    service: Service, request: Request, terms: Sequence[str], where: str | None
) -> list[FormHits]:
    """The related forms of terms with their hits, new or kept.

    Args:
        terms: as the client wrote them; queries and examples have no forms.
    """
    snapshot = service.snapshot
    given = checked(terms, snapshot, service.limits, service.limits.terms)
    words = [words for words, _ in map(parts_of, given) if words]
    key = "forms", snapshot.number, *words, where
    found: list[FormHits] | None = service.cache.get(key)
    if found is None:
        found = await in_lane(
            service.other,
            request,
            lambda stop: snapshot.index.find_forms(*words, where=where).forms,
            service.search_s,
        )
        service.cache.put(key, found, 1000 + 300 * len(found))
    return found


@router.get("/facets", response_model=FacetValuesDocument, openapi_extra=described(FacetParameters))
async def facets(request: Request) -> Response:
    """List the values of one facet of a search, with the number of hits of each."""
    service, asked = service_of(request), parameters(FacetParameters, request)
    wish = asked.wish(service.snapshot)
    values, _ = await found_values(service, request, asked.term, wish, asked.facet, asked.text)
    first, total = position(asked.cursor), len(values)
    end = first + asked.limit
    return json_reply(
        {
            "facet": asked.facet,
            "values": [facet_document(one) for one in values[first:end]],
            "total": total,
            "next_cursor": str(end) if end < total else None,
        }
    )


async def found_values(
    service: Service, request: Request, terms: list[str], wish: Wish, facet: str, text: str
) -> tuple[list[FacetValue], Mapping[str, str]]:
    """The values of a facet that have a text in them, and the titles of recordings by id.

    Args:
        text: in any case.

    Raises:
        ProblemError: the search has no such facet.
    """
    snapshot, selection = await searched(
        service, request, terms, wish, lambda snapshot, selection: (snapshot, selection), 0
    )
    values = selection.facets.get(facet)
    if values is None:
        known = ", ".join(selection.facets)
        raise ProblemError(400, f"facet: expected one of {known}, got {facet[:40]!r}")
    titles: dict[str, str] = {}
    if facet == "recording":
        titles = {name: entry.title for name, entry in snapshot.recordings.by_id.items()}
    wanted = text.casefold().strip()
    return [
        one
        for one in values
        if wanted in one.value.casefold() or wanted in titles.get(one.value, "").casefold()
    ], titles


@router.post(
    "/counts", response_model=CountsDocument, openapi_extra=LIST_BODY, responses=files("text/csv")
)
async def counts(
    request: Request,
    min_probability: Probability = 0.5,
    name: Annotated[
        str, Query(max_length=400, description="name of the file, such as names.xlsx")
    ] = "list",
    column: Annotated[
        str | None, Query(description="the column of a table that has the terms")
    ] = None,
) -> Response:
    """Count the hits of a list of terms: lines, a table, a workbook or NIST's XML. `Accept:
    text/csv` asks for a table."""
    service = service_of(request)
    body, limits = await request.body(), service.limits
    read = partial(_list_of, body, name, column, limits)
    given = await in_lane(service.queries, request, read, limits.search_s)
    work = partial(_counted, given.terms, service.snapshot, min_probability, limits)
    rows = await in_lane(service.lists, request, work, limits.list_s)
    years = sorted({year for row in rows for year in row["by_year"]})
    if "text/csv" in request.headers.get("accept", ""):
        content = await run_in_threadpool(_table, rows, years)
        return Response(content, media_type="text/csv; charset=utf-8")
    document = {
        "terms": rows,
        "years": years,
        "min_probability": min_probability,
        "column": given.column or "",
    }
    return await run_in_threadpool(json_reply, document)


def _list_of(body: bytes, name: str, column: str | None, limits: Limits, stop: Stop) -> TermList:
    """The list of a request; a small workbook may take long to read.

    Raises:
        InputError: it is no list.
        ProblemError: it is too long, or a workbook that grows too large.
        JobStoppedError: the client disconnected, or reading took too long.
    """
    if unpacked_bytes(body, name) > limits.unpacked_bytes:
        expected = f"expected a workbook of at most {limits.unpacked_bytes} bytes, decompressed"
        raise ProblemError(413, expected)
    given = term_file.parse(io.BytesIO(body), name, column=column)
    check_list(given.terms, limits)
    return given


def _counted(
    terms: tuple[Term, ...], snapshot: Snapshot, least: float, limits: Limits, stop: Stop
) -> list[dict[str, Any]]:
    """A row for each term, in the order of the list.

    Raises:
        ProblemError: there are too many hits.
        JobStoppedError: the client disconnected, or the search took too long.
    """
    parts, candidates = [], 0
    for first in range(0, len(terms), AT_ONCE):
        stop.check()
        parts.append(snapshot.index.find_terms(terms[first : first + AT_ONCE]))
        candidates += parts[-1].n_candidates
        if candidates > limits.list_candidates:
            detail = f"expected terms with at most {limits.list_candidates} possible hits; "
            raise ProblemError(400, f"{detail}take fewer of the commonest terms")
    return [row for found in snapshot.index.decide(parts) for row in _rows(found, snapshot, least)]


def _rows(found: SearchResult, snapshot: Snapshot, least: float) -> list[dict[str, Any]]:
    entries = snapshot.recordings.entries
    places = found.candidates
    recording = snapshot.recordings.rows(found.recordings)[places.recording]
    is_counted = (found.probability >= least) & (recording >= 0)
    rows = []
    for number, term in enumerate(found.terms):
        mine = np.flatnonzero(is_counted & (places.term == number))
        by_recording = np.bincount(recording[mine], minlength=len(entries))
        heard = np.flatnonzero(by_recording)
        by_year: dict[str, int] = {}
        for row in heard.tolist():
            year = entries[row].metadata.get("date", "")[:4] or UNDATED
            by_year[year] = by_year.get(year, 0) + int(by_recording[row])
        rows.append(
            {
                "term": term.text,
                "hits": len(mine),
                "expected_right": float(found.probability[mine].sum()),
                "recordings": len(heard),
                "by_year": dict(sorted(by_year.items())),
                "by_recording": {entries[row].id: int(by_recording[row]) for row in heard.tolist()},
            }
        )
    return rows


def _table(rows: list[dict[str, Any]], years: list[str]) -> bytes:
    """The counts as CSV."""
    content = io.BytesIO()
    header = ["term", "hits", "expected_right", "recordings", *years]
    write_csv(
        content,
        header,
        (
            [row["term"], row["hits"], f"{row['expected_right']:.1f}", row["recordings"]]
            + [row["by_year"].get(year, 0) for year in years]
            for row in rows
        ),
    )
    return content.getvalue()
