"""Standing searches: a saved list of terms is searched again after each commit to the index.

New hits are reported once (`searcher.StandingSearch`): they are written to a file beside the list,
shown on the page and posted to the addresses that the operator has given. Hits are written before
they are posted. If the service is killed after posting and before it has recorded this, it posts
again with the same ``Idempotency-Key``. With a secret, posts are signed as Standard Webhooks are
(https://www.standardwebhooks.com): the identifier, the time and the body by HMAC-SHA256.
"""

import base64
import hashlib
import hmac
import json
import threading
import time
import urllib.request
from collections.abc import Sequence
from http.client import HTTPMessage
from pathlib import Path
from typing import IO, Any
from urllib.request import Request

from searcher import StandingSearch
from service.jobs import JobStoppedError, Stop
from service.live_index import LiveIndex, Snapshot, unless_closed
from std.errors import StdError

SHOWN = 200  # hits that the page can ask for
POST_S = 10.0
POST_RETRY_S = 30.0
SEARCH_S = 3600.0


class Alerts:
    """The standing searches of a service."""

    def __init__(
        self,
        path: Path,
        urls: Sequence[str],
        live: LiveIndex,
        column: str | None = None,
        secret: str = "",
    ) -> None:
        """Read the terms and the hits that were reported before.

        Args:
            path: the path of the list of terms.
            urls: where new hits are posted.
            live: the index.
            column: the column that holds the terms of a table; None: found by its name.
            secret: signs what is posted; empty: nothing is signed.

        Raises:
            InputError: one of the files cannot be read or written.
        """
        may_be_empty = path.suffix.lower() == ".txt" and path.parent.is_dir()
        self.searched = StandingSearch(path, column, may_be_empty=may_be_empty)
        self._lock = threading.Lock()  # of the list
        self._urls, self._secret, self._live = urls, secret, live
        self._taken: set[tuple[str, str]] = set()  # addresses, and the batches that they took
        self.trouble = ""  # why the last post failed
        self._changed, self._ended = threading.Event(), False
        live.on_renewal(lambda snapshot: self._changed.set())

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms."""
        return self.searched.terms

    @property
    def told(self) -> list[dict[str, Any]]:
        """New hits, the oldest first."""
        return self.searched.told

    @property
    def can_change(self) -> bool:
        """Whether people may watch further terms: the list is a text."""
        return self.searched.is_text

    def add(self, term: str) -> None:
        """Watch another term; its hits are reported from now on.

        Raises:
            InputError: the list is not a text file, or cannot be written.
        """
        with self._lock:
            self.searched.add(term)
        self._changed.set()

    def remove(self, term: str) -> None:
        """Stop watching a term.

        Raises:
            InputError: the list is not a text file, lacks the term, or cannot be written.
        """
        with self._lock:
            self.searched.remove(term)

    def start(self) -> None:
        """Start a thread that searches now and after each commit."""
        self._changed.set()
        threading.Thread(target=self._work, name="alerts", daemon=True).start()

    def _work(self) -> None:
        while not self._ended:
            self._changed.wait(POST_RETRY_S if self._is_waiting_to_post else None)
            if self._changed.is_set():
                self._changed.clear()
                snapshot = self._live.current
                try:
                    with unless_closed(snapshot):
                        self.look(snapshot)
                except (StdError, JobStoppedError) as error:
                    self.trouble = str(error)
            self.post()

    def look(self, snapshot: Snapshot) -> list[dict[str, Any]]:
        """Search all terms, write the hits that were not reported yet, and return them."""
        return self.searched.look(snapshot.index, Stop(SEARCH_S).check)

    @property
    def _is_waiting_to_post(self) -> bool:
        return bool(self._urls) and self.searched.posted < len(self.searched.lines)

    def post(self) -> None:
        """Post the hits that were not posted yet to each address; retry failures later."""
        if not self._is_waiting_to_post:
            return
        hits = [line for line in self.searched.lines[self.searched.posted :] if line.get("new")]
        body = json.dumps({"hits": hits}).encode()
        batch, troubles = hashlib.sha256(body).hexdigest(), []
        for url in self._urls if hits else ():
            if (url, batch) in self._taken:
                continue
            request = Request(url, body, self._headers(batch, body))  # http(s): checked
            try:
                with _OPENER.open(request, timeout=POST_S):
                    self._taken.add((url, batch))
            except (OSError, ValueError) as error:
                troubles.append(f"new hits could not be posted to {url}: {error}")
        if not troubles:
            try:
                self.searched.note_posted()
                self._taken.clear()
            except StdError as error:
                troubles = [str(error)]
        self.trouble = "; ".join(troubles)

    def _headers(self, batch: str, body: bytes) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Idempotency-Key": batch}
        if self._secret:
            now = str(int(time.time()))
            headers |= {"webhook-id": batch, "webhook-timestamp": now}
            headers["webhook-signature"] = signature(self._secret, batch, now, body)
        return headers

    def close(self) -> None:
        """Stop searching."""
        self._ended = True
        self._changed.set()
        self.searched.close()


def signature(secret: str, identifier: str, timestamp: str, body: bytes) -> str:
    """The signature of a post (Standard Webhooks).

    >>> signature("a-secret-of-16-letters", "1", "1700000000", b"{}")
    'v1,dCpVMikvOCvPQ10B/VNSgb9Cyb0fLPqeIA1Rvlrodns='
    """
    signed = f"{identifier}.{timestamp}.".encode() + body
    return f"v1,{base64.b64encode(hmac.digest(secret.encode(), signed, 'sha256')).decode()}"


class _NoRedirection(urllib.request.HTTPRedirectHandler):
    """The operator named an address; no answer leads the hits to another one."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        """Follow nothing."""


_OPENER = urllib.request.build_opener(_NoRedirection)
