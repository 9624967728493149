"""From a recogniser's file to utterances or lattices.

detect      which reader a file needs, and its utterances or lattices
looks       the kind of a file that no reader knows, for messages
registry    the table of all readers
names       their names in order, for the command line
readers     one module for each format
shared      common code of readers; the declaration of a reader

`std.files` opens files and gzip.
"""
