"""Many CouchDB documents per request: read by name, written once, listed by segment, removed."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from std.errors import StoreError
from std.store.couchdb.documents import Document, segment_of
from std.store.couchdb.errors import TooLargeError
from std.store.couchdb.http import BATCH_BYTES, Database

BATCH_ROWS = 1_000_000  # of the columns read in one request: about 10 MB
BATCH_DOCUMENTS = 500
FINAL = frozenset({"forbidden", "unauthorized"})  # a document is refused again if sent again
PURGE_DOCUMENTS = 100  # CouchDB's limit for one request

Item = TypeVar("Item")


def read(database: Database, rows: Mapping[str, int]) -> Iterator[tuple[str, Document]]:
    """Documents by name, in order; ``rows`` maps their names to about how many rows each holds.

    One request per `BATCH_ROWS` rows; what is missing is asked for again.

    Raises:
        StoreError: one does not exist.
    """
    for names in _batches(rows.items(), lambda item: item[1], BATCH_ROWS):
        found: dict[str, Document] = {}
        for _ in database.attempts(database.patience.brief):  # a node may still be catching up
            found |= _stored(database, [name for name, _ in names if name not in found])
            if len(found) == len(names):
                break
        for name, _ in names:
            if name not in found:
                raise StoreError(
                    f"{database.url}: expected document {name}, got none: its segment was "
                    "replaced some time ago (search again) or the index is damaged"
                )
            yield name, found[name]


def found(database: Database, names: Sequence[str]) -> Iterator[tuple[str, Document | None]]:
    """Documents by name, None where there is none; a few at a time, however large they are."""
    for some in _batches(names, lambda _: BATCH_ROWS // 16, BATCH_ROWS):
        stored = _stored(database, some)
        for name in some:
            yield name, stored.get(name)


def absent(database: Database, names: Collection[str]) -> set[str]:
    """Those of the documents that do not exist, however long one waits for them."""
    missing = set(names)
    for _ in database.attempts():
        for some in _batches(sorted(missing), lambda _: 1, BATCH_ROWS):
            rows = database.post("_all_docs", {"keys": some})["rows"]
            missing -= {row["id"] for row in rows if "id" in row and "deleted" not in row["value"]}
        if not missing:
            break
    return missing


def write(database: Database, segment: str, documents: Iterable[Document]) -> None:
    """Put all documents of a segment in place; those that are there already stay untouched.

    Where a batch is too large for the server or a proxy, halves are sent, from then on.

    Raises:
        StoreError: the server does not take one.
    """
    fresh = not listed(database, f"{segment}|", limit=1)
    sized = ((one, len(one["deflated"]) + 200) for one in documents)
    for batch in _batches(sized, lambda pair: pair[1], BATCH_BYTES):
        pieces = [batch]
        while pieces:
            piece = pieces.pop()
            size = sum(size for _, size in piece)
            if size <= database.batch_bytes or len(piece) == 1:
                try:
                    _write_batch(database, {one["_id"]: one for one, _ in piece}, fresh)
                    continue
                except TooLargeError as error:
                    if len(piece) == 1:
                        name = piece[0][0]["_id"]
                        raise TooLargeError(f"{error}; document {name} does not fit") from error
                    database.batch_bytes = size // 2
            half = len(piece) // 2
            pieces += [piece[half:], piece[:half]]


def _write_batch(database: Database, documents: Mapping[str, Document], fresh: bool) -> None:
    """Write what is not there yet; a conflict means that an earlier attempt got through."""
    missing = list(documents.values()) if fresh else _different(database, documents)
    refused: list[dict[str, Any]] = []
    for _ in database.attempts() if missing else ():
        rows = database.post("_bulk_docs", {"docs": missing})
        refused = [row for row in rows if "error" in row]
        missing = _different(database, documents) if refused else []
        if not missing or any(row["error"] in FINAL for row in refused):
            break
    if missing:
        reasons = ", ".join(f"{refused[0].get(what)}" for what in ("error", "reason"))
        raise StoreError(f"{database.url}: the server refuses {missing[0]['_id']}: {reasons}")


def _different(database: Database, documents: Mapping[str, Document]) -> list[Document]:
    """Those that are missing or damaged; the latter with the revision they are to replace."""
    stored = _stored(database, list(documents))
    return [
        one | ({"_rev": stored[name]["_rev"]} if name in stored else {})
        for name, one in documents.items()
        if {k: v for k, v in stored.get(name, {}).items() if k != "_rev"} != one
    ]


def _stored(database: Database, names: list[str]) -> dict[str, Document]:
    """Those of the documents that exist."""
    answer = database.post("_all_docs", {"keys": names}, include_docs="true")
    return {row["id"]: row["doc"] for row in answer["rows"] if row.get("doc")}


def stored_segments(database: Database) -> set[str]:
    """Ids of all segments with documents, live or not: one request per segment."""
    found = set()
    start = "0"
    while rows := listed(database, start, limit=1, until="g"):
        segment = segment_of(rows[0]["id"])
        if segment is not None:
            found.add(segment)
        start = f"{rows[0]['id'].partition('|')[0]}}}"  # "}" is what follows "|"
    return found


def listed(
    database: Database, start: str, *, limit: int, until: str | None = None
) -> list[dict[str, Any]]:
    """Names and revisions in order; without ``until``, those that begin with ``start``."""
    answer = database.get(
        "_all_docs",
        startkey=json.dumps(start),
        endkey=json.dumps(until or f"{start}\ufff0"),
        limit=str(limit),
    )
    if answer is None:
        raise StoreError(f"{database.url}: there is no such database any more")
    rows: list[dict[str, Any]] = answer["rows"]
    return rows


def remove(database: Database, segment: str) -> None:
    """Remove all documents of a segment: purged where the server can, else marked deleted.

    Deleting leaves a stub of every document behind for ever; purging leaves nothing.
    """
    purge, before = True, None
    while rows := listed(database, f"{segment}|", limit=BATCH_DOCUMENTS):
        revisions = {row["id"]: row["value"]["rev"] for row in rows}
        if revisions == before:  # nothing went
            if not purge:
                return  # a lagging node's listing, perhaps: the next writer tries again
            purge = False
        before = revisions
        purge = purge and _purged(database, revisions)
        if not purge:
            deletions = [
                {"_id": name, "_rev": rev, "_deleted": True} for name, rev in revisions.items()
            ]
            database.post("_bulk_docs", {"docs": deletions})


def _purged(database: Database, revisions: Mapping[str, str]) -> bool:
    """Purge documents; False if this server or this user cannot."""
    waiting = iter(revisions.items())
    while some := dict(islice(waiting, PURGE_DOCUMENTS)):
        try:
            database.post("_purge", {name: [rev] for name, rev in some.items()})
        except StoreError:
            return False
    return True


def _batches(
    items: Iterable[Item], size: Callable[[Item], int], limit: int
) -> Iterator[list[Item]]:
    """Cut a sequence where the sizes would add up to more than the limit."""
    batch: list[Item] = []
    total = 0
    for item in items:
        if batch and (total + size(item) > limit or len(batch) == BATCH_DOCUMENTS):
            yield batch
            batch, total = [], 0
        batch.append(item)
        total += size(item)
    if batch:
        yield batch
