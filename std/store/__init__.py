"""Stores: where an index lives between the indexer and the searcher.

A store holds immutable segments and one manifest that lists the live ones. A commit replaces the
manifest in one step, so a reader sees the index before the commit or after it, never in between.
There are three kinds of store:

    FOLDER                 memory-mapped columns in a folder (the default)
    memory:[NAME]          this process only
    couchdb://HOST/DB      Apache CouchDB (couchdbs:// with TLS; http:// and https:// work, too)

The modules, from the top down:

    opening      open a store by its URL
    folder       the store in a folder
    memory       the store of this process
    couchdb/     the store in a CouchDB database
    column_files a segment in a folder: its files, mapped, written, removed
    verify       check that a segment is what was committed
    resident     a `Segment` whose columns are in memory or memory-mapped
    reconcile    combine two versions of an index, as replication leaves them behind
    versions     which version of each audio file an index holds, which it has deleted
    manifest     the live segments, and what a commit changes
    protocol     `Store` and `Segment`: what every kind of store offers
    columns      the columns of a segment
    speakers     who speaks in which slots
    address      which kind of store a URL means, and what is there instead of an index

How recordings become columns is in `indexer.segments.invert`, when segments are merged in
`indexer.segments.merge`, what is done with postings in `searcher`.
"""

from std.store.opening import absolute_url, open_store, require_different
from std.store.protocol import CommittedSegment, Gaps, Segment, Store, vocabulary_counts

__all__ = [
    "CommittedSegment",
    "Gaps",
    "Segment",
    "Store",
    "absolute_url",
    "open_store",
    "require_different",
    "vocabulary_counts",
]
