"""Apache CouchDB as a store (in preparation)."""

from std.store import Store


def open_couch(url: str, *, create: bool) -> Store:
    """Open an index in a CouchDB database."""
    raise NotImplementedError(url)
