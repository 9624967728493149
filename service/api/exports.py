"""The hits of a search as a file: all hits that pass the filters, not only one page.

csv_file       one row a hit, with a header; read by spreadsheets
std_list_file  what `std-score` reads
subtitles      SRT or WebVTT, one file a recording
zip_file       several files as one archive
"""

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal
from urllib.parse import quote

import numpy as np
import orjson
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from service.answers import selected_documents
from service.api.models import PROBLEMS, Probability, files
from service.api.requests import service_of
from service.api.search import ALL_KINDS, INFLECTIONS, KINDS, WITHIN_WORDS, searched, wish_of
from service.audio import clip
from service.jobs import Stop, in_lane
from service.live_index import Snapshot
from service.problems import ProblemError
from service.searching import Selection, Sorting
from service.state import Service
from std.config import SHOWN_FROM
from std.csv_files import write_csv
from std.errors import StdError
from std.nist import std_list
from std.nist.xml import writable
from std.numbers import json_bytes
from std.outputs import clip_name, distinct_names, recording_file_names, safe_name
from std.timelines import SubtitleCue, subtitle_file
from std.values import Detections, Recording, STDList, TermSearch

Kind = Literal["csv", "json", "stdlist", "srt", "vtt", "clips"]
Documents = Sequence[Mapping[str, Any]]

TYPES = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "stdlist": "application/xml",
    "srt": "application/x-subrip; charset=utf-8",
    "vtt": "text/vtt; charset=utf-8",
    "zip": "application/zip",
}
CSV_HEADER = (
    *("term", "file", "channel", "title", "start_s", "end_s", "probability", "before", "found"),
    *("after", "found_as", "recogniser", "right", "note", "speaker"),
)
FIRST_MEMBER_TIME = (2026, 1, 1, 0, 0, 0)  # the same hits, the same bytes
AROUND_S = 1.0  # of a clip, before and after the hit

router = APIRouter(prefix="/api", tags=["export"], responses=PROBLEMS)


@router.get("/export", response_class=Response, responses=files(*TYPES.values()))
async def export(
    request: Request,
    format: Kind,  # noqa: A002  # the API's name
    term: Annotated[list[str], Query()],
    min_probability: Annotated[Probability, Query()] = SHOWN_FROM,
    recording: Annotated[list[str], Query()] = [],  # noqa: B006  # FastAPI copies it
    channel: Annotated[list[str], Query()] = [],  # noqa: B006  # copied, too
    where: Annotated[list[str], Query()] = [],  # noqa: B006  # copied, too
    sort: Sorting = "probability",
    within_words: Annotated[str, Query(pattern=KINDS, description=WITHIN_WORDS)] = ALL_KINDS,
    inflections: Annotated[bool, Query(description=INFLECTIONS)] = False,
    right: bool | None = None,
) -> Response:
    """The hits of a search as a file; ``right=true`` leaves only those that were marked right."""
    service = service_of(request)
    if inflections and format == "stdlist":
        raise ProblemError(400, "stdlist: it has the hits of terms only; leave inflections out")
    chosen = recording, channel, where
    wish = wish_of(
        service.snapshot, *chosen, min_probability, sort, within_words, inflections=inflections
    )
    snapshot, selection = await searched(
        service, request, term, wish, lambda snapshot, selection: (snapshot, selection)
    )
    most = service.limits.export_hits
    if selection.total > most:
        raise ProblemError(
            400, f"expected at most {most} hits, got {selection.total}; raise min_probability"
        )
    content, kind = await in_lane(
        service.audio if format == "clips" else service.known,
        request,
        partial(exported, service, snapshot, selection, format, right),
        service.limits.list_s,
    )
    name = safe_name(" ".join(term)) + (".xml" if kind == "stdlist" else f".{kind}")
    disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    return Response(content, media_type=TYPES[kind], headers={"Content-Disposition": disposition})


def exported(
    service: Service,
    snapshot: Snapshot,
    selection: Selection,
    kind: Kind,
    right: bool | None,
    stop: Stop,
) -> tuple[bytes, str]:
    """The content of an export, and its kind."""
    every = selected_documents(selection, snapshot, service.marks, 0, selection.total)
    by_id = snapshot.recordings.by_id
    shown = [
        hit | {"note": _note(service, by_id[hit["recording_id"]].recording, hit)}
        for hit in every
        if right is None or hit["right"] == right
    ]
    if kind == "json":
        return json_bytes(shown, orjson.OPT_INDENT_2), kind
    if kind == "stdlist":
        searches = {
            f"TERM-{i}": TermSearch(result.found.seconds, len(result.found.oov_words[0]))
            for i, result in enumerate(selection.results, start=1)
        }
        return std_list_file(shown, searches, "search"), kind
    if kind in ("srt", "vtt"):
        return _subtitles(snapshot, shown, kind)
    if kind == "clips":
        return _clips(service, snapshot, shown, stop), "zip"
    return _csv(snapshot, shown), kind


def _note(service: Service, recording: Recording, hit: Mapping[str, Any]) -> str:
    """The notes that overlap a hit."""
    start_s, end_s = hit["start_s"], hit["start_s"] + hit["duration_s"]
    notes = service.marks.notes(recording, round(1000 * start_s), round(1000 * end_s))
    return "; ".join(mark.note for mark in notes)


def _csv(snapshot: Snapshot, shown: Sequence[dict[str, Any]]) -> bytes:
    by_id = snapshot.recordings.by_id
    columns = snapshot.recordings.columns
    return csv_file(shown, columns, [by_id[hit["recording_id"]].metadata for hit in shown])


def _subtitles(
    snapshot: Snapshot, shown: Sequence[dict[str, Any]], kind: Literal["srt", "vtt"]
) -> tuple[bytes, str]:
    """One file for one recording, else an archive of one for each, named as `std-search` does."""
    groups = by_recording(shown)
    if len(groups) == 1:
        return subtitles(shown, kind), kind
    recordings = (snapshot.recordings.by_id[name].recording for name in groups)
    names = (f"{name}.{kind}" for name in recording_file_names(recordings))
    files = (subtitles(hits, kind) for hits in groups.values())
    return zip_file(zip(names, files, strict=True)), "zip"


def _clips(
    service: Service, snapshot: Snapshot, shown: Sequence[dict[str, Any]], stop: Stop
) -> bytes:
    """An archive with a clip of each hit that has audio, the list of all hits, and what is missing.

    Raises:
        ProblemError: there are too many hits.
    """
    playable = [hit for hit in shown if hit["has_audio"]]
    if len(playable) > service.limits.clips:
        raise ProblemError(
            400, f"expected at most {service.limits.clips} clips, got {len(playable)}; raise "
            "min_probability"
        )  # fmt: skip
    members = [("hits.csv", _csv(snapshot, shown))]
    missing = [f"{hit['title']}: no audio" for hit in shown if not hit["has_audio"]]
    entries = [snapshot.recordings.by_id[hit["recording_id"]] for hit in playable]
    names = distinct_names(
        clip_name(
            hit["term"], entry.metadata.get("title") or hit["file"], hit["channel"], hit["start_s"]
        )
        for hit, entry in zip(playable, entries, strict=True)
    )
    files = (f"{name}.ogg" for name in names)
    for name, hit, entry in zip(files, playable, entries, strict=True):
        begin_s = max(0.0, hit["start_s"] - AROUND_S)
        end_s = min(hit["start_s"] + hit["duration_s"] + AROUND_S, begin_s + service.limits.clip_s)
        try:
            members.append((name, clip(entry, begin_s, end_s, "ogg", stop.check)))
        except ProblemError as problem:  # removed or damaged: the other clips are written
            missing.append(f"{name}: {problem.detail}")
    if missing:
        text = "Clips that are missing:\n" + "".join(f"{line}\n" for line in missing)
        members.append(("missing.txt", text.encode("utf-8", "replace")))
    return zip_file(members)


def csv_file(
    hits: Documents, columns: Sequence[str], metadata: Sequence[Mapping[str, str]]
) -> bytes:
    """Hits as rows.

    Args:
        hits: documents of the API.
    """
    columns = [column for column in columns if column != "speaker"]
    target = io.BytesIO()
    rows = (
        (
            *(hit["term"], hit["file"], hit["channel"], hit["title"]),
            *(f"{hit['start_s']:.3f}", f"{hit['start_s'] + hit['duration_s']:.3f}"),
            *(hit["probability"], *hit["context"], hit["found_as"], hit["likeliest"]),
            {True: "right", False: "wrong", None: ""}[hit["right"]],
            hit["note"],
            hit["speaker"] or values.get("speaker", ""),
            *(values.get(column, "") for column in columns),
        )
        for hit, values in zip(hits, metadata, strict=True)
    )
    write_csv(target, (*CSV_HEADER, *columns), rows)
    return target.getvalue()


def std_list_file(hits: Documents, searches: Mapping[str, TermSearch], name: str) -> bytes:
    """Hits as a hit list.

    Args:
        hits: documents of the API; decided.
        searches: the searches of each term id, in their order; also of terms without hits.

    Raises:
        ProblemError: the name of a recording has characters that XML cannot hold.
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
    try:
        std_list.dump(found, target, "std2006", "UTF-8")
    except StdError as error:  # the name of a recording, not a fault of the service
        raise ProblemError(406, f"an STD list: {error}") from error
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
