"""Records of requests: metrics, and lines of the access log.

Metrics   numbers as OpenMetrics text, as Prometheus and others collect them
Record    counts each request, and writes a line of JSON about it
"""

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.middleware import path_of
from std.terminal import json_text

METRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """The number of requests by route and status, and the durations by route."""

    def __init__(self) -> None:
        self.under_way = 0
        self._requests: Counter[tuple[str, int]] = Counter()
        self._buckets: dict[str, list[int]] = {}
        self._seconds: Counter[str] = Counter()

    def count(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests[route, status] += 1
        self._seconds[route] += seconds  # type: ignore[assignment]  # a Counter of floats
        buckets = self._buckets.setdefault(route, [0] * (len(BOUNDS_S) + 1))
        buckets[bisect_left(BOUNDS_S, seconds)] += 1

    def lines(self) -> Iterator[str]:
        """The metrics of the requests; `text` adds the others."""
        yield "# TYPE std_requests counter"
        for (route, status), count in sorted(self._requests.items()):
            yield f'std_requests_total{{route="{route}",status="{status}"}} {count}'
        yield "# TYPE std_request_seconds histogram"
        for route, buckets in sorted(self._buckets.items()):
            total = 0
            for bound, count in zip((*map(str, BOUNDS_S), "+Inf"), buckets, strict=True):
                total += count
                yield f'std_request_seconds_bucket{{route="{route}",le="{bound}"}} {total}'
            yield f'std_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}'
            yield f'std_request_seconds_count{{route="{route}"}} {total}'
        yield "# TYPE std_requests_under_way gauge"
        yield f"std_requests_under_way {self.under_way}"

    def text(self, gauges: dict[str, float], counters: dict[str, float]) -> str:
        """All metrics."""
        lines = [*self.lines()]
        for name, value in gauges.items():
            lines += [f"# TYPE std_{name} gauge", f"std_{name} {value:g}"]
        for name, value in counters.items():
            lines += [f"# TYPE std_{name} counter", f"std_{name}_total {value:g}"]
        return "\n".join([*lines, "# EOF", ""])


class Record:
    """Counts each request and writes a line about it.

    The line holds no query, no token and no text of a user: only method, path, status, time, size.
    """

    def __init__(
        self, app: ASGIApp, metrics: Metrics, write: Callable[[str], None] | None = None
    ) -> None:
        self._app, self._metrics, self._write = app, metrics, write

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status, size = time.perf_counter(), 499, 0  # 499: the client went away

        async def counted(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                size += len(message.get("body", b""))
            await send(message)

        self._metrics.under_way += 1
        try:
            await self._app(scope, receive, counted)
        except Exception:
            status = 500
            raise
        finally:
            seconds = time.perf_counter() - began
            self._metrics.under_way -= 1
            route = scope.get("route")
            self._metrics.count(getattr(route, "path", "other"), status, seconds)
            if self._write is not None:
                self._write(
                    json_text(
                        {
                            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
                            "client": (scope.get("client") or [""])[0],
                            "method": scope["method"],
                            "path": path_of(scope)[:200],
                            "status": status,
                            "ms": round(1000 * seconds, 1),
                            "bytes": size,
                        }
                    )
                )
