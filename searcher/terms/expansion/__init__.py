"""Expansion: words of the vocabulary that the recogniser may have written for an unknown word.

spelling       similar spelling: Levenshtein similarity and shared letter pairs, eq. 2.3 and 2.4
pronunciation  similar pronunciation
"""
