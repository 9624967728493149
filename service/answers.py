"""What the API answers to a search, as JSON documents; the page shows the same."""

from collections.abc import Sequence
from typing import Any

from searcher import Hit
from service.live_index import Snapshot
from service.marks import MarkFile
from service.recordings import RecordingEntry
from service.searching import Selection, hits_of
from std.values import Recording

MANY_VALUES = 200  # of a facet, that are listed


def hit_document(hit: Hit, snapshot: Snapshot, marks: MarkFile) -> dict[str, Any]:
    """A hit with the keys of `std-search --json`, and where to hear it."""
    recording = Recording(hit.file, hit.channel)
    entry = snapshot.recordings.entries[snapshot.recordings.of_recording[recording]]
    start_ms = round(1000 * hit.start_s)
    end_ms = round(1000 * (hit.start_s + hit.duration_s))
    return hit.document() | {
        "recording_id": entry.id,
        "title": entry.title,
        "has_audio": entry.audio is not None,
        "found_as": hit.found_as,
        "metadata": dict(entry.metadata),
        "right": marks.get((hit.term, recording, start_ms, end_ms)),
    }


def precision(terms: Sequence[str], marks: MarkFile) -> dict[str, int]:
    """How many hits of terms people marked right and wrong."""
    marked = [mark.right for mark in marks.of_terms(terms)]
    return {"right": marked.count(True), "wrong": marked.count(False)}


def search_document(
    selection: Selection, snapshot: Snapshot, marks: MarkFile, first: int, limit: int
) -> dict[str, Any]:
    """The answer to a search: hits, and what there is beside them.

    Args:
        selection: what was asked for.
        snapshot: that was searched.
        marks: of people.
        first: number of the first hit.
        limit: hits at most.
    """
    total = len(selection.term)
    hits = [
        hit_document(hit, snapshot, marks)
        for hit in hits_of(selection, snapshot, first, first + limit)
    ]
    terms = [result.term for result in selection.results]
    for hit in hits:
        hit["termid"] = f"TERM-{terms.index(hit['term']) + 1}"
    return {
        "terms": [
            {
                "term": result.term,
                "words": list(result.found.words[0]),
                "unknown": [word for word in result.found.oov_words[0] if "*" not in word],
                "remarks": list(result.remarks),
                "hits": len(result.recording),
            }
            for result in selection.results
        ],
        "total": total,
        "expected_right": float(selection.probability.sum()),
        "expected": selection.expected.document(),
        "hits": hits,
        "next_cursor": str(first + limit) if first + limit < total else None,
        "by_probability": {
            "counts": selection.counts.tolist(),
            "expected_right": selection.expected_right.round(3).tolist(),
        },
        "facets": {
            name: [
                {"value": one.value, "count": one.hits, "selected": one.selected}
                for one in values[:MANY_VALUES]
            ]
            for name, values in selection.facets.items()
        },
        "marked": precision(terms, marks),
        "snapshot": snapshot.number,
    }


def recording_document(entry: RecordingEntry) -> dict[str, Any]:
    """A recording, as the API lists it."""
    return {
        "id": entry.id,
        "file": entry.recording.file,
        "channel": entry.recording.channel,
        "title": entry.title,
        "speech_s": entry.speech_s,
        "has_audio": entry.audio is not None,
        "metadata": dict(entry.metadata),
    }
