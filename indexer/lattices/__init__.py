"""Lattices become confusion networks."""
