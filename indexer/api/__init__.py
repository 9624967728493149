"""Indexing from Python: what std-index and std-store do, as functions that return values.

`indexer.api.indexing` indexes and manages files, `indexer.api.folders` keeps an index like a
folder, `indexer.api.corrections` makes, undoes and lists the corrections of people.

The content of an index is read by `indexer.contents`, `indexer.export` and `indexer.transcripts`.
A store is a folder, ``memory:`` or ``couchdb://host/database``; an index is one store or several,
its shards.
"""
