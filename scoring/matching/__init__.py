"""Hits and occurrences side by side: which hit found which occurrence, and the counts."""
