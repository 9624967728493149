"""The start of the commands; `std`, `indexer`, `searcher` and `scoring` are the Python interface.

This package has the name of the distribution, so it is found even where another project has
packages of the same short names; `spoken_terms.start` tells its user so.
"""
