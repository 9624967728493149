"""Phonetic search: the phones of a term aligned to the phones of the index."""
