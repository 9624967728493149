"""Spoken queries: the words that a recogniser wrote for them, in a file from indexer to searcher.

    {"format": "std spoken queries 1", "language": "en",
     "recognition": {"cpu_seconds": 12.5, "peak_memory_gb": 0.5},
     "queries": [{"id": "sws_001", "examples": ["sws_001", "sws_001.1"], "duration_s": 1.9,
                  "stretches": [{"recording": "sws_001", "start_s": 0.3, "end_s": 1.02}, ...],
                  "alternatives": [{"words": "new york", "weight": 0.8},
                                   {"words": "newark", "weight": 0.2}]}]}

`std-index --queries-to` writes this file, `std-search --queries` reads it: the indexer reads
recogniser output and no index, the searcher reads an index and no recogniser output. The cost of
recognising the queries is part of the cost of the search. A stretch is the time of the words in an
example; query by example compares these stretches.

QueryStretch     the stretch of an example in which a query is said
SpokenQuery      one query: weighted word sequences, from all its examples
RecognitionCost  CPU time and memory of recognising the queries, from std-recognise
SpokenQueries    those of a file
parse, dump      the file
term_list_of     the queries as NIST's term list
"""

import json
import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, NamedTuple

from std.errors import NONE, InputError
from std.json_fields import Part, read_json
from std.ranges import TIME_S, Range
from std.terminal import json_text
from std.values import Term, TermList

QUERIES_FORMAT = "std spoken queries 1"
WEIGHT = Range(0, 1, above=True)
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\ufffe\uffff]")  # XML and terminals cannot hold them
COST = Range(0, 1_000_000_000_000)
MAX_SUM = 1 + 1e-6  # of the weights of a query: they are written with so many digits


class WeightedWords(NamedTuple):
    """A word sequence that a query may be."""

    words: str  # as the recogniser wrote them, with spaces between
    weight: float  # probability that the query is this


class QueryStretch(NamedTuple):
    """The stretch of a recording in which a query is said."""

    recording: str
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class SpokenQuery:
    """A query that was spoken, once or several times."""

    query_id: str
    examples: tuple[str, ...]  # recordings of the query
    alternatives: tuple[WeightedWords, ...]  # the likeliest first; none if no word was heard
    duration_s: float | None = None  # of all its examples; None: a file of an earlier version
    stretches: tuple[QueryStretch, ...] = ()  # of its examples; none: a file of an earlier version

    @property
    def term(self) -> Term:
        """The query as a term: its id, and its likeliest words; without any, the id again."""
        text = self.alternatives[0].words if self.alternatives else self.query_id
        return Term(self.query_id, text, {"Examples": str(len(self.examples))})


class RecognitionCost(NamedTuple):
    """Cost of recognising the queries."""

    cpu_seconds: float = 0.0
    peak_memory_gb: float = 0.0


@dataclass(frozen=True, slots=True)
class SpokenQueries:
    """The queries of a search."""

    queries: tuple[SpokenQuery, ...]
    language: str = ""  # name or code, where the recogniser's output says it
    recognition: RecognitionCost | None = None  # None: not known

    @property
    def duration_s(self) -> float | None:
        """The duration of all examples (MediaEval 2013 SWS, equation 47); None: not known."""
        durations_s = [query.duration_s for query in self.queries]
        known_s = [duration_s for duration_s in durations_s if duration_s is not None]
        return round(sum(known_s), 3) if len(known_s) == len(durations_s) else None


def term_list_of(spoken: SpokenQueries, ecf_filename: str) -> TermList:
    """The queries as a term list, as MediaEval's evaluations have them."""
    terms = tuple(query.term for query in spoken.queries)
    return TermList(terms, ecf_filename=ecf_filename, language=spoken.language, version="1")


def parse(path: Path) -> SpokenQueries:
    """Read a file of spoken queries.

    Raises:
        InputError: it is another file, names a query twice, or has invalid weights.
    """
    document = read_json(path)
    if document["format"].value != QUERIES_FORMAT:
        raise document["format"].error(
            f'"{QUERIES_FORMAT}" (std-index NETWORKS --queries-to FILE makes such a file)'
        )
    queries = [_query(part) for part in document["queries"]]
    if not queries:
        raise InputError(path, 0, "at least one query", NONE)
    ids = [query.query_id for query in queries]
    if twice := next((a for a, b in pairwise(sorted(ids)) if a == b), None):
        raise InputError(path, 0, "each query once", twice)
    language = document["language"].text() if document.has("language") else ""
    recognition = None
    if document.has("recognition"):
        part = document["recognition"]
        recognition = RecognitionCost(*(part[key].within(COST) for key in RecognitionCost._fields))
    return SpokenQueries(tuple(queries), language, recognition)


def _query(part: Part) -> SpokenQuery:
    query_id = part["id"].text().strip()
    if not query_id or CONTROLS.search(query_id):
        raise part["id"].error("the name of a query, without control characters")
    alternatives = [
        WeightedWords(_words(one["words"]), one["weight"].within(WEIGHT))
        for one in part["alternatives"]
    ]
    if sum(one.weight for one in alternatives) > MAX_SUM:
        raise part["alternatives"].error("weights whose sum is at most 1")
    examples = tuple(one.text() for one in part["examples"])
    duration_s = part["duration_s"].within(TIME_S) if part.has("duration_s") else None
    likeliest_first = tuple(sorted(alternatives, key=lambda one: -one.weight))
    stretches = tuple(map(_stretch, part["stretches"])) if part.has("stretches") else ()
    return SpokenQuery(query_id, examples, likeliest_first, duration_s, stretches)


def _stretch(part: Part) -> QueryStretch:
    start_s, end_s = (part[name].within(TIME_S) for name in ("start_s", "end_s"))
    if end_s <= start_s:
        raise part["end_s"].error(f"a time after {start_s:g}")
    return QueryStretch(part["recording"].text(), start_s, end_s)


def _words(part: Part) -> str:
    words = " ".join(part.text().split())
    if not words or CONTROLS.search(words):
        raise part.error("words, without control characters")
    return words


def _written(stretches: tuple[QueryStretch, ...]) -> list[dict[str, str | float]]:
    return [one._asdict() for one in stretches]


def dump(queries: SpokenQueries, stream: BinaryIO) -> None:
    """Write a file of spoken queries, one query a line."""
    lines = [
        json_text(
            {
                "id": query.query_id,
                "examples": list(query.examples),
                **({} if query.duration_s is None else {"duration_s": query.duration_s}),
                **({"stretches": stretches} if (stretches := _written(query.stretches)) else {}),
                "alternatives": [
                    {"words": one.words, "weight": one.weight} for one in query.alternatives
                ],
            }
        )
        for query in queries.queries
    ]
    head = f'{{"format": {json.dumps(QUERIES_FORMAT)}, "language": {json_text(queries.language)},'
    if queries.recognition:
        head += f' "recognition": {json_text(queries.recognition._asdict())},'
    text = ",\n  ".join(lines)
    stream.write(f'{head} "queries": [\n  {text}\n]}}\n'.encode())
