"""Expansion: words of the vocabulary that may have been written in place of an unknown word.

levenshtein   spelt alike, eq. 2.3 of the thesis
dice          shared letter pairs, eq. 2.4 of the thesis
"""
