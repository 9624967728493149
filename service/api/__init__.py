"""The REST API under ``/api``: JSON with the names of `std-search --json`, described by OpenAPI.

models      the documents that requests and answers consist of; the OpenAPI schema
requests    the service that a request belongs to, its parameters, documents as JSON
search      terms -> hits; what a term becomes; words of the index
term_lists  a term list -> hits of all its terms, with progress
recordings  what is indexed, the words of a recording
audio       recordings as they are, clips, waveforms, spectrograms
feedback    marks: right and wrong
exports     the hits of a search as files
operation   health, metrics, tickets for players, new hits of the standing searches
"""
