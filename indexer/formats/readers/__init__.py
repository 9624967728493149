"""Readers of recogniser output, one module for each format.

A module has ``parse(stream, path, options)``, which takes an open binary stream, the path to name
in errors and `indexer.formats.shared.reader_options.ReaderOptions`, and yields
`indexer.networks.utterances.Utterances` or `indexer.lattices.lattice.Lattice`; and
``looks_like(head)``, which tells whether a file begins like one of the format.
"""
