"""The parts of a running service, and the searches that they share."""

import asyncio
import os
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakValueDictionary

from service.alerts import Alerts
from service.cache import Cache
from service.jobs import Lane, Stop, in_lane, wanted
from service.live_index import LiveIndex, Snapshot, unless_closed
from service.marks import MarkFile
from service.problems import ProblemError
from service.processes import Question, SearchProcesses, answered
from service.searching import TermResult, Wish, is_known, search_term
from service.settings import Settings
from service.uploads.folder import UploadFolder
from service.uploads.work import UploadWork
from service.users import AuditLog, Users, read_users
from std.errors import StdError
from std.store.address import kind_of

if TYPE_CHECKING:
    from starlette.requests import Request

A = TypeVar("A")

UPLOADS = "uploads"  # the folder of what people add, in that of the audio
WARM_UP_TERM = "xylofonquartettprobenraum"  # hardly in any index: everything is tried on it


class Service:
    """The parts of a running service. Made once, shared by all requests."""

    def __init__(self, settings: Settings) -> None:
        """Open the index and the files.

        Raises:
            StdError: something cannot be opened.
        """
        limits = settings.limits
        self.settings, self.limits = settings, limits
        self.live = LiveIndex(settings)
        self.marks = MarkFile(settings.feedback, self.live.current.index.config.text.phrase)
        self.alerts: Alerts | None = None
        if settings.alerts:
            self.alerts = Alerts(
                settings.alerts, settings.alerts_url, self.live, settings.alerts_column
            )
        self.users = read_users(settings.users) if settings.users else Users()
        self.secret = settings.token or self.users.secret  # signs tickets; empty: nobody needs one
        self.audit_log = AuditLog(settings.audit) if settings.audit else None
        self.uploads: UploadWork | None = None
        if settings.allow_uploads and settings.audio:
            folder = UploadFolder(settings.audio / UPLOADS, limits)
            self.uploads = UploadWork(folder, settings, self.live.renew)
        cache_bytes = limits.cache_bytes // (1 + settings.jobs)
        self.cache = Cache(cache_bytes)
        self._turns: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()
        self.processes = SearchProcesses(settings, cache_bytes)
        self.known = Lane("known words", limits.known_workers, limits.waiting)
        self.other = Lane("unknown words", limits.other_workers, limits.waiting)
        self.audio = Lane("audio", limits.audio_workers, limits.waiting)
        self.lists = Lane("term lists", limits.list_workers, limits.waiting)
        self.changing = threading.Lock()  # held by whoever changes the index
        self.ready = False  # whether a known word is answered at once
        self.warm = False  # whether kernels are compiled and loaded
        self.started_s = time.monotonic()
        self.live.on_renewal(lambda snapshot: self.cache.clear())

    @property
    def kept_folder(self) -> Path:
        """The folder of values computed from audio: beside the index, or in the user's cache.

        A service of the system may read an index and not write to it; a link in an index made by
        somebody else may lead anywhere.
        """
        for url in self.settings.stores:
            if kind_of(url) == "folder":
                beside = Path(url) / "service"
                parts = (beside, beside / "peaks", beside / "playable")
                is_linked = any(part.is_symlink() for part in parts)
                if not is_linked and os.access(beside if beside.exists() else url, os.W_OK):
                    return beside
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "std-serve"

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot of the index."""
        return self.live.current

    def start(self) -> None:
        """Begin what goes on in the background."""
        self.processes.start()
        threading.Thread(target=self._warm_up, name="warm-up", daemon=True).start()
        self.live.watch()
        if self.alerts is not None:
            self.alerts.start()
        if self.uploads is not None:
            self.uploads.start()

    def _warm_up(self) -> None:
        """Do what would make the first searches slow: known words first, then the kernels.

        Kernels are loaded once the search processes are there: two processors do not do all of
        it at once, and known words are answered meanwhile.
        """
        snapshot = self.snapshot
        with suppress(StdError, ProblemError), unless_closed(snapshot):
            results = [search_term(seldom_said(snapshot), snapshot)]
            answered(results, snapshot, self.marks, Wish(), 0, 1)
        self.ready = True
        self.processes.wait_until_started()
        with suppress(StdError), unless_closed(snapshot):
            search_term(WARM_UP_TERM, snapshot)
            snapshot.index.query(WARM_UP_TERM)
            snapshot.index.find_forms(WARM_UP_TERM)  # learns the forms
        self.warm = True

    @property
    def warming(self) -> list[str]:
        """What goes on in the background until all searches are as fast as they get."""
        under_way = {
            "known words": not self.ready,
            "search processes": self.processes.starting > 0,
            "unknown words": not self.warm,
        }
        return [what for what, is_so in under_way.items() if is_so]

    async def answer(
        self,
        terms: Sequence[str],
        snapshot: Snapshot,
        request: "Request | None",
        make: Callable[[list[TermResult]], A],
        where: str | None = None,
    ) -> A:
        """Search terms and make an answer of the results; recent results are kept.

        All of it is one job, in the lane of the slowest term: so requests are answered in the
        order they came, and the thread that takes them computes nothing.

        Args:
            terms: to search.
            snapshot: the snapshot that is searched.
            request: whose client may go away.
            make: runs in a thread of the lane.
            where: conditions on recordings.

        Raises:
            ProblemError: too many searches wait, or this one takes too long.
            StdError: the index cannot be read.
        """
        is_fast = all(
            (snapshot.number, term, where) in self.cache or is_known(term, snapshot)
            for term in terms
        )
        return await in_lane(
            self.known if is_fast else self.other,
            request,
            lambda stop: make([self._found(term, snapshot, where) for term in terms]),
            self.search_s,
        )

    async def ask(
        self, question: Question, snapshot: Snapshot, request: "Request | None"
    ) -> bytes | None:
        """The JSON document that a search process answers; None if it is no question for one.

        Args:
            question: about known words, or others.
            snapshot: the snapshot to search.
            request: whose client may go away.

        Raises:
            ProblemError: too many searches wait, or this one takes too long.
        """
        if not all(is_known(term, snapshot) for term in question.terms):
            return None
        answer = self.processes.ask(question)
        return None if answer is None else await wanted(answer, Stop(self.search_s), request)

    @property
    def search_s(self) -> float:
        """How long a search may take: compiling, after an installation, is no fault of the term."""
        return self.limits.search_s if self.warm else self.limits.list_s

    def turn(self, key: Hashable) -> asyncio.Lock:
        """One lock for all that want the same at once: the first makes it, others find it kept."""
        return self._turns.setdefault(key, asyncio.Lock())

    def _found(self, term: str, snapshot: Snapshot, where: str | None) -> TermResult:
        """The result of a term, new or kept."""
        key = snapshot.number, term, where
        found: TermResult | None = self.cache.get(key)
        if found is None:
            found = search_term(term, snapshot, where)
            if snapshot is self.snapshot:
                self.cache.put(key, found, found.bytes)
        return found

    def close(self) -> None:
        """Close files and stores."""
        if self.alerts is not None:
            self.alerts.close()
        if self.uploads is not None:
            self.uploads.close()
        if self.audit_log is not None:
            self.audit_log.close()
        self.processes.close()
        self.live.close()
        self.marks.close()


def seldom_said(snapshot: Snapshot) -> str:
    """The word that the recogniser wrote least often; some word if it wrote none."""
    vocabulary = snapshot.index.vocabulary
    return vocabulary.words[int(vocabulary.counts.argmin())] if len(vocabulary) else WARM_UP_TERM
