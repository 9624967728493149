"""The hits of a search as files: CSV, JSON, an STD list, subtitles, clips.

csv_file       one row a hit, with a header; read by spreadsheets
json_file      a list with the keys of `std-search --json`
std_list_file  what `std-score` reads
subtitles      SRT or WebVTT, one file a recording
zip_file       several files as one archive
"""

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import orjson

from std.csv_files import write_csv
from std.nist import std_list
from std.nist.xml import writable
from std.timelines import SubtitleCue, subtitle_file
from std.values import Detections, Recording, STDList, TermSearch
from std.written_numbers import json_bytes

CSV_HEADER = (
    *("term", "file", "channel", "title", "start_s", "end_s", "probability", "before", "found"),
    *("after", "found_as", "recogniser", "right", "speaker"),
)
FIRST_MEMBER_TIME = (2026, 1, 1, 0, 0, 0)  # the same hits, the same bytes

Documents = Sequence[Mapping[str, Any]]


def csv_file(
    hits: Documents, columns: Sequence[str], metadata: Sequence[Mapping[str, str]]
) -> bytes:
    """Hits as rows.

    Args:
        hits: documents of the API.
        columns: the columns of the metadata.
        metadata: the metadata of each hit's recording.
    """
    columns = [column for column in columns if column != "speaker"]
    target = io.BytesIO()
    rows = (
        (
            *(hit["term"], hit["file"], hit["channel"], hit["title"]),
            *(f"{hit['start_s']:.3f}", f"{hit['start_s'] + hit['duration_s']:.3f}"),
            *(f"{hit['probability']:.4f}", *hit["context"], hit["found_as"], hit["likeliest"]),
            {True: "right", False: "wrong", None: ""}[hit["right"]],
            hit["speaker"] or values.get("speaker", ""),
            *(values.get(column, "") for column in columns),
        )
        for hit, values in zip(hits, metadata, strict=True)
    )
    write_csv(target, (*CSV_HEADER, *columns), rows)
    return target.getvalue()


def json_file(hits: Documents) -> bytes:
    """Hits as a list."""
    return json_bytes(hits, orjson.OPT_INDENT_2)


def std_list_file(hits: Documents, searches: Mapping[str, TermSearch], name: str) -> bytes:
    """Hits as a hit list.

    Args:
        hits: documents of the API; decided.
        searches: the searches of each term id, in their order; also of terms without hits.
        name: the name of the term list.
    """
    ids = {term_id: row for row, term_id in enumerate(searches)}
    of_hits = [Recording(hit["file"], hit["channel"]) for hit in hits]
    recordings = sorted({*of_hits})
    row_of = {recording: row for row, recording in enumerate(recordings)}
    detections = Detections(
        tuple(ids),
        tuple(recordings),
        np.array([ids[hit["term_id"]] for hit in hits], np.int32),
        np.array([row_of[recording] for recording in of_hits], np.int32),
        np.array([hit["start_s"] for hit in hits], np.float64),
        np.array([hit["duration_s"] for hit in hits], np.float64),
        np.array([hit["score"] for hit in hits], np.float64),
        np.array([hit["decision"] == "YES" for hit in hits], np.bool_),
    )
    target = io.BytesIO()
    found = STDList(detections, tuple(searches.values()), writable(name), system_id="std")
    std_list.dump(found, target, "std2006", "UTF-8")
    return target.getvalue()


def subtitles(hits: Documents, kind: Literal["srt", "vtt"]) -> bytes:
    """The hits of one recording as cues, in the order of time."""
    cues = (
        SubtitleCue(hit["start_s"], hit["start_s"] + hit["duration_s"], hit_text(hit))
        for hit in hits
    )
    return subtitle_file(cues, kind)


def hit_text(hit: Mapping[str, Any]) -> str:
    """The text of a hit's cue."""
    speaker = f"{hit['speaker']}: " if hit["speaker"] else ""
    return f"{hit['term']} ({hit['probability']:.0%}): {speaker}{hit['context'][1]}"


def by_recording(hits: Documents) -> dict[str, list[Mapping[str, Any]]]:
    """Hits by the ids of their recordings."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for hit in hits:
        found.setdefault(hit["recording_id"], []).append(hit)
    return found


def zip_file(members: Iterable[tuple[str, bytes]]) -> bytes:
    """Files as an archive."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name, FIRST_MEMBER_TIME), content)
    return target.getvalue()
