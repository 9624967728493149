"""A cluster of Apache CouchDB 3 in this process, as far as the store makes use of it.

pouchdb-server is one node that is never split. This has three: a node is killed and comes back, a
network is cut and heals, two clients write to two nodes at once. What CouchDB documents of quorums
(n = 3, r = w = 2, 202 below that), read repair, revision trees, purging (100 documents, server
administrators only), document size, access to new databases, connections after an error, and
answers in chunks is here; views, attachments, `_changes` and q are not. Nothing is kept on disk.
"""

import base64
import gzip
import hashlib
import json
import re
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

QUORUM = 2
MAX_DOCUMENT_BYTES = 8_000_000
MAX_PURGED_DOCUMENTS = 100
CHUNK_BYTES = 16_384
ADMINS_ONLY = frozenset({"_purge", "_security", "_all_dbs"})
DATABASE_NAME = re.compile(r"[a-z][a-z0-9_$()+/-]*")

Body = dict[str, Any]


class Leaf(NamedTuple):
    """The end of a branch of a document's revisions."""

    history: tuple[str, ...]  # revisions, this one first
    body: Body
    deleted: bool

    @property
    def rank(self) -> tuple[bool, int, str]:
        """The highest is the one that CouchDB shows."""
        start, _, digest = self.history[0].partition("-")
        return not self.deleted, int(start), digest


class Refusal(Exception):  # noqa: N818  # an answer
    """An answer other than 2xx."""

    def __init__(self, status: int, error: str, reason: str | None = None) -> None:
        super().__init__(status, error, reason)
        self.status, self.error, self.reason = status, error, reason


class Copy:
    """One node's copy of a database: documents by name, and what was purged."""

    def __init__(self) -> None:
        self.documents: dict[str, dict[str, Leaf]] = {}
        self.purged: dict[str, tuple[str, str]] = {}  # requests carried out: name and revision
        self.lock = threading.RLock()

    def shown(self, name: str) -> Leaf | None:
        with self.lock:
            leaves = self.documents.get(name, {}).values()
            return max(leaves, key=lambda leaf: leaf.rank, default=None)

    def conflicts(self, name: str) -> list[str]:
        """Revisions that are kept and not shown."""
        with self.lock:
            best = self.shown(name)
            leaves = self.documents.get(name, {}).values()
            return sorted(one.history[0] for one in leaves if one != best and not one.deleted)

    def edit(self, name: str, revision: str | None, body: Body, *, deleted: bool) -> str | None:
        """The new revision; None is a conflict."""
        with self.lock:
            leaves = self.documents.setdefault(name, {})
            parent = self.shown(name) if revision is None else leaves.get(revision)
            if revision is None and parent is not None and not parent.deleted:
                return None
            if revision is not None and parent is None:
                return None
            history = parent.history if parent else ()
            text = json.dumps([history[:1], deleted, body], sort_keys=True)
            start = parent.rank[1] + 1 if parent else 1
            new = f"{start}-{hashlib.md5(text.encode()).hexdigest()}"
            if parent:
                del leaves[parent.history[0]]
            leaves[new] = Leaf((new, *history), body, deleted)
            return new

    def merge(self, name: str, leaf: Leaf) -> None:
        """Take over a branch, as replication does."""
        with self.lock:
            leaves = self.documents.setdefault(name, {})
            if any(leaf.history[0] in one.history for one in leaves.values()):
                return
            for revision in leaf.history:
                leaves.pop(revision, None)
            leaves[leaf.history[0]] = leaf

    def purge(self, request: str, name: str, revision: str) -> None:
        """Forget a branch; the same request comes again from other nodes, and does nothing."""
        with self.lock:
            if request in self.purged:
                return
            self.purged[request] = name, revision
            leaves = self.documents.get(name, {})
            leaves.pop(revision, None)
            if not leaves:
                self.documents.pop(name, None)

    def send_purges(self, other: "Copy") -> None:
        for request, (name, revision) in list(self.purged.items()):
            other.purge(request, name, revision)

    def send_documents(self, other: "Copy") -> None:
        with self.lock:
            branches = [(name, leaf) for name, ls in self.documents.items() for leaf in ls.values()]
        for name, leaf in branches:
            other.merge(name, leaf)


class Cluster:
    """Three nodes; ``ports`` are where they listen, and a balancer that asks each in turn."""

    def __init__(self, *, admin: tuple[str, str] | None = None) -> None:
        self.admin = admin  # with one, new databases are his alone until `_security` says more
        self.copies: list[dict[str, Copy]] = [{} for _ in range(3)]
        self.members: dict[str, set[str]] = {}  # by database
        self.users: dict[str, str] = dict([admin] if admin else [])
        self.clock_ahead_s = [0.0, 0.0, 0.0]
        self.down: set[int] = set()
        self.parts: list[set[int]] = [{0, 1, 2}]  # who can talk to whom
        self.answers: list[tuple[str, int]] = []  # request lines and status
        self.after_first_copy: Callable[[str], object] = lambda name: None
        self._turn = 0
        self._servers = [serve(self, node) for node in (0, 1, 2, None)]
        self.ports = [server.server_address[1] for server in self._servers]

    def close(self) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()

    def next_node(self) -> int:
        """Where the balancer sends a request."""
        self._turn += 1
        nodes = sorted({0, 1, 2} - self.down) or [0]
        return nodes[self._turn % len(nodes)]

    def kill(self, node: int) -> None:
        self.down.add(node)

    def revive(self, node: int) -> None:
        self.down.discard(node)

    def cut(self, *parts: set[int]) -> None:
        self.parts = list(parts)

    def heal(self) -> None:
        """Connect and revive everybody, and wait until all nodes hold the same."""
        self.parts, self.down = [{0, 1, 2}], set()
        for name in {name for copies in self.copies for name in copies}:
            copies = [one.setdefault(name, Copy()) for one in self.copies]
            for replicate in (Copy.send_purges, Copy.send_documents):
                for copy in copies:
                    for other in copies:
                        replicate(copy, other)

    def reached(self, node: int, database: str) -> list[Copy]:
        """The copies that a node can ask, its own first."""
        part = next(some for some in self.parts if node in some)
        nodes = [node, *sorted(part - {node})]
        return [
            self.copies[one][database]
            for one in nodes
            if one not in self.down and database in self.copies[one]
        ]

    def handle(
        self, node: int, method: str, path: list[str], query: Body, body: Any
    ) -> tuple[int, Any]:
        """Status and answer of a request to a node."""
        database, rest = path[0], path[1:]
        if not rest and method == "PUT":
            return self._create(node, database)
        copies = self.reached(node, database)
        if not copies:
            raise Refusal(404, "not_found", "Database does not exist.")
        match method, rest:
            case "GET", []:
                return 200, {"db_name": database, "sizes": {}, "props": {}, "cluster": {"n": 3}}
            case "DELETE", []:
                for one in self.copies:
                    one.pop(database, None)
                return 200, {"ok": True}
            case "PUT", ["_security"]:
                self.members[database] = set(body["members"]["names"])
                return 200, {"ok": True}
            case "POST", ["_bulk_docs"]:
                return self._bulk(copies, body)
            case "POST", ["_all_docs"]:
                rows = [
                    row(copies, name, include_docs="include_docs" in query) for name in body["keys"]
                ]
                return 200, {"total_rows": 0, "offset": None, "rows": rows}
            case "GET", ["_all_docs"]:
                return 200, {"total_rows": 0, "offset": 0, "rows": listing(copies[0], query)}
            case "POST", ["_purge"]:
                return purge(copies, body)
            case "GET", [name]:
                return 200, self._document(copies, name, query)
            case "PUT", [name]:
                status, answer = self._write(copies, body | {"_id": name})
                if status == 409:
                    raise Refusal(409, "conflict", "Document update conflict.")
                return status, answer
        raise Refusal(405, "method_not_allowed", f"{method} {path}")

    def _create(self, node: int, database: str) -> tuple[int, Any]:
        if not DATABASE_NAME.fullmatch(database):
            raise Refusal(400, "illegal_database_name", f"Name: '{database}'.")
        if self.reached(node, database):
            raise Refusal(412, "file_exists", "The database could not be created.")
        part = next(some for some in self.parts if node in some)
        made = [self.copies[one].setdefault(database, Copy()) for one in part - self.down]
        return (201 if len(made) >= QUORUM else 202), {"ok": True}

    def _bulk(self, copies: list[Copy], body: Body) -> tuple[int, Any]:
        if any(len(json.dumps(one)) > MAX_DOCUMENT_BYTES for one in body["docs"]):
            raise Refusal(413, "document_too_large", body["docs"][0]["_id"])
        if body.get("new_edits") is False:
            for one in body["docs"]:
                start, ids = one["_revisions"]["start"], one["_revisions"]["ids"]
                history = tuple(f"{start - i}-{digest}" for i, digest in enumerate(ids))
                for copy in copies:
                    copy.merge(one["_id"], Leaf(history, plain(one), deleted=False))
            return 201, []
        written = [self._write(copies, one) for one in body["docs"]]
        status = 202 if any(one == 202 for one, _ in written) else 201
        return status, [answer for _, answer in written]

    def _write(self, copies: list[Copy], document: Body) -> tuple[int, Any]:
        """One document to all copies: 201, 202, or 409."""
        name = document["_id"]
        if len(json.dumps(document)) > MAX_DOCUMENT_BYTES:
            raise Refusal(413, "document_too_large", name)
        replies = []
        for number, copy in enumerate(copies):
            deleted = bool(document.get("_deleted"))
            replies.append(copy.edit(name, document.get("_rev"), plain(document), deleted=deleted))
            if number == 0:
                self.after_first_copy(name)
        taken = [one for one in replies if one is not None]
        if not taken:
            answer = {"id": name, "error": "conflict", "reason": "Document update conflict."}
            return 409, answer
        best = max(taken, key=taken.count)
        status = 201 if taken.count(best) >= QUORUM else 202
        return status, {"ok": True, "id": name, "rev": best}

    def _document(self, copies: list[Copy], name: str, query: Body) -> Body:
        if "rev" in query:
            for copy in copies:
                if leaf := copy.documents.get(name, {}).get(query["rev"]):
                    return {"_id": name, "_rev": query["rev"], **leaf.body}
            raise Refusal(404, "not_found", "missing")
        leaf, conflicts = read(copies, name)
        if leaf is None or leaf.deleted:
            raise Refusal(404, "not_found", "deleted" if leaf else "missing")
        found = {"_id": name, "_rev": leaf.history[0], **leaf.body}
        if "conflicts" in query and conflicts:
            found["_conflicts"] = conflicts
        if "revs" in query:
            start = int(leaf.history[0].partition("-")[0])
            ids = [one.partition("-")[2] for one in leaf.history]
            found["_revisions"] = {"start": start, "ids": ids}
        return found


def plain(document: Body) -> Body:
    """Without the fields that are about the document."""
    return {key: value for key, value in document.items() if not key.startswith("_")}


def read(copies: list[Copy], name: str) -> tuple[Leaf | None, list[str]]:
    """What a quorum says; where it disagrees the best, and the copies are repaired."""
    replies = [(copy.shown(name), copy.conflicts(name)) for copy in copies]
    first = replies[:QUORUM]
    if len(first) == QUORUM and first[0] == first[1]:
        return first[0]
    leaves = [(leaf, others) for leaf, others in replies if leaf is not None]
    for copy in copies:
        for other in copies:
            for leaf in list(copy.documents.get(name, {}).values()):
                other.merge(name, leaf)
    return max(leaves, key=lambda pair: pair[0].rank, default=(None, []))


def row(copies: list[Copy], name: str, *, include_docs: bool) -> Body:
    """One row of a listing by name."""
    leaf, _ = read(copies, name)
    if leaf is None:
        return {"key": name, "error": "not_found"}
    value = {"rev": leaf.history[0]} | ({"deleted": True} if leaf.deleted else {})
    found = {"id": name, "key": name, "value": value}
    if include_docs:
        whole = {"_id": name, "_rev": leaf.history[0], **leaf.body}
        found["doc"] = None if leaf.deleted else whole
    return found


def listing(copy: Copy, query: Body) -> list[Body]:
    """Rows in order, from one copy alone: it may be behind the others."""
    first, last = json.loads(query["startkey"]).encode(), json.loads(query["endkey"]).encode()
    rows = []
    with copy.lock:
        for name in sorted(copy.documents, key=str.encode):
            leaf = copy.shown(name)
            if first <= name.encode() <= last and leaf is not None and not leaf.deleted:
                rows.append({"id": name, "key": name, "value": {"rev": leaf.history[0]}})
    return rows[: int(query.get("limit", len(rows)))]


def purge(copies: list[Copy], body: Body) -> tuple[int, Any]:
    if len(body) > MAX_PURGED_DOCUMENTS:
        raise Refusal(400, "bad_request", "Exceeded maximum number of documents.")
    for name, revisions in body.items():
        for revision in revisions:
            request = uuid.uuid4().hex
            for copy in copies:
                copy.purge(request, name, revision)
    return (201 if len(copies) >= QUORUM else 202), {"purge_seq": None, "purged": body}


def serve(cluster: Cluster, only: int | None) -> ThreadingHTTPServer:
    """HTTP of one node, or of the balancer."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def log_message(self, *arguments) -> None:
            pass

        def answer(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            node = cluster.next_node() if only is None else only
            if node in cluster.down:
                self.close_connection = True
                return
            parts = urlsplit(self.path)
            path = [unquote(one) for one in parts.path.split("/") if one]
            query = {key: values[0] for key, values in parse_qs(parts.query).items()}
            try:
                self.authorise(path)
                if content and self.headers.get("Content-Type") != "application/json":
                    raise Refusal(415, "bad_content_type", "Content-Type must be JSON")
                if self.headers.get("Content-Encoding") == "gzip":
                    content = gzip.decompress(content)
                body = json.loads(content) if content else None
                if path == ["_all_dbs"]:
                    status, answer = 200, sorted(cluster.copies[node])
                elif not path:
                    status, answer = 200, {"couchdb": "Welcome", "version": "3.4.3"}
                else:
                    status, answer = cluster.handle(node, self.command, path, query, body)
            except Refusal as refusal:
                status = refusal.status
                answer = {"error": refusal.error, "reason": refusal.reason}
                self.close_connection = True  # without a word about it, as CouchDB does
            cluster.answers.append((f"{self.command} {'/'.join(path[1:])}", status))
            if node in cluster.down:  # killed while it worked: done, and nobody is told
                self.close_connection = True
                return
            self.say(node, status, answer, chunked="_all_docs" in path and status == 200)

        def authorise(self, path: list[str]) -> None:
            if cluster.admin is None:
                return
            kind, _, code = self.headers.get("Authorization", "").partition(" ")
            name, _, password = base64.b64decode(code or "").decode().partition(":")
            if kind != "Basic" or cluster.users.get(name) != password:
                raise Refusal(401, "unauthorized", "Name or password is incorrect.")
            if name == cluster.admin[0] or not path:
                return
            if path[-1] in ADMINS_ONLY or (len(path) == 1 and self.command != "GET"):
                raise Refusal(401, "unauthorized", "You are not a server admin.")
            exists = any(path[0] in one for one in cluster.copies)
            if exists and name not in cluster.members.get(path[0], set()):
                raise Refusal(403, "forbidden", "You are not allowed to access this db.")

        def say(self, node: int, status: int, answer: Any, *, chunked: bool) -> None:
            content = json.dumps(answer).encode()
            self.send_response_only(status)
            self.send_header("Content-Type", "application/json")
            now = time.time() + cluster.clock_ahead_s[node]
            self.send_header("Date", formatdate(now, usegmt=True))
            if not chunked:
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
                return
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for part in in_chunks(content):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.write(b"0\r\n\r\n")

        do_GET = do_PUT = do_POST = do_DELETE = answer  # noqa: N815

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request, client_address) -> None:
            pass  # the client went away

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    return server


def in_chunks(content: bytes) -> Iterator[bytes]:
    for begin in range(0, len(content), CHUNK_BYTES):
        yield content[begin : begin + CHUNK_BYTES]
