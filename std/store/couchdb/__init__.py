"""An index in an Apache CouchDB database, from the top down:

store             `open_couchdb` and the store: segments, commit
writer            the lease, the commit, conflicts, removal of old segments
conflicts         conflicting revisions of the manifest document: describe, reconcile
segment           a segment, as the searcher reads it
all_columns       read a whole segment, to merge or verify it
remote_columns    read the columns that a query needs
manifest          the manifest document: read it, replace it (this is the commit)
parts             long texts of the manifest document, in several documents
bulk              many documents per request
documents         the columns of a segment -> documents
cache             decoded documents
lease             the right to write
http              one database over HTTP, with retries
codec             columns <-> one document
layout            how a segment is cut into documents, and their names
errors            errors of servers and proxies, and what they mean
connection        one HTTP connection per thread
retry             time limits, pauses between attempts, warnings about slow requests
address           the URL of a database, user and password
"""
