"""The marks of people, right or wrong, and their notes, kept in a file (`std.marks`).

Each mark is one line, which is on the disk before the sender gets a response. Without a file, marks
are lost when the service ends.

A mark belongs to a hit by its words, normalised as a search normalises them, and by a time that
overlaps the hit's. So it stays with a hit that another spelling finds, or that moves a little when
the recording is indexed again. A note belongs to its recording and exact times.

    Marks      the current ones
    Change     what somebody did to the mark of a hit, and the mark before
    MarkFile   both, in a file; it can undo changes
"""

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import NamedTuple

from service.problems import ProblemError
from service.recordings import recording_id
from std.appended import AppendedFile
from std.files import open_input
from std.marks import Mark, dump, latest, parse
from std.values import Recording

Phrase = Callable[[str], tuple[str, ...]]  # the normalised words of a term
UNMARKED = "0"  # the version of a hit without a mark
NOTE = ("",)  # what notes have for the words of a term


class MarkedHit(NamedTuple):
    """The hit of a mark, or the stretch of a note."""

    term: str  # empty: of a note
    recording: Recording
    start_ms: int
    end_ms: int


class Marks:
    """The marks that count, in memory."""

    def __init__(self, phrase: Phrase, marks: Iterable[Mark] = ()) -> None:
        """Store marks.

        Args:
            marks: the oldest first.
        """
        self._phrase = phrase
        self._of_term: dict[tuple[str, ...], dict[Recording, list[Mark]]] = {}
        for mark in marks:
            self._keep(mark)

    def _words(self, term: str) -> tuple[str, ...]:
        return self._phrase(term) if term else NOTE

    def _keep(self, mark: Mark) -> None:
        of_term = self._of_term.setdefault(self._words(mark.term), {})
        of_term[mark.recording] = [*of_term.get(mark.recording, ()), mark]

    def _drop(self, mark: Mark) -> None:
        of_recording = self._of_term[self._words(mark.term)]
        of_recording[mark.recording] = [m for m in of_recording[mark.recording] if m is not mark]

    def __bool__(self) -> bool:
        """Whether there are marks or notes."""
        return bool(self._of_term)

    def __len__(self) -> int:
        """How many there are."""
        return sum(len(some) for one in [*self._of_term.values()] for some in [*one.values()])

    def found(self, hit: MarkedHit) -> Mark | None:
        """The mark of a hit: the one with the longest overlap; of several, the newest."""
        of_term = self._of_term.get(self._words(hit.term), {})
        best, most = None, 0
        for mark in of_term.get(hit.recording, ()):
            _, _, start_ms, end_ms = mark.hit
            shared = min(end_ms, hit.end_ms) - max(start_ms, hit.start_ms)
            is_same = (start_ms, end_ms) == (hit.start_ms, hit.end_ms)
            shared = max(shared, 1) if is_same else shared if hit.term else 0
            if shared > 0 and shared >= most:
                best, most = mark, shared
        return best

    def get(self, hit: MarkedHit) -> bool | None:
        """Whether a hit is marked right or wrong; None: it is not marked."""
        mark = self.found(hit)
        return None if mark is None else mark.right

    def of_terms(self, terms: Iterable[str]) -> list[Mark]:
        """The marks of some terms."""
        words = dict.fromkeys(map(self._phrase, terms))
        found = (self._of_term.get(one, {}) for one in words)
        return [mark for of_term in found for some in [*of_term.values()] for mark in some]

    def notes(self, recording: Recording, start_ms: int = 0, end_ms: float = inf) -> list[Mark]:
        """The notes of a recording that overlap a time, in the order of time."""
        some = (
            mark
            for mark in self._of_term.get(NOTE, {}).get(recording, ())
            if (mark.hit[2] < end_ms and mark.hit[3] > start_ms)
            or (mark.hit[2] == mark.hit[3] and start_ms <= mark.hit[2] <= end_ms)
        )
        return sorted(some, key=lambda mark: mark.hit[2:])

    def noted(self) -> dict[Recording, list[Mark]]:
        """All notes by their recordings, in the order of time."""
        of_recording = [*self._of_term.get(NOTE, {}).items()]
        return {
            one: sorted(some, key=lambda mark: mark.hit[2:]) for one, some in of_recording if some
        }

    def all(self) -> list[Mark]:
        """All current marks, notes among them, the oldest first."""
        every = [m for one in [*self._of_term.values()] for some in [*one.values()] for m in some]
        return sorted(every, key=lambda mark: mark.time)


def version_of(mark: Mark | None) -> str:
    """The version of a mark (an ETag), different for each mark of its hit."""
    if mark is None or not mark.stands:
        return UNMARKED
    return change_id(mark)


def change_id(mark: Mark) -> str:
    """The identifier of the change that a line is about."""
    return hashlib.sha256(dump(mark)).hexdigest()[:16]


class Change(NamedTuple):
    """What somebody did to the mark of a hit."""

    mark: Mark  # from then on; it may have been undone
    before: Mark | None


class MarkFile(Marks):
    """The current marks, in memory and in a file that one service writes, and their history."""

    def __init__(self, path: Path | None, phrase: Phrase) -> None:
        """Open the file, read its marks and append to it.

        Args:
            path: the path of the file; None: marks are not kept.

        Raises:
            InputError: the file has other content, cannot be written, or another service writes to
            it.
        """
        super().__init__(phrase)
        self._lock = threading.Lock()
        self.version = 0  # increases with each change
        self._changes: list[Change] = []
        self._of_place: dict[tuple[tuple[str, ...], Recording], list[Change]] = {}
        self._undone: set[tuple[tuple[str, ...], Recording, str]] = set()
        self._file: AppendedFile | None = None
        if path is not None:
            self._file = AppendedFile(path)
            with open_input(path) as stream:
                lines = [*parse(stream, path)]
            for mark in latest(lines):
                self._keep(mark)
            for change in _changes_of(lines):
                self._note(change)

    @property
    def is_kept(self) -> bool:
        """Whether marks are stored in a file."""
        return self._file is not None

    def put(
        self,
        hit: MarkedHit,
        right: bool | None,
        author: str = "",
        expected: str | None = None,
        note: str = "",
    ) -> Mark:
        """Store a mark; without ``right`` or ``note``, an earlier one is removed. Returns when it
        is on the disk.

        Args:
            right: whether the term is said there.
            expected: the version of the mark that the author saw; None: any.
            note: the text of a note, whose place has no term.

        Raises:
            InputError: the mark cannot be written; it is then not stored.
            ProblemError: somebody else has changed the mark (status 412).
        """
        with self._lock:
            before = self.found(hit)
            if expected is not None and expected != version_of(before):
                raise _outdated(_changed(hit, before), hit, before)
            return self._put(hit, right, author, note=note)

    def _put(
        self, hit: MarkedHit, right: bool | None, author: str, undoes: str = "", note: str = ""
    ) -> Mark:
        before = self.found(hit)
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        times_s = round(hit.start_ms / 1000, 3), round(hit.end_ms / 1000, 3)
        mark = Mark(hit.term, hit.recording, *times_s, right, now, author, undoes, note)
        lines = b""
        if before is not None and before.hit != mark.hit:  # a line about the same hit
            lines = dump(before._replace(right=None, time=now, author=author, undoes=""))
        if self._file is not None:
            self._file.append(lines + dump(mark))
        if before is not None:
            self._drop(before)
        if mark.stands:
            self._keep(mark)
        self._note(Change(mark, before))
        self.version += 1
        return mark

    def undo(self, wanted: str, author: str) -> Mark:
        """Undo a change: the earlier mark of its hit counts again.

        Args:
            wanted: id of the change; empty: the author's last one that still counts.

        Raises:
            InputError: it cannot be written; then it does not count.
            ProblemError: there is none (status 404), or the hit was marked again since (412).
        """
        with self._lock:
            change = self._undoable(wanted, author)
            then = change.before or change.mark
            right, note = (None, "") if change.before is None else (then.right, then.note)
            return self._put(MarkedHit(*then.hit), right, author, change.mark.time, note)

    def _undoable(self, wanted: str, author: str) -> Change:
        for change in reversed(self._changes):
            if change_id(change.mark) == wanted if wanted else change.mark.author == author:
                if self.counts(change):
                    return change
                if wanted:
                    hit = MarkedHit(*change.mark.hit)
                    detail = "this was changed again since; look at it again"
                    raise _outdated(detail, hit, self.found(hit))
        raise ProblemError(404, "no change of a mark to undo")

    def counts(self, change: Change) -> bool:
        """Whether the mark of a hit comes from this change, and the change is not an undo."""
        place = self._place(change.mark)
        for other in reversed(self._of_place[place]):
            is_undone = (*place, other.mark.time) in self._undone
            if not (other.mark.undoes or is_undone) and _overlap(other.mark, change.mark):
                return other is change
        return False

    def history(self, term: str = "", recording: Recording | None = None,
                start_ms: int = 0, end_ms: int | None = None) -> list[Change]:  # fmt: skip
        """The changes of marks, the newest first.

        Args:
            term, recording: only marks of this term, in this recording; empty, None: all.
            start_ms: only hits that overlap the time from here.
            end_ms: the end of this time; None: no end.
        """
        words = self._words(term)
        return [
            change
            for change in reversed(self._changes)
            if (not term or self._words(change.mark.term) == words)
            and recording in (None, change.mark.recording)
            and (end_ms is None or change.mark.hit[2] < max(end_ms, start_ms + 1))
            and change.mark.hit[3] > start_ms - (change.mark.hit[2] == change.mark.hit[3])
        ]

    def _place(self, mark: Mark) -> tuple[tuple[str, ...], Recording]:
        return self._words(mark.term), mark.recording

    def _note(self, change: Change) -> None:
        place = self._place(change.mark)
        self._changes.append(change)
        self._of_place.setdefault(place, []).append(change)
        if change.mark.undoes:
            self._undone.add((*place, change.mark.undoes))

    def close(self) -> None:
        """Release the file."""
        if self._file is not None:
            self._file.close()


def _changes_of(lines: Iterable[Mark]) -> Iterator[Change]:
    """The changes that the lines of a file describe.

    A line that removes the mark of a moved hit, and the next line of the same time, are one change.
    """
    last: dict[tuple[str, Recording, int, int], Mark] = {}
    moved: Change | None = None
    for mark in lines:
        before = last.pop(mark.hit, None)
        if mark.stands:
            last[mark.hit] = mark
        if moved is not None:
            if (moved.mark.time, moved.mark.author) == (mark.time, mark.author):
                before = moved.before
            else:
                yield moved
        moved = None
        if not (mark.stands or mark.undoes):
            moved = Change(mark, before)
        else:
            yield Change(mark, before)
    if moved is not None:
        yield moved


def _overlap(one: Mark, other: Mark) -> bool:
    """Whether two marks of a recording and of the same words are about the same hit."""
    (_, _, *times), (_, _, start_ms, end_ms) = one.hit, other.hit
    shared_ms = min(times[1], end_ms) - max(times[0], start_ms)
    return times == [start_ms, end_ms] or (bool(one.term) and shared_ms > 0)


def _outdated(detail: str, hit: MarkedHit, now: Mark | None) -> ProblemError:
    """The problem of a client that has not seen a hit's present mark, which it names."""
    version = version_of(now)
    times_s = {"start": hit.start_ms / 1000, "end": hit.end_ms / 1000}
    place = {"term": hit.term, "recording_id": recording_id(hit.recording)} | times_s
    present = {"right": now and now.right, "note": now.note if now else "", "version": version}
    return ProblemError(412, detail, {"ETag": f'"{version}"'}, {**present, **place})


def _changed(hit: MarkedHit, mark: Mark | None) -> str:
    """Describe a change of a mark by somebody else."""
    if not hit.term:
        if mark is None:
            return "somebody deleted this note meanwhile"
        who = mark.author or "somebody"
        return f"{who} wrote here meanwhile ({_minute(mark.time)}): {mark.note}"
    if mark is None:
        return "somebody took this mark back meanwhile; look at the hit again"
    who = f" by {mark.author}" if mark.author else ""
    word = "right" if mark.right else "wrong"
    return f"this hit was marked {word} meanwhile{who} ({_minute(mark.time)}); look at it again"


def _minute(time: str) -> str:
    return f"{time[:16].replace('T', ' ')} UTC"
