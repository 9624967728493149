"""Readers of recogniser output, one module for each format.

A module declares one reader, ``READER`` (`indexer.formats.shared.reader.FormatReader`), and is
called as the format. Its docstring has the grammar.
"""
