"""New hits of the standing searches."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from service.alerts import SHOWN
from service.api.models import PROBLEMS, AlertsDocument
from service.api.reply import json_reply, service_of
from service.recordings import recording_id
from std.values import Recording

router = APIRouter(prefix="/api/alerts", tags=["alerts"], responses=PROBLEMS)


@router.get("", response_model=AlertsDocument)
async def alerts(request: Request) -> Response:
    """What commits brought for the terms of ``--alerts``, the newest first."""
    standing = service_of(request).alerts
    if standing is None:
        return json_reply({"terms": [], "hits": [], "trouble": ""})
    hits = [
        line | {"recording_id": recording_id(Recording(line["file"], line["channel"]))}
        for line in reversed(standing.told[-SHOWN:])
    ]
    return json_reply({"terms": standing.terms, "hits": hits, "trouble": standing.trouble})
