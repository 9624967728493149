"""The REST API under ``/api``: JSON with the names of `std-search --json`, described by OpenAPI.

models      the documents that requests and answers consist of; the OpenAPI schema
requests    the service that a request belongs to, its parameters, documents as JSON
search      terms -> hits; what a term becomes; words of the index
term_lists  a term list -> hits of all its terms, with progress
counts      how often terms of a list, and related forms of terms, are said
recordings  what is indexed, the words of a recording
sharing     recordings and hits for viewers and pages of others: IIIF, oEmbed
audio       recordings as they are, clips, waveforms, spectrograms
feedback    marks: right and wrong, and their history
corrections words that people correct
uploads     recordings that people add
alerts      standing searches and their new hits, also as feeds
exports     the hits of a search as files
operation   health, metrics, tickets for players, the log of changes
"""
