"""What is found: candidates, hits, and what a search answers."""
