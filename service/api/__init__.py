"""The REST API under ``/api``: JSON with the names of `std-search --json`, described by OpenAPI.

models      the documents that requests and answers consist of; the OpenAPI schema
reply       documents as responses
search      terms -> hits; a term list -> hits of all; what a term becomes; words of the index
recordings  what is indexed, the words of a recording
audio       recordings as they are, clips, waveforms, spectrograms
feedback    marks: right and wrong
exports     the hits of a search as files
operation   health and metrics
"""
