"""Hits as a hit list, a table and JSON, and explanations of hits."""
