"""Health, metrics, tickets for players, the current user, and the log of changes."""

import time
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from service.api.models import PROBLEMS, Document, HealthDocument, TicketDocument, files
from service.api.requests import entry_of, json_reply, service_of, user_of
from service.metrics import METRICS_TYPE
from service.state import Service
from service.users import ROLES, TICKET_S, AuditLog, Role, ticket
from std import __version__
from std.system import peak_memory_bytes

JSON = "application/json"


class UserDocument(Document):
    """Who asks."""

    name: str = Field(description="name of the user; empty: unknown")
    role: Role
    may: list[Role]


class AuditDocument(Document):
    """A request that changed something or was refused."""

    time: str
    user: str
    role: Role
    method: str
    path: str
    query: str
    body: str = Field("", description="the first 4,096 bytes of the JSON that was sent")
    status: int


router = APIRouter(responses=PROBLEMS)


def health_of(service: Service) -> dict[str, object]:
    """The state of a service."""
    status = "ready" if service.ready else "warming up"
    if service.live.trouble:
        status = "serving an old state of the index"
    return {
        "status": status,
        "detail": "" if service.secret else service.settings.without_folders(service.live.trouble),
        "warming": service.warming,
        "snapshot": service.snapshot.number,
        "recordings": len(service.snapshot.recordings.entries),
        "version": __version__,
    }


@router.get("/healthz", response_model=HealthDocument, tags=["operation"])
async def healthz(request: Request) -> Response:
    """Whether the service works; needs no token."""
    return json_reply(health_of(service_of(request)))


@router.get("/metrics", response_class=Response, tags=["operation"], responses=files(METRICS_TYPE))
async def metrics(request: Request) -> Response:
    """Metrics for a monitor (OpenMetrics)."""
    service = service_of(request)
    gauges: dict[str, float] = {
        "snapshot": service.snapshot.number,
        "recordings": len(service.snapshot.recordings.entries),
        "marks": len(service.marks),
        "cache_bytes": service.cache.bytes,
        "peak_memory_bytes": peak_memory_bytes(),
        "up_seconds": time.monotonic() - service.started_s,
        "search_processes": service.processes.free + service.processes.busy,
        "search_processes_starting": service.processes.starting,
        "search_processes_memory_bytes": service.processes.memory_bytes,
    }
    for lane in service.lanes:
        name = lane.name.replace(" ", "_")
        gauges[f"waiting_{name}"], gauges[f"running_{name}"] = lane.waiting, lane.running
    gauges["waiting_known_words"] += service.processes.waiting
    gauges["running_known_words"] += service.processes.busy
    counters: dict[str, float] = {
        "cache_hits": service.cache.hits,
        "cache_misses": service.cache.misses,
        "processor_seconds": time.process_time(),
        "search_processes_answers": service.processes.answers,
        "search_processes_replaced": service.processes.replaced,
    }
    return Response(request.app.state.metrics.text(gauges, counters), media_type=METRICS_TYPE)


@router.get("/api/tickets/{recording}", response_model=TicketDocument, tags=["operation"])
async def tickets(request: Request, recording: str) -> Response:
    """A ticket for `/api/audio/{recording}?ticket=`, which replaces the token for some hours."""
    service = service_of(request)
    entry = entry_of(service, recording)
    if not service.secret:
        return json_reply({"ticket": ""})
    expires_s = int(time.time()) + TICKET_S
    return json_reply({"ticket": ticket(service.secret, entry.id, expires_s)})


@router.get("/api/me", response_model=UserDocument, tags=["operation"])
async def me(request: Request) -> Response:
    """The current user and role."""
    user = user_of(request)
    return json_reply(
        {"name": user.name, "role": user.role, "may": [role for role in ROLES if user.may(role)]}
    )


@router.get("/api/audit", response_model=list[AuditDocument], tags=["operation"])
async def audit(
    request: Request, limit: Annotated[int, Query(ge=1, le=AuditLog.SHOWN)] = 100
) -> Response:
    """The last lines of the log of changes, the newest first; requires the role admin."""
    log = service_of(request).audit_log
    lines = log.last(limit) if log else []
    return Response(b"[%s]" % b",".join(one.strip() for one in lines), media_type=JSON)
