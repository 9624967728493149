"""Recognisers' output formats, one module each.

A module has ``parse(stream, path, options)``, which takes an open binary stream, the path to name
in errors and `indexer.formats.reader_options.ReaderOptions`, and yields
`indexer.networks.utterances.Utterances` or `indexer.lattices.lattice.Lattice`; and
``looks_like(head)``, which tells whether a file begins like one of the format. A new format has its
line in `indexer.formats.detect`, and its keys in `indexer.formats.looks`, for messages. Opening
files and gzip are the business of `std.files`.
"""
