"""Phonetic search: the phones of a term aligned to those of the index, and what chance gives."""
