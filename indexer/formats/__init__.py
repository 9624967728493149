"""From a recogniser's file to utterances or lattices.

    detect      which reader a file needs, and its utterances or lattices
    looks       what a file is that no reader knows, for messages
    registry    the table of all readers
    names       their names in order, for the command line
    readers     one module for each format
    shared      what several readers use; what a reader is

Opening files and gzip are the business of `std.files`.
"""
