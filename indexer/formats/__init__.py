"""From a recogniser's file to utterances or lattices.

    detect     which reader a file needs, and its utterances or lattices
    readers    one module for each format
    shared     what several readers use
    looks      what a file is that no reader knows, for messages
    names      names of the formats, for the command line

A new format has its line in `indexer.formats.detect`, and its keys in `indexer.formats.looks`, for
messages. Opening files and gzip are the business of `std.files`.
"""
