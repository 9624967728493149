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
import http.client
import json
import socket
import threading
import time
import traceback
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO, Any
from urllib.request import Request

from searcher import StandingSearch
from service.jobs import JobStoppedError, Stop
from service.live_index import LiveIndex, Snapshot, unless_closed
from service.problems import ProblemError
from std.errors import StdError

SHOWN = 200  # hits that the page can ask for
POST_S = 10.0
REPEAT_S = 30.0  # after a failed search or post
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
            urls: where new hits are posted.
            column: the column that holds the terms of a table; None: found by its name.
            secret: signs what is posted; empty: nothing is signed.

        Raises:
            InputError: one of the files cannot be read or written.
        """
        may_be_empty = path.suffix.lower() == ".txt" and path.parent.is_dir()
        self.searched = StandingSearch(path, column, may_be_empty=may_be_empty)
        self._lock = threading.Lock()  # of the list
        self._urls, self._secret, self._live = urls, secret, live
        self._troubles = {"search": "", "post": ""}  # why the last one of each failed
        self._changed, self._ended = threading.Event(), False
        live.on_renewal(lambda snapshot: self._changed.set())

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms."""
        return self.searched.terms

    def watches(self, term: str) -> bool:
        """See `StandingSearch.watches`."""
        return self.searched.watches(term)

    @property
    def told(self) -> list[dict[str, Any]]:
        """The hits that were reported, the oldest first."""
        return self.searched.told

    @property
    def trouble(self) -> str:
        """Why the last search or the last post failed."""
        return "; ".join(filter(None, self._troubles.values()))

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
            InputError: the list is not a text file, or cannot be written.
            ProblemError: it lacks the term (status 404).
        """
        with self._lock:
            if not self.watches(term):
                raise ProblemError(404, f"nobody watches {term[:80]!r}")
            self.searched.remove(term)

    def start(self) -> None:
        """Start a thread that searches now and after each commit."""
        self._changed.set()
        threading.Thread(target=self._work, name="alerts", daemon=True).start()

    def _work(self) -> None:
        is_searched = True
        while not self._ended:
            is_late = not is_searched or self._is_waiting_to_post
            self._changed.wait(REPEAT_S if is_late else None)
            if self._changed.is_set() or not is_searched:
                self._changed.clear()
                is_searched = self._is_searched(self._live.current)
            self.post()

    def _is_searched(self, snapshot: Snapshot) -> bool:
        """Search all terms; return whether another try would find nothing more."""
        trouble, is_searched = "", False
        try:
            with unless_closed(snapshot):
                self.look(snapshot)
            is_searched = True
        except JobStoppedError:  # the next one would take as long
            trouble = f"the search of the watched terms took more than {SEARCH_S:g} s"
            is_searched = True
        except StdError as error:
            trouble = str(error)
        except Exception as error:  # an error in our code must not end the thread
            trouble = f"{type(error).__name__}: {error}"
            traceback.print_exc()
        self._troubles["search"] = trouble
        return is_searched

    def look(self, snapshot: Snapshot) -> list[dict[str, Any]]:
        """Search all terms, write the hits that were not reported yet, and return them."""
        return self.searched.look(snapshot.index, Stop(SEARCH_S).check)

    @property
    def _is_waiting_to_post(self) -> bool:
        return bool(self._urls) and self.searched.posted < len(self.searched.lines)

    def post(self) -> None:
        """Post to each address the hits that it has not taken yet; retry failures later."""
        if not self._is_waiting_to_post:
            return
        troubles, taken = [], []
        for url in self._urls:
            try:
                if lines := self.searched.lines[self.searched.posted_to(url) :]:
                    self._post(url, lines)
                    taken.append(url)
            except (OSError, ValueError, HTTPException) as error:
                troubles.append(f"new hits could not be posted to {url}: {error}")
        try:
            for address in taken if troubles else ("",):
                self.searched.note_posted(address)
        except StdError as error:
            troubles.append(str(error))
        self._troubles["post"] = "; ".join(troubles)

    def _post(self, url: str, lines: Sequence[dict[str, Any]]) -> None:
        """Post the new hits among some lines.

        Raises:
            OSError, ValueError, HTTPException: the receiver does not take them.
        """
        if hits := [line for line in lines if line.get("new")]:
            body = json.dumps({"hits": hits}).encode()
            batch = hashlib.sha256(body).hexdigest()
            request = Request(url, body, self._headers(batch, body))  # http(s): checked
            with _OPENER.open(request, timeout=POST_S):
                pass

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
    """Follows no redirection: hits are sent only to the address that the operator gave."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        """Follow nothing."""


class _Bounded(http.client.HTTPConnection):
    """A connection with a limit for the whole request; `timeout` limits only each step of it."""

    def connect(self) -> None:
        """Connect, and set the limit."""
        super().connect()
        end = threading.Timer(POST_S, self._end)
        end.daemon = True
        end.start()

    def _end(self) -> None:
        if (sock := self.sock) is not None:  # with TLS another one than when it connected
            with suppress(OSError):  # it is closed
                sock.shutdown(socket.SHUT_RDWR)


class _BoundedSecure(http.client.HTTPSConnection, _Bounded):
    """The same with TLS."""


class _Http(urllib.request.HTTPHandler):
    def http_open(self, req: Request) -> http.client.HTTPResponse:
        return self.do_open(_Bounded, req)


class _Https(urllib.request.HTTPSHandler):
    def https_open(self, req: Request) -> http.client.HTTPResponse:
        return self.do_open(_BoundedSecure, req)


_OPENER = urllib.request.build_opener(_NoRedirection, _Http, _Https)
