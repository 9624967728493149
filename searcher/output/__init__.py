"""Hits as a hit list, a table, JSON, and why each is there."""
