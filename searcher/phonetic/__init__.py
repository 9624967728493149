"""Phonetic search: a term's phones aligned with those of the index, and the null distribution."""
