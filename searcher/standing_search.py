"""Standing searches: a list of terms is searched repeatedly, and each hit is reported once.

The list is judged as a whole, because few of the watched names are said (`searcher.found_terms`).

Reported hits are appended to the file ``TERMS.hits.jsonl`` beside the list. Its first lines are the
hits at the first search (``"new": false``), which are not reported.

    {"term": ..., "file": ..., "channel": ..., "start_s": ..., "duration_s": ...,
     "probability": ..., "context": [...], "new": true, "time": "2026-11-22T09:30:00Z"}
    {"posted": 17}       the number of earlier lines that have been posted, or need not be

A hit counts as reported if an earlier one of the same term overlaps it, so nothing is reported
twice when a recording is indexed again, when segments are merged, or after a killed process.
`std-serve --alerts` and `std-search --alerts` use the same files; only one process can have a file
open.
"""

import hashlib
import io
import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from searcher.api import Index
from searcher.results.hits import Hit
from std.appended import AppendedFile, told_path
from std.errors import InputError, Unquoted
from std.execution.stop import stopped_by
from std.files import AnyPath, read
from std.json_fields import documents
from std.nist import term_file
from std.outputs import open_output
from std.values import TermList

TOLD_FROM = 0.5  # least probability of a reported hit, unless another is given
AT_ONCE = 10  # terms

Told = dict[tuple[str, str, int], list[tuple[float, float]]]  # spans by term, file, channel


class StandingSearch:
    """A list of terms and its reported hits; open until `close`."""

    def __init__(
        self,
        path: AnyPath,
        column: str | None = None,
        *,
        may_be_empty: bool = False,
        min_probability: float = TOLD_FROM,
    ) -> None:
        """Read the terms and the reported hits.

        Args:
            path: the path of the list of terms, of any kind.
            column: the column that holds the terms of a table; None: found by its name.
            may_be_empty: whether the list may be empty or missing; `add` creates it.
            min_probability: least probability of a reported hit.

        Raises:
            InputError: one of the files cannot be read or written.
        """
        path = Path(path)
        self._least = min_probability
        self._list, self._fresh = path, set[str]()  # added terms: present hits are not reported
        found = TermList(())
        if not (may_be_empty and (not path.exists() or _is_empty(path.read_bytes()))):
            found = read(partial(term_file.parse, column=column), path)
        self.terms = tuple(dict.fromkeys(term.text for term in found.terms))
        self.column = found.column  # column of the terms in a table, for messages
        self._file = AppendedFile(told_path(path))
        self.told: list[dict[str, Any]] = []  # new hits, the oldest first
        self.lines: list[dict[str, Any]] = []  # of hits, in the file
        self.posted = 0  # of the lines, to every address
        self._posted_to: dict[str, int] = {}  # of the lines, to some of them
        self._spans: Told = {}
        self.is_first = not self._file.path.stat().st_size  # no earlier report, so no hit is new
        self._read()

    def __enter__(self) -> "StandingSearch":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """The file of reported hits."""
        return self._file.path

    def _read(self) -> None:
        if self.is_first:
            return
        with self.path.open("rb") as stream:
            for part in documents(stream, self.path):
                if part.has("posted_to"):
                    self._posted_to[part["posted_to"].text()] = int(part["lines"].number())
                    continue
                if part.has("posted"):
                    self.posted = int(part["posted"].number())
                    continue
                part["term"].text(), part["file"].text()
                part["start_s"].number(), part["duration_s"].number(), part["channel"].channel()
                self._note(part.value)

    def _note(self, line: dict[str, Any]) -> None:
        """Record the line of a reported hit."""
        self.lines.append(line)
        span = line["start_s"], line["start_s"] + line["duration_s"]
        self._spans.setdefault((line["term"], line["file"], line["channel"]), []).append(span)
        if line.get("new"):
            self.told.append(line)

    @property
    def is_text(self) -> bool:
        """Whether the list is a text with one term a line, which `add` and `remove` can change."""
        return self._list.suffix.lower() == ".txt" and not self.column

    def watches(self, term: str) -> bool:
        """Whether a term is one of the list, in quotation marks or without."""
        return _term_in(f"{term}\n".encode(), self._list) in self.terms

    def add(self, term: str) -> None:
        """Watch another term; its hits at the next search are not reported.

        Quotation marks around a phrase are no part of it.

        Raises:
            InputError: the list is not a text file or cannot be written, or the term is invalid.
        """
        if self.watches(term):
            return
        self._require_text()
        written, term = term, _term_in(f"{term}\n".encode(), self._list)
        if not term:
            raise InputError(self._list, 0, "a term on one line", written)
        before = self._content()
        present = _terms_of(before, self._list)
        if term not in present:  # somebody may have written it there
            kept = before.rstrip(b"\r\n") + b"\n" if before else b""
            self._write(kept + f"{term}\n".encode(), (*present, term), term)
        self._fresh.add(term)  # first: a search that sees the term knows that it is fresh
        self.terms = (*self.terms, term)

    def remove(self, term: str) -> None:
        """Stop watching a term.

        Raises:
            InputError: the list is not a text file, lacks the term, or cannot be written.
        """
        self._require_text()
        term = _term_in(f"{term}\n".encode(), self._list) or term
        if term not in self.terms:
            raise InputError(self._list, 0, "a term of the list", term)
        before = self._content()
        lines = before.splitlines(keepends=True)
        kept = b"".join(line for line in lines if _term_in(line, self._list) != term)
        left = tuple(one for one in _terms_of(before, self._list) if one != term)
        self._write(kept, left, term)
        self.terms = tuple(one for one in self.terms if one != term)
        self._fresh.discard(term)

    def _content(self) -> bytes:
        return self._list.read_bytes() if self._list.exists() else b""

    def _write(self, content: bytes, terms: tuple[str, ...], changed: str) -> None:
        """Replace the list, unless the new file would be read as other terms."""
        try:
            is_read = _terms_of(content, self._list) == terms
        except InputError:
            is_read = False
        if not is_read:
            table = "several terms with commas are read as a table"
            raise InputError(self._list, 0, f"a change that leaves terms ({table})", changed)
        with open_output(self._list) as stream:
            stream.write(content)

    def _require_text(self) -> None:
        if not self.is_text:
            raise InputError(
                self._list, 0, "a text (.txt) with a term a line", Unquoted("another list")
            )

    def look(self, index: Index, check: Callable[[], None] = lambda: None) -> list[dict[str, Any]]:
        """Search all terms and write the hits that were not reported yet.

        Args:
            index: the index that is searched.
            check: called during the search; it may raise to stop.

        Returns:
            the lines of these hits; those of the first search have ``"new": false``.

        Raises:
            InputError: the lines cannot be written; then no hit counts as reported.
        """
        hits: list[Hit] = []
        parts = []
        terms = self.terms
        fresh = self._fresh.intersection(terms)  # others are added meanwhile
        with stopped_by(check):
            for first in range(0, len(terms), AT_ONCE):
                some = index.adhoc_terms(terms[first : first + AT_ONCE])
                parts.append(index.find_terms(some, mode="adhoc"))
        for result in index.decide(parts) if parts else ():
            hits += index.hits(result.rows(result.probability >= self._least), decided=False)
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        is_first = self.is_first
        lines = [
            _line(hit, now, new=not is_first and hit.term not in fresh)
            for hit in hits
            if not self._is_told(hit)
        ]
        if lines or is_first:
            posted = [{"posted": len(lines)}] if is_first else []
            self._append([*lines, *posted])
            self.posted = len(lines) if is_first else self.posted
            self.is_first = False
        self._fresh -= fresh
        for line in lines:
            self._note(line)
        return lines

    def _is_told(self, hit: Hit) -> bool:
        spans = self._spans.get((hit.term, hit.file, hit.channel), ())
        end_s = hit.start_s + hit.duration_s
        return any(
            (start < end_s and hit.start_s < end) or (start, end) == (hit.start_s, end_s)
            for start, end in spans  # equal ones may be of no length
        )

    def posted_to(self, address: str) -> int:
        """The number of lines that have been posted to an address."""
        return max(self.posted, self._posted_to.get(_short(address), 0))

    def note_posted(self, address: str = "") -> None:
        """Record that all lines have been posted, or need not be.

        Args:
            address: the address; empty: all addresses.

        Raises:
            InputError: it cannot be written.
        """
        if address:
            name, n = _short(address), len(self.lines)
            self._append([{"posted_to": name, "lines": n}])
            self._posted_to[name] = n
        else:
            self._append([{"posted": len(self.lines)}])
            self.posted = len(self.lines)

    def _append(self, lines: list[dict[str, Any]]) -> None:
        self._file.append(b"".join(json.dumps(line).encode() + b"\n" for line in lines))

    def close(self) -> None:
        """Release the file."""
        self._file.close()


def _short(address: str) -> str:
    """A name for an address that does not reveal it, because it may contain a secret."""
    return hashlib.sha256(address.encode()).hexdigest()[:16]


def _is_empty(content: bytes) -> bool:
    """Whether a list has no term yet: nothing, or only empty lines and comments."""
    return all(not line.strip() or line.lstrip().startswith(b"#") for line in content.splitlines())


def _terms_of(content: bytes, path: Path) -> tuple[str, ...]:
    """The terms of a list of lines, as it would be read again.

    Raises:
        InputError: the file is another kind of list, or not a list.
    """
    if _is_empty(content):
        return ()
    found = term_file.parse(io.BytesIO(content), path)
    if found.column:
        raise InputError(path, 0, "a term a line", found.column)
    return tuple(term.text for term in found.terms)


def _term_in(line: bytes, path: Path) -> str:
    """The term of a line of a list; empty if there is none."""
    try:
        (term,) = _terms_of(line, path)
    except (InputError, ValueError):
        return ""
    return term


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
