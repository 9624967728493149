"""The parts of a running service, and the searches that they share."""

import asyncio
import os
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakValueDictionary

from service.alerts import Alerts
from service.examples import parts_of
from service.jobs import Lane, Ongoing, SlowJobs, Stop, in_lane, wanted
from service.live_index import LiveIndex, Snapshot, unless_closed
from service.marks import MarkFile
from service.problems import ProblemError
from service.processes import Question, SearchProcesses, answered
from service.searching import TermResult, Wish, is_known, may_be_slow, placed, search_term
from service.settings import Settings
from service.uploads.folder import UploadFolder
from service.uploads.work import UploadWork
from service.users import AuditLog, Users, read_users
from std.cache import Cache
from std.errors import StdError
from std.store.address import kind_of

if TYPE_CHECKING:
    from starlette.requests import Request

A = TypeVar("A")

UPLOADS = "uploads"  # the folder of added recordings, below that of the audio
WARM_UP_TERM = "xylofonquartettprobenraum"  # hardly in any index: its search uses every method


class Service:
    """The parts of a running service, shared by all requests."""

    def __init__(self, settings: Settings) -> None:
        """Open the index and the files.

        Raises:
            StdError: the index or a file cannot be opened.
        """
        limits = settings.limits
        self.settings, self.limits = settings, limits
        self.live = LiveIndex(settings)
        self.marks = MarkFile(settings.feedback, self.live.current.index.config.text.phrase)
        self.alerts: Alerts | None = None
        if settings.alerts:
            self.alerts = Alerts(
                settings.alerts,
                settings.alerts_urls,
                self.live,
                settings.alerts_column,
                settings.alerts_secret,
            )
        self.users = read_users(settings.users) if settings.users else Users()
        self.secret = settings.token or self.users.secret  # signs tickets; empty = not needed
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
        workers, spare = limits.other_workers, limits.spare_workers
        turns = SlowJobs(
            lambda: bool(self.processes.busy or self.known.running or self.other.running)
        )
        self.queries = Lane("queries", workers, limits.waiting, spare, turns)
        self.audio = Lane("audio", limits.audio_workers, limits.waiting)
        self.recordings = Lane("whole recordings", limits.audio_workers, limits.waiting)
        self.waveforms = Ongoing(self.recordings, limits.recording_s)
        self.lists = Lane("term lists", limits.list_workers, limits.waiting, turns=turns)
        self.changing = threading.Lock()  # held by the writer of the index
        self.ready = False  # whether known words are answered at once
        self.warm = False  # whether kernels are compiled and loaded
        self.started_s = time.monotonic()
        self.live.on_renewal(lambda snapshot: self.cache.clear())

    @property
    def kept_folder(self) -> Path:
        """The folder of values computed from audio: beside the index, or in the user's cache.

        The service may have no right to write to the index. A link in an index that somebody else
        made may lead anywhere, so it is not followed.
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
    def lanes(self) -> tuple[Lane, ...]:
        """All threads that work for requests."""
        return (self.known, self.other, self.queries, self.audio, self.recordings, self.lists)

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot of the index."""
        return self.live.current

    def start(self) -> None:
        """Start the background work."""
        self.processes.start()
        threading.Thread(target=self._warm_up, name="warm-up", daemon=True).start()
        self.live.watch()
        if self.alerts is not None:
            self.alerts.start()
        if self.uploads is not None:
            self.uploads.start()

    def _warm_up(self) -> None:
        """Prepare fast first searches: known words first, then the kernels.

        Kernels are loaded after the search processes have started, so that two processors do not do
        everything at once and known words are answered meanwhile.
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
        """The unfinished preparations; until they are done, some searches are slower."""
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
        *,
        inflections: bool = False,
    ) -> A:
        """Search terms and make an answer from the results; recent results are cached.

        The whole request is one job in the lane of its slowest term, so requests are answered in
        order of arrival, and the event loop's thread computes nothing.

        Args:
            terms: to search.
            snapshot: the snapshot that is searched.
            request: the request, whose client may disconnect.
            make: runs in a thread of the lane.
            where: conditions on recordings.
            inflections: whether related forms of the terms are one more result.

        Raises:
            ProblemError: too many searches are waiting, or this one takes too long.
            StdError: the index cannot be read.
        """
        is_fast = not inflections and all(
            (snapshot.number, term, where) in self.cache or is_known(term, snapshot)
            for term in terms
        )
        is_query = any(map(may_be_slow, terms, repeat(snapshot)))
        return await in_lane(
            self.known if is_fast else self.queries if is_query else self.other,
            request,
            lambda stop: make(
                [self._found(term, snapshot, where) for term in terms]
                + ([self._forms(terms, snapshot, where)] if inflections else [])
            ),
            self.search_s,
        )

    async def ask(
        self, question: Question, snapshot: Snapshot, request: "Request | None"
    ) -> bytes | None:
        """The JSON document from a search process; None if a process cannot answer the question.

        Args:
            question: the search.
            snapshot: the snapshot to search.
            request: the request, whose client may disconnect.

        Raises:
            ProblemError: too many searches wait, or this one takes too long.
        """
        is_fast = all(is_known(term, snapshot) for term in question.terms)
        if question.wish.inflections or not is_fast:  # a process has not learned the forms
            return None
        answer = self.processes.ask(question)
        return None if answer is None else await wanted(answer, Stop(self.search_s), request)

    @property
    def search_s(self) -> float:
        """The time limit of a search, longer while kernels are compiled."""
        return self.limits.search_s if self.warm else self.limits.list_s

    def turn(self, key: Hashable) -> asyncio.Lock:
        """One lock per result, so that simultaneous requests compute it once."""
        return self._turns.setdefault(key, asyncio.Lock())

    def _found(self, term: str, snapshot: Snapshot, where: str | None) -> TermResult:
        """The result of a term, from the search or the cache."""
        key = snapshot.number, term, where
        found: TermResult | None = self.cache.get(key)
        if found is None:
            found = search_term(term, snapshot, where)
            if snapshot is self.snapshot:
                self.cache.put(key, found, found.bytes)
        return found

    def _forms(self, terms: Sequence[str], snapshot: Snapshot, where: str | None) -> TermResult:
        """The result of the related forms of terms, from the search or the cache."""
        key = "forms of", snapshot.number, *terms, where
        found: TermResult | None = self.cache.get(key)
        if found is None:
            words = [words for words, _ in map(parts_of, terms) if words]
            hits = snapshot.index.find_forms(*words, where=where, min_probability=0.0)
            found = placed("", hits, snapshot)
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
        for lane in self.lanes:
            lane.close()
        self.processes.close()
        self.live.close()
        self.marks.close()


def seldom_said(snapshot: Snapshot) -> str:
    """The word that the recogniser wrote least often; any word if it wrote none."""
    vocabulary = snapshot.index.vocabulary
    return vocabulary.words[int(vocabulary.counts.argmin())] if len(vocabulary) else WARM_UP_TERM
