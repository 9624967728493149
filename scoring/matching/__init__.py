"""Counts of paired hits and occurrences; segment-based and character-based scoring."""
