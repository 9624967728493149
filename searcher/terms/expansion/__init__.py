"""Expansion: words of the vocabulary that may have been written in place of an unknown word.

spelling       spelt alike: Levenshtein similarity and shared letter pairs, eq. 2.3 and 2.4
pronunciation  said alike
"""
