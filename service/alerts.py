"""Standing searches: a saved list of terms is searched again after each commit to the index.

The list is judged as one: few of the watched names are said, and a place that only sounds like
another of them is not told (`searcher.found_terms`).

New hits of a commit are told once: appended to the file ``TERMS.hits.jsonl`` beside the list,
shown on the page and, if an address is given, posted there. The first lines are the hits that were
there when the list was first used (``"new": false``); they are not told.

    {"term": ..., "file": ..., "channel": ..., "start_s": ..., "duration_s": ...,
     "probability": ..., "context": [...], "new": true, "time": "2026-11-22T09:30:00Z"}
    {"posted": 17}       how many of the lines before have been posted, or need not be

A hit counts as told if one of the same term overlaps it: indexing a recording again, merging, and
a service that was killed in between tell nothing twice. Hits are written before they are posted. A
service that is killed after posting and before noting it posts again, with the same
``Idempotency-Key``.
"""

import hashlib
import json
import threading
import urllib.request
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from searcher import Hit
from service.appended import AppendedFile
from service.jobs import JobStoppedError, Stop
from service.live_index import LiveIndex, Snapshot
from std.errors import StdError
from std.execution.stop import stopped_by
from std.files import read
from std.json_fields import documents
from std.nist import term_file

LEAST = 0.5  # probability of a hit that is told
AT_ONCE = 10  # terms
SHOWN = 200  # hits that the page can ask for
POST_S = 10.0
POST_RETRY_S = 30.0
SEARCH_S = 3600.0

Told = dict[tuple[str, str, int], list[tuple[float, float]]]  # spans by term, file, channel


def read_terms(path: Path) -> tuple[str, ...]:
    """The terms of a list of any kind, each once.

    Raises:
        InputError: as `std.nist.term_file.parse`.
    """
    return tuple(dict.fromkeys(term.text for term in read(term_file.parse, path).terms))


class Alerts:
    """The standing searches of a service."""

    def __init__(self, path: Path, url: str, live: LiveIndex) -> None:
        """Read the terms and the hits told before.

        Raises:
            InputError: one of the files cannot be read, or not be written.
        """
        self.terms, self._url, self._live = read_terms(path), url, live
        self._file = AppendedFile(path.with_name(f"{path.name}.hits.jsonl"))
        self.told: list[dict[str, Any]] = []  # new hits, the oldest first
        self._lines: list[dict[str, Any]] = []  # of hits, in the file
        self._posted = 0
        self.trouble = ""  # why the last post did not work
        self._spans: Told = {}
        self._read()
        self._changed, self._ended = threading.Event(), False
        live.on_renewal(lambda snapshot: self._changed.set())

    def _read(self) -> None:
        path = self._file.path
        if not path.stat().st_size:
            return
        with path.open("rb") as stream:
            for part in documents(stream, path):
                if part.has("posted"):
                    self._posted = int(part["posted"].number())
                    continue
                part["term"].text(), part["file"].text()
                part["start_s"].number(), part["duration_s"].number(), part["channel"].channel()
                self._note(part.value)

    def _note(self, line: dict[str, Any]) -> None:
        """Take a hit's line as told."""
        self._lines.append(line)
        span = line["start_s"], line["start_s"] + line["duration_s"]
        self._spans.setdefault((line["term"], line["file"], line["channel"]), []).append(span)
        if line.get("new"):
            self.told.append(line)

    def start(self) -> None:
        """Begin to look after each commit, in a thread; at once for what came while none ran."""
        self._changed.set()
        threading.Thread(target=self._work, name="alerts", daemon=True).start()

    def _work(self) -> None:
        while not self._ended:
            self._changed.wait(POST_RETRY_S if self._is_waiting_to_post else None)
            if self._changed.is_set():
                self._changed.clear()
                try:
                    self.look(self._live.current)
                except (StdError, JobStoppedError) as error:
                    self.trouble = str(error)
            self.post()

    def look(self, snapshot: Snapshot) -> list[dict[str, Any]]:
        """Search all terms and write down the hits that were not told; returns these."""
        is_first, stop = not self._file.path.stat().st_size, Stop(SEARCH_S)
        hits: list[Hit] = []
        index, parts = snapshot.index, []
        with stopped_by(stop.check):
            for first in range(0, len(self.terms), AT_ONCE):
                some = index.adhoc_terms(self.terms[first : first + AT_ONCE])
                parts.append(index.find_terms(some, mode="adhoc"))
        for result in index.decide(parts):
            hits += index.hits(result.rows(result.probability >= LEAST), decided=False)
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        lines = [_line(hit, now, new=not is_first) for hit in hits if not self._is_told(hit)]
        written: list[dict[str, Any]] = [*lines]
        if is_first:
            written.append({"posted": len(lines)})
            self._posted = len(lines)
        if written:
            self._file.append(b"".join(json.dumps(line).encode() + b"\n" for line in written))
        for line in lines:
            self._note(line)
        return lines

    def _is_told(self, hit: Hit) -> bool:
        spans = self._spans.get((hit.term, hit.file, hit.channel), ())
        end_s = hit.start_s + hit.duration_s
        return any(start < end_s and hit.start_s < end for start, end in spans)

    @property
    def _is_waiting_to_post(self) -> bool:
        return bool(self._url) and self._posted < len(self._lines)

    def post(self) -> None:
        """Post the hits not posted yet, if an address is given; failures are tried again later."""
        if not self._is_waiting_to_post:
            return
        hits = [line for line in self._lines[self._posted :] if line.get("new")]
        body = json.dumps({"hits": hits}).encode()
        headers = {
            "Content-Type": "application/json",
            "Idempotency-Key": hashlib.sha256(body).hexdigest(),
        }
        request = urllib.request.Request(self._url, body, headers)  # http(s): checked
        try:
            if hits:
                with urllib.request.urlopen(request, timeout=POST_S):  # http(s): checked
                    pass
            self.trouble = ""
            self._posted = len(self._lines)
            self._file.append(json.dumps({"posted": self._posted}).encode() + b"\n")
        except (OSError, StdError) as error:
            self.trouble = f"new hits could not be posted: {error}"

    def close(self) -> None:
        """Stop looking."""
        self._ended = True
        self._changed.set()
        self._file.close()


def _line(hit: Hit, now: str, *, new: bool) -> dict[str, Any]:
    return {
        "term": hit.term,
        "file": hit.file,
        "channel": hit.channel,
        "start_s": hit.start_s,
        "duration_s": hit.duration_s,
        "probability": hit.probability,
        "context": hit.context,
        "new": new,
        "time": now,
    }
