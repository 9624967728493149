"""The hits of a search as a file: all hits that pass the filters, not only one page."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from service.answers import selected_documents
from service.api.models import PROBLEMS, Probability
from service.api.requests import service_of
from service.api.search import ALL_KINDS, KINDS, WITHIN_WORDS, searched, wish_of
from service.audio.sound import clip
from service.exports import (
    by_recording,
    csv_file,
    json_file,
    std_list_file,
    subtitles,
    zip_file,
)
from service.jobs import Stop, in_lane
from service.live_index import Snapshot
from service.problems import ProblemError
from service.searching import Selection, Sorting
from service.state import Service
from std.config import SHOWN_FROM
from std.outputs import clip_name, distinct_names, safe_name
from std.values import TermSearch

Kind = Literal["csv", "json", "stdlist", "srt", "vtt", "clips"]

TYPES = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "stdlist": "application/xml",
    "srt": "application/x-subrip; charset=utf-8",
    "vtt": "text/vtt; charset=utf-8",
    "zip": "application/zip",
}
AROUND_S = 1.0  # of a clip, before and after the hit

router = APIRouter(prefix="/api", tags=["export"], responses=PROBLEMS)


@router.get("/export", response_class=Response)
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
    right: bool | None = None,
) -> Response:
    """The hits of a search as a file; ``right=true`` leaves only those that were marked right."""
    service = service_of(request)
    wish = wish_of(service.snapshot, recording, channel, where, min_probability, sort, within_words)
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
    disposition = f"attachment; filename*=UTF-8''{_quoted(name)}"
    return Response(content, media_type=TYPES[kind], headers={"Content-Disposition": disposition})


def _quoted(name: str) -> str:
    from urllib.parse import quote

    return quote(name, safe="")


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
    shown = [hit for hit in every if right is None or hit["right"] == right]
    if kind == "json":
        return json_file(shown), kind
    if kind == "stdlist":
        searches = {
            f"TERM-{i}": TermSearch(result.found.seconds, len(result.found.oov_words[0]))
            for i, result in enumerate(selection.results, start=1)
        }
        return std_list_file(shown, searches, "search"), kind
    if kind in ("srt", "vtt"):
        return _subtitles(shown, kind)
    if kind == "clips":
        return _clips(service, snapshot, shown, stop), "zip"
    return _csv(snapshot, shown), kind


def _csv(snapshot: Snapshot, shown: Sequence[dict[str, Any]]) -> bytes:
    by_id = snapshot.recordings.by_id
    columns = snapshot.recordings.columns
    return csv_file(shown, columns, [by_id[hit["recording_id"]].metadata for hit in shown])


def _subtitles(shown: Sequence[dict[str, Any]], kind: Literal["srt", "vtt"]) -> tuple[bytes, str]:
    """One file for one recording, else an archive of one for each."""
    groups = by_recording(shown)
    if len(groups) == 1:
        return subtitles(shown, kind), kind
    names = (f"{name}.{kind}" for name in distinct_names(map(safe_name, groups)))
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
            hit["term"],
            entry.metadata.get("title") or hit["file"],
            hit["channel"],
            hit["start_s"],
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
