"""The sound of recordings: whole with Range, clips, waveforms, spectrograms."""

import re
from collections.abc import Callable, Sequence
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import FileResponse, Response

from service.api.models import PROBLEMS, PeaksDocument, Seconds, UnderWayDocument, files
from service.api.requests import entry_of, has_version, json_reply, service_of
from service.audio import (
    MEDIA_TYPES,
    MOST_SHOWN,
    SHOWN_PER_SECOND,
    Peaks,
    clip,
    name_of,
    peaks_of,
    playable,
    spectrogram_png,
)
from service.jobs import Stop, UnderWay, in_lane
from service.problems import RETRY_S, ProblemError
from service.recordings import RecordingEntry
from service.state import Service
from std.audio.files import is_audio, is_below
from std.ranges import MAX_TIME_S, Range

router = APIRouter(prefix="/api", tags=["audio"], responses=PROBLEMS)

_RANGE = re.compile(r"bytes=(\d{0,12})-(\d{0,12})", re.ASCII)  # one range; others are ignored
From = Annotated[Seconds, Query(alias="from")]
To = Annotated[Seconds, Query(alias="to")]


def heard_entry(service: Service, recording: str) -> RecordingEntry:
    """The recording with an id, if it has audio.

    Raises:
        ProblemError: there is no such recording, or it has no audio.
    """
    entry = entry_of(service, recording)
    root = service.settings.audio
    # The file may have been replaced, by a link to another place or by a file without audio.
    if entry.audio is None or root is None or not is_below(entry.audio, root):
        raise ProblemError(404, f"there is no audio of {entry.title}")
    return entry


def require_stretch(from_s: float, to_s: float, longest_s: float) -> None:
    """Refuse a stretch that is empty or too long.

    Raises:
        ProblemError: it is empty or too long.
    """
    if not 0 < to_s - from_s <= longest_s:
        raise ProblemError(
            400,
            f"expected a stretch of at most {longest_s:g} s, with `to` behind `from`, got "
            f"{to_s - from_s:g} s",
        )


def stretch_of(request: Request, longest_s: float) -> tuple[float, float]:
    """The stretch that the address of a page names; the page shows the error, if there is one.

    Raises:
        ProblemError: a time is no number of seconds, or `require_stretch` refuses it.
    """
    times = []
    for name in ("from", "to"):
        try:
            times.append(Range(0, MAX_TIME_S).read(request.query_params.get(name, "")))
        except ValueError as error:
            raise ProblemError(422, f"{name}: {error}") from error
    require_stretch(times[0], times[1], longest_s)
    return times[0], times[1]


@router.get("/audio/{recording}", response_class=FileResponse, responses=files("audio/*"))
async def audio(request: Request, recording: str) -> Response:
    """The audio of a recording; with the header Range, a part of it."""
    service = service_of(request)
    entry = heard_entry(service, recording)
    assert entry.audio is not None
    path, media_type = entry.audio, entry.audio_type
    if not media_type:
        path = await in_lane(
            service.recordings,
            request,
            lambda stop: playable(path, service.kept_folder, stop.check),
            service.limits.recording_s,
        )
        media_type = "audio/ogg"
    if not path.is_file() or not is_audio(path):
        raise ProblemError(404, f"there is no audio of {entry.title} any more")
    try:
        status = path.stat()
    except OSError as error:
        raise ProblemError(404, f"there is no audio of {entry.title} any more") from error
    sound = FileResponse(
        path, media_type=media_type, headers={"Cache-Control": "private"}, stat_result=status
    )
    if has_version(request, sound.headers["etag"]):
        kept = {name: sound.headers[name] for name in ("etag", "last-modified", "cache-control")}
        return Response(status_code=304, headers=kept)
    versions = sound.headers["etag"], sound.headers["last-modified"]
    if _wanted(request, status.st_size, versions) is None:  # starlette would refuse it in a text
        request.scope["headers"] = [one for one in request.scope["headers"] if one[0] != b"range"]
    return sound


@router.get("/clips/{recording}", response_class=Response, responses=files(*MEDIA_TYPES.values()))
async def clips(
    request: Request,
    recording: str,
    from_s: From,
    to_s: To,
    format: Literal["ogg", "wav"] = "ogg",  # noqa: A002  # the API's name
) -> Response:
    """A stretch of a recording as a file; with the header Range, a part of it."""
    service = service_of(request)
    entry = heard_entry(service, recording)
    require_stretch(from_s, to_s, service.limits.clip_s)
    assert entry.audio is not None
    key = "clip", name_of(entry.audio, entry.recording.channel), from_s, to_s, format
    content: bytes | None = service.cache.get(key)
    if content is None:
        content = await in_lane(
            service.audio,
            request,
            lambda stop: clip(entry, from_s, to_s, format, stop.check),
            service.limits.search_s,
        )
        service.cache.put(key, content, len(content) + 200)
    headers, size = {"Accept-Ranges": "bytes"}, len(content)
    wanted = _wanted(request, size)
    if wanted is None:
        return Response(content, media_type=MEDIA_TYPES[format], headers=headers)
    headers["Content-Range"] = f"bytes {wanted.start}-{wanted.stop - 1}/{size}"
    return Response(content[wanted], 206, headers, MEDIA_TYPES[format])


def _wanted(request: Request, size: int, versions: Sequence[str] = ()) -> slice | None:
    """The range of a file that a player asks for (RFC 9110, 14); some players need ranges.

    Args:
        versions: the versions that If-Range may name; if it names another, the whole file is sent.

    Returns:
        None: the whole file.

    Raises:
        ProblemError: the range is beyond the end.
    """
    match = _RANGE.fullmatch(request.headers.get("range", "").strip())
    first, last = match.groups() if match else ("", "")
    version = request.headers.get("if-range")
    if version is not None and version not in versions:
        return None
    if not first + last or (first and last and int(last) < int(first)):
        return None
    begin = int(first) if first else max(0, size - int(last))
    end = min(size, int(last) + 1) if first and last else size
    if begin >= end:
        raise ProblemError(416, "Range: beyond the end", {"Content-Range": f"bytes */{size}"})
    return slice(begin, end)


@router.get(
    "/recordings/{recording}/peaks",
    response_model=PeaksDocument,
    responses={
        202: {"model": UnderWayDocument, "description": "the waveform is being computed: ask again"}
    },
)
async def peaks(
    request: Request,
    recording: str,
    from_s: From = 0.0,
    to_s: Annotated[Seconds | None, Query(alias="to", description="default: the end")] = None,
    count: Annotated[
        int | None,
        Query(ge=1, le=MOST_SHOWN, description="number of equal parts; default: 20 a second"),
    ] = None,
) -> Response:
    """The waveform of a recording, or of a stretch of it: the largest amplitude in each part.

    The first waveform of a long recording takes minutes; it is computed even if no client waits for
    it.
    """
    service = service_of(request)
    entry = heard_entry(service, recording)
    assert entry.audio is not None
    key = "peaks", name_of(entry.audio, entry.recording.channel)

    def compute(stop: Stop, tell: Callable[[float], None]) -> Peaks:
        peaks = peaks_of(entry, service.kept_folder, stop.check, tell)
        service.cache.put(key, peaks, len(peaks.peaks) + 200)
        return peaks

    found: Peaks | UnderWay | None = service.cache.get(key)
    if found is None:
        found = await service.waveforms.result(key, compute, service.limits.waveform_wait_s)
    if isinstance(found, UnderWay):
        return json_reply({"done_s": found.done_s}, 202, {"Retry-After": str(RETRY_S)})
    end_s = found.duration_s if to_s is None else to_s
    if end_s < from_s:
        raise ProblemError(400, f"to: expected at least {from_s:g}, got {end_s:g}")
    if count is None:
        count = max(1, min(MOST_SHOWN, round(SHOWN_PER_SECOND * (end_s - from_s))))
    parts = found.of(from_s, end_s, count)
    return json_reply({"duration_s": found.duration_s, "peaks": parts.tolist()})


@router.get(
    "/recordings/{recording}/spectrogram", response_class=Response, responses=files("image/png")
)
async def spectrogram(request: Request, recording: str, from_s: From, to_s: To) -> Response:
    """The spectrum of a stretch over time as a grey PNG picture, low frequencies at the bottom."""
    service = service_of(request)
    entry = heard_entry(service, recording)
    require_stretch(from_s, to_s, service.limits.window_s)
    key = "spectrogram", str(entry.audio), entry.recording.channel, from_s, to_s
    picture = service.cache.get(key)
    if picture is None:
        picture = await in_lane(
            service.audio,
            request,
            lambda stop: spectrogram_png(entry, from_s, to_s, stop.check),
            service.limits.search_s,
        )
        service.cache.put(key, picture, len(picture) + 200)
    return Response(picture, media_type="image/png")
