"""Formats: how speech, terms, references and hits enter and leave; one module each.

A module that reads a format has ``parse(stream, path)``: it takes an open binary stream and the
path to name in errors, and returns values of `std.values`. A module that writes one has
``dump(value, stream)`` beside it. Opening, gzip and writing whole or not at all are the business
of `std.files`, so every format reads and writes ``.gz``.
"""
