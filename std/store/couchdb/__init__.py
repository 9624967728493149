"""An index in an Apache CouchDB database, from the top down:

store             `open_couchdb` and the store: segments, commit
writer            the lease, the commit, conflicts, removal of old segments
conflicts         conflicting revisions of the manifest document: describe, reconcile
manifest          the manifest document: read it, replace it (this is the commit)
segment           a segment: the columns that a query needs, all of them, verified
bulk              many documents per request; extra columns, whole or some of their rows
database          one database over HTTP, with retries
layout            how a segment is cut into documents, and their names
codec             columns and long texts <-> documents
errors            what may go wrong with a server, and for how long we wait
connection        address, user and password; one HTTP request
"""
