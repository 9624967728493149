"""An index in an Apache CouchDB database; `std.store.couchdb.store` is the way in."""
