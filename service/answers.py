"""The API's answers to a search, as JSON documents; the page shows the same."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from searcher import SearchResult, UnitHits
from service.examples import MOST_EXAMPLES, term_like
from service.live_index import Snapshot
from service.marks import MarkedHit, Marks, version_of
from service.recordings import RecordingEntry
from service.searching import FacetValue, Selection
from std.corrections import CorrectedWord
from std.marks import Mark
from std.numbers import written
from std.values import Int64s, Recording

MANY_VALUES = 200  # values listed per facet


def is_corrected(words: Sequence[CorrectedWord], start_ms: int, end_ms: int) -> bool:
    """Whether a person has corrected the word in the middle of a stretch.

    >>> words = [CorrectedWord("so", 1100, 1900)]
    >>> is_corrected(words, 1100, 1900), is_corrected(words, 1900, 2000)
    (True, False)
    """
    middle_ms = (start_ms + end_ms) / 2
    return any(word.start_ms <= middle_ms < word.end_ms for word in words)


def hit_documents(
    found: SearchResult, recording: Int64s, snapshot: Snapshot, marks: Marks
) -> list[dict[str, Any]]:
    """Hits with the keys of `std-search --json`, and the addresses of their audio.

    Args:
        found: a search's result; hits are decided as `std-search --decide` does.
        recording: (n,) row of each hit's recording in the snapshot's table.
    """
    entries = [snapshot.recordings.entries[row] for row in recording.tolist()]
    columns, table = snapshot.index.hit_columns(found), found.candidates
    spans = table.start_ms.tolist(), table.end_ms.tolist()
    places = [*zip(entries, *spans, strict=True)]
    corrected, with_sound = snapshot.corrected_words, snapshot.with_sound
    marked: list[Mark | None] = [None] * len(entries)
    if marks:
        terms = [found.terms[term].text for term in table.term.tolist()]
        marked = [
            marks.found(MarkedHit(term, entry.recording, start_ms, end_ms))
            for term, (entry, start_ms, end_ms) in zip(terms, places, strict=True)
        ]
    return columns.documents(
        {
            "recording_id": [entry.id for entry in entries],
            "title": [entry.title for entry in entries],
            "has_audio": [entry.audio is not None for entry in entries],
            "found_as": columns.found_as(),
            "like": [
                term_like([(entry.id, start_ms / 1000, end_ms / 1000)])
                if entry.recording in with_sound
                else None
                for entry, start_ms, end_ms in places
            ],
            "corrected": [
                entry.recording in corrected
                and is_corrected(corrected[entry.recording], start_ms, end_ms)
                for entry, start_ms, end_ms in places
            ],
            "metadata": [entry.metadata for entry in entries],
            "right": [None if mark is None else mark.right for mark in marked],
            "marked_by": ["" if mark is None else mark.author for mark in marked],
            "mark_version": [*map(version_of, marked)],
        }
    )


def selected_documents(
    selection: Selection, snapshot: Snapshot, marks: Marks, first: int, end: int
) -> list[dict[str, Any]]:
    """Some of the hits of a selection, in its order; see `hit_documents`."""
    term, row = selection.term[first:end], selection.row[first:end]
    documents: list[dict[str, Any]] = [{}] * len(term)
    for number, result in enumerate(selection.results):
        places = np.flatnonzero(term == number)
        rows = row[places]
        some = hit_documents(result.found.rows(rows), result.recording[rows], snapshot, marks)
        for place, document in zip(places.tolist(), some, strict=True):
            document["term_id"] = f"TERM-{number + 1}"
            documents[place] = document
    return documents


def precision(terms: Sequence[str], marks: Marks) -> dict[str, int]:
    """The number of hits of some terms that people marked right and wrong."""
    marked = [mark.right for mark in marks.of_terms(terms)]
    return {"right": marked.count(True), "wrong": marked.count(False)}


def search_document(
    selection: Selection, snapshot: Snapshot, marks: Marks, first: int, limit: int
) -> dict[str, Any]:
    """The answer to a search: hits, facets and expectations; numbers are rounded."""
    total = selection.total
    terms = [term.text for result in selection.results for term in result.found.terms]
    return {
        "terms": [
            {
                "term": result.term,
                "words": [word for words in result.found.words for word in words],
                "unknown": [
                    word for words in result.found.oov_words for word in words if "*" not in word
                ],
                "remarks": list(result.remarks),
                "hits": hits,
            }
            for result, hits in zip(selection.results, selection.of_terms.tolist(), strict=True)
            if result.term
        ],
        "forms": [
            one._asdict()
            for result in selection.results
            if not result.term
            for one in result.found.forms
        ],
        "total": total,
        "expected_right": written(selection.right),
        "expected": written(selection.expected.document()),
        "hits": selected_documents(selection, snapshot, marks, first, first + limit),
        "next_cursor": str(first + limit) if first + limit < total else None,
        "by_probability": {
            "counts": selection.counts.tolist(),
            "expected_right": selection.expected_right.round(3).tolist(),
        },
        "facets": {
            name: [facet_document(one) for one in values[:MANY_VALUES]]
            for name, values in selection.facets.items()
        },
        "facet_totals": {name: len(values) for name, values in selection.facets.items()},
        "like_right": like_right(terms, snapshot, marks),
        "by_date": by_date(selection.facets.get("date", ())),
        "marked": precision(terms, marks),
        "snapshot": snapshot.number,
    }


def facet_document(one: FacetValue) -> dict[str, Any]:
    """A value of a facet in the form of the API."""
    return {"value": one.value, "count": one.hits, "selected": one.selected}


def like_right(terms: Sequence[str], snapshot: Snapshot, marks: Marks) -> str | None:
    """The term that finds more places like those that people marked right; None: there are none."""
    table = snapshot.recordings
    right = [
        (table.entries[table.of_recording[mark.recording]].id, mark.start_s, mark.end_s)
        for mark in marks.of_terms(terms)
        if mark.right and mark.recording in snapshot.with_sound
    ]
    return term_like(right[-MOST_EXAMPLES:]) if right else None


def by_date(values: Sequence[FacetValue]) -> list[dict[str, Any]]:
    """Hits by year, or by month if the dates span at most two years; undated hits are left out.

    >>> by_date([FacetValue("2019-03-02", 4, False), FacetValue("2019-03", 1, False)])
    [{'period': '2019-03', 'hits': 5}]
    """
    dated = [one for one in values if one.value and one.hits]
    letters = 7 if len({one.value[:4] for one in dated}) <= 2 else 4
    hits: dict[str, int] = {}
    for one in dated:
        period = one.value[:letters]
        hits[period] = hits.get(period, 0) + one.hits
    return [{"period": period, "hits": hits[period]} for period in sorted(hits)]


def units_document(found: UnitHits, snapshot: Snapshot, first: int, limit: int) -> dict[str, Any]:
    """The answer to a search for recordings or turns.

    Args:
        found: all recordings or turns, the most probable first.
    """
    table = snapshot.recordings
    shown = []
    for one in found[first : first + limit]:
        entry = table.entries[table.of_recording[Recording(one.file, one.channel)]]
        shown.append(
            one.document()
            | {
                "recording_id": entry.id,
                "title": entry.title,
                "has_audio": entry.audio is not None,
                "metadata": dict(entry.metadata),
            }
        )
    end = first + limit
    return {
        "unit": found.unit,
        "understood": list(found.understood),
        "total": len(found),
        "less_likely": found.less_likely,
        "expected": found.expected.document(),
        "units": shown,
        "next_cursor": str(end) if end < len(found) else None,
        "snapshot": snapshot.number,
    }


def recording_document(entry: RecordingEntry) -> dict[str, Any]:
    """A recording in the form of the API."""
    return {
        "id": entry.id,
        "file": entry.recording.file,
        "channel": entry.recording.channel,
        "title": entry.title,
        "speech_s": entry.speech_s,
        "has_audio": entry.audio is not None,
        "metadata": dict(entry.metadata),
    }
